import SignetSOAP
import Testing

@testable import SignetWSSecurity

@Suite struct SAMLAssertionTests {
    private static let saml2 = "urn:oasis:names:tc:SAML:2.0:assertion"
    private static let saml1 = "urn:oasis:names:tc:SAML:1.0:assertion"

    private func assertion20(_ content: String, attributes: String = "ID=\"a1\" Version=\"2.0\"") throws
        -> SAMLAssertion
    {
        let text =
            "<a:Assertion xmlns:a=\"\(Self.saml2)\" \(attributes)><a:Issuer> urn:i </a:Issuer>\(content)</a:Assertion>"
        return try SAMLAssertion(reading: try XMLFragment(parsing: text))
    }

    private func refusal(_ content: String, attributes: String = "ID=\"a1\" Version=\"2.0\"") -> String {
        let error = #expect(throws: WSSecurityError.self) { try assertion20(content, attributes: attributes) }
        #expect(error?.code == .unusableToken)
        return error?.message ?? ""
    }

    @Test func allOfAnAssertionOfVersion2IsRead() throws {
        let assertion = try assertion20(
            """
            <a:Subject><a:NameID Format="urn:f" NameQualifier="urn:q">ad<!-- x -->min</a:NameID>
            <a:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><a:SubjectConfirmationData
              NotBefore="1970-01-01T00:00:01Z" NotOnOrAfter="1970-01-01T00:00:09.5Z" Recipient="urn:r"/></a:SubjectConfirmation>
            <a:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:holder-of-key"><a:SubjectConfirmationData>
              <d:KeyInfo xmlns:d="http://www.w3.org/2000/09/xmldsig#"><d:KeyValue/></d:KeyInfo></a:SubjectConfirmationData></a:SubjectConfirmation>
            </a:Subject>
            <a:Conditions NotBefore="1970-01-01T00:00:02" NotOnOrAfter="1970-01-01T01:00:00+01:00">
            <a:AudienceRestriction><a:Audience>urn:a</a:Audience><a:Audience>urn:b</a:Audience></a:AudienceRestriction>
            <a:AudienceRestriction><a:Audience>urn:c</a:Audience></a:AudienceRestriction><a:OneTimeUse/><a:ProxyRestriction/>
            <x:Other xmlns:x="urn:x"/></a:Conditions>
            <a:AttributeStatement><a:Attribute Name="role"><a:AttributeValue>one</a:AttributeValue><a:AttributeValue><x
              code="7"/></a:AttributeValue></a:Attribute></a:AttributeStatement>
            """)
        #expect(assertion.version == .v20)
        #expect(assertion.identifier == "a1")
        #expect(assertion.issuer == "urn:i")
        #expect(assertion.subject == "admin")
        #expect(assertion.subjectFormat == "urn:f")
        #expect(assertion.subjectQualifier == "urn:q")
        #expect((assertion.notBefore, assertion.notOnOrAfter) == (2, 0))
        #expect(assertion.audiences == [["urn:a", "urn:b"], ["urn:c"]])
        #expect(assertion.isForOneUse)
        #expect(assertion.unknownConditions == ["Other"])
        #expect(assertion.confirmations.map(\.isBearer) == [true, false])
        #expect(assertion.confirmations[0].notBefore == 1)
        #expect(assertion.confirmations[0].notOnOrAfter == 9)
        #expect(assertion.confirmations[0].recipient == "urn:r")
        #expect(assertion.confirmations[1].isHolderOfKey && assertion.confirmations[1].holder == nil)
        #expect(assertion.attributes.map(\.name) == ["role"])
        #expect(assertion.attributes[0].texts == ["one", ""])
        #expect(assertion.attributes[0].values[1].children.first?.attribute("code") == "7")
        #expect("\(assertion)" == "a SAML assertion of “urn:i”")
    }

    @Test func statementsOfVersion11ShareTheirSubject() throws {
        let subject = """
            <Subject><NameIdentifier Format="urn:f">ada</NameIdentifier><SubjectConfirmation>
            <ConfirmationMethod>urn:oasis:names:tc:SAML:1.0:cm:bearer</ConfirmationMethod></SubjectConfirmation></Subject>
            """
        func read(_ second: String) throws -> SAMLAssertion {
            let text = """
                <Assertion xmlns="\(Self.saml1)" AssertionID="b1" Issuer="urn:i" MajorVersion="1" MinorVersion="1">
                <Conditions><AudienceRestrictionCondition><Audience>urn:a</Audience></AudienceRestrictionCondition>
                <DoNotCacheCondition/></Conditions><AuthenticationStatement>\(subject)</AuthenticationStatement>
                <AttributeStatement>\(second)<Attribute AttributeName="n" AttributeNamespace="urn:ns"><AttributeValue>v</AttributeValue>
                </Attribute></AttributeStatement></Assertion>
                """
            return try SAMLAssertion(reading: try XMLFragment(parsing: text))
        }
        let assertion = try read(subject)
        #expect(assertion.version == .v11)
        #expect(assertion.identifier == "b1")
        #expect(assertion.subject == "ada")
        #expect(assertion.confirmations.map(\.isBearer) == [true])
        #expect(assertion.isForOneUse)
        #expect(assertion.attributes.map(\.name) == ["urn:ns/n"])
        let error = #expect(throws: WSSecurityError.self) { try read(subject.replacing("ada", with: "bob")) }
        #expect(error?.message.contains("several subjects") == true)
    }

    @Test func whatNoAssertionHasIsRefused() throws {
        #expect(refusal("", attributes: "Version=\"2.0\"").contains("no identifier"))
        #expect(refusal("", attributes: "ID=\"1 2\" Version=\"2.0\"").contains("no identifier"))
        #expect(refusal("", attributes: "ID=\"a\" Version=\"1.1\"").contains("version “1.1”"))
        #expect(refusal("<a:Issuer>x</a:Issuer>").contains("two issuers"))
        #expect(refusal("<a:Subject/><a:Subject><a:NameID>x</a:NameID></a:Subject>").contains("several subjects"))
        #expect(refusal("<a:Subject><a:NameID>x</a:NameID><a:NameID>y</a:NameID></a:Subject>").contains("two names"))
        #expect(refusal("<a:Conditions/><a:Conditions/>").contains("twice"))
        #expect(refusal("<a:Conditions NotOnOrAfter=\"tomorrow\"/>").contains("no valid time") == false)
        #expect(refusal("<a:Conditions NotOnOrAfter=\"tomorrow\"/>").contains("not a valid time"))
        let many = String(repeating: "<a:Attribute Name=\"n\"><a:AttributeValue/></a:Attribute>", count: 6000)
        #expect(refusal("<a:AttributeStatement>\(many)</a:AttributeStatement>").contains("more than 10000"))
        let error = #expect(throws: WSSecurityError.self) {
            try SAMLAssertion(reading: try XMLFragment(parsing: "<Assertion/>"))
        }
        #expect(error?.message.contains("is no assertion") == true)
    }
}
