import SignetWSDL
import SignetXML
import Testing

@Suite struct ImportTests {
    private func importing(_ location: String) -> String {
        wsdl("<types><xs:schema><xs:import namespace=\"urn:t\" schemaLocation=\"\(location)\"/></xs:schema></types>")
    }

    private let types = schema("<xs:element name=\"a\" type=\"xs:int\"/>")

    @Test(arguments: [
        ("types.xsd", "types.xsd"), ("./types.xsd", "types.xsd"), ("a/../b/./types.xsd", "b/types.xsd"),
        ("my%20types.xsd", "my types.xsd"), ("a\\types.xsd", "a/types.xsd"), ("types.xsd#part", "types.xsd"),
    ])
    func relativeFilesAreRead(location: String, path: String) throws {
        let set = try load(importing(location), [path: types]).schema
        #expect(set.elements[QName("urn:t", "a")]?.location == SourceLocation(file: path, line: 2, column: 1))
    }

    @Test func importsAreRelativeToTheFileThatHasThem() throws {
        let definitions = try load(
            wsdl("<import namespace=\"urn:w\" location=\"../part/more.wsdl\"/>"),
            [
                "part/more.wsdl": wsdl("<types>\(schema("<xs:include schemaLocation=\"../xsd/t.xsd\"/>"))</types>"),
                "xsd/t.xsd": types,
            ], path: "main/main.wsdl")
        #expect(definitions.schema.elements.count == 1)
    }

    @Test(arguments: [
        "../types.xsd", "a/../../types.xsd", "%2e%2e/types.xsd", "..%2ftypes.xsd", "..\\types.xsd", "/etc/passwd",
        "file:///etc/passwd", "C:\\types.xsd", "%2Fetc/passwd", "a%00.xsd", "%zz.xsd", "..", ".", "http%3A//x/y",
    ])
    func nothingOutsideTheRootIsRead(location: String) throws {
        var asked: [String] = []
        let loader = WSDLLoader { path in
            asked.append(path)
            return nil
        }
        let error = #expect(throws: WSDLError.self) {
            _ = try loader.load(Array(importing(location).utf8), path: "main.wsdl")
        }
        #expect(error?.code == .importRefused)
        #expect(error?.location.line == 2)
        #expect(asked.isEmpty)
    }

    @Test(arguments: ["http://example.com/t.xsd", "https://example.com/t.xsd", "urn:x", "//example.com/t.xsd"])
    func nothingIsFetched(location: String) throws {
        let definitions = try load(importing(location))
        #expect(definitions.schema.unreadImports.map(\.address) == [location])
        #expect(definitions.diagnostics.map(\.severity) == [.warning])
    }

    @Test func aFileThatIsAbsentIsNamed() throws {
        let error = try #require(failure(importing("gone.xsd")))
        #expect(error.code == .importNotFound)
        #expect(error.message.contains("gone.xsd"))
        #expect(error.location == SourceLocation(file: "main.wsdl", line: 2, column: 19))
    }

    @Test func cyclesEnd() throws {
        var asked: [String] = []
        let files = [
            "a.wsdl": wsdl(
                "<import namespace=\"urn:w\" location=\"main.wsdl\"/><import namespace=\"urn:w\" location=\"a.wsdl\"/>"),
            "a.xsd": schema("<xs:include schemaLocation=\"b.xsd\"/><xs:element name=\"a\"/>"),
            "b.xsd": schema(
                "<xs:include schemaLocation=\"a.xsd\"/><xs:import schemaLocation=\"b.xsd\"/><xs:element name=\"b\"/>"),
        ]
        let main = wsdl(
            "<import namespace=\"urn:w\" location=\"a.wsdl\"/><types>\(schema("<xs:include schemaLocation=\"a.xsd\"/>"))"
                + "<xs:schema><xs:import namespace=\"urn:t\" schemaLocation=\"b.xsd\"/></xs:schema></types>")
        let definitions = try WSDLLoader { path in
            asked.append(path)
            return files[path].map { Array($0.utf8) }
        }.load(Array(main.utf8), path: "main.wsdl")
        #expect(definitions.schema.elements.count == 2)
        #expect(definitions.diagnostics.isEmpty)
        #expect(!asked.contains("main.wsdl"))
        #expect(asked.count < 8)
    }

    @Test func aSchemaWithoutANamespaceTakesThatOfItsIncluder() throws {
        let chameleon = """
            <xs:schema xmlns:xs="\(Namespaces.schema)"><xs:element name="a" type="T"/>
            <xs:simpleType name="T"><xs:restriction base="xs:string"/></xs:simpleType></xs:schema>
            """
        let set = try load(wsdl(schema: "<xs:include schemaLocation=\"c.xsd\"/>"), ["c.xsd": chameleon]).schema
        guard case .named(QName("urn:t", "T")) = set.elements[QName("urn:t", "a")]?.type else {
            Issue.record("the type's name did not follow")
            return
        }
        #expect(set.types[QName("urn:t", "T")] != nil)
    }

    @Test func whatIsRedefinedIsKnown() throws {
        let set = try load(
            wsdl(
                schema: "<xs:redefine schemaLocation=\"t.xsd\"><xs:simpleType name=\"T\"><xs:restriction base=\"t:T\"/>"
                    + "</xs:simpleType></xs:redefine>"),
            ["t.xsd": schema("<xs:simpleType name=\"T\"><xs:restriction base=\"xs:int\"/></xs:simpleType>")]
        ).schema
        #expect(set.redefined[QName("urn:t", "T")]?.line == 3)
    }

    @Test func anImportMustBeWhatItIsImportedAs() {
        #expect(failure(importing("x.xsd"), ["x.xsd": wsdl("")])?.code == .notWSDL)
        #expect(failure(wsdl("<import location=\"x\"/>"), ["x": "<a/>"])?.code == .notWSDL)
    }

    @Test func theNumberAndSizeOfDocumentsAreBounded() {
        var limits = WSDLLoader.Limits()
        limits.documents = 3
        let chain = Dictionary(
            uniqueKeysWithValues: (1...9).map { number in
                ("\(number).xsd", schema("<xs:include schemaLocation=\"\(number + 1).xsd\"/>"))
            })
        #expect(failure(importing("1.xsd"), chain, limits: limits)?.code == .limitExceeded)
        limits = .init()
        limits.bytes = 600
        #expect(
            failure(importing("1.xsd"), ["1.xsd": schema(String(repeating: " ", count: 600))], limits: limits)?.code
                == .limitExceeded)
    }

    @Test func aReaderThatFailsIsReportedAtTheImport() {
        struct Broken: Error {}
        let error = #expect(throws: WSDLError.self) {
            _ = try WSDLLoader { _ in throw Broken() }.load(Array(importing("a.xsd").utf8), path: "main.wsdl")
        }
        #expect(error?.code == .importNotFound)
        #expect(error?.cause is Broken)
    }
}

