import Foundation
import Testing

@testable import SignetWSDL

/// WS-SecurityPolicy 1.3 §7.4: messages signed and encrypted with certificates.
@Suite struct AsymmetricPolicyTests {
    private static let sp11 = "http://schemas.xmlsoap.org/ws/2005/07/securitypolicy"
    private static let sp12 = "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702"
    private static let body = "<sp:SignedParts><sp:Body/></sp:SignedParts>"

    /// A port with policies at its binding, and of the operation `Do` at the operation and its messages.
    private func definitions(
        _ port: String, operation: String = "", input: String = "", output: String = "", sp: String = sp12
    ) throws -> WSDLDefinitions {
        func policy(_ content: String) -> String { content.isEmpty ? "" : "<wsp:Policy>\(content)</wsp:Policy>" }
        let text = wsdl(
            """
            <portType name="T"><operation name="Do"/><operation name="Else"/></portType>
            <binding name="B" type="w:T">\(policy(port))
              <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
              <operation name="Do">\(policy(operation))<input>\(policy(input))<soap:body/></input>
                <output>\(policy(output))<soap:body/></output></operation>
              <operation name="Else"><input><soap:body/></input></operation>
            </binding>
            <service name="S"><port name="A" binding="w:B"><soap:address location="https://h/"/></port></service>
            """)
        return try load(
            text.replacing(
                "<definitions ",
                with: "<definitions xmlns:wsp=\"http://www.w3.org/ns/ws-policy\" xmlns:sp=\"\(sp)\" "))
    }

    private func of(_ definitions: WSDLDefinitions) throws -> AsymmetricPolicy? {
        definitions.requirements(of: try #require(definitions.services.first?.ports.first)).asymmetric
    }

    private func ofDo(_ definitions: WSDLDefinitions) throws -> AsymmetricPolicy? {
        let port = try #require(definitions.services.first?.ports.first)
        let operation = try #require(definitions.bindings.values.first?.operations.first { $0.name == "Do" })
        let found = definitions.requirements(of: operation, beyond: port)
        #expect(found.count <= 1)
        guard case .asymmetricBinding(let policy)? = found.first else { return nil }
        return policy
    }

    private func binding(
        _ details: String = "<sp:IncludeTimestamp/>", suite: String = "<sp:Basic256Sha256/>", tokens: String = ""
    ) -> String {
        """
        <sp:AsymmetricBinding><wsp:Policy>\(tokens)
        <sp:AlgorithmSuite><wsp:Policy>\(suite)</wsp:Policy></sp:AlgorithmSuite>
        <sp:Layout><wsp:Policy><sp:Strict/></wsp:Policy></sp:Layout>\(details)</wsp:Policy></sp:AsymmetricBinding>
        """
    }

    private func token(_ owner: String, _ inclusion: String, _ details: String = "", sp: String = sp12) -> String {
        """
        <sp:\(owner)><wsp:Policy><sp:X509Token sp:IncludeToken="\(sp)/IncludeToken/\(inclusion)"><wsp:Policy>
        <sp:WssX509V3Token10/>\(details)</wsp:Policy></sp:X509Token></wsp:Policy></sp:\(owner)>
        """
    }

    @Test(arguments: [sp11, sp12])
    func aBindingIsRead(sp: String) throws {
        let tokens =
            token("InitiatorToken", "AlwaysToRecipient", sp: sp)
            + token("RecipientToken", "Never", "<sp:RequireThumbprintReference/>", sp: sp)
        let definitions = try definitions(
            binding(tokens: tokens) + Self.body
                + "<sp:EncryptedParts><sp:Body/></sp:EncryptedParts><sp:Wss11><wsp:Policy><sp:RequireSignatureConfirmation/></wsp:Policy></sp:Wss11>",
            sp: sp)
        let parts = AsymmetricPolicy.Protection(signed: [.body, .timestamp], encrypted: [.body])
        #expect(
            try of(definitions)
                == AsymmetricPolicy(
                    suite: .basic256Sha256, client: .certificate, service: .thumbprint, confirmsSignature: true,
                    request: parts, answer: parts))
        // CBC is named at load.
        #expect(definitions.diagnostics.map(\.message).filter { $0.contains("acceptsCBC") }.count == 1)
        #expect(definitions.diagnostics.count == 1)
        let port = try #require(definitions.services.first?.ports.first)
        #expect(definitions.requirements(of: port).list.first == .timestamp)
    }

