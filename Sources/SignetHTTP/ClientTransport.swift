public import HTTPTypes

/// Carries out an HTTP exchange: it sends a request and returns the answer.
///
/// A transport owns connections, TLS, proxies and HTTP authentication. It knows nothing about XML. Implementations must
/// honour task cancellation and the deadlines of the call. They must never follow a redirect. They must never send a
/// request again that may have reached the server, unless its method is safe (RFC 9110 §9.2.1) or only an
/// authentication leg is repeated.
public protocol ClientTransport: Sendable {
    /// Sends `request` and returns the complete answer, whatever its status. The content goes to
    /// ``ClientRequest/contentReceiver`` if that takes it.
    ///
    /// - Throws: ``TransportError``, or the error of another module when trust or authentication failed.
    ///   `CancellationError` is reported as ``TransportError`` with the code `cancelled`.
    func send(_ request: ClientRequest) async throws -> ClientResponse

    /// Opens connections in advance: names are resolved and TLS is negotiated, but no request is sent. A transport that
    /// cannot do this does nothing.
    ///
    /// - Parameters:
    ///   - endpoint: an address of the origin to which the connections lead.
    ///   - count: the number of connections to the origin, idle ones included. No more than the limits allow are
    ///     opened.
    ///   - deadlines: ``Deadlines/connect`` and ``Deadlines/total`` apply to each connection.
    /// - Throws: the error of a call that could get no connection. The connections that were opened are kept.
    func warmUp(_ endpoint: Endpoint, connections count: Int, deadlines: Deadlines) async throws

    /// Makes sure that no further call uses a connection that is open now: idle ones are closed, others when their call
    /// has ended. Call it after the identity or the network has changed. A transport that keeps no connections does
    /// nothing.
    func renewConnections()

    /// Keeps no connections from now on: idle ones are closed, others when their call has ended, and none is opened in
    /// advance. Call it before an app is suspended: its connections do not survive that, and the first call afterwards
    /// would fail. Calls remain possible. A transport that keeps no connections, or whose system handles this, does
    /// nothing.
    func suspendConnections()

    /// Keeps connections again after ``suspendConnections()``, and opens those that should be open in advance. No
    /// connection that was open before is used, since the device may be in another network.
    func resumeConnections()

    /// Closes every connection. Calls in progress fail.
    func shutdown() async throws

    /// Whether data sent to an origin stays on this machine: it goes to a loopback address or a socket in the file
    /// system, and no proxy is on the way. A transport that does not know returns false; the client then needs
    /// permission before it sends anything over plain HTTP from which a password can be guessed.
    func isLocal(_ origin: Origin) -> Bool

    /// What the transport can prove at an origin. A call that would be refused without such a proof then ends before
    /// anything is sent. Nil if the transport does not know.
    func proofs(at origin: Origin) -> ClientProofs?

    /// How many connections there are now, for operators. Nil if the transport does not know.
    var connectionCounts: ConnectionCounts? { get }
}

/// The number of connections of a transport at one time, to all origins together.
public struct ConnectionCounts: Sendable, Hashable {
    /// Connections that carry a call.
    public var lent = 0
    /// Connections that are open for a further call.
    public var idle = 0
    /// Connections that are being opened.
    public var opening = 0
    /// Calls that wait because the limit of connections is reached.
    public var waiting = 0

    /// No connections and no calls.
    public init() {}
}

/// How a client can prove who its user is. Whether a server asks for a proof is a separate question.
public struct ClientProofs: Sendable, Hashable {
    /// Whether there is a client certificate.
    public var hasIdentity: Bool
    /// Whether there are credentials for HTTP authentication.
    public var hasCredentials: Bool

    /// Tells what your own transport has at an origin (``ClientTransport/proofs(at:)``).
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

/// A request for a transport.
public struct ClientRequest: Sendable {
    /// Where the request goes; its origin decides which connections, credentials and proxies are used.
    public var endpoint: Endpoint
    /// The request target at the origin, always beginning with `/`: the path of ``endpoint``, unless a call appends
    /// something. It may contain secret values, so no description, log or error repeats it.
    public var path: String
    /// `POST` by default. Only a request with a safe method may be sent again when its connection was lost (RFC 9110
    /// §9.2.1).
    public var method: HTTPRequest.Method
    /// The caller's fields. The transport adds `Host`, `Content-Length` and the fields for authentication.
    public var fields: HTTPFields
    /// The content. If it is not replayable, it cannot be sent again when the server asks for credentials or redirects.
    public var body: HTTPBody
    /// How long the parts of this exchange may take. The exchange ends with ``TransportError`` when one passes.
    public var deadlines: Deadlines
    /// The largest answer that is kept in memory, in bytes of content. A larger one ends the call with
    /// `responseTooLarge`.
    public var maximumResponseBytes: Int
    /// Takes the content as it arrives, if it wants to; ``ClientResponse/body`` is empty then. While it works,
    /// ``Deadlines/total`` counts and ``Deadlines/read`` does not.
    public var contentReceiver: (any ContentReceiver)?
    /// The largest answer for ``contentReceiver``, in bytes of content after decompression. A larger one ends the call
    /// with `responseTooLarge` as soon as that is known. 16 GiB by default.
    public var maximumStreamedBytes: Int64 = 16 << 30
    /// Whether a challenge (401) is an answer like others, because the caller authenticates itself; a field `Authorization` has the
    /// same effect.
    package var callerHandlesCredentials = false
    /// Gets the report of an exchange that ends with an error, before the error is thrown. A transport need not call
    /// it.
    package var failureReport: (@Sendable (ExchangeReport) -> Void)?

    /// A request for the path of `endpoint`.
    ///
    /// - Parameters:
    ///   - endpoint: where the request goes.
    ///   - method: the method; `POST` by default.
    ///   - fields: the caller's fields; the transport adds its own.
    ///   - body: the content; empty by default.
    ///   - deadlines: how long the parts of the exchange may take.
    ///   - maximumResponseBytes: 64 MiB by default.
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
    /// The status of the last answer, which may be an error of the server. The caller decides what it means.
    public var status: HTTPResponse.Status
    /// The fields of the answer. They may hold secrets, such as cookies.
    public var fields: HTTPFields
    /// Empty if ``ClientRequest/contentReceiver`` took the content.
    public var body: [UInt8]
    /// How the answer was obtained; empty if the transport does not report it.
    public var report: ExchangeReport
    /// The receiver that took the content, for the caller that gave it to the transport.
    package var contentReceiver: (any ContentReceiver)?

    /// An answer of your own transport.
    public init(
        status: HTTPResponse.Status, fields: HTTPFields = [:], body: [UInt8] = [], report: ExchangeReport = .init()
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.report = report
    }
}

// Fields may hold credentials and cookies, and content may hold anything: descriptions show only names and sizes.

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
