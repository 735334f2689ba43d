import GreetingService
import HTTPTypes
import SignetSOAP
import Synchronization
import Testing

/// What a client sends and what it takes.
@Suite struct AddressingHeaderTests {
    static let action = "urn:greeting:greet"

    /// Answers with what `header` makes of a request's MessageID.
    private actor Answering: ClientTransport {
        private(set) var requests: [String] = []
        let header: @Sendable (_ messageID: String) -> String
        let body: String

        init(
            body: String = "<g:Greeted><g:text>x</g:text></g:Greeted>", _ header: @escaping @Sendable (String) -> String
        ) {
            self.header = header
            self.body = body
        }

        func send(_ request: ClientRequest) async throws -> ClientResponse {
            let text = String(decoding: request.body.bytes ?? [], as: UTF8.self)
            requests.append(text)
            let id = text.components("MessageID>").dropFirst().first.map { $0.components("<").first ?? "" } ?? ""
            let message = envelope(body, header: "<s:Header>\(header(id))</s:Header>")
            let isFault = body.contains("Fault")
            return ClientResponse(
                status: isFault ? .internalServerError : .ok, fields: [.contentType: "text/xml"],
                body: Array(message.utf8))
        }

        func shutdown() async throws {}
    }

    private func caller(_ transport: any ClientTransport, _ header: AddressingHeader) throws -> ServiceCaller {
        var caller = try ServiceCaller(transport)
        var header = header
        header.actions = ["Greet": Self.action]
        caller.headerProviders = [header]
        return caller
    }

    private static let versions = [AddressingVersion.v10, .submission]

    private static func block(_ version: AddressingVersion, _ name: String, _ text: String, _ attributes: String = "")
        -> String
    {
        "<a:\(name) xmlns:a=\"\(version.namespace)\"\(attributes)>\(text)</a:\(name)>"
    }

    @Test(arguments: versions) func everyAttemptHasItsOwnMessageID(version: AddressingVersion) async throws {
        let transport = Answering { Self.block(version, "RelatesTo", $0) }
        let caller = try caller(transport, AddressingHeader(version))
        for _ in 0..<2 { _ = try await caller.call(Greeting.greet, .init(name: "n")) }
        let blocks = try await transport.requests.map { try headerBlocks($0) }
        for blocks in blocks {
            #expect(blocks.map(\.localName) == ["Action", "To", "MessageID", "ReplyTo"])
            #expect(blocks.allSatisfy { $0.namespaceURI == version.namespace.uri })
            #expect(blocks[0].text == Self.action)
            #expect(blocks[1].text == "http://localhost/soap")
            #expect(blocks[2].text.hasPrefix("urn:uuid:"))
            #expect(try EndpointReference(blocks[3]).address == version.anonymous)
        }
        #expect(blocks[0][2].text != blocks[1][2].text)
    }

