import SignetWSDL
import SignetXML
import Testing

/// Schemas of the W3C begin with a document type declaration.
@Suite struct DocumentTypeTests {
    private func load(_ documentType: String, _ content: String) throws -> WSDLDefinitions {
        let main = wsdl(
            "<types><xs:schema><xs:import namespace=\"urn:t\" schemaLocation=\"t.xsd\"/></xs:schema></types>")
        let file = "<?xml version=\"1.0\"?>\n<!-- <!DOCTYPE no> -->\n\(documentType)\n\(schema(content))"
        return try WSDLLoader { _ in Array(file.utf8) }.load(Array(main.utf8), path: "main.wsdl")
    }

    @Test(arguments: [
        "<!DOCTYPE xs:schema>",
        "<!DOCTYPE schema PUBLIC \"-//W3C//DTD XMLSchema 200102//EN\" 'http://example.com/x>.dtd'>",
        "<!DOCTYPE schema [\n<!ENTITY a '>]>'>\n<!-- ]> \" -->\n<!ATTLIST schema b CDATA #FIXED \"]>\">\n]>",
    ])
    func itIsPassedOver(documentType: String) throws {
        let definitions = try load(documentType, "<xs:element name=\"a\"/>")
        let line = 5 + documentType.filter(\.isNewline).count
        #expect(definitions.schema.elements[QName("urn:t", "a")]?.location.line == line)
    }

    @Test func itsEntitiesAreNotKnown() throws {
        let error = #expect(throws: WSDLError.self) {
            _ = try load("<!DOCTYPE schema [<!ENTITY a 'xs:int'>]>", "<xs:element name=\"a\" type=\"&a;\"/>")
        }
        #expect(error?.code == .malformedXML)
        #expect((error?.cause as? XMLError)?.code != .doctypeRefused)
    }

    @Test(arguments: ["<!DOCTYPE schema [", "<!DOCTYPE schema '", "<!DOCTYPE a><!DOCTYPE b>"])
    func oneWithoutAnEndIsRefused(documentType: String) {
        let error = #expect(throws: WSDLError.self) { _ = try load(documentType, "") }
        #expect((error?.cause as? XMLError)?.code == .doctypeRefused)
    }
}

@Suite struct EncodingTests {
    private let content = "\n<!-- \u{FC} -->" + schema("<xs:element name=\"a\"/>")

    private func load(_ declaration: String, _ bytes: (String) -> [UInt8]) throws -> WSDLDefinitions {
        let main = wsdl(
            "<types><xs:schema><xs:import namespace=\"urn:t\" schemaLocation=\"t.xsd\"/></xs:schema></types>")
        let file = bytes(declaration + content)
        return try WSDLLoader { _ in file }.load(Array(main.utf8), path: "main.wsdl")
    }

    @Test(arguments: [
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>",
        "<?xml version='1.0' encoding='iso-8859-1' standalone='no'?>",
        "<?xml version='1.0'\nencoding='latin1'?>",
    ])
    func latin1IsRead(declaration: String) throws {
        let definitions = try load(declaration) { $0.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
        let line = 3 + declaration.filter(\.isNewline).count
        #expect(
            definitions.schema.elements[QName("urn:t", "a")]?.location == .init(file: "t.xsd", line: line, column: 1))
    }

    @Test func utf16IsRead() throws {
        let definitions = try load("") { Array("\u{FEFF}\($0)".utf16).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } }
        #expect(
            definitions.schema.elements[QName("urn:t", "a")]?.location == .init(file: "t.xsd", line: 3, column: 1))
    }

    @Test func otherEncodingsAreRefused() {
        let error = #expect(throws: WSDLError.self) {
            try load("<?xml version='1.0' encoding='koi8-r'?>") { Array($0.utf8) }
        }
        #expect((error?.cause as? XMLError)?.code == .unsupportedEncoding)
    }
}
