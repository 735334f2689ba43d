/// Something answered, but not as the WSDL says; or the call could not be put into an envelope or a request.
public struct ServiceError: Error, Sendable, CustomStringConvertible {
    /// New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The answer is of another kind, for example an HTML login page.
        public static let notSOAP = Code("notSOAP")
        /// The answer has no content.
        public static let emptyAnswer = Code("emptyAnswer")
        /// The service has moved, or asks to log in elsewhere. Signet follows no redirect: credentials and content would follow too.
        public static let redirected = Code("redirected")
        /// The server answered with an error status and no fault.
        public static let refused = Code("refused")
        /// The answer is XML that is not well-formed, or not what the WSDL promises. The cause is an `XMLError`.
        public static let malformedAnswer = Code("malformedAnswer")
        /// The envelope is of another version of SOAP. Where it holds a fault, that is the cause.
        public static let versionMismatch = Code("versionMismatch")
        /// The answer holds a header block that must be understood and is not. A fault that comes with one is thrown itself;
        /// ``SOAPFault/headerBlocks`` has the block.
        public static let headerNotUnderstood = Code("headerNotUnderstood")
        /// The input holds a text that XML cannot carry, and then the cause is an `XMLError`, or that has no place in the path of a
        /// call without SOAP. Nothing was sent.
        public static let unwritableInput = Code("unwritableInput")
        /// The input breaks a rule of its schema; ``ServiceError/violations`` lists all. Nothing was sent.
        public static let invalidInput = Code("invalidInput")
        /// The call lacks what the policies of the WSDL demand. Nothing was sent.
        public static let unmetRequirement = Code("unmetRequirement")
        /// The service is in the same process (``ServiceClient/init(inProcess:peer:)``) and has no handler for the
        /// operation. Nothing was sent.
        public static let noHandler = Code("noHandler")
        /// What is repeated in the messages of a call can be neither handed over nor sent piece by piece; the message
        /// says why. Nothing was sent.
        public static let unstreamable = Code("unstreamable")
        /// A middleware wants to repeat a call of which elements were handed over. Nothing was sent once more.
        public static let elementsTaken = Code("elementsTaken")
    }

    /// What came instead.
    public struct Answer: Sendable, Hashable {
        /// The HTTP status.
        public var status: Int
        /// The `Content-Type` field, if any.
        public var contentType: String?
        /// The beginning of the content, at most 200 bytes, control characters replaced.
        public var firstBytes: String
        /// The `Location` field of a redirect; only its origin where the call was one without SOAP, whose addresses hold the input.
        public var location: String?
        /// When the server wants to be asked again (RFC 9110 §10.2.3), if it says so.
        public var retryAfter: Duration?
        /// What it says of our certificate, if that is the reason.
        package var certificateRefusal: CertificateRefusal?
        /// The subject of the certificate that the connection was opened with.
        package var sentCertificate: String?
        /// The first line of the content, where that is no markup; at most 200 bytes, control characters replaced.
        package var firstLine = ""
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What happened, where, and what to do next.
    public var message: String
    /// What the service has sent; nil where the call ended before an answer came.
    public var answer: Answer?
    /// Also the fault in an answer that was refused for another reason, as its media type or a redirect.
    public var cause: (any Error)?
    /// The rules of its schema that an input breaks.
    public var violations: [XMLViolation] = []

    /// Where an answer that cannot be read departs from what the WSDL says, what is tolerated included; 1,000 at most.
    public var deviations: [XMLDeviation] { (cause as? XMLError)?.deviations ?? [] }

    package init(
        _ code: Code, _ message: String, answer: Answer? = nil, cause: (any Error)? = nil,
        violations: [XMLViolation] = []
    ) {
        self.violations = violations
        self.code = code
        self.message = message
        self.answer = answer
        self.cause = cause
    }

    public var description: String {
        guard let answer else { return message }
        // The beginning of XML may hold what only the caller may see; a page's is what the operator needs.
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
