#if Server
import Foundation
import HTTPTypes
import Logging
import SignetAuthentication
import SignetHTTP
import SignetNIOTLS
import SignetNIOTransport
import SignetTLS

/// Reads what a proxy says of its clients, and judges their certificates.
struct ForwardedClients: Sendable {
    /// A client as the proxy describes it.
    struct Client: Sendable {
        /// Its own certificate first; empty when it has shown none.
        var certificates: [EncodedCertificate] = []
        /// Nil when the proxy names none.
        var address: String?
        /// What is wrong with the proxy's fields; nil when they can be read.
        var defect: String?
    }

    let recognition: TLSTerminatingProxy.Recognition
    let admission: ClientAdmission
    /// Nil when the policy looks up no revocation.
    private let revocation: RevocationSource?
    private let form: TLSTerminatingProxy.CertificateField.Form
    private let certificate: HTTPField.Name
    /// Nil where the form has no field for it.
    private let chain: HTTPField.Name?
    private let address: HTTPField.Name?

    /// - Throws: ``SOAPServerError`` with `invalidConfiguration`.
    init(_ proxy: TLSTerminatingProxy, _ logger: Logger) throws(SOAPServerError) {
        guard proxy.clients.asksForCertificates else {
            throw SOAPServerError(
                .invalidConfiguration,
                "The clients of tlsProxy are admitted without a certificate, so that it has no effect; use certificateRequired or certificateOptional."
            )
        }
        try proxy.clients.check(proxy.revocationProxy)
        revocation = try proxy.clients.revocationSource(through: proxy.revocationProxy, logger)
        if case .certificates(let digests) = proxy.recognition.kind {
            guard !digests.isEmpty, digests.allSatisfy({ $0.count == 32 }) else {
                throw SOAPServerError(
                    .invalidConfiguration,
                    "The certificates by which tlsProxy is recognised are given by their SHA-256, 32 bytes each, and at least one."
                )
            }
        }
        recognition = proxy.recognition
        admission = proxy.clients
        form = proxy.certificateField.form
        certificate = try Self.name(proxy.certificateField.name)
        chain = form == .escapedPEM ? nil : try Self.name("Client-Cert-Chain")
        address = try proxy.addressField.map { name throws(SOAPServerError) in try Self.name(name) }
        guard Set(own).count == own.count else {
            throw SOAPServerError(
                .invalidConfiguration, "The fields of tlsProxy for the certificate and the address are the same field.")
        }
    }

    /// - Parameter isSecure: whether the server has TLS itself.
    /// - Throws: ``SOAPServerError`` with `invalidConfiguration`.
    func check(isSecure: Bool, _ settings: SOAPServer.Settings) throws(SOAPServerError) {
        guard address == nil || !settings.usesProxyProtocol else {
            throw SOAPServerError(
                .invalidConfiguration,
                "Both usesProxyProtocol and the addressField of tlsProxy name the address of the client; leave one of them out."
            )
        }
        switch recognition.kind {
        case .socket:
            guard settings.unixSocketPath != nil, !isSecure else {
                throw SOAPServerError(
                    .invalidConfiguration,
                    settings.unixSocketPath == nil
                        ? "The proxy of tlsProxy is recognised by its socket, and the server listens at none: set unixSocketPath."
                        : "The proxy of tlsProxy ends the TLS of its clients and speaks plain HTTP at unixSocketPath: make the server with withoutTLS."
                )
            }
        case .certificates:
            guard isSecure else {
                throw SOAPServerError(
                    .invalidConfiguration,
                    "The proxy of tlsProxy is recognised by its certificate, and the server has no TLS: give it a ServerTLSConfiguration."
                )
            }
        }
    }

