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
    private static let trust = "http://docs.oasis-open.org/ws-sx/ws-trust/200512"
    private static let security =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
    private let origin: Origin
    private let certificate: EncodedCertificate

    init() throws {
        origin = try Endpoint("https://ca.example/").origin
        certificate = try CertificateAuthority().issueClient().leaf
    }

    private func token(_ text: String) -> String {
        "<BinarySecurityToken xmlns='\(Self.security)'>\(text)</BinarySecurityToken>"
    }

    private func judged(_ content: String, asking reference: String? = nil) throws -> EnrollmentAnswer {
        let text =
            "<RequestSecurityTokenResponseCollection xmlns='\(Self.trust)'>\(content)</RequestSecurityTokenResponseCollection>"
        let answer = try XMLFragment(parsing: text).structure() as SecurityTokenResponses
        return try WSTEPAnswer(answer, from: origin, asking: reference).judged(.seconds(60), CertificateBundle([]))
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
            let requested = "<RequestedSecurityToken>\(token(text))</RequestedSecurityToken>"
            for content in [requested, number("7") + requested, requested + number("7"), token(text)] {
                #expect(try judged(response(content)) == .issued([certificate]))
            }
        }
        let chain = Text.base64(try CertificateBundle([certificate]).pkcs7())
        let both = token(chain) + "<RequestedSecurityToken>\(token(base64))</RequestedSecurityToken>"
        #expect(try judged(response(both)) == .issued([certificate, certificate]))
    }

    @Test func aNumberWithoutACertificateIsPending() throws {
        let waits = EnrollmentAnswer.pending(after: .seconds(60), reference: "7")
        #expect(try judged(response(number(" 7\n"))) == waits)
        #expect(try judged(response("<RequestedSecurityToken/>" + number("7"))) == waits)
        #expect(try judged(response(""), asking: "7") == waits)
        let mute = #expect(throws: EnrollmentError.self) {
            try judged(
                response(
                    "<DispositionMessage xmlns='\(WSTEP.namespace)'>Denied\u{7}</DispositionMessage>".filter {
                        $0 != "\u{7}"
                    }))
        }
        #expect(mute?.code == .refused && mute?.message.contains("“Denied”") == true)
    }

    @Test(arguments: [
        "",
        "<RequestSecurityTokenResponse><RequestedSecurityToken><T/></RequestedSecurityToken></RequestSecurityTokenResponse>",
    ])
    func nothingIsNoCertificate(content: String) {
        #expect(throws: EnrollmentError.self) { try judged(content) }
    }

    @Test(arguments: ["?", "AAAA", "MAA=", "MIIB"]) func otherBytesAreNoCertificate(text: String) {
        let error = #expect(throws: EnrollmentError.self) {
            try judged(response("<RequestedSecurityToken>\(token(text))</RequestedSecurityToken>" + number("7")))
        }
        #expect(error?.code == .malformedAnswer)
    }

    @Test func errorsOfWindowsAreExplained() throws {
        let text =
            "<CertificateEnrollmentWSDetail xmlns='\(WSTEP.namespace)'><BinaryResponse/><ErrorCode>-2146875392</ErrorCode><RequestID>7</RequestID></CertificateEnrollmentWSDetail>"
        let detail = try XMLFragment(parsing: text).structure() as WSTEPDetail
        #expect(detail.advice.hasPrefix(" (error 0x80094800). The authority does not issue by this template"))
        var other = detail
        other.errorCode = -2_146_885_628
        #expect(other.advice == " (error 0x80092004).")
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
