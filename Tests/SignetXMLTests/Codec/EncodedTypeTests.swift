@_spi(Generated) import SignetXML
import Testing

private let xsd = "http://www.w3.org/2001/XMLSchema"

/// A type of an encoded message (SOAP 1.1 §5): the table says the type of each element.
private struct Order: XMLStructure {
    var id: Int32 = 0
    var name: String?
    var line: [Line] = []
    var free: String?
    var pick: Pick?

    enum Pick: XMLChoice {
        case a(Int32)
        static let xmlTable = XMLTable(choice: ["urn:o", xsd], elements: "a", types: "1:int")
        static func decode(_ index: Int, from reader: inout XMLReader) -> Pick? { reader.branch(Self.a) }
        func encode(to writer: inout XMLWriter) { if case .a(let value) = self { writer.field(0, value) } }
        static var _placeholder: Pick { .a(0) }
    }

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            ["urn:o", xsd], elements: "id name? line* free? {0}?", groups: [Pick.xmlTable],
            types: "1:int 1:string Line - -")
        fields.field(&x.id)
        fields.nillableField(&x.name)
        fields.field(&x.line)
        fields.field(&x.free)
        fields.field(&x.pick)
    }
}

private struct Line: XMLStructure {
    var count: Int32 = 0
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:o", xsd], elements: "count", types: "1:int")
        fields.field(&x.count)
    }
}

@Suite struct EncodedTypeTests {
    @Test func xsiTypeIsWrittenWhereTheTypeIsKnown() throws {
        var order = Order(_decoding: ())
        order.id = 7
        order.free = "x"
        order.line = [Line(_decoding: ())]
        order.pick = .a(5)
        var writer = XMLWriter()
        writer.writesTypes = true
        writer.element(XMLName("urn:o", "order"), order, declaring: [("o", XMLNamespace("urn:o"))])
        let text = String(decoding: try writer.finish(), as: UTF8.self)
        #expect(text.contains("<o:id xsi:type=\"n1:int\">7</o:id>"), "\(text)")
        #expect(text.contains("<o:name xsi:type=\"n1:string\" xsi:nil=\"true\"></o:name>"), "\(text)")
        #expect(
            text.contains("<o:line xsi:type=\"o:Line\"><o:count xsi:type=\"n1:int\">0</o:count></o:line>"), "\(text)")
        #expect(text.contains("<o:free>x</o:free><o:a xsi:type=\"n1:int\">5</o:a>"), "\(text)")
        #expect(text.contains("xmlns:n1=\"\(xsd)\""), "\(text)")
        #expect(try decode(text) == order)
        #expect(try !encode(order, as: XMLName("urn:o", "order")).contains("xsi:type"))
    }
}
