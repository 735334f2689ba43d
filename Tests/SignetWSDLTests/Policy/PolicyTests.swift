import SignetWSDL
import Testing

@Suite struct PolicyTests {
    private static let sp = "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702"
    private static let utility = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"

    private func definitions(
        policy: String, binding: String = "<wsp:PolicyReference URI=\"#P\"/>", operation: String = "",
        namespace: String = "http://www.w3.org/ns/ws-policy"
    ) throws -> WSDLDefinitions {
        let text = wsdl(
            """
            <wsp:Policy wsu:Id="P">\(policy)</wsp:Policy>
            <portType name="T"><operation name="Do"/></portType>
            <binding name="B" type="w:T">\(binding)
              <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
              <operation name="Do">\(operation)<input><soap:body/></input></operation>
            </binding>
            <service name="S"><port name="A" binding="w:B"/></service>
            """)
        return try load(
            text.replacing(
                "<definitions ",
                with: "<definitions xmlns:wsp=\"\(namespace)\" xmlns:sp=\"\(Self.sp)\" xmlns:wsu=\"\(Self.utility)\" "))
    }

    private func sentences(_ definitions: WSDLDefinitions) throws -> [String] {
        let port = try #require(definitions.services.first?.ports.first)
        return definitions.policySummary(of: port).sentences
    }

    @Test(arguments: ["http://www.w3.org/ns/ws-policy", "http://schemas.xmlsoap.org/ws/2004/09/policy"])
    func theSummaryListsTheAssertionsOfAPort(namespace: String) throws {
        let policy = """
            <wsp:ExactlyOne><wsp:All>
              <sp:TransportBinding><wsp:Policy>
                <sp:TransportToken><wsp:Policy>
                  <sp:HttpsToken><wsp:Policy><sp:RequireClientCertificate/></wsp:Policy></sp:HttpsToken>
                </wsp:Policy></sp:TransportToken>
                <sp:AlgorithmSuite><wsp:Policy><sp:Basic256Sha256/></wsp:Policy></sp:AlgorithmSuite>
                <sp:IncludeTimestamp/>
              </wsp:Policy></sp:TransportBinding>
              <sp:SupportingTokens><wsp:Policy><sp:UsernameToken/></wsp:Policy></sp:SupportingTokens>
              <wsam:Addressing xmlns:wsam="http://www.w3.org/2007/05/addressing/metadata" wsp:Optional="true"/>
              <x:Odd xmlns:x="urn:x"/>
            </wsp:All></wsp:ExactlyOne>
            """
        let definitions = try definitions(policy: policy, namespace: namespace)
        #expect(
            try sentences(definitions) == [
                "HTTPS (TransportBinding)", "a client certificate in TLS (RequireClientCertificate)",
                "a time stamp in the message (IncludeTimestamp)", "a user name in the message (UsernameToken)",
                "WS-Addressing header blocks (Addressing), optional", "something unknown: {urn:x}Odd",
            ])
        let port = try #require(definitions.services.first?.ports.first)
        let names = definitions.policySummary(of: port).assertions.map(\.localName)
        #expect(names.contains("Basic256Sha256"))
        #expect(names.contains("SupportingTokens"))
    }

    @Test func theSummaryShowsAlternatives() throws {
        let either =
            "<wsp:ExactlyOne><sp:UsernameToken/><wsp:All><sp:X509Token/><sp:IncludeTimestamp/></wsp:All></wsp:ExactlyOne>"
        #expect(
            try sentences(definitions(policy: either)) == [
                "one of: a user name in the message (UsernameToken); or an X.509 certificate in the message (X509Token) "
                    + "and a time stamp in the message (IncludeTimestamp)"
            ])
        #expect(
            try sentences(definitions(policy: "<wsp:ExactlyOne><sp:UsernameToken/><wsp:All/></wsp:ExactlyOne>"))
                == ["a user name in the message (UsernameToken), optional"])
    }

    @Test func theSummaryShowsPartsAndAttributes() throws {
        let policy = """
            <sp:HttpsToken RequireClientCertificate="true"/>
            <sp:SignedParts><sp:Body/><sp:Header Name="To" Namespace="urn:a"/></sp:SignedParts><sp:EncryptedParts/>
            """
        #expect(
            try sentences(definitions(policy: policy)) == [
                "a client certificate in TLS (HttpsToken, RequireClientCertificate)", "signed: Body, header block To",
                "everything encrypted (EncryptedParts)",
            ])
    }

    @Test func attachmentsOfEveryKindAreFound() throws {
        let definitions = try definitions(
            policy: "<sp:UsernameToken/>",
            binding: "<wsaw:UsingAddressing xmlns:wsaw=\"http://www.w3.org/2006/05/addressing/wsdl\"/>",
            operation: """
                <wsp:Policy><o:OptimizedMimeSerialization
                    xmlns:o="http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization"/></wsp:Policy>
                <wsp:PolicyReference URI="#P"/>
                """)
        #expect(try sentences(definitions) == ["WS-Addressing header blocks (UsingAddressing)"])
        let binding = try #require(definitions.bindings.values.first)
        let operation = try #require(binding.operations.first)
        #expect(
            definitions.policySummary(of: operation, in: binding).sentences == [
                "binary content as attachments, MTOM (OptimizedMimeSerialization)",
                "a user name in the message (UsernameToken)",
            ])
    }

    @Test func referencesThatLeadNowhereOrInACircleEnd() throws {
        #expect(try sentences(definitions(policy: "<wsp:PolicyReference URI=\"#P\"/>")) == [])
        let bomb = String(repeating: "<wsp:PolicyReference URI=\"#P\"/>", count: 10)
        #expect(try sentences(definitions(policy: bomb)) == [])
        #expect(
            try sentences(definitions(policy: "<wsp:PolicyReference URI=\"#Q\"/>"))
                == ["a policy that was not read: ‘main.wsdl#Q’"])
    }
}
