import SignetWSDL
import Testing

/// How the messages of an operation travel, what is left out of it, and why it cannot be used.
@Suite struct OperationResolverTests {
    /// The only operation of a binding, called `Op`, with the messages `I`, `O` and `H`.
    private func operation(
        style: String = "document", parts: String = "<part name=\"p\" element=\"t:a\"/>",
        body: String = "<soap:body use=\"literal\"/>", abstract: String? = nil, more: String = "", name: String = "Op"
    ) throws -> ResolvedOperation {
        let elements = """
            <xs:element name="a" type="xs:int"/><xs:element name="b" type="xs:int"/>
            <xs:element name="head" type="xs:int"/><xs:element name="member" type="xs:int" substitutionGroup="t:head"/>
            <xs:element name="alone" type="xs:int" abstract="true"/>
            """
        let definitions = try load(
            wsdl(
                "<types>\(schema(elements))</types><message name=\"I\">\(parts)</message>"
                    + "<message name=\"O\"><part name=\"r\" element=\"t:b\"/></message>\(more)<portType name=\"P\">"
                    + "<operation name=\"\(name)\">"
                    + (abstract ?? "<input message=\"w:I\"/><output message=\"w:O\"/>")
                    + "</operation></portType><binding name=\"B\" type=\"w:P\"><soap:binding style=\"\(style)\" "
                    + "transport=\"\(Namespaces.soapOverHTTP)\"/><operation name=\"\(name)\"><soap:operation soapAction=\"\"/>"
                    + "<input>\(body)</input><output><soap:body use=\"literal\"/></output></operation></binding>"
                    + "<service name=\"S\"><port name=\"A\" binding=\"w:B\"/></service>"))
        let port = try #require(definitions.services.first?.ports.first)
        return try #require(definitions.resolved(port)?.operations.first)
    }

    /// What the body holds, in short: an element, a wrapper with its children, a type, or parts.
    private func shown(_ content: ResolvedMessage.Content) -> String {
        func children(_ parts: [ResolvedMessage.Part]) -> String {
            let all = parts.map { part in
                switch part.content {
                case .element(let name): "<\(name.localName)>"
                case .type(let type): "\(part.name): \(type.localName)"
                case .items(let type): "\(part.name): [\(type.localName)]"
                }
            }
            return "(\(all.joined(separator: ", ")))"
        }
        return switch content {
        case .element(let name): "<\(name.localName)>"
        case .wrapper(let name, let parts): "{\(name.namespace)}\(name.localName)\(children(parts))"
        case .type(let type): type.localName
        case .parts(let parts): children(parts)
        }
    }

    private static let element = "<part name=\"p\" element=\"t:a\"/>"
    private static let type = "<part name=\"q\" type=\"xs:int\"/>"

    @Test(arguments: [
        ("document", element, "<soap:body use=\"literal\"/>", "<a>"),
        ("document", type, "<soap:body use=\"literal\"/>", "int"),
        ("document", element + type, "<soap:body use=\"literal\"/>", "(<a>, q: int)"),
        ("document", "", "<soap:body use=\"literal\"/>", "()"),
        ("document", "<part name=\"p\" element=\"t:head\"/>", "<soap:body use=\"literal\"/>", "(<head>)"),
        ("document", element + type, "<soap:body use=\"literal\" parts=\"p\"/>", "<a>"),
        (
            "document", element + type,
            "<soap:body use=\"literal\"/><soap:header message=\"w:I\" part=\"q\" use=\"literal\"/>", "<a>"
        ),
        ("rpc", type, "<soap:body use=\"literal\" namespace=\"urn:n\"/>", "{urn:n}Op(q: int)"),
        ("rpc", type, "<soap:body use=\"encoded\"/>", "{}Op(q: int)"),
        ("rpc", element + type, "<soap:body use=\"literal\"/>", "{}Op(<a>, q: int)"),
        ("rpc", "", "<soap:body use=\"literal\"/>", "{}Op()"),
    ])
    func theBodyFollowsStyleAndParts(style: String, parts: String, body: String, content: String) throws {
        let operation = try operation(style: style, parts: parts, body: body)
        let exchange = try operation.exchange.get()
        #expect(shown(exchange.input.content) == content)
        #expect(exchange.isEncoded == body.contains("encoded"))
        #expect(exchange.style.rawValue == style && exchange.http == nil)
        #expect(operation.remarks.isEmpty, "\(operation.remarks)")
    }

