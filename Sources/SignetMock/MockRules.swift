#if Server
package import SignetDynamic
import SignetSOAP
import SignetWSDL

/// Reads the rules of a mock.
///
/// ```json
/// [
///   {"operation": "LogEntryQuery", "when": {"patientId": "4711"}, "answer": {"entry": [], "truncated": false}},
///   {"operation": "LogEntryDelete", "fault": {"element": "EntryNotFound", "detail": {"id": 7}, "reason": "No such entry."}},
///   {"operation": "*", "times": 2, "break": "reset"},
///   {"operation": "*", "delay": 0.5}
/// ]
/// ```
package enum MockRules {
    /// The greatest delay, in seconds.
    private static let longestDelay = 3600.0
    private static let actions = ["answer", "fault", "status", "break"]
    private static let keys = ["operation", "when", "times", "delay", "headers"] + actions

    /// - Parameters:
    ///   - json: an array of rules.
    ///   - name: that of the file, for errors.
    ///   - services: those that the rules are for.
    /// - Throws: ``MockError`` for a rule that is wrong, or that could never take effect.
    package static func read(_ json: [UInt8], name: String, for services: [DynamicService]) throws(MockError)
        -> [MockRule]
    {
        let value: DynamicValue
        do { value = try DynamicValue(json: json) } catch { throw MockError("\(name): \(error)") }
        guard case .array(let items) = value else {
            throw MockError("\(name): an array of rules is expected, such as [{\"operation\": \"*\", \"delay\": 1}].")
        }
        var rules: [MockRule] = []
        for (index, item) in items.enumerated() {
            do throws(Problem) {
                let rule = try rule(item, number: index + 1, services)
                if let earlier = rules.first(where: { $0.hides(rule) }) {
                    throw Problem("no request is left for it, because rule \(earlier.number) comes first.")
                }
                rules.append(rule)
            } catch {
                throw MockError("\(name): rule \(index + 1): \(error.text)")
            }
        }
        return rules
    }

    /// What is wrong with a rule.
    private struct Problem: Error {
        var text: String
        init(_ text: String) { self.text = text }
    }

    private static func rule(_ value: DynamicValue, number: Int, _ services: [DynamicService]) throws(Problem)
        -> MockRule
    {
        guard case .object(let members) = value else { throw Problem("an object is expected.") }
        try check(members, keys)
        guard let name = value["operation"]?.text else {
            throw Problem("“operation” must be the name of an operation, or \"*\" for all.")
        }
        let operation = name == "*" ? nil : name
        let concerned = services.filter { service in operation.map { (try? service.operation($0)) != nil } ?? true }
        if concerned.isEmpty {
            let names = services.flatMap { $0.operations.map(\.name) }
            throw Problem(
                "there is no operation ‘\(name)’\(NearMatch.hint(name, among: names)) There are \(names.quotedList(limit: 40))."
            )
        }
        let condition = value["when"]
        if let condition { try check(condition, of: operation, concerned) }
        guard members.count(where: { actions.contains($0.name) }) <= 1 else {
            throw Problem("a rule has one of \(actions.quotedList()) only.")
        }
        guard value["headers"] == nil || value["answer"] != nil else {
            throw Problem("“headers” go with “answer” only.")
        }
        let delay = try delay(value["delay"])
        let action = try action(value, operation, concerned)
        if case .usual = action, delay == .zero {
            throw Problem("it does nothing; give it one of \((actions + ["delay"]).quotedList()).")
        }
        return MockRule(
            number: number, operation: operation, condition: condition,
            times: try value["times"].map { (value) throws(Problem) in try whole(value, 1...1_000_000_000, "times") },
            delay: delay, action: action)
    }

    private static func check(_ members: [DynamicValue.Member], _ known: [String]) throws(Problem) {
        for member in members where !known.contains(member.name) {
            throw Problem("there is no “\(member.name)”\(NearMatch.hint(member.name, among: known))")
        }
    }

    /// Refuses a condition with a name that no input can have.
    private static func check(
        _ condition: DynamicValue, of operation: String?, _ services: [DynamicService]
    ) throws(Problem) {
        guard let operation else { throw Problem("a condition belongs to one operation; name it instead of \"*\".") }
        for service in services {
            // Inputs without members are rare: those of a simple type.
            guard case .object? = try? service.sample(of: operation) else { continue }
            guard case .object(let members) = condition, !members.isEmpty else {
                throw Problem("“when” must be an object with what the input must have.")
            }
        }
        for path in paths(condition) {
            var unknown: (name: String, known: [String])?
            for service in services {
                // One service that may have the name is enough; a schema that cannot be read may have it.
                guard let found = try? service.undeclared(path, inInputOf: operation) else {
                    unknown = nil
                    break
                }
                unknown = found
            }
            if let unknown {
                throw Problem(
                    "the input of \(operation) has no ‘\(unknown.name)’ there (“when”)\(NearMatch.hint(unknown.name, among: unknown.known))"
                )
            }
        }
    }

    /// The ways from the outermost object to each value.
    private static func paths(_ value: DynamicValue) -> [[String]] {
        switch value {
        case .object(let members): members.flatMap { member in paths(member.value).map { [member.name] + $0 } }
        case .array(let items): items.flatMap(paths)
        default: [[]]
        }
    }

    private static func action(
        _ value: DynamicValue, _ operation: String?, _ services: [DynamicService]
    ) throws(Problem) -> MockRule.Action {
        if let answer = value["answer"] {
            guard let operation else { throw Problem("an answer belongs to one operation; name it instead of \"*\".") }
            let reply = DynamicReply(answer, headers: value["headers"] ?? .object([]))
            for service in services {
                do { try service.check(reply, of: operation) } catch {
                    throw Problem("the answer is not valid: \(error)")
                }
            }
            return .answer(reply)
        }
        if let fault = value["fault"] { return try self.fault(fault, operation, services) }
        if let status = value["status"] { return .failure(.status(try whole(status, 200...599, "status"))) }
        guard let failure = value["break"] else { return .usual }
        guard let name = failure.text, let named = InjectedFailure.named[name] else {
            throw Problem("“break” is one of \(InjectedFailure.named.keys.sorted().quotedList()).")
        }
        return .failure(named)
    }

    private static func fault(
        _ value: DynamicValue, _ operation: String?, _ services: [DynamicService]
    ) throws(Problem) -> MockRule.Action {
        guard case .object(let members) = value else { throw Problem("“fault” must be an object.") }
        try check(members, ["element", "detail", "code", "reason"])
        let codes: [String: SOAPFault.Code] = ["client": .client, "server": .server]
        guard let code = codes[value["code"].map { $0.text ?? "" } ?? "client"] else {
            throw Problem("the code of a fault is \"client\" or \"server\".")
        }
        guard let reason = value["reason"].map({ $0.text }) ?? "The mock was told to answer with this fault." else {
            throw Problem("the reason of a fault is a text.")
        }
        if let scalar = reason.unicodeScalars.first(where: { !$0.isAllowedInXML }) {
            throw Problem("the reason of a fault has U+\(String(scalar.value, radix: 16)), which cannot stand in XML.")
        }
        guard let element = value["element"] else {
            guard value["detail"] == nil else { throw Problem("the detail of a fault needs the name of its element.") }
            return .fault(SOAPFault(code, reason))
        }
        guard let name = element.text else { throw Problem("the element of a fault is a name.") }
        guard let operation else {
            throw Problem("a declared fault belongs to one operation; name it instead of \"*\".")
        }
        let fault = DynamicFault(name, value["detail"] ?? .object([]), code: code, reason: reason)
        for service in services {
            do { try service.check(fault, of: operation) } catch { throw Problem("the fault is not valid: \(error)") }
        }
        return .declaredFault(fault)
    }

    private static func whole(_ value: DynamicValue, _ range: ClosedRange<Int>, _ name: String) throws(Problem) -> Int {
        guard case .number(let digits) = value, let number = Int(digits), range.contains(number) else {
            throw Problem("“\(name)” is a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    private static func delay(_ value: DynamicValue?) throws(Problem) -> Duration {
        guard let value else { return .zero }
        guard case .number(let digits) = value, let seconds = Double(digits), seconds > 0, seconds <= longestDelay
        else {
            throw Problem("“delay” is a number of seconds above 0, at most \(Int(longestDelay)).")
        }
        return .seconds(seconds)
    }
}
#endif