    private static func name(_ text: String) throws(SOAPServerError) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else {
            throw SOAPServerError(
                .invalidConfiguration, "“\(text.printable)” in tlsProxy is no name of a field of HTTP.")
        }
        guard !others.contains(name.canonicalName) else {
            throw SOAPServerError(
                .invalidConfiguration,
                "The field \(name.rawName) in tlsProxy has another meaning in HTTP; take one of its own.")
        }
        return name
    }

    /// Fields that requests need for something else.
    private static let others: Set = [
        "accept", "authorization", "connection", "content-encoding", "content-length", "content-type", "cookie",
        "expect",
        "host", "mime-version", "soapaction", "transfer-encoding",
    ]

    private var own: [HTTPField.Name] { [certificate, chain, address].compactMap(\.self) }

    /// Whether a connection is that of the proxy.
    ///
    /// - Parameter path: that of the certificate that the connection has shown; nil for none.
    func isProxy(_ path: CertificationPath?) -> Bool {
        switch recognition.kind {
        case .socket: true
        case .certificates(let digests): path?.leaf.map { digests.contains($0.sha256) } ?? false
        }
    }

    /// Takes the proxy's fields out of those of a request, also where a client has sent them.
    ///
    /// - Parameter isProxy: whether the request comes from the proxy.
    /// - Returns: nil for a request that does not come from the proxy.
    func take(from fields: inout HTTPFields, isProxy: Bool) -> Client? {
        defer { for name in own { fields[values: name] = [] } }
        guard isProxy else { return nil }
        var client = Client()
        do {
            client.certificates = try certificates(in: fields)
            client.address = try named(in: fields)
        } catch { client.defect = error.text }
        return client
    }

    /// Judges the certificate of a client of the proxy.
    ///
    /// - Returns: its path, nil for a client that needs none and has shown none; or the reason for the log.
    func judge(_ client: Client) async -> Result<CertificationPath?, Refusal> {
        if let defect = client.defect {
            return .failure(Refusal(reason: "what the proxy says of its client is unusable: \(defect)", level: .error))
        }
        switch admission.policy {
        case .notRequested: return .success(nil)
        // As common as a handshake that fails.
        case .required where client.certificates.isEmpty:
            return .failure(Refusal(reason: "no certificate", level: .info))
        case .requested where client.certificates.isEmpty: return .success(nil)
        case .required(let trust), .requested(let trust):
            let presented = client.certificates
            var verdict = trust.path(of: presented, as: .client, at: Int64(Date().timeIntervalSince1970))
            if case .success(let path) = verdict, let lookUp = revocation?.lookUp {
                verdict = trust.confirm(path, presented, await lookUp(path, trust.revocation))
            }
            return verdict.map { $0 }.mapError {
                Refusal(reason: "the certificate is not trusted: \($0.message)", level: .notice)
            }
        }
    }

    struct Refusal: Error {
        let reason: String
        let level: Logger.Level
    }

    // MARK: Fields

    private struct Defect: Error {
        let text: String

        init(_ text: String) { self.text = text }
    }

    /// What a client may send in TLS.
    private static let maximumCertificates = 10

    private func certificates(in fields: HTTPFields) throws(Defect) -> [EncodedCertificate] {
        let values = fields[values: certificate]
        guard values.count <= 1 else {
            throw Defect(
                "\(certificate.rawName) comes \(values.count) times: the proxy has not taken out what the client sent")
        }
        // Of a client that has shown no certificate, nginx sends no field, HAProxy the two colons alone.
        let value = values.first.map { Self.trimmed($0[...]) } ?? ""
        switch form {
        case .escapedPEM:
            guard !value.isEmpty else { return [] }
            guard let pem = String(value).removingPercentEncoding else {
                throw Defect("\(certificate.rawName) is not percent-encoded")
            }
            let found: [EncodedCertificate]
            do { found = try CertificateBundle(pem: Array(pem.utf8)).certificates } catch {
                throw Defect("\(certificate.rawName) has no certificate in PEM: \(error.message)")
            }
            guard found.count == 1 else { throw Defect("\(certificate.rawName) has \(found.count) certificates") }
            return found
        case .structured(let withChain):
            guard !value.isEmpty, value != "::" else { return [] }
            var all = [try Self.certificate(value, certificate)]
            guard withChain, let chain else { return all }
            for value in fields[values: chain] {
                for item in value.split(separator: ",", omittingEmptySubsequences: false) {
                    guard all.count < Self.maximumCertificates else {
                        throw Defect("there are more than \(Self.maximumCertificates) certificates")
                    }
                    all.append(try Self.certificate(Self.trimmed(item), chain))
                }
            }
            return all
        }
    }

    /// RFC 9651 §3.3.5: a byte sequence, whose parameters have no meaning here.
    private static func certificate(
        _ value: Substring, _ name: HTTPField.Name
    ) throws(Defect) -> EncodedCertificate {
        let value = trimmed(value.prefix { $0 != ";" })
        guard value.utf8.count > 2, value.hasPrefix(":"), value.hasSuffix(":"),
            let der = Text.bytes(base64: value.utf8.dropFirst().dropLast())
        else { throw Defect("\(name.rawName) is no byte sequence of RFC 9651 §3.3.5, :Base64:") }
        return EncodedCertificate(der: der)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }

    /// The last address of the field, which the proxy has added.
    private func named(in fields: HTTPFields) throws(Defect) -> String? {
        guard let address else { return nil }
        guard let last = fields[values: address].last else { throw Defect("\(address.rawName) is missing") }
        let text = String(Self.trimmed(last.split(separator: ",", omittingEmptySubsequences: false).last ?? ""))
        guard AddressBlock.octets(of: text) != nil else {
            throw Defect("\(address.rawName) does not end with an IP address")
        }
        return text.contains(":") ? "[\(text)]" : text
    }
}
#endif
