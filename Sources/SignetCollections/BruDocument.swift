import SignetDynamic

/// A file in Bruno's own language: blocks that begin with a line such as `post {`, and end with a line that begins with
/// the other brace.
struct BruDocument: Sendable {
    private var blocks: [String: [Substring]] = [:]

    /// A line takes far more memory than its text.
    private static let maximumLines = 500_000

    private typealias Pair = (name: String, value: String)

    /// Reads the blocks; what is inside them has no fixed form.
    init(_ content: [UInt8]) throws(CollectionError) {
        guard let text = String(validating: content, as: UTF8.self) else {
            throw CollectionError(.unknownFormat, "this is neither a text in UTF-8 nor a file of a known tool.")
        }
        // Swift takes a line break of two characters for one, so that it is cut as scalars.
        let pieces = text.unicodeScalars.split(
            separator: "\n", maxSplits: Self.maximumLines, omittingEmptySubsequences: false)
        guard pieces.count <= Self.maximumLines else {
            throw CollectionError(.limitExceeded, "the file has more than \(Self.maximumLines) lines.")
        }
        let lines = pieces.map { Substring($0.last == "\r" ? $0.dropLast() : $0) }
        var open: (name: String, end: Unicode.Scalar, line: Int)?
        for (index, line) in lines.enumerated() {
            if let block = open {
                if line.unicodeScalars.first == block.end { open = nil } else { blocks[block.name]?.append(line) }
            } else if let (name, end) = Self.head(line) {
                open = (name, end, index + 1)
                blocks[name] = []
            } else if !String(line).trimmedOfSpace.isEmpty {
                throw Self.unexpectedLine(index + 1, isFirst: blocks.isEmpty)
            }
        }
        if let open {
            throw CollectionError(
                .malformed,
                "line \(open.line): the block ‘\(open.name.shown)’ has no end, which is a line that begins with ‘\(open.end)’."
            )
        }
    }

    private static func unexpectedLine(_ number: Int, isFirst: Bool) -> CollectionError {
        isFirst
            ? CollectionError(
                .unknownFormat,
                """
                this is no file that can be read here: a project of SoapUI (XML), a collection of Postman or Bruno (JSON), \
                or a request of Bruno (.bru). For Bruno's files in YAML, export the collection as JSON.
                """
            )
            : CollectionError(.malformed, "line \(number): a block such as ‘headers {’ is expected between blocks.")
    }

    /// The name in the first line of a block, and what ends it.
    private static func head(_ line: Substring) -> (name: String, end: Unicode.Scalar)? {
        let text = String(line).trimmedOfSpace.unicodeScalars
        let ends: [Unicode.Scalar: Unicode.Scalar] = ["{": "}", "[": "]"]
        guard let last = text.last, let end = ends[last] else { return nil }
        let name = String(text.dropLast()).trimmedOfSpace
        let isName = name.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: ":")
                || byte == UInt8(ascii: "-")
        }
        return isName && !name.isEmpty ? (name, end) : nil
    }

    private static let methods = [
        "post", "get", "put", "delete", "patch", "options", "head", "connect", "trace", "http",
    ]

    /// The request, as an exported collection would have it; nil in a file that has none.
    var item: DynamicValue? {
        guard let method = Self.methods.first(where: { blocks[$0] != nil }) else { return nil }
        let settings = [String: String](pairs: pairs(method))
        let mode = settings["body"] ?? (blocks["body:xml"] == nil ? "text" : "xml")
        let authorization = settings["auth"] ?? "none"
        return [
            "name": .string([String: String](pairs: pairs("meta"))["name"] ?? ""),
            "request": [
                "url": .string(settings["url"] ?? ""),
                "headers": members("headers"),
                "body": ["mode": .string(mode), "xml": .string(text("body:xml")), "text": .string(text("body:text"))],
                "auth": ["mode": .string(authorization), authorization: account("auth:\(authorization)")],
                "vars": ["req": members("vars:pre-request")],
            ],
        ]
    }

    /// The text of a block, without the two spaces before each line.
    private func text(_ block: String) -> String {
        (blocks[block] ?? []).map { $0.hasPrefix("  ") ? $0.dropFirst(2) : $0 }.joined(separator: "\n")
    }

    private func members(_ block: String) -> DynamicValue {
        .array(pairs(block).map { ["name": .string($0.name), "value": .string($0.value)] })
    }

    private func account(_ block: String) -> DynamicValue {
        let values = [String: String](pairs: pairs(block))
        return ["username": .string(values["username"] ?? ""), "password": .string(values["password"] ?? "")]
    }

    /// The names and values in a block. One that is switched off keeps the tilde before its name, and so is never found.
    private func pairs(_ block: String) -> [Pair] {
        var pairs: [Pair] = []
        var lines = (blocks[block] ?? [])[...]
        while let line = lines.popFirst() {
            guard let (name, start) = Self.pair(line) else { continue }
            let value = Self.longValue(start, &lines) ?? start
            // A variable that is only for one request has an at sign.
            pairs.append((name.hasPrefix("@") ? String(name.dropFirst()) : name, value))
        }
        return pairs
    }

    /// Cuts a line at its first colon outside of quotation marks.
    private static func pair(_ line: Substring) -> Pair? {
        var isQuoted = false
        var isEscaped = false
        var name = String.UnicodeScalarView()
        let scalars = String(line).trimmedOfSpace.unicodeScalars
        for (index, scalar) in zip(scalars.indices, scalars) {
            switch scalar {
            case ":" where !isQuoted:
                return (String(name).trimmedOfSpace, String(scalars[index...].dropFirst()).trimmedOfSpace)
            case "\\" where isQuoted && !isEscaped: isEscaped = true
            case "\"" where !isEscaped: isQuoted.toggle()
            default:
                name.append(scalar)
                isEscaped = false
            }
        }
        return nil
    }

    /// A value between three apostrophes, whose further lines are taken; nil when it is no such value or has no end.
    private static func longValue(_ start: String, _ lines: inout ArraySlice<Substring>) -> String? {
        let mark = "'''"
        guard start.hasPrefix(mark) else { return nil }
        let first = start.dropFirst(mark.count)
        if let end = first.firstRange(of: mark) { return String(first[..<end.lowerBound]) }
        guard let last = lines.firstIndex(where: { $0.firstRange(of: mark) != nil }) else { return nil }
        let inner = lines[..<last].map { line in
            line.dropFirst(line.prefix(4).prefix { $0 == " " }.count)
        }
        lines = lines[last...].dropFirst()
        return inner.joined(separator: "\n")
    }
}
