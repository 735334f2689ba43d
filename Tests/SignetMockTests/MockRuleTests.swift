import Foundation
import SignetDynamic
import SignetWSDL
import Testing

@testable import SignetMock

@Suite struct MockRuleTests {
    private func read(_ json: String) throws(MockError) -> [MockRule] {
        let services: [DynamicService]
        do { services = [try TestService.diary()] } catch { throw MockError("\(error)") }
        return try MockRules.read(Array(json.utf8), name: "rules.json", for: services)
    }

    @Test func rulesAreRead() throws {
        let rules = try read(
            """
            [{"operation": "Find", "when": {"id": 7}, "times": 2, "delay": 0.25, "answer": {"entry": [{"id": 7, "text": "x"}]}},
             {"operation": "Find", "times": 1, "fault": {"element": "NotFound", "detail": {"id": 8}, "code": "server", "reason": "Gone."}},
             {"operation": "Find", "fault": {}}, {"operation": "*", "times": 1, "status": 503},
             {"operation": "*", "times": 1, "break": "truncate"}, {"operation": "*", "delay": 1}]
            """)
        #expect(rules.map(\.number) == [1, 2, 3, 4, 5, 6])
        #expect(rules.map(\.operation) == ["Find", "Find", "Find", nil, nil, nil])
        #expect(rules[0].times == 2 && rules[0].delay == .milliseconds(250))
        guard case .answer(let reply) = rules[0].action else { return #expect(Bool(false)) }
        #expect(reply.output == ["entry": [["id": 7, "text": "x"]]])
        guard case .declaredFault(let fault) = rules[1].action else { return #expect(Bool(false)) }
        #expect(fault.fault.code == .server && fault.fault.reason == "Gone." && fault.detail == ["id": 8])
        guard case .fault = rules[2].action, case .failure(.status(503)) = rules[3].action,
            case .failure(.truncate) = rules[4].action, case .usual = rules[5].action
        else { return #expect(Bool(false)) }
    }

    @Test(arguments: [
        ("{", "rules.json: "), ("{}", "an array of rules is expected"), ("[1]", "rule 1: an object is expected."),
        ("[{}]", "“operation” must be"), (#"[{"operation": 1}]"#, "“operation” must be"),
        (#"[{"operation": "Fund", "delay": 1}]"#, "there is no operation ‘Fund’. Did you mean ‘Find’?"),
        (#"[{"operation": "Find"}]"#, "it does nothing"),
        (#"[{"operation": "Find", "anwser": {}}]"#, "there is no “anwser”. Did you mean ‘answer’?"),
        (#"[{"operation": "*", "answer": {}}]"#, "an answer belongs to one operation"),
        (
            #"[{"operation": "Find", "answer": {"entry": [{"id": "x"}]}}]"#,
            "the answer is not valid: FindResponse.entry[0].id"
        ),
        (#"[{"operation": "Find", "answer": {}, "status": 500}]"#, "one of"),
        (#"[{"operation": "Find", "status": 500, "headers": {}}]"#, "“headers” go with “answer” only."),
        (#"[{"operation": "Find", "answer": {}, "headers": {"No": 1}}]"#, "there is no header block ‘No’"),
        (#"[{"operation": "Find", "when": {"di": 7}, "delay": 1}]"#, "the input of Find has no ‘di’ there"),
        (#"[{"operation": "Find", "when": null, "delay": 1}]"#, "“when” must be an object"),
        (#"[{"operation": "Find", "when": 5, "delay": 1}]"#, "“when” must be an object"),
        (#"[{"operation": "*", "when": {"id": 5}, "delay": 1}]"#, "a condition belongs to one operation"),
        (
            #"[{"operation": "*", "delay": 1}, {"operation": "Find", "delay": 2}]"#,
            "rule 2: no request is left for it, because rule 1"
        ),
        (
            #"[{"operation": "Find", "delay": 1}, {"operation": "Find", "when": {"id": 1}, "delay": 2}]"#,
            "because rule 1 comes first"
        ),
        (#"[{"operation": "Tell", "answer": null, "headers": {"Session": {}}}]"#, "the answer is not valid"),
        (#"[{"operation": "Find", "delay": 0}]"#, "“delay” is a number of seconds above 0"),
        (#"[{"operation": "Find", "delay": 4000}]"#, "at most 3600"),
        (#"[{"operation": "Find", "delay": "1"}]"#, "“delay” is a number"),
        (#"[{"operation": "Find", "times": 0, "delay": 1}]"#, "“times” is a whole number from 1"),
        (#"[{"operation": "Find", "times": 1.5, "delay": 1}]"#, "“times” is a whole number from 1"),
        (#"[{"operation": "Find", "status": 600}]"#, "“status” is a whole number from 200 to 599"),
        (#"[{"operation": "Find", "status": 100}]"#, "“status” is a whole number from 200 to 599"),
        (#"[{"operation": "Find", "break": "explode"}]"#, "“break” is one of"),
        (#"[{"operation": "Find", "break": 1}]"#, "“break” is one of"),
        (#"[{"operation": "Find", "fault": {"element": "Nothing"}}]"#, "has no fault ‘Nothing’"),
        (
            #"[{"operation": "Find", "fault": {"element": "NotFound", "detail": {"id": "x"}}}]"#,
            "the fault is not valid"
        ),
        (#"[{"operation": "Find", "fault": {"detail": {}}}]"#, "the detail of a fault needs"),
        (#"[{"operation": "Find", "fault": {"code": "Sender"}}]"#, "the code of a fault"),
        (#"[{"operation": "Find", "fault": {"raeson": "x"}}]"#, "Did you mean ‘reason’?"),
        (##"[{"operation": "Find", "fault": {"reason": "a\u0001b"}}]"##, "U+1, which cannot stand in XML"),
        (#"[{"operation": "Find", "fault": {"reason": 1}}]"#, "the reason of a fault is a text"),
        (#"[{"operation": "*", "fault": {"element": "NotFound", "detail": {"id": 1}}}]"#, "belongs to one operation"),
        (#"[{"operation": "Find", "fault": 1}]"#, "“fault” must be an object"),
        (
            #"[{"operation": "Find", "delay": 1}, {"operation": "Tell", "answer": {"x": 1}}]"#,
            "rule 2: the answer is not valid"
        ),
    ])
    func aWrongRuleIsRefused(json: String, why: String) throws {
        let error = #expect(throws: MockError.self) { try read(json) }
        #expect(error?.description.contains(why) == true, "\(error?.description ?? "")")
    }

    /// An element that only a wildcard allows has its namespace in the input.
    @Test(arguments: [
        ("##other", "nope", false), ("##other", "{urn:o}nope", true), ("##other", "id", true), ("##any", "nope", true),
        ("urn:o", "nope", true), ("##other", "@nope", true),
    ])
    func conditionsNameElementsOfWildcards(namespace: String, name: String, isAccepted: Bool) throws {
        let services =
            "<service name=\"S\">\(TestService.port("A", at: "http://a/"))</service>"
        let password = "<xs:element name=\"password\" type=\"xs:string\" minOccurs=\"0\"/>"
        let wsdl = TestService.wsdl(services).replacing(
            password, with: "<xs:any namespace=\"\(namespace)\" processContents=\"lax\" minOccurs=\"0\"/>")
        let service = try DynamicService(try WSDLLoader { _ in nil }.load(Array(wsdl.utf8), path: "any.wsdl"))
        let json = "[{\"operation\": \"Find\", \"when\": {\"\(name)\": 1}, \"delay\": 1}]"
        if isAccepted {
            #expect(throws: Never.self) { try MockRules.read(Array(json.utf8), name: "rules", for: [service]) }
        } else {
            let error = #expect(throws: MockError.self) {
                try MockRules.read(Array(json.utf8), name: "rules", for: [service])
            }
            #expect(error?.description.contains("has no ‘\(name)’ there") == true, "\(error?.description ?? "")")
        }
    }

    @Test(arguments: [
        (#"{"a": 1}"#, #"{"a": 1, "b": 2}"#, true), (#"{"a": 1}"#, #"{"a": 2}"#, false),
        (#"{"a": 1}"#, #"{"b": 1}"#, false), (#"{"a": {"b": "x"}}"#, #"{"a": {"b": "x", "c": 1}}"#, true),
        (#"{"a": [1, 2]}"#, #"{"a": [1, 2]}"#, true), (#"{"a": [1]}"#, #"{"a": [1, 2]}"#, false),
        (#"{"a": [{"b": 1}]}"#, #"{"a": [{"b": 1, "c": 2}]}"#, true), (#"{"a": "1"}"#, #"{"a": 1}"#, true),
        (#"{"a": "x"}"#, ##"{"a": {"@k": 1, "#text": "x"}}"##, true), (#"{"a": {"b": 1}}"#, #"{"a": 1}"#, false),
        (#"{"a": true}"#, #"{"a": true}"#, true), (#"{"a": null}"#, #"{}"#, true),
        (#"{"a": null}"#, #"{"a": 1}"#, false),
        (#"{"a": null}"#, #"{"a": null}"#, true), ("{}", #"{"a": 1}"#, true),
    ])
    func aConditionIsWhatTheInputHasAtLeast(condition: String, input: String, isMet: Bool) throws {
        #expect(
            MockRule.value(try DynamicValue(json: input), has: try DynamicValue(json: condition)) == isMet)
    }
}
