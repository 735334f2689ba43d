import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL
import SignetAuthentication
import SignetHTTP
import SignetNIOTLS

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Turns the errors of NIO into ours.
enum ConnectionFailure {
    /// How far a connection had come when it failed.
    struct Progress: Sendable {
        /// The TLS handshake had ended for us; in TLS 1.3 the server judges our certificate after that.
        var isSecured = false
        /// An answer came before, so that the server has let us in.
        var isProven = false
        /// A request was written whose answer is not complete.
        var hasRequest = false
        /// A part of that answer has come.
        var hasAnswer = false
    }

    /// An error on an open channel.
    static func describe(_ error: any Error, host: String, tls: ClientTLS?, progress: Progress) -> any Error {
        if error is TransportError { return error }
        if let failure = tls?.failure(for: error) { return describe(failure, progress) }
        switch error {
        case is SurplusBytes:
            return TransportError(
                .malformedResponse,
                progress.isProven
                    ? "\(host) sent more than its answer."
                    : "\(host) sent something before it was asked. Look whether this port speaks \(tls == nil ? "HTTP without TLS" : "HTTP").",
                mayHaveBeenProcessed: progress.hasRequest, cause: error)
        case HTTPParserError.headerOverflow:
            return TransportError(
                .responseTooLarge,
                "The answer of \(host) has more than \(maximumFields) fields, or larger ones than allowed (maximumFieldBytes).",
                mayHaveBeenProcessed: progress.hasRequest, cause: error)
        case is NIOHTTPDecompression.DecompressionError, is NIOHTTPDecompression.ExtraDecompressionError:
            return TransportError(
                .malformedResponse, "The content of the answer of \(host) is not compressed as it says: \(error).",
                mayHaveBeenProcessed: progress.hasRequest, cause: error)
        case HTTPParserError.invalidEOFState, HTTPParserError.closedConnection, NIOSSLError.uncleanShutdown:
            return TransportError(
                .connectionClosed,
                "\(host) closed the connection before the answer was complete.\(progress.hasAnswer ? "" : hint(isPlain: tls == nil, progress))",
                mayHaveBeenProcessed: progress.hasRequest, cause: error)
        case is HTTPParserError, is NIOHTTPDecoderError:
            return TransportError(
                .malformedResponse,
                "\(host) does not speak HTTP as RFC 9112 has it: \(defect(error)).\(isNoHTTP(error) ? hint(isPlain: tls == nil, progress) : "")",
                mayHaveBeenProcessed: progress.hasRequest, cause: error)
        default:
            return TransportError(
                .connectionClosed,
                "The connection to \(host) broke: \(error).\(progress.hasAnswer ? "" : hint(isPlain: tls == nil, progress))",
                mayHaveBeenProcessed: progress.hasRequest,
                cause: error)
        }
    }

    /// The end of a channel before that of an answer, of which the pipeline said nothing.
    static func closedEarly(by host: String, tls: ClientTLS?, progress: Progress) -> TransportError {
        let hint =
            tls?.outcome.clientCertificateRequested == true && tls?.sentCertificate == nil
            ? " It had asked for a client certificate and got none."
            : progress.hasAnswer ? "" : hint(isPlain: tls == nil, progress)
        return .init(
            .connectionClosed, "\(host) closed the connection before the answer was complete.\(hint)",
            mayHaveBeenProcessed: progress.hasRequest)
    }

    /// So many fields an answer may have.
    static let maximumFields = 1_000

    /// Whether an answer does not even begin as HTTP does.
    private static func isNoHTTP(_ error: any Error) -> Bool {
        switch error {
        case HTTPParserError.invalidConstant, HTTPParserError.invalidVersion, HTTPParserError.invalidStatus: true
        default: false
        }
    }

    /// What is wrong with an answer that the decoder refused.
    private static func defect(_ error: any Error) -> String {
        switch error {
        case HTTPParserError.invalidHeaderToken:
            "a field is no “name: value” on one line; a folded line or a space before the colon is refused (RFC 9112 §5)"
        case HTTPParserError.invalidChunkSize:
            "the size of a chunk is no hexadecimal number by itself; white space around it is refused (RFC 9112 §7.1)"
        case HTTPParserError.strictModeAssertion: "the data of a chunk does not end with its size (RFC 9112 §7.1)"
        case HTTPParserError.lfExpected: "a line does not end with CR and LF (RFC 9112 §2.2)"
        case HTTPParserError.invalidContentLength:
            "Content-Length is no number, or is given twice (RFC 9112 §6.3)"
        case HTTPParserError.unexpectedContentLength:
            "Content-Length stands beside Transfer-Encoding, or is given twice (RFC 9112 §6.3)"
        case HTTPParserError.invalidConstant, HTTPParserError.invalidVersion, HTTPParserError.invalidStatus:
            "the answer does not begin with a status line of HTTP/1.1 (RFC 9112 §4)"
        case HTTPParserError.unknown:
            "its framing is not that of RFC 9112 §6; Content-Length may stand beside Transfer-Encoding"
        case is NIOHTTPDecoderError: "it sent an answer that no request asked for"
        default: "\(error)"
        }
    }

