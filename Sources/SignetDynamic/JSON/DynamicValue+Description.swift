/// A value may contain passwords: only ``DynamicValue/json(pretty:)`` shows it.
extension DynamicValue: CustomStringConvertible, CustomReflectable {
    /// The kind and the size, never the content.
    public var description: String {
        switch self {
        case .null, .bool, .number: kind
        case .string(let text): "\(kind) (\(text.unicodeScalars.count) characters)"
        case .array(let items): "\(kind) (\(items.count) items)"
        case .object(let members): "\(kind) (\(members.count) members)"
        }
    }

    /// Nothing besides the ``description``.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
