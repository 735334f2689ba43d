@_spi(Generated) import SignetXML

/// The code that the generator writes for a type with every kind of field.
struct Sample: XMLStructure {
    var id: Int32 = 0
    var name: String?
    var note: Nillable<String>?
    var value: [Double] = []
    var day: [Nillable<XSDDate>] = []
    var inner: Inner?
    var kind: Kind = .plain("")
    var contact: Contact?
    var visit: [Visit] = []
    var pair: [Pair] = []
    var child: [Sample] = []
    var open: XMLAny?
    var last: String?
    var source: String?
    var flag: Bool?
    var others: [XMLAnyAttribute] = []

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            ["urn:a", "urn:b"],
            elements: "id name? note? value* day* 1:inner? {0} {1}? {2}* {3}* child* open? 1:last",
            attributes: "source? 1:flag?", groups: [Kind.xmlTable, Contact.xmlTable, Visit.xmlTable, Pair.xmlTable],
            anyAttribute: true)
        fields.field(&x.id)
        fields.field(&x.name)
        fields.field(&x.note)
        fields.field(&x.value)
        fields.field(&x.day)
        fields.field(&x.inner)
        fields.field(&x.kind)
        fields.field(&x.contact)
        fields.field(&x.visit)
        fields.group(&x.pair)
        fields.field(&x.child)
        fields.field(&x.open)
        fields.nillableField(&x.last)
        fields.field(&x.source)
        fields.field(&x.flag)
        fields.anyAttributes(&x.others)
    }

    /// Whether it holds a NaN, which is not equal to itself.
    var hasNaN: Bool { value.contains(where: \.isNaN) || child.contains(where: \.hasNaN) }

    /// The same value with only the text of content that is kept as written.
    var withoutMarkup: Sample {
        var plain = self
        plain.visit = visit.map { visit in
            guard case .other(let fragment) = visit else { return visit }
            return .other((try? XMLFragment(XMLName("", "text"), text: fragment.text)) ?? fragment)
        }
        plain.open = open.map { open in (try? XMLAny(text: open.text)) ?? open }
        plain.child = child.map(\.withoutMarkup)
        return plain
    }
}

/// Simple content with attributes.
struct Inner: XMLStructure {
    var value: XSDDecimal = ._placeholder
    var unit = ""
    var bytes: XSDBase64Binary?

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:b"], attributes: "unit bytes?", text: true)
        fields.field(&x.unit)
        fields.field(&x.bytes)
        fields.field(&x.value)
    }
}

/// A choice with groups, one of which is a choice.
enum Kind: XMLChoice {
    case plain(String)
    case code(Int64?)
    case inner(Inner)
    case steps([Step])
    case contact(Contact)

    static let xmlTable = XMLTable(
        choice: ["urn:a"], elements: "plain code inner {0}* {1}", groups: [Step.xmlTable, Contact.xmlTable])

    static func decode(_ index: Int, from reader: inout XMLReader) -> Kind? {
        switch index {
        case 0: reader.branch(Self.plain)
        case 1: reader.branch(Self.code)
        case 2: reader.branch(Self.inner)
        case 3: reader.branchGroup(Self.steps)
        case 4: reader.branchGroup(Self.contact)
        default: nil
        }
    }

    func encode(to writer: inout XMLWriter) {
        switch self {
        case .plain(let value): writer.field(0, value)
        case .code(let value): writer.nillableField(1, value)
        case .inner(let value): writer.field(2, value)
        case .steps(let value): writer.group(3, value)
        case .contact(let value): writer.field(4, value)
        }
    }

    static var _placeholder: Kind { .plain("") }
}

enum Contact: XMLChoice {
    case mail(String)
    case phone(XSDDecimal)

    static let xmlTable = XMLTable(choice: ["urn:a"], elements: "mail aRatherLongName")

    static func decode(_ index: Int, from reader: inout XMLReader) -> Contact? {
        switch index {
        case 0: reader.branch(Self.mail)
        case 1: reader.branch(Self.phone)
        default: nil
        }
    }

    func encode(to writer: inout XMLWriter) {
        switch self {
        case .mail(let value): writer.field(0, value)
        case .phone(let value): writer.field(1, value)
        }
    }

    static var _placeholder: Contact { .mail("") }
}

enum Visit: XMLChoice {
    case came(UInt8)
    case went(XSDDateTime)
    case other(XMLFragment)

    static let xmlTable = XMLTable(choice: ["urn:a", "urn:c"], elements: "came went #in:1")

    static func decode(_ index: Int, from reader: inout XMLReader) -> Visit? {
        switch index {
        case 0: reader.branch(Self.came)
        case 1: reader.branch(Self.went)
        case 2: reader.branch(Self.other)
        default: nil
        }
    }

    func encode(to writer: inout XMLWriter) {
        switch self {
        case .came(let value): writer.field(0, value)
        case .went(let value): writer.field(1, value)
        case .other(let value): writer.wildcard(value)
        }
    }

    static var _placeholder: Visit { .came(0) }
}

/// A sequence without an element of its own.
struct Pair: XMLStructure {
    var left: Int32 = 0
    var right: String?

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:a"], elements: "left right?")
        fields.field(&x.left)
        fields.field(&x.right)
    }
}

struct Step: XMLStructure {
    var begin: Bool?
    var end: Int16 = 0

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:b"], elements: "begin? end")
        fields.field(&x.begin)
        fields.field(&x.end)
    }
}
