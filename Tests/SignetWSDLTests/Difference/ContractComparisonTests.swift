import SignetWSDL
import Testing

@Suite struct ContractComparisonTests {
    /// A service whose input and output have the same content.
    private func contract(
        _ content: String, more: String = "", operation: String = "Do", action: String = "urn:do",
        style: String = "document",
        address: String = "https://example.com/", faults: String = "", header: String = ""
    ) -> String {
        wsdl(
            """
            <types>\(schema("<xs:element name=\"in\" type=\"t:T\"/><xs:element name=\"out\" type=\"t:T\"/>\(content)\(more)"))</types>
            <message name="In"><part name="p" element="t:in"/></message>
            <message name="Out"><part name="p" element="t:out"/></message>
            <portType name="P"><operation name="\(operation)"><input message="w:In"/><output message="w:Out"/>\(faults)</operation></portType>
            <binding name="B" type="w:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http" style="\(style)"/>
            <operation name="\(operation)"><soap:operation soapAction="\(action)"/><input>\(header)<soap:body use="literal"/></input>
            <output><soap:body use="literal"/></output></operation></binding>
            <service name="S"><port name="A" binding="w:B"><soap:address location="\(address)"/></port></service>
            """)
    }

    private func changes(_ old: String, _ new: String) throws -> [ContractChange] {
        ContractComparison.changes(from: try load(old), to: try load(new))
    }

    private static func sequence(_ content: String) -> String {
        "<xs:complexType name=\"T\"><xs:sequence>\(content)</xs:sequence></xs:complexType>"
    }

    private static func restriction(_ facets: String, _ base: String = "xs:string") -> String {
        sequence("<xs:element name=\"a\" type=\"t:V\"/>")
            + "<xs:simpleType name=\"V\"><xs:restriction base=\"\(base)\">\(facets)</xs:restriction></xs:simpleType>"
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var old: String
        var new: String
        /// Whether callers break when they write it, and when they read it.
        var input: Bool
        var output: Bool
        var testDescription: String { "\(old) → \(new)" }
    }

