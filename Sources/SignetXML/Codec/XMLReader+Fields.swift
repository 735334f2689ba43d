/// What generated code calls: one call a field. Nothing here throws; the first defect stays in the reader.
extension XMLReader {
    @inlinable mutating func simple<T: XMLValue>(_ type: T.Type) -> T? {
        guard let bytes = leafBytes() else { return nil }
        if let value = T(lexical: (T.whiteSpace == .collapse ? trimmed(bytes) : bytes).span, in: self) { return value }
        return normalised(bytes)
    }

    /// The value after all white space has been treated as its type says: few values have any inside, so that they are tried
    /// without first.
    @usableFromInline mutating func normalised<T: XMLValue>(_ bytes: UnsafeBufferPointer<UInt8>) -> T? {
        if let changed = T.whiteSpace.applied(to: bytes.span), let value = T(lexical: changed.span, in: self) {
            return value
        }
        failValue(bytes, T.typeName)
        return nil
    }

    @inlinable public mutating func field<T: XMLValue>(_ x: inout T) {
        if takeNil() { return failNil() }
        if let value = simple(T.self) { x = value }
    }

    @inlinable public mutating func field<T: XMLValue>(_ x: inout T?) {
        if takeNil() { return }
        x = simple(T.self)
    }

    @inlinable public mutating func field<T: XMLValue>(_ x: inout Nillable<T>?) {
        if takeNil() { x = .null } else { x = simple(T.self).map(Nillable.value) }
    }

    @inlinable public mutating func field<T: XMLValue>(_ x: inout [T]) {
        if takeNil() { return failNil() }
        if let value = simple(T.self) { x.append(value) }
    }

    @inlinable public mutating func field<T: XMLValue>(_ x: inout [Nillable<T>]) {
        if takeNil() { x.append(.null) } else if let value = simple(T.self) { x.append(.value(value)) }
    }

    @inlinable public mutating func field<T: XMLStructure>(_ x: inout T) {
        if takeNil() { return failNil() }
        content(of: &x)
    }

    @inlinable public mutating func field<T: XMLStructure>(_ x: inout T?) {
        if takeNil() { return }
        var value = T(_decoding: ())
        content(of: &value)
        x = value
    }

    @inlinable public mutating func field<T: XMLStructure>(_ x: inout Nillable<T>?) {
        if takeNil() {
            x = .null
        } else {
            var value = T(_decoding: ())
            content(of: &value)
            x = .value(value)
        }
    }

    @inlinable public mutating func field<T: XMLStructure>(_ x: inout [T]) {
        if takeNil() { return failNil() }
        // Read in its place: a structure may be large.
        x.append(T(_decoding: ()))
        content(of: &x[x.count - 1])
    }

    @inlinable public mutating func field<T: XMLStructure>(_ x: inout [Nillable<T>]) {
        if takeNil() {
            x.append(.null)
        } else {
            var value = T(_decoding: ())
            content(of: &value)
            x.append(.value(value))
        }
    }

    /// Reads the content of the element whose start tag was read last into `x`, to its end tag.
    @inlinable public mutating func content<T: XMLStructure>(of x: inout T) {
        var progress = beginStructure(T.xmlTable)
        while let index = nextField(T.xmlTable, &progress) { x.decodeField(index, from: &self) }
    }
}

extension XMLReader {
    /// How far the reading of one complex element has come.
    @usableFromInline struct Progress: ~Copyable {
        enum Stage { case attributes, text, children }
        var stage = Stage.attributes
        /// Attributes of the start tag; the reader's own list is overwritten by the children.
        var attributes: [Attribute] = []
        var nextAttribute = 0
        var nextElement = 0
        var seen = FieldSet()
        var seenAttributes = FieldSet()
    }

    /// A set of field numbers; the first 64 cost no memory.
    struct FieldSet {
        private var low: UInt64 = 0
        private var high: Set<Int> = []

        /// False when the number was there already.
        @inline(__always) @discardableResult mutating func insert(_ index: Int) -> Bool {
            guard index < 64 else { return high.insert(index).inserted }
            let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: index)
            if low & bit != 0 { return false }
            low |= bit
            return true
        }

