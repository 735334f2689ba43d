import SignetDynamic
import SignetHTTP

// What collections in JSON have in common. The JSON reader limits their depth to 128 values, which are 63 folders.

extension DynamicValue {
    /// The items of an array; none for anything else.
    var items: [DynamicValue] {
        if case .array(let items) = self { items } else { [] }
    }

    /// A string, number or boolean as text: tools write the values of variables in each of these ways.
    var plainText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let flag): flag ? "true" : "false"
        default: nil
        }
    }

    /// The text of a member, unless it is empty.
    func text(_ name: String) -> String? {
        guard let text = self[name]?.plainText, !text.isEmpty else { return nil }
        return text
    }

    /// Whether a header or a variable is switched off: `disabled` in Postman, `enabled` in Bruno.
    var isOff: Bool { self["disabled"] == .bool(true) || self["enabled"] == .bool(false) }

    /// The pairs in an array of objects, without those that are switched off.
    func pairs(_ names: String...) -> [(name: String, value: String)] {
        items.compactMap { item in
            guard !item.isOff, let name = names.lazy.compactMap({ item.text($0) }).first,
                let value = item["value"]?.plainText
            else { return nil }
            return (name, value)
        }
    }
}

extension [String: String] {
    /// The last of several pairs with one name counts.
    init(pairs: [(name: String, value: String)]) {
        self.init(pairs.map { ($0.name, $0.value) }) { $1 }
    }
}

extension RequestCollection.Request {
    /// Takes what a field of HTTP says about the message.
    mutating func take(field name: String, _ value: String) {
        switch name.lowercased() {
        case "soapaction": action = value
        // No server takes a longer one.
        case "content-type" where value.utf8.count <= 8192:
            let type = MediaType(value)
            if type.essence == "application/soap+xml" { isSOAP12 = true }
            if action == nil { action = type.action }
        default: break
        }
    }
}
