import HTTPTypes
import SignetDynamic
import SignetSOAP
import Testing

/// Values hold passwords: only `json()` prints them.
@Suite struct DescriptionTests {
    private let value: DynamicValue = ["user": ["password": "s3cret", "pin": 4711, "keys": ["s3cret"]]]

    private func printed(_ value: Any) -> String {
        var text = "\(value) \(String(reflecting: value)) "
        dump(value, to: &text)
        return text
    }

    @Test func valuesGiveKindAndSizeOnly() {
        let member = DynamicValue.Member("password", "s3cret")
        for any in [value, [value], value["user"] as Any, value["user"]?["password"] as Any, member] as [Any] {
            let text = printed(any)
            #expect(!text.contains("s3cret") && !text.contains("4711"), "\(text)")
        }
        #expect("\(value)" == "an object (1 members)")
        #expect("\(DynamicValue.string("s3cret"))" == "a string (6 characters)")
    }

    @Test func faultsAndAnswersHideTheirValues() throws {
        let service = try service(
            type: "<xs:sequence><xs:element name=\"password\" type=\"xs:string\"/></xs:sequence>")
        #expect(!printed(try service.sample(of: "Do")).contains("\"string\""))
        let error = try service.refusal(#"{"password":{"a":"s3cret"}}"#)
        #expect(error.map { !printed($0).contains("s3cret") } == true)
    }

    @Test func anAnswerHidesItsValues() async throws {
        let service = try service(type: "<xs:sequence><xs:element name=\"v\" type=\"xs:string\"/></xs:sequence>")
        let envelope = """
            <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Header><h xmlns="urn:h">s3cret</h></s:Header>
            <s:Body><Do xmlns="urn:t"><v>s3cret</v></Do></s:Body></s:Envelope>
            """
        let client = try DynamicClient(service, transport: TestTransport(.ok, envelope))
        let answer = try await client.answer(to: "Do", ["v": "x"])
        #expect(answer.output["v"] == "s3cret")
        let text = printed(answer)
        #expect(!text.contains("s3cret"), "\(text)")
    }
}
