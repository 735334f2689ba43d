/// The stored properties of a structure, which the structure declares one by one: the position of each, and how it is
/// read, written and compared.
///
/// A type declares them once, so that one piece of code reads and writes all types, and no such code is compiled for
/// each of them. Positions of properties are computed here and nowhere else.
public struct XMLFields: ~Copyable {
    private let base: UnsafeRawPointer
    private let size: Int
    private var content: XMLTable.Content?
    private var places: [XMLFieldPlace] = []
    private var tag: XMLFieldPlace?
    /// The number of the first field that is not stored in the value, and its type.
    private var stray: (index: Int, type: Any.Type)?
    /// Whether only the positions are wanted, and no names.
    private let isPlacing: Bool

    private init(_ base: UnsafeRawPointer, _ size: Int, isPlacing: Bool = false) {
        self.base = base
        self.size = size
        self.isPlacing = isPlacing
    }

    /// Makes the table of a type from the properties that it declares.
    static func table<T: XMLFielded>(of type: T.Type) -> XMLTable.Content {
        var value = T(_decoding: ())
        return withUnsafeMutablePointer(to: &value) { pointer in
            var fields = XMLFields(pointer, MemoryLayout<T>.size)
            T.xmlFields(&pointer.pointee, &fields)
            return fields.table(of: type, XMLTable.blank(of: type))
        }
    }

