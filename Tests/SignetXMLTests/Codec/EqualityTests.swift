@_spi(Generated) import SignetXML
import Testing

private struct Part: XMLStructure {
    var amount: XSDDecimal?
    var note: Nillable<String>?
    var tags: [String] = []
    var first: XMLFragment?
    var second: XMLFragment?
    var amountAttribute: XSDDecimal?
    var others: [XMLAnyAttribute] = []
    var pick: Pick?
    var base: (any XMLDerivable)? {
        get { _base.value }
        set { _base.value = newValue }
    }
    private var _base = XMLDerived<(any XMLDerivable)?>(nil)

    init() {}
    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            ["urn:p"], elements: "amount? note? tags* #any? #any? {0}? base?", attributes: "amount?",
            groups: [Pick.xmlTable], anyAttribute: true)
        fields.optionalValue(&x.amount)
        fields.optionalNillableValue(&x.note)
        fields.values(&x.tags)
        fields.optionalFragment(&x.first)
        fields.optionalFragment(&x.second)
        fields.optionalChoice(&x.pick)
        fields.derived(&x._base, nil, XMLTypeRegistry([One.self, Two.self]))
        fields.optionalValue(&x.amountAttribute)
        fields.anyAttributes(&x.others)
    }
}

private enum Pick: XMLChoice {
    case left(Double)
    case right(Double)
    case text(String)
    static let xmlTable = XMLTable(choice: ["urn:p"], elements: "left right", mixed: true)
    static func decode(_ index: Int, from reader: inout XMLReader) -> Pick? { nil }
    func encode(to writer: inout XMLWriter) {
        switch self {
        case .left(let value): writer.value(0, value)
        case .right(let value): writer.value(1, value)
        case .text(let value): writer.text(value)
        }
    }
    static var _placeholder: Pick { .left(0) }
}

private struct One: XMLDerivable {
    var value: Int32
    init(_ value: Int32) { self.value = value }
    init(_decoding: Void) { value = 0 }
    static let xmlType = XMLName("urn:p", "One")
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:p"], text: true)
        fields.value(&x.value)
    }
}

private struct Two: XMLDerivable {
    var value: Int32
    init(_ value: Int32) { self.value = value }
    init(_decoding: Void) { value = 0 }
    static let xmlType = XMLName("urn:p", "Two")
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:p"], text: true)
        fields.value(&x.value)
    }
}

@Suite struct EqualityTests {
    private func part(_ change: (inout Part) throws -> Void) rethrows -> Part {
        var part = Part()
        try change(&part)
        return part
    }

    /// All of them differ from each other; each is equal to a new copy of itself.
    private func all() throws -> [Part] {
        let fragment = try XMLFragment(parsing: "<a xmlns='urn:a'>1</a>")
        return try [
            part { _ in },
            part { $0.amount = 1 }, part { $0.amountAttribute = 1 }, part { $0.amount = 2 },
            part { $0.note = .null }, part { $0.note = "" }, part { $0.note = "x" },
            part { $0.tags = [""] }, part { $0.tags = ["x"] }, part { $0.tags = ["x", ""] },
            part { $0.tags = ["", "x"] },
            part { $0.first = fragment }, part { $0.second = fragment },
            part { ($0.first, $0.second) = (fragment, fragment) },
            part { $0.first = try XMLFragment(parsing: "<a xmlns='urn:a'>2</a>") },
            part { $0.others = [XMLAnyAttribute(namespaceURI: "", localName: "b", value: "x")] },
            part { $0.others = [XMLAnyAttribute(namespaceURI: "", localName: "b", value: "y")] },
            part { $0.pick = .left(1) }, part { $0.pick = .right(1) }, part { $0.pick = .left(2) },
            part { $0.pick = .text("1") }, part { $0.pick = .text("a\u{0}b") }, part { $0.pick = .text("a\u{0}c") },
            part { $0.base = One(1) }, part { $0.base = Two(1) }, part { $0.base = One(2) },
        ]
    }

    @Test func valuesThatWriteTheSameAreEqual() throws {
        let one = try all()
        let other = try all()
        for (index, left) in one.enumerated() {
            for (number, right) in other.enumerated() {
                #expect((left == right) == (index == number), "\(index) and \(number)")
            }
        }
        #expect(Set(one).count == one.count)
        #expect(Set(one + other).count == one.count)
    }

    @Test func valuesAreComparedAndNotTheirText() {
        let one = part { $0.amount = XSDDecimal.init("1.0") }
        let other = part { $0.amount = XSDDecimal.init("1") }
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(Pick.left(.nan) != Pick.left(.nan))
        #expect(Pick.left(0) == Pick.left(-0.0))
        #expect(Pick.left(0).hashValue == Pick.left(-0.0).hashValue)
    }

    @Test func boxesAreEqualWhenTheirValuesAre() {
        #expect(XMLBox<String>() == XMLBox(nil))
        #expect(XMLBox("a") != XMLBox("b"))
        var box = XMLBox("a")
        box.value = nil
        #expect(box == XMLBox() && box.value == nil)
    }
}
