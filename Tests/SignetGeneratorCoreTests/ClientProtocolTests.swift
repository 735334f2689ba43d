import ReferenceServices
import SignetGeneratorCore
import SignetSOAP
import Synchronization
import Testing

/// Code of an app that takes any value in the place of a generated client.
@Suite struct ClientProtocolTests {
    private struct Counter<Service: Parcels.API> {
        let parcels: Service

        /// Uses the methods with header blocks and those without.
        func dispatch(_ parcel: Parcels.Send, in session: Parcels.Session) async throws -> String {
            let block = Parcels.Headers.session.block(session)
            let first = try await parcels.send(parcel, headerBlocks: [block]).number
            let second = try await parcels.send(parcel).number
            try await parcels.lost(.init(number: [first]), headerBlocks: [block])
            try await parcels.lost(.init(number: [second]))
            return "\(first) \(second)"
        }
    }

    private final class Fake: Parcels.API {
        let calls = Mutex<[String]>([])

        func send(_ input: Parcels.Send, headerBlocks: [HeaderBlock]) async throws -> Parcels.SendResponse {
            calls.withLock { $0.append("send \(input.to.name) \(headerBlocks.count)") }
            return .init(number: "\(headerBlocks.count)")
        }

        func track(_ input: Parcels.Track) async throws -> Parcels.TrackResponse {
            throw SOAPFault.client("no \(input.number)")
        }

        func lost(_ input: Parcels.Lost, headerBlocks: [HeaderBlock]) async throws {
            calls.withLock { $0.append("lost \(input.number) \(headerBlocks.count)") }
        }
    }

    private static let parcel = Parcels.Send(
        choice: .account(1), to: Parcels.Person(name: "Ann"),
        content: .init(choice: .letter(.init(text: .init(content: [.text("Hello")])))))

    @Test func aValueOfATestsOwnTakesTheClientsPlace() async throws {
        let fake = Fake()
        #expect(try await Counter(parcels: fake).dispatch(Self.parcel, in: .init(key: "k")) == "1 0")
        #expect(
            fake.calls.withLock { $0 }
                == ["send Ann 1", "send Ann 0", "lost [\"1\"] 1", "lost [\"0\"] 0"])
        let parcels: any Parcels.API = fake
        await #expect(throws: SOAPFault.self) { try await parcels.track(.init(number: "7")) }
    }

    /// With handlers for two of the three operations.
    @Test func theClientDoesTheSameInProcess() async throws {
        let lost = Mutex<[String]>([])
        let client = Parcels.Client(inProcess: [
            Parcels.Operations.send.route { input, context in
                .init(number: try context.header(Parcels.Headers.session)?.key ?? "\(input.to.name)'s")
            },
            Parcels.Operations.lost.route { input, context in
                let key = try context.header(Parcels.Headers.session)?.key ?? "-"
                lost.withLock { $0 += input.number.map { "\(key) \($0)" } }
            },
        ])
        #expect(try await Counter(parcels: client).dispatch(Self.parcel, in: .init(key: "k")) == "k Ann's")
        #expect(lost.withLock { $0 } == ["k k", "- Ann's"])
        let error = await #expect(throws: ServiceError.self) { try await client.track(.init(number: "7")) }
        #expect(error?.code == .noHandler && error?.message.contains("operation track,") == true)
    }

    @Test func attachmentsTravelInProcess() async throws {
        let archive: any Archive.API = Archive.Client(inProcess: [
            Archive.Operations.forward.route { _, context in
                .init(parts: Int32(try context.attachments.map { try $0.bytes().count }.reduce(0, +)))
            }
        ])
        #expect(try await archive.forward(.init(to: "x"), attachments: [MessageAttachment([1, 2, 3])]).parts == 3)
        #expect(try await archive.forward(.init(to: "x")).parts == 0)
    }

    /// A service without SOAP has no handlers, but it can be replaced as well.
    @Test func servicesWithoutSOAPHaveAProtocolToo() async throws {
        let queries: any PlainQueries.API = PlainQueries.Client(inProcess: [])
        #expect(queries is PlainQueries.Client)
    }

    @Test(arguments: AccessLevel.allCases) func theProtocolHasTheAccessLevelOfTheClient(access: AccessLevel) throws {
        var options = GeneratorOptions()
        options.access = access
        let text = try generateDemo(makeService(schema: message("")), options).text
        let modifier = access == .internal ? "" : "\(access.rawValue) "
        #expect(text.contains("\n    \(modifier)protocol API: Sendable {\n        func `do`(_ input: Do) async"))
        #expect(text.contains("\n    \(modifier)struct Client: ServiceClient, API {\n"))
        #expect(!text.contains("extension Demo.API"))
    }

    @Test func theNameAPIIsReservedForTheProtocol() throws {
        let schema = message("<xs:element name=\"a\" type=\"t:API\"/>", name: "API") + "<xs:complexType name=\"API\"/>"
        let wsdl = makeService(operations: ["API"], schema: schema)
        let text = try generateDemo(wsdl).text
        #expect(text.contains("func api(_ input: APIMessage) async throws -> APIResponse"))
        #expect(text.contains("public struct APIType: Sendable"))
        let service = try generateDemo(wsdl.replacing("<service name=\"Demo\">", with: "<service name=\"API\">")).text
        #expect(service.contains("public enum APIService {"))
    }

    /// An operation with both has a method for each that may be left out, and none that calls itself.
    @Test func optionalArgumentsHaveMethodsWithoutThem() throws {
        let input = """
            <input><mime:multipartRelated xmlns:mime="http://schemas.xmlsoap.org/wsdl/mime/"><mime:part>\
            <soap:body parts="p" use="literal"/><soap:header message="w:do" part="h" use="literal"/></mime:part>\
            <mime:part><mime:content part="f" type="image/png"/></mime:part></mime:multipartRelated></input>
            """
        let parts = """
            <part name="p" element="t:do"/><part name="h" element="t:h"/><part name="f" type="xs:base64Binary"/>
            """
        let wsdl = makeService(schema: message("") + "<xs:element name=\"h\" type=\"xs:string\"/>")
            .replacing("<part name=\"p\" element=\"t:do\"/>", with: parts)
            .replacing("<input><soap:body use=\"literal\"/></input>", with: input)
        let result = try generateDemo(wsdl)
        let text = result.text
        guard let start = text.firstRange(of: "extension Demo.API {") else {
            Issue.record("\(result.diagnostics)")
            return
        }
        let head = "public func `do`("
        let forms = text[start.upperBound...].split(separator: "\n").filter {
            $0.contains("func ") || $0.contains("try ")
        }
        #expect(
            forms.map { $0.trimmingPrefix { $0 == " " } } == [
                "\(head)_ input: Demo.Do) async throws -> Demo.DoResponse {",
                "try await `do`(input, headerBlocks: [], attachments: [])",
                "\(head)_ input: Demo.Do, headerBlocks: [HeaderBlock]) async throws -> Demo.DoResponse {",
                "try await `do`(input, headerBlocks: headerBlocks, attachments: [])",
                "\(head)_ input: Demo.Do, attachments: [MessageAttachment]) async throws -> Demo.DoResponse {",
                "try await `do`(input, headerBlocks: [], attachments: attachments)",
            ])
    }
}
