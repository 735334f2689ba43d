/// A JSON value (RFC 8259) with exact numbers and ordered members of objects.
public indirect enum DynamicValue: Sendable, Hashable {
    /// The literal `null` (§3). In a message it represents an element that is nil (`xsi:nil`), not an absent one.
    case null
    /// The literal `true` or `false` (§3).
    case bool(Bool)
    /// A number by its digits, exactly as written (§6), for example `12.50`.
    case number(String)
    /// Text, its escapes resolved (§7).
    case string(String)
    /// Values in order, which may be of different kinds (§5).
    case array([DynamicValue])
    /// The members in order; no name occurs twice.
    case object([Member])

    /// A member of an object (§4).
    public struct Member: Sendable, Hashable {
        /// The name, its escapes resolved (§7).
        public var name: String
        /// The value, which may be an object or an array itself.
        public var value: DynamicValue

        /// Makes a member for ``DynamicValue/object(_:)``, in which no other may have the same name.
        public init(_ name: String, _ value: DynamicValue) {
            self.name = name
            self.value = value
        }
    }

    /// Reads JSON strictly, without comments, trailing commas or names that occur twice in an object.
    ///
    /// - Throws: ``DynamicError`` with line and column; also when values are nested deeper than 128.
    public init(json: String) throws(DynamicError) { self = try JSONParser.parse(Array(json.utf8)) }

    /// Reads JSON from UTF-8; a byte-order mark is skipped.
    public init(json: [UInt8]) throws(DynamicError) { self = try JSONParser.parse(json) }

    /// The value of the member with this name; nil when there is no such member or this is not an object.
    public subscript(name: String) -> DynamicValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The item at this index; nil when there is no such item or this is not an array.
    public subscript(index: Int) -> DynamicValue? {
        guard case .array(let items) = self, items.indices.contains(index) else { return nil }
        return items[index]
    }

    /// The text of a string; nil for anything else.
    public var text: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    /// The kind of the value, for error messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension DynamicValue: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
}

extension DynamicValue: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) { self = .number(String(value)) }
}

extension DynamicValue: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension DynamicValue: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: DynamicValue...) { self = .array(elements) }
}

extension DynamicValue: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, DynamicValue)...) {
        var members: [Member] = []
        for (name, value) in elements {
            // When a program writes a name twice, the last value counts.
            if let index = members.firstIndex(where: { $0.name == name }) { members.remove(at: index) }
            members.append(Member(name, value))
        }
        self = .object(members)
    }
}
