@_spi(Generated) import SignetXML
import Testing

// What the generator writes where only some of the types derived from one are made.

private protocol RecordProtocol: XMLDerivable {}

extension XMLAny: RecordProtocol {}

private struct Customer: RecordProtocol {
    var id: Int32 = 0
    static let xmlType = XMLName("urn:r", "Customer")
    init(_decoding: Void) {}
    init(id: Int32) { self.id = id }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:r"], elements: "id")
        fields.field(&x.id)
    }
}

private struct Found: XMLStructure {
    private var _records: XMLDerived<[any RecordProtocol]>
    var records: [any RecordProtocol] { _records.value }
    init(_ records: [any RecordProtocol]) { _records = XMLDerived(records) }
    init(_decoding: Void) { self.init([]) }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:r"], elements: "record*")
        fields.derived(&x._records, nil, XMLTypeRegistry([Customer.self, XMLAny.self]))
    }
}

@Suite struct KeptDerivedTests {
    private static let message = """
        <r:found xmlns:r="urn:r" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:o="urn:other">\
        <r:record xsi:type="r:Customer"><r:id>1</r:id></r:record>\
        <r:record xsi:type="o:Invoice" number="7"><r:id>2</r:id><o:sum>1.50</o:sum></r:record></r:found>
        """

    @Test func unmadeDerivedTypesAreKeptAndWrittenBack() throws {
        let found: Found = try decode(Self.message)
        #expect(found.records.count == 2)
        #expect((found.records.first as? Customer)?.id == 1)
        let kept = try #require(found.records.last as? XMLAny)
        #expect(kept.attributes.contains { $0.localName == "number" && $0.value == "7" })
        let text = try encode(found, as: XMLName("urn:r", "found"))
        let again: Found = try decode(text)
        #expect(again.records.count == 2 && (again.records.first as? Customer)?.id == 1, "\(text)")
        #expect(text.contains("Invoice\"") && text.contains("1.50"), "\(text)")
        let type = (again.records.last as? XMLAny)?.attributes.first { $0.localName == "type" }
        #expect(type?.value.hasSuffix("Invoice") == true, "\(text)")
    }

    @Test func anAbstractTypeStillNeedsAType() {
        #expect(throws: XMLError.self) {
            let _: Found = try decode("<found xmlns=\"urn:r\"><record><id>1</id></record></found>")
        }
    }
}
