#if CommandLine
import Signet

extension ExchangeOutcome {
    /// A description of the exchange; empty when it failed before it had a connection, because the command prints the
    /// error itself.
    var lines: [String] { error != nil && report.connection.number == 0 ? [] : report.lines }
}

extension ExchangeReport {
    /// A description of the exchange on the wire.
    var lines: [String] {
        var lines: [String] = []
        let parts = [("name", connection.nameResolution), ("TLS", connection.handshake)]
            .filter { $0.1 > .zero }.map { "\($0.0) \($0.1.milliseconds)" }.joined(separator: ", ")
        let opened =
            connection.reused
            ? "used before"
            : "opened in \(connection.establishment.milliseconds)\(parts.isEmpty ? "" : " (\(parts))")"
        let version = connection.httpVersion.map { ", HTTP/\($0)" } ?? ""
        lines.append("connection \(connection.number) to \(connection.remoteAddress), \(opened)\(version)")
        if let proxy = connection.proxy {
            lines.append(
                "through the proxy \(proxy)\(connection.proxyTLS.map { ", \($0.version), \($0.cipherSuite)" } ?? "")")
        }
        if let tls = connection.tls {
            lines.append("\(tls.version), \(tls.cipherSuite)")
            lines.append("the server proved: \(tls.certificationPath.joined(separator: " ← "))")
            if let reason = tls.exception { lines.append("trusted by an exception, although refused: \(reason)") }
            lines += tls.pinMismatches.map { "pins that are only reported: \($0)" }
            lines += tls.revocation.map { "revocation: \($0)" }
            let nothing =
                tls.clientCertificateRequested
                ? "nothing, although the server asked" : "nothing, because the server did not ask"
            let late = tls.lateClientCertificate.map { "\($0), if the server has asked for it" }
            lines.append("the client proved: \(tls.clientCertificate ?? late ?? nothing)")
        } else {
            lines.append("plain HTTP: an attacker on the network could read and change the messages")
        }
        let answers = legs.map { leg in
            let asked = leg.challenges.isEmpty ? "" : " (asks for \(leg.challenges.joined(separator: ", ")))"
            return (leg.authorization.map { "\(leg.status) after sending \($0) credentials" } ?? "\(leg.status)")
                + asked
        }
        if legs.last?.status == 403, let tls = connection.tls, !tls.clientCertificateRequested,
            tls.lateClientCertificate == nil
        {
            lines.append(
                "403 without a request for a certificate: the server may request one later, for this path only; see --identity-late"
            )
        }
        let said = answers.isEmpty ? "no answer" : "HTTP \(answers.joined(separator: ", then "))"
        lines.append("\(said); \(duration.milliseconds) in all")
        return lines
    }
}

extension Duration {
    /// Milliseconds with one decimal.
    fileprivate var milliseconds: String {
        let (seconds, attoseconds) = components
        let tenths = seconds * 10_000 + attoseconds / 100_000_000_000_000
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
#endif
