/// Reads the content of an element with the table of its type.
extension XMLReader {
    /// The progress of reading one complex element, or one group in it.
    @usableFromInline package struct Progress: ~Copyable {
        enum Stage { case attributes, text, children }
        var stage = Stage.attributes
        /// The number of attributes in the start tag; they are read before the first child overwrites them.
        var attributeCount = 0
        var nextAttribute = 0
        var nextElement = 0
        var seen = FieldSet()
        var seenAttributes = FieldSet()
        var hasUnknownAttribute = false
        /// Where the name of the element begins whose content is read.
        var element: UnsafePointer<UInt8>?
        /// The table of the element that contains a group; nil while the content of an element is read.
        var container: XMLTable?
        /// Whether another repetition of the group may follow.
        var mayRepeat = false
    }

    /// A set of field numbers; the first 64 cost no memory.
    struct FieldSet {
        /// The first 64 numbers, one bit each.
        var low: UInt64 = 0
        private var high: [UInt64] = []

        /// Inserts a number; false when it was in the set already.
        @inline(__always) @discardableResult mutating func insert(_ index: Int) -> Bool {
            guard index < 64 else { return insertHigh(index) }
            let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: index)
            if low & bit != 0 { return false }
            low |= bit
            return true
        }

        private mutating func insertHigh(_ index: Int) -> Bool {
            let word = index / 64 - 1
            while high.count <= word { high.append(0) }
            let bit: UInt64 = 1 &<< UInt64(index % 64)
            if high[word] & bit != 0 { return false }
            high[word] |= bit
            return true
        }

        /// Whether all of the first 64 numbers that `mask` names are in the set.
        @inline(__always) func contains(allOf mask: UInt64) -> Bool { low & mask == mask }

