import SignetWSDL
import SignetXML
import Testing

/// Schemas of the W3C and of others begin with a document type declaration.
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
    func documentTypesDoNotShiftLineNumbers(documentType: String) throws {
        let definitions = try load(documentType, "<xs:element name=\"a\"/>")
        let line = 5 + documentType.filter(\.isNewline).count
        #expect(definitions.schema.elements[QName("urn:t", "a")]?.location.line == line)
    }

    private func typeName(_ type: TypeReference) -> QName? {
        if case .named(let name) = type { name } else { nil }
    }

    @Test func entitiesOfADocumentTypeAreExpanded() throws {
        let definitions = try load(
            "<!DOCTYPE schema [<!ENTITY a 'xs:int'><!ENTITY b '<xs:element name=\"b\" type=\"&a;\"/>'>]>",
            "<xs:element name=\"a\" type=\"&a;\"/>\n  &b;<xs:element name=\"c\"/>")
        let elements = definitions.schema.elements
        let integer = QName("http://www.w3.org/2001/XMLSchema", "int")
        for name in ["a", "b"] { #expect(elements[QName("urn:t", name)].map { typeName($0.type) } == integer) }
        // What comes from an entity is found where that is referred to.
        let line = try #require(elements[QName("urn:t", "a")]?.location.line)
        #expect(elements[QName("urn:t", "b")]?.location == .init(file: "t.xsd", line: line + 1, column: 3))
        #expect(elements[QName("urn:t", "c")]?.location == .init(file: "t.xsd", line: line + 1, column: 6))
    }

    /// As the schema of XML signatures has it.
    @Test func defaultAttributesOfADocumentTypeApply() throws {
        let definitions = try load(
            "<!DOCTYPE xs:schema PUBLIC '-//W3C//DTD XMLSchema 200102//EN' 'XMLSchema.dtd' [\n"
                + "<!ATTLIST xs:schema xmlns:t CDATA #FIXED 'urn:t'><!ENTITY % p ''>]>",
            "<xs:element name=\"a\" type=\"t:A\"/><xs:complexType name=\"A\"/>")
        let element = try #require(definitions.schema.elements[QName("urn:t", "a")])
        #expect(typeName(element.type) == QName("urn:t", "A"))
    }

    @Test(arguments: ["<!DOCTYPE schema [", "<!DOCTYPE schema '", "<!DOCTYPE a><!DOCTYPE b>", "<!DOCTYPE a [%b;]>"])
    func malformedDocumentTypesAreRefused(documentType: String) {
        let error = #expect(throws: WSDLError.self) { _ = try load(documentType, "") }
        #expect(error?.code == .malformedXML)
        #expect((3...4).contains(error?.location.line ?? 0))
    }

    /// Entities that multiply, that lead out of the document or into themselves, and tricks with parameter entities:
    /// refused with their place, before any file but the schema itself is asked for.
    @Test(arguments: [
        (
            (1...9).reduce("<!ENTITY a0 'lol'>") { text, level in
                text + "<!ENTITY a\(level) '\(String(repeating: "&a\(level - 1);", count: 10))'>"
            }, "&a9;", XMLError.Code.tooManyEntities
        ),
        (
            "<!ENTITY a '\(String(repeating: "a", count: 50_000))'>", String(repeating: "&a;", count: 50_000),
            .tooManyEntities
        ),
        ("<!ENTITY a SYSTEM 'file:///etc/passwd'>", "&a;", .doctypeRefused),
        ("<!ENTITY a SYSTEM 'http://127.0.0.1:9/'>", "&a;", .doctypeRefused),
        ("<!ENTITY a PUBLIC 'a' 'other.xsd'>", "&a;", .doctypeRefused),
        ("<!ENTITY a SYSTEM 'other.xsd'>", "<x a='&a;'/>", .malformed),
        ("<!ENTITY % p SYSTEM 'http://127.0.0.1:9/'> %p;", "", .doctypeRefused),
        (
            "<!ENTITY % f SYSTEM 'file:///etc/passwd'><!ENTITY % e \"<!ENTITY s SYSTEM 'http://127.0.0.1/?%f;'>\"> %e;",
            "", .malformed
        ),
        ("<!ENTITY % a '&#37;a;'> %a;", "", .doctypeRefused),
        ("<!ENTITY a '&b;'><!ENTITY b '&a;'>", "&a;", .malformed),
        ("<!ENTITY a '&a;'>", "<x a='&a;'/>", .malformed),
    ])
    func attacksAreRefused(declarations: String, content: String, code: XMLError.Code) {
        let main = wsdl(
            "<types><xs:schema><xs:import namespace=\"urn:t\" schemaLocation=\"t.xsd\"/></xs:schema></types>")
        let file =
            "<!DOCTYPE s SYSTEM 'other.dtd' [\(declarations)]>\(schema("<xs:annotation>\(content)</xs:annotation>"))"
        var asked: [String] = []
        let error = #expect(throws: WSDLError.self) {
            _ = try WSDLLoader { path in
                asked.append(path)
                return path == "t.xsd" ? Array(file.utf8) : nil
            }.load(Array(main.utf8), path: "main.wsdl")
        }
        #expect((error?.cause as? XMLError)?.code == code, "\(String(describing: error))")
        #expect(error?.location.file == "t.xsd")
        #expect(asked == ["catalog.xml", "t.xsd"])
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
            try load("<?xml version='1.0' encoding='shift_jis'?>") { Array($0.utf8) }
        }
        #expect((error?.cause as? XMLError)?.code == .unsupportedEncoding)
    }
}
