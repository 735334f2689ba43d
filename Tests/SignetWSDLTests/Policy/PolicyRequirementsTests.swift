import CorpusFiles
import Foundation
import Testing

@testable import SignetWSDL

@Suite struct PolicyRequirementsTests {
    private static let utility = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"
    private static let sp11 = "http://schemas.xmlsoap.org/ws/2005/07/securitypolicy"
    private static let sp12 = "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702"
    private static let sp13 = "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200802"

    private func definitions(
        _ policies: String, binding: String = "<wsp:PolicyReference URI=\"#P\"/>", input: String = "",
        operation: String = "", output: String = "", port: String = "", portAttributes: String = "",
        address: String = "https://h/", policy: String = "http://www.w3.org/ns/ws-policy", sp: String = sp12
    ) throws -> WSDLDefinitions {
        let text = wsdl(
            """
            \(policies)
            <portType name="T"><operation name="Do"/><operation name="Else"/></portType>
            <binding name="B" type="w:T">\(binding)
              <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
              <operation name="Do">\(operation)<input>\(input)<soap:body/></input><output>\(output)<soap:body/></output></operation>
              <operation name="Else"><input><soap:body/></input></operation>
            </binding>
            <service name="S"><port name="A" binding="w:B" \(portAttributes)>\(port)<soap:address location="\(address)"/></port></service>
            """)
        return try load(
            text.replacing(
                "<definitions ",
                with:
                    "<definitions xmlns:wsp=\"\(policy)\" xmlns:sp=\"\(sp)\" xmlns:sp13=\"\(Self.sp13)\" xmlns:wsu=\"\(Self.utility)\" "
            ))
    }

    private func policy(_ content: String, _ id: String = "P") -> String {
        "<wsp:Policy wsu:Id=\"\(id)\">\(content)</wsp:Policy>"
    }

    private func requirements(_ definitions: WSDLDefinitions) throws -> PolicyRequirements {
        definitions.requirements(of: try #require(definitions.services.first?.ports.first))
    }

    private func list(_ content: String, sp: String = sp12) throws -> [PolicyRequirement] {
        let definitions = try definitions(policy(content), sp: sp)
        #expect(definitions.diagnostics.isEmpty, "\(definitions.diagnostics)")
        return try requirements(definitions).list
    }

    private func transport(_ token: String, _ more: String = "") -> String {
        """
        <sp:TransportBinding><wsp:Policy><sp:TransportToken><wsp:Policy>\(token)</wsp:Policy></sp:TransportToken>
        <sp:AlgorithmSuite><wsp:Policy><sp:Basic256/></wsp:Policy></sp:AlgorithmSuite>
        <sp:Layout><wsp:Policy><sp:Strict/></wsp:Policy></sp:Layout>\(more)</wsp:Policy></sp:TransportBinding>
        """
    }

    @Test(
        arguments: ["http://www.w3.org/ns/ws-policy", "http://schemas.xmlsoap.org/ws/2004/09/policy"],
        [sp11, sp12, sp13])
    func severalAssertionsOfOnePolicyAreRequired(namespace: String, sp: String) throws {
        let content = """
            <wsp:ExactlyOne><wsp:All>
            \(transport("<sp:HttpsToken><wsp:Policy><sp:RequireClientCertificate/></wsp:Policy></sp:HttpsToken>", "<sp:IncludeTimestamp/>"))
            <sp:SignedSupportingTokens><wsp:Policy><sp:UsernameToken sp:IncludeToken="\(sp)/IncludeToken/AlwaysToRecipient">
              <wsp:Policy><sp:WssUsernameToken10/><sp:HashPassword/></wsp:Policy></sp:UsernameToken></wsp:Policy></sp:SignedSupportingTokens>
            <sp:Wss11><wsp:Policy><sp:MustSupportRefThumbprint/></wsp:Policy></sp:Wss11>
            <sp:Trust13><wsp:Policy><sp:RequireClientEntropy/></wsp:Policy></sp:Trust13>
            </wsp:All></wsp:ExactlyOne>
            """
        let definitions = try definitions(policy(content), policy: namespace, sp: sp)
        #expect(definitions.diagnostics.isEmpty, "\(definitions.diagnostics)")
        #expect(try requirements(definitions).list == [.tls, .clientCertificate, .timestamp, .usernameToken(.digest)])
    }

    @Test func attributesOfTheOlderFormAreRead() throws {
        #expect(
            try list(transport("<sp:HttpsToken RequireClientCertificate=\"true\"/>"), sp: Self.sp11)
                == [.tls, .clientCertificate])
        #expect(try list(transport("<sp:HttpsToken RequireClientCertificate=\"false\"/>"), sp: Self.sp11) == [.tls])
    }

