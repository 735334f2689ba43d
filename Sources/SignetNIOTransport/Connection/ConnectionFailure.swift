import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOHTTPCompression
import NIOPosix
import NIOSSL
import SignetAuthentication
import SignetHTTP
import SignetNIOTLS
import SignetTLS

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Translates NIO's errors into the transport's.
enum ConnectionFailure {
    /// How far a connection had come when it failed.
    struct Progress: Equatable, Sendable {
        /// The client's TLS handshake has ended; in TLS 1.3 the server judges the client's certificate after that.
        var isSecured = false
        /// An earlier answer came, so the server has accepted the client.
        var isProven = false
        /// A request was written whose answer is not complete.
        var hasRequest = false
        /// A part of that answer has arrived.
        var hasAnswer = false
    }

    /// An error on an open channel.
    static func describe(_ error: any Error, host: String, tls: ClientTLS?, progress: Progress) -> any Error {
        if var failure = error as? TransportError {
            failure.mayHaveBeenProcessed = failure.mayHaveBeenProcessed || progress.hasRequest
            return failure
        }
        if let failure = tls?.failure(for: error) { return describe(failure, progress) }
        switch error {
        case is SurplusBytes:
            return TransportError(
                .malformedResponse,
                progress.isProven
                    ? "\(host) sent more than its answer."
                    : "\(host) sent data before the client sent a request. Check whether this port speaks \(tls == nil ? "HTTP without TLS" : "HTTP").",
                mayHaveBeenProcessed: progress.hasRequest, cause: error)
        case HTTPParserError.headerOverflow, is NIOHTTP2Errors.ExcessivelyLargeHeaderBlock:
            return largeHead(of: host, mayHaveBeenProcessed: progress.hasRequest, cause: error)
        case let problem as HTTP2PeerSettings.Problem:
            let what =
                switch problem {
                case .smallerWindow: "made the window of open streams smaller"
                case .largeTable: "asked for a table of fields of more than 1 MiB"
                }
            return TransportError(
                .malformedResponse,
                "\(host) \(what) in HTTP/2, which Signet does not support; try HTTP/1.1 (allowsHTTP2 = false; signet: --http1).",
                mayHaveBeenProcessed: progress.hasRequest, cause: error)
        case is any NIOHTTP2Error:
            return TransportError(
                .malformedResponse, "\(host) does not speak HTTP/2 as RFC 9113 defines it: \(defect(ofHTTP2: error)).",
                mayHaveBeenProcessed: progress.hasRequest, cause: error)
        case is NIOHTTPDecompression.DecompressionError, is NIOHTTPDecompression.ExtraDecompressionError:
            return TransportError(
                .malformedResponse, "The content of the answer of \(host) is not compressed as it says: \(error).",
                mayHaveBeenProcessed: progress.hasRequest, cause: error)
        case HTTPParserError.invalidEOFState, HTTPParserError.closedConnection, NIOSSLError.uncleanShutdown:
            return TransportError(
                .connectionClosed,
                "\(host) closed the connection before the answer was complete.\(hint(tls, progress))",
                mayHaveBeenProcessed: progress.hasRequest, cause: evidence(tls, error, progress))
        case is HTTPParserError, is NIOHTTPDecoderError:
            return TransportError(
                .malformedResponse,
                "\(host) does not speak HTTP as RFC 9112 defines it: \(defect(error)).\(isNoHTTP(error) ? hint(isPlain: tls == nil, progress) : "")",
                mayHaveBeenProcessed: progress.hasRequest, cause: error)
        default:
            return TransportError(
                .connectionClosed,
                "The connection to \(host) broke: \(error.socketReason).\(hint(tls, progress))",
                mayHaveBeenProcessed: progress.hasRequest, cause: evidence(tls, error, progress))
        }
    }

    /// The cause of an error after which no answer came: over TLS, with what is known of the handshake.
    private static func evidence(_ tls: ClientTLS?, _ error: (any Error)?, _ progress: Progress) -> (any Error)? {
        guard var evidence = tls?.evidence(cause: error), !progress.hasAnswer, !progress.isProven else { return error }
        evidence.isFinished = progress.isSecured
        return evidence
    }

    /// The channel closed before the end of an answer, without an error in the pipeline.
    static func closedEarly(by host: String, tls: ClientTLS?, progress: Progress) -> TransportError {
        .init(
            .connectionClosed, "\(host) closed the connection before the answer was complete.\(hint(tls, progress))",
            mayHaveBeenProcessed: progress.hasRequest, cause: evidence(tls, nil, progress))
    }

    /// The limit of fields in an answer.
    static let maximumFields = 1_000

    /// Whether the answer does not even begin like HTTP.
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
            "a field is not “name: value” on one line; a folded line or a space before the colon is refused (RFC 9112 §5)"
        case HTTPParserError.invalidChunkSize:
            "the size of a chunk is not a hexadecimal number alone; white space around it is refused (RFC 9112 §7.1)"
        case HTTPParserError.strictModeAssertion: "the data of a chunk does not end with its size (RFC 9112 §7.1)"
        case HTTPParserError.lfExpected: "a line does not end with CR and LF (RFC 9112 §2.2)"
        case HTTPParserError.invalidContentLength:
            "Content-Length is not a number, or is given twice (RFC 9112 §6.3)"
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