    /// Makes an empty value of a type whose fields make it, which is kept for as long as the program runs.
    ///
    /// The type declares its fields before there is a value, with uninitialized memory in place of the value: only
    /// addresses are taken.
    static func blank<T: XMLFielded>(_ type: T.Type) -> XMLTable.Blank {
        let start = UnsafeMutableRawPointer.allocate(
            byteCount: max(1, MemoryLayout<T>.size), alignment: MemoryLayout<T>.alignment)
        start.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<T>.size)
        let value = start.bindMemory(to: T.self, capacity: 1)
        var fields = XMLFields(start, MemoryLayout<T>.size, isPlacing: true)
        T.xmlFields(&value.pointee, &fields)
        // Only these coding objects are retained here: the table has others.
        let codings = fields.places.map { ($0.offset, $0.coding.takeRetainedValue()) }
        assert(
            codings.allSatisfy(\.1.isPlaced),
            "\(type).xmlFields hands over what has no empty value: write its init(_decoding:).")
        // Memory that no field describes stays zero and is not used: such a type is neither read nor written.
        let areStored = fields.stray == nil
        if areStored { for (offset, coding) in codings { coding.place(start + offset) } }
        let isComplete = areStored && areAllPlaced(codings, MemoryLayout<T>.size)
        return XMLTable.Blank(value: start, isComplete: isComplete && hasNoMore(value.pointee, codings.map(\.1)))
    }

    /// Whether the value ends where its fields end. Stored properties follow one another, each at the next address with
    /// its alignment.
    private static func areAllPlaced(_ codings: [(offset: Int, coding: XMLFieldCoding)], _ size: Int) -> Bool {
        var end = 0
        for (offset, coding) in codings.sorted(by: { $0.offset < $1.offset }) where coding.size > 0 {
            guard coding.isPlaced, offset == (end + coding.alignment - 1) / coding.alignment * coding.alignment else {
                return false
            }
            end = offset + coding.size
        }
        return end == size
    }

    /// Whether no property lies between fields, where alignment would leave room.
    private static func hasNoMore<T: XMLFielded>(_ value: T, _ codings: [XMLFieldCoding]) -> Bool {
        if value is any CustomReflectable { return true }
        let count = Mirror(reflecting: value).children.count
        // Types that were compiled without reflection metadata cannot be checked.
        return count == 0 || count == codings.count { !($0 is XMLReadingCoding) }
    }

    private func table(of type: Any.Type, _ blank: XMLTable.Blank?) -> XMLTable.Content {
        var table = content ?? XMLTable.content([], "", "", [], mixed: false, "", "", "", "")
        table.blank = blank?.value
        if let defect = defect(table, blank) {
            table.defect = "\(type).xmlFields \(defect)"
            table.isDefective = true
        } else {
            table.places = XMLTable.keep(places)
            table.tag = tag
        }
        return table
    }

    private func defect(_ table: XMLTable.Content, _ blank: XMLTable.Blank?) -> String? {
        if content == nil { return "says no names: call `names` before the first field." }
        if let stray {
            return
                "hands over, as \(shown(stray.index, table)), a property of the type \(stray.type) that is not stored in the "
                + "value, or has observers: hand over the stored property that it is kept in."
        }
        if let (first, second) = overlap {
            return
                "hands over, as \(shown(second, table)), what it hands over as \(shown(first, table)) too: give each a "
                + "stored property of its own."
        }
        if let blank, !blank.isComplete {
            return "hands over less than the type holds, or what has no empty value: write its init(_decoding:)."
        }
        if places.count != table.fieldCount {
            return
                "hands \(places.count) fields over and names \(table.fieldCount): hand over one stored property for each "
                + "name, in the order of the names."
        }
        if table.isWhole || table.isRaw { return nil }
        for (index, place) in places.enumerated()
        where !place.coding.takeUnretainedValue().kind.mayBe(table.part(index)) {
            return
                "hands over, as \(shown(index, table)), a property of a type that cannot be an attribute or text, or the "
                + "attributes of any name at a place that is not the last: hand over the elements, then the attributes, then "
                + "the text, then the attributes of any name."
        }
        return nil
    }

    /// Two fields that share memory, if there are such; a field that is read into another field's property has no
    /// memory.
    private var overlap: (first: Int, second: Int)? {
        let sorted = places.enumerated()
            .map { (index: $0, start: $1.offset, size: $1.coding.takeUnretainedValue().size) }
            .filter { $0.size > 0 }.sorted { ($0.start, $0.index) < ($1.start, $1.index) }
        for (one, next) in zip(sorted, sorted.dropFirst()) where next.start < one.start + one.size {
            return (min(one.index, next.index), max(one.index, next.index))
        }
        return nil
    }

    /// The name of a field in error messages.
    private func shown(_ index: Int, _ table: XMLTable.Content) -> String {
        let count = table.elements.count
        let name: String? =
            if table.elements.indices.contains(index) {
                table.elements[index].shownName
            } else if table.attributes.indices.contains(index - count) {
                "@\(table.attributes[index - count].shownName)"
            } else {
                nil
            }
        return "field \(index + 1)" + (name.map { " (“\($0)”)" } ?? "")
    }

    /// The position of a property; a stored property is passed by its address.
    private mutating func place<Value>(of x: inout Value, _ coding: XMLFieldCoding) -> XMLFieldPlace {
        let offset = withUnsafeMutablePointer(to: &x) { UnsafeRawPointer($0) - base }
        let isInside =
            offset >= 0 && offset <= size - MemoryLayout<Value>.size && offset % MemoryLayout<Value>.alignment == 0
        if !isInside, MemoryLayout<Value>.size > 0, stray == nil { stray = (places.count, Value.self) }
        return XMLFieldPlace(coding, at: isInside ? offset : 0)
    }

    mutating func add<Value>(_ x: inout Value, _ coding: XMLFieldCoding) { places.append(place(of: &x, coding)) }

    private mutating func add<Shape: XMLFieldShape>(_ x: inout Shape.Value, _ shape: Shape.Type) {
        add(&x, XMLShapedCoding<Shape>())
    }

    /// Hands over a property with its own way of reading and writing. A property that is not written is not compared
    /// either.
    ///
    /// - Parameter blank: makes the placeholder for the value until it is read; nil when only the type can make it.
    package mutating func add<Value: Hashable>(
        _ x: inout Value, _ kind: XMLFieldKind = .elements, blank: (@Sendable () -> Value)?,
        reading read: @escaping @Sendable (inout Value, inout XMLReader) -> Void,
        writing write: (@Sendable (Value, XMLFieldPart, inout XMLWriter) -> Void)?
    ) {
        add(&x, XMLSpecialCoding(kind, blank, read, write.map { write in { write($0.pointee, $1, &$2) } }))
    }
}

