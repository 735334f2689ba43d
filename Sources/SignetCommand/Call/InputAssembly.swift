#if CommandLine
import SignetDynamic

extension DynamicValue {
    /// Applies the assignments of `--set` to an input.
    ///
    /// - Parameter base: the input from `--json`.
    /// - Throws: ``CommandError`` when two assignments contradict each other.
    static func assembled(
        _ assignments: [InputAssignment], over base: DynamicValue = .object([])
    ) throws(CommandError) -> DynamicValue {
        var result = base
        var seen: Set<[InputAssignment.Step]> = []
        for assignment in assignments {
            guard assignment.appends || seen.insert(assignment.path).inserted else {
                throw CommandError(
                    "“\(assignment.text)” is set twice; write “\(assignment.text)[]” each time if it is repeated.")
            }
            result = try result.setting(assignment.path[...], of: assignment)
        }
        return result
    }

    private func setting(
        _ path: ArraySlice<InputAssignment.Step>, of assignment: InputAssignment
    ) throws(CommandError) -> DynamicValue {
        guard let step = path.first else {
            switch self {
            case .object, .array:
                guard assignment.isJSON else {
                    let text = assignment.text
                    let hint = hasAttribute ? " Beside attributes the text is set as “\(text).#text”." : ""
                    throw CommandError("“\(text)” has parts already, so that it cannot be a text as well.\(hint)")
                }
                return assignment.value
            case .null, .bool, .number, .string: return assignment.value
            }
        }
        switch (step, self) {
        case (.name(let name), .object(var members)):
            let position = members.firstIndex { $0.name == name }
            let part = try Self.setting(path.dropFirst(), of: assignment, in: position.map { members[$0].value })
            if let position { members[position].value = part } else { members.append(Member(name, part)) }
            return .object(members)
        case (.name(let name), .array):
            throw CommandError(
                "“\(assignment.text)”: the value around “\(name)” is a list; write [0] for its first item, or [] for a new one."
            )
        case (.name(let name), _):
            let hint = assignment.textHint(name)
            throw CommandError(
                "“\(assignment.text)”: the element around “\(name)” has a value of its own already.\(hint)")
        case (.index(let index), .array(var items)):
            guard index <= items.count else {
                throw CommandError(
                    "“\(assignment.text)” leaves a gap: there are \(items.count) items, so that the next is [\(items.count)]."
                )
            }
            let isNew = index == items.count
            let item = try Self.setting(path.dropFirst(), of: assignment, in: isNew ? nil : items[index])
            if isNew { items.append(item) } else { items[index] = item }
            return .array(items)
        case (.append, .array(let items)):
            return .array(items + [try Self.setting(path.dropFirst(), of: assignment, in: nil)])
        case (.index, _), (.append, _):
            throw CommandError("“\(assignment.text)” is set as a list, but its value is not a list.")
        }
    }

    private var hasAttribute: Bool {
        guard case .object(let members) = self else { return false }
        return members.contains { $0.name.hasPrefix("@") }
    }

    /// Sets a value below a part; a missing part starts as an object or a list, whichever the next step needs.
    private static func setting(
        _ path: ArraySlice<InputAssignment.Step>, of assignment: InputAssignment, in part: DynamicValue?
    ) throws(CommandError) -> DynamicValue {
        // A nil value becomes an object when a part of it is set.
        if let part, part != .null { return try part.setting(path, of: assignment) }
        switch path.first {
        case .name: return try DynamicValue.object([]).setting(path, of: assignment)
        case .index, .append: return try DynamicValue.array([]).setting(path, of: assignment)
        case nil: return assignment.value
        }
    }
}

extension InputAssignment {
    /// The hint that a text beside attributes is set with `#text`.
    fileprivate func textHint(_ name: String) -> String {
        guard name.hasPrefix("@"), text.hasSuffix(".\(name)") else { return "" }
        let whole = text.dropLast(name.count + 1)
        return " Beside attributes the text is set as “\(whole).#text”: --set '\(whole).#text=…'."
    }
}
#endif