    @Test(arguments: [
        ("<sp:HttpsToken><wsp:Policy><sp:HttpBasicAuthentication/></wsp:Policy></sp:HttpsToken>", "Basic"),
        ("<sp:HttpsToken><wsp:Policy><sp:HttpDigestAuthentication/></wsp:Policy></sp:HttpsToken>", "Digest"),
    ]) func authenticationOverHTTPIsAskedFor(token: String, scheme: String) throws {
        #expect(try list(transport(token)) == [.tls, .httpAuthentication(scheme)])
    }

    @Test func assertionsOfMicrosoftAreRead() throws {
        let own = "<m:NegotiateAuthentication xmlns:m=\"http://schemas.microsoft.com/ws/06/2004/policy/http\"/>"
        #expect(try list(own) == [.httpAuthentication("Negotiate")])
    }

    @Test(arguments: [
        ("", PolicyRequirements.UsernameTokenForm.text), ("<sp:HashPassword/>", .digest),
        ("<sp:NoPassword/>", .noPassword),
        ("<sp:WssUsernameToken11/><sp13:Nonce/><sp13:Created/>", .textWithNonce),
    ]) func theFormOfAUsernameTokenIsRead(content: String, form: PolicyRequirements.UsernameTokenForm) throws {
        let token = "<sp:UsernameToken><wsp:Policy>\(content)</wsp:Policy></sp:UsernameToken>"
        #expect(
            try list("<sp:SupportingTokens><wsp:Policy>\(token)</wsp:Policy></sp:SupportingTokens>")
                == [.usernameToken(form)])
        for kind in ["Signed", "SignedEncrypted", "Encrypted"] {
            #expect(
                try list("<sp:\(kind)SupportingTokens><wsp:Policy>\(token)</wsp:Policy></sp:\(kind)SupportingTokens>")
                    == [.tls, .usernameToken(form)])
        }
    }

    private func issued(_ template: String, issuer: String = "", more: String = "") -> String {
        """
        <sp:IssuedToken sp:IncludeToken="\(Self.sp12)/IncludeToken/AlwaysToRecipient">
        <sp:Issuer><a:Address xmlns:a="http://www.w3.org/2005/08/addressing"> https://sts.example/ </a:Address></sp:Issuer>
        <sp:RequestSecurityTokenTemplate xmlns:t="http://docs.oasis-open.org/ws-sx/ws-trust/200512"
          xmlns:o="http://schemas.xmlsoap.org/ws/2005/02/trust">\(template)</sp:RequestSecurityTokenTemplate>
        \(more)<wsp:Policy><sp:RequireInternalReference/></wsp:Policy></sp:IssuedToken>
        """
    }

    @Test func tokensOfTokenServicesAreRead() throws {
        let https = transport("<sp:HttpsToken/>")
        func supporting(_ token: String, _ kind: String = "") -> String {
            "\(https)<sp:\(kind)SupportingTokens><wsp:Policy>\(token)</wsp:Policy></sp:\(kind)SupportingTokens>"
        }
        let claims = """
            <t:Claims><i:ClaimType xmlns:i="urn:i" Uri="urn:one"/><i:ClaimType xmlns:i="urn:i" Uri="urn:two" Optional="true"/>
            <i:ClaimType xmlns:i="urn:i" Uri="urn:one" Optional="1"/></t:Claims>
            """
        let template = "<t:TokenType>urn:type</t:TokenType><t:KeyType>urn:x/Bearer</t:KeyType>\(claims)"
        var expected = IssuedTokenPolicy(issuer: "https://sts.example/", type: "urn:type")
        expected.claims = [.init(uri: "urn:one", isOptional: false), .init(uri: "urn:two", isOptional: true)]
        for kind in ["", "Signed", "SignedEncrypted"] {
            #expect(try list(supporting(issued(template), kind)) == [.tls, .issuedToken(expected)])
        }
        // The key of the holder endorses the message.
        let holder = issued("<o:KeyType>http://schemas.xmlsoap.org/ws/2005/02/trust/PublicKey</o:KeyType>")
        expected = IssuedTokenPolicy(issuer: "https://sts.example/", isForHolder: true, isOldTrust: true)
        #expect(try list(supporting(holder, "Endorsing")) == [.tls, .issuedToken(expected)])
        let never = holder.replacing("AlwaysToRecipient", with: "AlwaysToInitiator")
        #expect(try list(supporting(never)) == [.tls])
    }

    @Test(arguments: [
        ("<t:KeyType>urn:x/SymmetricKey</t:KeyType>", "", "a token with a symmetric key"),
        ("<t:RequestType>urn:x/Renew</t:RequestType>", "", "a request of the type “urn:x/Renew”"),
        ("<t:KeyType>urn:x/Bearer</t:KeyType>", "Endorsing", "a signature by a further token"),
    ]) func tokensThatAreNotSupported(template: String, kind: String, words: String) throws {
        let content =
            "\(transport("<sp:HttpsToken/>"))<sp:\(kind)SupportingTokens><wsp:Policy>\(issued(template))</wsp:Policy></sp:\(kind)SupportingTokens>"
        let definitions = try definitions(policy(content))
        #expect(definitions.diagnostics.contains { $0.message.contains(words) }, "\(definitions.diagnostics)")
        #expect(try requirements(definitions).issuedToken == nil)
    }

    @Test func tokensThatTheClientNeverSendsAreNotRequired() throws {
        for inclusion in ["Never", "AlwaysToInitiator"] {
            let token = "<sp:UsernameToken sp:IncludeToken=\"\(Self.sp12)/IncludeToken/\(inclusion)\"/>"
            #expect(try list("<sp:SupportingTokens><wsp:Policy>\(token)</wsp:Policy></sp:SupportingTokens>") == [])
        }
    }

    @Test func addressingAndMTOMMayBeOptional() throws {
        let content = """
            <wsam:Addressing xmlns:wsam="http://www.w3.org/2007/05/addressing/metadata"><wsp:Policy/></wsam:Addressing>
            <o:OptimizedMimeSerialization xmlns:o="http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization"/>
            """
        let demanded = try requirements(definitions(policy(content)))
        #expect(demanded.list == [.addressing, .mtom] && demanded.accepted.isEmpty)
        let optional = try requirements(
            definitions(
                policy(
                    content.replacing("/>\n", with: "/>").replacing(
                        "Serialization ", with: "Serialization wsp:Optional=\"true\" "))))
        #expect(optional.list == [.addressing] && optional.accepted == [.mtom])
    }

    @Test func theBestAlternativeIsTaken() throws {
        let user = "<sp:SupportingTokens><wsp:Policy><sp:UsernameToken/></wsp:Policy></sp:SupportingTokens>"
        let saml = "<sp:SupportingTokens><wsp:Policy><sp:SamlToken/></wsp:Policy></sp:SupportingTokens>"
        #expect(try list("<wsp:ExactlyOne>\(saml)\(user)</wsp:ExactlyOne>") == [.usernameToken(.text)])
        #expect(try list("<wsp:ExactlyOne><wsp:All>\(user)</wsp:All><wsp:All/></wsp:ExactlyOne>") == [])
        #expect(
            try list(user.replacing("<sp:SupportingTokens", with: "<sp:SupportingTokens wsp:Optional=\"true\"")) == [])
        #expect(try list("<x:Odd xmlns:x=\"urn:x\" wsp:Ignorable=\"true\"/>\(user)") == [.usernameToken(.text)])
    }

    /// A caller that satisfies one alternative satisfies the policy (WS-Policy 1.5 Framework §3.2).
    @Test func aChoiceIsNotMadeForTheCaller() throws {
        let basic = transport("<sp:HttpsToken><wsp:Policy><sp:HttpBasicAuthentication/></wsp:Policy></sp:HttpsToken>")
        let user = transport("<sp:HttpsToken/>", "<sp:IncludeTimestamp/>") + signed("<sp:UsernameToken/>")
        for ways in [[basic, user], [user, basic]] {
            let content = ways.map { "<wsp:All>\($0)</wsp:All>" }.joined()
            let definitions = try definitions(policy("<wsp:ExactlyOne>\(content)</wsp:ExactlyOne>"))
            #expect(definitions.diagnostics.count == 1)
            let text = try #require(definitions.diagnostics.first?.message)
            #expect(text.contains("the port ‘A’ leave a choice"))
            #expect(text.contains("TLS, HTTP authentication Basic") && text.contains("; or "))
            #expect(text.contains("TLS, a Timestamp, a UsernameToken with the password in text"))
            let found = try requirements(definitions)
            #expect(found.list == [.tls])
            #expect(found.accepted == [.timestamp, .usernameToken(.text)])
        }
    }

    @Test func aTokenOfOneFormOrAnotherIsDemandedInNeither() throws {
        let forms = ["", "<sp:NoPassword/>"].map {
            "<sp:SupportingTokens><wsp:Policy><sp:UsernameToken><wsp:Policy>\($0)</wsp:Policy></sp:UsernameToken></wsp:Policy></sp:SupportingTokens>"
        }
        let found = try requirements(definitions(policy("<wsp:ExactlyOne>\(forms.joined())</wsp:ExactlyOne>")))
        #expect(found.list == [] && found.accepted == [.usernameToken(.text)] && found.choices.count == 2)
    }

    /// Ports without policies of their own share what their binding says.
    @Test(.timeLimit(.minutes(10))) func manyPortsWithManyOperationsEnd() throws {
        func definitions(own: String) throws -> WSDLDefinitions {
            let operations = (0..<1500).map {
                "<operation name=\"O\($0)\"><wsp:Policy><sp:IncludeTimestamp/></wsp:Policy><input><soap:body/></input></operation>"
            }
            let ports = (0..<1500).map {
                "<port name=\"P\($0)\" binding=\"w:B\">\(own)<soap:address location=\"https://h/\"/></port>"
            }
            return try self.definitions(
                "", binding: "", operation: "</operation>\(operations.joined())<operation name=\"Z\">",
                port: "<soap:address location=\"https://h/\"/></port>\(ports.joined())<port name=\"Z\" binding=\"w:B\">"
            )
        }
        let shared = try definitions(own: "")
        let port = try #require(shared.services.first?.ports.last)
        let operation = try #require(shared.bindings.values.first?.operations.first { $0.name == "O1499" })
        #expect(shared.requirements(of: operation, beyond: port) == [.timestamp])
        #expect(shared.requirements.count < 4000)
        #expect(try definitions(own: "<wsp:Policy><sp:Layout/></wsp:Policy>").requirements.count < 30_000)
    }

    /// §4.3.2: what is optional is an alternative without it, wherever that stands.
    @Test func optionalAssertionsInNormalFormRequireNothing() throws {
        let tls = "<wsp:All>\(transport("<sp:HttpsToken/>", "<sp:IncludeTimestamp/>"))</wsp:All>"
        for content in [tls + "<wsp:All/>", "<wsp:All/>" + tls] {
            let definitions = try definitions(
                policy("<wsp:ExactlyOne>\(content)</wsp:ExactlyOne>"), address: "http://h/")
            #expect(definitions.diagnostics.isEmpty, "\(definitions.diagnostics)")
            #expect(try requirements(definitions).list == [])
        }
        let mtom =
            "<o:OptimizedMimeSerialization xmlns:o=\"http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization\"/>"
        let found = try requirements(definitions(policy("<wsp:ExactlyOne><wsp:All/>\(mtom)</wsp:ExactlyOne>")))
        #expect(found.list == [] && found.accepted == [.mtom])
    }

    @Test func aTokenThatIsOptionalKeepsItsForm() throws {
        for (token, form) in [
            ("<sp:UsernameToken wsp:Optional=\"true\"/>", PolicyRequirements.UsernameTokenForm.text),
            (
                "<sp:UsernameToken wsp:Optional=\"true\"><wsp:Policy><sp:HashPassword/></wsp:Policy></sp:UsernameToken>",
                .digest
            ),
        ] {
            let found = try requirements(definitions(policy(signed(token))))
            #expect(found.list == [])
            #expect(found.accepted == [.usernameToken(form)])
        }
    }

    /// WS-SecurityPolicy 1.3 §8: the binding protects the token, and only a TransportBinding does so by TLS.
    @Test func tokensUnderABindingOfMessagesDoNotAskForTLS() throws {
        for binding in ["SymmetricBinding", "AsymmetricBinding"] {
            let definitions = try definitions(
                policy("<sp:\(binding)/>" + signed("<sp:UsernameToken/>")), address: "http://h/")
            let list = try requirements(definitions).list
            #expect(list.first == .usernameToken(.text) && list.count == 2 && !list.contains(.tls))
            #expect(definitions.diagnostics.count == 1)
        }
        let never = "<sp:UsernameToken sp:IncludeToken=\"\(Self.sp12)/IncludeToken/Never\"/>"
        #expect(try list(signed(never)) == [])
    }

    private func signed(_ token: String) -> String {
        "<sp:SignedSupportingTokens><wsp:Policy>\(token)</wsp:Policy></sp:SignedSupportingTokens>"
    }

    @Test func aTokenMayLeaveOutThePolicyAroundItsDetails() throws {
        #expect(
            try list(signed("<sp:UsernameToken><sp:HashPassword/></sp:UsernameToken>")) == [
                .tls, .usernameToken(.digest),
            ])
        #expect(
            try list(signed("<sp:UsernameToken><sp:NoPassword/></sp:UsernameToken>")) == [
                .tls, .usernameToken(.noPassword),
            ])
    }

    /// WS-Addressing 1.0 WSDL Binding §3.1: without `wsdl:required` it is only possible.
    @Test func usingAddressingAsksForNothing() throws {
        let element = "<a:UsingAddressing xmlns:a=\"http://www.w3.org/2006/05/addressing/wsdl\"/>"
        for definitions in [
            try definitions("", binding: "", port: element), try definitions("", binding: element),
            try definitions("", binding: "", operation: element),
        ] {
            #expect(try requirements(definitions).list == [])
            let port = try #require(definitions.services.first?.ports.first)
            let operations = try #require(definitions.bindings.values.first?.operations)
            #expect(definitions.requirements(of: operations[0], beyond: port) == [])
        }
    }

    @Test func answersToAnotherAddressAreReportedAsUnsupported() throws {
        let addressing = """
            <m:Addressing xmlns:m="http://www.w3.org/2007/05/addressing/metadata"><wsp:Policy><m:NonAnonymousResponses/></wsp:Policy>
            </m:Addressing>
            """
        let definitions = try definitions(policy(addressing))
        #expect(definitions.diagnostics.count == 1)
        #expect(definitions.diagnostics.first?.message.contains("answers to another address") == true)
    }

    /// Policies of one port are nothing to another that has the same binding.
    @Test func everyPortHasItsOwnPolicies() throws {
        let tls = transport("<sp:HttpsToken><wsp:Policy><sp:RequireClientCertificate/></wsp:Policy></sp:HttpsToken>")
        let definitions = try definitions(
            policy(tls), binding: "", operation: "<wsp:Policy><sp:IncludeTimestamp/></wsp:Policy>",
            port:
                "<wsp:PolicyReference URI=\"#P\"/><soap:address location=\"https://h/\"/></port><port name=\"Z\" binding=\"w:B\">",
            address: "http://h/")
        #expect(definitions.diagnostics.isEmpty, "\(definitions.diagnostics)")
        let ports = try #require(definitions.services.first?.ports)
        let operation = try #require(definitions.bindings.values.first?.operations.first)
        #expect(ports.map(\.name) == ["A", "Z"])
        #expect(ports.map { definitions.requirements(of: $0).list } == [[.tls, .clientCertificate], []])
        #expect(ports.map { definitions.requirements(of: operation, beyond: $0) } == [[.timestamp], [.timestamp]])
    }

    @Test func unknownAssertionsAreReportedOnce() throws {
        let session = "<s:Session xmlns:s=\"urn:s\"><s:enableSession>false</s:enableSession></s:Session>"
        let operations = (0..<50).map {
            "<operation name=\"O\($0)\"><wsp:Policy>\(session)</wsp:Policy><input><soap:body/></input></operation>"
        }
        let definitions = try definitions(
            "", binding: "", operation: "</operation>\(operations.joined())<operation name=\"Z\">")
        #expect(definitions.diagnostics.count == 1)
        let text = try #require(definitions.diagnostics.first?.message)
        #expect(text.contains("it is not known what the policies of the operation ‘O0’ (and 49 more) demand"))
        #expect(text.contains("urn:s") && !text.contains("refuse"))
    }

    @Test func policiesOfUnusableBindingsAreNotReported() throws {
        let definitions = try definitions(
            policy("<m:BinaryEncoding xmlns:m=\"http://schemas.microsoft.com/ws/06/2004/mspolicy/netbinary1\"/>"),
            binding:
                "<wsp:PolicyReference URI=\"#P\"/><soap:binding transport=\"urn:tcp\"/></binding><binding name=\"C\" type=\"w:T\">"
        )
        #expect(
            !definitions.diagnostics.contains { $0.message.contains("the policies of") }, "\(definitions.diagnostics)")
    }

    @Test func textsStayShort() throws {
        let headers = (0..<30_000).map { "<sp:Header Name=\"H\($0)\"/>" }.joined()
        let found = try requirements(definitions(policy("<sp:SignedParts>\(headers)</sp:SignedParts>")))
        #expect(found.unsupported.first?.text.count ?? .max < 400)
        #expect(found.unsupported.first?.text.contains("and 29992 more") == true)
    }

    /// The alternatives of the binding are found once, not for each operation.
    @Test(.timeLimit(.minutes(10))) func policiesOfManyOperationsAreEvaluatedInTime() throws {
        let ways = (0..<100).map { "<x:A\($0) xmlns:x=\"urn:x\"/>" }.joined()
        let operations = (0..<2000).map {
            "<operation name=\"O\($0)\"><wsp:Policy><sp:IncludeTimestamp/></wsp:Policy><input><soap:body/></input></operation>"
        }
        let definitions = try definitions(
            policy("<wsp:ExactlyOne>\(ways)</wsp:ExactlyOne>"),
            operation: "</operation>\(operations.joined())<operation name=\"Z\">")
        let port = try #require(definitions.services.first?.ports.first)
        let last = try #require(definitions.bindings.values.first?.operations.first { $0.name == "O1999" })
        #expect(definitions.requirements(of: last, beyond: port) == [.timestamp])
    }

    @Test func policiesOfAllPlacesCountTogether() throws {
        let definitions = try definitions(
            policy(transport("<sp:HttpsToken/>"))
                + policy("<sp:SupportingTokens><sp:UsernameToken/></sp:SupportingTokens>", "Q")
                + "<wsp:Policy Name=\"urn:named\"><sp:SignedParts><sp:Body/></sp:SignedParts></wsp:Policy>",
            input: "<wsp:PolicyReference URI=\"#Q\"/>", output: "<wsp:PolicyReference URI=\"urn:named\"/>",
            portAttributes: "wsp:PolicyURIs=\"#P urn:named\"")
        // HTTPS signs the body.
        #expect(definitions.diagnostics.isEmpty, "\(definitions.diagnostics)")
        #expect(try requirements(definitions).list == [.tls])
        let port = try #require(definitions.services.first?.ports.first)
        let operations = try #require(definitions.bindings.values.first?.operations)
        #expect(definitions.requirements(of: operations[0], beyond: port) == [.usernameToken(.text)])
        #expect(definitions.requirements(of: operations[1], beyond: port) == [])
    }

    @Test func unsupportedAssertionsAreReportedWithTheirPlace() throws {
        let content = """
            <sp:AsymmetricBinding><wsp:Policy><sp:InitiatorToken><wsp:Policy><sp:X509Token/></wsp:Policy></sp:InitiatorToken>
            </wsp:Policy></sp:AsymmetricBinding>
            """
        let definitions = try definitions(
            "\n" + policy(content), input: "<wsp:Policy><sp:SignedParts><sp:Body/></sp:SignedParts></wsp:Policy>")
        let warnings = definitions.diagnostics.map(\.description)
        #expect(warnings.count == 1)
        let text = try #require(warnings.first)
        #expect(text.hasPrefix("main.wsdl:3:"))
        #expect(text.contains("the policies of the port ‘A’ (and 1 more) demand"))
        #expect(text.contains("(AsymmetricBinding, X509Token)"))
        #expect(try requirements(definitions).list.count == 1)
    }

    @Test(arguments: [
        "SymmetricBinding", "SamlToken", "KerberosToken", "X509Token", "SignedParts", "EncryptedParts",
        "SecureConversationToken", "RequireDerivedKeys",
    ]) func knownUnsupportedAssertionsAreReported(name: String) throws {
        let definitions = try definitions(policy("<sp:\(name)/>"))
        #expect(definitions.diagnostics.count == 1)
        #expect(definitions.diagnostics.first?.message.contains(name) == true)
        #expect(try requirements(definitions).unsupported.count == 1)
    }

    @Test func anAddressWithoutTheRequiredTLSIsReported() throws {
        let definitions = try definitions(policy(transport("<sp:HttpsToken/>")), address: "http://h/")
        #expect(
            definitions.diagnostics.map(\.message).contains { $0.contains("demand TLS") && $0.contains("http://h/") })
    }

    // MARK: Bounds

    @Test func referencesAreFollowedOnceAndNeverFetched() throws {
        let far = try definitions(policy("<wsp:PolicyReference URI=\"http://elsewhere/policy#x\"/>"))
        #expect(far.diagnostics.first?.message.contains("not read because nothing is fetched from a network") == true)
        let circle = try definitions(
            policy("<wsp:PolicyReference URI=\"#Q\"/>") + policy("<wsp:PolicyReference URI=\"#P\"/>", "Q"))
        #expect(circle.diagnostics.first?.message.contains("refers to itself") == true)
        // Each refers to the next one twice: 2 to the power of 25 if each were read again.
        var chain = policy("<wsp:PolicyReference URI=\"#P1\"/>")
        for number in 1...25 {
            chain += policy(
                String(repeating: "<wsp:PolicyReference URI=\"#P\(number + 1)\"/>", count: 2), "P\(number)")
        }
        #expect(try requirements(definitions(chain + policy("<sp:IncludeTimestamp/>", "P26"))).list == [.timestamp])
    }

    @Test func alternativesThatAskForTheSameAreOne() throws {
        let suites = "<wsp:ExactlyOne><sp:Layout/><sp:AlgorithmSuite/></wsp:ExactlyOne>"
        #expect(try list(String(repeating: suites, count: 200) + "<sp:IncludeTimestamp/>") == [.timestamp])
    }

    @Test(.timeLimit(.minutes(10))) func manyAlternativesAreGivenUpOn() throws {
        let bomb = (0..<64).map {
            "<wsp:ExactlyOne><x:A\($0) xmlns:x=\"urn:x\"/><x:B\($0) xmlns:x=\"urn:x\"/></wsp:ExactlyOne>"
        }
        let definitions = try definitions(policy(bomb.joined()))
        #expect(definitions.diagnostics.count == 1)
        #expect(definitions.diagnostics.first?.message.contains("more than 128 alternatives") == true)
    }

    @Test(.timeLimit(.minutes(10))) func depthIsBounded() throws {
        let count = 120
        let deep =
            String(repeating: "<wsp:All>", count: count) + "<sp:IncludeTimestamp/>"
            + String(repeating: "</wsp:All>", count: count)
        #expect(try definitions(policy(deep)).diagnostics.first?.message.contains("nested deeper than 64") == true)
    }

    @Test(.timeLimit(.minutes(10))) func manyOperationsWithManyPoliciesEnd() throws {
        let big = policy((0..<2000).map { "<x:A\($0) xmlns:x=\"urn:x\"/>" }.joined())
        let operations = (0..<2000).map {
            "<operation name=\"O\($0)\"><wsp:PolicyReference URI=\"#P\"/><input><soap:body/></input></operation>"
        }
        let definitions = try definitions(
            big, binding: "<wsp:Policy>\(String(repeating: "<sp:Layout/>", count: 2000))</wsp:Policy>",
            operation: "</operation>\(operations.joined())<operation name=\"Z\">")
        #expect(definitions.diagnostics.count <= 40)
    }

    @Test func noAlternativeAtAllCannotBeSatisfied() throws {
        let definitions = try definitions(policy("<wsp:ExactlyOne/>"))
        #expect(definitions.diagnostics.first?.message.contains("nothing satisfies") == true)
    }

    // MARK: WSDLs of others

    @Test func endorsingTokensAreSignatures() throws {
        let policy = { (token: String) in
            self.policy(
                "<sp:EndorsingSupportingTokens><wsp:Policy>\(token)</wsp:Policy></sp:EndorsingSupportingTokens>")
        }
        let signed = try definitions(policy("<sp:X509Token/><sp:SignedParts><sp:Header Name=\"To\"/></sp:SignedParts>"))
        #expect(signed.diagnostics.map(\.message).contains { $0.contains("(EndorsingSupportingTokens, X509Token)") })
        #expect(try definitions(policy("<sp:KeyValueToken wsp:Optional=\"true\"/>")).diagnostics.isEmpty)
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func policiesOfRealServicesAreRead() throws {
        func load(_ path: String) throws -> WSDLDefinitions {
            try WSDLLoader.load(file: try Corpus.path("wsdl/\(path)"))
        }
        func texts(_ definitions: WSDLDefinitions) -> [String] {
            definitions.diagnostics.map(\.message).filter { $0.contains("the policies of") }
        }
        let tax = try load("eet-cz/EETServiceSOAP.wsdl")
        #expect(texts(tax).isEmpty)
        let sale = try #require(tax.bindings.values.first?.operations.first)
        let body = AsymmetricPolicy.Protection(signed: [.body])
        #expect(
            tax.requirements(of: sale, beyond: try #require(tax.services.first?.ports.first)) == [
                .asymmetricBinding(
                    AsymmetricPolicy(
                        suite: .basic256Sha256, client: .certificate, service: .issuerSerial, request: body,
                        answer: body))
            ])
        let conversation = try load("dws-12/DWService_12.wsdl")
        #expect(texts(conversation).contains { $0.contains("SymmetricBinding, SecureConversationToken") })
        let addressing = try load("amadeus/testwsdl.wsdl")
        #expect(texts(addressing).isEmpty)
        // Its `Addressing` is optional, and of a namespace that has no assertions.
        #expect(addressing.services.first?.ports.map { addressing.requirements(of: $0).list } == [[]])
        let tokens = try load("wcf-sts/wcf.wsdl")
        let ports = tokens.services.flatMap(\.ports)
        let certificate = try #require(ports.first { $0.name == "CertificateWSTrustBinding_IWSTrustFeb2005Async1" })
        #expect(tokens.requirements(of: certificate).list == [.tls, .clientCertificate, .addressing])
        let user = try #require(ports.first { $0.name.hasPrefix("UserNameWSTrustBinding") })
        #expect(tokens.requirements(of: user).list == [.tls, .timestamp, .usernameToken(.text), .addressing])
        #expect(tokens.requirements(of: user).unsupported.isEmpty)
        #expect(texts(tokens).contains { $0.contains("(EndorsingSupportingTokens, KerberosToken") })
    }
}
