import Logging
import SignetDynamic
import SignetSOAP
import SignetWSDL
import Testing

@testable import SignetMock

@Suite struct MockTests {
    private static let silent = Logger(label: "mock") { _ in SwiftLogNoOpLogHandler() }

    private func client(_ change: (inout Mock) throws -> Void = { _ in }) throws -> DynamicClient {
        let services = try MockedService.all(try TestService.definitions())
        var mock = Mock(services)
        try change(&mock)
        let dispatcher = try #require(try mock.dispatchers(logger: Self.silent).first)
        var caller = ServiceCaller(
            endpoint: try Endpoint("http://localhost/"), transport: InProcessTransport(dispatcher))
        caller.tolerance = .strict
        return DynamicClient(services[0].service, caller)
    }

    private func rules(_ json: String) throws -> [MockRule] {
        try MockRules.read(Array(json.utf8), name: "rules", for: [try TestService.diary()])
    }

    @Test func anExampleIsTheAnswer() async throws {
        let client = try client()
        #expect(
            try await client.call("Find", ["id": 7]) == ["entry": [["id": 1, "text": "string", "token": "string"]]])
        #expect(try await client.call("Tell", "x") == .null)
    }

    @Test func aSeedDecidesTheAnswer() async throws {
        let answers = { (seed: UInt64, id: Int) async throws in
            try await client { $0.seed = seed }.call("Find", ["id": .number("\(id)")])
        }
        var all: Set<DynamicValue> = []
        for id in 0..<20 {
            let first = try await answers(1, id)
            #expect(try await answers(1, id) == first)
            all.insert(first)
        }
        #expect(all.count > 5)
        var others: Set<DynamicValue> = []
        for seed in 0..<20 { others.insert(try await answers(UInt64(seed), 1)) }
        #expect(others.count > 5)
    }

    @Test func aRequestThatBreaksTheSchemaIsRefused() async throws {
        let strict = try client()
        let fault = await #expect(throws: SOAPFault.self) {
            // Sent by a client that does not know the schema.
            try await strict.caller.call(
                ServiceOperation<XMLAny, XMLAny>(
                    name: "Find", soapAction: "urn:find", version: .soap11, input: XMLName("urn:t", "Find"),
                    output: XMLName("urn:t", "FindResponse")),
                XMLAny(try XMLFragment(parsing: "<Find xmlns=\"urn:t\"><id>x</id></Find>")))
        }
        #expect(fault?.reason.contains("“x” is not a value of xs:int") == true, "\(fault?.reason ?? "")")
        let lenient = try client { $0.isLenient = true }
        _ = try await lenient.caller.call(
            ServiceOperation<XMLAny, XMLAny>(
                name: "Find", soapAction: "urn:find", version: .soap11, input: XMLName("urn:t", "Find"),
                output: XMLName("urn:t", "FindResponse")),
            XMLAny(try XMLFragment(parsing: "<Find xmlns=\"urn:t\"><id>x</id></Find>")))
    }

    @Test func theFirstRuleThatMatchesDecides() async throws {
        let rules = try rules(
            """
            [{"operation": "Find", "when": {"id": 1}, "times": 1, "answer": {"entry": []}},
             {"operation": "Find", "when": {"id": 1}, "fault": {"element": "NotFound", "detail": {"id": 1}, "reason": "Gone."}},
             {"operation": "Find", "when": {"id": 2}, "fault": {"reason": "Not today.", "code": "server"}}]
            """)
        let client = try client { $0.rules = rules }
        #expect(try await client.call("Find", ["id": 1]) == .object([]))
        for _ in 0..<2 {
            let fault = await #expect(throws: DynamicFault.self) { try await client.call("Find", ["id": 1]) }
            #expect(fault?.detail == ["id": 1])
        }
        let fault = await #expect(throws: SOAPFault.self) { try await client.call("Find", ["id": 2]) }
        #expect(fault?.reason == "Not today.")
        #expect(try await client.call("Find", ["id": 3])["entry"] != nil)
    }

    /// A schema that lacks a type is no mistake of the client.
    @Test func inputsThatTheSchemaDoesNotDescribeAreRefused() async throws {
        func mock(_ broken: String...) throws -> Mock {
            var wsdl = TestService.wsdl("<service name=\"S\">\(TestService.port("A", at: "http://a/"))</service>")
            for declaration in broken { wsdl.replace(declaration, with: declaration.replacing("xs:", with: "t:No")) }
            return Mock(
                try MockedService.all(try WSDLLoader { _ in nil }.load(Array(wsdl.utf8), path: "broken.wsdl")))
        }
        #expect(try mock().unreadableOperations().isEmpty)
        let (find, tell) = ("name=\"id\" type=\"xs:int\"/>\n", "name=\"Tell\" type=\"xs:string\"")
        let partly = try mock(find)
        let unreadable = try partly.unreadableOperations()
        #expect(unreadable.map(\.operation) == ["Find"])
        #expect(unreadable.first?.reason.contains("the type {urn:t}Noint is not defined") == true, "\(unreadable)")
        let error = #expect(throws: MockError.self) { try mock(find, tell).unreadableOperations() }
        #expect(
            error?.description.contains("no operation whose input can be read. Find: ") == true,
            "\(error?.description ?? "")")
        let dispatcher = try #require(try partly.dispatchers(logger: Self.silent).first)
        let caller = ServiceCaller(
            endpoint: try Endpoint("http://localhost/"), transport: InProcessTransport(dispatcher))
        let fault = await #expect(throws: SOAPFault.self) {
            try await caller.call(
                ServiceOperation<XMLAny, XMLAny>(
                    name: "Find", soapAction: "urn:find", version: .soap11, input: XMLName("urn:t", "Find"),
                    output: XMLName("urn:t", "FindResponse")),
                XMLAny(try XMLFragment(parsing: "<Find xmlns=\"urn:t\"><id>1</id></Find>")))
        }
        #expect(
            fault?.code == .server && fault?.reason.contains("Noint is not defined") == true, "\(fault?.reason ?? "")")
    }

    @Test func operationsWithoutAnswerAreNamed() throws {
        let definitions = try WSDLLoader { _ in nil }.load(
            Array(
                TestService.wsdl("<service name=\"S\">\(TestService.port("A", at: "http://a/"))</service>").replacing(
                    "<xs:element name=\"entry\" minOccurs=\"0\"",
                    with: "<xs:element name=\"none\" type=\"t:Missing\"/><xs:element name=\"entry\" minOccurs=\"0\""
                ).utf8), path: "broken.wsdl")
        let mock = Mock(try MockedService.all(definitions))
        #expect(mock.operationsWithoutAnswer().map(\.operation) == ["Find"])
    }
}