    @Test(arguments: [
        ("Basic256Sha256", AsymmetricPolicy.Suite.basic256Sha256), ("Basic192Sha256", .basic192Sha256),
        ("Basic128Sha256", .basic128Sha256), ("Basic256", .basic256), ("Basic192", .basic192), ("Basic128", .basic128),
    ]) func suitesAreRead(name: String, suite: AsymmetricPolicy.Suite) throws {
        let definitions = try definitions(binding(suite: "<sp:\(name)/>") + Self.body)
        #expect(try of(definitions)?.suite == suite)
        // What needs a permission is named at load.
        let warnings = definitions.diagnostics.map(\.message)
        #expect(warnings.count == (name.hasSuffix("Sha256") ? 0 : 1))
        #expect(warnings.allSatisfy { $0.contains("allowsSHA1") && $0.contains(name) })
    }

    @Test func theBestOfSeveralSuitesIsTaken() throws {
        let suites = "<wsp:ExactlyOne><sp:Basic256/><sp:Basic128Sha256/><sp:TripleDesRsa15/></wsp:ExactlyOne>"
        #expect(try of(definitions(binding(suite: suites) + Self.body))?.suite == .basic128Sha256)
        let bindings =
            "<wsp:ExactlyOne>\(binding(suite: "<sp:Basic256/>"))\(binding(suite: "<sp:Basic256Sha256/>"))</wsp:ExactlyOne>"
        let definitions = try definitions(bindings + Self.body)
        #expect(try of(definitions)?.suite == .basic256Sha256)
        #expect(definitions.diagnostics.isEmpty, "\(definitions.diagnostics)")
    }

    @Test(arguments: [
        ("<sp:Basic256Rsa15/>", "", "Basic256Rsa15"), ("<sp:TripleDes/>", "", "TripleDes"),
        ("<sp:TripleDesSha256Rsa15/>", "", "TripleDesSha256Rsa15"), ("<sp:Basic512/>", "", "Basic512"),
        ("", "", "AlgorithmSuite"),
        ("<sp:Basic256/><sp:InclusiveC14N/>", "", "InclusiveC14N"),
        ("<sp:Basic256/>", "<sp:EncryptSignature/>", "EncryptSignature"),
        ("<sp:Basic256/>", "<sp:EncryptBeforeSigning/>", "EncryptBeforeSigning"),
        ("<sp:Basic256/>", "<sp:Layout><wsp:Policy><sp:LaxTsLast/></wsp:Policy></sp:Layout>", "LaxTsLast"),
        ("<sp:Basic256/>", "<sp:Unheard/>", "Unheard"),
        (
            "<sp:Basic256/>", "<sp:InitiatorToken><wsp:Policy><sp:SamlToken/></wsp:Policy></sp:InitiatorToken>",
            "SamlToken"
        ),
        (
            "<sp:Basic256/>",
            "<sp:InitiatorToken><wsp:Policy><sp:X509Token><wsp:Policy><sp:RequireDerivedKeys/></wsp:Policy></sp:X509Token></wsp:Policy></sp:InitiatorToken>",
            "RequireDerivedKeys"
        ),
        (
            "<sp:Basic256/>",
            "<sp:InitiatorToken><wsp:Policy><wsp:PolicyReference URI=\"#other\"/></wsp:Policy></sp:InitiatorToken>",
            "InitiatorToken"
        ),
        (
            "<sp:Basic256/>",
            "<sp:RecipientToken><wsp:Policy><sp:X509Token><wsp:Policy><sp:RequireEmbeddedTokenReference/></wsp:Policy></sp:X509Token></wsp:Policy></sp:RecipientToken>",
            "RequireEmbeddedTokenReference"
        ),
    ]) func whatIsNotDoneIsSaidAtLoad(suite: String, details: String, name: String) throws {
        let definitions = try definitions(binding(details, suite: suite) + Self.body)
        #expect(try of(definitions) == nil)
        let warnings = definitions.diagnostics.map(\.message)
        #expect(warnings.count == 1)
        #expect(warnings.allSatisfy { $0.contains("AsymmetricBinding") && $0.contains(name) }, "\(warnings)")
    }

