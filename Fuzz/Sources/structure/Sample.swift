import SignetXML

/// What the generator writes for a type with every kind of field.
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

    static let xmlTable = XMLTable(
        ["urn:a", "urn:b"],
        elements: "id name? note? value* day* 1:inner? {0} {1}? {2}* {3}* child* open? 1:last",
        attributes: "source? 1:flag?", groups: [Kind.xmlTable, Contact.xmlTable, Visit.xmlTable, Pair.xmlTable],
        anyAttribute: true)

    init(_decoding: Void) {}

    mutating func decodeField(_ index: Int, from reader: inout XMLReader) {
        switch index {
        case 0: reader.field(&id)
        case 1: reader.field(&name)
        case 2: reader.field(&note)
        case 3: reader.field(&value)
        case 4: reader.field(&day)
        case 5: reader.field(&inner)
        case 6: reader.field(&kind)
        case 7: reader.field(&contact)
        case 8: reader.field(&visit)
        case 9: reader.group(&pair)
        case 10: reader.field(&child)
        case 11: reader.field(&open)
        case 12: reader.field(&last)
        case 13: reader.field(&source)
        case 14: reader.field(&flag)
        case 15: reader.anyAttribute(&others)
        default: break
        }
    }

    func encodeAttributes(to writer: inout XMLWriter) {
        writer.attribute(0, source)
        writer.attribute(1, flag)
        writer.anyAttributes(others)
    }

    func encodeContent(to writer: inout XMLWriter) {
        writer.field(0, id)
        writer.field(1, name)
        writer.field(2, note)
        writer.field(3, value)
        writer.field(4, day)
        writer.field(5, inner)
        writer.field(6, kind)
        writer.field(7, contact)
        writer.field(8, visit)
        writer.group(9, pair)
        writer.field(10, child)
        writer.field(11, open)
        writer.nillableField(12, last)
    }

    /// Whether it holds a number that is not equal to itself.
    var hasNaN: Bool { value.contains(where: \.isNaN) || child.contains(where: \.hasNaN) }

    /// The same with the text only of what is kept as it was written.
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

    static let xmlTable = XMLTable(["urn:b"], attributes: "unit bytes?", text: true)

    init(_decoding: Void) {}

    mutating func decodeField(_ index: Int, from reader: inout XMLReader) {
        switch index {
        case 0: reader.field(&unit)
        case 1: reader.field(&bytes)
        case 2: reader.field(&value)
        default: break
        }
    }

    func encodeAttributes(to writer: inout XMLWriter) {
        writer.attribute(0, unit)
        writer.attribute(1, bytes)
    }

    func encodeContent(to writer: inout XMLWriter) { writer.content(value) }
}

/// A choice with groups in it, another choice among them.
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

    static let xmlTable = XMLTable(["urn:a"], elements: "left right?")

    init(_decoding: Void) {}

    mutating func decodeField(_ index: Int, from reader: inout XMLReader) {
        switch index {
        case 0: reader.field(&left)
        case 1: reader.field(&right)
        default: break
        }
    }

    func encodeContent(to writer: inout XMLWriter) {
        writer.field(0, left)
        writer.field(1, right)
    }
}

struct Step: XMLStructure {
    var begin: Bool?
    var end: Int16 = 0

    static let xmlTable = XMLTable(["urn:b"], elements: "begin? end")

    init(_decoding: Void) {}

    mutating func decodeField(_ index: Int, from reader: inout XMLReader) {
        switch index {
        case 0: reader.field(&begin)
        case 1: reader.field(&end)
        default: break
        }
    }

    func encodeContent(to writer: inout XMLWriter) {
        writer.field(0, begin)
        writer.field(1, end)
    }
}