// MARK: Names

extension XMLFields {
    /// States the names of the fields that are handed over next.
    ///
    /// - Parameters:
    ///   - namespaces: the namespace names to which the lists refer by number; without a number, the first one is
    ///     meant.
    ///   - elements: the content of the element, in schema order, separated by spaces. A local name means an element of
    ///     this name; a number and a colon before it select another namespace. `{0}` means a group of elements without
    ///     an element around them, whose table is the first of `groups`: a sequence or a choice. `#any` takes any
    ///     element, `#other:0` those of another namespace than the first and not of none, `#in:0,1` those of these
    ///     namespaces; the empty namespace name means no namespace. Each item ends with `?` when it is optional, with
    ///     `*` when it may repeat. A name may occur several times: an element belongs to the first item from the
    ///     present position on that has room for it; if there is none, to an earlier item; and otherwise to a wildcard.
    ///   - attributes: likewise, names only; attributes are in no namespace unless a number says so.
    ///   - groups: the tables to which `{0}`, `{1}` and so on refer.
    ///   - text: whether the element has simple content.
    ///   - anyAttribute: whether attributes that are not in the list are read too.
    ///   - mixed: whether text between the elements is no deviation. A choice among `groups` that is mixed itself reads
    ///     it.
    ///   - unordered: whether the elements may be in any order (`xs:all`).
    ///   - types: for messages that state the type of each element (SOAP 1.1 §5): the type of each item, separated by
    ///     spaces, written like the names; `-` for an item whose type is not stated.
    ///   - presets: the values of elements that come without text, their `default` or `fixed` (XML Schema Part 1
    ///     §3.3.4): a line for each, the number of the item, a space and the value; `&#10;`, `&#13;` and `&amp;`
    ///     replace characters that would break the line.
    ///   - forms: how to write values for which the patterns of their types require another form than the usual one. A
    ///     line for each: the number of the item, a space, and `1|0` for a boolean. For a number, it is the least
    ///     number of digits before the point, after the point of whole numbers, and after the point of other numbers:
    ///     `3.0.2` writes 7 as `007` and 7.5 as `007.50`.
    ///   - rules: the rules that a value must obey beyond its Swift type; see ``XMLFielded/violations()``.
    @_semantics("optimize.no.crossmodule") public mutating func names(
        _ namespaces: [String], elements: String = "", attributes: String = "",
        groups: @autoclosure () -> [XMLTable] = [], text: Bool = false, anyAttribute: Bool = false, mixed: Bool = false,
        unordered: Bool = false, types: String = "", presets: String = "", forms: String = "", rules: String = ""
    ) {
        // The table of a group may need the very empty value that is being made.
        guard !isPlacing else { return }
        content = XMLTable.content(
            namespaces, elements, attributes, groups(), text: text, anyAttribute: anyAttribute, mixed: mixed,
            unordered: unordered, types, presets, forms, rules)
    }

    /// The same for elements of one namespace, as most types have: modules that compile such types get no code for the
    /// other parameters.
    @_semantics("optimize.no.crossmodule") public mutating func names(_ namespace: String, elements: String) {
        names([namespace], elements: elements)
    }

    /// States that the only field takes the attributes and the content of the element itself.
    public mutating func whole() { content = .whole }

    /// States that the next field of the table is read into the property that was handed over last.
    public mutating func sameProperty() {
        guard let last = places.last else { return }
        places.append(XMLFieldPlace(XMLReadingCoding(last.coding), at: last.offset))
    }

    /// Writes additional attributes into the start tag, which `tag` makes from the whole value.
    package mutating func startTag<T: XMLFielded, Tag: Hashable>(
        _ x: inout T, _ tag: @escaping @Sendable (T) -> Tag,
        writing write: @escaping @Sendable (Tag, inout XMLWriter) -> Void
    ) {
        guard !isPlacing else { return }
        self.tag = place(of: &x, XMLTagCoding(tag, write))
    }
}

