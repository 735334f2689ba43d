public import HTTPTypes

/// Carries one HTTP exchange: a request out, an answer back.
///
/// A transport owns connections, TLS, proxies and HTTP authentication. It knows nothing of XML. Implementations must
/// honour task cancellation and the deadlines of the call, never follow a redirect, and never send a request a second
/// time that may have reached the server, unless its method is safe (RFC 9110 §9.2.1) or only an authentication leg is repeated.
public protocol ClientTransport: Sendable {
    /// Sends `request` with `body` and returns the whole answer, whatever its status. Its content goes to
    /// ``ClientRequest/contentReceiver`` where that wants it.
    ///
    /// - Throws: ``TransportError``, or the module's own error when trust or authentication failed; `CancellationError` is
    ///   reported as ``TransportError`` with the code `cancelled`.
    func send(_ request: ClientRequest) async throws -> ClientResponse

    /// Opens connections before they are needed: names are resolved and TLS is spoken, nothing is asked for. A transport that
    /// cannot do so does nothing.
    ///
    /// - Parameters:
    ///   - count: of all connections to the origin, the idle ones included; more than the limits allow are not opened.
    ///   - deadlines: those of ``Deadlines/connect`` and ``Deadlines/total`` for each.
    /// - Throws: what a call would throw that could get no connection. Those that could be opened are kept.
    func warmUp(_ endpoint: Endpoint, connections count: Int, deadlines: Deadlines) async throws

    /// Lends no connection that is open now to a further call: idle ones are closed, others when their call is over. For an
    /// identity that was replaced, or a network that changed. A transport that keeps no connections does nothing.
    func renewConnections()

    /// Keeps no connection from now on: idle ones are closed, others when their call is over, and none is opened ahead of need. For an
    /// app that is about to be suspended, whose connections do not outlive that, and would fail the first call afterwards. Calls are made as
    /// before. A transport that keeps no connections, or whose system sees to that, does nothing.
    func suspendConnections()

    /// Keeps connections again after ``suspendConnections()``, and opens those that are to be open ahead of need. None that was open
    /// before is used: the network may be another one.
    func resumeConnections()

    /// Closes every connection. Calls in flight fail.
    func shutdown() async throws

    /// Whether what is sent to an origin does not leave this machine: it goes to a loopback address or a socket in the file system, and
    /// no proxy is on the way. A transport that does not know says no, and what a password can be guessed from is not sent over
    /// plain HTTP without leave.
    func isLocal(_ origin: Origin) -> Bool

    /// What the transport has to prove with at an origin, so that a call that would be refused without it ends before anything is sent.
    /// Nil where the transport does not know.
    func proofs(at origin: Origin) -> ClientProofs?

    /// How many connections there are now, for operators. Nil where the transport does not know.
    var connectionCounts: ConnectionCounts? { get }
}

/// How many connections a transport has at one time, to all origins together.
public struct ConnectionCounts: Sendable, Hashable {
    /// Those that carry a call.
    public var lent = 0
    /// Those that stand open for a further call.
    public var idle = 0
    /// Those that are being opened.
    public var opening = 0
    /// Calls that wait, because there are as many connections as may be.
    public var waiting = 0

    /// No connections and no calls.
    public init() {}
}

/// What a client has to prove with who it is; whether a server asks for it is another matter.
public struct ClientProofs: Sendable, Hashable {
    /// Whether there is a client certificate.
    public var hasIdentity: Bool
    /// Whether there are credentials for HTTP authentication.
    public var hasCredentials: Bool

    /// For a transport of your own to say what it has at an origin (``ClientTransport/proofs(at:)``).
    public init(hasIdentity: Bool, hasCredentials: Bool) {
        self.hasIdentity = hasIdentity
        self.hasCredentials = hasCredentials
    }
}

