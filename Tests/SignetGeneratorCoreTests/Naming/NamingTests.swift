import Foundation
import Testing

@testable import SignetGeneratorCore

@Suite struct NamingTests {
    @Test(arguments: [
        ("LogEntryQuery", "LogEntryQuery"), ("checkVat", "CheckVat"), ("VATNumber", "VATNumber"),
        ("NOT_FOUND", "NotFound"), ("customer_id", "CustomerId"), ("Foo.Bar-baz", "FooBarBaz"), ("1st", "Value1st"),
        ("été", "Été"), ("_", "Value"),
    ])
    func types(name: String, swift: String) { #expect(SwiftName.type(name) == swift) }

    @Test(arguments: [
        ("LogEntryQuery", "logEntryQuery"), ("VATNumber", "vatNumber"), ("ID", "id"), ("IDs", "ids"), ("URL", "url"),
        ("XMLHttpRequest", "xmlHttpRequest"), ("NOT_PROCESSED", "notProcessed"), ("customer_id", "customerId"),
        ("1", "value1"), ("HTTP2Port", "http2Port"), ("a b", "aB"), ("+", "value"), ("", "value"),
        ("self", "selfValue"), ("iPhone", "iPhone"),
    ])
    func members(name: String, swift: String) { #expect(SwiftName.member(name) == swift) }

    @Test(arguments: [
        ("", "empty"), ("1", "value1"), ("+1", "plus1"), ("-1", "minus1"), ("−1", "minus1"), ("-.5", "minus5"),
        ("-1 DAY", "minus1Day"), ("a-1", "a1"), ("-", "value"), ("-a", "a"), ("HEAD_OFFICE", "headOffice"),
    ])
    func cases(value: String, swift: String) { #expect(SwiftName.enumerationCase(value) == swift) }

    @Test func casesSayValuesThatTheirNamesDoNotTell() throws {
        let values = ["1", "-1", "+1", "1-1", "😀", " ", "a b", "A_B", "self"]
        let facets = values.map { "<xs:enumeration value=\"\($0)\"/>" }.joined()
        let schema =
            message("<xs:element name=\"x\" type=\"t:E\"/>")
            + "<xs:simpleType name=\"E\"><xs:restriction base=\"xs:string\">\(facets)</xs:restriction></xs:simpleType>"
        let text = try generateDemo(makeService(schema: schema)).text
        for (value, name) in [
            ("-1", "minus1"), ("+1", "plus1"), ("1-1", "value11"), ("😀", "value"), (" ", "value2"), ("A_B", "aB2"),
            ("self", "selfValue"),
        ] {
            #expect(text.contains("        /// The value is ‘\(value)’.\n        case \(name)\n"), "\(value): \(text)")
        }
        for name in ["value1", "aB"] {
            #expect(!text.contains("’.\n        case \(name)\n"), "\(name): \(text)")
            #expect(text.contains("        case \(name)\n"), "\(name): \(text)")
        }
    }

    @Test func aNameIsGivenOnce() {
        var table = NameTable(reserved: ["b"])
        #expect(table.take("a") == "a")
        #expect(table.take("a") == "a2")
        #expect(table.take("a") == "a3")
        #expect(table.take("b", "bType") == "bType")
    }

    /// Each name costs the same, however many are equal: counting from 2 each time would take hours here.
    @Test(.timeLimit(.minutes(10))) func equalNamesAreNumberedOnwards() {
        var table = NameTable(reserved: ["a2"])
        let names = (0..<100_000).map { _ in table.take("a") }
        #expect(names.prefix(3) == ["a", "a3", "a4"])
        #expect(Set(names).count == names.count)
    }

    /// `.none` of an optional enumeration would be no value at all.
    @Test func enumCasesDoNotUseNamesOfOptional() throws {
        let values = ["none", "Some", "other"].map { "<xs:enumeration value=\"\($0)\"/>" }.joined()
        let type =
            "<xs:simpleType name=\"E\"><xs:restriction base=\"xs:string\">\(values)</xs:restriction></xs:simpleType>"
        let schema = message("<xs:element name=\"a\" type=\"t:E\" minOccurs=\"0\"/>") + type
        let text = try generateDemo(makeService(schema: schema)).text
        for (value, name) in [("none", "none2"), ("Some", "some2"), ("other", "other")] {
            #expect(text.contains("case \"\(value)\": return .\(name)\n"))
        }
    }

    @Test func typesDoNotShadowNamesOfGeneratedCode() throws {
        let names = ["String", "API", "Client", "Int", "XMLTable", "Operations", "Hashable"]
        let schema =
            message(names.map { "<xs:element name=\"\($0)\" type=\"t:\($0)\"/>" }.joined())
            + names.map { "<xs:complexType name=\"\($0)\"/>" }.joined()
        let text = try generateDemo(makeService(schema: schema)).text
        for name in names { #expect(text.contains("public struct \(name)Type: Sendable")) }
    }

    /// Beside the type, the service's name would mean the type.
    @Test func aTypeMayHaveTheNameOfTheService() throws {
        let int = "type=\"xs:int\""
        let sequence = "<xs:sequence><xs:element name=\"x\" \(int)/><xs:element name=\"y\" \(int)/></xs:sequence>"
        let variants = "<xs:element name=\"v\" type=\"t:Demo\"/><xs:element name=\"w\" \(int)/>"
        let schema =
            message("<xs:element name=\"d\" type=\"t:Demo\"/><xs:choice>\(variants)</xs:choice>")
            + "<xs:complexType name=\"Demo\"><xs:choice>\(sequence)<xs:element name=\"z\" \(int)/></xs:choice></xs:complexType>"
            + "<xs:complexType name=\"More\"><xs:complexContent><xs:extension base=\"t:Demo\"/></xs:complexContent></xs:complexType>"
        let text = try generateDemo(makeService(schema: schema)).text
        #expect(text.contains("extension Demo.Demo: Demo.DemoProtocol {"))
        #expect(text.contains("groups: [Demo.DemoChoice.xmlTable]"))
        #expect(text.contains("_d = XMLDerived(Demo.Demo(_decoding: ()))"))
        let choices = text.split(separator: "enum ").filter { $0.contains(": XMLChoice {") }.map {
            $0.split(separator: "\n    }\n")[0]
        }
        #expect(choices.count == 3)
        for choice in choices { #expect(!choice.replacing("Demo.self", with: "").contains("Demo."), "\(choice)") }
        #expect(choices.contains { $0.contains("reader.branchDerived(Self.v, Demo.self, xmlTypes)") })
    }

    /// Names that begin as those of the library do would be refused with any number behind them.
    @Test func namesThatBeginAsTheLibrarysAreChanged() throws {
        let schema =
            message("<xs:element name=\"x\" type=\"t:XSDThing\"/><xs:element name=\"y\" type=\"t:T\"/>")
            + "<xs:complexType name=\"XSDThing\"/><xs:complexType name=\"T\"/>"
        var options = GeneratorOptions()
        options.names = ["T": "XSDMine"]
        let result = try generateDemo(makeService(schema: schema), options)
        #expect(result.errors.count == 1 && result.errors[0].message.contains("XSDMine"))
        let text = try generateDemo(makeService(schema: schema)).text
        #expect(text.contains("public struct XsdThing: Sendable"))
        var table = NameTable(isReserved: SwiftName.isReservedType)
        #expect(table.take("XSDMine") == "ValueXSDMine")
        #expect(SwiftName.type("XSD") == "Xsd")
        #expect(TypeNames.namespace("XSDService") == "XsdService")
    }

    @Test func noNameIsHiddenWhereTypesAreRead() throws {
        let node =
            "<xs:complexType name=\"Node\"><xs:sequence><xs:element name=\"decoding\" type=\"t:Node\" minOccurs=\"0\"/>"
            + "</xs:sequence></xs:complexType>"
        let choice =
            "<xs:choice><xs:element name=\"xmlTypes\" type=\"xs:int\"/><xs:element name=\"n\" type=\"t:Node\"/></xs:choice>"
        let text = try generateDemo(makeService(schema: message(choice) + node)).text
        #expect(text.contains("fields.boxedOptionalStructure(&x._decoding)\n"))
        #expect(text.contains("case xmlTypes2(Int32)"))
    }

    @Test func anElementWithTheNameOfATypeIsAMessage() throws {
        let schema = message("<xs:element name=\"x\" type=\"t:do\"/>") + "<xs:complexType name=\"do\"/>"
        let text = try generateDemo(makeService(schema: schema)).text
        #expect(text.contains("public struct Do: Sendable"))
        #expect(text.contains("public struct DoMessage: Sendable"))
        #expect(text.contains("func `do`(_ input: DoMessage)"))
    }

    @Test func namesDoNotDependOnTheOrderOfTheSchema() throws {
        let parts = [
            "<xs:complexType name=\"a_b\"/>", "<xs:complexType name=\"aB\"/>",
            message("<xs:element name=\"x\" type=\"t:a_b\"/><xs:element name=\"y\" type=\"t:aB\"/>"),
        ]
        let first = try generateDemo(makeService(schema: parts.joined())).files
        #expect(first.contains { $0.text.contains("public struct AB: ") })
        #expect(first == (try generateDemo(makeService(schema: parts.reversed().joined())).files))
    }

    @Test func elementsAndAttributesWithOneNameAreToldApart() throws {
        let schema = """
            <xs:element name="do"><xs:complexType><xs:sequence><xs:element name="ID" type="xs:int"/>
            <xs:element name="id" type="xs:int"/></xs:sequence><xs:attribute name="id" type="xs:int"/></xs:complexType>
            </xs:element><xs:element name="doResponse" type="xs:int"/>
            """
        let text = try generateDemo(makeService(schema: schema)).text
        for property in ["id: Int32\n", "id2: Int32\n", "idAttribute: Int32?\n"] {
            #expect(text.contains("var \(property)"))
        }
    }

    /// People confuse such names, and so do disks.
    @Test func typesDifferInMoreThanCase() throws {
        let schema =
            message("<xs:element name=\"x\" type=\"t:FooBar\"/><xs:element name=\"y\" type=\"t:Foobar\"/>")
            + "<xs:complexType name=\"FooBar\"/><xs:complexType name=\"Foobar\"/>"
        let text = try generateDemo(makeService(schema: schema)).text
        #expect(text.contains("public struct FooBar: "))
        #expect(text.contains("public struct FoobarType: "))
    }

    @Test(arguments: [
        ("http://example.com/2019/billing/v2", "BillingV2"), ("urn:example:types", "Example"), ("urn:a", "Other"),
        ("http://www.example.com/", "Example"), ("", "Other"), ("urn:example:billing.xsd", "Billing"),
    ])
    func namespacesAreWords(namespace: String, word: String) { #expect(SwiftName.type(namespace: namespace) == word) }

    /// What the library declares, a type of a service must not hide.
    @Test func allTypesOfTheLibraryAreReserved() throws {
        let declaration = try Regex(
            "^(public |@frozen |indirect |final )*public (final )?(struct|enum|class|protocol|typealias|actor) (XML|Service|SOAP)([A-Za-z0-9]+)",
            as: AnyRegexOutput.self)
        for module in ["SignetXML", "SignetSOAP"] {
            let folder = GoldenTests.root.appending(path: "Sources/\(module)")
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
            for case let file as URL in files where file.pathExtension == "swift" {
                for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                    guard let match = try declaration.firstMatch(in: line), let prefix = match[4].substring,
                        let rest = match[5].substring
                    else { continue }
                    #expect(SwiftName.isReservedType("\(prefix)\(rest)"), "\(prefix)\(rest)")
                }
            }
        }
    }

    @Test func namesCanBeChosen() throws {
        var options = GeneratorOptions()
        options.names = [
            "T": "Chosen", "{urn:t}U": "AlsoChosen", "T.a": "first", "E": "Kind", "do": "perform",
        ]
        let schema =
            message("<xs:element name=\"x\" type=\"t:T\"/><xs:element name=\"y\" type=\"t:U\"/>")
            + "<xs:complexType name=\"T\"><xs:sequence><xs:element name=\"a\" type=\"t:E\"/></xs:sequence></xs:complexType>"
            + "<xs:complexType name=\"U\"/><xs:simpleType name=\"E\"><xs:restriction base=\"xs:string\">"
            + "<xs:enumeration value=\"v\"/></xs:restriction></xs:simpleType>"
        let text = try generateDemo(makeService(schema: schema), options).text
        for line in [
            "func perform(_ input: Do)", "struct Chosen: ", "struct AlsoChosen: ", "enum Kind: ", "var first: Kind\n",
            "elements: \"a\"",
        ] {
            #expect(text.contains(line), "\(line)")
        }
    }

    @Test func casesOfEnumerationsCanBeChosen() throws {
        let schema =
            message("<xs:element name=\"x\" type=\"t:E\"/>")
            + "<xs:simpleType name=\"E\"><xs:restriction base=\"xs:string\">"
            + ["-1", "1.5", "a}", "b"].map { "<xs:enumeration value=\"\($0)\"/>" }.joined()
            + "</xs:restriction></xs:simpleType>"
        func result(_ names: [String: String]) throws -> Generator.Result {
            var options = GeneratorOptions()
            options.names = names
            return try generateDemo(makeService(schema: schema), options)
        }
        let chosen = try result(["E.-1": "unknown", "{urn:t}E.1.5": "more", "E.a}": "brace"])
        #expect(chosen.diagnostics.isEmpty, "\(chosen.diagnostics)")
        for line in [
            "/// The value is ‘-1’.\n        case unknown\n", "case \"1.5\": return .more\n",
            "case .brace: return \"a}\"\n", "        case b\n",
        ] {
            #expect(chosen.text.contains(line), "\(line)")
        }
        for name in ["b", "none", "rawValue"] {
            let errors = try result(["E.-1": name]).errors.map(\.message)
            #expect(errors.count == 1 && errors.first?.contains("‘{urn:t}E.-1’ ‘\(name)’") == true, "\(errors)")
        }
        let warnings = try result(["E.2.5": "more"]).warnings.map(\.message)
        #expect(warnings.count == 1 && warnings.first?.contains("‘E’ has no ‘2.5’") == true, "\(warnings)")
    }

    /// Only in RPC style the name travels, as that of an element.
    @Test func operationsMayHaveSlashesInTheirNames() throws {
        func service(_ style: String) throws -> Generator.Result {
            let wsdl = makeService(schema: message("<xs:element name=\"x\" type=\"xs:int\"/>"), style: style)
            return try generateDemo(
                wsdl.replacing("<operation name=\"do\"", with: "<operation name=\"folder/do\""))
        }
        let result = try service("document")
        #expect(result.diagnostics.isEmpty, "\(result.diagnostics)")
        #expect(result.text.contains("func folderDo(_ input: Do)"), "\(result.text)")
        let errors = try service("rpc").errors.map(\.message)
        #expect(errors.first?.contains("‘folder/do’, because the style is RPC") == true, "\(errors)")
    }

    /// A number after a configured name would surprise the user.
    @Test(arguments: [
        ("{urn:t}T.a", "hash"), ("T.b", "xmlTable"), ("again", "caller"), ("T", "String"), ("U", "Client"),
    ])
    func chosenNamesAreGivenOrRefused(component: String, name: String) throws {
        var options = GeneratorOptions()
        options.names = [component: name]
        let fields = "<xs:element name=\"a\" type=\"xs:int\"/><xs:element name=\"b\" type=\"xs:int\"/>"
        let schema =
            message("<xs:element name=\"x\" type=\"t:T\"/><xs:element name=\"y\" type=\"t:U\"/>")
            + message("", name: "again")
            + "<xs:complexType name=\"T\"><xs:sequence>\(fields)</xs:sequence></xs:complexType><xs:complexType name=\"U\"/>"
        let result = try generateDemo(makeService(operations: ["do", "again"], schema: schema), options)
        #expect(result.files.isEmpty)
        let errors = result.diagnostics.filter { $0.severity == .error }.map(\.message)
        #expect(errors.count == 1)
        #expect(errors.first?.contains("’ ‘\(name)’, but something else") == true, "\(errors)")
    }

    @Test func twoTypesCannotHaveOneChosenName() throws {
        var options = GeneratorOptions()
        options.names = ["T": "Both", "U": "Both", "V": "Both", "T.a": "one", "T.b": "one"]
        let fields = "<xs:element name=\"a\" type=\"xs:int\"/><xs:element name=\"b\" type=\"xs:int\"/>"
        let types = ["U", "V"].map { "<xs:complexType name=\"\($0)\"/>" }.joined()
        let schema =
            message(["T", "U", "V"].map { "<xs:element name=\"x\($0)\" type=\"t:\($0)\"/>" }.joined())
            + "<xs:complexType name=\"T\"><xs:sequence>\(fields)</xs:sequence></xs:complexType>\(types)"
        let result = try generateDemo(makeService(schema: schema), options)
        #expect(result.files.isEmpty)
        let errors = result.diagnostics.filter { $0.severity == .error }.map(\.message)
        #expect(errors.contains { $0.contains("‘{urn:t}T.b’ ‘one’") }, "\(errors)")
        #expect(errors.contains { $0.contains("’ ‘Both’") }, "\(errors)")
    }

    /// What had the name before, be it an element's type or one without a name inside another, must not lose it in
    /// silence.
    @Test(arguments: [
        ("OpResponse", "Op", true), ("OpResponse", "OP", true), ("OpResponse", "OpItem", true),
        ("OpResponse", "Answer", false),
    ])
    func aChosenNameMustNotCollide(component: String, name: String, isRefused: Bool) throws {
        var options = GeneratorOptions()
        options.names = [component: name]
        let item =
            "<xs:element name=\"item\"><xs:complexType><xs:attribute name=\"a\"/></xs:complexType></xs:element>"
        let result = try generateDemo(makeService(operations: ["Op"], schema: message(item, name: "Op")), options)
        let errors = result.errors.map(\.message)
        #expect(errors.count == (isRefused ? 1 : 0), "\(errors)")
        if isRefused { #expect(errors.first?.contains("‘{urn:t}\(component)’ ‘\(name)’") == true, "\(errors)") }
    }

    @Test func anOverriddenNameOptionIsAWarning() throws {
        var options = GeneratorOptions()
        options.names = ["{urn:t}Op": "Foo", "Op": "Bar", "{urn:t}T.a": "one", "T.a": "two", "{urn:t}T": "Own"]
        let schema =
            message("<xs:element name=\"x\" type=\"t:T\"/>", name: "Op")
            + "<xs:complexType name=\"T\"><xs:sequence><xs:element name=\"a\" type=\"xs:int\"/></xs:sequence></xs:complexType>"
        let wsdl = makeService(operations: ["Op"], schema: schema)
        let result = try generateDemo(wsdl, options)
        let warnings = result.warnings.map(\.message)
        #expect(warnings.count == 2, "\(warnings)")
        for component in ["Op", "T.a"] {
            #expect(warnings.contains { $0.contains("‘\(component)’ has no effect") }, "\(warnings)")
        }
        #expect(result.text.contains("struct Foo: ") && result.text.contains("var one: Int32"))
        // An operation is called by the name that begins in lower case.
        options.names = ["{urn:t}Op": "Foo", "Op": "run"]
        #expect(try !generateDemo(wsdl, options).warnings.contains { $0.message.contains("no effect") })
    }

    /// An element and its type are often called the same, and both are meant.
    @Test func aChosenNameServesAnElementAndAType() throws {
        var options = GeneratorOptions()
        options.names = ["Order": "Purchase"]
        let schema =
            "<xs:element name=\"Order\"><xs:complexType><xs:sequence><xs:element name=\"x\" type=\"t:Order\"/></xs:sequence>"
            + "</xs:complexType></xs:element><xs:element name=\"OrderResponse\"><xs:complexType/></xs:element>"
            + "<xs:complexType name=\"Order\"/>"
        let text = try generateDemo(makeService(operations: ["Order"], schema: schema), options).text
        #expect(text.contains("struct Purchase: "))
        #expect(text.contains("struct PurchaseMessage: ") || text.contains("struct PurchaseType: "))
    }

    @Test func typesCanBeDeclaredElsewhere() throws {
        var options = GeneratorOptions()
        options.types = ["T": "Shared.Money", "S": "Amount"]
        let schema =
            message("<xs:element name=\"x\" type=\"t:T\"/><xs:element name=\"y\" type=\"t:S\" minOccurs=\"0\"/>")
            + "<xs:complexType name=\"T\"/><xs:simpleType name=\"S\"><xs:restriction base=\"xs:int\"/></xs:simpleType>"
        let text = try generateDemo(makeService(schema: schema), options).text
        #expect(text.contains("public var x: Shared.Money\n"))
        #expect(text.contains("fields.structure(&x.x)"))
        #expect(text.contains("public var y: Amount?\n"))
        #expect(!text.contains("struct T"))
    }
}
