/// Reads a document type declaration (XML 1.0 §2.8) and keeps the declarations that change the content of the document.
///
/// The parser checks the form of every declaration; it validates nothing, and reads nothing outside the document.
struct DoctypeParser {
    var cursor: MarkupCursor
    let limits: XMLLimits
    var budget: ExpansionBudget
    private(set) var declarations = DoctypeDeclarations()
    private var entityCount = 0
    private var attributeCount = 0

    /// - Parameter position: where `<!DOCTYPE` begins.
    init(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int, limits: XMLLimits) {
        cursor = MarkupCursor(bytes: bytes, position: position)
        self.limits = limits
        budget = ExpansionBudget(limits)
    }

    /// Reads the declaration to its end.
    mutating func parse() throws(XMLError) {
        _ = cursor.skip("<!DOCTYPE")
        try space()
        _ = try name("the name of the root element")
        if cursor.skipSpace() && (cursor.starts(with: "SYSTEM") || cursor.starts(with: "PUBLIC")) {
            try externalID(allowsPublicOnly: false)
            declarations.hasExternalSubset = true
            cursor.skipSpace()
        }
        if cursor.skip("[") {
            try subset()
            cursor.skipSpace()
        }
        try expect(">")
    }

    private mutating func subset() throws(XMLError) {
        while true {
            cursor.skipSpace()
            if cursor.skip("]") { return }
            let begin = cursor.position
            if cursor.skip("<!--") {
                try comment()
            } else if cursor.skip("<?") {
                try instruction()
            } else if cursor.skip("<!ENTITY") {
                try entity()
            } else if cursor.skip("<!ATTLIST") {
                try attributeList()
            } else if cursor.skip("<!ELEMENT") {
                try elementType()
            } else if cursor.skip("<!NOTATION") {
                try space()
                _ = try plainName("a notation")
                try space()
                try externalID(allowsPublicOnly: true)
                cursor.skipSpace()
                try expect(">")
            } else if cursor.starts(with: "<![") || cursor.starts(with: "%") {
                throw XMLError(
                    .doctypeRefused,
                    "conditional sections and references to parameter entities are not read; write the declarations out.",
                    offset: begin)
            } else {
                throw defect("a declaration is expected here.")
            }
        }
    }

    private mutating func comment() throws(XMLError) {
        guard cursor.move(to: "--") else { throw defect("a comment has no end.") }
        guard cursor.skip("-->") else { throw defect("“--” must not stand inside a comment.") }
    }

    private mutating func instruction() throws(XMLError) {
        let target = try plainName("a processing instruction")
        if String(decoding: cursor.slice(target), as: UTF8.self).lowercased() == "xml" {
            throw defect("an XML declaration stands only at the very start of a document.")
        }
        if cursor.skip("?>") { return }
        try space()
        guard cursor.move(to: "?>"), cursor.skip("?>") else { throw defect("a processing instruction has no end.") }
    }

    // MARK: Tokens

    /// The error for a malformed declaration at the position.
    func defect(_ message: String) -> XMLError {
        XMLError(
            cursor.isAtEnd ? .unexpectedEnd : .malformed, "in the document type declaration, \(message)",
            offset: cursor.position)
    }

    mutating func space() throws(XMLError) {
        guard cursor.skipSpace() else { throw defect("white space is expected here.") }
    }

    mutating func expect(_ literal: StaticString) throws(XMLError) {
        guard cursor.skip(literal) else { throw defect("“\(literal)” is expected here.") }
    }

    mutating func name(_ what: String) throws(XMLError) -> Range<Int> {
        guard let name = cursor.name() else { throw defect("\(what) is expected here.") }
        if name.count > limits.nameBytes {
            throw XMLError(
                .nameTooLong, "a name is longer than \(limits.nameBytes) bytes (XMLLimits.nameBytes).",
                offset: name.lowerBound)
        }
        return name
    }

    /// Reads the name of something that must have no colon in its name (Namespaces in XML 1.0 §7).
    mutating func plainName(_ what: String) throws(XMLError) -> Range<Int> {
        let name = try name("the name of \(what)")
        if cursor.slice(name).contains(UInt8(ascii: ":")) {
            throw XMLError(.namespace, "the name of \(what) must not hold a colon.", offset: name.lowerBound)
        }
        return name
    }

    /// Reads the text between quotation marks at the position.
    mutating func literal() throws(XMLError) -> Range<Int> {
        guard let quote = cursor.peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw defect("a text in quotation marks is expected here.")
        }
        cursor.position += 1
        let begin = cursor.position
        guard cursor.move(to: quote == UInt8(ascii: "'") ? "'" : "\"") else {
            throw defect("a text has no closing quotation mark.")
        }
        cursor.position += 1
        return begin..<(cursor.position - 1)
    }

    /// Skips ExternalID, or in a notation also PublicID (productions 75 and 83).
    mutating func externalID(allowsPublicOnly: Bool) throws(XMLError) {
        if cursor.skip("PUBLIC") {
            try space()
            let identifier = try literal()
            if let bad = identifier.first(where: { !Self.isPublicIdentifier(cursor.bytes[$0]) }) {
                throw XMLError(.malformed, "a public identifier has a character that it must not hold.", offset: bad)
            }
            let hasSpace = cursor.skipSpace()
            if allowsPublicOnly && cursor.peek() == UInt8(ascii: ">") { return }
            guard hasSpace else { throw defect("white space is expected here.") }
        } else {
            guard cursor.skip("SYSTEM") else { throw defect("“SYSTEM” or “PUBLIC” is expected here.") }
            try space()
        }
        _ = try literal()
    }

    /// PubidChar (production 13).
    private static func isPublicIdentifier(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x0D, 0x0A, 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-'()+,./:=?;!*#@$_%".utf8.contains(byte)
        }
    }

    // MARK: Kept declarations

    mutating func keep(_ entity: DoctypeDeclarations.Entity, _ name: Range<Int>) {
        declarations.declare(entity, Array(cursor.slice(name)))
    }

    mutating func keep(_ attribute: DoctypeDeclarations.Attribute, of element: [UInt8]) throws(XMLError) {
        if declarations.declare(attribute, of: element) { try count(\.attributeCount, "attributes") }
    }

    mutating func countEntity() throws(XMLError) { try count(\.entityCount, "entities") }

    private mutating func count(_ path: WritableKeyPath<Self, Int>, _ what: String) throws(XMLError) {
        guard self[keyPath: path] < limits.entities else {
            throw XMLError(
                .tooManyEntities,
                "the document type declaration declares more than \(limits.entities) \(what) (XMLLimits.entities).",
                offset: cursor.position)
        }
        self[keyPath: path] += 1
    }

    mutating func append(text bytes: some Sequence<UInt8>) { declarations.texts.append(contentsOf: bytes) }

    /// Reserves memory for all texts at once: a growing array takes twice the memory while it is moved, and untouched
    /// memory costs nothing.
    mutating func reserveTexts() {
        if declarations.texts.isEmpty { declarations.texts.reserveCapacity(cursor.bytes.count - cursor.position) }
    }

    var textEnd: Int { declarations.texts.count }

    mutating func dropText(from start: Int) { declarations.texts.removeSubrange(start...) }
}
