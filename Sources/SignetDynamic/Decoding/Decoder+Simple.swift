import SignetSOAP
import SignetWSDL

extension Decoder {
    /// A simple value of the kind that its type prescribes; a text that does not fit the type stays a string.
    func value(of text: String, _ shape: SimpleShape, _ tree: XMLTree) -> DynamicValue {
        switch shape.variety {
        case .atomic(let type):
            let collapsed = shape.collapses ? text.collapsedXMLSpace : text
            switch type.kind {
            case .string: return .string(collapsed)
            case .boolean:
                switch collapsed {
                case "true", "1": return .bool(true)
                case "false", "0": return .bool(false)
                default: return .string(collapsed)
                }
            case .number:
                guard type.isValid(collapsed), let number = Self.jsonNumber(collapsed) else {
                    return .string(collapsed)
                }
                return .number(number)
            case .qualifiedName:
                guard let name = tree.resolve(collapsed) else { return .string(collapsed) }
                return .string(name.namespace.isEmpty ? name.localName : ElementKey.expandedName(name))
            }
        case .list(let item):
            return .array(text.xmlWords.map { value(of: $0, item, tree) })
        case .union(let members):
            let fitting = members.first { $0.defect(of: text) == nil }
            return fitting.map { value(of: text, $0, tree) } ?? .string(text)
        }
    }

    /// A number of XML Schema as JSON writes it: it keeps every digit except leading zeros, omits a plus sign, and adds
    /// digits on both sides of a point. Nil for values that JSON cannot represent as numbers: `INF`, `-INF`, `NaN`.
    static func jsonNumber(_ text: String) -> String? {
        let halves = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
        guard var mantissa = halves.first else { return nil }
        let isNegative = mantissa.hasPrefix("-")
        if isNegative || mantissa.hasPrefix("+") { mantissa = mantissa.dropFirst() }
        guard mantissa.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }) else { return nil }
        let parts = mantissa.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let whole = parts.first.map { $0.drop { $0 == "0" } } ?? ""
        var number = "\(isNegative ? "-" : "")\(whole.isEmpty ? "0" : whole)"
        if parts.count == 2, !parts[1].isEmpty { number += ".\(parts[1])" }
        return halves.count == 2 ? "\(number)e\(halves[1])" : number
    }
}