        @inline(__always) func contains(_ index: Int) -> Bool {
            guard index >= 64 else { return low & (1 << UInt64(index)) != 0 }
            return index / 64 <= high.count && high[index / 64 - 1] & (1 << UInt64(index % 64)) != 0
        }
    }

    /// The next token in the content of an element; `none` after a defect.
    enum NextToken { case none, start, end, text }

    /// The token that a group has read and that belongs to its surroundings.
    struct Held: OptionSet {
        let rawValue: UInt8
        static let text = Held(rawValue: 1)
        static let start = Held(rawValue: 2)
        static let end = Held(rawValue: 4)
    }

    /// How many items ahead are compared before the start tag is read and its name looked up.
    static var lookahead: Int { 48 }

    @usableFromInline package mutating func beginStructure(_ table: XMLTable) -> Progress {
        var progress = Progress()
        adoptNamespaces()
        leaf.hasAttributes = false
        if table.isWhole {
            // The only field starts from an unread element.
            if leaf.framed { leaf.isNil = isNil() }
        } else if leaf.framed {
            progress.attributeCount = attributes.count
        } else {
            frameLeaf()
            if table.isRaw { attributes.removeAll(keepingCapacity: true) }
        }
        progress.element = frames.last?.name
        return progress
    }

    /// Moves to the next field and returns its number; nil at the end of the element or after a defect.
    @usableFromInline package mutating func nextField(_ table: XMLTable, _ progress: inout Progress) -> Int? {
        nextField(table, &progress, of: nil)
    }

    /// The same; it also reads fields of `structure` whose elements are written plainly.
    @inline(__always) mutating func nextField(
        _ table: XMLTable, _ progress: inout Progress, of structure: UnsafeMutableRawPointer?
    ) -> Int? {
        leaf.value = nil
        leaf.isIncluded = false
        guard !hasFailed else { return nil }
        if progress.stage == .attributes {
            if table.isRaw || table.isWhole {
                // The only field reads everything, its end tag included.
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
            guard let bytes = leafBytes(orIncluded: true) else { return nil }
            leaf.value = bytes
            leaf.valueName = nil
            progress.nextElement = -1
            return table.elements.count + table.attributes.count
        }
        // Simple and raw content have read their own end tag.
        if progress.nextElement < 0 { return nil }
        return nextElement(table, &progress, of: structure)
    }

    private mutating func nextAttribute(_ table: XMLTable, _ progress: inout Progress) -> Int? {
        let declared = table.attributes
        while progress.nextAttribute < min(progress.attributeCount, attributes.count) {
            let attribute = attributes[progress.nextAttribute]
            progress.nextAttribute += 1
            if isDeclaration(attribute) { continue }
            for index in declared.indices
            where declared[index].length == attribute.localLength && declared[index].namespace == attribute.namespace
                && same(declared[index].name, attribute.localName, attribute.localLength)
            {
                takeValue(attribute)
                _ = progress.seenAttributes.insert(index)
                return table.elements.count + index
            }
            if attribute.namespace == XMLNamespace.schemaInstance.id { continue }
            if table.hasAnyAttribute {
                leaf.attribute = attribute
                return table.elements.count + table.attributes.count + (table.hasText ? 1 : 0)
            }
            if let index = misplaced(attribute, table, &progress) { return table.elements.count + index }
            noteUnknown(attribute)
            progress.hasUnknownAttribute = true
        }
        for index in declared.indices
        where declared[index].occurrence == .required && !progress.seenAttributes.contains(index) {
            let name = string(declared[index].name, declared[index].length)
            let isDoubtful = progress.hasUnknownAttribute
            deviate(
                .missingAttribute,
                "the required attribute “\(name)” is absent\(isDoubtful ? Self.doubt("an attribute") : ".")",
                isTolerable: !isDoubtful)
        }
        return nil
    }

    /// The reason why an absence is not tolerated although the caller tolerates absences: the reader would make up a
    /// value in place of one that came.
    static func doubt(_ what: String) -> String {
        ", and \(what) is there that is not known here: it may hold the value, so that none is made up."
    }

    /// Makes the value of an attribute the next value to read.
    private mutating func takeValue(_ attribute: Attribute) {
        leaf.value = attributeBytes(attribute)
        leaf.valueName = UnsafeBufferPointer(start: attribute.localName, count: attribute.localLength)
        leaf.isNil = false
    }

    /// The attribute of the table that an attribute in the wrong namespace means: in the element's namespace instead of
    /// in none, or the reverse. Authors of handwritten messages often misread `attributeFormDefault`.
    @inline(never) private mutating func misplaced(
        _ attribute: Attribute, _ table: XMLTable, _ progress: inout Progress
    ) -> Int? {
        // When unknown attributes are tolerated, an attribute of another namespace counts as unknown.
        guard tolerance.contains(.namespace) || !tolerance.contains(.unknownAttribute) else { return nil }
        let other: Int32
        switch attribute.namespace {
        case XMLNamespace.none.id: other = elementNamespace
        case elementNamespace: other = XMLNamespace.none.id
        default: return nil
        }
        let declared = table.attributes
        for index in declared.indices
        where declared[index].namespace == other && declared[index].length == attribute.localLength
            && same(declared[index].name, attribute.localName, attribute.localLength)
            && !progress.seenAttributes.contains(index)
        {
            let isThere = attributes[progress.nextAttribute..<min(progress.attributeCount, attributes.count)].contains {
                $0.namespace == other && $0.localLength == attribute.localLength
                    && same($0.localName, attribute.localName, attribute.localLength)
            }
            if isThere { return nil }
            if notes(.namespace) {
                let name = string(attribute.localName, attribute.localLength)
                deviate(.namespace, "the attribute “\(name)” is not in the namespace that it should be in.")
            }
            takeValue(attribute)
            _ = progress.seenAttributes.insert(index)
            return index
        }
        return nil
    }

    mutating func nextElement(
        _ table: XMLTable, _ progress: inout Progress, of structure: UnsafeMutableRawPointer?
    ) -> Int? {
        if held.isEmpty, !selfClosed {
            if let structure, !table.isMixed { takePlain(table, &progress, structure) }
            if !table.isMixed { while p < end && XMLCharacters.isSpace(p[0]) { p += 1 } }
            if progress.container == nil, takeEndTag() {
                checkComplete(table, progress, before: .end)
                return nil
            }
            // The expected order is tried first: the next field, or a later one if those between may be absent.
            let elements = table.elements
            let before = p
            var index = progress.nextElement
            let last = min(elements.count, index &+ Self.lookahead)
            while index < last, let field = table.field(index) {
                if takeStartTag(field)
                    || (field.pointee.kind == .group && takeGroup(table.groups[Int(field.pointee.group)]))
                {
                    if accept(index, table, &progress) { return index }
                    // The field has its element already: another item may have the same name.
                    p = before
                    leaf.framed = true
                    leaf.length = 0
                    break
                }
                if field.pointee.occurrence == .required && !progress.seen.contains(index) && !table.isUnordered {
                    break
                }
                index &+= 1
            }
            if let index = nextWithAttributes(table, &progress) { return index }
            if hasFailed { return nil }
        }
        return nextUnexpected(table, &progress)
    }

    /// Whether the bytes at the cursor are exactly a start tag that the group accepts; then the leaf is set to it, and
    /// the way to its item is recorded.
    mutating func takeGroup(_ table: XMLTable) -> Bool {
        let elements = table.elements
        for index in 0..<min(elements.count, Self.lookahead) {
            if let field = table.field(index), takeStartTag(field) {
                route.removeAll(keepingCapacity: true)
                route.append(index)
                return true
            }
            if elements[index].kind == .group, takeGroup(table.groups[Int(elements[index].group)]) {
                route.append(index)
                return true
            }
            if !table.isChoice && elements[index].occurrence == .required { return false }
        }
        return false
    }

    /// Records that the element whose start tag was read last belongs to an item; false when the item has no room for
    /// it.
    @inline(__always)
    mutating func accept(_ index: Int, _ table: XMLTable, _ progress: inout Progress) -> Bool {
        guard let field = table.field(index) else { return false }
        let isFirst = progress.seen.insert(index)
        switch field.pointee.occurrence {
        case .repeated:
            progress.nextElement = index
        case .required, .optional:
            guard isFirst else { return false }
            progress.nextElement = index + 1
        }
        leaf.field = field
        if field.pointee.kind == .group {
            entered = Entered(
                container: progress.container ?? table, element: progress.element,
                mayRepeat: progress.mayRepeat || field.pointee.occurrence == .repeated)
        }
        return true
    }

    /// Whether the element whose start tag was read last is nil, and the type has no value for nil: it neither keeps
    /// elements as they were written nor is a message that may be nil.
    package mutating func isNil<T: XMLFielded>(for type: T.Type) -> Bool {
        let table = T.xmlTable
        return !table.isWhole && !table.isRaw && isNil()
    }

    /// Whether the start tag read last has `xsi:nil="true"` (XML Schema Part 1 §2.6.2).
    mutating func isNil() -> Bool {
        // An attribute in a namespace has a prefix.
        guard attributes.contains(where: { $0.prefixLength > 0 && $0.localLength == 3 }),
            let value = attribute("nil", namespace: .schemaInstance)
        else { return false }
        return value == "true" || value == "1"
    }
}
