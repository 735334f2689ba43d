import SignetEnrollment
import SignetSOAP
import SignetTLS
import Testing

@testable import SignetEnrollmentSOAP

/// What is read from answers of MS-XCEP, and what is chosen from them.
@Suite struct EnrollmentPoliciesTests {
    private func policies(_ content: String) throws -> EnrollmentPolicies {
        let text = "<GetPoliciesResponse xmlns=\"\(XCEP.namespace)\">\(content)</GetPoliciesResponse>"
        return EnrollmentPolicies(try XMLFragment(parsing: text).structure() as XCEP.Answer)
    }

    private func policy(
        _ name: String, bits: Int = 2048, algorithm: Int? = nil, enroll: Bool = true, authorities: [Int] = [4]
    ) -> String {
        let references = authorities.map { "<cAReference>\($0)</cAReference>" }.joined()
        let algorithm = algorithm.map { "<algorithmOIDReference>\($0)</algorithmOIDReference>" } ?? ""
        return
            "<policy><policyOIDReference>1</policyOIDReference><cAs>\(references)</cAs><attributes><commonName>\(name)</commonName><permission><enroll>\(enroll)</enroll></permission><privateKeyAttributes><minimalKeyLength>\(bits)</minimalKeyLength>\(algorithm)</privateKeyAttributes></attributes></policy>"
    }

    private func answer(
        _ policies: String, services: String, enroll: Bool = true, identifiers: [Int: String] = [1: "1.2.3"]
    ) -> String {
        let oids = identifiers.map {
            "<oID><value>\($0.value)</value><oIDReferenceID>\($0.key)</oIDReferenceID></oID>"
        }.joined()
        return
            "<response><policies>\(policies)</policies></response><cAs><cA><uris>\(services)</uris><certificate>MAA=</certificate><enrollPermission>\(enroll)</enrollPermission><cAReferenceID>4</cAReferenceID></cA></cAs><oIDs>\(oids)</oIDs>"
    }

    private func service(_ kind: Int, _ uri: String, priority: Int = 1, renewal: Bool = false) -> String {
        "<cAURI><clientAuthentication>\(kind)</clientAuthentication><uri>\(uri)</uri><priority>\(priority)</priority><renewalOnly>\(renewal)</renewalOnly></cAURI>"
    }

    @Test func thePreferredServiceIsChosen() throws {
        let services =
            service(8, "https://a.example/later", priority: 5) + service(8, "https://a.example/renewal", renewal: true)
            + service(8, "https://a.example/first", priority: 2) + service(2, "https://a.example/kerberos")
            // Unknown kinds and addresses without TLS are left out.
            + service(64, "https://a.example/unknown") + service(8, "http://a.example/plain", priority: 0)
        let found = try policies(answer(policy("Device"), services: services))
        #expect(try found.service(for: "DEVICE", by: .certificate).service.endpoint.url == "https://a.example/first")
        #expect(try found.service(for: "Device", by: .kerberos).service.endpoint.url == "https://a.example/kerberos")
        #expect(found.policies.first?.identifier == "1.2.3")
        let error = #expect(throws: EnrollmentError.self) { try found.service(for: "Device", by: .usernamePassword) }
        #expect(error?.message.contains("https://a.example/first (certificate)") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("renewals only") == true)
    }

    @Test func whatIsNotAllowedIsSaid() throws {
        let one = service(8, "https://a.example/")
        let forbidden = try policies(answer(policy("Device", enroll: false), services: one))
        #expect(throws: EnrollmentError(.refused, "")) { try forbidden.service(for: "Device", by: .certificate) }
        let closed = try policies(answer(policy("Device"), services: one, enroll: false))
        #expect(throws: EnrollmentError(.unsupported, "")) { try closed.service(for: "Device", by: .certificate) }
        let unknown = #expect(throws: EnrollmentError.self) { try closed.service(for: "Devices", by: .certificate) }
        #expect(unknown?.message.contains("The policies are: Device.") == true)
        let empty = #expect(throws: EnrollmentError.self) { try policies("").service(for: "x", by: .anonymous) }
        #expect(empty?.message.contains("no policies for this client") == true)
    }

    @Test(
        arguments: [
            (nil, 0, .rsa(bits: 2048)), (nil, 1024, .rsa(bits: 2048)), (nil, 3072, .rsa(bits: 3072)),
            (nil, 2049, .rsa(bits: 2056)), ("1.2.840.113549.1.1.1", 4096, .rsa(bits: 4096)), (nil, 8192, nil),
            (nil, Int.max, nil), (nil, Int.min, .rsa(bits: 2048)), ("1.2.840.10045.2.1", 256, .p256),
            ("1.2.840.10045.2.1", 384, .p384), ("1.2.840.10045.2.1", 521, .p521), ("1.2.840.10045.2.1", 570, nil),
            ("1.2.840.10045.3.1.7", 0, .p256), ("1.3.132.0.34", 384, .p384), ("1.2.840.10040.4.1", 2048, nil),
        ] as [(String?, Int, KeyPair.Kind?)])
    func keys(algorithm: String?, bits: Int, kind: KeyPair.Kind?) throws {
        var policy = EnrollmentPolicies.Policy(name: "Device")
        policy.keyAlgorithm = algorithm
        policy.keyBits = bits
        if let kind {
            #expect(try policy.demands().key == kind)
        } else {
            #expect(throws: EnrollmentError(.unsupported, "")) { try policy.demands() }
        }
    }

    /// References to nothing, texts that are no base64 and no numbers, and nil; with the number of policies that are left.
    @Test(
        arguments: [
            ("<response xsi:nil='true' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'/>", 0),
            ("<response><policies><policy/><policy><attributes/></policy></policies></response>", 0),
            ("<cAs><cA/><cA><certificate>?</certificate></cA><cA><certificate/></cA></cAs>", 0),
            ("<oIDs><oID/><oID><value>1.2</value></oID></oIDs>", 0),
            (
                "<response><policies><policy><policyOIDReference>4294967295</policyOIDReference><cAs><cAReference>9</cAReference><cAReference>x</cAReference></cAs><attributes><commonName>x</commonName><certificateValidity><validityPeriodSeconds>18446744073709551615</validityPeriodSeconds></certificateValidity><permission><enroll>yes</enroll></permission><extensions><extension><oIDReference>9</oIDReference><value>?</value></extension></extensions></attributes></policy><policy><attributes><commonName>y</commonName></attributes></policy></policies></response>",
                2
            ),
        ])
    func incompleteAnswersAreRead(content: String, count: Int) throws {
        let found = try policies(content)
        #expect(found.authorities.isEmpty && found.policies.count == count)
        #expect(
            found.policies.allSatisfy {
                $0.extensions.isEmpty && $0.authorities.isEmpty && !$0.mayEnroll && $0.validity == nil
            })
    }

    @Test(arguments: [
        "<privateKeyFlags>1</privateKeyFlags>", "<rARequirements><rASignatures>1</rASignatures></rARequirements>",
    ])
    func whatNeedsMoreThanARequestIsRefused(attributes: String) throws {
        let some = policy("Device").replacing("<privateKeyAttributes>", with: attributes + "<privateKeyAttributes>")
        let found = try policies(answer(some, services: service(8, "https://a.example/")))
        let error = #expect(throws: EnrollmentError.self) { try found.service(for: "Device", by: .certificate) }
        #expect(error?.code == .unsupported && error?.message.contains("“Device” demands that") == true)
    }
}
