import GreetingService
import SignetSOAP
import Synchronization
import Testing

@Suite struct InProcessClientTests {
    private static let greeting = Greeting.greet.route { input, context in
        for attachment in context.attachments { context.answerAttachments.append(attachment) }
        let mood = try context.header(Greeting.mood)?.text ?? "no mood"
        return .init(text: "\(input.name), \(mood), \(context.peer.user ?? "a stranger")")
    }

    @Test(arguments: [nil, SOAPVersion.soap11, .soap12]) func aHandlerIsEnough(version: SOAPVersion?) async throws {
        let client = Greeting.Client(inProcess: [Self.greeting]).with { $0.version = version }
        #expect(try await client.greet(.init(name: "a < b")).text == "a < b, no mood, a stranger")
    }

    @Test func handlersSeeThePeer() async throws {
        var peer = PeerDescription()
        peer.user = "Ann"
        let clients = [
            Greeting.Client(inProcess: [Self.greeting], peer: peer),
            Greeting.Client(
                inProcess: ServiceDispatcher(name: "Greeting", versions: [.soap11], routes: [Self.greeting]),
                peer: peer),
        ]
        for client in clients { #expect(try await client.greet(.init(name: "n")).text == "n, no mood, Ann") }
    }

    @Test func headerBlocksAndAttachmentsTravel() async throws {
        var dispatcher = ServiceDispatcher(
            name: "Greeting", versions: [.soap11], takesAttachments: true, routes: [Self.greeting])
        dispatcher.understoodHeaderBlocks = [Greeting.mood.name]
        for client in [Greeting.Client(inProcess: dispatcher), .init(inProcess: [Self.greeting])] {
            let answer = try await client.caller.answer(
                to: Greeting.greet, .init(name: "n"), headerBlocks: [Greeting.mood.block(.init(text: "good"))],
                attachments: [MessageAttachment([1, 2, 3]), MessageAttachment([])])
            #expect(answer.output.text == "n, good, a stranger")
            #expect(try answer.attachments.map { try $0.bytes() } == [[1, 2, 3], []])
        }
    }

    /// As a server would.
    @Test func aServiceWithoutAttachmentsRefusesThem() async throws {
        let client = Greeting.Client(inProcess: Greeting.dispatcher())
        let error = await #expect(throws: ServiceError.self) {
            try await client.caller.call(Greeting.greet, .init(name: "n"), attachments: [MessageAttachment([1])])
        }
        #expect(error?.answer?.status == 415)
    }

    @Test func faultsAreThoseOfTheWire() async throws {
        let client = Greeting.Client(inProcess: [
            Greeting.greet.route { input, _ in
                if input.name.isEmpty { throw DeclaredFault(Greeting.NobodyThere(looked: 5), reason: "nobody") }
                throw SOAPFault.client("not \(input.name)")
            }
        ])
        let declared = await #expect(throws: DeclaredFault<Greeting.NobodyThere>.self) {
            try await client.greet(.init(name: ""))
        }
        #expect(declared?.detail.looked == 5)
        let fault = await #expect(throws: SOAPFault.self) { try await client.greet(.init(name: "you")) }
        #expect(fault?.code == .client && fault?.reason == "not you")
    }

    /// A test looks at what the handler did as soon as the call returns.
    @Test func aOneWayOperationHasRunWhenItReturns() async throws {
        let seen = Mutex<[String]>([])
        let client = Greeting.Client(inProcess: [
            Greeting.wave.route { input, _ in seen.withLock { $0.append(input.name) } }
        ])
        try await client.caller.send(Greeting.wave, .init(name: "you"))
        #expect(seen.withLock { $0 } == ["you"])
    }

    /// A fault would pass where a test waits for one.
    @Test func anOperationWithoutAHandlerIsNoFault() async throws {
        let client = Greeting.Client(inProcess: [Greeting.wave.route { _, _ in }])
        let error = await #expect(throws: ServiceError.self) { try await client.greet(.init(name: "n")) }
        #expect(error?.code == .noHandler)
        #expect(
            error?.message.contains("operation Greet, but handlers for Wave") == true, "\(String(describing: error))")
        let empty = await #expect(throws: ServiceError.self) {
            try await Greeting.Client(inProcess: []).caller.send(Greeting.wave, .init(name: "n"))
        }
        #expect(empty?.code == .noHandler)
        #expect(empty?.message.contains("operation Wave, but none at all") == true, "\(String(describing: empty))")
    }

    /// What a policy says of the transport does not stand in the way.
    @Test func policyRequirementsOfTheTransportDoNotApply() async throws {
        let operation = ServiceOperation<Greeting.Greet, Greeting.Greeted>(
            name: "Greet", soapAction: "", version: .soap11, input: Greeting.greet.input, output: Greeting.greet.output,
            requires: [.tls, .clientCertificate, .httpAuthentication("Basic")])
        let client = Greeting.Client(inProcess: [operation.route { input, _ in .init(text: input.name) }])
        #expect(try await client.caller.call(operation, .init(name: "n")).text == "n")
    }
}
