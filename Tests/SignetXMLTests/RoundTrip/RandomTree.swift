import SignetXML

/// Trees and their spellings made by chance, the same for the same seed.
struct RandomTree {
    private var state: UInt64
    private let uris: [String]

    /// - Parameter uris: the names of namespaces to take.
    init(seed: Int, uris: [String] = RandomTree.uris) {
        self.uris = uris
        state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678
    }

    /// SplitMix64.
    mutating func next(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int(truncatingIfNeeded: (z ^ (z >> 31)) >> 1) % bound
    }

    mutating func pick<Item>(_ items: [Item]) -> Item { items[next(items.count)] }

    /// One of the ranges' scalars.
    private mutating func scalar(_ ranges: [ClosedRange<UInt32>]) -> Unicode.Scalar {
        let range = pick(ranges)
        return Unicode.Scalar(range.lowerBound + UInt32(next(Int(range.upperBound - range.lowerBound) + 1))) ?? "x"
    }

    /// XML 1.0 fifth edition, production 4 without the colon.
    static let nameStart: [ClosedRange<UInt32>] = [
        0x41...0x5A, 0x5F...0x5F, 0x61...0x7A, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF,
        0x200C...0x200D, 0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD,
        0x10000...0xEFFFF,
    ]
    /// Production 4a.
    static let name: [ClosedRange<UInt32>] =
        nameStart + [0x2D...0x2E, 0x30...0x39, 0xB7...0xB7, 0x300...0x36F, 0x203F...0x2040]
    /// Production 2; what is awkward comes often.
    static let character: [ClosedRange<UInt32>] = [
        0x20...0x7F, 0x22...0x27, 0x3C...0x3E, 0x5D...0x5D, 0x9...0xA, 0xD...0xD, 0x80...0x9F, 0xA0...0x7FF,
        0x800...0xD7FF, 0x2028...0x2029, 0xE000...0xFFFD, 0xFFF0...0xFFFD, 0x10000...0x10FFFF, 0x10FFFE...0x10FFFF,
    ]

    mutating func localName() -> String {
        if next(2) == 0 { return pick(["a", "b", "c", "xml", "id", "aVeryLongNameOfAnElement"]) }
        var text = String.UnicodeScalarView([scalar(Self.nameStart)])
        for _ in 0..<next(12) { text.append(scalar(Self.name)) }
        return String(text)
    }

    mutating func text() -> String {
        switch next(4) {
        case 0: return pick(["", " ", "\n", "t", "]]>", "\r\n", "p:x", "b:x", "n1:x", " \t "])
        case 1: return String(repeating: "plain text ", count: 1 + next(6))
        default:
            var text = String.UnicodeScalarView()
            for _ in 0..<next(20) { text.append(scalar(Self.character)) }
            return String(text)
        }
    }

    /// Some of them the program knows, some not.
    static let uris = validURIs + ["urn:unknown:\u{E9}\"<&>"]
    /// Without those that libxml2 cannot canonicalize: what is no URI, and an ampersand, which it writes as it was
    /// given.
    static let validURIs = [
        "", "urn:random:1", "urn:random:2", "urn:random:3?a=1;b='2'", "urn:unknown:1", "urn:unknown:2",
    ]

    mutating func tree(depth: Int = 0) -> Tree {
        var tree = Tree(name: Tree.Name(uri: pick(uris), local: localName()))
        for _ in 0..<(next(3) == 0 ? next(5) : 0) {
            let uri = next(8) == 0 ? XMLNamespace.xml.uri : pick(uris)
            let name = Tree.Name(uri: uri, local: uri == XMLNamespace.xml.uri ? "lang" : localName())
            tree.attributes[name] = text()
        }
        // Elements only, text only, both, or nothing.
        let kind = next(4)
        for _ in 0..<(depth < 5 ? next(5) : 0) {
            if kind & 1 == 0 { tree.append(self.tree(depth: depth + 1)) }
            if kind & 2 == 0 { tree.append(text()) }
        }
        return tree
    }

    // MARK: Spelling

    /// The tree as a document, in one of its many spellings.
    mutating func spell(_ tree: Tree) -> String {
        let before = pick(["", "<?xml version=\"1.0\"?>\n", "<?xml version='1.0' encoding='UTF-8'?><!-- - --> "])
        return before + spell(tree, [:]) + pick(["", "\n", "<?end?>"])
    }