    /// Why an answer is refused before its content is read; nil where it is not.
    static func refusal(of head: HTTPResponseHead, host: String) -> TransportError? {
        // What follows would be no HTTP, and the decoder reads nothing of it (RFC 9110 §7.8).
        if head.status == .switchingProtocols {
            return .init(
                .malformedResponse,
                "\(host) answered 101 and changed to another protocol, which the request did not ask for.",
                mayHaveBeenProcessed: true)
        }
        // RFC 9112 §7: only what a request's TE field names may be used besides chunks.
        let codings = head.headers[canonicalForm: "transfer-encoding"].map { $0.lowercased() }
        guard let coding = codings.first(where: { !["", "chunked", "identity"].contains($0) }) else { return nil }
        return .init(
            .malformedResponse,
            "\(host) coded its answer as “\(String(coding).printable)” (Transfer-Encoding), which was not asked for.",
            mayHaveBeenProcessed: true)
    }

    /// A server that expects TLS ends plain HTTP, in one way or another.
    static func hint(isPlain: Bool, _ progress: Progress) -> String {
        isPlain && progress.hasRequest && !progress.isProven
            ? " It was spoken to in plain HTTP: if it expects TLS, give its address with https://." : ""
    }

    /// What TLS says, in the terms of a transport; trust keeps its own error.
    static func describe(_ failure: TLSFailure, _ progress: Progress = .init()) -> any Error {
        let isRefusedFirst = failure.namesCertificate && !progress.isProven && !progress.hasAnswer
        let code: TransportError.Code =
            switch failure.reason {
            case .certificateRequired: .clientCertificateRequired
            case .certificateRefused: .clientCertificateRefused
            case .handshake where progress.isSecured: .connectionClosed
            case .unusableIdentity: .unusableIdentity
            case .untrusted, .handshake: .tlsHandshakeFailed
            }
        return failure.trustError
            ?? TransportError(
                code, failure.message, mayHaveBeenProcessed: progress.hasRequest && !isRefusedFirst,
                cause: failure.cause ?? failure)
    }

    /// An error while the channel was being opened.
    static func describe(connecting error: any Error, peer: Peer) -> any Error {
        if error is TransportError { return error }
        guard let failure = error as? NIOConnectionError else {
            if let failure = error as? TLSFailure { return describe(failure) }
            return TransportError(
                code(of: error), "There is no connection to \(peer): \(error).", cause: error)
        }
        let causes = failure.connectionErrors.map(\.error)
        if let unusable = causes.lazy.compactMap({ $0 as? TLSFailure }).first { return describe(unusable) }
        if causes.isEmpty {
            let reason = (failure.dnsAError ?? failure.dnsAAAAError).map { ": \(resolution($0))" } ?? ""
            return TransportError(
                .unknownHost,
                "\(peer.isProxy ? "The proxy" : "The host") \(peer.origin.host) has no address\(reason). Look at the spelling, the network and its name service.",
                cause: error)
        }
        // With several addresses the most telling answer counts: somebody was there and said no.
        let codes = causes.map(code)
        let order: [TransportError.Code] = [.connectionRefused, .connectTimeout, .networkUnreachable]
        let code = order.first(where: codes.contains) ?? .connectionClosed
        let message =
            switch code {
            case .connectionRefused:
                "\(peer.host) refuses connections on port \(peer.origin.port); is \(peer.isProxy ? "it" : "the service") running?"
            case .connectTimeout: "\(peer) did not answer in time; a firewall may be between."
            case .networkUnreachable: "There is no route to \(peer); is there a network?"
            default: "There is no connection to \(peer): \(causes.map { "\($0)" }.joined(separator: ", "))."
            }
        return TransportError(code, message, cause: error)
    }

    /// A name service may lead `localhost` elsewhere, and what is sent there is not meant to leave this machine (RFC 6761 §6.3).
    static func stranger(at address: SocketAddress?, peer: Peer) -> TransportError? {
        guard peer.origin.host == "localhost", let ip = address?.ipAddress,
            !Origin(scheme: .http, host: ip, port: peer.origin.port).isLoopback
        else { return nil }
        return TransportError(
            .networkUnreachable,
            "The name localhost leads to \(ip), which is not this machine; look at the network's name service and /etc/hosts."
        )
    }

    private static func resolution(_ error: any Error) -> String {
        (error as? SocketAddressError.UnknownHost)?.errorDescription ?? "\(error)"
    }

    private static func code(of error: any Error) -> TransportError.Code {
        switch error {
        case let error as IOError:
            switch error.errnoCode {
            // Of a socket in the file system: nobody has made it.
            case ECONNREFUSED, ENOENT: .connectionRefused
            case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, ENETDOWN, EHOSTDOWN, EACCES, EPERM: .networkUnreachable
            case ETIMEDOUT: .connectTimeout
            default: .connectionClosed
            }
        case ChannelError.connectTimeout: .connectTimeout
        default: .connectionClosed
        }
    }
}