// MARK: Values

extension XMLFields {
    /// Hands over a value of a simple type, which is required.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func value<T: XMLValue>(_ x: inout T) {
        add(&x, ValueShape<T>.self)
    }

    /// Hands over a value of a simple type, which may be absent.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalValue<T: XMLValue>(
        _ x: inout T?
    ) {
        add(&x, OptionalValueShape<T>.self)
    }

    /// Hands over a required element that is nillable: nil is written as `xsi:nil="true"`.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func nillableValue<T: XMLValue>(
        _ x: inout T?
    ) {
        add(&x, NillableValueShape<T>.self)
    }

    /// Hands over a value of a simple type, which may be absent, and may be nil.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalNillableValue<T: XMLValue>(
        _ x: inout Nillable<T>?
    ) {
        add(&x, OptionalNillableValueShape<T>.self)
    }

    /// Hands over a list; each item is a value of a simple type.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func values<T: XMLValue>(_ x: inout [T]) {
        add(&x, ValuesShape<T>.self)
    }

    /// Hands over a list; each item is a value of a simple type, and may be nil.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func nillableValues<T: XMLValue>(
        _ x: inout [Nillable<T>]
    ) {
        add(&x, NillableValuesShape<T>.self)
    }
}

// MARK: Structures

extension XMLFields {
    /// Hands over a structure, which is required.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func structure<T: XMLFielded>(_ x: inout T)
    {
        add(&x, StructureShape<T>.self)
    }

    /// Hands over a structure, which may be absent.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalStructure<T: XMLFielded>(
        _ x: inout T?
    ) {
        add(&x, OptionalStructureShape<T>.self)
    }

    /// Hands over a structure, which is required and may be nil (`xsi:nil="true"`).
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func nillableStructure<T: XMLFielded>(
        _ x: inout T?
    ) {
        add(&x, NillableStructureShape<T>.self)
    }

    /// Hands over a structure, which may be absent, and may be nil.
    @_spi(Generated) @_semantics("optimize.no.crossmodule")
    public mutating func optionalNillableStructure<T: XMLFielded>(
        _ x: inout Nillable<T>?
    ) {
        add(&x, OptionalNillableStructureShape<T>.self)
    }

    /// Hands over a list; each item is a structure.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func structures<T: XMLFielded>(
        _ x: inout [T]
    ) {
        add(&x, StructuresShape<T, [T]>.self)
    }

    /// Hands over a list; each item is a structure, and may be nil.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func nillableStructures<T: XMLFielded>(
        _ x: inout [Nillable<T>]
    ) {
        add(&x, NillableStructuresShape<T>.self)
    }

    /// Hands over a property in a box: the box itself, because a property in front of it is computed.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func boxedOptionalStructure<T: XMLFielded>(
        _ x: inout XMLBox<T>
    ) {
        add(&x, BoxedOptionalStructureShape<T>.self)
    }

    /// Hands over a structure in a box, which is required and may be nil.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func boxedNillableStructure<T: XMLFielded>(
        _ x: inout XMLBox<T>
    ) {
        add(&x, BoxedNillableStructureShape<T>.self)
    }

    /// Hands over a structure in a box, which may be absent, and may be nil.
    @_spi(Generated) @_semantics("optimize.no.crossmodule")
    public mutating func boxedOptionalNillableStructure<T: XMLFielded>(
        _ x: inout XMLBox<Nillable<T>>
    ) {
        add(&x, BoxedOptionalNillableStructureShape<T>.self)
    }
}

// MARK: Groups