        func contains(_ index: Int) -> Bool { index < 64 ? low & (1 << UInt64(index)) != 0 : high.contains(index) }
    }

    /// True when the element is nil; its empty content is read.
    @usableFromInline mutating func takeNil() -> Bool {
        guard leaf.isNil else { return false }
        leaf.isNil = false
        if advance() != .endElement { fail(.unexpected, "an element with xsi:nil=\"true\" must be empty.") }
        return true
    }

    @usableFromInline mutating func failNil() {
        fail(.invalidValue, "an element is nil (xsi:nil) that the WSDL does not declare nillable.")
    }

    @usableFromInline mutating func beginStructure(_ table: XMLTable) -> Progress {
        var progress = Progress()
        adoptNamespaces()
        if leaf.framed {
            progress.attributes = attributes
        } else {
            frameLeaf()
            if table.isRaw { attributes.removeAll(keepingCapacity: true) }
        }
        return progress
    }

    /// Moves to the next field and returns its number; nil at the end of the element or after a defect.
    @usableFromInline mutating func nextField(_ table: XMLTable, _ progress: inout Progress) -> Int? {
        leaf.value = nil
        guard !hasFailed else { return nil }
        if progress.stage == .attributes {
            if table.isRaw {
                // The one field reads all there is, its end tag included.
                progress.stage = .children
                progress.nextElement = -1
                return 0
            }
            if let index = nextAttribute(table, &progress) { return index }
            progress.stage = table.hasText ? .text : .children
        }
        if progress.stage == .text {
            progress.stage = .children
            leaf.framed = true
            guard let bytes = leafBytes() else { return nil }
            leaf.value = bytes
            progress.nextElement = -1
            return table.elements.count + table.attributes.count
        }
        // Simple and raw content have read their own end tag.
        if progress.nextElement < 0 { return nil }
        return nextElement(table, &progress)
    }

    private mutating func nextAttribute(_ table: XMLTable, _ progress: inout Progress) -> Int? {
        while progress.nextAttribute < progress.attributes.count {
            let attribute = progress.attributes[progress.nextAttribute]
            progress.nextAttribute += 1
            if isDeclaration(attribute) { continue }
            for (index, field) in table.attributes.enumerated()
            where field.namespace == attribute.namespace && field.length == attribute.localLength
                && same(field.name, attribute.localName, field.length)
            {
                leaf.value = attributeBytes(attribute)
                leaf.isNil = false
                _ = progress.seenAttributes.insert(index)
                return table.elements.count + index
            }
            if table.hasAnyAttribute && attribute.namespace != XMLNamespace.schemaInstance.id {
                leaf.attribute = attribute
                return table.elements.count + table.attributes.count + (table.hasText ? 1 : 0)
            }
        }
        for (index, field) in table.attributes.enumerated()
        where field.occurrence == .required && !progress.seenAttributes.contains(index) {
            fail(.missing, "the required attribute “\(string(field.name, field.length))” is absent.")
            return nil
        }
        return nil
    }

    private mutating func nextElement(_ table: XMLTable, _ progress: inout Progress) -> Int? {
        let elements = table.elements
        while true {
            if !selfClosed {
                while p < end && XMLCharacters.isSpace(p[0]) { p += 1 }
                // Expected order first: the next field, or one behind it when those between may be absent.
                var index = progress.nextElement
                while index < elements.count {
                    if takeStartTag(elements[index]) { return accept(index, table, &progress) }
                    if elements[index].occurrence == .required && !progress.seen.contains(index) { break }
                    index += 1
                }
            }
            guard advanceToChild() else {
                if !hasFailed { checkComplete(table, progress.seen) }
                return nil
            }
            if let index = lookUp(elements) ?? (table.wildcard >= 0 ? table.wildcard : nil) {
                leaf.framed = true
                leaf.isNil = isNil()
                return accept(index, table, &progress)
            }
            // A service may have grown since the WSDL was read: what is unknown is passed over.
            skipRest()
            if hasFailed { return nil }
        }
    }

    private func lookUp(_ elements: UnsafeMutableBufferPointer<XMLTable.Field>) -> Int? {
        for (index, field) in elements.enumerated()
        where field.namespace == elementNamespace && field.length == localLength
            && same(field.name, localName, localLength)
        {
            return index
        }
        return nil
    }

    @inline(__always)
    private mutating func accept(_ index: Int, _ table: XMLTable, _ progress: inout Progress) -> Int? {
        let field = table.elements[index]
        let isFirst = progress.seen.insert(index)
        switch field.occurrence {
        case .repeated:
            progress.nextElement = index
        case .required, .optional:
            guard isFirst else {
                fail(.duplicate, "\(words(index, table)) stands twice where one is allowed.")
                return nil
            }
            progress.nextElement = index + 1
        case .alternative:
            return acceptAlternative(index, table, &progress) ? index : nil
        }
        return index
    }

    private mutating func acceptAlternative(_ index: Int, _ table: XMLTable, _ progress: inout Progress) -> Bool {
        let number = Int(table.elements[index].group)
        let group = table.groups[number]
        // The numbers behind those of the elements stand for the choices.
        let isFirst = progress.seen.insert(table.elements.count + number)
        if group.occurrence == .repeated {
            progress.nextElement = group.members.lowerBound
            return true
        }
        progress.nextElement = group.members.upperBound
        if !isFirst { fail(.duplicate, "\(words(index, table)) stands where only one \(names(group, table)) may.") }
        return isFirst
    }

    private mutating func checkComplete(_ table: XMLTable, _ seen: FieldSet) {
        for (index, field) in table.elements.enumerated() where field.occurrence == .required && !seen.contains(index) {
            fail(.missing, "the required \(words(index, table).dropFirst(4)) is absent.")
            return
        }
        for (number, group) in table.groups.enumerated()
        where group.occurrence == .required && !seen.contains(table.elements.count + number) {
            fail(.missing, "one \(names(group, table)) is required, and none stands here.")
            return
        }
    }

    /// An element of a table for messages.
    private func words(_ index: Int, _ table: XMLTable) -> String {
        let field = table.elements[index]
        return index == table.wildcard ? "the element of any name" : "the element “\(string(field.name, field.length))”"
    }

    /// The elements of a choice for messages; of a long one the first.
    private func names(_ group: XMLTable.Group, _ table: XMLTable) -> String {
        let names = group.members.prefix(8).map { index in
            index == table.wildcard
                ? "any other" : "“\(string(table.elements[index].name, table.elements[index].length))”"
        }
        return "of \(names.joined(separator: ", "))\(group.members.count > 8 ? ", …" : "")"
    }

    /// Whether the start tag read last says `xsi:nil="true"` (XML Schema Part 1 §2.6.2).
    mutating func isNil() -> Bool {
        guard !attributes.isEmpty, let value = attribute("nil", namespace: .schemaInstance) else { return false }
        return value == "true" || value == "1"
    }
}
