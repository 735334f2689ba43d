/// The names of a complex type's fields, prepared once so that a reader compares words instead of strings.
public struct XMLTable: @unchecked Sendable {
    // Unchecked: the pointers refer to memory that is written once and never changed nor released. The same holds for
    // the objects that it refers to, whose functions are Sendable or capture nothing.

    enum Occurrence: UInt8 {
        case required, optional, repeated
    }

    enum Kind: UInt8 {
        case element
        /// Content without an element of its own, with a table of its own.
        case group
        /// Elements of many names.
        case wildcard
    }

    struct Field {
        /// The local name, followed by `>` and at least sixteen readable bytes.
        var name: UnsafePointer<UInt8>
        var length: Int
        var namespace: Int32
        var occurrence: Occurrence
        var kind = Kind.element
        /// The number of a group's table. For an element or attribute, the number of its form, counted from 1, or 0 for
        /// the usual form.
        var group: UInt16 = 0
        /// The first eight bytes of the name and `>`, and which bits of them count.
        var word: UInt64
        var mask: UInt64
        /// The value of an element without text, followed by a zero byte.
        var preset: UnsafePointer<UInt8>?

        /// The name in the list of names, without its namespace and its mark.
        var shownName: String { String(decoding: UnsafeBufferPointer(start: name, count: length), as: UTF8.self) }
    }

    /// The content of the table, behind a pointer because a table is passed on at every step.
    struct Content {
        let elements: UnsafeMutableBufferPointer<Field>
        let attributes: UnsafeMutableBufferPointer<Field>
        let groups: UnsafeMutableBufferPointer<XMLTable>
        let details: XMLTableDetails
        /// Which of the first 64 elements are required.
        let required: UInt64
        /// Which of the first 64 elements may repeat and, by the rules, must occur at least once, and whether any later
        /// element must.
        var demanded: UInt64 = 0
        var demandsMore = false
        /// The positions of the fields of the type: the items first, then its attributes, then the text of simple
        /// content, then the attributes of any name. Empty for a choice, and for a type that does not hand over as many
        /// fields as the table names.
        var places = UnsafeMutableBufferPointer<XMLFieldPlace>(start: nil, count: 0)
        /// The additional attributes of the start tag.
        var tag: XMLFieldPlace?
        /// An empty value of the type; nil when the type makes its own.
        var blank: UnsafeRawPointer?
        var fieldCount = 0
        var defect = ""
        var isDefective = false
        /// The type; nil for a table without one.
        var type: ObjectIdentifier?
        /// The forms of values that are not written in the usual form.
        var forms: [XMLForm] = []
        /// The number of the form of simple content.
        var textForm: UInt16 = 0
        var hasText = false
        var hasAnyAttribute = false
        var isRaw = false
        var isWhole = false
        var isMixed = false
        var isUnordered = false
        var isChoice = false
        var textItem = -1

        init(_ elements: XMLTableList, _ attributes: XMLTableList, _ groups: [XMLTable], _ details: XMLTableDetails) {
            self.elements = XMLTable.keep(elements.fields)
            self.attributes = XMLTable.keep(attributes.fields)
            self.groups = XMLTable.keep(groups)
            self.details = details
            required = elements.fields.prefix(64).enumerated().reduce(0) { mask, item in
                item.element.occurrence == .required ? mask | 1 << UInt64(item.offset) : mask
            }
        }

        private static var oneField: Content {
            let nothing = XMLTableList([], byDefault: .none)
            let details = XMLTableDetails(nothing, groups: [], isChoice: false, namespaces: [], types: "", rules: "")
            var content = Content(nothing, nothing, [], details)
            content.fieldCount = 1
            return content
        }

        /// The part that the field with this number represents.
        func part(_ index: Int) -> XMLFieldPart {
            let text = elements.count + attributes.count
            if index < elements.count { return .element(index) }
            if index < text { return .attribute(index - elements.count) }
            return hasText && index == text ? .text : .anyAttributes
        }

        /// A table whose only field takes the attributes and the content of the element itself.
        static var whole: Content {
            var content = oneField
            content.isWhole = true
            return content
        }

        /// A table that keeps attributes and content as they were written.
        static var raw: Content {
            var content = oneField
            content.isRaw = true
            return content
        }
    }

    let content: UnsafePointer<Content>

    var elements: UnsafeMutableBufferPointer<Field> { content.pointee.elements }
    /// A field for an element; it is valid for as long as the program runs.
    @inline(__always) func field(_ index: Int) -> UnsafePointer<Field>? {
        elements.baseAddress.map { UnsafePointer($0 + index) }
    }

    var attributes: UnsafeMutableBufferPointer<Field> { content.pointee.attributes }
    /// The tables of the groups among the elements.
    var groups: UnsafeMutableBufferPointer<XMLTable> { content.pointee.groups }
    var details: XMLTableDetails { content.pointee.details }
    var places: UnsafeMutableBufferPointer<XMLFieldPlace> { content.pointee.places }
    var tag: XMLFieldPlace? { content.pointee.tag }
    /// The defect of the type's `xmlFields`.
    var defect: String { content.pointee.defect }
    var isDefective: Bool { content.pointee.isDefective }
    /// Why the type can be neither read nor written: the defect of its `xmlFields`; nil when there is none.
    package var refusal: String? { isDefective ? defect : nil }

