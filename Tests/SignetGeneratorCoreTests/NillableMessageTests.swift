import HTTPTypes
import ReferenceServices
import SignetSOAP
import Synchronization
import Testing

@testable import SignetGeneratorCore

/// Messages whose element may be nil (`xsi:nil`): optionals for clients and services.
@Suite struct NillableMessageTests {
    private final class Garage: Constructs.Service {
        let forgotten = Mutex<[Constructs.Rules?]>([])

        func everything(
            _ input: Constructs.Everything, _ context: OperationContext
        ) async throws -> Constructs.EverythingResponse { .init() }

        func ride(_ input: Constructs.Ride, _ context: OperationContext) async throws -> Constructs.RideResponse {
            .init(value: .unrecognized(""))
        }

        func wish(_ input: Constructs.Rules?, _ context: OperationContext) async throws -> Constructs.WishResponse? {
            input.map { Constructs.WishResponse(value: Constructs.Trike(wheels: 3, id: "t\($0.grade.count)")) }
        }

        func forget(_ input: Constructs.Rules?, _ context: OperationContext) async throws {
            forgotten.withLock { $0.append(input) }
        }
    }

    /// Keeps what travels.
    private final class Wire: ClientTransport {
        let inside: any ClientTransport
        let seen = Mutex<[String]>([])

        init(_ inside: any ClientTransport) { self.inside = inside }

        func send(_ request: ClientRequest) async throws -> ClientResponse {
            let response = try await inside.send(request)
            seen.withLock {
                $0 += [request.body.bytes ?? [], response.body].map { String(decoding: $0, as: UTF8.self) }
            }
            return response
        }

        func shutdown() async throws {}
    }

    private func call(_ body: (Constructs.Client, Garage, Wire) async throws -> Void) async throws {
        let garage = Garage()
        let wire = Wire(InProcessTransport(Constructs.dispatcher(garage)))
        let caller = ServiceCaller(endpoint: try Endpoint("http://localhost/constructs"), transport: wire)
        try await body(Constructs.Client(caller), garage, wire)
    }

    @Test func nilTravelsBothWays() async throws {
        try await call { client, _, wire in
            let answer = try await client.wish(nil)
            #expect(answer == nil)
            let seen = wire.seen.withLock { $0 }
            #expect(seen.first?.contains("<m:Wish ") == true, "\(seen)")
            #expect(seen.allSatisfy { $0.contains("xsi:nil=\"true\"></") }, "\(seen)")
        }
    }

    @Test func aValueTravelsAsBefore() async throws {
        try await call { client, _, wire in
            let answer = try await client.wish(.init(grade: [.gradeMember3(.none2), .int32(3)]))
            #expect(answer?.value as? Constructs.Trike == .init(wheels: 3, id: "t2"))
            let seen = wire.seen.withLock { $0 }
            #expect(seen.allSatisfy { !$0.contains("nil") }, "\(seen)")
            #expect(seen.last?.contains("<m:WishResponse ") == true, "\(seen)")
            #expect(seen.last?.contains(":Trike\"") == true, "\(seen)")
        }
    }

    @Test func nilTravelsOneWay() async throws {
        try await call { client, garage, _ in
            try await client.forget(nil)
            try await client.forget(.init())
            #expect(garage.forgotten.withLock { $0 } == [nil, .init()])
        }
    }

    /// What a server sends with an element that is nil is no value.
    @Test(arguments: [("", 0), ("<c:wheels>3</c:wheels>", 1)]) func contentOfANilElementIsADeviation(
        inside: String, count: Int
    )
        async throws
    {
        let types = "urn:signet:example:constructs:types"
        let answer = """
            <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:c="\(types)"><s:Body><c:WishResponse \
            xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="1" id="x">\(inside)</c:WishResponse></s:Body></s:Envelope>
            """
        var caller = ServiceCaller(endpoint: try Endpoint("http://localhost/"), transport: Canned(text: answer))
        caller.tolerance = .lenient
        let found = try await caller.answer(to: Constructs.Operations.wish, NillableMessage(nil))
        #expect(found.output.content == nil)
        #expect(found.deviations.count == count, "\(found.deviations)")
        caller.tolerance = .strict
        let strict = caller
        if count > 0 {
            await #expect(throws: ServiceError.self) { try await Constructs.Client(strict).wish(nil) }
        }
    }

