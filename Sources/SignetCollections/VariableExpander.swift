import SignetWSDL

/// The variables in scope, with their values.
struct Variables: Sendable {
    /// The innermost scope is the last.
    private var scopes: [[String: String]] = []

    mutating func add(_ scope: [String: String]) {
        if !scope.isEmpty { scopes.append(scope) }
    }

    subscript(name: String) -> String? {
        for scope in scopes.reversed() {
            if let value = scope[name] { return value }
        }
        return nil
    }
}

/// Replaces variables by their values, also inside values, in bounded time and space.
struct VariableExpander: Sendable {
    enum Syntax: Sendable {
        /// `{{name}}`.
        case braces
        /// `${name}`, in any case of letters; `$${` stands for `${`.
        case dollar
    }

    /// How deep variables may stand inside the values of others.
    static let depth = 8
    /// How many bytes may be read from texts and values of one collection. Each variable counts 128 more, so that
    /// many empty ones end as well.
    static let budget = 64 << 20

    let syntax: Syntax
    private var left = Self.budget

    init(_ syntax: Syntax) { self.syntax = syntax }

    /// The text with all values. A variable without one stays as it is.
    ///
    /// - Parameter defects: gets, for each of the first few of these, why it has none, as a clause.
    mutating func expand(
        _ text: String, _ variables: Variables, _ defects: inout [String]
    ) throws(CollectionError) -> String {
        let bytes = Array(text.utf8)
        try spend(bytes.count)
        var result: [UInt8] = []
        try append(bytes, variables, depth: 0, to: &result, &defects)
        return String(decoding: result, as: UTF8.self)
    }

    private mutating func spend(_ bytes: Int) throws(CollectionError) {
        guard bytes <= left else {
            throw CollectionError(
                .limitExceeded,
                "with the values of its variables, the collection has more than \(Self.budget) bytes; do variables refer to each other?"
            )
        }
        left -= bytes
    }

    private mutating func append(
        _ text: [UInt8], _ variables: Variables, depth: Int, to result: inout [UInt8], _ defects: inout [String]
    ) throws(CollectionError) {
        var start = 0
        while let place = syntax.nextPlace(in: text, from: start) {
            result += text[start..<place.whole.lowerBound]
            start = place.whole.upperBound
            guard let range = place.name else {
                result += "${".utf8
                continue
            }
            let name = String(decoding: text[range], as: UTF8.self).trimmedOfSpace
            let value = variables[syntax == .dollar ? name.lowercased() : name]
            try spend(128 + (value?.utf8.count ?? 0))
            if let value, depth < Self.depth, !place.isNested {
                try append(Array(value.utf8), variables, depth: depth + 1, to: &result, &defects)
            } else {
                result += text[place.whole]
                guard defects.count < 3, !name.isEmpty else { continue }
                let reason = reason(for: name, isKnown: value != nil, isNested: place.isNested)
                if !defects.contains(reason) { defects.append(reason) }
            }
        }
        result += text[start...]
    }

    private func reason(for name: String, isKnown: Bool, isNested: Bool) -> String {
        // Where an end is missing, what follows may be anything, also a secret.
        let word = name.unicodeScalars.prefix { $0 != "\n" && $0 != "<" }.prefix(60)
        let text = TerminalText.line(String(word)) + (word.endIndex == name.unicodeScalars.endIndex ? "" : "…")
        let shown = syntax == .braces ? "{{\(text)}}" : "${\(text)}"
        if syntax == .dollar, name.hasPrefix("=") { return "‘\(shown)’ is a script, and scripts are not run" }
        if isNested { return "‘\(shown)’ stands inside another variable" }
        return isKnown
            ? "‘\(shown)’ refers to itself, or to variables nested deeper than \(Self.depth)"
            : "‘\(shown)’ has no value in this file"
    }
}

extension VariableExpander.Syntax {
    /// A place in a text that stands for something else.
    struct Place {
        var whole: Range<Int>
        /// Nil where a variable is only mentioned.
        var name: Range<Int>?
        /// Whether it is a part of another variable's name.
        var isNested = false
    }

    /// The next variable that begins at `start` or behind it; of variables inside each other, the innermost.
    func nextPlace(in text: [UInt8], from start: Int) -> Place? {
        let brace = UInt8(ascii: "{")
        let end = UInt8(ascii: "}")
        let (sign, width) = self == .braces ? (brace, 2) : (UInt8(ascii: "$"), 1)
        var opening: Int?
        var isNested = false
        var position = start
        while position < text.count {
            let byte = text[position]
            let next = position + 1 < text.count ? text[position + 1] : 0
            if byte == sign, next == brace {
                if self == .dollar { isNested = opening != nil }
                opening = position
            } else if self == .dollar, byte == sign, next == sign, text[position...].dropFirst(2).first == brace,
                opening == nil
            {
                return Place(whole: position..<(position + 3))
            } else if byte == end, width == 1 || next == end, let opening, position >= opening + 2 {
                return Place(
                    whole: opening..<(position + width), name: (opening + 2)..<position, isNested: isNested)
            }
            position += 1
        }
        return nil
    }
}

extension String {
    /// The text without white space at either end.
    var trimmedOfSpace: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }
}