    @Test(
        arguments: [
            ("document", "<part name=\"p\"/>", nil, "its input has the part ‘p’ with neither element nor type"),
            (
                "document", element, "<input message=\"w:X\"/>",
                "its input names the message {urn:w}X, which is not there"
            ),
            ("document", element, "<output message=\"w:O\"/>", "it is a notification, which begins at the service"),
            (
                "document", element, "<output message=\"w:O\"/><input message=\"w:I\"/>",
                "it begins at the service (solicit-response)"
            ),
            (
                "rpc", element + "<part name=\"s\" element=\"t:a\"/>", nil,
                "its input has the parts ‘p’ and ‘s’, which both travel as the element {urn:t}a and cannot be told apart; give them "
                    + "types instead of elements (WS-I Basic Profile 1.1, R2203)"
            ),
        ] as [(String, String, String?, String)])
    func unusableOperationsAreRefused(style: String, parts: String, abstract: String?, reason: String) throws {
        let operation = try operation(style: style, parts: parts, abstract: abstract)
        let refusal = #expect(throws: OperationRefusal.self) { try operation.exchange.get() }
        #expect(refusal?.reason == reason)
        #expect((refusal?.location.line ?? 0) > 0)
    }

    @Test func aProcedureNeedsANameThatAnElementMayHave() throws {
        let operation = try operation(style: "rpc", name: "a/b")
        let refusal = #expect(throws: OperationRefusal.self) { try operation.exchange.get() }
        #expect(refusal?.sentence(about: "a/b").hasPrefix("the operation ‘a/b’: its input must be an element") == true)
    }

    @Test func aMissingPartIsReported() throws {
        let operation = try operation(body: "<soap:body use=\"literal\" parts=\"p gone\"/>")
        #expect(shown(try operation.exchange.get().input.content) == "<a>")
        #expect(operation.remarks.map(\.isOmission) == [false])
        #expect(operation.remarks.first?.message.contains("names the part ‘gone’") == true)
    }

    // MARK: Header blocks and faults

    @Test(
        arguments: [
            ("element=\"t:a\"", "h", ["a"], nil), ("element=\"t:head\"", "h", ["head", "member"], nil),
            ("type=\"xs:int\"", "h", ["h"], nil), ("element=\"t:a\"", "gone", [], "that is not there"),
            ("element=\"t:none\"", "h", [], "which is not there"),
            ("element=\"t:alone\"", "h", [], "which is abstract"),
            ("", "h", [], "neither element nor type"),
        ] as [(String, String, [String], String?)])
    func aHeaderBlockThatCannotBeTypedIsLeftOut(part: String, name: String, blocks: [String], defect: String?) throws {
        let operation = try operation(
            body: "<soap:body use=\"literal\"/><soap:header message=\"w:H\" part=\"\(name)\" use=\"literal\" "
                + "namespace=\"urn:n\"/>", more: "<message name=\"H\"><part name=\"h\" \(part)/></message>")
        let headers = try operation.exchange.get().inputHeaders
        #expect(headers.map(\.element.localName) == blocks)
        #expect(headers.first?.type == nil || headers.first?.element.namespace == "urn:n")
        #expect(operation.remarks.count == (defect == nil ? 0 : 1))
        #expect(operation.remarks.allSatisfy { $0.isOmission && $0.message.contains(defect ?? "") })
    }

    @Test func headerBlocksOfFaultsComeWithTheAnswer() throws {
        let fault = "<soap:headerfault message=\"w:H\" part=\"h\" use=\"literal\"/>"
        let operation = try operation(
            body:
                "<soap:body use=\"literal\"/><soap:header message=\"w:H\" part=\"h\" use=\"literal\">\(fault)</soap:header>",
            more: "<message name=\"H\"><part name=\"h\" element=\"t:a\"/></message>")
        #expect(try operation.exchange.get().outputHeaders.map(\.element.localName) == ["a"])
    }

    @Test(
        arguments: [
            (["element=\"t:a\""], ["a"], nil),
            (["element=\"t:member\"", "element=\"t:head\""], ["member", "head"], nil),
            (["type=\"xs:int\"", "type=\"xs:int\""], ["f"], nil),
            (["type=\"xs:int\"", "type=\"xs:long\""], [], "of the types ‘int’ and ‘long’"),
            (["element=\"t:none\""], [], "no single element or type"),
        ] as [([String], [String], String?)])
    func faultsThatCannotBeToldApartAreNotDeclared(parts: [String], names: [String], remark: String?) throws {
        let messages = parts.enumerated().map {
            "<message name=\"F\($0)\"><part name=\"f\" \($1)/></message>"
        }
        let faults = parts.indices.map { "<fault name=\"f\($0)\" message=\"w:F\($0)\"/>" }.joined()
        let answered = "<input message=\"w:I\"/><output message=\"w:O\"/>"
        let operation = try operation(abstract: answered + faults, more: messages.joined())
        #expect(try operation.exchange.get().faults.map(\.block.element.localName) == names)
        #expect(operation.remarks.count == (remark == nil ? 0 : 1), "\(operation.remarks)")
        #expect(operation.remarks.allSatisfy { !$0.isOmission && $0.message.contains(remark ?? "") })
    }
}