    private struct Canned: ClientTransport {
        let text: String

        func send(_ request: ClientRequest) async throws -> ClientResponse {
            ClientResponse(status: .ok, fields: [.contentType: "text/xml; charset=utf-8"], body: Array(text.utf8))
        }

        func shutdown() async throws {}
    }

    @Test func nilTravelsWithoutSOAPToo() async throws {
        let name = XMLName("urn:signet:example:constructs:types", "Wish")
        let operation = HTTPOperation<NillableMessage<Constructs.Rules>, NillableMessage<Constructs.Rules>>(
            name: "Wish", verb: .post, location: "/wish", input: .document(name), output: name)
        let answer = """
            <Wish xmlns="urn:signet:example:constructs:types" xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true"/>
            """
        let wire = Wire(Canned(text: answer))
        let caller = ServiceCaller(endpoint: try Endpoint("http://localhost/"), transport: wire)
        #expect(try await caller.call(operation, NillableMessage(nil)).content == nil)
        let sent = try #require(wire.seen.withLock { $0 }.first)
        let read = try XMLReader.read(Array(sent.utf8)) { (reader) throws(XMLError) in
            try reader.root()
            return try reader.structure(NillableMessage<Constructs.Rules>.self)
        }
        #expect(read.content == nil)
        #expect(sent.contains("xsi:nil=\"true\""), "\(sent)")
    }

    /// What is kept as it was written keeps that it is nil as well.
    @Test func untypedContentIsNoOptional() throws {
        for type in ["<xs:complexType name=\"Base\" abstract=\"true\"><xs:sequence/></xs:complexType>", ""] {
            let schema = """
                \(type)<xs:element name="do" \(type.isEmpty ? "" : "type=\"t:Base\"") nillable="true"/>
                <xs:element name="doResponse" nillable="true"><xs:complexType/></xs:element>
                """
            let result = try generateDemo(makeService(schema: schema))
            #expect(!result.hasErrors, "\(result.errors)")
            let service = try #require(result.files.last?.text)
            #expect(service.contains("ServiceOperation<XMLAny, NillableMessage<DoResponse>>("), "\(service)")
            #expect(service.contains("(_ input: XMLAny) async throws -> DoResponse?"))
        }
    }

    @Test func equalityComparesTheContent() {
        let none = NillableMessage<Constructs.Rules>(nil)
        let (one, two) = (NillableMessage(Constructs.Rules()), NillableMessage(Constructs.Rules(grade: [.int32(2)])))
        #expect(Set([none, one, two, NillableMessage(nil), NillableMessage(Constructs.Rules())]).count == 3)
        #expect(none != one && one != two && two == NillableMessage(Constructs.Rules(grade: [.int32(2)])))
    }

    @Test func facetsAreCheckedInside() async throws {
        let wrong = NillableMessage(Constructs.Rules(grade: [.unrecognized("Nothing like it")]))
        #expect(!wrong.violations().isEmpty)
        #expect(NillableMessage<Constructs.Rules>(nil).violations().isEmpty)
        #expect("\(NillableMessage<Constructs.Rules>(nil))" == "nil")
        #expect("\(wrong)" == "\(wrong.content.map { "\($0)" } ?? "")")
    }

    private struct Marked: XMLStructure {
        var mark = ""
        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(["urn:t"], attributes: "mark")
            fields.field(&x.mark)
        }
    }

    @Test func aMessageThatIsNilLacksRequiredAttributes() {
        let violations = NillableMessage<Marked>(nil).violations()
        #expect(violations.map(\.path) == ["@mark"] && violations.map(\.facet) == ["use"])
        #expect(NillableMessage(Marked(_decoding: ())).violations().isEmpty)
        #expect(NillableMessage<Constructs.Rules>(nil).violations().isEmpty)
    }
}