@Suite struct HostileDocumentTests {
    @Test func entitiesThatMultiplyAreRefused() throws {
        let levels = (1...9).map { "<!ENTITY a\($0) '\(String(repeating: "&a\($0 - 1);", count: 10))'>" }
        let bomb =
            "<!DOCTYPE d [<!ENTITY a0 'aaaa'>\(levels.joined())]>\n" + wsdl("\n<documentation>&a9;</documentation>")
        let error = try #require(failure(bomb))
        #expect(error.code == .malformedXML)
        #expect((error.cause as? XMLError)?.code == .tooManyEntities)
        #expect(error.location.line > 1)
    }

    @Test func deepNestingIsRefused() throws {
        let deep = String(repeating: "<xs:sequence>", count: 100_000)
        let error = try #require(failure(wsdl(schema: "<xs:complexType name=\"T\">\(deep)")))
        #expect(error.code == .malformedXML)
        #expect((error.cause as? XMLError)?.code == .tooDeep)
    }

    @Test func deepDocumentationIsRefused() {
        let deep = String(repeating: "<i>", count: 100_000)
        #expect(failure(wsdl("<documentation>\(deep)"))?.code == .malformedXML)
    }

    @Test func everyPrefixOfADocumentIsRefusedOrRead() {
        let whole = Array(
            wsdl(schema: "<xs:element name=\"a\"><xs:complexType><xs:all/></xs:complexType></xs:element>").utf8)
        for length in 0..<whole.count {
            #expect(throws: WSDLError.self) {
                _ = try WSDLLoader { _ in nil }.load(Array(whole.prefix(length)), path: "main.wsdl")
            }
        }
    }
}