    /// NIO's name of an error of HTTP/2, as words: “excessive control frames”.
    private static func defect(ofHTTP2 error: any Error) -> String {
        let name = "\(type(of: error))"
        return name.matches(of: /[A-Z]+(?![a-z])|[A-Z][a-z]*/).map {
            $0.output.count > 1 && $0.output.allSatisfy(\.isUppercase) ? String($0.output) : $0.output.lowercased()
        }.joined(separator: " ")
    }

    /// The head of an answer is beyond the limits.
    static func largeHead(
        of host: String, mayHaveBeenProcessed: Bool, cause: (any Error)? = nil
    ) -> TransportError {
        TransportError(
            .responseTooLarge,
            "The answer of \(host) has more than \(maximumFields) fields, or larger ones than allowed (maximumFieldBytes).",
            mayHaveBeenProcessed: mayHaveBeenProcessed, cause: cause)
    }

    /// Why an answer is refused before its content is read; nil when it is not refused.
    static func refusal(of head: HTTPResponseHead, host: String) -> TransportError? {
        // The bytes that follow are not HTTP, and the decoder does not read them (RFC 9110 §7.8).
        if head.status == .switchingProtocols {
            return .init(
                .malformedResponse,
                "\(host) answered 101 and changed to another protocol, which the request did not ask for.",
                mayHaveBeenProcessed: true)
        }
        // RFC 9112 §7: a server may use codings other than chunks only when the TE field of the request names them.
        let codings = head.headers[canonicalForm: "transfer-encoding"].map { $0.lowercased() }
        guard let coding = codings.first(where: { !["", "chunked", "identity"].contains($0) }) else { return nil }
        return .init(
            .malformedResponse,
            "\(host) coded its answer as “\(String(coding).printable)” (Transfer-Encoding), which was not asked for.",
            mayHaveBeenProcessed: true)
    }

    /// What may be the reason of an end without an error.
    private static func hint(_ tls: ClientTLS?, _ progress: Progress) -> String {
        if tls?.outcome.clientCertificateRequested == true, tls?.sentCertificate == nil {
            return " It had asked for a client certificate and got none."
        }
        return progress.hasAnswer ? "" : hint(isPlain: tls == nil, progress)
    }

    /// Advice for a server that expects TLS: such servers end a plain HTTP connection in different ways.
    static func hint(isPlain: Bool, _ progress: Progress) -> String {
        isPlain && progress.hasRequest && !progress.isProven
            ? " The client spoke plain HTTP to it: if it expects TLS, give its address with https://." : ""
    }

    /// A TLS failure as a transport error. A trust error stays as it is.
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
        var cause = failure.cause ?? failure
        if var evidence = cause as? HandshakeFailure {
            evidence.isFinished = progress.isSecured
            cause = evidence
        }
        return failure.trustError
            ?? TransportError(
                code, failure.message, mayHaveBeenProcessed: progress.hasRequest && !isRefusedFirst, cause: cause)
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
                "\(peer.isProxy ? "The proxy" : "The host") \(peer.origin.host) has no address\(reason). Check the spelling, the network and its name service.",
                cause: error)
        }
        // Of several addresses, the most informative result counts: a host that refused the connection was at least
        // reached.
        let codes = causes.map(code)
        let order: [TransportError.Code] = [.connectionRefused, .connectTimeout, .networkUnreachable]
        let code = order.first(where: codes.contains) ?? .connectionClosed
        let message =
            switch code {
            case .connectionRefused:
                "\(peer.host) refuses connections on port \(peer.origin.port); is \(peer.isProxy ? "it" : "the service") running?"
            case .connectTimeout: "\(peer) did not answer in time; a firewall may be between."
            case .networkUnreachable: "There is no route to \(peer); is there a network?"
            default: "There is no connection to \(peer): \(causes.map(\.socketReason).joined(separator: ", "))."
            }
        return TransportError(code, message, cause: error)
    }

    /// A name service may resolve `localhost` to another machine, but what is sent there must stay on this one (RFC
    /// 6761 §6.3).
    static func foreignLocalhost(at address: SocketAddress?, peer: Peer) -> TransportError? {
        guard peer.origin.host == "localhost", let ip = address?.ipAddress,
            !Origin(scheme: .http, host: ip, port: peer.origin.port).isLoopback
        else { return nil }
        return TransportError(
            .networkUnreachable,
            "The name localhost leads to \(ip), which is not this machine; check the network's name service and /etc/hosts."
        )
    }

    private static func resolution(_ error: any Error) -> String {
        (error as? SocketAddressError.UnknownHost)?.errorDescription ?? "\(error)"
    }

    private static func code(of error: any Error) -> TransportError.Code {
        switch error {
        case let error as IOError:
            switch error.errnoCode {
            // For a socket in the file system this means that no program has created it.
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
