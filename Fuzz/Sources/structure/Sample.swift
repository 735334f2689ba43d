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
    var event: [Event] = []
    var child: [Sample] = []
    var open: XMLAny?
    var last: String?
    var source: String?
    var flag: Bool?
    var others: [XMLAnyAttribute] = []

    enum Kind: Hashable { case plain(String), code(Int64?), inner(Inner) }
    enum Contact: Hashable { case mail(String), phone(XSDDecimal) }
    enum Event: Hashable { case came(UInt8), went(XSDDateTime), other(XMLFragment) }

    static let xmlTable = XMLTable(
        ["urn:a", "urn:b"],
        elements: "id name? note? value* day* 1:inner? (plain code inner) (mail aRatherLongName)? (came went #any)* "
            + "child* open? 1:last",
        attributes: "source? 1:flag?", anyAttribute: true)

    init(_decoding: Void) {}

    mutating func decodeField(_ index: Int, from reader: inout XMLReader) {
        switch index {
        case 0: reader.field(&id)
        case 1: reader.field(&name)
        case 2: reader.field(&note)
        case 3: reader.field(&value)
        case 4: reader.field(&day)
        case 5: reader.field(&inner)
        case 6: reader.choice(&kind, Kind.plain)
        case 7: reader.choice(&kind, Kind.code)
        case 8: reader.choice(&kind, Kind.inner)
        case 9: reader.choice(&contact, Contact.mail)
        case 10: reader.choice(&contact, Contact.phone)
        case 11: reader.choice(&event, Event.came)
        case 12: reader.choice(&event, Event.went)
        case 13: reader.choice(&event, Event.other)
        case 14: reader.field(&child)
        case 15: reader.field(&open)
        case 16: reader.field(&last)
        case 17: reader.field(&source)
        case 18: reader.field(&flag)
        case 19: reader.anyAttribute(&others)
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
        switch kind {
        case .plain(let value): writer.field(6, value)
        case .code(let value): writer.nillableField(7, value)
        case .inner(let value): writer.field(8, value)
        }
        switch contact {
        case .mail(let value): writer.field(9, value)
        case .phone(let value): writer.field(10, value)
        case nil: break
        }
        for event in event {
            switch event {
            case .came(let value): writer.field(11, value)
            case .went(let value): writer.field(12, value)
            case .other(let value): writer.wildcard(value)
            }
        }
        writer.field(14, child)
        writer.field(15, open)
        writer.nillableField(16, last)
    }

    /// Whether it holds a number that is not equal to itself.
    var hasNaN: Bool { value.contains(where: \.isNaN) || child.contains(where: \.hasNaN) }

    /// The same with the text only of what is kept as it was written.
    var withoutMarkup: Sample {
        var plain = self
        plain.event = event.map { event in
            guard case .other(let fragment) = event else { return event }
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
