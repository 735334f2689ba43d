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
        ("my%20types.xsd", "my types.xsd"), ("  my types.xsd ", "my types.xsd"), ("file:types.xsd", "types.xsd"),
        ("file:./a/types.xsd", "a/types.xsd"), ("a\\types.xsd", "a/types.xsd"), ("types.xsd#part", "types.xsd"),
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
        // A catalog may give a copy for any name.
        #expect(asked == ["catalog.xml"])
    }

    @Test func theRootThatWouldSufficeIsNamed() throws {
        func message(_ locations: String...) -> String? {
            let imports = locations.map { "<xs:import namespace=\"urn:t\" schemaLocation=\"\($0)\"/>" }.joined()
            let loader = WSDLLoader(folder: ["home", "me", "service", "wsdl"]) { _ in nil }
            do {
                let text = wsdl("<types><xs:schema>\(imports)</xs:schema></types>")
                _ = try loader.load(Array(text.utf8), path: "v1/main.wsdl")
                return nil
            } catch {
                return error.code == .importRefused ? error.message : nil
            }
        }
        #expect(message("../../schema/t.xsd")?.contains("with --root /home/me/service.") == true)
        #expect(message("../../schema/t.xsd", "../../../x/t.xsd")?.contains("with --root /home/me.") == true)
        #expect(message("../../../x/t.xsd", "../../schema/t.xsd")?.contains("(and 1 more)") == true)
        #expect(message("../../../../../../../etc/passwd")?.contains("--root") == true)
        #expect(message("../../../../../../../etc/passwd")?.contains("--root /") == false)
    }

    @Test func anImportMayLeaveTheRootAndComeBack() throws {
        let files = ["types/t.xsd": types]
        let loader = WSDLLoader(folder: ["home", "wsdl"]) { files[$0].map { Array($0.utf8) } }
        let text = importing("../../wsdl/types/t.xsd")
        #expect(try loader.load(Array(text.utf8), path: "main/main.wsdl").schema.elements.count == 1)
    }

    @Test(arguments: ["http://example.com/t.xsd", "https://example.com/t.xsd", "urn:x", "//example.com/t.xsd"])
    func nothingIsFetched(location: String) throws {
        let definitions = try load(importing(location))
        #expect(definitions.schema.unreadImports.map(\.address) == [location])
        #expect(definitions.diagnostics.map(\.severity) == [.warning])
    }

    @Test func aFileThatIsAbsentIsNamed() throws {
        let needing = importing("gone.xsd").replacing(
            "</types>", with: "</types><message name=\"M\"><part name=\"p\" element=\"t:a\"/></message>")
        let error = try #require(failure(needing))
        #expect(error.code == .importNotFound)
        #expect(error.message.contains("gone.xsd"))
        #expect(error.location == SourceLocation(file: "main.wsdl", line: 2, column: 19))
    }

    @Test func aFileThatNothingNeedsMayBeAbsent() throws {
        let definitions = try load(importing("gone.xsd"))
        #expect(definitions.diagnostics.map(\.severity) == [.warning])
        #expect(definitions.diagnostics.first?.message.contains("gone.xsd") == true)
        #expect(failure(wsdl("<import namespace=\"urn:x\" location=\"gone.wsdl\"/>"))?.code == .importNotFound)
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

    @Test func aSchemaWithoutANamespaceIsAnotherOneForEachThatIncludesIt() throws {
        let plain = { (content: String) in "<xs:schema xmlns:xs=\"\(Namespaces.schema)\">\(content)</xs:schema>" }
        let includes = "<xs:include schemaLocation=\"outer.xsd\"/>"
        let definitions = try load(
            wsdl("<types>\(schema(includes))\(schema(includes, attributes: "targetNamespace=\"urn:u\""))</types>"),
            [
                "outer.xsd": plain("<xs:include schemaLocation=\"inner.xsd\"/><xs:element name=\"a\" type=\"T\"/>"),
                "inner.xsd": plain(
                    "<xs:include schemaLocation=\"outer.xsd\"/><xs:complexType name=\"T\"><xs:attribute ref=\"x\"/></xs:complexType>"
                        + "<xs:attribute name=\"x\"/>"),
            ])
        for namespace in ["urn:t", "urn:u"] {
            #expect(definitions.schema.elements[QName(namespace, "a")] != nil)
            #expect(definitions.schema.attributes[QName(namespace, "x")] != nil)
            guard case .complex(let type) = definitions.schema.types[QName(namespace, "T")],
                case .reference(QName(namespace, "x")) = type.attributes.uses.first?.kind
            else {
                Issue.record("the names did not follow into \(namespace)")
                continue
            }
        }
        #expect(definitions.schema.elements.count == 2)
        #expect(definitions.diagnostics.isEmpty)
    }

    @Test func anImportWithoutALocationMeansAnySchemaOfThatNamespace() throws {
        let first = schema(
            "<xs:import namespace=\"urn:u\"/><xs:element name=\"a\" type=\"u:T\" xmlns:u=\"urn:u\"/>")
        let second = ["T", "U"].map {
            schema(
                "<xs:simpleType name=\"\($0)\"><xs:restriction base=\"xs:int\"/></xs:simpleType>",
                attributes: "targetNamespace=\"urn:u\"")
        }
        let definitions = try load(wsdl("<types>\(first)\(second.joined())</types>"))
        #expect(definitions.schema.types.keys.sorted() == [QName("urn:u", "T"), QName("urn:u", "U")])
        #expect(definitions.diagnostics.isEmpty)
    }

    @Test func aSchemaMayBeImportedFromTheWSDLThatHoldsIt() throws {
        let other = wsdl("<types>\(types)</types><message name=\"M\"/>")
        let definitions = try load(importing("other.wsdl"), ["other.wsdl": other])
        #expect(definitions.schema.elements.count == 1)
        #expect(definitions.messages.isEmpty)
        // Also when it is imported as a WSDL, or imports itself.
        let both = importing("other.wsdl").replacing("<types>", with: "<import location=\"other.wsdl\"/><types>")
        let itself = other.replacing(
            "<types>", with: "<types><xs:import namespace=\"urn:t\" schemaLocation=\"other.wsdl\"/>")
        for main in [both, itself] {
            let definitions = try load(main, ["other.wsdl": itself])
            #expect(definitions.schema.elements.count == 1)
            #expect(definitions.messages.count == 1)
            #expect(definitions.diagnostics.isEmpty)
        }
    }

    @Test func anImportMustBeOfTheExpectedKind() {
        #expect(failure(importing("x.xsd"), ["x.xsd": "<a/>"])?.code == .notWSDL)
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
