public import HTTPTypes
public import Logging

/// How a client makes calls, whatever transport carries them: versions, deadlines, limits, and what is sent with each
/// call.
public struct CallSettings: Sendable {
    /// The version of SOAP to use; nil for that of each operation.
    public var version: SOAPVersion?
    /// How long the parts of a call may take. The deadlines apply to each attempt of a call that a middleware repeats.
    public var deadlines = Deadlines()
    /// The largest answer accepted, in bytes of content, without attachments, which ``AttachmentLimits`` limits.
    public var maximumResponseBytes = 64 << 20
    /// The largest answer accepted, in bytes of content, when it is processed while it arrives, because it has
    /// attachments or its elements are handed over (``/SignetHTTP/ClientRequest/maximumStreamedBytes``).
    public var maximumStreamedBytes: Int64 = 16 << 30
    /// Whether calls follow redirects of the service. They do not unless this is set.
    public var redirects = RedirectPolicy.refuse
    /// The limits of the XML of an answer.
    public var xmlLimits = XMLLimits()
    /// Which deviations of an answer from the WSDL are tolerated; ``ServiceAnswer/deviations`` lists them.
    public var tolerance = XMLTolerance.standard
    /// Whether a message is read even when the service labels it with a media type other than XML's, such as
    /// `text/html`. An answer without a message stays refused.
    public var readsMislabelledAnswers = false
    /// Whether an input is checked against all rules of its schema before it is sent: lengths, patterns, ranges,
    /// enumerations, numbers of occurrences. The check takes some microseconds for each hundred bytes.
    public var checksInput = false
    /// How binary content is sent.
    public var attachments = AttachmentSettings()
    /// What every call must have according to the policies of a WSDL. A call without it throws ``ServiceError`` with
    /// `unmetRequirement` before anything is sent. The requirements of an operation are added to these.
    public var requirements: [ServiceRequirement] = []
    /// Further requirements of single operations, by the operation's name (``ServicePort/operations``).
    public var operationRequirements: [String: [ServiceRequirement]] = [:]
    /// Requirements, of all calls or of single operations, that are not checked: those that are met where Signet cannot
    /// see it, or that the service does not enforce.
    public var uncheckedRequirements: Set<ServiceRequirement> = []
    /// HTTP fields sent with every call. Signet sets the fields that HTTP and SOAP need, and refuses them here.
    public var fields: HTTPFields = [:]
    /// Allows a field `Authorization`, of ``fields`` or of a middleware, to be sent over plain HTTP to another machine,
    /// where an attacker on the network path can read it. Over TLS, and on a connection that does not leave this
    /// machine (``/SignetHTTP/ClientTransport/isLocal(_:)``), it needs no permission. Credentials of the configuration
    /// have a permission of their own: `AuthenticationPolicy.allowsPlaintext`.
    public var allowsPlaintextCredentials = false
    /// Whether calls keep the cookies of the service and return them. They do not unless this is set.
    public var cookies = CookiePolicy.ignored
    /// Header blocks sent with every call.
    public var headerBlocks: [HeaderBlock] = []
    /// Providers that make header blocks for each attempt of a call, such as those of WS-Security.
    public var headerProviders: [any HeaderBlockProvider] = []
    /// Header blocks in answers that must be understood and that the program processes itself.
    public var understoodHeaderBlocks: Set<XMLName> = []
    /// The middlewares that see the input, the output and the fault of every call, the first one outermost.
    public var middlewares: [any CallMiddleware] = []
    /// The middlewares that see the HTTP of every call, below ``middlewares`` and the envelope, the first one
    /// outermost.
    public var httpMiddlewares: [any ClientHTTPMiddleware] = []
    /// The logger. Calls are logged at debug level, messages with their secrets replaced at trace level. Nothing is
    /// logged unless a logger is set.
    public var logger = Logger(label: "signet", factory: { _ in SwiftLogNoOpLogHandler() })
    /// Called once for each exchange that was begun, when it has ended: with an answer, with an error, or because the
    /// task was cancelled. A call that a middleware repeats has several exchanges; a call that ends before anything
    /// could be sent has none.
    public var onExchange: (@Sendable (ExchangeOutcome) -> Void)?

    /// Makes the usual settings: redirects are refused, an answer has 64 MiB at most, nothing is logged, and there are
    /// no middlewares.
    public init() {}
}

extension CallSettings: CustomStringConvertible, CustomReflectable {
    public var description: String { "settings of calls" }

    /// Fields and header blocks may be secret: only their names are shown.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "version": version as Any, "deadlines": deadlines, "fields": fields.names,
                "headerBlocks": headerBlocks.map(\.localName), "cookies": cookies,
                "allowsPlaintextCredentials": allowsPlaintextCredentials,
                "uncheckedRequirements": uncheckedRequirements.map(\.description).sorted(),
                // A description of a type from outside this library might show secrets.
                "headerProviders": headerProviders.map {
                    ($0 as? any CustomStringConvertible)?.description ?? "\(type(of: $0))"
                },
            ])
    }
}
