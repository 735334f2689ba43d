import ReferenceServices
import Signet
import SignetNIOTransport
import SignetServer
import SignetTesting
import SignetURLSession
import Testing

@Suite struct ServiceSettingsTests {
    @Test func settingsOfThePartsAreReachableDirectly() throws {
        var service = try ServiceConfiguration("https://host/")
        service.maximumConnections = 3
        service.trust = .system
        service.proxy.rules = .direct
        service.deadlines.total = .seconds(5)
        service.redirects = .sameOrigin(maximum: 2)
        service.logger = Logger(label: "one log")
        #expect(service.connection.maximumConnections == 3)
        #expect(service.connection.proxy.rules == .direct)
        #expect(service.calls.deadlines.total == .seconds(5))
        #expect(service.calls.redirects == .sameOrigin(maximum: 2))
        #expect(service.connection.logger.label == "one log")
        #expect(service.calls.logger.label == "one log")
    }

    /// A client is made without an error that could be thrown: each of its calls says what is wrong.
    @Test func aSettingThatCannotTakeEffectEndsEveryCall() async throws {
        var service = try ServiceConfiguration("http://localhost:1/")
        service.identity = .fixed(try CertificateAuthority().issueClient())
        #expect(throws: ConnectionConfigurationError.self) { try service.makeTransport() }
        let client = Parcels.Client(service)
        for _ in 1...2 {
            let error = await #expect(throws: ConnectionConfigurationError.self) {
                _ = try await client.track(.init(number: ""))
            }
            #expect(error?.setting == "identity")
        }
        await #expect(throws: ConnectionConfigurationError.self) { try await client.warmUp() }
        try await client.shutdown()
    }

    @Test func cookiesAreNotSharedByClientsMadeApart() throws {
        var service = try ServiceConfiguration("https://host/")
        service.cookies = .kept
        let (first, second) = (ServiceCaller(service), ServiceCaller(service))
        #expect(first.cookies.jar != nil)
        #expect(first.cookies.jar !== second.cookies.jar)
        // Also over connections that clients share.
        let transport = try service.makeTransport()
        let shared = ServiceCaller(endpoint: service.endpoint, transport: transport, settings: service.calls)
        #expect(shared.cookies.jar != nil)
        #expect(shared.cookies.jar !== first.cookies.jar)
        var later = ServiceCaller(endpoint: service.endpoint, transport: transport)
        #expect(later.cookies.jar == nil)
        later.cookies = .kept
        #expect(later.cookies.jar != nil)
        let jar = CookieJar()
        service.cookies = .kept(in: jar)
        #expect(ServiceCaller(service).cookies.jar === jar)
    }

    /// The caller knows what a transport has to prove with, also one that the program made.
    @Test func requirementsAreCheckedOverATransportOfTheProgram() async throws {
        let endpoint = try Endpoint("https://localhost:1/")
        let transport = try NIOTransport(to: endpoint.origin)
        var caller = ServiceCaller(endpoint: endpoint, transport: transport)
        caller.requirements = [.clientCertificate]
        let error = await #expect(throws: ServiceError.self) {
            _ = try await Parcels.Client(caller).track(.init(number: ""))
        }
        #expect(error?.code == .unmetRequirement)
        try await transport.shutdown()
    }

    @Test func proofsCountForTheOriginOnly() async throws {
        let (origin, other) = (try Endpoint("https://a/").origin, try Endpoint("https://b/").origin)
        var connection = ConnectionConfiguration()
        connection.identity = .fixed(try CertificateAuthority().issueClient())
        let transport = try NIOTransport(to: origin, connection)
        #expect(transport.proofs(at: origin) == ClientProofs(hasIdentity: true, hasCredentials: false))
        #expect(transport.proofs(at: other) == ClientProofs(hasIdentity: false, hasCredentials: false))
        try await transport.shutdown()
    }

    #if !canImport(Security)
    /// `URLSession` cannot be told here which servers to trust, and refuses to be made for TLS.
    @Test func urlSessionTransportRefusesUnsupportedSettings() throws {
        let error = #expect(throws: ConnectionConfigurationError.self) {
            try URLSessionTransport(to: try Endpoint("https://host/").origin)
        }
        #expect(error?.setting == "trust")
        #expect(error?.message.contains("NIOTransport") == true)
        var connection = ConnectionConfiguration()
        connection.unixSocketPath = "/run/service"
        let socket = #expect(throws: ConnectionConfigurationError.self) {
            try URLSessionTransport(to: try Endpoint("http://host/").origin, connection)
        }
        #expect(socket?.setting == "unixSocketPath")
    }
    #endif
}
