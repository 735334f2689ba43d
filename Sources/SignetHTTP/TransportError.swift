/// The error of a call that got no answer.
public struct TransportError: Error, Sendable, CustomStringConvertible {
    /// Why there was no answer. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The host name has no address.
        public static let unknownHost = Code("unknownHost")
        /// The host refused the connection: no program listens on the port.
        public static let connectionRefused = Code("connectionRefused")
        /// There is no route: no network, or a firewall that reports this.
        public static let networkUnreachable = Code("networkUnreachable")
        /// ``Deadlines/connect`` passed before the connection was open.
        public static let connectTimeout = Code("connectTimeout")
        /// ``Deadlines/read`` passed without a byte from the server.
        public static let readTimeout = Code("readTimeout")
        /// ``Deadlines/total`` passed.
        public static let deadlineExceeded = Code("deadlineExceeded")
        /// The task was cancelled.
        public static let cancelled = Code("cancelled")
        /// The peer closed the connection before the answer was complete.
        public static let connectionClosed = Code("connectionClosed")
        /// The answer is larger than the call allows.
        public static let responseTooLarge = Code("responseTooLarge")
        /// The peer does not speak HTTP, or breaks its rules.
        public static let malformedResponse = Code("malformedResponse")
        /// The TLS handshake failed for a reason other than trust.
        public static let tlsHandshakeFailed = Code("tlsHandshakeFailed")
        /// The client's own certificate cannot be used: it is expired, not yet valid, or not for clients. The client
        /// did not connect, or did not show it. The cause gives the problem.
        public static let unusableIdentity = Code("unusableIdentity")
        /// The server requires a client certificate, and the client has none for it.
        public static let clientCertificateRequired = Code("clientCertificateRequired")
        /// The server refused the client certificate.
        public static let clientCertificateRefused = Code("clientCertificateRefused")
        /// The proxy was reached, but opens no tunnel to the origin.
        public static let proxyRefused = Code("proxyRefused")
        /// The request itself cannot be sent: a field with a line break, an unknown method, or a name that is too long.
        public static let invalidRequest = Code("invalidRequest")
        /// The content of the request could not be written as announced; see ``TransportError/cause``.
        public static let contentFailed = Code("contentFailed")
        /// ``ClientRequest/contentReceiver`` did not take the content of the answer; see ``TransportError/cause``.
        public static let contentRefused = Code("contentRefused")
        /// The request has to be sent again, and its content is not replayable (``HTTPBody/isReplayable``).
        public static let contentUsed = Code("contentUsed")
        /// The transport was shut down.
        public static let shutDown = Code("shutDown")
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What happened, where, and what to do next.
    public var message: String
    /// True when the server may have acted on the request although no answer came. Find out before you send it again.
    public var mayHaveBeenProcessed: Bool
    /// The error of the system, of TLS or of the caller's own code that led to this one; nil when there was no other
    /// error.
    public var cause: (any Error)?

    /// An error of your own transport.
    ///
    /// - Parameters:
    ///   - code: the reason.
    ///   - message: what happened, where, and what to do next; it must not contain a secret.
    ///   - mayHaveBeenProcessed: false only when the server has certainly not acted on the request: such calls may be
    ///     repeated.
    ///   - cause: the error that led to this one; nil when there was no other error.
    public init(_ code: Code, _ message: String, mayHaveBeenProcessed: Bool = false, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.mayHaveBeenProcessed = mayHaveBeenProcessed
        self.cause = cause
    }

    public var description: String {
        "\(message)\(mayHaveBeenProcessed ? " The server may have processed the request." : "")"
    }
}

extension TransportError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

extension TransportError {
    package static func cancelled(mayHaveBeenProcessed: Bool = false) -> Self {
        .init(.cancelled, "The call was cancelled.", mayHaveBeenProcessed: mayHaveBeenProcessed)
    }

    package static func shutDown(mayHaveBeenProcessed: Bool = false) -> Self {
        .init(
            .shutDown, "The transport was shut down; make a new one for further calls.",
            mayHaveBeenProcessed: mayHaveBeenProcessed)
    }
}
