import Testing

@testable import SignetWSDL

/// What a WSDL says of WS-Addressing (Metadata 1.0 §3, §4.4).
@Suite struct AddressingTests {
    private static let namespaces =
        "xmlns:m='http://www.w3.org/2007/05/addressing/metadata' xmlns:w3='http://www.w3.org/2006/05/addressing/wsdl' xmlns:old='http://schemas.xmlsoap.org/ws/2004/08/addressing' xmlns:p='http://schemas.xmlsoap.org/ws/2004/08/addressing/policy'"

    private func definitions(_ operation: String, using: String = "") throws -> WSDLDefinitions {
        try load(
            wsdl(
                """
                <message name="M"/><portType name="P"><operation name="Do" \(Self.namespaces)>\(operation)</operation></portType>
                <binding name="B" type="w:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>\(using)</binding>
                <service name="S"><port name="a" binding="w:B"/></service>
                """))
    }

    private func actions(_ content: String, soapAction: String = "") throws -> MessageActions? {
        let portType = try #require(try definitions(content).portTypes[QName("urn:w", "P")])
        return portType.operations.first?.actions(soapAction: soapAction, in: portType.name)
    }

    @Test(arguments: ["m", "w3", "old"]) func statedActionsGoFirst(prefix: String) throws {
        let found = try actions(
            "<input message='w:M' \(prefix):Action=' urn:in '/><output message='w:M' \(prefix):Action='urn:out'/>",
            soapAction: "urn:soap")
        #expect(found == MessageActions(input: "urn:in", output: "urn:out"))
    }

    @Test func defaultActionsAreMadeOfNames() throws {
        let both = "<input message='w:M'/><output message='w:M'/>"
        #expect(try actions(both) == MessageActions(input: "urn:w:P:DoRequest", output: "urn:w:P:DoResponse"))
        #expect(try actions(both, soapAction: "urn:s") == MessageActions(input: "urn:s", output: "urn:w:P:DoResponse"))
        let named = "<input name='In' message='w:M'/><output name='Out' message='w:M'/>"
        #expect(try actions(named) == MessageActions(input: "urn:w:P:In", output: "urn:w:P:Out"))
        #expect(try actions("<input message='w:M'/>") == MessageActions(input: "urn:w:P:Do", output: nil))
    }

    @Test func namesStandBehindSlashesUnlessTheNamespaceIsAURN() throws {
        let use = MessageUse(message: QName("", "M"), location: try definitions("").location)
        let operation = Operation(name: "Do", input: use, output: use, location: use.location)
        for target in ["http://h/t", "http://h/t/"] {
            let found = operation.actions(soapAction: "", in: QName(target, "P"))
            #expect(found == MessageActions(input: "http://h/t/P/DoRequest", output: "http://h/t/P/DoResponse"))
            var fault = use
            fault.name = "F"
            #expect(operation.action(of: fault, in: QName(target, "P")) == "http://h/t/P/Do/Fault/F")
        }
    }

    @Test(arguments: [
        ("<x:UsingAddressing xmlns:x='http://www.w3.org/2006/05/addressing/wsdl'/>", AddressingName.v10),
        ("<x:UsingAddressing xmlns:x='http://schemas.xmlsoap.org/ws/2004/08/addressing/policy'/>", .submission),
        (
            "<q:Policy xmlns:q='http://www.w3.org/ns/ws-policy'><x:Addressing xmlns:x='http://www.w3.org/2007/05/addressing/metadata'/></q:Policy>",
            .v10
        ), ("<x:UsingAddressing xmlns:x='urn:x'/>", nil),
    ]) func portsNameTheirAddressingVersion(using: String, version: AddressingName?) throws {
        let found = try definitions("<input message='w:M'/>", using: using)
        let port = try #require(found.services.first?.ports.first)
        #expect(found.addressing(of: port) == version)
        #expect(found.speaksOfAddressing(port) == (version != nil))
        let stated = try definitions("<input message='w:M' m:Action='urn:a'/>")
        #expect(stated.speaksOfAddressing(port))
        #expect(stated.addressing(of: port) == nil)
    }
}