    @Test func theActionComesFromTheOperation() async throws {
        let transport = Answering { _ in "" }
        var caller = try ServiceCaller(transport)
        caller.headerProviders = [AddressingHeader()]
        // Nothing says one.
        let error = await #expect(throws: AddressingError.self) {
            try await caller.call(Greeting.greet, .init(name: ""))
        }
        #expect(error?.code == .noAction)
        #expect(await transport.requests.isEmpty)
        // The soapAction.
        try await caller.send(Greeting.wave, .init(name: ""))
        // What WS-Addressing says goes before it.
        let stated = ServiceOperation<Greeting.Greet, Greeting.Greeted>(
            name: "Greet", soapAction: "urn:soap", version: .soap11, input: XMLName("urn:greeting", "Greet"),
            output: XMLName("urn:greeting", "Greeted"), actions: .init(input: "urn:stated"))
        _ = try await caller.call(stated, .init(name: ""))
        let blocks = try await transport.requests.map { try headerBlocks($0) }
        #expect(blocks.map { $0[0].text } == ["urn:wave", "urn:stated"])
        // Nothing comes back from a one-way operation.
        #expect(blocks[0].map(\.localName) == ["Action", "To", "MessageID"])
    }

    @Test(arguments: versions) func anAnswerToAnotherMessageIsRefused(version: AddressingVersion) async throws {
        let header = AddressingHeader(version)
        let refused = try caller(Answering { _ in Self.block(version, "RelatesTo", "urn:other") }, header)
        let error = await #expect(throws: AddressingError.self) {
            try await refused.call(Greeting.greet, .init(name: ""))
        }
        #expect(error?.code == .unrelatedAnswer)
        // Another relationship says nothing of what is answered.
        let related = try caller(
            Answering { id in
                Self.block(version, "RelatesTo", "urn:other", " RelationshipType=\"urn:copy\"")
                    + Self.block(version, "RelatesTo", id)
            }, header)
        _ = try await related.call(Greeting.greet, .init(name: ""))
    }

    @Test func answersWithoutRelatesToAreAcceptedUnlessRequired() async throws {
        let transport = Answering { _ in "" }
        _ = try await caller(transport, AddressingHeader()).call(Greeting.greet, .init(name: ""))
        var strict = AddressingHeader()
        strict.requiresRelatesTo = true
        let caller = try caller(transport, strict)
        let error = await #expect(throws: AddressingError.self) {
            try await caller.call(Greeting.greet, .init(name: ""))
        }
        #expect(error?.code == .unrelatedAnswer)
    }

    @Test func theActionOfAnAnswerIsCheckedWhereAsked() async throws {
        let operation = ServiceOperation<Greeting.Greet, Greeting.Greeted>(
            name: "Greet", soapAction: "", version: .soap11, input: XMLName("urn:greeting", "Greet"),
            output: XMLName("urn:greeting", "Greeted"), actions: .init(output: "urn:greeted"))
        for (action, isRight) in [("urn:greeted", true), ("urn:else", false)] {
            var header = AddressingHeader()
            let transport = Answering { _ in Self.block(.v10, "Action", action) }
            _ = try await caller(transport, header).call(operation, .init(name: ""))
            header.requiresAction = true
            let caller = try caller(transport, header)
            if isRight {
                _ = try await caller.call(operation, .init(name: ""))
            } else {
                await #expect(throws: AddressingError.self) { try await caller.call(operation, .init(name: "")) }
            }
        }
    }

    @Test func theClientUnderstandsBlocksOfItsVersion() async throws {
        let must = " s:mustUnderstand=\"1\""
        let transport = Answering { id in
            Self.block(.v10, "Action", "urn:a", must) + Self.block(.v10, "RelatesTo", id, must)
        }
        _ = try await caller(transport, AddressingHeader()).call(Greeting.greet, .init(name: ""))
        // The blocks of the other version are not.
        await #expect(throws: ServiceError.self) {
            try await caller(transport, AddressingHeader(.submission)).call(Greeting.greet, .init(name: ""))
        }
    }

    @Test(arguments: [
        "<a:Action xmlns:a='N'>urn:a</a:Action><a:Action xmlns:a='N'>urn:a</a:Action>",
        "<a:MessageID xmlns:a='N'/>", "<a:RelatesTo xmlns:a='N'><x/></a:RelatesTo>",
        "<a:Action xmlns:a='N'>\(String(repeating: "x", count: 2049))</a:Action>",
        "<a:ReplyTo xmlns:a='N'/>", "<a:From xmlns:a='N'><a:Address/></a:From>",
        "<a:ReplyTo xmlns:a='N'><a:Address>a</a:Address><a:Address>b</a:Address></a:ReplyTo>",
    ]) func oddHeaderBlocksOfAnswersAreRefused(header: String) async throws {
        let text = header.replacingN(with: AddressingVersion.v10.namespace.uri)
        let caller = try caller(Answering { _ in text }, AddressingHeader())
        let error = await #expect(throws: AddressingError.self) {
            try await caller.call(Greeting.greet, .init(name: ""))
        }
        #expect(error?.code == .invalidAnswer)
    }

    @Test func aFaultIsThrownBeforeRelatesToIsChecked() async throws {
        let transport = Answering(
            body: "<s:Fault><faultcode>s:Client</faultcode><faultstring>No.</faultstring></s:Fault>"
        ) { _ in Self.block(.v10, "RelatesTo", "urn:other") }
        let caller = try caller(transport, AddressingHeader())
        let fault = await #expect(throws: SOAPFault.self) { try await caller.call(Greeting.greet, .init(name: "")) }
        #expect(fault?.headerBlocks.map(\.localName) == ["RelatesTo"])
    }

    @Test func callsGoWhereAReferenceLeads() async throws {
        let reference = try EndpointReference(
            XMLFragment(
                parsing: """
                    <w:Reference xmlns:w="urn:w" xmlns:a="\(AddressingVersion.v10.namespace)"><a:Address>http://localhost/sub/7</a:Address>\
                    <a:ReferenceParameters><w:id w:kind="x">7</w:id></a:ReferenceParameters></w:Reference>
                    """))
        let transport = Answering { Self.block(.v10, "RelatesTo", $0) }
        let caller = try caller(transport, AddressingHeader()).calling(reference)
        #expect(caller.endpoint.description == "http://localhost/sub/7")
        _ = try await caller.call(Greeting.greet, .init(name: ""))
        let blocks = try headerBlocks(try #require(await transport.requests.first))
        #expect(blocks[1].text == "http://localhost/sub/7")
        let id = try #require(blocks.first(named: "id"))
        #expect(id.text == "7")
        #expect(id.attribute("kind", namespace: XMLNamespace("urn:w")) == "x")
        #expect(id.attribute("IsReferenceParameter", namespace: AddressingVersion.v10.namespace) == "true")
    }

    @Test func aReferenceMustNotChangeTheOriginUnlessAllowed() throws {
        let caller = try caller(Answering { _ in "" }, AddressingHeader())
        for address in ["http://elsewhere/", "https://localhost/soap", "urn:x", AddressingVersion.v10.anonymous] {
            let error = #expect(throws: AddressingError.self) { try caller.calling(EndpointReference(address)) }
            #expect(error?.code == .invalidReference)
        }
        #expect(
            try caller.calling(EndpointReference("http://elsewhere/"), anyOrigin: true).endpoint.origin.host
                == "elsewhere")
    }
}

/// The header blocks of an envelope.
func headerBlocks(_ envelope: String) throws -> [XMLFragment] {
    try XMLFragment(parsing: envelope).children.first(named: "Header")?.children ?? []
}

extension String {
    func replacingN(with namespace: String) -> String { components("'N'").joined(separator: "'\(namespace)'") }

    /// The parts between `separator`.
    fileprivate func components(_ separator: String) -> [String] {
        var parts: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            parts.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return parts + [String(rest)]
    }
}