    /// The positions of the stored properties of the type, in the order in which it hands them over, each once, to
    /// compare them with the compiler's layout.
    package var propertyPlaces: [XMLPropertyPlace] {
        places.compactMap { place in
            let coding = place.coding.takeUnretainedValue()
            guard !(coding is XMLReadingCoding) else { return nil }
            return XMLPropertyPlace(offset: place.offset, size: coding.size)
        }
    }

    /// The form of the values of a field that has one, or of simple content.
    func form(_ number: UInt16) -> XMLForm? {
        let index = Int(number) - 1
        return content.pointee.forms.indices.contains(index) ? content.pointee.forms[index] : nil
    }

    var required: UInt64 { content.pointee.required }
    var demanded: UInt64 { content.pointee.demanded }
    var demandsMore: Bool { content.pointee.demandsMore }
    var textForm: UInt16 { content.pointee.textForm }
    var hasText: Bool { content.pointee.hasText }
    var hasAnyAttribute: Bool { content.pointee.hasAnyAttribute }
    /// Whether attributes and content are kept as they were written.
    var isRaw: Bool { content.pointee.isRaw }
    /// Whether the only field takes the attributes and the content of the element itself.
    var isWhole: Bool { content.pointee.isWhole }
    /// Whether text is allowed between the elements (XML Schema Part 1 §3.4.2, mixed).
    var isMixed: Bool { content.pointee.isMixed }
    /// Whether the elements may be in any order (`xs:all`).
    var isUnordered: Bool { content.pointee.isUnordered }
    /// Whether the items are alternatives.
    var isChoice: Bool { content.pointee.isChoice }
    /// The number of the group that takes the text between the elements, or -1.
    var textItem: Int { content.pointee.textItem }

    /// Prepares a table for code that reads and writes with it without a Swift type.
    package init(
        _ namespaces: [String], elements: String = "", attributes: String = "", groups: [XMLTable] = [],
        text: Bool = false, anyAttribute: Bool = false, mixed: Bool = false, unordered: Bool = false,
        types: String = "", presets: String = "", forms: String = "", rules: String = ""
    ) {
        self.init(
            Self.content(
                namespaces, elements, attributes, groups, text: text, anyAttribute: anyAttribute, mixed: mixed,
                unordered: unordered, types, presets, forms, rules))
    }

    /// Prepares the table of a choice.
    ///
    /// - Parameters:
    ///   - namespaces: as for a structure; see
    ///     ``XMLFields/names(_:elements:attributes:groups:text:anyAttribute:mixed:unordered:types:presets:forms:rules:)``.
    ///   - elements: the alternatives, written as the elements of a structure; `*` marks one that may repeat.
    ///   - groups: the tables to which `{0}`, `{1}` and so on refer.
    ///   - mixed: whether text between the elements is an alternative too: the one after all others.
    @_spi(Generated) public init(
        choice namespaces: [String], elements: String, groups: [XMLTable] = [], mixed: Bool = false,
        types: String = "", presets: String = "", forms: String = "", rules: String = ""
    ) {
        self.init(
            Self.content(namespaces, elements, "", groups, mixed: mixed, isChoice: true, types, presets, forms, rules))
    }

    static func content(
        _ namespaces: [String], _ elements: String, _ attributes: String, _ groups: [XMLTable], text: Bool = false,
        anyAttribute: Bool = false, mixed: Bool, unordered: Bool = false, isChoice: Bool = false, _ types: String,
        _ presets: String, _ forms: String, _ rules: String
    ) -> Content {
        let interned = namespaces.map(XMLNamespace.init)
        var elementList = XMLTableList(interned, byDefault: interned.first ?? .none, groups: groups)
        elementList.read(elements)
        elementList.read(presets: presets)
        var attributeList = XMLTableList(interned, byDefault: .none)
        attributeList.read(attributes)
        let textForm = XMLTableList.read(forms: forms, &elementList, &attributeList)
        let details = XMLTableDetails(
            elementList, groups: groups, isChoice: isChoice, namespaces: interned, types: types, rules: rules)
        var content = Content(elementList, attributeList, groups, details)
        for item in XMLTableList.demanded(rules, elementList.fields, groups) {
            if item < 64 { content.demanded |= 1 << UInt64(item) } else { content.demandsMore = true }
        }
        content.forms = elementList.forms + attributeList.forms + textForm
        content.textForm = textForm.isEmpty ? 0 : UInt16(truncatingIfNeeded: content.forms.count)
        content.textItem =
            elementList.fields.firstIndex { $0.kind == .group && groups[Int($0.group)].takesText } ?? -1
        content.hasText = text
        content.hasAnyAttribute = anyAttribute
        content.isMixed = mixed || content.textItem >= 0
        content.isUnordered = unordered
        content.isChoice = isChoice
        content.fieldCount =
            content.elements.count + content.attributes.count + (text ? 1 : 0) + (anyAttribute ? 1 : 0)
        return content
    }

    init(_ content: UnsafePointer<Content>) { self.content = content }

    init(_ content: Content) {
        let kept = UnsafeMutablePointer<Content>.allocate(capacity: 1)
        kept.initialize(to: content)
        self.content = UnsafePointer(kept)
    }

    /// The table of a type with one field, for code that reads and writes with it without a Swift type.
    package static let whole = XMLTable(.whole)

    /// Whether text between elements is read here.
    var takesText: Bool { isChoice && isMixed }

    static func keep<Item>(_ items: [Item]) -> UnsafeMutableBufferPointer<Item> {
        let kept = UnsafeMutableBufferPointer<Item>.allocate(capacity: items.count)
        _ = kept.initialize(from: items)
        return kept
    }
}
