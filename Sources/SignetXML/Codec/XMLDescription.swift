extension XMLFielded {
    /// The type and its fields, as in `Order(id: 7, items: [Item(code: "A1")])`: at most about 1,000 characters and 16
    /// levels. Fields that are nil or empty are omitted, and `[redacted]` replaces secrets; ``SecretName`` recognizes
    /// these by their names.
    // Disfavoured: if the schema has an optional element of this name, the element is meant.
    @_disfavoredOverload public var description: String { XMLDescription.text(of: self) }
}

extension XMLChoice {
    /// The alternative and its value, as in `.card(Card(number: "1"))`, with the limits and secrets of a structure's
    /// description.
    @_disfavoredOverload public var description: String { XMLDescription.text(of: self) }
}

/// Describes generated values by reflection, so that no type needs code for it. It omits values that are secret by the
/// name of their property or element (``SecretName``).
private struct XMLDescription {
    private var text = ""

    private static let longest = 1000
    private static let deepest = 16

    static func text(of value: Any) -> String {
        var description = XMLDescription()
        description.add(value, depth: 0)
        return description.isFull ? description.text.prefix(longest) + "…" : description.text
    }

    /// Counted in bytes, which is fast: every character has at least one.
    private var isFull: Bool { text.utf8.count > Self.longest }

    private mutating func add(_ value: Any, depth: Int) {
        guard !isFull else { return }
        guard depth <= Self.deepest else { return text += "…" }
        let mirror = Mirror(reflecting: value)
        // This comes before all casts, because casts look through optionals.
        if mirror.displayStyle == .optional {
            return mirror.children.first.map { add($0.value, depth: depth) } ?? (text += "nil")
        }
        switch value {
        case let value as String: text += value.debugDescription
        case let value as any XMLNillable: value.erased.map { add($0, depth: depth) } ?? (text += "nil")
        case let value as any XMLWrapper: add(value.wrapped, depth: depth)
        case let value as any XMLValue: text += value.lexicalForm
        // Such a type hides its content, so it is not shown.
        case is any CustomReflectable where mirror.displayStyle == nil && depth > 0: text += "\(value)"
        case let value as any XMLFielded: add("\(type(of: value))", Self.names(of: value), mirror, depth)
        case is any XMLChoice:
            guard let (label, payload) = mirror.children.first else { return text += "\(type(of: value))" }
            text += ".\(label ?? "")("
            if SecretName.matches(label ?? "") { text += Self.hidden } else { add(payload, depth: depth + 1) }
            text += ")"
        default:
            if mirror.displayStyle == .collection { list(mirror, depth) } else { text += "\(value)" }
        }
    }

    private static let hidden = "[redacted]"

    /// The XML names of the fields of a value, in the order of its properties; the text of simple content has the name
    /// of its type.
    private static func names<T: XMLFielded>(of value: T) -> [String] {
        let table = T.xmlTable
        let fields = Array(table.elements) + Array(table.attributes)
        return fields.map { String(decoding: $0.bytes, as: UTF8.self) } + (table.hasText ? ["\(T.self)"] : [])
            + (table.hasAnyAttribute ? [""] : [])
    }

    private mutating func add(_ type: String, _ names: [String], _ mirror: Mirror, _ depth: Int) {
        text += type + "("
        var isFirst = true
        // A handwritten type may have properties that are not fields.
        let isNamed = names.count == mirror.children.count
        for (index, (label, value)) in mirror.children.enumerated() {
            guard let label, !isFull else { continue }
            var value = value
            if let wrapper = value as? any XMLWrapper { value = wrapper.wrapped }
            let inner = Mirror(reflecting: value)
            let mayBeEmpty = inner.displayStyle == .optional || inner.displayStyle == .collection
            if mayBeEmpty && inner.children.isEmpty { continue }
            text += isFirst ? "" : ", "
            isFirst = false
            text += "\(label.trimmingPrefix("_")): "
            let isSecret = SecretName.matches(label) || isNamed && SecretName.matches(names[index])
            if isSecret { text += Self.hidden } else { add(value, depth: depth + 1) }
        }
        text += ")"
    }

    private mutating func list(_ mirror: Mirror, _ depth: Int) {
        text += "["
        var isFirst = true
        for (_, item) in mirror.children {
            guard !isFull else { break }
            text += isFirst ? "" : ", "
            isFirst = false
            add(item, depth: depth + 1)
        }
        text += "]"
    }
}

/// A wrapper between a property and its value: any ``XMLDerived`` or ``XMLBox``.
private protocol XMLWrapper {
    var wrapped: Any { get }
}

extension XMLDerived: XMLWrapper {
    fileprivate var wrapped: Any { value }
}

extension XMLBox: XMLWrapper {
    fileprivate var wrapped: Any { value as Any }
}
