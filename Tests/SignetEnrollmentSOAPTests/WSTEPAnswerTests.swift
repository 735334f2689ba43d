import SignetEnrollment
import SignetHTTP
import SignetSOAP
import SignetTLS
import SignetTesting
import SignetWSSecurity
import Testing

@testable import SignetEnrollmentSOAP

/// What is read from answers of MS-WSTEP.
@Suite struct WSTEPAnswerTests {
    /// Of two sources of demands, one would have no effect.
    @Test func demandsComeFromOneSource() async throws {
        let address = try Endpoint("https://ca.example/CES")
        let transport: IdentityTransport = { _, _ in throw EnrollmentError(.refused, "It is asked.") }
        var enroller = try WSTEPEnroller(at: address, trust: .system, over: transport)
        enroller.policy = (try EnrollmentPolicyService(at: address, trust: .system, over: transport), "Device")
        let asked = enroller
        await #expect(throws: EnrollmentError(.refused, "")) { () async throws in try await asked.demands(nil) }
        enroller.demands.key = .p256
        let both = enroller
        await #expect(throws: EnrollmentError(.unsupported, "")) { () async throws in try await both.demands(nil) }
    }

    private static let trust = "http://docs.oasis-open.org/ws-sx/ws-trust/200512"
    private static let security =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
    private let origin: Origin
    private let key: KeyPair
    private let certificate: EncodedCertificate
    private let authority: EncodedCertificate

    init() throws {
        origin = try Endpoint("https://ca.example/").origin
        let issuer = try CertificateAuthority()
        let identity = try issuer.issueClient()
        (key, certificate) = (KeyPair(of: identity), identity.leaf)
        authority = try #require(issuer.bundle.certificates.first)
    }

    private func token(_ text: String) -> String {
        "<BinarySecurityToken xmlns='\(Self.security)'>\(text)</BinarySecurityToken>"
    }

    private func requested(_ text: String) -> String {
        "<RequestedSecurityToken>\(token(text))</RequestedSecurityToken>"
    }

    private func answer(_ content: String, asking number: String? = nil) throws -> WSTEPAnswer {
        let text =
            "<RequestSecurityTokenResponseCollection xmlns='\(Self.trust)'>\(content)</RequestSecurityTokenResponseCollection>"
        let answers = try XMLFragment(parsing: text).structure() as SecurityTokenResponses
        return try WSTEPAnswer(answers, from: origin, asking: number, for: key)
    }

    private func response(_ content: String) -> String {
        "<RequestSecurityTokenResponse>\(content)</RequestSecurityTokenResponse>"
    }

    private func number(_ text: String) -> String { "<RequestID xmlns='\(WSTEP.namespace)'>\(text)</RequestID>" }

    /// Elements in every order, the certificate in the token or beside it, lines with references to carriage returns.
    @Test func aCertificateIsFound() throws {
        let base64 = Text.base64(certificate.der)
        let lines =
            base64.prefix(64) + "&#xD;\n" + base64.dropFirst(64).prefix(64) + "&amp;#xD;\n" + base64.dropFirst(128)
        for text in [base64, String(lines)] {
            let token = requested(text)
            for content in [token, number("7") + token, token + number("7"), self.token(text)] {
                #expect(try answer(response(content)) == .issued([certificate]))
            }
        }
        let chain = Text.base64(try CertificateBundle([certificate, authority]).pkcs7())
        for content in [token(chain), token(chain) + requested(base64)] {
            var found: [EncodedCertificate] = []
            if case .issued(let all) = try answer(response(content)) { found = all }
            #expect(Set(found) == [certificate, authority])
        }
        // What stands beside the token may be damaged.
        #expect(try answer(response(token("?") + requested(base64))) == .issued([certificate]))
    }

    /// While the authority decides, Windows sends a response with the authority's certificates all the same.
    @Test func aNumberWithoutACertificateIsPending() throws {
        let chain = token(Text.base64(try CertificateBundle([authority]).pkcs7()))
        let reference =
            "<RequestedSecurityToken><SecurityTokenReference xmlns='\(Self.security)'/></RequestedSecurityToken>"
        for content in ["", chain, token("?"), reference, chain + reference, "<RequestedSecurityToken/>"] {
            #expect(try answer(response(content + number(" 7\n"))) == .pending("7"))
            #expect(try answer(response(content), asking: "9") == .pending("9"))
            let mute = #expect(throws: EnrollmentError.self) {
                try answer(
                    response(
                        content
                            + "<DispositionMessage xmlns='\(WSTEP.namespace)'>Denied\u{202E}</DispositionMessage>"))
            }
            #expect(mute?.code == .refused && mute?.message.contains("“Denied\u{FFFD}”") == true)
        }
        for strange in ["x", "7 8", "-1", String(repeating: "1", count: 21)] {
            let error = #expect(throws: EnrollmentError.self) { try answer(response(number(strange))) }
            #expect(error?.code == .malformedAnswer)
        }
    }

    @Test(arguments: ["", "<RequestSecurityTokenResponse/>"]) func nothingIsNoCertificate(content: String) {
        #expect(throws: EnrollmentError.self) { try answer(content) }
    }

    @Test(arguments: ["?", "AAAA", "MAA=", "MIIB"]) func otherBytesAreNoCertificate(text: String) {
        let error = #expect(throws: EnrollmentError.self) { try answer(response(requested(text) + number("7"))) }
        #expect(error?.code == .malformedAnswer)
    }

    @Test func errorsOfWindowsAreExplained() throws {
        let text =
            "<CertificateEnrollmentWSDetail xmlns='\(WSTEP.namespace)'><BinaryResponse/><ErrorCode>-2146875392</ErrorCode><RequestID>7</RequestID></CertificateEnrollmentWSDetail>"
        let detail = try XMLFragment(parsing: text).structure() as WSTEPDetail
        #expect(detail.advice.hasPrefix(" The error is 0x80094800. The authority does not issue by this template"))
        var other = detail
        other.errorCode = -2_146_885_628
        #expect(other.advice == " The error is 0x80092004.")
        other.errorCode = nil
        #expect(other.advice == "")
    }

    @Test func templates() throws {
        #expect(try CertificateSigningRequest.Extension.template("Wü").value == [0x1E, 4, 0, 0x57, 0, 0xFC])
        #expect(
            try CertificateSigningRequest.Extension.template(identifier: "1.2.3", major: 200, minor: 1).value
                == [0x30, 0x0B, 6, 2, 0x2A, 3, 2, 2, 0, 200, 2, 1, 1])
        #expect(
            try CertificateSigningRequest.Extension.template(identifier: "1.2.3", major: 0).value
                == [0x30, 7, 6, 2, 0x2A, 3, 2, 1, 0])
        for name in ["", String(repeating: "x", count: 65), "a\nb", "😀"] {
            #expect(throws: IdentityError(.invalidRequest, "")) {
                try CertificateSigningRequest.Extension.template(name)
            }
        }
        #expect(throws: IdentityError(.invalidRequest, "")) {
            try CertificateSigningRequest.Extension.template(identifier: "x", major: 1)
        }
    }
}
