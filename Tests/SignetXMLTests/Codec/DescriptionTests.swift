@_spi(Generated) import SignetXML
import Testing

private struct Node: XMLStructure {
    var label: String
    var next: Node? {
        get { _next.value }
        set { _next.value = newValue }
    }
    private var _next = XMLBox<Node>()
    init(_decoding: Void) { label = "" }
    init(_ label: String, _ next: Node? = nil) {
        self.label = label
        self.next = next
    }
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:n"], elements: "label next?")
        fields.value(&x.label)
        fields.boxedOptionalStructure(&x._next)
    }
}

private enum Pick: XMLChoice {
    case number(Int32)
    case description(Node)
    static let xmlTable = XMLTable(choice: ["urn:n"], elements: "number description")
    static func decode(_ index: Int, from reader: inout XMLReader) -> Pick? { nil }
    func encode(to writer: inout XMLWriter) {}
    static var _placeholder: Pick { .number(0) }
}

/// The schema has elements of its own that are called so.
private struct Described: XMLStructure {
    var description: Int32?
    var picks: [Pick]
    var any: XMLAny
    var held: (any XMLDerivable)? {
        get { _held.value }
        set { _held.value = newValue }
    }
    private var _held: XMLDerived<(any XMLDerivable)?>
    init(_decoding: Void) {
        picks = []
        any = XMLAny()
        _held = XMLDerived(nil)
    }
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:n"], elements: "description? {0}* any", groups: [Pick.xmlTable])
        fields.optionalValue(&x.description)
        fields.choices(&x.picks)
        fields.structure(&x.any)
    }
}

@Suite struct DescriptionTests {
    @Test func valuesAreDescribedInOneLine() {
        let reading = Reading(
            id: 7, name: "a \"b\"\n", taken: XSDDate.init("2026-02-28"), note: .null, value: [1.5, 2],
            inner: Inner(value: 12, unit: "kg"))
        #expect(
            "\(reading)"
                == #"Reading(id: 7, name: "a \"b\"\n", taken: 2026-02-28, note: nil, value: [1.5, 2.0], inner: Inner(value: 12, unit: "kg"))"#
        )
        #expect(
            String(describing: Optional(Node("a", Node("b")))).contains(#"Node(label: "a", next: Node(label: "b"))"#))
    }

    @Test func propertiesAndCasesMayHaveTheName() throws {
        var value = Described(_decoding: ())
        value.description = 5
        value.picks = [.number(1), .description(Node("x"))]
        value.any = try XMLAny(text: "secret")
        #expect(
            "\(value)"
                == #"Described(description: 5, picks: [.number(1), .description(Node(label: "x"))], any: any (6 bytes))"#
        )
        #expect("\(Pick.number(3))" == ".number(3)")
        let number: Int32? = value.description
        #expect(number == 5)
    }

    @Test func longAndDeepDescriptionsAreCutOff() {
        #expect("\(Node(String(repeating: "x", count: 100_000)))".count == 1001)
        var deep = Node("0")
        for number in 1...1000 { deep = Node("\(number)", deep) }
        #expect("\(deep)".hasSuffix("next: …" + String(repeating: ")", count: 17)))
    }
}
