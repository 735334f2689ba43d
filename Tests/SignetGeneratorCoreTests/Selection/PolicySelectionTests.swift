import Foundation
import SignetGeneratorCore
import Testing

/// What policies demand, in the code.
@Suite struct PolicySelectionTests {
    private static let sp = "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702"

    private func wsdl(_ port: String, _ operation: String = "") -> String {
        makeService(
            operations: ["do", "ask"], schema: message("") + message("", name: "ask"),
            soapOperation: "<soap:operation soapAction=\"\"/>"
        )
        .replacing(
            "<definitions ", with: "<definitions xmlns:p=\"http://www.w3.org/ns/ws-policy\" xmlns:sp=\"\(Self.sp)\" "
        )
        .replacing("type=\"w:P\">", with: "type=\"w:P\">\(port)")
        .replacing(
            "<operation name=\"ask\"><soap:", with: "<operation name=\"ask\">\(operation)<soap:"
        )
        .replacing("http://localhost/", with: "https://localhost/")
    }

    private static let transport = """
        <p:Policy><sp:TransportBinding><p:Policy><sp:TransportToken><p:Policy><sp:HttpsToken><p:Policy>
        <sp:RequireClientCertificate/></p:Policy></sp:HttpsToken></p:Policy></sp:TransportToken><sp:IncludeTimestamp/>
        </p:Policy></sp:TransportBinding></p:Policy>
        """
    private static let token = """
        <p:Policy><sp:SignedSupportingTokens><p:Policy><sp:UsernameToken><p:Policy><sp:HashPassword/></p:Policy></sp:UsernameToken>
        </p:Policy></sp:SignedSupportingTokens></p:Policy>
        """

    @Test func portsListTheirRequirements() throws {
        let result = try generateDemo(wsdl(Self.transport + Self.token))
        #expect(result.diagnostics.isEmpty, "\(result.diagnostics)")
        let text = result.text
        #expect(text.contains("requires: [.tls, .clientCertificate, .timestamp, .usernameToken(.digest)]"))
        #expect(text.components(separatedBy: "requires:").count == 2)
    }

    @Test func portsListTheTokenThatTheyDemand() throws {
        let token = """
            <p:Policy><sp:EndorsingSupportingTokens><p:Policy><sp:IssuedToken><sp:Issuer>
            <a:Address xmlns:a="http://www.w3.org/2005/08/addressing">https://sts.example/"</a:Address></sp:Issuer>
            <sp:RequestSecurityTokenTemplate xmlns:t="http://schemas.xmlsoap.org/ws/2005/02/trust"><t:TokenType>urn:t</t:TokenType>
            <t:KeyType>urn:x/PublicKey</t:KeyType><t:Claims><c:ClaimType xmlns:c="urn:c" Uri="urn:one"/>
            <c:ClaimType xmlns:c="urn:c" Uri="urn:two" Optional="true"/></t:Claims>
            </sp:RequestSecurityTokenTemplate></sp:IssuedToken></p:Policy></sp:EndorsingSupportingTokens></p:Policy>
            """
        let text = try generateDemo(wsdl(Self.transport + token)).text
        let expected =
            #".issuedToken(.init(issuer:"https://sts.example/\"",type:.init(rawValue:"urn:t"),keyType:.publicKey,claims:[.init("urn:one"),.init("urn:two",isOptional:true)],version:.v2005))"#
        #expect(text.replacing(/\s+/, with: "").contains(expected))
    }

    @Test func operationsListRequirementsOfTheirOwn() throws {
        let text = try generateDemo(wsdl("", Self.transport + Self.token)).text
        #expect(text.contains("requires: [.tls, .clientCertificate, .timestamp, .usernameToken(.digest)]"))
        #expect(text.components(separatedBy: "requires:").count == 2)
    }

    @Test func optionalAssertionsBecomeAccepted() throws {
        let text = try generateDemo(
            wsdl(Self.token.replacing("<sp:UsernameToken>", with: "<sp:UsernameToken p:Optional=\"1\">"))
        ).text
        #expect(text.contains("accepts: [.usernameToken(.digest)]") && !text.contains("requires:"))
    }

    /// What an operation needs at one port only would be wrong at the other.
    @Test func operationsDemandWhatAllPortsDemand() throws {
        let address =
            "<port name=\"Plain\" binding=\"w:Plain\"><soap:address location=\"http://localhost/\"/></port></service>"
        for (second, requires) in [("", ""), (Self.token, "requires: [.tls, .usernameToken(.digest)]")] {
            let one = wsdl("", Self.token)
            let start = try #require(one.range(of: "<binding ")), end = try #require(one.range(of: "</binding>"))
            let other = one[start.lowerBound..<end.upperBound].replacing(
                /<binding name="[^"]*"/, with: "<binding name=\"Plain\""
            )
            .replacing(Self.token, with: second)
            let two = one.replacing("</binding>", with: "</binding>\(other)").replacing("</service>", with: address)
            let text = try generateDemo(two).text
            #expect(text.contains("name: \"Plain\""))
            #expect(requires.isEmpty ? !text.contains("requires:") : text.contains(requires))
            // What is not the same everywhere stands with the port.
            #expect(text.contains("operations: [") == requires.isEmpty)
        }
    }

    @Test func withoutPoliciesThereAreNoRequirements() throws {
        #expect(try !generateDemo(wsdl("")).text.contains("requires"))
    }

    private static let binding = """
        <p:Policy><sp:AsymmetricBinding><p:Policy><sp:InitiatorToken><p:Policy><sp:X509Token sp:IncludeToken="\(sp)/IncludeToken/Never">
        <p:Policy><sp:RequireThumbprintReference/></p:Policy></sp:X509Token></p:Policy></sp:InitiatorToken>
        <sp:AlgorithmSuite><p:Policy><sp:Basic256Sha256/></p:Policy></sp:AlgorithmSuite><sp:IncludeTimestamp/></p:Policy>
        </sp:AsymmetricBinding><sp:SignedParts><sp:Body/><sp:Header Namespace="urn:a"/><sp:Header Name="To" Namespace="urn:\u{22}b"/>
        </sp:SignedParts></p:Policy>
        """

    @Test func bindingsOfMessagesAreListed() throws {
        let result = try generateDemo(wsdl(Self.binding.replacing("urn:\u{22}b", with: "urn:&quot;b")))
        #expect(result.diagnostics.isEmpty, "\(result.diagnostics)")
        let parts = ".body, .timestamp, .headerBlocks(.init(\"urn:a\")), .headerBlock(.init(\"urn:\\\"b\", \"To\"))"
        let text = result.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let wanted = """
            requires: [ .timestamp, .asymmetricBinding( .init( .basic256Sha256, client: .thumbprint, request: .init( signed: [\(parts)]),
            """
        #expect(text.filter { $0 != " " && $0 != "\n" }.contains(wanted.filter { $0 != " " && $0 != "\n" }), "\(text)")
    }

    @Test func unsupportedPolicyAssertionsAreWarnings() throws {
        let result = try generateDemo(wsdl("<p:Policy><sp:AsymmetricBinding/></p:Policy>"))
        #expect(!result.hasErrors)
        #expect(result.warnings.contains { $0.message.contains("AsymmetricBinding") && $0.location.line > 0 })
    }
}
