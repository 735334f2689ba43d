import ReferenceServices
import SignetSOAP
import Testing

/// Runs generated code that uses WS-Addressing, which the article Addressing shows.
@Suite struct SubscriptionsTests {
    private struct Desk: Subscriptions.Service {
        static let id = XMLName("urn:desk", "id")

        func subscribe(
            _ input: Subscriptions.Subscribe, _ context: OperationContext
        ) async throws -> Subscriptions.SubscribeResponse {
            guard input.topic != "none" else {
                throw DeclaredFault(Subscriptions.NoSuchTopic(topic: input.topic), reason: "No such topic.")
            }
            let id = try XMLFragment(Self.id, text: input.topic)
            return .init(
                reference: .init(
                    address: .init(value: "https://subscriptions.example/soap/1"),
                    referenceParameters: .init(any: [id])))
        }

        func pull(_ input: Subscriptions.Pull, _ context: OperationContext) async throws -> Subscriptions.PullResponse {
            guard let block = context.headerBlocks(Self.id).first else {
                throw DeclaredFault(Subscriptions.Gone(), reason: "Gone.")
            }
            return .init(message: block.fragment.text)
        }

        func cancel(_ input: Subscriptions.Cancel, _ context: OperationContext) async throws {}
    }

    private func service() throws -> ServiceCaller {
        let dispatcher = Subscriptions.dispatcher(Desk())
        let guarded = dispatcher.verified(by: AddressingVerifier(isRequired: true))
        let address = try #require(Subscriptions.Ports.subscriptions.address)
        return ServiceCaller(endpoint: try Endpoint(address), transport: InProcessTransport(guarded))
    }

    @Test func aReferenceLeadsBack() async throws {
        var service = try service()
        var header = AddressingHeader()
        header.mustUnderstand = true
        service.headerProviders = [header]
        let client = Subscriptions.Client(service)
        let answer = try await client.subscribe(.init(topic: "doors"))
        let reference = try EndpointReference(answer.reference)
        let subscription = Subscriptions.Client(try client.caller.calling(reference))
        let message = try await subscription.pull(.init()).message
        #expect(message == "doors")
        try await subscription.cancel(.init())
    }

    /// What the WSDL says arrives at both ends.
    @Test func actionsAreThoseOfTheWSDL() async throws {
        var service = try service()
        var header = try #require(AddressingHeader(for: Subscriptions.Ports.subscriptions))
        (header.requiresAction, header.requiresRelatesTo) = (true, true)
        service.headerProviders = [header]
        let client = Subscriptions.Client(service)
        _ = try await client.subscribe(.init(topic: "doors"))
        let missing = await #expect(throws: DeclaredFault<Subscriptions.NoSuchTopic>.self) {
            try await client.subscribe(.init(topic: "none"))
        }
        let gone = await #expect(throws: DeclaredFault<Subscriptions.Gone>.self) { try await client.pull(.init()) }
        #expect(action(missing?.fault) == "urn:signet:example:no-such-topic")
        #expect(action(gone?.fault) == "http://signet.example/subscriptions/Subscriptions/Pull/Fault/Gone")
    }

    private func action(_ fault: SOAPFault?) -> String? {
        fault?.headerBlocks.first { $0.localName == "Action" }?.fragment.text
    }
}
