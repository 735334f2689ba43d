public import Logging
public import SignetConnection
public import SignetHTTP
import SignetNIOTransport
public import SignetSOAP

/// How to reach one service: where it is, how the connection to it is made and what both ends prove, how calls are made.
///
/// A value: change a copy and make another client of it. The properties of ``connection`` and ``calls`` can be had as if they were its
/// own: `service.trust` is `service.connection.trust`, `service.deadlines` is `service.calls.deadlines`.
@dynamicMemberLookup
public struct ServiceConfiguration: Sendable {
    /// Where the service is. It also decides which origin gets the identity and the credentials.
    public var endpoint: Endpoint
    /// Identity, trust, credentials, proxies, bounds of connections. Identity and credentials are bound to the origin of ``endpoint``,
    /// whatever address a client later calls.
    public var connection = ConnectionConfiguration()
    /// Deadlines, bounds, header blocks, fields, middlewares.
    public var calls = CallSettings()

    /// - Parameter url: the address of the service, `https://host:port/path`.
    /// - Throws: ``EndpointError`` naming what is wrong with it.
    public init(_ url: String) throws(EndpointError) { endpoint = try Endpoint(url) }

    /// A port of a WSDL: its address, its version of SOAP, if any, and what its policies demand.
    ///
    /// - Parameters:
    ///   - port: one of those that generated code lists, for example `WebEase.Ports.webEasePort`.
    ///   - address: the address of the service in place of the port's, which in many WSDLs is that of a test system.
    /// - Throws: ``EndpointError`` naming what is wrong with the address, also when there is none.
    public init(_ port: ServicePort, address: String? = nil) throws(EndpointError) {
        guard let address = address ?? port.address else {
            throw EndpointError(
                url: "", message: "the port “\(port.name)” has none in the WSDL; give it to the configuration")
        }
        endpoint = try Endpoint(address)
        calls.version = port.version
        calls.requirements = port.requirements
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

    /// One log for calls and connections: calls and connections at debug level, messages at trace level; no secret at any level. Silent
    /// unless given.
    public var logger: Logger {
        get { calls.logger }
        set { (calls.logger, connection.logger) = (newValue, newValue) }
    }

    /// Connections as this configuration describes them, to be shared by several clients:
    /// `ServiceCaller(endpoint: service.endpoint, transport: transport, settings: service.calls)`.
    ///
    /// - Throws: ``ConnectionConfigurationError`` for a setting that could not take effect.
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
    /// Calls as `configuration` describes them, over connections of their own. With a setting that cannot take effect, every call ends
    /// with ``ConnectionConfigurationError`` before anything is sent; ``ServiceConfiguration/makeTransport()`` says it at once.
    public init(_ configuration: ServiceConfiguration) {
        let transport: any ClientTransport
        do { transport = try configuration.makeTransport() } catch { transport = RefusedConfiguration(error: error) }
        self.init(endpoint: configuration.endpoint, transport: transport, settings: configuration.calls)
    }
}

/// Stands in the place of connections that cannot be made as they are configured.
private struct RefusedConfiguration: ClientTransport {
    let error: ConnectionConfigurationError

    func send(_ request: ClientRequest) async throws -> ClientResponse { throw error }
    func warmUp(_ endpoint: Endpoint, connections count: Int, deadlines: Deadlines) async throws { throw error }
    func shutdown() async throws {}
}

extension ServiceClient {
    /// A client with connections of its own. Clients made from it by ``ServiceClient/with(_:)`` share them.
    public init(_ configuration: ServiceConfiguration) { self.init(ServiceCaller(configuration)) }

    /// Opens connections to the service before they are needed: names are resolved and TLS is spoken, nothing is asked for.
    ///
    /// - Parameter count: of all its connections, the idle ones included; more than the limits allow are not opened.
    /// - Throws: what a call would throw that could get no connection.
    public func warmUp(connections count: Int = 1) async throws {
        try await caller.transport.warmUp(caller.endpoint, connections: count, deadlines: caller.settings.deadlines)
    }

    /// Lends no connection that is open now to a further call, of this client and of all that share them: after an identity was
    /// replaced, or when the network has changed.
    public func renewConnections() { caller.transport.renewConnections() }

    /// Keeps no connection from now on, of this client and of all that share them: idle ones are closed, others when their call is
    /// over. An app calls it when it goes to the background, where the system suspends it and its connections end unseen. Calls
    /// are made as before, each over a connection of its own.
    public func suspendConnections() { caller.transport.suspendConnections() }

    /// Keeps connections again after ``suspendConnections()``, none of those from before. Opens those that
    /// ``ConnectionConfiguration/warmConnections`` asks for.
    public func resumeConnections() { caller.transport.resumeConnections() }

    /// Closes the connections of this client and of all that share them. Calls in flight fail.
    public func shutdown() async throws { try await caller.transport.shutdown() }
}
