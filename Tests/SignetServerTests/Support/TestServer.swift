import GreetingService
import SignetCredentials
import SignetSOAP
import SignetServer
import SignetTLS
import SignetTesting
import Testing

/// A server on a free port, with an authority of its own.
struct TestServer: Sendable {
    let authority: CertificateAuthority
    let server: SOAPServer
    let port: Int
    var url: String { "https://localhost:\(port)/soap" }

    /// Runs a server that demands a client certificate while `body` lasts.
    static func run<Value: Sendable>(
        authority: CertificateAuthority? = nil, handler: Greeting.Handler? = nil,
        clients: ((TrustPolicy) -> ClientAdmission)? = nil, authentication: ServerAuthentication = .none,
        settings: SOAPServer.Settings = .init(), during body: (TestServer) async throws -> Value
    ) async throws -> Value {
        let authority = try authority ?? CertificateAuthority()
        let trust = TrustPolicy.anchors(authority.bundle)
        let tls = ServerTLSConfiguration(
            identity: .fixed(try authority.issueServer(dnsNames: ["localhost"])),
            clients: clients?(trust) ?? .certificateRequired(trust))
        return try await run(
            tls, authority: authority, handler: handler, authentication: authentication, settings: settings,
            during: body)
    }

    /// Runs a server with TLS as given while `body` lasts.
    ///
    /// - Parameter authority: one that `body` finds in its ``TestServer``.
    static func run<Value: Sendable>(
        _ tls: ServerTLSConfiguration, authority: CertificateAuthority, handler: Greeting.Handler? = nil,
        authentication: ServerAuthentication = .none, settings: SOAPServer.Settings = .init(),
        during body: (TestServer) async throws -> Value
    ) async throws -> Value {
        var settings = settings
        settings.port = 0
        let server = try SOAPServer(
            handler.map { Greeting.dispatcher($0) } ?? Greeting.dispatcher, path: "/soap", tls: tls,
            authentication: authentication, settings: settings)
        let port = try await server.start()
        do {
            let value = try await body(TestServer(authority: authority, server: server, port: port))
            await server.shutdownInTime()
            return value
        } catch {
            await server.shutdownInTime()
            throw error
        }
    }
}

/// Runs a server over plain HTTP, which is enough for what is not about TLS, while `body` lasts.
func withPlainServer<Value: Sendable>(
    _ dispatcher: ServiceDispatcher, authentication: ServerAuthentication = .none, wsdl: String? = nil,
    _ change: (inout SOAPServer.Settings) -> Void = { _ in },
    during body: (_ url: String) async throws -> Value
) async throws -> Value {
    let service = HostedService(
        dispatcher, path: "/soap", authentication: authentication, wsdl: wsdl.map { PublishedWSDL(Array($0.utf8)) })
    return try await withPlainServer([service], change) { try await body("\($0)/soap") }
}

/// Runs a server without TLS while `body` runs, which is given its address without a path.
func withPlainServer<Value: Sendable>(
    _ services: [HostedService], _ change: (inout SOAPServer.Settings) -> Void = { _ in },
    during body: (_ url: String) async throws -> Value
) async throws -> Value {
    var settings = SOAPServer.Settings()
    settings.port = 0
    change(&settings)
    let server = try SOAPServer.withoutTLS(services, settings: settings)
    let port = try await server.start()
    do {
        let value = try await body("http://127.0.0.1:\(port)")
        await server.shutdownInTime()
        return value
    } catch {
        await server.shutdownInTime()
        throw error
    }
}

extension SOAPServer {
    /// Shuts down, and says so when that takes long.
    fileprivate func shutdownInTime() async {
        let watch = Task {
            try await Task.sleep(for: .seconds(90))
            Issue.record("The server has not shut down within 90 seconds.")
        }
        await shutdown()
        watch.cancel()
    }
}
