public import Logging
public import SignetConnection
public import SignetHTTP
import SignetNIOTransport
public import SignetSOAP

/// How a client reaches one service: its address, how the client makes connections and what both ends prove on them,
/// and how it makes calls.
///
/// It is a value: change a copy of it and make another client from the copy. The properties of ``connection`` and
/// ``calls`` can be used as if they were its own: `service.trust` is `service.connection.trust`, `service.deadlines` is
/// `service.calls.deadlines`.
@dynamicMemberLookup
public struct ServiceConfiguration: Sendable {
    /// The address of the service. The client sends the identity and the credentials to the origin of this address
    /// only.
    public var endpoint: Endpoint
    /// The identity, trust, credentials, proxies and limits of connections. Identity and credentials are bound to the
    /// origin of ``endpoint``, whatever address a client calls later.
    public var connection = ConnectionConfiguration()
    /// The deadlines, limits, header blocks, HTTP fields and middlewares of calls.
    public var calls = CallSettings()

    /// - Parameter url: the address of the service, `https://host:port/path`.
    /// - Throws: ``/SignetHTTP/EndpointError`` naming what is wrong with it.
    public init(_ url: String) throws(EndpointError) { endpoint = try Endpoint(url) }

    /// Makes a configuration for a port of a WSDL: its address, its version of SOAP, if any, and what its policies
    /// demand.
    ///
    /// - Parameters:
    ///   - port: one of those that generated code lists, for example `WebEase.Ports.webEasePort`.
    ///   - address: the address to call instead of the port's; in many WSDLs the port's address is that of a test
    ///     system.
    /// - Throws: ``/SignetHTTP/EndpointError`` naming what is wrong with the address. It is also thrown when neither
    ///   the port nor the caller gives an address.
    public init(_ port: ServicePort, address: String? = nil) throws(EndpointError) {
        guard let address = address ?? port.address else {
            throw EndpointError(
                url: "", message: "the port “\(port.name)” has no address in the WSDL; give the configuration one")
        }
        endpoint = try Endpoint(address)
        calls.version = port.version
        calls.requirements = port.requirements
        calls.operationRequirements = port.operations
    }

    /// A property of ``connection``, as if it were the configuration's.
    public subscript<Value>(dynamicMember path: WritableKeyPath<ConnectionConfiguration, Value>) -> Value {
        get { connection[keyPath: path] }
        set { connection[keyPath: path] = newValue }
    }

    /// A property of ``calls``, as if it were the configuration's.
    public subscript<Value>(dynamicMember path: WritableKeyPath<CallSettings, Value>) -> Value {
        get { calls[keyPath: path] }
        set { calls[keyPath: path] = newValue }
    }

    /// The logger of calls and connections. Calls and connections are logged at debug level, messages at trace level;
    /// no secret is logged at any level. Nothing is logged unless a logger is set.
    public var logger: Logger {
        get { calls.logger }
        set { (calls.logger, connection.logger) = (newValue, newValue) }
    }

    /// Makes connections as this configuration describes them, for several clients to share: `ServiceCaller(endpoint:
    /// service.endpoint, transport: transport, settings: service.calls)`.
    ///
    /// - Throws: ``/SignetConnection/ConnectionConfigurationError`` for a setting that could not take effect.
    public func makeTransport() throws(ConnectionConfigurationError) -> any ClientTransport {
        try NIOTransport(to: endpoint.origin, connection)
    }
}

extension ServiceConfiguration: CustomStringConvertible, CustomReflectable {
    public var description: String { "configuration for \(endpoint)" }

    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "endpoint": endpoint, "connection": connection, "calls": calls,
            ])
    }
}

extension ServiceCaller {
    /// Makes a caller with connections of its own, as `configuration` describes them. When a setting cannot take
    /// effect, every call throws ``/SignetConnection/ConnectionConfigurationError`` before it sends anything;
    /// ``ServiceConfiguration/makeTransport()`` throws the same error at once.
    public init(_ configuration: ServiceConfiguration) {
        let transport: any ClientTransport
        do { transport = try configuration.makeTransport() } catch { transport = RefusedConfiguration(error: error) }
        self.init(endpoint: configuration.endpoint, transport: transport, settings: configuration.calls)
    }
}

/// The transport of a caller whose configuration is refused: every call throws the reason.
private struct RefusedConfiguration: ClientTransport {
    let error: ConnectionConfigurationError

    func send(_ request: ClientRequest) async throws -> ClientResponse { throw error }
    func warmUp(_ endpoint: Endpoint, connections count: Int, deadlines: Deadlines) async throws { throw error }
    func shutdown() async throws {}
}

extension ServiceClient {
    /// A client with connections of its own. Clients made from it by ``ServiceClient/with(_:)`` share them.
    public init(_ configuration: ServiceConfiguration) { self.init(ServiceCaller(configuration)) }

    /// Opens connections to the service before calls need them: it resolves names and completes the TLS handshakes, and
    /// sends no request.
    ///
    /// - Parameter count: how many connections there are afterwards, those that are idle now included. No more are
    ///   opened than the limits allow.
    /// - Throws: the error that a call throws when it gets no connection.
    public func warmUp(connections count: Int = 1) async throws {
        try await caller.transport.warmUp(caller.endpoint, connections: count, deadlines: caller.settings.deadlines)
    }

    /// Uses no connection that is open now for a further call, of this client or of any client that shares the
    /// connections. Call it after the identity was replaced, or when the network has changed.
    public func renewConnections() { caller.transport.renewConnections() }

    /// Keeps no connection open from now on, for this client and all clients that share the connections: idle
    /// connections are closed at once, the others when their call ends. An app calls this when it goes to the
    /// background, where the system suspends it and its connections end unnoticed. Calls still work; each makes a
    /// connection of its own.
    public func suspendConnections() { caller.transport.suspendConnections() }

    /// Keeps connections open again after ``suspendConnections()``, and reuses none from before. Opens the connections
    /// that ``ConnectionConfiguration/warmConnections`` asks for.
    public func resumeConnections() { caller.transport.resumeConnections() }

    /// Closes the connections of this client and of all clients that share them. Calls in flight fail.
    public func shutdown() async throws { try await caller.transport.shutdown() }
}
