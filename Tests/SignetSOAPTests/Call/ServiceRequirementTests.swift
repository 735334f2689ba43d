import HTTPTypes
import SignetSOAP
import Testing

@Suite struct ServiceRequirementTests {
    private static let operation = ServiceOperation<XMLAny, XMLAny>(
        name: "Echo", soapAction: "urn:echo", version: .soap11, input: XMLName("urn:echo", "Echo"),
        output: XMLName("urn:echo", "Echo"))
    private static let token = HeaderBlock(
        XMLName("http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd", "Security"),
        text: "")

    /// A transport that knows what it has to prove with; at other origins it has nothing.
    private struct Proving: ClientTransport {
        let transport: any ClientTransport
        let proofs: [Origin: ClientProofs]

        func send(_ request: ClientRequest) async throws -> ClientResponse { try await transport.send(request) }
        func shutdown() async throws { try await transport.shutdown() }
        func proofs(at origin: Origin) -> ClientProofs? {
            proofs[origin] ?? ClientProofs(hasIdentity: false, hasCredentials: false)
        }
    }

    private func caller(_ url: String, _ requirements: ServiceRequirement...) throws -> ServiceCaller {
        var dispatcher = ServiceDispatcher(
            name: "Echo", versions: [.soap11], takesAttachments: true,
            routes: [Self.operation.route { input, _ in input }])
        dispatcher.understoodHeaderBlocks = [
            XMLName("http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd", "Security")
        ]
        var caller = ServiceCaller(endpoint: try Endpoint(url), transport: InProcessTransport(dispatcher))
        caller.requirements = requirements
        return caller
    }

    private func refusal(_ caller: ServiceCaller) async throws -> String {
        let error = await #expect(throws: ServiceError.self) { try await caller.call(Self.operation, XMLAny()) }
        #expect(error?.code == .unmetRequirement)
        return error?.message ?? ""
    }

    @Test func unmetRequirementsEndTheCall() async throws {
        #expect(try await refusal(caller("http://h/", .tls)).contains("give an address with https"))
        var bare = try caller("https://h/", .tls, .clientCertificate)
        bare.transport = Proving(transport: bare.transport, proofs: [:])
        #expect(try await refusal(bare).contains("identity"))
        bare = try caller("https://h/", .httpAuthentication("Basic"))
        bare.transport = Proving(transport: bare.transport, proofs: [:])
        let advice = try await refusal(bare)
        #expect(
            advice.contains("credentials") && advice.contains("uncheckedRequirements") && advice.contains("middleware"))
        bare.fields[.authorization] = "Basic YTpi"
        _ = try await bare.call(Self.operation, XMLAny())
        #expect(try await refusal(caller("https://h/", .usernameToken(.digest))).contains("SecurityHeader(for:)"))
        #expect(try await refusal(caller("https://h/", .timestamp)).contains("Timestamp"))
        #expect(try await refusal(caller("https://h/", .addressing)).contains("AddressingHeader"))
        #expect(try await refusal(caller("https://h/", .mtom)).contains("MTOM in its attachments"))
    }

    @Test func metRequirementsLetTheCallPass() async throws {
        var caller = try caller(
            "https://h/", .tls, .clientCertificate, .usernameToken(.text), .timestamp, .addressing, .mtom)
        caller.headerBlocks = [Self.token]
        caller.headerProviders = [AddressingHeader()]
        caller.attachments.mtom = .always()
        _ = try await caller.call(Self.operation, XMLAny())
        caller.headerBlocks = []
        caller.uncheckedRequirements = [.usernameToken(.text), .timestamp]
        _ = try await caller.call(Self.operation, XMLAny())
    }

    /// Identity and credentials are shown to one origin.
    @Test func proofsOfTheTransportCountForTheirOriginOnly() async throws {
        var caller = try caller("https://h/", .clientCertificate, .httpAuthentication("Basic"))
        let own = caller.transport
        let proofs = ClientProofs(hasIdentity: true, hasCredentials: true)
        caller.transport = Proving(transport: own, proofs: [caller.endpoint.origin: proofs])
        _ = try await caller.call(Self.operation, XMLAny())
        // A transport that follows redirects says what the one below it says.
        caller.transport = RedirectingTransport(caller.transport, .sameOrigin(maximum: 1))
        _ = try await caller.call(Self.operation, XMLAny())
        caller.endpoint = try Endpoint("https://other/")
        #expect(try await refusal(caller).contains("identity"))
        // One that does not know leaves it to the service.
        caller.transport = own
        _ = try await caller.call(Self.operation, XMLAny())
    }

    @Test func anOperationHasRequirementsOfItsOwn() async throws {
        let caller = try caller("https://h/")
        let login = ServiceOperation<XMLAny, XMLAny>(
            name: "Login", soapAction: "", version: .soap11, input: XMLName("urn:echo", "Echo"),
            output: XMLName("urn:echo", "Echo"), requires: [.usernameToken(.text)])
        _ = try await caller.call(Self.operation, XMLAny())
        let error = await #expect(throws: ServiceError.self) { try await caller.call(login, XMLAny()) }
        #expect(error?.code == .unmetRequirement)
        #expect(error?.message.contains("Login") == true)
    }
}
