/// A Swift expression as a structure, before the layout in lines.
indirect enum SwiftExpression {
    /// A literal, which stands for a `Nillable` as well as for its value.
    case literal(String)
    case term(String)
    /// `head(label: argument, …)`
    case call(String, [Argument])
    case list([SwiftExpression])
    /// The value of an optional, which is not nil.
    case unwrapped(SwiftExpression)
    /// A nil of a message: `nil`, or `.null` of a `Nillable`.
    case null

    struct Argument {
        var label: String?
        var value: SwiftExpression

        init(_ label: String?, _ value: SwiftExpression) { (self.label, self.value) = (label, value) }
    }

    static func call(_ head: String, _ value: SwiftExpression) -> Self { .call(head, [Argument(nil, value)]) }

    /// A placeholder as those of editors, where a value is needed: the compiler stops there.
    static func placeholder(_ words: String) -> Self {
        let line = words.map { $0.isNewline ? " " : $0 }.prefix(120)
        // For a compiler, a number sign ends it also where a combining mark follows.
        let scalars = String(line).unicodeScalars.filter { $0 != "#" }
        return .term("<#\(String(String.UnicodeScalarView(scalars)))#>")
    }

    /// The value in a `Nillable`.
    var inNillable: Self {
        switch self {
        case .literal: self
        case .null: .term(".null")
        default: .call(".value", self)
        }
    }

    // MARK: Layout

    static let width = 100

    /// The lines of `prefix`, the expression and `suffix`; the first line is not indented.
    func text(_ prefix: String, _ suffix: String = "", indent: Int) -> String {
        let line = prefix + inOneLine + suffix
        if indent + line.count <= Self.width { return line }
        let inner = indent + 4
        let space = "\n" + String(repeating: " ", count: inner)
        switch self {
        case .call(let head, let arguments) where !arguments.isEmpty:
            let joined = arguments.map(\.inOneLine).joined(separator: ", ") + ")\(suffix)"
            // Arguments that fit into a line of their own stay together.
            if inner + joined.count <= Self.width { return "\(prefix)\(head)(\(space)\(joined)" }
            let items = arguments.enumerated().map { number, argument in
                argument.value.text(
                    argument.prefix, number == arguments.count - 1 ? ")\(suffix)" : ",", indent: inner)
            }
            return "\(prefix)\(head)(\(space)\(items.joined(separator: space))"
        case .list(let values) where !values.isEmpty:
            let items = values.map { $0.text("", values.count > 1 ? "," : "", indent: inner) }
            return "\(prefix)[\(space)\(items.joined(separator: space))\(space.dropLast(4))]\(suffix)"
        case .unwrapped(let value): return value.text(prefix, "!\(suffix)", indent: indent)
        default: return line
        }
    }

    var inOneLine: String {
        switch self {
        case .literal(let text), .term(let text): text
        case .call(let head, let arguments): "\(head)(\(arguments.map(\.inOneLine).joined(separator: ", ")))"
        case .list(let values): "[\(values.map(\.inOneLine).joined(separator: ", "))]"
        case .unwrapped(let value): "\(value.inOneLine)!"
        case .null: "nil"
        }
    }
}

extension SwiftExpression.Argument {
    fileprivate var prefix: String { label.map { "\($0): " } ?? "" }
    fileprivate var inOneLine: String { prefix + value.inOneLine }
}
