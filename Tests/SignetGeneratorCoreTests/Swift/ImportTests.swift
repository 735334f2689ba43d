import SignetGeneratorCore
import Testing

/// Each file with an import uses it in a public declaration: else a compiler for which imports are internal by default
/// warns.
@Suite struct ImportTests {
    private static let choice =
        "<xs:choice><xs:element name=\"a\" type=\"xs:string\"/><xs:element name=\"b\" type=\"xs:string\"/></xs:choice>"

    private static func extending(_ base: String, name: String) -> String {
        "<xs:complexType name=\"\(name)\"><xs:complexContent><xs:extension base=\"\(base)\"/></xs:complexContent>"
            + "</xs:complexType>"
    }

    /// Types whose base stands in another namespace and is not made itself, but for its choice.
    private static let inherited =
        message("<xs:element name=\"x\" type=\"t:X\"/><xs:element name=\"y\" type=\"t:Y\"/>")
        + "<xs:import namespace=\"urn:u\"/>"
        + ["X", "Y"].map { extending("u:Base", name: $0) }.joined().replacing(
            "<xs:extension", with: "<xs:extension xmlns:u=\"urn:u\"")
        + "</xs:schema><xs:schema targetNamespace=\"urn:u\">"
        + "<xs:complexType name=\"Base\"><xs:sequence>\(choice)</xs:sequence></xs:complexType>"

    /// `DoA` to `DoZ` are sorted between `Do` and its choices.
    private static let apart =
        message(choice + choice.replacing("name=\"", with: "name=\"x") + nested)
    private static let nested = ["A", "B", "Z"].map {
        "<xs:element name=\"\($0)\"><xs:complexType>\(choice)</xs:complexType></xs:element>"
    }.joined()

    static let schemas = [
        message(""), message(choice), message("<xs:sequence>\(choice)</xs:sequence>"), apart,
        message(choice.replacing("type=\"xs:string\"", with: "")), inherited,
    ]
    static let namespaces = [[:], ["urn:t": "T"], ["urn:u": "U"], ["urn:t": "T", "urn:u": "U"]]

    @Test(arguments: schemas, namespaces)
    func everyFileUsesItsImport(schema: String, namespaces: [String: String]) throws {
        var options = GeneratorOptions()
        options.access = .public
        options.namespaces = namespaces
        let result = try generateDemo(makeService(schema: schema), options)
        #expect(!result.hasErrors, "\(result.errors)")
        for file in result.files where file.text.contains("public import SignetSOAP") {
            let isUsed = [
                ": XMLStructure", ": XMLChoice", ": XMLEnumeration", ": ServiceClient", ": XMLFragment",
                "@usableFromInline",
            ].contains {
                file.text.contains($0)
            }
            #expect(isUsed, "\(file.text)")
        }
    }

    /// Structures with only Swift's own types do not expose types of the runtime.
    @Test(arguments: [("string", false), ("int", false), ("date", true), ("anyType", true)])
    func filesImportPubliclyOnlyWhatTheirInterfaceNeeds(type: String, isPublic: Bool) throws {
        var options = GeneratorOptions()
        options.access = .public
        let content = "<xs:sequence><xs:element name=\"x\" type=\"xs:\(type)\"/></xs:sequence>"
        let result = try generateDemo(makeService(schema: message(content)), options)
        let structures = try #require(result.files.first { $0.text.contains("public struct Do: ") }?.text)
        #expect(structures.contains("public import SignetSOAP\n") == isPublic)
        #expect(structures.contains("import SignetSOAP\n"))
    }

