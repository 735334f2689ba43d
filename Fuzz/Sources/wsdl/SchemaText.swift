import Support

/// A WSDL made of the elements of XML Schema and of names that are difficult for a Swift generator.
struct SchemaText {
    private(set) var document: [UInt8] = []
    private var input: Input
    private var depth = 0

    private static let names = [
        "a", "A", "self", "Self", "Type", "init", "default", "String", "XMLReader", "_", "a-b", "a.b", "ä", "名",
        "value", "index",
        "Client", "Operations", "none", "some", "Foo", "foo", "FOO", "reader", "hash", "x1", "T0", "T1", "T2", "T3",
        "any",
    ]
    private static let types = [
        "xs:string", "xs:int", "xs:decimal", "xs:date", "xs:anyType", "xs:QName", "xs:token", "xs:NMTOKENS", "xs:ID",
        "t:T0", "t:T1",
        "t:T2", "t:T3", "t:S0", "t:S1", "t:missing", "xs:integer", "xs:anySimpleType",
    ]
    private static let occurrences = [
        "", " minOccurs=\"0\"", " maxOccurs=\"unbounded\"", " minOccurs=\"0\" maxOccurs=\"3\"",
        " minOccurs=\"0\" maxOccurs=\"0\"",
        " maxOccurs=\"99999999999999999999\"",
    ]
    private static let texts = [
        "a", "", "*/", "\\(x)", "&quot;&quot;&quot;", "`", "&#10;}", "//", "#if", "名", "&#x2028;", "\\",
    ]

    init(_ input: inout Input) {
        self.input = input
        add(
            "<w:definitions xmlns:w=\"http://schemas.xmlsoap.org/wsdl/\" xmlns:s=\"http://schemas.xmlsoap.org/wsdl/soap/\" "
                + "xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" xmlns:t=\"urn:t\" targetNamespace=\"urn:t\"><w:types>"
                + "<xs:schema targetNamespace=\"urn:t\" elementFormDefault=\"qualified\">")
        for number in 0..<4 {
            type(" name=\"T\(number)\"", derivedFrom: number)
        }
        for number in 0..<2 { simpleType(" name=\"S\(number)\"") }
        add("<xs:element name=\"E\" type=\"t:T0\"/><xs:element name=\"F\" type=\"t:T1\" substitutionGroup=\"t:E\"/>")
        add("<xs:group name=\"G\"><xs:sequence>")
        particles()
        add("</xs:sequence></xs:group><xs:attributeGroup name=\"AG\">")
        attributes()
        add("</xs:attributeGroup></xs:schema></w:types>")
        let style = pick(["document", "rpc"])
        let part = style == "rpc" ? "type=\"\(pick(Self.types))\"" : "element=\"t:\(pick(["E", "F"]))\""
        let use = pick(["literal", "encoded"])
        let operation = pick(Self.names)
        add("<w:message name=\"M\"><w:part name=\"\(pick(Self.names))\" \(part)/></w:message>")
        add(
            "<w:portType name=\"P\"><w:operation name=\"\(operation)\"><w:documentation>\(pick(Self.texts))</w:documentation>"
                + "<w:input message=\"t:M\"/><w:output message=\"t:M\"/></w:operation></w:portType>")
        add(
            "<w:binding name=\"B\" type=\"t:P\"><s:binding style=\"\(style)\" "
                + "transport=\"http://schemas.xmlsoap.org/soap/http\"/><w:operation name=\"\(operation)\">"
                + "<s:operation soapAction=\"\(pick(Self.texts))\"/><w:input><s:body use=\"\(use)\" namespace=\"urn:t\"/></w:input>"
                + "<w:output><s:body use=\"\(use)\" namespace=\"urn:t\"/></w:output></w:operation></w:binding>")
        add(
            "<w:service name=\"\(pick(Self.names))\"><w:port name=\"\(pick(Self.names))\" binding=\"t:B\">"
                + "<s:address location=\"http://localhost/\(pick(Self.texts))\"/></w:port></w:service></w:definitions>")
        input = self.input
    }

