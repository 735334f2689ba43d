import SignetGeneratorCore
import SignetWSDL
import Testing

/// Choices, wildcards, derivation, and what is kept as it is written.
@Suite struct ContentModelTests {
    private static let int = "type=\"xs:int\""
    private static let ab = "<xs:element name=\"a\" \(int)/><xs:element name=\"b\" \(int)/>"

    private func generate(_ content: String, _ more: String = "") throws -> Generator.Result {
        try generateDemo(makeService(schema: message(content) + more))
    }

    // MARK: Choices

    @Test(arguments: [
        ("<xs:choice>\(ab)</xs:choice>", "{0}", "DoChoice"),
        ("<xs:choice minOccurs=\"0\">\(ab)</xs:choice>", "{0}?", "DoChoice?"),
        ("<xs:choice maxOccurs=\"unbounded\">\(ab)</xs:choice>", "{0}*", "[DoChoice]"),
        ("<xs:sequence maxOccurs=\"2\"><xs:choice>\(ab)</xs:choice></xs:sequence>", "{0}*", "[DoChoice]"),
        ("<xs:sequence minOccurs=\"0\"><xs:choice>\(ab)</xs:choice></xs:sequence>", "{0}?", "DoChoice?"),
        ("<xs:choice>\(ab)<xs:element name=\"c\" \(int) minOccurs=\"0\"/></xs:choice>", "{0}?", "DoChoice?"),
        (
            "<xs:choice>\(ab)<xs:element name=\"c\" \(int) minOccurs=\"0\" maxOccurs=\"0\"/></xs:choice>", "{0}",
            "DoChoice"
        ),
        ("<xs:choice>\(ab)<xs:sequence/></xs:choice>", "{0}?", "DoChoice?"),
        ("<xs:choice>\(ab)<xs:any namespace=\"##other\"/></xs:choice>", "{0}", "DoChoice"),
        ("<xs:choice><xs:choice>\(ab)</xs:choice><xs:group ref=\"t:g\"/></xs:choice>", "{0}", "DoChoice"),
    ])
    func choicesAreEnums(content: String, entry: String, property: String) throws {
        let group =
            "<xs:group name=\"g\"><xs:choice><xs:element name=\"c\" \(Self.int)/><xs:element name=\"d\" \(Self.int)/></xs:choice></xs:group>"
        let result = try generate(content, group)
        #expect(result.diagnostics.isEmpty)
        #expect(result.text.contains("elements: \"\(entry)\""))
        #expect(result.text.contains("groups: [Demo.DoChoice.xmlTable]"))
        #expect(result.text.contains("public var choice: \(property)\n"))
        #expect(result.text.contains("case a(Int32)"))
    }

    @Test func aChoiceWithOneElementIsAnOptionalProperty() throws {
        let text = try generate("<xs:choice minOccurs=\"0\"><xs:element name=\"a\" \(Self.int)/></xs:choice>").text
        #expect(text.contains("public var a: Int32?\n"))
    }

    @Test func aRepeatedAlternativeIsAnArray() throws {
        let result = try generate(
            "<xs:choice><xs:element name=\"a\" \(Self.int) maxOccurs=\"9\"/><xs:element name=\"b\" \(Self.int)/></xs:choice>"
        )
        #expect(result.text.contains("public var choice: DoChoice\n"))
        #expect(result.text.contains("case a([Int32])"))
        #expect(result.text.contains("elements: \"a* b\", rules: \"0 occurs=1..9\""))
        #expect(result.diagnostics.isEmpty)
    }