extension XMLFields {
    /// Hands over a choice, which is required.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func choice<T: XMLChoice>(_ x: inout T) {
        add(&x, ChoiceShape<T>.self)
    }

    /// Hands over a choice, which may be absent.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalChoice<T: XMLChoice>(
        _ x: inout T?
    ) {
        add(&x, OptionalChoiceShape<T>.self)
    }

    /// Hands over a list; each item is a choice.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func choices<T: XMLChoice>(_ x: inout [T]) {
        add(&x, ChoicesShape<T>.self)
    }

    /// Hands over elements that are part of the content of the enclosing element.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func group<T: XMLFielded>(_ x: inout T?) {
        add(&x, OptionalGroupShape<T>.self)
    }

    /// Hands over a list; each item is a group of elements.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func group<T: XMLFielded>(_ x: inout [T]) {
        add(&x, GroupsShape<T, [T]>.self)
    }

    /// Hands over a group of elements in a box, which may be absent.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func boxedGroup<T: XMLFielded>(
        _ x: inout XMLBox<T>
    ) {
        add(&x, BoxedGroupShape<T>.self)
    }
}

// MARK: Elements kept as they were written

extension XMLFields {
    /// Hands over an element kept as it was written, which is required.
    @_spi(Generated) public mutating func fragment(_ x: inout XMLFragment) {
        add(&x, blank: { ._placeholder }, reading: { $1.fragment(&$0) }, writing: { $2.wildcard($0) })
    }

    /// Hands over an element kept as it was written, which may be absent.
    @_spi(Generated) public mutating func optionalFragment(_ x: inout XMLFragment?) {
        add(&x, blank: { nil }, reading: { $1.optionalFragment(&$0) }, writing: { $2.wildcard($0) })
    }

    /// Hands over a list; each item is an element kept as it was written.
    @_spi(Generated) public mutating func fragments(_ x: inout [XMLFragment]) {
        add(&x, blank: { [] }, reading: { $1.fragments(&$0) }, writing: { $2.wildcard($0) })
    }

    /// Hands over the attributes that the table does not name.
    @_spi(Generated) public mutating func anyAttributes(_ x: inout [XMLAnyAttribute]) {
        add(&x, .anyAttributes, blank: { [] }, reading: { $1.anyAttribute(&$0) }, writing: { $2.anyAttributes($0) })
    }

    /// Hands over the attributes and the content of the element itself.
    mutating func raw(_ x: inout XMLAny) {
        content = .raw
        add(&x, .any, blank: nil) { x, reader in
            if let value = reader.keepContent() { x = value }
        } writing: { x, part, writer in
            if case .text = part { writer.content(of: x) } else { writer.openTag(for: x) }
        }
    }
}

// MARK: White space

/// Hands over strings of types that change white space: `collapsed` for `xs:token` and all derived from it, `xs:anyURI`
/// and the like, `replaced` for `xs:normalizedString` (XML Schema Part 2 §4.3.6).
extension XMLFields {
    /// Hands over a string whose white space is collapsed, which is required.
    @_spi(Generated) public mutating func collapsed(_ x: inout String) { text(&x, .collapse) }
    /// Hands over a string whose white space is collapsed, which may be absent.
    @_spi(Generated) public mutating func collapsed(_ x: inout String?) { text(&x, .collapse) }
    /// Hands over a string whose white space is collapsed, which is required and may be nil (`xsi:nil="true"`).
    @_spi(Generated) public mutating func nillableCollapsed(_ x: inout String?) { nillableText(&x, .collapse) }
    /// Hands over a string whose white space is collapsed, which may be absent, and may be nil.
    @_spi(Generated) public mutating func collapsed(_ x: inout Nillable<String>?) { text(&x, .collapse) }
    /// Hands over a list; each item is a string whose white space is collapsed.
    @_spi(Generated) public mutating func collapsed(_ x: inout [String]) { text(&x, .collapse) }
    /// Hands over a list; each item is a string whose white space is collapsed, and may be nil.
    @_spi(Generated) public mutating func collapsed(_ x: inout [Nillable<String>]) { text(&x, .collapse) }