    static let contents: [Case] = [
        Case(
            old: sequence("<xs:element name=\"a\"/>"),
            new: sequence("<xs:element name=\"a\"/><xs:element name=\"b\" minOccurs=\"0\"/>"), input: false,
            output: false),
        Case(
            old: sequence("<xs:element name=\"a\"/>"),
            new: sequence("<xs:element name=\"a\"/><xs:element name=\"b\"/>"), input: true, output: false),
        Case(
            old: sequence("<xs:element name=\"a\"/><xs:element name=\"b\"/>"),
            new: sequence("<xs:element name=\"a\"/>"),
            input: true, output: true),
        Case(
            old: sequence("<xs:element name=\"a\"/><xs:element name=\"b\" minOccurs=\"0\"/>"),
            new: sequence("<xs:element name=\"a\"/>"), input: true, output: false),
        Case(
            old: sequence("<xs:element name=\"a\" minOccurs=\"0\"/>"), new: sequence("<xs:element name=\"a\"/>"),
            input: true, output: false),
        Case(
            old: sequence("<xs:element name=\"a\"/>"),
            new: sequence("<xs:element name=\"a\" maxOccurs=\"unbounded\"/>"),
            input: false, output: true),
        Case(
            old: sequence("<xs:element name=\"a\" maxOccurs=\"3\"/>"),
            new: sequence("<xs:element name=\"a\" minOccurs=\"0\" maxOccurs=\"2\"/>"), input: true, output: true),
        Case(
            old: sequence("<xs:element name=\"a\"/>"), new: sequence("<xs:element name=\"a\" nillable=\"true\"/>"),
            input: false, output: true),
        Case(
            old: sequence("<xs:element name=\"a\" type=\"xs:int\"/>"),
            new: sequence("<xs:element name=\"a\" type=\"xs:long\"/>"), input: false, output: true),
        Case(
            old: sequence("<xs:element name=\"a\" type=\"xs:int\"/>"),
            new: sequence("<xs:element name=\"a\" type=\"xs:date\"/>"), input: true, output: true),
        Case(
            old: sequence("<xs:element name=\"a\"/><xs:element name=\"b\"/>"),
            new: sequence("<xs:element name=\"b\"/><xs:element name=\"a\"/>"), input: true, output: false),
        Case(
            old: sequence("<xs:choice><xs:element name=\"a\"/><xs:element name=\"b\"/></xs:choice>"),
            new: sequence(
                "<xs:choice><xs:element name=\"a\"/><xs:element name=\"b\"/><xs:element name=\"c\"/></xs:choice>"),
            input: false, output: true),
        Case(
            old: restriction("<xs:enumeration value=\"x\"/>"),
            new: restriction("<xs:enumeration value=\"x\"/><xs:enumeration value=\"y\"/>"), input: false, output: true),
        Case(
            old: restriction("<xs:enumeration value=\"x\"/><xs:enumeration value=\"y\"/>"),
            new: restriction("<xs:enumeration value=\"x\"/>"), input: true, output: false),
        Case(
            old: restriction("<xs:maxLength value=\"9\"/>"), new: restriction("<xs:maxLength value=\"10\"/>"),
            input: false,
            output: true),
        Case(
            old: restriction("<xs:minInclusive value=\"1\"/>", "xs:int"),
            new: restriction("<xs:minInclusive value=\"2\"/>", "xs:int"), input: true, output: false),
        Case(
            old: restriction("<xs:pattern value=\"a\"/>"), new: restriction("<xs:pattern value=\"b\"/>"), input: true,
            output: true),
        Case(old: restriction(""), new: restriction("<xs:pattern value=\"b\"/>"), input: true, output: false),
        Case(
            old: "<xs:complexType name=\"T\"><xs:attribute name=\"a\"/></xs:complexType>",
            new: "<xs:complexType name=\"T\"><xs:attribute name=\"a\" use=\"required\"/></xs:complexType>", input: true,
            output: false),
        Case(
            old: "<xs:complexType name=\"T\"/>",
            new: "<xs:complexType name=\"T\"><xs:attribute name=\"a\"/></xs:complexType>", input: false, output: false),
        Case(
            old:
                "<xs:complexType name=\"T\"><xs:simpleContent><xs:extension base=\"xs:int\"/></xs:simpleContent></xs:complexType>",
            new:
                "<xs:complexType name=\"T\"><xs:simpleContent><xs:extension base=\"xs:short\"/></xs:simpleContent></xs:complexType>",
            input: true, output: false),
        Case(
            old: "<xs:complexType name=\"T\"/>",
            new:
                "<xs:complexType name=\"T\"/><xs:complexType name=\"U\"><xs:complexContent><xs:extension base=\"t:T\"/></xs:complexContent></xs:complexType>",
            input: false, output: true),
        Case(
            old: sequence("<xs:any/>"), new: sequence(""), input: true, output: false),
        // Written in another way, but the same.
        Case(
            old: sequence("<xs:element name=\"a\"/><xs:element name=\"b\"/>"),
            new: "<xs:complexType name=\"B\"><xs:sequence><xs:element name=\"a\"/></xs:sequence></xs:complexType>"
                + "<xs:complexType name=\"T\"><xs:complexContent><xs:extension base=\"t:B\"><xs:group ref=\"t:G\"/></xs:extension></xs:complexContent></xs:complexType>"
                + "<xs:group name=\"G\"><xs:sequence><xs:element name=\"b\"/></xs:sequence></xs:group>", input: false,
            output: false),
    ]

    @Test(arguments: contents)
    func contentChangesAreJudgedByTheirDirection(test: Case) throws {
        let found = try changes(contract(test.old), contract(test.new))
        let input = found.filter { $0.path.contains("input") }
        let output = found.filter { $0.path.contains("output") }
        #expect(input.contains(where: \.isBreaking) == test.input, "\(found)")
        #expect(output.contains(where: \.isBreaking) == test.output, "\(found)")
        #expect(found.count == input.count + output.count)
        // The other way round what was added is gone.
        #expect(try changes(contract(test.new), contract(test.old)).isEmpty == found.isEmpty)
    }

