import ReferenceServices
import ServiceLifecycle
import Signet
import SignetServer

// The code of HostingServices.md that is not in PublicFace.swift. It is compiled, and DocumentationTests compares it
// with the page.

private func serve(identities: any IdentityStore, deviceAuthority: CertificateBundle) throws -> SOAPServer {
    var settings = SOAPServer.Settings()
    settings.host = "0.0.0.0"  // all addresses of IPv4; "::" with those of IPv6
    settings.port = 8443  // 0 takes a free one, which start() returns
    settings.logger = Logger(label: "diary")  // silent unless given
    var dispatcher = WebEase.dispatcher(Diary())
    dispatcher.checksInput = true
    let server = try SOAPServer(
        dispatcher, path: "/soap",
        tls: .init(
            identity: .stored("server", in: identities), clients: .certificateRequired(.anchors(deviceAuthority))),
        settings: settings)
    return server
}

private func behindProxy() -> SOAPServer.Settings {
    var settings = SOAPServer.Settings()
    settings.proxies = ["10.1.0.5"]
    settings.usesProxyProtocol = true
    return settings
}

private func atSocket(deviceAuthority: CertificateBundle) throws -> SOAPServer {
    var settings = SOAPServer.Settings()
    settings.unixSocketPath = "/run/diary/socket"
    settings.tlsProxy = TLSTerminatingProxy(
        .socket, certificateField: .escapedPEM("X-Client-Certificate"),
        clients: .certificateRequired(.anchors(deviceAuthority)), addressField: "X-Forwarded-For")
    let server = try SOAPServer.withoutTLS(WebEase.dispatcher(Diary()), path: "/soap", settings: settings)
    return server
}

private func overMutualTLS(
    _ tls: inout ServerTLSConfiguration, _ settings: inout SOAPServer.Settings, proxyAuthority: CertificateBundle,
    deviceAuthority: CertificateBundle, proxyCertificate: EncodedCertificate
) {
    tls.clients = .certificateRequired(.anchors(proxyAuthority))
    settings.tlsProxy = TLSTerminatingProxy(
        .certificates(sha256: [proxyCertificate.sha256]), certificateField: .escapedPEM("X-Client-Certificate"),
        clients: .certificateRequired(.anchors(deviceAuthority)), addressField: "X-Forwarded-For")
}

private protocol Accounts: Sendable { func check(_ user: String, _ password: String) async -> Bool }

private protocol Database: Sendable { var isReachable: Bool { get async } }

private struct Post: Parcels.Service {
    func send(_ input: Parcels.Send, _ context: OperationContext) async throws -> Parcels.SendResponse {
        throw SOAPFault.server("No parcels are taken.")
    }

    func track(_ input: Parcels.Track, _ context: OperationContext) async throws -> Parcels.TrackResponse {
        throw SOAPFault.client("There is no such parcel.")
    }

    func lost(_ input: Parcels.Lost, _ context: OperationContext) async throws {}
}

private struct IssuedToken: Sendable {
    var user: String
    var certificateSHA256: [UInt8]?
}

private protocol IssuedTokens: Sendable { func token(_ text: String) async -> IssuedToken? }

private func askForTokens(_ diary: inout HostedService, _ tokens: any IssuedTokens) {
    diary.authentication = .bearer(realm: "Diary") { question in
        guard let found = await tokens.token(question.token) else { return nil }
        if let bound = found.certificateSHA256, bound != question.peer.certificateSHA256 { return nil }
        return found.user
    }
}

private func host(
    _ accounts: any Accounts, _ tls: ServerTLSConfiguration, _ database: any Database,
    _ settings: inout SOAPServer.Settings
) throws -> SOAPServer {
    settings.health = HealthChecks { await database.isReachable }
    var diary = HostedService(WebEase.dispatcher(Diary()), path: "/diary")
    diary.requiresCertificate = true
    diary.maximumConcurrentRequests = 100
    let parcels = HostedService(
        Parcels.dispatcher(Post()), path: "/parcels",
        authentication: .basic(realm: "Parcels") { await accounts.check($0.user, $0.password) })
    let server = try SOAPServer([diary, parcels], tls: tls, settings: settings)
    diary.wsdl = try PublishedWSDL(file: "Diary.wsdl", address: Endpoint("https://diary.example/diary"))
    return server
}

private func admit(_ tls: inout ServerTLSConfiguration, _ deviceAuthority: CertificateBundle) {
    var devices = TrustPolicy.anchors(deviceAuthority)
    devices.revocation = .hard
    tls.clients = .certificateRequired(devices)
}

private func run(_ server: SOAPServer, logger: Logger) async throws {
    let group = ServiceGroup(services: [server], gracefulShutdownSignals: [.sigterm], logger: logger)
    try await group.run()
}

private protocol Tokens: Sendable { func user(of token: Substring) async -> String? }

private struct DiaryForTokens {
    let tokens: any Tokens

    func entries(of patient: String, askedBy user: String) async throws -> [WebEase.LogEntry] { [] }

    func logEntryQuery(
        _ input: WebEase.LogEntryQuery, _ context: OperationContext
    ) async throws -> WebEase.LogEntryQueryResponse {
        let field = context.request?.fields[.authorization] ?? ""
        guard field.lowercased().hasPrefix("bearer "), let user = await tokens.user(of: field.dropFirst(7))
        else { throw SOAPFault.client("No valid token.") }
        return .init(entry: try await entries(of: input.patientId, askedBy: user), truncated: false)
    }
}

private enum Trace {
    @TaskLocal static var parent: String?
}

private protocol FailureCounter: Sendable { func increment(_ operation: String, isFault: Bool) }

private struct SilentCounter: FailureCounter { func increment(_ operation: String, isFault: Bool) {} }

private let failures: any FailureCounter = SilentCounter()

private enum Middlewares {
    struct Tracing: ServerHTTPMiddleware {
        func intercept(
            _ request: ServerRequest, next: @Sendable (ServerRequest) async throws -> ServerResponse
        ) async throws -> ServerResponse {
            let parent = HTTPField.Name("traceparent").flatMap { request.fields[$0] }
            return try await Trace.$parent.withValue(parent) { try await next(request) }
        }
    }

    struct Metrics: ServiceMiddleware {
        func intercept(
            _ context: OperationContext, next: @Sendable (OperationContext) async throws -> OperationAnswer
        ) async throws -> OperationAnswer {
            do { return try await next(context) } catch {
                failures.increment(context.operation, isFault: error is SOAPFault)
                throw error
            }
        }
    }
}

struct Pause: ServerHTTPMiddleware {
    let isPaused: @Sendable () -> Bool

    func intercept(
        _ request: ServerRequest, next: @Sendable (ServerRequest) async throws -> ServerResponse
    ) async throws -> ServerResponse {
        if isPaused() {
            return ServerResponse(
                status: .serviceUnavailable, fields: [.retryAfter: "60", .contentType: "text/plain"],
                body: Array("Back in a minute.\n".utf8))
        }
        var response = try await next(request)
        response.fields[.cacheControl] = "no-store"
        return response
    }
}

private protocol Maintenance: Sendable { var isUnderWay: Bool { get } }

private func pause(_ settings: inout SOAPServer.Settings, while maintenance: any Maintenance) {
    settings.httpMiddlewares = [Pause { maintenance.isUnderWay }]
}