    private mutating func add(_ text: String) { document += text.utf8 }
    private mutating func pick(_ words: [String]) -> String { words[input.number(below: words.count)] }

    private mutating func documentation() {
        guard input.number(below: 4) == 0 else { return }
        add("<xs:annotation><xs:documentation>\(pick(Self.texts))</xs:documentation></xs:annotation>")
    }

    private mutating func type(_ attributes: String, derivedFrom number: Int = 0) {
        let flags = pick(["", "", " abstract=\"true\"", " mixed=\"true\""])
        add("<xs:complexType\(attributes)\(flags)>")
        documentation()
        switch input.number(below: 6) {
        case 0 where number > 0:
            let method = pick(["extension", "restriction"])
            add("<xs:complexContent><xs:\(method) base=\"t:T\(input.number(below: number))\">")
            content()
            add("</xs:\(method)></xs:complexContent>")
        case 1:
            add("<xs:simpleContent><xs:extension base=\"\(pick(Self.types))\">")
            self.attributes()
            add("</xs:extension></xs:simpleContent>")
        default: content()
        }
        add("</xs:complexType>")
    }

    private mutating func content() {
        if input.number(below: 8) > 0 {
            let kind = pick(["sequence", "choice", "all", "sequence"])
            add("<xs:\(kind)\(kind == "all" ? "" : pick(Self.occurrences))>")
            particles()
            add("</xs:\(kind)>")
        }
        attributes()
    }

    private mutating func particles() {
        depth += 1
        defer { depth -= 1 }
        guard depth < 6 else { return }
        for _ in 0..<input.number(below: 5) {
            let occurs = pick(Self.occurrences)
            switch input.number(below: 10) {
            case 0:
                add(
                    "<xs:any namespace=\"\(pick(["##any", "##other", "urn:a urn:b", "##local"]))\" processContents=\"lax\"\(occurs)/>"
                )
            case 1: add("<xs:element ref=\"t:\(pick(["E", "F", "missing"]))\"\(occurs)/>")
            case 2: add("<xs:group ref=\"t:G\"\(occurs)/>")
            case 3, 4:
                let kind = pick(["sequence", "choice"])
                add("<xs:\(kind)\(occurs)>")
                particles()
                add("</xs:\(kind)>")
            case 5:
                add("<xs:element name=\"\(pick(Self.names))\"\(occurs)>")
                if input.byte() % 2 == 0 { type("") } else { simpleType("") }
                add("</xs:element>")
            default:
                let rest = pick(["", " nillable=\"true\"", " default=\"\(pick(Self.texts))\"", " fixed=\"1\""])
                add("<xs:element name=\"\(pick(Self.names))\" type=\"\(pick(Self.types))\"\(rest)\(occurs)/>")
            }
        }
    }

    private mutating func attributes() {
        for _ in 0..<input.number(below: 3) {
            add(
                "<xs:attribute name=\"\(pick(Self.names))\" type=\"\(pick(Self.types))\"\(pick(["", " use=\"required\""]))/>"
            )
        }
        if input.number(below: 6) == 0 { add("<xs:attributeGroup ref=\"t:AG\"/>") }
        if input.number(below: 6) == 0 { add("<xs:anyAttribute processContents=\"skip\"/>") }
    }

    private mutating func simpleType(_ attributes: String) {
        add("<xs:simpleType\(attributes)>")
        switch input.number(below: 4) {
        case 0: add("<xs:list itemType=\"\(pick(Self.types))\"/>")
        case 1: add("<xs:union memberTypes=\"\(pick(Self.types)) \(pick(Self.types))\"/>")
        default:
            add("<xs:restriction base=\"\(pick(Self.types))\">")
            for _ in 0..<input.number(below: 4) {
                add(
                    "<xs:\(pick(["enumeration", "pattern", "maxLength", "minInclusive"])) value=\"\(pick(Self.texts))\"/>"
                )
            }
            add("</xs:restriction>")
        }
        add("</xs:simpleType>")
    }
}