    /// `scope` says what prefixes mean around the element.
    private mutating func spell(_ tree: Tree, _ outer: [String: String]) -> String {
        var scope = outer
        var declarations: [String: String] = [:]
        // Some that nothing may need.
        for _ in 0..<(next(3) == 0 ? 2 : 0) {
            declarations[pick(["a", "b", "n1", "n2"])] = pick(Array(uris.dropFirst()))
        }
        scope.merge(declarations) { $1 }
        let prefix = self.prefix(tree.name.uri, &scope, &declarations, isAttribute: false)
        var attributes: [String] = []
        for (name, value) in tree.attributes.sorted(by: { ($0.key.uri, $0.key.local) < ($1.key.uri, $1.key.local) }) {
            let prefix = self.prefix(name.uri, &scope, &declarations, isAttribute: true)
            let quote = pick(["'", "\""])
            let equals = pick(["=", " = ", "=\n"])
            attributes.append("\(qualified(prefix, name.local))\(equals)\(quote)\(spell(value, quote: quote))\(quote)")
        }
        for (prefix, uri) in declarations.sorted(by: { $0.key < $1.key }) {
            let name = prefix.isEmpty ? "xmlns" : "xmlns:\(prefix)"
            attributes.insert("\(name)='\(spell(uri, quote: "'"))'", at: next(attributes.count + 1))
        }
        let name = qualified(prefix, tree.name.local)
        let start = "<" + name + attributes.map { pick([" ", "\n", "  "]) + $0 }.joined() + pick(["", " "])
        if tree.content.isEmpty, next(2) == 0 { return start + "/>" }
        var content = ""
        for node in tree.content {
            if next(6) == 0 { content += pick(["<!-- p:x <&> -->", "<?do it?>", "<![CDATA[]]>"]) }
            switch node {
            case .element(let element): content += spell(element, scope)
            case .text(let text): content += spell(text, quote: nil)
            }
        }
        return start + ">" + content + "</" + name + pick(["", " "]) + ">"
    }

    private func qualified(_ prefix: String, _ local: String) -> String {
        prefix.isEmpty ? local : "\(prefix):\(local)"
    }

    /// A prefix for a namespace: declared if the namespace has none yet, and sometimes declared again. A prefix that
    /// the tag already uses stays.
    private mutating func prefix(
        _ uri: String, _ scope: inout [String: String], _ declarations: inout [String: String], isAttribute: Bool
    ) -> String {
        if uri == XMLNamespace.xml.uri { return "xml" }
        if uri.isEmpty {
            if !isAttribute, scope["", default: ""] != "" {
                scope[""] = ""
                declarations[""] = ""
            }
            return ""
        }
        let known = scope.filter { $0.value == uri && !(isAttribute && $0.key.isEmpty) }.map(\.key).sorted()
        if !known.isEmpty, isAttribute || next(3) > 0 { return pick(known) }
        let free = (isAttribute ? [] : [""]) + ["a", "b", "n1", "n2", "xsi"]
        // Behind the element's own name, no prefix may change its meaning any more.
        let fresh = "z\(scope.count)"
        let prefix = pick(free.filter { declarations[$0] == nil && !(isAttribute && scope[$0] != nil) } + [fresh])
        scope[prefix] = uri
        declarations[prefix] = uri
        return prefix
    }

    /// Text in a document; between quotes it is the value of an attribute.
    private mutating func spell(_ text: String, quote: String?) -> String {
        if quote == nil, next(5) == 0, !text.contains("]]>"), !text.unicodeScalars.contains("\r") {
            return "<![CDATA[\(text)]]>"
        }
        var result = ""
        for scalar in text.unicodeScalars {
            let reference = next(2) == 0 ? "&#\(scalar.value);" : "&#x\(String(scalar.value, radix: 16));"
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += pick(["&lt;", reference])
            case ">": result += pick(["&gt;", reference])
            case "\r": result += reference
            case "\n" where quote == nil: result += pick(["\n", "\r\n", reference])
            case "\n", "\t": result += quote == nil ? "\t" : reference
            case "\"": result += quote == "\"" ? "&quot;" : "\""
            case "'": result += quote == "'" ? "&apos;" : "'"
            default: if next(20) == 0 { result += reference } else { result.unicodeScalars.append(scalar) }
            }
        }
        // A line feed that follows a carriage return would be taken for the same line end; both stand as references
        // then.
        return result
    }
}