    @Test(arguments: [
        ("<sp:SignedParts><sp:Attachments/></sp:SignedParts>", "Attachments"),
        (
            "<sp:SignedParts><sp:Attachments><sp:AttachmentCompleteSignatureTransform/></sp:Attachments></sp:SignedParts>",
            "Attachments"
        ),
        (
            "<sp:EncryptedParts><sp:Attachments><sp:ContentSignatureTransform/></sp:Attachments></sp:EncryptedParts>",
            "Attachments"
        ),
        ("<sp:EncryptedParts><sp:Header Name=\"To\" Namespace=\"urn:x\"/></sp:EncryptedParts>", "Header To"),
        ("<sp:SignedElements><sp:XPath>//x</sp:XPath></sp:SignedElements>", "SignedElements"),
        ("<sp:ContentEncryptedElements><sp:XPath>//x</sp:XPath></sp:ContentEncryptedElements>", "XPath"),
        (
            "<sp:SignedEncryptedSupportingTokens><wsp:Policy><sp:UsernameToken/></wsp:Policy></sp:SignedEncryptedSupportingTokens>",
            "UsernameToken encrypted with CBC"
        ),
    ]) func partsThatAreNotProtectedAreSaidAtLoad(part: String, name: String) throws {
        let definitions = try definitions(binding() + Self.body + part)
        #expect(try of(definitions) == nil)
        #expect(definitions.diagnostics.map(\.message).contains { $0.contains(name) }, "\(definitions.diagnostics)")
    }

