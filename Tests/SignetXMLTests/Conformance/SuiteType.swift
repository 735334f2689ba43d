import SignetXML

/// A simple type of a schema of the suite.
indirect enum SuiteType {
    case anything
    case builtIn(XSDBuiltInType)
    case restriction(of: SuiteType, facets: [SuiteElement])
    case list(SuiteType)
    case union([SuiteType])

    /// The built-in type that values, or the items of lists, belong to; nil for unions.
    var builtIn: XSDBuiltInType? {
        switch self {
        case .builtIn(let type): type
        case .restriction(let base, _): base.builtIn
        case .list(let item): item.builtIn
        case .anything, .union: nil
        }
    }

    /// The type of the items when the values are lists.
    var item: SuiteType? {
        switch self {
        case .builtIn(let type): type.item.map(SuiteType.builtIn)
        case .restriction(let base, _): base.item
        case .list(let item): item
        case .anything, .union: nil
        }
    }

    var whiteSpace: XSDWhiteSpace {
        switch self {
        case .builtIn(let type): return type.whiteSpace
        case .list: return .collapse
        case .anything, .union: return .preserve
        case .restriction(let base, let facets):
            let own = facets.first { $0.name == "whiteSpace" }?.attributes["value"].flatMap(
                XSDWhiteSpace.init(rawValue:))
            return own ?? base.whiteSpace
        }
    }

    // MARK: Judging

    /// Whether a text, with the namespaces around it, stands for a value of the type.
    func accepts(_ text: String, _ scope: [String: String]) -> Bool {
        let text = whiteSpace.applied(to: text)
        switch self {
        case .anything: return true
        case .builtIn(let type): return type.value(of: text, namespaces: scope) != nil
        case .list(let item): return Self.words(text).allSatisfy { item.accepts($0, scope) }
        case .union(let members): return members.contains { $0.accepts(text, scope) }
        case .restriction(let base, let facets):
            guard base.accepts(text, scope) else { return false }
            let allowed = facets.filter { $0.name == "enumeration" }
            guard allowed.isEmpty || allowed.contains(where: { equals(text, scope, $0.value, $0.scope) }) else {
                return false
            }
            let patterns = facets.filter { $0.name == "pattern" }
            guard patterns.isEmpty || patterns.contains(where: { matches(text, $0.value) }) else { return false }
            return facets.allSatisfy { holds($0, text) }
        }
    }

    private func matches(_ text: String, _ pattern: String) -> Bool {
        (try? XSDPattern(pattern))?.matches(text) == true
    }

    private static func words(_ text: String) -> [String] {
        text.split { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }.map(String.init)
    }

    private func equals(
        _ left: String, _ leftScope: [String: String], _ right: String, _ rightScope: [String: String]
    ) -> Bool {
        if let item {
            let (left, right) = (Self.words(left), Self.words(right))
            return left.count == right.count
                && zip(left, right).allSatisfy { item.equals($0, leftScope, $1, rightScope) }
        }
        switch self {
        case .anything: return left == right
        case .list: return false
        case .restriction(let base, _): return base.equals(left, leftScope, right, rightScope)
        case .union(let members):
            return members.contains {
                $0.accepts(left, leftScope) && $0.accepts(right, rightScope)
                    && $0.equals(left, leftScope, right, rightScope)
            }
        case .builtIn(let type):
            func isEqual<T: XSDValue>(_ left: T, _ right: any XSDValue) -> Bool {
                (right as? T).flatMap { left.compare(to: $0) } == .equal
            }
            guard let left = type.value(of: left, namespaces: leftScope),
                let right = type.value(of: right, namespaces: rightScope)
            else { return false }
            return isEqual(left, right)
        }
    }

    /// Whether a value, white space treated, has what a facet asks for.
    private func holds(_ facet: SuiteElement, _ text: String) -> Bool {
        let number = Int(facet.value)
        func order() -> XSDOrder? { builtIn?.compare(text, facet.value) }
        switch facet.name {
        case "length": return length(text).map { $0 == number } ?? true
        case "minLength": return length(text).map { $0 >= number ?? 0 } ?? true
        case "maxLength": return length(text).map { $0 <= number ?? 0 } ?? true
        case "minInclusive": return order() == .greater || order() == .equal
        case "minExclusive": return order() == .greater
        case "maxInclusive": return order() == .less || order() == .equal
        case "maxExclusive": return order() == .less
        case "totalDigits": return XSDDecimal(text)?.totalDigits ?? 0 <= number ?? 0
        case "fractionDigits": return XSDDecimal(text)?.fractionDigits ?? 0 <= number ?? 0
        default: return true
        }
    }

    /// What the facets of length count; nil where they say nothing (Part 2 §4.3.1).
    private func length(_ text: String) -> Int? {
        if item != nil { return Self.words(text).count }
        switch builtIn {
        case .QName, .NOTATION, nil: return nil
        case .hexBinary: return (XSDBuiltInType.hexBinary.value(of: text) as? XSDHexBinary)?.bytes.count
        case .base64Binary: return (XSDBuiltInType.base64Binary.value(of: text) as? XSDBase64Binary)?.bytes.count
        default: return text.unicodeScalars.count
        }
    }
}

extension SuiteElement {
    /// Of a facet.
    fileprivate var value: String { attributes["value"] ?? "" }
}
