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
        ("<xs:choice>\(ab)</xs:choice>", "(a b)", "DoChoice"),
        ("<xs:choice minOccurs=\"0\">\(ab)</xs:choice>", "(a b)?", "DoChoice?"),
        ("<xs:choice maxOccurs=\"unbounded\">\(ab)</xs:choice>", "(a b)*", "[DoChoice]"),
        ("<xs:sequence maxOccurs=\"2\"><xs:choice>\(ab)</xs:choice></xs:sequence>", "(a b)*", "[DoChoice]"),
        ("<xs:sequence minOccurs=\"0\"><xs:choice>\(ab)</xs:choice></xs:sequence>", "(a b)?", "DoChoice?"),
        ("<xs:choice>\(ab)<xs:element name=\"c\" \(int) minOccurs=\"0\"/></xs:choice>", "(a b c)?", "DoChoice?"),
        (
            "<xs:choice>\(ab)<xs:element name=\"c\" \(int) minOccurs=\"0\" maxOccurs=\"0\"/></xs:choice>", "(a b)",
            "DoChoice"
        ),
        ("<xs:choice>\(ab)<xs:sequence/></xs:choice>", "(a b)?", "DoChoice?"),
        ("<xs:choice>\(ab)<xs:any namespace=\"##other\"/></xs:choice>", "(a b #any)", "DoChoice"),
        ("<xs:choice><xs:choice>\(ab)</xs:choice><xs:group ref=\"t:g\"/></xs:choice>", "(a b c d)", "DoChoice"),
    ])
    func choicesAreEnums(content: String, entry: String, property: String) throws {
        let group =
            "<xs:group name=\"g\"><xs:choice><xs:element name=\"c\" \(Self.int)/><xs:element name=\"d\" \(Self.int)/></xs:choice></xs:group>"
        let result = try generate(content, group)
        #expect(result.diagnostics.isEmpty)
        #expect(result.text.contains("elements: \"\(entry)\""))
        #expect(result.text.contains("public var choice: \(property)\n"))
        #expect(result.text.contains("case a(Int32)"))
    }

    @Test func aChoiceOfOneIsNone() throws {
        let text = try generate("<xs:choice minOccurs=\"0\"><xs:element name=\"a\" \(Self.int)/></xs:choice>").text
        #expect(text.contains("public var a: Int32?\n"))
    }

    @Test func aRepeatedAlternativeMakesTheChoiceRepeatedAndThatIsSaid() throws {
        let result = try generate(
            "<xs:choice><xs:element name=\"a\" \(Self.int) maxOccurs=\"9\"/><xs:element name=\"b\" \(Self.int)/></xs:choice>"
        )
        #expect(result.text.contains("public var choice: [DoChoice]\n"))
        #expect(result.diagnostics.map(\.severity) == [.note])
    }

    @Test func severalChoicesAreNumbered() throws {
        let second =
            "<xs:choice><xs:element name=\"none\" nillable=\"true\" \(Self.int)/><xs:element name=\"c\"/></xs:choice>"
        let text = try generate("<xs:choice>\(Self.ab)</xs:choice>\(second)").text
        #expect(text.contains("public var choice2: DoChoice2\n"))
        #expect(text.contains("case 2: reader.choice(&choice2, DoChoice2.none2)"))
        #expect(text.contains("case none2(Int32?)"))
        #expect(text.contains("writer.nillableField(2, value)"))
        #expect(text.contains("choice2 = .none2(nil)"))
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
        #expect(text.contains("public indirect enum NodeChoice: Sendable, Hashable"))
        #expect(text.contains("choice = .other(Other(_decoding: ()))"))
        #expect(text.contains("choice = .leaf(Leaf(_decoding: ()))"))
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
        ("<xs:any maxOccurs=\"2\"/>", "#any*", "[XMLFragment]"), ("<xs:any/><xs:any/>", "#any*", "[XMLFragment]"),
        ("<xs:any/>\(ab)", "#any a b", "XMLFragment"),
    ])
    func anyElementIsAFragment(content: String, entry: String, property: String) throws {
        let text = try generate(content).text
        #expect(text.contains("elements: \"\(entry)\""))
        #expect(text.contains("public var any: \(property)\n"))
        #expect(text.contains("writer.wildcard(any)"))
    }

    @Test func anyAttributeIsAList() throws {
        let wild =
            "<xs:complexType name=\"Wild\"><xs:attribute name=\"a\" \(Self.int)/><xs:anyAttribute/></xs:complexType>"
        let text = try generate("<xs:element name=\"x\" type=\"t:Wild\"/>", wild).text
        #expect(text.contains("public var anyAttribute: [XMLAnyAttribute]\n"))
        #expect(text.contains("XMLTable([], attributes: \"a?\", anyAttribute: true)"))
        #expect(text.contains("case 1: reader.anyAttribute(&anyAttribute)"))
    }

    @Test(arguments: ["<xs:element name=\"x\"/>", "<xs:element name=\"x\" type=\"xs:anyType\"/>"])
    func anyTypeIsKeptAsItIsWritten(content: String) throws {
        let result = try generate(content)
        #expect(result.diagnostics.isEmpty)
        #expect(result.text.contains("public var x: XMLAny\n"))
        #expect(result.text.contains("x = XMLAny(_decoding: ())"))
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

    /// The parts of a base belong to it, whoever holds them.
    @Test func anonymousTypesOfABaseAreMadeOnce() throws {
        let two = "<xs:element name=\"x\" type=\"t:More\"/><xs:element name=\"y\" type=\"t:Most\"/>"
        let text = try generate(two, derived).text
        #expect(text.split(separator: "enum BaseKind:").count == 2)
        #expect(text.split(separator: "public var kind: BaseKind\n").count == 3)
    }

    @Test func aBaseTakesItsOwnPartOfADerivedTypeAndThatIsSaid() throws {
        let result = try generate(
            "<xs:element name=\"x\" type=\"t:Base\"/><xs:element name=\"y\" type=\"t:Most\"/>", derived)
        #expect(result.diagnostics.map(\.severity) == [.note])
        #expect(result.diagnostics.first?.message.contains("‘Base’") == true)
        #expect(result.text.contains("public var x: Base\n"))
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
        <xs:complexType name="MixedToo"><xs:complexContent><xs:extension base="t:Mixed"/></xs:complexContent></xs:complexType>
        <xs:element name="head" type="xs:int"/>
        <xs:element name="member" type="xs:int" substitutionGroup="t:head"/>
        <xs:element name="ghost" type="xs:int" abstract="true"/>
        """

    @Test(arguments: [
        ("<xs:sequence maxOccurs=\"2\">\(ab)</xs:sequence>", "repeats a sequence"),
        (
            "<xs:choice><xs:sequence>\(ab)</xs:sequence><xs:element name=\"c\"/></xs:choice>",
            "more than single elements"
        ),
        ("\(ab)<xs:element name=\"a\" \(int)/>", "two places"),
        ("<xs:choice>\(ab)</xs:choice><xs:element name=\"a\" \(int)/>", "two places"),
        ("<xs:element ref=\"t:head\"/>", "substituted"), ("<xs:element ref=\"t:ghost\"/>", "substituted"),
        ("<xs:any/>\(ab)<xs:any/>", "several places"),
        ("<xs:choice>\(ab)<xs:any/></xs:choice><xs:any/>", "several places"),
    ])
    func whatCannotBeTypedIsKeptWhole(content: String, reason: String) throws {
        let result = try generate(content, Self.others)
        #expect(!result.hasErrors)
        #expect(result.warnings.map { $0.message.contains(reason) && $0.message.contains("XMLAny") } == [true])
        #expect(result.warnings.first?.location.line == 3)
        #expect(result.text.contains("func `do`(_ input: XMLAny) async throws -> DoResponse"))
    }

    @Test(arguments: [
        ("Abstract", "abstract"), ("Wider", "several places"), ("Odd", "simple content"), ("Mixed", "mixes"),
        ("MixedToo", "mixes"),
    ])
    func aTypeThatCannotBeTypedLeavesTheOthersAsTheyAre(type: String, reason: String) throws {
        let result = try generate("<xs:element name=\"x\" type=\"t:\(type)\" maxOccurs=\"2\"/>" + Self.ab, Self.others)
        #expect(!result.hasErrors)
        #expect(result.warnings.contains { $0.message.contains(reason) })
        #expect(result.text.contains("public var x: [XMLAny]\n"))
        #expect(result.text.contains("public var a: Int32\n"))
        #expect(!result.text.contains("struct \(type)"))
    }

    @Test func aRedefinedTypeIsKeptAsItIsWritten() throws {
        let redefined =
            "<xs:schema xmlns:xs=\"\(Namespaces.schema)\" targetNamespace=\"urn:t\"><xs:complexType name=\"R\"/></xs:schema>"
        let schema =
            "<xs:redefine schemaLocation=\"r.xsd\"><xs:complexType name=\"R\"><xs:complexContent><xs:extension "
            + "base=\"t:R\"/></xs:complexContent></xs:complexType></xs:redefine>"
            + message("<xs:element name=\"x\" type=\"t:R\"/>")
        let definitions = try WSDLLoader { _ in Array(redefined.utf8) }.load(
            Array(makeService(schema: schema).utf8), path: "demo.wsdl")
        let result = Generator.generate(definitions, base: "demo", source: "demo.wsdl")
        #expect(result.warnings.contains { $0.message.contains("redefined") })
        #expect(result.text.contains("public var x: XMLAny\n"))
    }

    /// Nothing of it is made, and its defects do no harm.
    @Test func whatOnlyUntypedContentHoldsIsLeftOut() throws {
        let repeated =
            "<xs:sequence maxOccurs=\"2\"><xs:element name=\"a\" type=\"t:Deep\"/><xs:element ref=\"t:none\"/></xs:sequence>"
        let deep =
            "<xs:complexType name=\"Deep\"><xs:sequence><xs:element ref=\"t:none\"/></xs:sequence></xs:complexType>"
        let result = try generate(repeated, deep)
        #expect(result.diagnostics.map(\.severity) == [.warning])
        #expect(!result.text.contains("Deep"))
    }
}
