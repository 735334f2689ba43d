public import HTTPTypes
public import Logging

/// How calls of a service are made, whatever carries them: versions, deadlines, bounds, what goes with each call.
public struct CallSettings: Sendable {
    /// The version of SOAP to speak; nil for that of each operation.
    public var version: SOAPVersion?
    /// How long the parts of a call may take. They hold for each attempt of a call that a middleware repeats.
    public var deadlines = Deadlines()
    /// The largest answer accepted, in bytes of content, apart from attachments, which ``AttachmentLimits`` bounds.
    public var maximumResponseBytes = 64 << 20
    /// The largest answer that is taken while it arrives, with attachments or elements that are handed over, in bytes
    /// of content (``ClientRequest/maximumStreamedBytes``).
    public var maximumStreamedBytes: Int64 = 16 << 30
    /// Whether calls go on where the service sends them; not unless wanted.
    public var redirects = RedirectPolicy.refuse
    /// Bounds on the XML of an answer.
    public var xmlLimits = XMLLimits()
    /// Which deviations of an answer from what the WSDL says are taken; ``ServiceAnswer/deviations`` lists them.
    public var tolerance = XMLTolerance.standard
    /// Whether a message is read also where the service labels it with a media type other than XML's, such as `text/html`.
    /// An answer without a message stays refused.
    public var readsMislabelledAnswers = false
    /// Whether an input is checked against all that its schema says before it is sent: lengths, patterns, bounds, enumerations, how
    /// often elements may stand. It takes some microseconds for each hundred bytes.
    public var checksInput = false
    /// How binary content travels.
    public var attachments = AttachmentSettings()
    /// What every call must have, as the policies of a WSDL say; one that has it not ends with ``ServiceError`` and
    /// `unmetRequirement` before anything is sent. What an operation asks for itself is added.
    public var requirements: [ServiceRequirement] = []
    /// Requirements, of the calls or of single operations, that are met where Signet does not see it, or that the service does not
    /// insist on: calls are made without looking for them.
    public var metRequirements: Set<ServiceRequirement> = []
    /// HTTP fields sent with every call. Those that HTTP and SOAP need are set by Signet, and refused here.
    public var fields: HTTPFields = [:]
    /// Lets a field `Authorization`, of ``fields`` or of a middleware, travel over plain HTTP to another machine, where
    /// everybody on the way can read it. Over TLS, and on a way that does not leave this machine
    /// (``ClientTransport/isLocal(_:)``), it needs no leave. Credentials of the configuration have a leave of their
    /// own: `AuthenticationPolicy/allowsPlaintext`.
    public var allowsPlaintextCredentials = false
    /// Whether each caller that is made with these settings keeps cookies that the service sets in memory and gives them back to it, and
    /// to no other origin (RFC 6265), in a jar of its own unless there is one in ``cookies``. Clients made from one another share it.
    public var keepsCookies = false
    /// Keeps the cookies that services set and gives them back; shared by all copies of this value. Nil to ignore them.
    public var cookies: CookieJar?
    /// Header blocks sent with every call.
    public var headerBlocks: [HeaderBlock] = []
    /// Make header blocks for each attempt of a call, such as those of WS-Security.
    public var headerProviders: [any HeaderBlockProvider] = []
    /// Header blocks in answers that the program deals with itself although they must be understood.
    public var understoodHeaderBlocks: Set<XMLName> = []
    /// See the input, the output and the fault of every call, the first one outermost.
    public var middlewares: [any CallMiddleware] = []
    /// See the HTTP of every call, below ``middlewares`` and the envelope, the first one outermost.
    public var httpMiddlewares: [any ClientHTTPMiddleware] = []
    /// Calls at debug level, messages with their secrets replaced at trace level. Silent unless given.
    public var logger = Logger(label: "signet", factory: { _ in SwiftLogNoOpLogHandler() })
    /// Told of each exchange that was begun, once, when it has ended: with an answer, with an error, or because the task
    /// was cancelled. A call that a middleware repeats has several; one that ends before anything could be sent has
    /// none.
    public var onExchange: (@Sendable (ExchangeOutcome) -> Void)?

    /// The usual settings: redirects are refused, an answer has 64 MiB at most, nothing is logged, and no middleware
    /// sees a call.
    public init() {}

    mutating func openJar() {
        if keepsCookies, cookies == nil { cookies = CookieJar() }
    }
}

extension CallSettings: CustomStringConvertible, CustomReflectable {
    public var description: String { "settings of calls" }

    /// Fields and header blocks may be secret: their names are shown.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "version": version as Any, "deadlines": deadlines, "fields": fields.names,
                "headerBlocks": headerBlocks.map(\.localName), "cookies": cookies as Any,
                // What others have made may show anything.
                "headerProviders": headerProviders.map {
                    ($0 as? any CustomStringConvertible)?.description ?? "\(type(of: $0))"
                },
            ])
    }
}