    /// Each alternative of several elements has a structure; what is repeated in it is an array of one.
    @Test(arguments: [
        ("<xs:sequence>\(ab)</xs:sequence>", "case a(DoChoiceA)", "{0} c", "elements: \"a b\""),
        (
            "<xs:sequence maxOccurs=\"3\">\(ab)</xs:sequence>", "case a([DoChoiceASequence])", "{0}* c",
            "elements: \"a b\""
        ),
        ("<xs:choice maxOccurs=\"3\">\(ab)</xs:choice>", "case a([DoChoiceAChoice])", "{0}* c", "elements: \"a b\""),
        ("<xs:group ref=\"t:g\"/>", "case g(G)", "{0} c", "elements: \"d e\""),
        (
            "<xs:sequence><xs:element name=\"a\" \(int) maxOccurs=\"2\"/></xs:sequence>", "case a([Int32])", "a* c",
            "a* c"
        ),
    ])
    func alternativesOfSeveralElementsAreStructures(part: String, swift: String, items: String, inner: String) throws {
        let group =
            "<xs:group name=\"g\"><xs:sequence><xs:element name=\"d\" \(Self.int)/><xs:element name=\"e\" \(Self.int)/></xs:sequence></xs:group>"
        let result = try generate("<xs:choice>\(part)<xs:element name=\"c\" \(Self.int)/></xs:choice>", group)
        #expect(result.diagnostics.isEmpty)
        let text = result.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for expected in [swift, "elements: \"\(items)\"", inner] { #expect(text.contains(expected), "\(text)") }
    }

    @Test func severalChoicesAreNumbered() throws {
        let second =
            "<xs:choice><xs:element name=\"none\" nillable=\"true\" \(Self.int)/><xs:element name=\"c\"/></xs:choice>"
        let text = try generate("<xs:choice>\(Self.ab)</xs:choice>\(second)").text
        #expect(text.contains("public var choice2: DoChoice2\n"))
        #expect(text.contains("fields.choice(&x.choice2)"))
        #expect(text.contains("case none2(Int32?)"))
        #expect(text.contains("case .none2(let value): writer.nillableValue(0, value)"))
        #expect(text.contains("static var _placeholder: Self { .none2(nil) }"))
    }

    @Test func aChoiceThatHoldsItselfIsIndirectAndHasAnEnd() throws {
        let node = """
            <xs:complexType name="Node"><xs:choice><xs:element name="deeper" type="t:Node"/>
            <xs:element name="other" type="t:Other"/></xs:choice></xs:complexType>
            <xs:complexType name="Other"><xs:choice><xs:element name="back" type="t:Node"/>
            <xs:element name="leaf" type="t:Leaf"/></xs:choice></xs:complexType>
            <xs:complexType name="Leaf"><xs:sequence><xs:element name="x" type="xs:int"/></xs:sequence></xs:complexType>
            """
        let text = try generate("<xs:element name=\"node\" type=\"t:Node\"/>", node).text
        #expect(text.contains("public indirect enum NodeChoice: XMLChoice"))
        #expect(text.contains("static var _placeholder: Self { .other(.init(_decoding: ())) }"))
        #expect(text.contains("static var _placeholder: Self { .leaf(.init(_decoding: ())) }"))
    }

    @Test func aChoiceOfLargeValuesIsIndirect() throws {
        let fields = (0..<20).map { "<xs:element name=\"f\($0)\" type=\"xs:int\"/>" }.joined()
        let large = "<xs:complexType name=\"Large\"><xs:sequence>\(fields)</xs:sequence></xs:complexType>"
        let choice =
            "<xs:choice><xs:element name=\"a\" type=\"t:Large\"/><xs:element name=\"b\" \(Self.int)/></xs:choice>"
        #expect(try generate(choice, large).text.contains("public indirect enum DoChoice"))
    }

    // MARK: Wildcards

    @Test(arguments: [
        ("<xs:any/>", "#any", "XMLFragment"), ("<xs:any minOccurs=\"0\"/>", "#any?", "XMLFragment?"),
        ("<xs:any maxOccurs=\"2\"/>", "#any*", "[XMLFragment]"),
        ("<xs:any namespace=\"##other\"/>", "#other:0", "XMLFragment"),
        ("<xs:any namespace=\"##local urn:x\"/>", "#in:0,1", "XMLFragment"),
        ("<xs:any/><xs:any/>", "#any*", "[XMLFragment]"),
        ("<xs:any/>\(ab)", "#any a b", "XMLFragment"),
    ])
    func anyElementIsAFragment(content: String, entry: String, property: String) throws {
        let text = try generate(content).text
        #expect(text.contains("elements: \"\(entry)\""))
        #expect(text.contains("public var any: \(property)\n"))
        #expect(["fragment", "optionalFragment", "fragments"].contains { text.contains("fields.\($0)(&x.any)") })
    }

    @Test func anyAttributeIsAList() throws {
        let wild =
            "<xs:complexType name=\"Wild\"><xs:attribute name=\"a\" \(Self.int)/><xs:anyAttribute/></xs:complexType>"
        let text = try generate("<xs:element name=\"x\" type=\"t:Wild\"/>", wild).text
        #expect(text.contains("public var anyAttribute: [XMLAnyAttribute]\n"))
        #expect(text.contains("fields.names([], attributes: \"a?\", anyAttribute: true)"))
        #expect(text.contains("fields.anyAttributes(&x.anyAttribute)"))
    }

    @Test(arguments: ["<xs:element name=\"x\"/>", "<xs:element name=\"x\" type=\"xs:anyType\"/>"])
    func elementsOfAnyTypeBecomeXMLAny(content: String) throws {
        let result = try generate(content)
        #expect(result.diagnostics.isEmpty)
        #expect(result.text.contains("public var x: XMLAny\n"))
        #expect(result.text.contains("fields.structure(&x.x)"))
    }

    // MARK: Derivation

    private let derived = """

        <xs:complexType name="Base"><xs:sequence><xs:element name="a" type="xs:int"/>
        <xs:element name="kind"><xs:simpleType><xs:restriction base="xs:string"><xs:enumeration value="x"/></xs:restriction>
        </xs:simpleType></xs:element></xs:sequence>
        <xs:attribute name="p" type="xs:int"/><xs:attribute name="q" type="xs:int"/></xs:complexType>
        <xs:complexType name="More"><xs:complexContent><xs:extension base="t:Base"><xs:sequence>
        <xs:element name="b" type="xs:int"/></xs:sequence><xs:attribute name="r" type="xs:int"/>
        </xs:extension></xs:complexContent></xs:complexType>
        <xs:complexType name="Most"><xs:complexContent><xs:extension base="t:More"><xs:sequence>
        <xs:element name="c" type="xs:int"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
        <xs:complexType name="Less"><xs:complexContent><xs:restriction base="t:More"><xs:sequence>
        <xs:element name="b" type="xs:int"/></xs:sequence><xs:attribute name="p" use="prohibited"/>
        <xs:attribute name="q" type="xs:int" use="required"/></xs:restriction></xs:complexContent></xs:complexType>
        <xs:complexType name="LessAndMore"><xs:complexContent><xs:extension base="t:Less"><xs:sequence>
        <xs:element name="d" type="xs:int"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
        """

    @Test(arguments: [
        ("More", "a kind b", "p? q? r?"), ("Most", "a kind b c", "p? q? r?"), ("Less", "b", "r? q"),
        ("LessAndMore", "b d", "r? q"),
    ])
    func derivedTypesHoldWhatTheirBasesSay(type: String, elements: String, attributes: String) throws {
        let result = try generate("<xs:element name=\"x\" type=\"t:\(type)\"/>", derived)
        #expect(!result.hasErrors)
        let text = result.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(text.contains("elements: \"\(elements)\", attributes: \"\(attributes)\""), "\(text)")
    }

    /// The anonymous types of a base belong to the base, not to the derived types that inherit them.
    @Test func anonymousTypesOfABaseAreMadeOnce() throws {
        let two = "<xs:element name=\"x\" type=\"t:More\"/><xs:element name=\"y\" type=\"t:Most\"/>"
        let text = try generate(two, derived).text
        #expect(text.split(separator: "enum BaseKind:").count == 2)
        #expect(text.split(separator: "public var kind: BaseKind\n").count == 3)
    }

    @Test func propertiesOfABaseTypeAcceptDerivedTypes() throws {
        let content = "<xs:element name=\"x\" type=\"t:Base\"/><xs:element name=\"y\" type=\"t:Most\" minOccurs=\"0\"/>"
        let result = try generate(content, derived)
        #expect(result.diagnostics.isEmpty)
        for line in [
            "public var x: any BaseProtocol {\n", "@usableFromInline var _x: XMLDerived<any BaseProtocol>\n",
            "public var y: Most?\n", "extension Demo.Most: Demo.BaseProtocol {",
            "extension Demo.Less: Demo.BaseProtocol {",
            "_x = XMLDerived(x)\n", "fields.derived(&x._x, Demo.Base.self, Demo.xmlTypes)",
            "public static let xmlType = XMLName(\"urn:t\", \"LessAndMore\")",
            "_x = XMLDerived(Demo.Base(_decoding: ()))\n",
        ] { #expect(result.text.contains(line), "\(line)") }
        // Less has no element a.
        #expect(!result.text.contains("var a: Int32 { get set }"))
        #expect(result.text.contains("var q: Int32? { get set }") == false)
    }

    @Test func unnamedDerivedTypesCanBeLeftOut() throws {
        var options = GeneratorOptions()
        options.derived = .named
        let content = "<xs:element name=\"x\" type=\"t:Base\"/><xs:element name=\"y\" type=\"t:Most\"/>"
        let text = try generateDemo(makeService(schema: message(content) + derived), options).text
        #expect(text.contains("XMLTypeRegistry([Base.self, Most.self])"))
        #expect(!text.contains("struct Less"))
    }

    // MARK: What is kept as it is written

    private static let others = """

        <xs:complexType name="Abstract" abstract="true"/>
        <xs:complexType name="Simple"><xs:simpleContent><xs:extension base="xs:int"/></xs:simpleContent></xs:complexType>
        <xs:complexType name="Wide"><xs:sequence><xs:any/></xs:sequence></xs:complexType>
        <xs:complexType name="Wider"><xs:complexContent><xs:extension base="t:Wide"><xs:sequence>
        <xs:element name="w" type="xs:int"/><xs:any/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
        <xs:complexType name="Odd"><xs:complexContent><xs:extension base="t:Simple"><xs:sequence/></xs:extension>
        </xs:complexContent></xs:complexType>
        <xs:complexType name="Mixed" mixed="true"><xs:sequence/></xs:complexType>
        <xs:complexType name="MixedToo"><xs:complexContent><xs:extension base="t:Mixed"><xs:sequence>
        <xs:element name="b" type="xs:int"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
        <xs:complexType name="Anything"><xs:complexContent><xs:extension base="xs:anyType"/></xs:complexContent></xs:complexType>
        <xs:element name="head" type="xs:int"/>
        <xs:element name="member" type="xs:int" substitutionGroup="t:head"/>
        <xs:element name="ghost" type="xs:int" abstract="true"/>
        """

    @Test(arguments: [
        ("<xs:sequence maxOccurs=\"2\">\(ab)</xs:sequence>", "{0}*", "public var sequence: [DoSequence]"),
        ("<xs:sequence minOccurs=\"0\">\(ab)</xs:sequence>", "{0}?", "public var sequence: DoSequence?"),
        (
            "<xs:sequence minOccurs=\"0\"><xs:element name=\"a\" \(int)/><xs:element name=\"b\" \(int) minOccurs=\"0\"/></xs:sequence>",
            "a? b?", "public var a: Int32?"
        ),
        ("<xs:all>\(ab)</xs:all>", "a b", "unordered: true"),
        ("\(ab)<xs:element name=\"a\" \(int)/>", "a b a", "public var a2: Int32"),
        ("<xs:choice>\(ab)</xs:choice><xs:element name=\"a\" \(int)/>", "{0} a", "public var a: Int32"),
        ("<xs:element ref=\"t:head\"/>", "{0}", "public var head: HeadChoice"),
        ("<xs:element ref=\"t:head\" maxOccurs=\"2\"/>", "{0}*", "public var head: [HeadChoice]"),
        ("<xs:element ref=\"t:member\"/>", "member", "public var member: Int32"),
        ("<xs:element ref=\"t:ghost\" minOccurs=\"0\"/>", "#any?", "public var ghost: XMLFragment?"),
        ("<xs:any/>\(ab)<xs:any/>", "#any a b #any", "public var any2: XMLFragment"),
        ("<xs:element name=\"x\" type=\"t:Odd\"/>", "x", "public var value: Int32"),
        ("<xs:element name=\"x\" type=\"t:Mixed\"/>", "x", "public var value: String"),
        ("<xs:element name=\"x\" type=\"t:MixedToo\"/>", "{0}*", "public var content: [MixedTooContent]"),
        ("<xs:element name=\"x\" type=\"t:Anything\"/>", "#any", "public var content: [AnythingContent]"),
    ])
    func everyContentModelIsTyped(content: String, items: String, property: String) throws {
        let result = try generate(content, Self.others)
        #expect(!result.hasErrors)
        #expect(!result.text.contains("XMLAny\n"))
        #expect(result.text.contains("elements: \"\(items)\""), "\(result.text)")
        #expect(result.text.contains(property), "\(result.text)")
    }

    @Test func anAbstractTypeWithoutDerivedOnesIsKeptAsItIsWritten() throws {
        let result = try generate("<xs:element name=\"x\" type=\"t:Abstract\" maxOccurs=\"2\"/>", Self.others)
        #expect(result.warnings.count == 1)
        #expect(result.text.contains("public var x: [XMLAny]\n"))
    }

    @Test func membersOfSubstitutionGroupsAreSharedByAllUses() throws {
        let two =
            "<xs:element ref=\"t:head\"/><xs:choice><xs:element ref=\"t:head\"/><xs:element name=\"b\"/></xs:choice>"
        let text = try generate(two, Self.others).text
        #expect(text.split(separator: "enum HeadChoice: XMLChoice").count == 2)
        #expect(text.contains("case head(HeadChoice)"))
        #expect(text.contains("case member(Int32)"))
    }

    @Test func mixedContentRestrictedToTextKeepsAttributes() throws {
        let types = """
            <xs:complexType name="A" mixed="true"><xs:sequence><xs:element name="b" type="xs:int" minOccurs="0"/></xs:sequence>
            <xs:attribute name="one" type="xs:int"/></xs:complexType>
            <xs:complexType name="B" mixed="true"><xs:complexContent mixed="true"><xs:extension base="t:A">
            <xs:attribute name="two" type="xs:int"/></xs:extension></xs:complexContent></xs:complexType>
            <xs:complexType name="C"><xs:simpleContent><xs:restriction base="t:B"><xs:simpleType>
            <xs:restriction base="xs:date"/></xs:simpleType></xs:restriction></xs:simpleContent></xs:complexType>
            """
        let result = try generate("<xs:element name=\"x\" type=\"t:C\"/>", types)
        #expect(result.diagnostics.isEmpty)
        #expect(
            result.text.contains("public init(two: Int32? = nil, one: Int32? = nil, value: XSDDate)"), "\(result.text)")
    }

    @Test func whiteSpaceThatIsAValueIsKept() throws {
        func text(_ value: String) throws -> String {
            let type =
                "<xs:simpleType name=\"E\"><xs:restriction base=\"xs:string\"><xs:enumeration value=\"a\"/>"
                + "<xs:enumeration value=\"\(value)\"/></xs:restriction></xs:simpleType>"
            return try generate("<xs:element name=\"x\" type=\"t:E\"/>", type).text
        }
        #expect(try text(" ").contains("static var whiteSpace: XSDWhiteSpace { .preserve }"))
        #expect(try !text("a b").contains("XSDWhiteSpace"))
    }

    @Test func unionsOfUnionsAreFollowedOnce() throws {
        // Three to the power of thirty members, if each were followed.
        let unions = (0..<30).map { level in
            let member = level == 29 ? "xs:int" : "t:U\(level + 1)"
            return
                "<xs:simpleType name=\"U\(level)\"><xs:union memberTypes=\"\(member) \(member) \(member)\"/></xs:simpleType>"
        }
        let text = try generate("<xs:element name=\"x\" type=\"t:U0\"/>", unions.joined()).text
        #expect(text.contains("public var x: Int32"))
    }

    /// Each type is named, so that no one of them is nested deeply.
    @Test(arguments: ["<xs:union memberTypes=\"t:U# xs:int\"/>", "<xs:list itemType=\"t:U#\"/>"])
    func chainsOfSimpleTypesHaveAnEnd(content: String) throws {
        let types = (0..<20_000).map { level in
            "<xs:simpleType name=\"U\(level)\">\(content.replacing("#", with: "\(level + 1)"))</xs:simpleType>"
        }
        let schema = message("<xs:element name=\"x\" type=\"t:U0\"/>") + types.joined()
        let result = try generateDemo(
            makeService(
                schema: schema + "<xs:simpleType name=\"U20000\"><xs:list itemType=\"xs:int\"/></xs:simpleType>"))
        #expect(result.hasErrors)
        #expect(result.errors.contains { $0.description.contains("too deeply") })
    }

    @Test func aRedefinedTypeHasTheContentOfBoth() throws {
        let redefined =
            "<xs:schema xmlns:xs=\"\(Namespaces.schema)\" targetNamespace=\"urn:t\"><xs:complexType name=\"R\"><xs:sequence>"
            + "<xs:element name=\"old\" type=\"xs:int\"/></xs:sequence></xs:complexType></xs:schema>"
        let schema =
            "<xs:redefine schemaLocation=\"r.xsd\"><xs:complexType name=\"R\"><xs:complexContent><xs:extension "
            + "base=\"t:R\"><xs:sequence><xs:element name=\"new\" type=\"xs:int\"/></xs:sequence></xs:extension>"
            + "</xs:complexContent></xs:complexType></xs:redefine>"
            + message("<xs:element name=\"x\" type=\"t:R\"/>")
        let definitions = try WSDLLoader { $0 == "r.xsd" ? Array(redefined.utf8) : nil }.load(
            Array(makeService(schema: schema).utf8), path: "demo.wsdl")
        var options = GeneratorOptions()
        options.access = .public
        let result = Generator.generate(definitions, base: "demo", source: "demo.wsdl", options: options)
        #expect(result.diagnostics.isEmpty)
        #expect(result.text.contains("public var x: R\n"))
        #expect(result.text.contains("public init(old: Int32, new: Int32)"))
    }
}