    /// Hands over a string whose white space is replaced, which is required.
    @_spi(Generated) public mutating func replaced(_ x: inout String) { text(&x, .replace) }
    /// Hands over a string whose white space is replaced, which may be absent.
    @_spi(Generated) public mutating func replaced(_ x: inout String?) { text(&x, .replace) }
    /// Hands over a string whose white space is replaced, which is required and may be nil (`xsi:nil="true"`).
    @_spi(Generated) public mutating func nillableReplaced(_ x: inout String?) { nillableText(&x, .replace) }
    /// Hands over a string whose white space is replaced, which may be absent, and may be nil.
    @_spi(Generated) public mutating func replaced(_ x: inout Nillable<String>?) { text(&x, .replace) }
    /// Hands over a list; each item is a string whose white space is replaced.
    @_spi(Generated) public mutating func replaced(_ x: inout [String]) { text(&x, .replace) }
    /// Hands over a list; each item is a string whose white space is replaced, and may be nil.
    @_spi(Generated) public mutating func replaced(_ x: inout [Nillable<String>]) { text(&x, .replace) }

    private mutating func text(_ x: inout String, _ space: XSDWhiteSpace) {
        add(&x, .value, blank: { "" }, reading: { $1.text(&$0, space) }, writing: { $2.value($1, $0) })
    }

    private mutating func text(_ x: inout String?, _ space: XSDWhiteSpace) {
        add(
            &x, .value, blank: { nil }, reading: { $1.text(&$0, space) }, writing: { if let x = $0 { $2.value($1, x) } }
        )
    }

    private mutating func nillableText(_ x: inout String?, _ space: XSDWhiteSpace) {
        add(&x, .value, blank: { nil }, reading: { $1.text(&$0, space) }, writing: { $2.nillableValue($1, $0) })
    }

    private mutating func text(_ x: inout Nillable<String>?, _ space: XSDWhiteSpace) {
        add(&x, blank: { nil }, reading: { $1.text(&$0, space) }, writing: { $2.optionalNillableValue($1.element, $0) })
    }

    private mutating func text(_ x: inout [String], _ space: XSDWhiteSpace) {
        add(&x, blank: { [] }, reading: { $1.text(&$0, space) }, writing: { $2.values($1.element, $0) })
    }

    private mutating func text(_ x: inout [Nillable<String>], _ space: XSDWhiteSpace) {
        add(&x, blank: { [] }, reading: { $1.text(&$0, space) }, writing: { $2.nillableValues($1.element, $0) })
    }
}

// MARK: Derived types

/// Hands over elements whose `xsi:type` states their type; `declared` is the type of the schema, nil for an abstract
/// one.
extension XMLFields {
    /// Hands over a value whose `xsi:type` states its type, which is required.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func derived<Value>(
        _ x: inout XMLDerived<Value>, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) {
        add(
            &x, blank: nil, reading: { $1.derived(&$0, declared, types) },
            writing: { $2.derived($1.element, $0, declared) })
    }

    /// Hands over a value whose `xsi:type` states its type, which may be absent.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func derived<Value>(
        _ x: inout XMLDerived<Value?>, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) {
        add(
            &x, blank: { XMLDerived(nil) }, reading: { $1.derived(&$0, declared, types) },
            writing: { $2.derived($1.element, $0, declared) })
    }

    /// Hands over a required element that is nillable: nil is written as `xsi:nil="true"`.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func nillableDerived<Value>(
        _ x: inout XMLDerived<Value?>, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) {
        add(
            &x, blank: { XMLDerived(nil) }, reading: { $1.derived(&$0, declared, types) },
            writing: { $2.nillableDerived($1.element, $0, declared) }
        )
    }

    /// Hands over a value whose `xsi:type` states its type, which may be absent, and may be nil.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func derived<Value>(
        _ x: inout XMLDerived<Nillable<Value>?>, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) {
        add(
            &x, blank: { XMLDerived(nil) }, reading: { $1.derived(&$0, declared, types) },
            writing: { $2.derived($1.element, $0, declared) })
    }

    /// Hands over a list; each item is a value whose `xsi:type` states its type.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func derived<Value>(
        _ x: inout XMLDerived<[Value]>, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) {
        add(
            &x, blank: { XMLDerived([]) }, reading: { $1.derived(&$0, declared, types) },
            writing: { $2.derived($1.element, $0, declared) })
    }

    /// Hands over a list; each item is a value whose `xsi:type` states its type, and may be nil.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func derived<Value>(
        _ x: inout XMLDerived<[Nillable<Value>]>, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) {
        add(
            &x, blank: { XMLDerived([]) }, reading: { $1.derived(&$0, declared, types) },
            writing: { $2.derived($1.element, $0, declared) })
    }
}

