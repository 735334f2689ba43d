#if Server
import SignetDynamic
import SignetSOAP

/// How a mock answers requests that match.
package struct MockRule: Sendable {
    /// What the mock does.
    enum Action: Sendable {
        /// What it does without a rule.
        case usual
        case answer(DynamicReply)
        case declaredFault(DynamicFault)
        case fault(SOAPFault)
        case failure(InjectedFailure)
    }

    /// From 1, in the order of the file.
    let number: Int
    /// Nil for all operations.
    let operation: String?
    /// What the input must have at least; nil for any input.
    let condition: DynamicValue?
    /// How many requests the rule is for; nil for all.
    let times: Int?
    /// How long the mock waits before it answers.
    let delay: Duration
    let action: Action

    func isFor(_ request: DynamicRequest) -> Bool {
        (operation == nil || operation == request.operation)
            && condition.map { Self.value(request.input, has: $0) } ?? true
    }

    /// Whether no request is left for a rule that comes after this one.
    func hides(_ later: MockRule) -> Bool {
        times == nil && condition == nil && (operation == nil || operation == later.operation)
    }

    /// Whether a value has all that is wanted: it may have other members besides; a number equals its text; null is wanted for a member
    /// that is nil or absent.
    static func value(_ value: DynamicValue?, has wanted: DynamicValue) -> Bool {
        switch (wanted, value) {
        case (.null, nil), (.null, .null?): true
        case (.object(let members), .object?): members.allSatisfy { Self.value(value?[$0.name], has: $0.value) }
        case (.array(let items), .array(let found)?):
            items.count == found.count && zip(found, items).allSatisfy { Self.value($0, has: $1) }
        case (.null, _), (.object, _), (.array, _), (_, nil): false
        // A simple value with attributes.
        case (_, .object?): Self.value(value?["#text"], has: wanted)
        case (_, let found?): wanted.simpleText != nil && wanted.simpleText == found.simpleText
        }
    }

    /// What the rule does, for the operator.
    var summary: String {
        switch action {
        case .usual: "rule \(number)"
        case .answer: "the answer of rule \(number)"
        case .declaredFault, .fault: "the fault of rule \(number)"
        case .failure(let failure): "\(failure) by rule \(number)"
        }
    }
}

extension DynamicValue {
    /// A simple value as text.
    fileprivate var simpleText: String? {
        switch self {
        case .string(let text): text
        case .number(let digits): digits
        case .bool(let flag): flag ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
}
#endif
