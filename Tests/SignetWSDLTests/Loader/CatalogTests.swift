import SignetWSDL
import SignetXML
import Testing

@Suite struct CatalogTests {
    private let address = "http://example.com/types/t.xsd"
    private let types = schema("<xs:element name=\"a\" type=\"xs:int\"/>")

    private func importing(_ location: String) -> String {
        wsdl("<types><xs:schema><xs:import namespace=\"urn:t\" schemaLocation=\"\(location)\"/></xs:schema></types>")
    }

    private func catalog(_ entries: String) -> String {
        "<catalog xmlns=\"urn:oasis:names:tc:entity:xmlns:xml:catalog\">\(entries)</catalog>"
    }

    @Test(arguments: [
        "<uri name=\"http://example.com/types/t.xsd\" uri=\"copies/t.xsd\"/>",
        "<system systemId=\"http://example.com/types/t.xsd\" uri=\"copies/t.xsd\"/>",
        "<rewriteURI uriStartString=\"http://example.com/types/\" rewritePrefix=\"copies/\"/>",
        "<rewriteSystem systemIdStartString=\"http://example.com/\" rewritePrefix=\"no/\"/>"
            + "<rewriteSystem systemIdStartString=\"http://example.com/types/\" rewritePrefix=\"copies/\"/>",
        "<group xml:base=\"copies/\"><uri name=\"http://example.com/types/t.xsd\" uri=\"t.xsd\"/></group>",
        "<uri name=\"http://example.com/types/t.xsd\" uri=\"copies/t.xsd\"/>"
            + "<uri name=\"http://example.com/types/t.xsd\" uri=\"gone.xsd\"/>",
    ])
    func anAddressIsLookedUp(entries: String) throws {
        let definitions = try load(
            importing(address), ["catalog.xml": catalog(entries), "copies/t.xsd": types])
        #expect(definitions.schema.elements[QName("urn:t", "a")]?.location.file == "copies/t.xsd")
        #expect(definitions.diagnostics.isEmpty)
    }

    @Test func importsOfACopyAreRelativeToIt() throws {
        let definitions = try load(
            importing(address),
            [
                "catalog.xml": catalog("<uri name=\"\(address)\" uri=\"copies/t.xsd\"/>"),
                "copies/t.xsd": schema("<xs:include schemaLocation=\"./more/u.xsd\"/>"), "copies/more/u.xsd": types,
            ])
        #expect(definitions.schema.elements[QName("urn:t", "a")]?.location.file == "copies/more/u.xsd")
    }

    @Test func theCatalogBesideTheWSDLPrecedesThatOfTheRoot() throws {
        let files = [
            "a/catalog.xml": catalog("<uri name=\"\(address)\" uri=\"near.xsd\"/>"), "a/near.xsd": types,
            "catalog.xml": catalog("<uri name=\"\(address)\" uri=\"far.xsd\"/><uri name=\"urn:far\" uri=\"far.xsd\"/>"),
            "far.xsd": types,
        ]
        for (location, file) in [(address, "a/near.xsd"), ("urn:far", "far.xsd")] {
            let definitions = try load(importing(location), files, path: "a/main.wsdl")
            #expect(definitions.schema.elements[QName("urn:t", "a")]?.location.file == file)
        }
    }

    @Test(arguments: ["../t.xsd", "/etc/passwd", "file:///etc/passwd", "http://example.com/other.xsd", "%2e%2e/t.xsd"])
    func aCatalogMustNotLeadOutOfTheFolder(file: String) throws {
        let error = try #require(
            failure(importing(address), ["catalog.xml": catalog("\n<uri name=\"\(address)\" uri=\"\(file)\"/>")]))
        #expect(error.code == .importRefused)
        #expect(error.location == SourceLocation(file: "catalog.xml", line: 2, column: 1))
    }

    @Test func aFileThatACatalogNamesMustBeThere() throws {
        let error = try #require(
            failure(importing(address), ["catalog.xml": catalog("<uri name=\"\(address)\" uri=\"gone.xsd\"/>")]))
        #expect(error.code == .importNotFound)
        #expect(error.message.contains("gone.xsd"))
    }

    @Test func anotherDocumentOfThatNameIsNoCatalog() throws {
        let definitions = try load(
            importing(address), ["catalog.xml": "<catalog><uri name=\"\(address)\" uri=\"a\"/></catalog>"])
        #expect(definitions.schema.unreadImports.map(\.address) == [address])
        #expect(failure(importing(address), ["catalog.xml": "<catalog"])?.code == .malformedXML)
    }

    @Test func noCatalogIsReadWithoutNeed() throws {
        var asked: [String] = []
        let loader = WSDLLoader { path in
            asked.append(path)
            return path == "t.xsd" ? Array(types.utf8) : nil
        }
        _ = try loader.load(Array(wsdl("").utf8), path: "main.wsdl")
        #expect(asked.isEmpty)
        _ = try loader.load(Array(importing("t.xsd").utf8), path: "main.wsdl")
        #expect(asked == ["catalog.xml", "t.xsd"])
    }

    /// Copies of what a server has, under names of their own.
    @Test func referencesInADocumentWithAnAddressMeanAddresses() throws {
        let files = [
            "catalog.xml": catalog(
                """
                <uri name="http://example.com/a/ws?wsdl" uri="main.wsdl"/><uri name="http://example.com/a/t.xsd" uri="1.xsd"/>
                <uri name="http://example.com/b/t.xsd" uri="t.xsd"/><uri name="http://example.com/a/ws?xsd=1" uri="2.xsd"/>
                """),
            "1.xsd": schema("<xs:include schemaLocation=\"ws?xsd=1\"/><xs:element name=\"right\"/>"),
            "t.xsd": schema("<xs:element name=\"wrong\"/>"), "2.xsd": schema("<xs:element name=\"query\"/>"),
        ]
        let definitions = try load(importing("./t.xsd"), files)
        #expect(definitions.schema.elements.keys.map(\.localName).sorted() == ["query", "right"])
        // The loader looks for a name that the catalog does not list beside the document, and not among the others.
        for name in ["u.xsd", "main.wsdl", "catalog.xml", "1.xsd"] {
            let definitions = try load(importing(name), files)
            #expect(definitions.schema.elements.isEmpty, "\(name)")
        }
    }
}
