import ReferenceServices
import SignetSOAP
import Testing

/// What generated types look like in XML, where a round trip alone would not tell.
@Suite struct WireFormTests {
    private static let types = "urn:signet:example:taxnumbers:types"
    private static let smallest =
        "<e xmlns=\"\(types)\"><requestDate>2026-11-21</requestDate><valid>1</valid><companyType>x</companyType>"
        + "<default xmlns=\"\">12345678901234567890</default><index>7</index></e>"

    private func encode(_ value: some XMLStructure) throws -> String {
        var writer = XMLWriter()
        writer.element(XMLName("", "e"), value, declaring: [("t", XMLNamespace(Self.types))])
        return String(decoding: try writer.finish(), as: UTF8.self)
    }

    private func decode<T: XMLStructure>(_ text: String, as type: T.Type = T.self) throws -> T {
        try XMLReader.read(Array(text.utf8)) { (reader) throws(XMLError) in
            try reader.root()
            let value = try reader.structure(T.self)
            try reader.finish()
            return value
        }
    }

    @Test func absentAndNilAreToldApart() throws {
        var value = try decode(Self.smallest, as: TaxNumbers.CheckResult.self)
        #expect(value.name == nil)
        #expect(!(try encode(value).contains("t:name")))
        value.name = .null
        value.companyType = nil
        let text = try encode(value)
        #expect(text.split(separator: "nil=\"true\"").count == 3)
        #expect(try decode(text) == value)
    }

    @Test func namesAreQualifiedWhereTheSchemaSaysSo() throws {
        let text = try encode(TaxNumbers.Check(countryCode: "SI", vatNumber: "1", requestID: "a\"b", lang: "sl"))
        #expect(text.contains(" t:requestID=\"a&quot;b\""))
        #expect(text.contains(" lang=\"sl\""))
        #expect(text.contains("<t:VATNumber>1</t:VATNumber>"))
        let result = try encode(try decode(Self.smallest, as: TaxNumbers.CheckResult.self))
        #expect(result.contains("<default>12345678901234567890</default>"))
    }

    @Test func requiredElementsMustBePresent() {
        for text in [
            "<e xmlns=\"\(Self.types)\" requestID=\"1\"/>", "<e xmlns:t=\"\(Self.types)\" t:requestID=\"1\"/>",
        ] {
            let error = #expect(throws: XMLError.self) { _ = try decode(text, as: TaxNumbers.Check.self) }
            #expect(error?.code == .missing)
        }
    }

    @Test func recursionGoesDeep() throws {
        var address = TaxNumbers.Address(street: "0", kind: .empty)
        for level in 1...50 { address = .init(street: "\(level)", kind: .empty, within: address) }
        #expect(try decode(try encode(address)) == address)
        address.within?.within = nil
        #expect(address.within?.street == "49")
        #expect(address.within?.within == nil)
    }

    @Test func enumerationsKeepUnknownValues() {
        for value in ["private", "HEAD_OFFICE", "rawValue", "", "something else"] {
            #expect(TaxNumbers.AddressKind(rawValue: value).rawValue == value)
        }
        #expect(TaxNumbers.AddressKind(rawValue: "rawValue") == .rawValue2)
    }
}
