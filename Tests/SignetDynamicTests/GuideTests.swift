import Foundation
import HTTPTypes
import SignetDynamic
import SignetSOAP
import Testing

/// The article DynamicCalls must say what works.
@Suite struct GuideTests {
    private let answer = """
        <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>
        <LogEntryQueryResponse xmlns="urn:signet:example:webease:types"><entry><id>1</id><systolic>120</systolic></entry>
        <truncated>false</truncated></LogEntryQueryResponse></s:Body></s:Envelope>
        """

    /// The lines of the guide's example, as they stand there.
    @Test func theExample() async throws {
        let transport = TestTransport(.ok, answer)
        let caller = ServiceCaller(endpoint: try Endpoint("http://localhost/soap"), transport: transport)
        var printed: [String] = []
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

        let service = try DynamicService(contentsOfFile: TestWSDL.webEase.path())
        print(service)  // the port, and its operations
        print(try service.sample(of: "LogEntryQuery").json(pretty: true))

        let client = DynamicClient(service, caller)
        let query = try DynamicValue(json: #"{"patientId": "4711", "kind": ["Manual"]}"#)
        print(String(decoding: try client.envelope(of: "LogEntryQuery", query), as: UTF8.self))  // nothing is sent
        #expect(transport.lastRequest == nil)
        do {
            let answer = try await client.call("LogEntryQuery", query)
            print(answer["entry"]?[0]?["systolic"]?.json() ?? "none", answer.json())
        } catch let fault as DynamicFault {  // declared by the WSDL
            print(fault.element, fault.detail.json())
        } catch let error as DynamicError {  // the value does not suit the schema; nothing was sent
            print(error.path, error.message)
        }
        #expect(printed.count == 4)
        #expect(printed[0].contains("LogEntryQuery → LogEntryQueryResponse"))
        #expect(printed[1].contains("\"operator\": \"equal\""))
        #expect(printed[2].contains("4711</"))
        #expect(printed[3].hasSuffix(#"{"entry":[{"id":1,"systolic":120}],"truncated":false}"#))
    }

    @Test func theExampleOfAService() async throws {
        let service = try DynamicService(contentsOfFile: TestWSDL.webEase.path())
        let dispatcher = try service.dispatcher { request, context in
            switch request.operation {
            case "LogEntryQuery" where request.input["patientId"] == "4711":
                return DynamicReply(["entry": [], "truncated": false])
            case "LogEntryDelete":
                throw DynamicFault("EntryNotFound", ["id": 7], reason: "No such entry.")
            default:
                return DynamicReply(try service.sampleAnswer(of: request.operation))
            }
        }
        let client = DynamicClient(
            service,
            ServiceCaller(endpoint: try Endpoint("http://localhost/soap"), transport: InProcessTransport(dispatcher)))
        #expect(try await client.call("LogEntryQuery", ["patientId": "4711"]) == ["truncated": false])
        #expect(try await client.call("LogEntryQuery", ["patientId": "1"])["entry"]?[0] != nil)
        let fault = await #expect(throws: DynamicFault.self) { try await client.call("LogEntryDelete", ["id": 7]) }
        #expect(fault?.detail == ["id": 7])
    }

    @Test func theExampleIsTheOneInTheGuide() throws {
        let file = URL(filePath: #filePath)
        let guide = file.deletingLastPathComponent().appending(path: "../../Sources/Signet/Signet.docc/DynamicCalls.md")
            .standardized
        let text = try String(contentsOf: guide, encoding: .utf8)
        let blocks = text.split(separator: "```swift\n").dropFirst().compactMap { $0.split(separator: "```").first }
        #expect(blocks.count == 2)
        let test = Self.squeezed(try String(contentsOf: file, encoding: .utf8))
        for line in blocks.joined().split(separator: "\n").map({ Self.squeezed(String($0)) })
        where !line.contains("contentsOfFile") {
            #expect(test.contains(line), "\(line)")
        }
    }

    /// Without what formatting may change.
    private static func squeezed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
