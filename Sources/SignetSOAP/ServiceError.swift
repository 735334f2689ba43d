/// An answer that does not follow the WSDL, or a call that could not be put into an envelope or a request.
public struct ServiceError: Error, Sendable, CustomStringConvertible {
    /// New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The answer is of another kind, for example an HTML login page.
        public static let notSOAP = Code("notSOAP")
        /// The answer has no content.
        public static let emptyAnswer = Code("emptyAnswer")
        /// The service has moved, or redirects to a login, and the client did not follow the redirect:
        /// ``CallSettings/redirects`` refuses it, as it refuses every redirect by default, or it is one that
        /// ``/SignetHTTP/RedirectPolicy`` never allows.
        public static let redirected = Code("redirected")
        /// The server answered with an error status and no fault.
        public static let refused = Code("refused")
        /// The answer is XML that is not well-formed, or not what the WSDL declares. The cause is an `XMLError`.
        public static let malformedAnswer = Code("malformedAnswer")
        /// The envelope has another version of SOAP. If it contains a fault, that fault is the cause.
        public static let versionMismatch = Code("versionMismatch")
        /// The answer has a header block that must be understood and that the client does not know. If a fault comes
        /// with such a block, the fault itself is thrown; ``SOAPFault/headerBlocks`` has the block.
        public static let headerNotUnderstood = Code("headerNotUnderstood")
        /// The answer is a fault that a header provider could not verify; ``ServiceError/cause`` is the provider's error. An
        /// attacker on the network path could have written it.
        public static let unverifiedFault = Code("unverifiedFault")
        /// The input has a text that XML cannot represent (the cause is then an `XMLError`), or that has no place in
        /// the path of a call without SOAP. Nothing was sent.
        public static let unwritableInput = Code("unwritableInput")
        /// The input breaks a rule of its schema; ``ServiceError/violations`` lists all. Nothing was sent.
        public static let invalidInput = Code("invalidInput")
        /// The call lacks what the policies of the WSDL demand. Nothing was sent.
        public static let unmetRequirement = Code("unmetRequirement")
        /// The service is in the same process (``ServiceClient/init(inProcess:peer:)-([ServiceRoute],_)``) and has no
        /// handler for the operation. Nothing was sent.
        public static let noHandler = Code("noHandler")
        /// The repeated elements of the messages can be neither handed over nor sent piece by piece; the message says
        /// why. Nothing was sent.
        public static let unstreamable = Code("unstreamable")
        /// A middleware tried to repeat a call whose elements were handed over already. The call was not sent again.
        public static let elementsTaken = Code("elementsTaken")
    }

    /// The answer that came instead.
    public struct ReceivedResponse: Sendable, Hashable {
        /// The HTTP status.
        public var status: Int
        /// The `Content-Type` field, if any.
        public var contentType: String?
        /// The beginning of the content, at most 200 bytes, control characters replaced.
        public var firstBytes: String
        /// The `Location` field of a redirect; only its origin for a call without SOAP, whose addresses contain the
        /// input.
        public var location: String?
        /// How long the server wants the client to wait (RFC 9110 §10.2.3), if it says so.
        public var retryAfter: Duration?
        /// What the server reports about the client certificate, if that is the reason.
        package var certificateRefusal: CertificateRefusal?
        /// The subject of the client certificate with which the connection was opened.
        package var sentCertificate: String?
        /// When that certificate expires, in seconds since 1970.
        package var sentCertificateNotAfter: Int64?
        /// Whether an earlier call opened the connection.
        package var isOverReusedConnection = false
        /// The first line of the content, if it is no markup; at most 200 bytes, control characters replaced.
        package var firstLine = ""

        /// - Parameters:
        ///   - status: the HTTP status.
        ///   - contentType: the `Content-Type` field, if any.
        ///   - firstBytes: the beginning of the content.
        ///   - location: the `Location` field of a redirect, if any.
        ///   - retryAfter: how long the server wants the client to wait; nil when it does not say so.
        public init(
            status: Int, contentType: String? = nil, firstBytes: String = "", location: String? = nil,
            retryAfter: Duration? = nil
        ) {
            self.status = status
            self.contentType = contentType
            self.firstBytes = firstBytes
            self.location = location
            self.retryAfter = retryAfter
        }
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What happened, where, and what to do next.
    public var message: String
    /// The answer of the service; nil when the call ended before an answer came.
    public var answer: ReceivedResponse?
    /// The cause; also the fault in an answer that was refused for another reason, such as its media type or a
    /// redirect.
    public var cause: (any Error)?
    /// The rules of its schema that an input breaks.
    public var violations: [XMLViolation]

    /// Where an unreadable answer departs from the WSDL, including what is tolerated; 1,000 at most.
    public var deviations: [XMLDeviation] { (cause as? XMLError)?.deviations ?? [] }

    /// An error of your own code, such as a middleware or a test.
    ///
    /// - Parameters:
    ///   - code: the reason.
    ///   - message: what happened, where, and what to do next; it must not contain a secret.
    ///   - answer: the answer of the service; nil when the call ended before an answer came.
    ///   - violations: the rules of its schema that an input breaks.
    ///   - cause: the error that led to this one; nil when there was no other error.
    public init(
        _ code: Code, _ message: String, answer: ReceivedResponse? = nil, violations: [XMLViolation] = [],
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.answer = answer
        self.violations = violations
        self.cause = cause
    }

    public var description: String {
        guard let answer else { return message }
        // The beginning of XML may contain data that only the caller may see, whereas the operator needs the beginning
        // of a page.
        let isShown =
            !answer.firstBytes.isEmpty && answer.contentType.map { MediaType($0).isXML } == false
            && !answer.firstBytes.contains("Envelope")
        let begins = isShown ? ", beginning “\(answer.firstBytes)”" : ""
        return "\(message) (status \(answer.status), \(answer.contentType ?? "no content type")\(begins))"
    }
}

extension ServiceError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