extension ClientTransport {
    public func warmUp(_ endpoint: Endpoint, connections count: Int, deadlines: Deadlines) async throws {}
    public func renewConnections() {}
    public func suspendConnections() {}
    public func resumeConnections() {}
    public func isLocal(_ origin: Origin) -> Bool { false }
    public func proofs(at origin: Origin) -> ClientProofs? { nil }
    public var connectionCounts: ConnectionCounts? { nil }
}

/// A request on its way to a transport.
public struct ClientRequest: Sendable {
    /// Where the request goes; its origin decides which connections, credentials and proxies are used.
    public var endpoint: Endpoint
    /// What is asked for at the origin, always beginning with `/`: the path of ``endpoint``, unless a call puts something behind
    /// it. It may hold values that are secret, so that no description, log or error repeats it.
    public var path: String
    /// `POST` unless given. Only a request with a safe method may be sent again when its connection was lost (RFC 9110
    /// §9.2.1).
    public var method: HTTPRequest.Method
    /// Fields of the caller; the transport adds `Host`, `Content-Length` and what authentication asks for.
    public var fields: HTTPFields
    /// The content. One that is not replayable cannot be sent again when the server asks for credentials or redirects.
    public var body: HTTPBody
    /// How long the parts of this exchange may take. One that passes ends it with ``TransportError``.
    public var deadlines: Deadlines
    /// The largest answer that is kept in memory, in bytes of content; a larger one ends the call with `responseTooLarge`.
    public var maximumResponseBytes: Int
    /// Takes the content while it arrives, if it wants it; ``ClientResponse/body`` is empty then. ``Deadlines/read`` does not count
    /// while it works, ``Deadlines/total`` does.
    public var contentReceiver: (any ContentReceiver)?
    /// The largest answer that is handed to ``contentReceiver``, in bytes of content after decompression; a larger one ends the call
    /// with `responseTooLarge` as soon as that is known. 16 GiB unless changed.
    public var maximumStreamedBytes: Int64 = 16 << 30
    /// Gets what is known of an exchange that ends with an error, before the error is thrown. Transports need not call
    /// it.
    package var failureReport: (@Sendable (ExchangeReport) -> Void)?

    /// A request for the path of `endpoint`.
    ///
    /// - Parameter maximumResponseBytes: 64 MiB unless given.
    public init(
        _ endpoint: Endpoint, method: HTTPRequest.Method = .post, fields: HTTPFields = [:], body: HTTPBody = [],
        deadlines: Deadlines = .init(), maximumResponseBytes: Int = 64 << 20
    ) {
        self.endpoint = endpoint
        path = endpoint.path
        self.method = method
        self.fields = fields
        self.body = body
        self.deadlines = deadlines
        self.maximumResponseBytes = maximumResponseBytes
    }
}

/// A complete answer and how it was obtained.
public struct ClientResponse: Sendable {
    /// The status of the last answer, an error of the server included. What it means is for the caller to judge.
    public var status: HTTPResponse.Status
    /// The fields of the answer. They may hold secrets, such as cookies.
    public var fields: HTTPFields
    /// Empty where ``ClientRequest/contentReceiver`` took it.
    public var body: [UInt8]
    /// How the answer was obtained; empty where the transport does not tell.
    public var report: ExchangeReport
    /// What took the content, for the caller that gave it to the transport.
    package var contentReceiver: (any ContentReceiver)?

    /// An answer, for a transport of your own to give.
    public init(
        status: HTTPResponse.Status, fields: HTTPFields = [:], body: [UInt8] = [], report: ExchangeReport = .init()
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.report = report
    }
}

// Fields may hold credentials and cookies, content may hold anything: descriptions tell names and sizes.

extension ClientRequest: CustomStringConvertible, CustomReflectable {
    public var description: String {
        "\(method) \(endpoint) (\(fields.names), \(body.count.map { "\($0) bytes" } ?? "content of unknown length"))"
    }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ClientResponse: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(status.code) (\(fields.names), \(body.count) bytes)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPFields {
    /// The names of the fields, for descriptions.
    package var names: String { isEmpty ? "no fields" : map(\.name.rawName).joined(separator: ", ") }
}
