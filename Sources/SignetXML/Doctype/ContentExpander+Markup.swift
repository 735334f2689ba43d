extension ContentExpander {
    mutating func markup() throws(XMLError) {
        if frame.cursor.starts(with: "<!--") {
            try copy(through: "-->", behind: 4)
        } else if frame.cursor.starts(with: "<?") {
            try copy(through: "?>", behind: 2)
        } else if frame.cursor.starts(with: "<![CDATA[") {
            try copySection()
        } else if frame.cursor.starts(with: "</") {
            guard depth > frame.depth else { return try refuse("an element ends that does not begin there.") }
            depth -= 1
            try copy(through: ">", behind: 2)
        } else if frame.cursor.starts(with: "<!") {
            try refuse("“<!” begins neither a comment nor a CDATA section.")
        } else {
            try copyStartTag()
        }
    }

    /// Copies markup that has no references, up to `end`.
    private mutating func copy(through end: StaticString, behind begin: Int) throws(XMLError) {
        guard let close = position(behind: end, from: begin) else {
            return try refuse("markup begins that has no end.")
        }
        copy(to: close)
    }

    private func position(behind literal: StaticString, from distance: Int) -> Int? {
        var cursor = frame.cursor
        cursor.position += distance
        guard cursor.move(to: literal), cursor.skip(literal) else { return nil }
        return cursor.position
    }

    /// A carriage return in the text of an entity came from a character reference, and means itself.
    private mutating func copySection() throws(XMLError) {
        guard let close = position(behind: "]]>", from: 9) else {
            return try refuse("a CDATA section begins that has no end.")
        }
        while isInsideEntity,
            let carriage = frame.cursor.bytes[frame.cursor.position..<close].firstIndex(of: 0x0D)
        {
            copy(to: carriage)
            try escape("]]>&#13;<![CDATA[")
            frame.cursor.position += 1
        }
        copy(to: close)
    }

    /// Copies a start tag: it expands the values of attributes, and adds absent attributes with a default value.
    private mutating func copyStartTag() throws(XMLError) {
        var cursor = frame.cursor
        cursor.position += 1
        guard let name = cursor.name() else { return try refuse("a name is expected.") }
        let list = declarations.attributes(of: cursor.slice(name))
        var isPresent = [Bool](repeating: false, count: list?.defaults.count ?? 0)
        while true {
            let hasSpace = cursor.skipSpace()
            if cursor.starts(with: ">") || cursor.starts(with: "/>") { break }
            guard hasSpace, let attribute = cursor.name(), let value = Self.value(&cursor) else {
                return try refuse("a tag is broken.")
            }
            let rule = list?.rule(for: cursor.slice(attribute))
            if let number = rule?.value { isPresent[number] = true }
            let isTokenized = rule?.isTokenized ?? false
            guard isTokenized || needsExpansion(cursor.slice(value)) else { continue }
            copy(to: value.lowerBound)
            let form = AttributeValueForm(
                quote: cursor.bytes[value.upperBound], isTokenized: isTokenized, offset: place,
                isInsideEntity: isInsideEntity)
            try append(value: value, form)
            frame.cursor.position = value.upperBound
        }
        copy(to: cursor.position)
        if let list {
            for (number, attribute) in list.defaults.enumerated() where !isPresent[number] {
                try addAttribute(attribute.name, attribute.value)
            }
        }
        if frame.cursor.starts(with: "/>") {
            copy(to: cursor.position + 2)
        } else {
            copy(to: cursor.position + 1)
            depth += 1
        }
    }

    /// Reads `=` and the range of a value between its quotation marks; nil when that is malformed.
    private static func value(_ cursor: inout MarkupCursor) -> Range<Int>? {
        cursor.skipSpace()
        guard cursor.skip("=") else { return nil }
        cursor.skipSpace()
        guard let quote = cursor.peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        cursor.position += 1
        let begin = cursor.position
        while let byte = cursor.peek(), byte != UInt8(ascii: "<") {
            cursor.position += 1
            if byte == quote { return begin..<(cursor.position - 1) }
        }
        return nil
    }

    private func needsExpansion(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        value.contains { $0 == UInt8(ascii: "&") || ($0 == 0x0D && isInsideEntity) }
    }

    private mutating func addAttribute(_ name: [UInt8], _ value: [UInt8]) throws(XMLError) {
        try budget.take(name.count + value.count + 4, at: place)
        let begin = frame.cursor.position
        let from = output.count
        write(" ")
        name.withUnsafeBufferPointer { append($0) }
        write("=\"")
        value.withUnsafeBufferPointer { append($0) }
        write("\"")
        try record(from: from, source: begin..<begin)
    }
}