    /// A protocol that refines another of the service shows nothing of the runtime either.
    @Test(arguments: [AccessLevel.public, .package])
    func aFileOfRefinedProtocolsImportsPlainly(access: AccessLevel) throws {
        let fields = (0..<6).map { "<xs:element name=\"f\($0)\" type=\"xs:int\"/>" }.joined()
        func type(_ name: String, _ base: String?) -> String {
            let own = "<xs:sequence>\(fields.replacing("name=\"f", with: "name=\"\(name)"))</xs:sequence>"
            let content = base.map {
                "<xs:complexContent><xs:extension base=\"t:\($0)\">\(own)</xs:extension></xs:complexContent>"
            }
            return "<xs:complexType name=\"\(name)\">\(content ?? own)</xs:complexType>"
        }
        var options = GeneratorOptions()
        options.access = access
        let elements =
            "<xs:sequence><xs:element name=\"a\" type=\"t:Aaa\"/><xs:element name=\"m\" type=\"t:Mmm\"/></xs:sequence>"
        let result = try generateDemo(
            makeService(schema: message(elements) + type("Aaa", nil) + type("Mmm", "Aaa") + type("Zzz", "Mmm")), options
        )
        let first = try #require(result.files.first { $0.text.contains("protocol AaaProtocol: XMLDerivable") }?.text)
        let refined = try #require(result.files.first { $0.text.contains("protocol MmmProtocol: AaaProtocol") }?.text)
        #expect(first != refined)
        #expect(first.contains("\(access) import SignetSOAP") && !refined.contains("\(access) import SignetSOAP"))
    }

    @Test func modulesKeepTheirLevelWhereTheirTypesAreShown() throws {
        let simple = { (name: String, content: String) in "<xs:simpleType name=\"\(name)\">\(content)</xs:simpleType>" }
        let schema =
            message(
                "<xs:choice><xs:element name=\"a\" type=\"t:L\"/><xs:element name=\"b\" type=\"xs:int\"/></xs:choice>")
            + simple("Money", "<xs:restriction base=\"xs:int\"/>") + simple("L", "<xs:list itemType=\"t:Money\"/>")
        var options = GeneratorOptions()
        options.access = .public
        options.types = ["Money": "Money"]
        options.imports = [ModuleImport("Billing", access: .public)]
        let files = try generateDemo(makeService(schema: schema), options).files
        let choice = try #require(files.first { $0.text.contains(": XMLChoice") }?.text)
        #expect(choice.contains("case a(XSDList<Money>)") && choice.contains("public import Billing\n"))
        let coding = files.filter { $0.name.contains("Coding") && !$0.text.contains(": XMLChoice") }.map(\.text)
        #expect(
            coding.contains { $0.contains("\nimport Billing\n") } && !coding.contains { $0.contains("public import B") }
        )
        // A plain import beside an internal one is refused.
        options.imports = [ModuleImport("Billing", access: .internal)]
        let others = try generateDemo(makeService(schema: schema), options).files.map(\.text)
        #expect(!others.contains { $0.contains("\nimport Billing") })
    }

    /// A conformance alone is no use of a package import for the compiler.
    @Test func aFileOfEnumerationsNeedsNoPackageImport() throws {
        let enumerations = (0..<8).map {
            "<xs:simpleType name=\"Zone\($0)\"><xs:restriction base=\"xs:string\"><xs:enumeration value=\"a\"/>"
                + "</xs:restriction></xs:simpleType>"
        }.joined()
        let elements = (0..<8).map { "<xs:element name=\"z\($0)\" type=\"t:Zone\($0)\"/>" }.joined()
        var options = GeneratorOptions()
        options.access = .package
        let result = try generateDemo(
            makeService(schema: message("<xs:sequence>\(elements)</xs:sequence>") + enumerations), options)
        #expect(!result.hasErrors, "\(result.errors)")
        let last = try #require(result.files.last { $0.name.hasSuffix("+Coding.swift") }?.text)
        let structures = try #require(
            result.files.first { $0.name.contains("+Model") && $0.text.contains("struct ") }?.text)
        #expect(!structures.contains("package import") && structures.contains("\n@_spi(Generated) import SignetSOAP"))
        #expect(last.contains(": XMLEnumeration") && !last.contains("XMLReader"))
        #expect(!last.contains("package import") && last.contains("\n@_spi(Generated) import SignetSOAP"))
        #expect(result.files.last?.text.contains("@_spi(Generated) package import SignetSOAP") == true)
    }
}