// MARK: For handwritten code

/// Selects the method that fits the property. Generated code names the method itself, which compiles faster.
extension XMLFields {
    /// Hands over a value of a simple type, which is required.
    public mutating func field<T: XMLValue>(_ x: inout T) { value(&x) }
    /// Hands over a value of a simple type, which may be absent.
    public mutating func field<T: XMLValue>(_ x: inout T?) { optionalValue(&x) }
    /// Hands over a value of a simple type, which may be absent, and may be nil.
    public mutating func field<T: XMLValue>(_ x: inout Nillable<T>?) { optionalNillableValue(&x) }
    /// Hands over a list; each item is a value of a simple type.
    public mutating func field<T: XMLValue>(_ x: inout [T]) { values(&x) }
    /// Hands over a list; each item is a value of a simple type, and may be nil.
    public mutating func field<T: XMLValue>(_ x: inout [Nillable<T>]) { nillableValues(&x) }

    /// Hands over a structure, which is required.
    public mutating func field<T: XMLFielded>(_ x: inout T) { structure(&x) }
    /// Hands over a structure, which may be absent.
    public mutating func field<T: XMLFielded>(_ x: inout T?) { optionalStructure(&x) }
    /// Hands over a structure, which may be absent, and may be nil.
    public mutating func field<T: XMLFielded>(_ x: inout Nillable<T>?) { optionalNillableStructure(&x) }
    /// Hands over a list; each item is a structure.
    public mutating func field<T: XMLFielded>(_ x: inout [T]) { structures(&x) }
    /// Hands over a list; each item is a structure, and may be nil.
    public mutating func field<T: XMLFielded>(_ x: inout [Nillable<T>]) { nillableStructures(&x) }
    /// Hands over a structure that may be absent, in a box because it can contain another value of the enclosing type.
    public mutating func field<T: XMLFielded>(_ x: inout XMLBox<T>) { boxedOptionalStructure(&x) }

    /// Hands over a choice, which is required.
    @_spi(Generated) public mutating func field<T: XMLChoice>(_ x: inout T) { choice(&x) }
    /// Hands over a choice, which may be absent.
    @_spi(Generated) public mutating func field<T: XMLChoice>(_ x: inout T?) { optionalChoice(&x) }
    /// Hands over a list; each item is a choice.
    @_spi(Generated) public mutating func field<T: XMLChoice>(_ x: inout [T]) { choices(&x) }

    /// Hands over an element kept as it was written, which is required.
    public mutating func field(_ x: inout XMLFragment) { fragment(&x) }
    /// Hands over an element kept as it was written, which may be absent.
    public mutating func field(_ x: inout XMLFragment?) { optionalFragment(&x) }
    /// Hands over a list; each item is an element kept as it was written.
    public mutating func field(_ x: inout [XMLFragment]) { fragments(&x) }
    /// Hands over the attributes that the table does not name; see `anyAttribute` of `names`.
    public mutating func field(_ x: inout [XMLAnyAttribute]) { anyAttributes(&x) }

    /// Hands over a value of a simple type, which is required and may be nil (`xsi:nil="true"`).
    public mutating func nillableField<T: XMLValue>(_ x: inout T?) { nillableValue(&x) }
    /// Hands over a structure, which is required and may be nil (`xsi:nil="true"`).
    public mutating func nillableField<T: XMLFielded>(_ x: inout T?) { nillableStructure(&x) }
}