    @Test func allKindsOfPartsAreRead() throws {
        let parts = """
            <sp:SignedParts><sp:Body/><sp:Header Name="To" Namespace="urn:a"/><sp:Header Namespace="urn:b"/></sp:SignedParts>
            <sp:SignedSupportingTokens><wsp:Policy><sp:UsernameToken/></wsp:Policy></sp:SignedSupportingTokens>
            """
        let found = try of(definitions(binding("<sp:ProtectTokens/>") + parts))
        #expect(
            found?.request.signed == [
                .body, .usernameToken, .signingToken, .headerBlocks(namespace: "urn:b"),
                .headerBlock(QName("urn:a", "To")),
            ])
        let all = try of(definitions(binding("") + "<sp:SignedParts/>"))
        #expect(all?.request.signed == [.body, .allHeaderBlocks])
        let attached = """
            <sp:SignedParts><sp:Body/><sp:Attachments><p:ContentSignatureTransform \
            xmlns:p="http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200802"/></sp:Attachments></sp:SignedParts>
            """
        #expect(try of(definitions(binding("") + attached))?.request.signed == [.body, .attachments])
    }

    @Test(arguments: [
        ("Never", "<sp:RequireKeyIdentifierReference/>", AsymmetricPolicy.Reference.subjectKeyIdentifier),
        ("Never", "<sp:RequireIssuerSerialReference/>", .issuerSerial), ("Never", "", .issuerSerial),
        ("AlwaysToInitiator", "<sp:RequireThumbprintReference/>", .thumbprint), ("Always", "", .certificate),
        ("Once", "", .certificate),
    ]) func theReferenceToTheSignerIsRead(
        inclusion: String, details: String, reference: AsymmetricPolicy.Reference
    ) throws {
        let tokens = token("InitiatorToken", inclusion, details)
        #expect(try of(definitions(binding(tokens: tokens) + Self.body))?.client == reference)
    }

    @Test func tokensAreSignedByTransform() throws {
        let suite = "<sp:Basic256Sha256/><sp:STRTransform10/>"
        #expect(
            try of(definitions(binding("<sp:ProtectTokens/>", suite: suite) + Self.body))?.usesTokenTransform == true)
        #expect(try of(definitions(binding("", suite: suite) + Self.body))?.usesTokenTransform == false)
    }

    @Test func receiversSayHowTheyFindCertificates() throws {
        let tokens = token("InitiatorToken", "Never") + token("RecipientToken", "Never")
        let wss = "<sp:Wss11><wsp:Policy><sp:MustSupportRefThumbprint/></wsp:Policy></sp:Wss11>"
        let found = try of(definitions(binding(tokens: tokens) + Self.body + wss))
        #expect(found?.client == .thumbprint && found?.service == .thumbprint)
    }

    @Test func requestsAndAnswersHaveTheirOwnParts() throws {
        let request = try definitions(binding(), input: Self.body)
        #expect(try of(request)?.request.signed == [.timestamp])
        let found = try ofDo(request)
        #expect(found?.request.signed == [.body, .timestamp] && found?.answer.signed == [.timestamp])
        let answer = try ofDo(definitions(binding(), output: Self.body))
        #expect(answer?.request.signed == [.timestamp] && answer?.answer.signed == [.body, .timestamp])
        let both = try ofDo(definitions(binding(), operation: Self.body))
        #expect(both?.request == both?.answer && both?.request.signed == [.body, .timestamp])
        // The same as the port demands is not repeated.
        #expect(try ofDo(definitions(binding() + Self.body, input: Self.body, output: Self.body)) == nil)
    }

    private func refusals(_ definitions: WSDLDefinitions) throws -> (port: String?, operation: String?) {
        let port = try #require(definitions.services.first?.ports.first)
        let operation = try #require(definitions.bindings.values.first?.operations.first { $0.name == "Do" })
        return (
            definitions.requirements(of: port).refusal, definitions.requirements(of: operation, at: port)?.refusal
        )
    }

    /// A client must not send with what the port alone demands.
    @Test(arguments: [
        "<sp:SignedElements><sp:XPath>//x</sp:XPath></sp:SignedElements>",
        "<wsp:PolicyReference URI=\"http://elsewhere/policy\"/>",
        "<sp:EndorsingSupportingTokens><wsp:Policy><sp:X509Token/></wsp:Policy></sp:EndorsingSupportingTokens>",
    ]) func anOperationThatIsNotDoneIsRefused(demand: String) throws {
        for definitions in [
            try definitions(binding(), input: Self.body, output: demand), try definitions(binding(), input: demand),
            try definitions(binding(), operation: demand),
        ] {
            let found = try refusals(definitions)
            #expect(found.port == nil && found.operation != nil)
            #expect(!definitions.diagnostics.isEmpty)
        }
        // What is not known and has nothing to do with a message is a warning.
        let unknown = try definitions(binding(), input: "<m:KeyStore xmlns:m=\"urn:m\"/>")
        #expect(try refusals(unknown).operation == nil && unknown.diagnostics.count == 1)
    }

    /// Policies that were not judged could demand anything, and so could those that are too many.
    @Test func whatIsNotJudgedIsRefused() throws {
        let choices = (0..<8).map {
            "<wsp:ExactlyOne><sp:SignedParts><sp:Header Namespace=\"urn:a\($0)\"/></sp:SignedParts><sp:SignedParts><sp:Header Namespace=\"urn:b\($0)\"/></sp:SignedParts></wsp:ExactlyOne>"
        }
        let operation = try definitions(binding(), operation: choices.joined() + Self.body)
        #expect(try refusals(operation).operation != nil)
        let vendor = (0..<40).map { "<m:V\($0) xmlns:m=\"urn:m\"/>" }.joined()
        #expect(try refusals(definitions(vendor + "<sp:SymmetricBinding/>")).port?.contains("SymmetricBinding") == true)
        #expect(try refusals(definitions(vendor + binding(suite: "<sp:TripleDes/>"))).port != nil)
    }

    private static let tls = """
        <sp:TransportBinding><wsp:Policy><sp:TransportToken><wsp:Policy><sp:HttpsToken/></wsp:Policy></sp:TransportToken>
        </wsp:Policy></sp:TransportBinding>
        """

    /// What a program of another maker adds to a policy says nothing about messages.
    @Test func assertionsOfVendorsChangeNoChoice() throws {
        let vendor = "<m:Config xmlns:m=\"urn:m\"/>"
        for (content, list) in [
            (vendor + "<wsp:ExactlyOne>\(Self.tls)\(binding())</wsp:ExactlyOne>" + Self.body, [PolicyRequirement.tls]),
            (
                "<wsp:ExactlyOne><wsp:All>\(Self.tls)\(vendor)</wsp:All><wsp:All>\(binding())\(Self.body)</wsp:All></wsp:ExactlyOne>",
                [.tls]
            ), (vendor + "<wsp:ExactlyOne>\(Self.tls)<sp:SymmetricBinding/></wsp:ExactlyOne>", [.tls]),
        ] {
            let definitions = try definitions(content)
            let port = try #require(definitions.services.first?.ports.first)
            #expect(definitions.requirements(of: port).list == list, "\(content)")
        }
        let bindings = "<wsp:ExactlyOne>\(binding())\(binding(suite: "<sp:TripleDes/>"))</wsp:ExactlyOne>"
        #expect(try of(definitions(vendor + bindings + Self.body))?.request.signed == [.body, .timestamp])
    }

    @Test func aBindingThatIsNotDoneIsRefused() throws {
        for (content, name) in [
            (binding(suite: "<sp:Basic128Rsa15/>"), "Basic128Rsa15"),
            (binding("<sp:EncryptSignature/>"), "EncryptSignature"),
            ("<sp:SymmetricBinding/>", "SymmetricBinding"),
        ] {
            let definitions = try definitions(content + Self.body)
            #expect(try refusals(definitions).port?.contains(name) == true)
            let port = try #require(definitions.services.first?.ports.first)
            let list = definitions.requirements(of: port).list
            #expect(list.contains { if case .unsupported(let text) = $0 { text.contains(name) } else { false } })
            let operation = try self.definitions("", operation: content + Self.body)
            #expect(try refusals(operation).operation?.contains(name) == true)
        }
    }

    @Test func twoBindingsMustAgree() throws {
        let same = try definitions(binding() + Self.body, operation: binding())
        #expect(try of(same) != nil && ofDo(same) == nil && same.diagnostics.isEmpty)
        for other in [binding("<sp:IncludeTimestamp/><sp:ProtectTokens/>"), binding(suite: "<sp:Basic128Sha256/>")] {
            let definitions = try definitions(binding() + Self.body, operation: other)
            #expect(try refusals(definitions).operation?.contains("a second AsymmetricBinding") == true)
            #expect(definitions.diagnostics.map(\.message).contains { $0.contains("a second AsymmetricBinding") })
        }
    }

    @Test func confirmationsAreReadHoweverTheyAreWritten() throws {
        let confirmation = "<sp:RequireSignatureConfirmation/>"
        for (wss, isDemanded) in [
            ("<sp:Wss11>\(confirmation)</sp:Wss11>", true),
            ("<sp:Wss11><wsp:Policy>\(confirmation)</wsp:Policy></sp:Wss11>", true),
            (
                "<sp:Wss11><wsp:Policy><sp:RequireSignatureConfirmation wsp:Optional=\"true\"/></wsp:Policy></sp:Wss11>",
                false
            ),
        ] {
            #expect(try of(definitions(binding() + Self.body + wss))?.confirmsSignature == isDemanded, "\(wss)")
        }
        let elsewhere = "<sp:Wss11><wsp:Policy><wsp:PolicyReference URI=\"#w\"/></wsp:Policy></sp:Wss11>"
        let definitions = try definitions(binding() + Self.body + elsewhere)
        #expect(try of(definitions) == nil)
        #expect(definitions.diagnostics.map(\.message).contains { $0.contains("inside Wss11") })
    }

    @Test(arguments: [
        ("<wsp:ExactlyOne><sp:IncludeTimestamp/><sp:ProtectTokens/></wsp:ExactlyOne>", "alternatives"),
        (
            "<sp:InitiatorToken><wsp:Policy><sp:X509Token><wsp:Policy><sp:RequireImpliedDerivedKeys/></wsp:Policy></sp:X509Token></wsp:Policy></sp:InitiatorToken>",
            "RequireImpliedDerivedKeys"
        ),
        (
            "<sp:InitiatorToken><wsp:Policy><sp:X509Token sp:IncludeToken=\"Sometimes\"/></wsp:Policy></sp:InitiatorToken>",
            "IncludeToken"
        ),
        (
            "<sp:ProtectTokens/><sp:InitiatorToken><wsp:Policy><sp:X509Token sp:IncludeToken=\"\(sp12)/IncludeToken/Never\"/></wsp:Policy></sp:InitiatorToken>",
            "ProtectTokens"
        ),
    ]) func nothingInsideIsLost(details: String, name: String) throws {
        let definitions = try definitions(binding(details) + Self.body)
        #expect(try of(definitions) == nil)
        #expect(definitions.diagnostics.map(\.message).contains { $0.contains(name) }, "\(definitions.diagnostics)")
    }

    /// The client takes the best alternative with all that belongs to it.
    @Test func alternativesAreNotMixed() throws {
        let choice = "<wsp:ExactlyOne>\(binding())\(binding("", suite: "<sp:Basic256/>"))</wsp:ExactlyOne>"
        let definitions = try definitions(choice + Self.body)
        let port = try #require(definitions.services.first?.ports.first)
        #expect(definitions.requirements(of: port).timestamp && definitions.requirements(of: port).choices.isEmpty)
        #expect(try of(definitions)?.request.signed == [.body, .timestamp])
    }

    /// Where TLS will do, the client takes TLS; it does not leave out both.
    @Test func TLSIsTakenInPlaceOfABinding() throws {
        let definitions = try definitions(
            "<wsp:ExactlyOne><wsp:All>\(Self.tls)</wsp:All><wsp:All>\(binding())\(Self.body)</wsp:All></wsp:ExactlyOne>"
        )
        let port = try #require(definitions.services.first?.ports.first)
        #expect(definitions.requirements(of: port).list == [.tls])
        #expect(definitions.requirements(of: port).choices.isEmpty)
    }

    @Test(.timeLimit(.minutes(10))) func manyPartsEnd() throws {
        let headers = (0..<64).map { "<sp:Header Namespace=\"urn:\($0)\"/>" }.joined()
        let many = String(repeating: "<sp:SignedParts>\(headers)</sp:SignedParts>", count: 150)
        let elements = (0..<1000).map { "<sp:Unheard Name=\"\($0)\"/>" }.joined()
        let definitions = try definitions(
            binding() + many + String(repeating: "<sp:EncryptedParts>\(elements)</sp:EncryptedParts>", count: 50))
        #expect(try of(definitions) == nil)
        #expect(
            definitions.diagnostics.map(\.message).contains {
                $0.contains("more than 32 parts") || $0.contains("Unheard")
            })
    }
}
