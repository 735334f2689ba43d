/// Swift source as a structure, before the layout in lines.
indirect enum SwiftCode {
    case line(String)
    /// A documentation comment; any text is safe.
    case documentation(String)
    /// `head { … }`
    case block(String, [SwiftCode])
    /// `head { parameters in … }`
    case closure(String, String, [SwiftCode])
    /// `prefix` items `suffix`, as in a call: on one line, or one item per line.
    case call(String, [String], String)
    /// The same for a declaration: over several lines, its suffix has a line of its own. With a body, `suffix` ends
    /// without `{`.
    case function(String, [String], String, [SwiftCode]?)
    case blank
}

/// The fourth stage's result.
struct SwiftFile {
    var name: String
    var code: [SwiftCode]

    /// The text, laid out as swift-format does it for lines of 120 characters.
    var text: String {
        var renderer = SwiftRenderer()
        renderer.render(code, indent: 0)
        return renderer.text
    }
}

/// The fifth stage: structure into text.
struct SwiftRenderer {
    private(set) var text = ""
    static var width: Int { 120 }

    mutating func render(_ code: [SwiftCode], indent: Int) {
        for item in code { render(item, indent: indent) }
    }

    private mutating func render(_ code: SwiftCode, indent: Int) {
        switch code {
        case .blank: text += "\n"
        case .line(let line): add(line, indent)
        case .documentation(let words): for line in Self.comment(words, indent: indent) { add(line, indent) }
        case .block(let head, let body):
            guard !body.isEmpty else { return add("\(head) {}", indent) }
            add("\(head) {", indent)
            render(body, indent: indent + 4)
            add("}", indent)
        case .closure(let head, let parameters, let body):
            add("\(head) { \(parameters) in", indent)
            render(body, indent: indent + 4)
            add("}", indent)
        case .call(let prefix, let items, let suffix):
            let joined = prefix + items.joined(separator: ", ") + suffix
            if fits(joined, indent) { return add(joined, indent) }
            var inner = indent
            if !fits(prefix, indent), let equals = prefix.firstRange(of: " = ") {
                // The name and the type are too long for one line.
                add(prefix[..<equals.lowerBound] + " =", indent)
                inner += 4
                add(prefix[equals.upperBound...], inner)
            } else {
                add(prefix, indent)
            }
            addItems(items, suffix, inner + 4)
        case .function(let prefix, let items, let suffix, let body):
            let opening = body == nil ? "" : " {"
            let joined = prefix + items.joined(separator: ", ") + suffix + opening
            if fits(joined, indent) {
                guard body?.isEmpty != true else { return add(joined + "}", indent) }
                add(joined, indent)
            } else {
                add(prefix, indent)
                addItems(items, "", indent + 4)
                add(suffix + opening + (body?.isEmpty == true ? "}" : ""), indent)
            }
            guard let body, !body.isEmpty else { return }
            render(body, indent: indent + 4)
            add("}", indent)
        }
    }

    private mutating func addItems(_ items: [String], _ suffix: String, _ indent: Int) {
        for (index, item) in items.enumerated() { add(item + (index == items.count - 1 ? suffix : ","), indent) }
    }

    private func fits(_ line: String, _ indent: Int) -> Bool {
        line.fits(Self.width - indent) && !line.utf8.contains(UInt8(ascii: "\n"))
    }

    private mutating func add(_ lines: some StringProtocol, _ indent: Int) {
        // This is the fast path for almost all lines of a large file.
        guard lines.utf8.contains(UInt8(ascii: "\n")) else { return addLine(lines, indent) }
        for line in lines.split(separator: "\n", omittingEmptySubsequences: false) { addLine(line, indent) }
    }

    private mutating func addLine(_ line: some StringProtocol, _ indent: Int) {
        if !line.isEmpty { for _ in 0..<indent / 4 { text += "    " } }
        text += line
        text += "\n"
    }

    /// Fills lines with the words of a text, with an empty line between paragraphs; no word can end the comment.
    private static func comment(_ text: String, indent: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        func finish() {
            lines.append(line.isEmpty ? "///" : "/// \(line)")
            line = ""
        }
        let room = max(40, width - indent - 4)
        for source in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let words = source.split(whereSeparator: \.isWhitespace)
            if words.isEmpty {
                if !line.isEmpty { finish() }
                if let last = lines.last, last != "///" { finish() }
                continue
            }
            for word in words {
                if !line.isEmpty && line.count + 1 + word.count > room { finish() }
                line += (line.isEmpty ? "" : " ") + word
            }
        }
        if !line.isEmpty { finish() }
        while lines.last == "///" { lines.removeLast() }
        return lines
    }
}

extension String {
    /// Whether the text fits into this many columns; a character has at least one byte.
    fileprivate func fits(_ columns: Int) -> Bool {
        utf8.count <= columns || (!utf8.allSatisfy { $0 < 0x80 } && count <= columns)
    }

    /// A string literal with this value.
    var swiftLiteral: String {
        let isPlain = utf8.allSatisfy {
            (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        if isPlain { return "\"\(self)\"" }
        var literal = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            default:
                let isPlain =
                    (scalar.isASCII && scalar.value >= 0x20 && scalar.value < 0x7F)
                    || scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format
                        && scalar.value != 0x2028 && scalar.value != 0x2029
                literal += isPlain ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return literal + "\""
    }

    /// An array literal, over several lines when one line would be too long at this indentation.
    static func swiftArray(_ items: [String], label: String, indent: Int) -> String {
        let joined = "\(label)[\(items.joined(separator: ", "))]"
        if joined.fits(SwiftRenderer.width - indent - 1) { return joined }
        // swift-format wants no comma behind a single item.
        let comma = items.count > 1 ? "," : ""
        return "\(label)[\n\(items.map { "    \($0)" }.joined(separator: ",\n"))\(comma)\n]"
    }

    /// A call's arguments, one per line when they are too long for one line.
    static func swiftArguments(_ items: [String], label: String, indent: Int) -> String {
        let joined = "\(label)(\(items.joined(separator: ", ")))"
        if joined.fits(SwiftRenderer.width - indent - 1) { return joined }
        return "\(label)(\n\(items.map { "    \($0)" }.joined(separator: ",\n")))"
    }

    /// Like ``swiftLiteral``, over several lines when one line would be too long; lines break only at spaces.
    func swiftLiteral(indent: Int) -> String {
        let literal = swiftLiteral
        if literal.fits(SwiftRenderer.width - indent) { return literal }
        var lines: [String] = []
        var line = ""
        for word in literal.dropFirst().dropLast().split(separator: " ") {
            if !line.isEmpty && indent + line.count + word.count + 7 > SwiftRenderer.width {
                lines.append(line + " \\")
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return (["\"\"\""] + (lines + [line, "\"\"\""]).map { "    \($0)" }).joined(separator: "\n")
    }
}

extension String {
    /// Like ``swiftLiteral``, with one line per line of the text when one line would be too long.
    func swiftLines(indent: Int) -> String {
        // A literal is never shorter than its value.
        if fits(SwiftRenderer.width - indent) {
            let literal = swiftLiteral
            if literal.fits(SwiftRenderer.width - indent) { return literal }
        }
        let lines = split(separator: "\n", omittingEmptySubsequences: false).map { line in
            String(String(line).swiftLiteral.dropFirst().dropLast())
        }
        return "\"\"\"\n" + (lines + ["\"\"\""]).map { "    \($0)" }.joined(separator: "\n")
    }
}