    @Test(arguments: contents)
    func nothingChangesAgainstItself(test: Case) throws {
        #expect(try changes(contract(test.new), contract(test.new)).isEmpty)
    }

    @Test func theSurfaceOfTheService() throws {
        let plain = "<xs:complexType name=\"T\"/>"
        let old = contract(plain)
        func breaks(_ new: String) throws -> [Bool] { try changes(old, new).map(\.isBreaking) }
        #expect(try breaks(contract(plain, action: "urn:other")) == [true])
        #expect(try breaks(contract(plain, style: "rpc")) == [true])
        #expect(try breaks(contract(plain, address: "https://example.org/")) == [true])
        #expect(try breaks(contract(plain, faults: "<fault name=\"F\" message=\"w:In\"/>")) == [false])
        #expect(
            try breaks(contract(plain, header: "<soap:header message=\"w:In\" part=\"p\" use=\"literal\"/>")) == [true])
        let renamed = try changes(old, contract(plain, operation: "Go"))
        #expect(renamed.filter(\.isBreaking).map(\.path).contains(["operation Do"]))
        #expect(renamed.filter { !$0.isBreaking }.map(\.path) == [["operation Go"]])
        #expect(try breaks(old.replacing("<output message=\"w:Out\"/>", with: "")) == [true])
        #expect(try breaks(old.replacing("<service name=\"S\">", with: "<service name=\"Z\">")) == [true, false])
        #expect(try breaks(old.replacing("element=\"t:in\"", with: "element=\"t:out\"")) == [true])
    }

    @Test func aChangeIsReportedOnceWithItsPlace() throws {
        let old = Self.sequence(
            "<xs:element name=\"a\"><xs:complexType><xs:sequence><xs:element name=\"b\"/></xs:sequence></xs:complexType></xs:element>"
        )
        let new = old.replacing("name=\"b\"", with: "name=\"b\" maxOccurs=\"2\"")
        let found = try changes(contract(old), contract(new))
        #expect(
            found.map(\.description) == [
                "fine: operation Do, input, in, a, b: it stood 1…1 times and stands 1…2 times",
                "breaks: operation Do, output, out, a, b: it stood 1…1 times and stands 1…2 times",
            ])
    }

    @Test func typesThatHoldThemselvesEnd() throws {
        let old =
            Self.sequence("<xs:element name=\"a\" type=\"t:T\" minOccurs=\"0\"/><xs:group ref=\"t:G\"/>")
            + "<xs:group name=\"G\"><xs:sequence><xs:group ref=\"t:G\"/></xs:sequence></xs:group>"
        let new = old.replacing("minOccurs=\"0\"", with: "")
        #expect(try changes(contract(old), contract(new)).count == 2)
        let loop =
            "<xs:complexType name=\"T\"><xs:complexContent><xs:extension base=\"t:T\"/></xs:complexContent></xs:complexType>"
            + "<xs:simpleType name=\"V\"><xs:restriction base=\"t:V\"/></xs:simpleType>"
        #expect(try changes(contract(loop), contract(loop)).isEmpty)
    }

    @Test func typesWithoutANameThatHoldThemselvesEnd() throws {
        func group(_ more: String) -> String {
            "<xs:complexType name=\"T\"><xs:group ref=\"t:g\"/></xs:complexType><xs:group name=\"g\"><xs:sequence>"
                + "<xs:element name=\"a\" minOccurs=\"0\"><xs:complexType><xs:sequence><xs:group ref=\"t:g\"/>\(more)</xs:sequence>"
                + "</xs:complexType></xs:element></xs:sequence></xs:group>"
        }
        #expect(try changes(contract(group("")), contract(group(""))).isEmpty)
        let found = try changes(contract(group("")), contract(group("<xs:element name=\"b\"/>")))
        #expect(found.contains { $0.path.last == "b" && $0.isBreaking })
    }

    /// A member of a member may stand where the head is named.
    @Test(arguments: [false, true]) func membersOfMembersAreNewAlternatives(isBetweenAbstract: Bool) throws {
        let elements =
            "<xs:element name=\"A\" type=\"xs:string\" abstract=\"true\"/>"
            + "<xs:element name=\"B\" substitutionGroup=\"t:A\" abstract=\"\(isBetweenAbstract)\"/>"
            + "<xs:element name=\"D\" substitutionGroup=\"t:B\"/>"
        let type = Self.sequence("<xs:element ref=\"t:A\"/>")
        let member = "<xs:element name=\"C\" substitutionGroup=\"t:B\"/>"
        let found = try changes(contract(type + elements), contract(type + elements + member))
        #expect(found.map(\.path.last) == ["C", "C"], "\(found)")
        #expect(found.contains(where: \.isBreaking) && !found.allSatisfy(\.isBreaking))
    }

    @Test func elementsAndUnionsThatHoldThemselvesEnd() throws {
        let old =
            Self.sequence("<xs:element ref=\"t:e\"/>")
            + "<xs:element name=\"e\"><xs:complexType><xs:sequence><xs:element ref=\"t:e\" minOccurs=\"0\"/>"
            + "<xs:element name=\"u\" type=\"t:U\"/></xs:sequence></xs:complexType></xs:element>"
            + "<xs:simpleType name=\"U\"><xs:union memberTypes=\"t:U t:U t:W\"/></xs:simpleType>"
            + "<xs:simpleType name=\"W\"><xs:restriction base=\"xs:int\"/></xs:simpleType>"
        let found = try changes(contract(old), contract(old.replacing("xs:int", with: "xs:long")))
        #expect(found.map(\.path.last) == ["u", "u"])
        #expect(found.map(\.isBreaking) == [false, true])
    }

    @Test func deepAndMultiplyingSchemasAreCompared() throws {
        let groups = (0..<40).map {
            "<xs:group name=\"G\($0)\"><xs:sequence><xs:group ref=\"t:G\($0 + 1)\"/><xs:group ref=\"t:G\($0 + 1)\"/></xs:sequence></xs:group>"
        }
        let twice = Self.sequence("<xs:group ref=\"t:G0\"/>") + groups.joined()
        #expect(try changes(contract(twice), contract(twice)).isEmpty)
        let bases = (1..<5000).map {
            "<xs:complexType name=\"B\($0)\"><xs:complexContent><xs:extension base=\"t:B\($0 + 1)\"/></xs:complexContent></xs:complexType>"
        }
        let deep =
            "<xs:complexType name=\"T\"><xs:complexContent><xs:extension base=\"t:B1\"/></xs:complexContent></xs:complexType>"
            + bases.joined()
        #expect(try changes(contract(deep), contract(deep)).isEmpty)
    }

    @Test func longChainsOfTypesNeedNoDeepRecursion() throws {
        func chain(_ last: String) -> String {
            (0..<5000).map { number in
                let next = number == 4999 ? last : "t:T\(number + 1)"
                return
                    "<xs:complexType name=\"T\(number == 0 ? "" : "\(number)")\"><xs:sequence><xs:element name=\"e\" type=\"\(next)\"/></xs:sequence></xs:complexType>"
            }.joined()
        }
        let found = try changes(contract(chain("xs:int")), contract(chain("xs:date")))
        #expect(found.count == 2)
        #expect(found.allSatisfy { $0.isBreaking && $0.path.count < 60 })
    }

    /// What could not be read may have changed, although nothing of it can be seen.
    @Test func defectiveTypesCountAsChanged() throws {
        func broken(_ type: String) -> String {
            contract(Self.sequence("<xs:element name=\"a\" type=\"xs:\(type)\" minOccurs=\"-1\"/>"))
        }
        let found = try changes(broken("int"), broken("dateTime"))
        #expect(found.map(\.path) == [["complexType T"], ["complexType T"]], "\(found)")
        #expect(found.allSatisfy { $0.isBreaking && $0.message.hasPrefix("it was not compared: the ") })
        let port = contract(Self.sequence("")).replacing("<port name=\"A\"", with: "<port name=\"a b\"")
        let ports = try changes(port, port)
        #expect(ports.map(\.path) == [["the old WSDL"], ["the new WSDL"]], "\(ports)")
        #expect(ports.allSatisfy { $0.isBreaking && $0.message.contains("a port of the service ‘S’ is left out") })
    }

    /// What stands at the end of a long derivation is not seen.
    @Test func longDerivationsOfSimpleTypesAreNotCompared() throws {
        func chain(_ last: String) -> String {
            let types = (0..<200).map { number in
                let base = number == 199 ? last : "t:V\(number + 1)"
                return "<xs:simpleType name=\"V\(number)\"><xs:restriction base=\"\(base)\"/></xs:simpleType>"
            }
            return contract(Self.sequence("<xs:element name=\"a\" type=\"t:V0\"/>") + types.joined())
        }
        let found = try changes(chain("xs:int"), chain("xs:date"))
        #expect(!found.isEmpty && found.allSatisfy { $0.isBreaking && $0.message.hasPrefix("not all was compared: ") })
    }

    /// Policies that refer to each other twice, thirty times over.
    @Test func policiesThatMultiplyAreNotCompared() throws {
        let policies = (0..<30).map { number in
            let reference = "<p:PolicyReference URI=\"#P\(number + 1)\"/>"
            return "<p:Policy u:Id=\"P\(number)\"><p:ExactlyOne><p:All>\(reference)</p:All><p:All>\(reference)</p:All>"
                + "</p:ExactlyOne></p:Policy>"
        }
        let declared =
            "xmlns:p=\"http://www.w3.org/ns/ws-policy\" xmlns:u=\"\(Namespaces.securityUtility)\" "
        let whole = contract(Self.sequence("")).replacing(
            "<types>", with: "\(policies.joined())<p:Policy u:Id=\"P30\"><p:All/></p:Policy><types>")
        let port = "<port name=\"A\" binding=\"w:B\">"
        let old = whole.replacing("<definitions ", with: "<definitions \(declared)")
            .replacing(port, with: "\(port)<p:PolicyReference URI=\"#P0\"/>")
        let found = try changes(old, old)
        #expect(found.map(\.path) == [["service S", "port A"]], "\(found)")
        #expect(found.allSatisfy { $0.isBreaking && $0.message.hasPrefix("not all was compared") })
    }

    @Test func changesOfHTTPBindingsAreBreaking() throws {
        func plain(_ verb: String, _ location: String, _ input: String) -> String {
            wsdl(
                """
                <message name="In"/><portType name="P"><operation name="Do"><input message="w:In"/></operation></portType>
                <binding name="B" type="w:P" xmlns:h="\(Namespaces.http)" xmlns:m="\(Namespaces.mime)"><h:binding verb="\(verb)"/>
                <operation name="Do"><h:operation location="\(location)"/><input>\(input)</input></operation></binding>
                <service name="S"><port name="A" binding="w:B"/></service>
                """)
        }
        let old = plain("GET", "/a", "<h:urlEncoded/>")
        #expect(try changes(old, old).isEmpty)
        for (new, word) in [
            (plain("POST", "/a", "<h:urlEncoded/>"), "its method was ‘GET’ and is ‘POST’"),
            (plain("GET", "/b", "<h:urlEncoded/>"), "its location"),
            (plain("GET", "/a", "<h:urlReplacement/>"), "its encoding"),
            (plain("GET", "/a", "<h:urlEncoded/><m:mimeXml/>"), "its media type was ‘’ and is ‘text/xml’"),
        ] {
            let changes = try changes(old, new)
            #expect(changes.map(\.isBreaking) == [true])
            #expect(changes.first.map { "\($0)".contains(word) } == true, "\(changes)")
        }
    }
}
