extension DoctypeParser {
    /// Reads an element type declaration (XML 1.0 §3.2) after `<!ELEMENT`.
    mutating func elementType() throws(XMLError) {
        try space()
        _ = try name("the name of an element")
        try space()
        if cursor.skip("(") {
            cursor.skipSpace()
            if cursor.skip("#PCDATA") { try mixedContent() } else { try elementContent() }
        } else if !cursor.skip("EMPTY") && !cursor.skip("ANY") {
            throw defect("“EMPTY”, “ANY” or a content model in parentheses is expected here.")
        }
        cursor.skipSpace()
        try expect(">")
    }

    /// Reads Mixed (production 51) after `(#PCDATA`.
    private mutating func mixedContent() throws(XMLError) {
        var hasNames = false
        cursor.skipSpace()
        while cursor.skip("|") {
            hasNames = true
            cursor.skipSpace()
            _ = try name("the name of an element")
            cursor.skipSpace()
        }
        try expect(")")
        if !cursor.skip("*") && hasNames { throw defect("“*” must follow a mixed content model with names.") }
    }

    /// Reads Children (productions 47 to 50) after the first parenthesis. It keeps its own stack: deep models need no
    /// deep recursion.
    private mutating func elementContent() throws(XMLError) {
        // The separator of the particles of each open group, as soon as it is known.
        var separators: [UInt8?] = [nil]
        while true {
            cursor.skipSpace()
            if cursor.starts(with: "(") {
                guard separators.count < limits.depth else {
                    throw XMLError(
                        .tooDeep, "a content model is nested deeper than \(limits.depth) (XMLLimits.depth).",
                        offset: cursor.position)
                }
                cursor.position += 1
                separators.append(nil)
                continue
            }
            _ = try name("the name of an element")
            skipOccurrence()
            cursor.skipSpace()
            while cursor.skip(")") {
                separators.removeLast()
                skipOccurrence()
                if separators.isEmpty { return }
                cursor.skipSpace()
            }
            guard let separator = cursor.peek(), separator == UInt8(ascii: "|") || separator == UInt8(ascii: ","),
                separator == separators[separators.count - 1] ?? separator
            else { throw defect("“)”, “|” or “,” is expected here, the same between all parts of a group.") }
            separators[separators.count - 1] = separator
            cursor.position += 1
        }
    }

    private mutating func skipOccurrence() {
        if !cursor.skip("?") && !cursor.skip("*") { _ = cursor.skip("+") }
    }

    /// Reads an attribute-list declaration (§3.3) after `<!ATTLIST`.
    mutating func attributeList() throws(XMLError) {
        try space()
        let element = try name("the name of an element")
        let owner = Array(cursor.slice(element))
        while true {
            let hasSpace = cursor.skipSpace()
            if cursor.skip(">") { return }
            guard hasSpace else { throw defect("white space is expected here.") }
            let attribute = try name("the name of an attribute")
            try space()
            let isTokenized = try attributeType()
            try space()
            let value = try defaultValue(isTokenized: isTokenized)
            let declared = DoctypeDeclarations.Attribute(
                name: Array(cursor.slice(attribute)), isTokenized: isTokenized, value: value)
            try keep(declared, of: owner)
        }
    }

    /// Reads AttType (§3.3.1); returns whether it is another than `CDATA`.
    private mutating func attributeType() throws(XMLError) -> Bool {
        if cursor.skip("(") {
            try alternatives(areNames: false)
            return true
        }
        let type = try name("the type of an attribute")
        switch String(decoding: cursor.slice(type), as: UTF8.self) {
        case "CDATA": return false
        case "ID", "IDREF", "IDREFS", "ENTITY", "ENTITIES", "NMTOKEN", "NMTOKENS": return true
        case "NOTATION":
            try space()
            try expect("(")
            try alternatives(areNames: true)
            return true
        default:
            cursor.position = type.lowerBound
            throw defect("the type of an attribute is expected here (XML 1.0 §3.3.1).")
        }
    }

    /// Reads an enumeration or the notations of a type (productions 58 and 59) after the parenthesis.
    private mutating func alternatives(areNames: Bool) throws(XMLError) {
        repeat {
            cursor.skipSpace()
            guard (areNames ? cursor.name() : cursor.nameToken()) != nil else {
                throw defect("a name is expected here.")
            }
            cursor.skipSpace()
        } while cursor.skip("|")
        try expect(")")
    }

    /// Reads DefaultDecl (§3.3.2); returns the normalised value, nil when there is none.
    private mutating func defaultValue(isTokenized: Bool) throws(XMLError) -> [UInt8]? {
        if cursor.skip("#REQUIRED") || cursor.skip("#IMPLIED") { return nil }
        if cursor.skip("#FIXED") { try space() }
        let literal = try literal()
        let form = AttributeValueForm(
            quote: UInt8(ascii: "\""), isTokenized: isTokenized, offset: literal.lowerBound, isInsideEntity: false)
        var value: [UInt8] = []
        value.reserveCapacity(literal.count)
        try declarations.append(
            value: cursor.slice(literal), form, limits: limits, budget: &budget, to: &value)
        return value
    }
}
