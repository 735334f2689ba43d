import Foundation
import TestSupport
import Testing

@testable import SignetTLS

/// Answers of OpenSSL's OCSP server.
@Suite struct OCSPTests {
    private typealias Authority = RevocationAuthority

    @Test func saysGoodRevokedOrUnknown() throws {
        let authority = try Authority()
        defer { authority.remove() }
        let request = try authority.request().der
        #expect(try authority.status(authority.answer(request)) == .good)
        let revoked = Authority.line(Authority.leafSerial, revokedFor: "keyCompromise")
        #expect(
            try authority.status(authority.answer(request, index: revoked))
                == .revoked(at: Authority.revoked, .keyCompromise))
        let held = Authority.line(Authority.leafSerial, revokedFor: "certificateHold")
        #expect(
            try authority.status(authority.answer(request, index: held))
                == .revoked(at: Authority.revoked, .certificateHold))
        #expect(try authority.status(authority.answer(request, index: Authority.line("77"))) == .unknown)
    }

    @Test func theRequestIsWhatOpenSSLWouldAsk() throws {
        let authority = try Authority()
        defer { authority.remove() }
        try authority.openssl("ocsp -issuer middle.pem -cert leaf.pem -no_nonce -reqout expected.der")
        let request = try authority.request()
        #expect(try request.der == authority.openssl.bytes("expected.der"))
        let nonce = [UInt8](1...32)
        try authority.openssl.write(authority.request(nonce: nonce).der, "request.der")
        let text = try authority.openssl("ocsp -reqin request.der -req_text")
        #expect(text.contains("OCSP Nonce") && text.contains("04200102030405"))
    }

    @Test func asksWithGETWhenTheAddressIsShort() throws {
        let authority = try Authority()
        defer { authority.remove() }
        let request = try authority.request()
        let address = try #require(request.getAddress(at: "http://ocsp.example/leaf"))
        #expect(address == (request.getAddress(at: "http://ocsp.example/leaf/")))
        let escaped = try #require(address.split(separator: "/").last)
        #expect(try Text.bytes(base64: #require(String(escaped).removingPercentEncoding).utf8) == request.der)
        #expect(request.getAddress(at: "http://ocsp.example/" + String(repeating: "a", count: 200)) == nil)
        #expect(request.getAddress(at: "http://ocsp.example/?a=b") == nil)
        #expect(try authority.request(nonce: [1]).getAddress(at: "http://ocsp.example/") == nil)
    }

    /// The server's refusals have no content (RFC 6960 §4.2.1).
    @Test(
        arguments: [
            (1, .requestRefused), (2, .serverError), (3, .tryLater), (4, .malformed), (5, .requestRefused),
            (6, .unauthorized), (0, .malformed),
        ] as [(UInt8, RevocationProblem.Code)]) func saysWhyTheServerGivesNoAnswer(
            status: UInt8, code: RevocationProblem.Code
        ) throws
    {
        #expect(try problem { try OCSPResponse(der: [0x30, 0x03, 0x0A, 0x01, status]) } == code)
    }

    @Test func countsForItsTimeOnly() throws {
        let authority = try Authority()
        defer { authority.remove() }
        let request = try authority.request().der
        let answer = try authority.answer(request)
        #expect(try authority.status(answer, after: 86_000) == .good)
        #expect(try problem { try authority.status(answer, after: 86_500) } == .outdated)
        // Clocks may differ by five minutes.
        #expect(try authority.status(answer, after: -200) == .good)
        #expect(try problem { try authority.status(answer, after: -400) } == .notYetValid)
        let endless = try authority.answer(request, "")
        #expect(try authority.status(endless, after: 86_000) == .good)
        #expect(try problem { try authority.status(endless, after: 86_500) } == .outdated)
    }

    @Test func repeatsTheNonceOrNone() throws {
        let authority = try Authority()
        defer { authority.remove() }
        let nonce = [UInt8](1...32)
        let answer = try authority.answer(authority.request(nonce: nonce).der)
        #expect(try authority.status(answer, nonce: nonce) == .good)
        #expect(try problem { try authority.status(answer, nonce: nonce.reversed()) } == .nonceMismatch)
        #expect(try problem { try authority.status(answer, nonce: Array(nonce.dropLast())) } == .nonceMismatch)
        let prepared = try authority.answer(authority.request().der)
        #expect(try authority.status(prepared, nonce: nonce) == .good)
    }

    @Test func isAboutTheCertificateThatWasAskedFor() throws {
        let authority = try Authority()
        defer { authority.remove() }
        try authority.issue("other", by: "middle", serial: "3003", "basicConstraints=CA:FALSE")
        let middle = try authority.certificate("middle")
        let request = try OCSPRequest(about: authority.certificate("other"), issuedBy: middle)
        let answer = try authority.answer(request.der, index: Authority.line("3003"))
        #expect(try problem { try authority.status(answer) } == .notCovered)
        // The same serial number of another issuer.
        try authority.issue("twin", by: "root", serial: Authority.leafSerial, "basicConstraints=CA:FALSE")
        let twin = try OCSPRequest(about: authority.certificate("twin"), issuedBy: authority.certificate("root"))
        #expect(try problem { try authority.status(authority.answer(twin.der, issuer: "root")) } == .notCovered)
    }

    @Test func answersForSeveralCertificatesUpToALimit() throws {
        let authority = try Authority()
        defer { authority.remove() }
        func answer(_ count: Int) throws -> [UInt8] {
            let serials = (0..<count).map { "-serial 0x\(0x4000 + $0)" }.joined(separator: " ")
            try authority.openssl("ocsp -issuer middle.pem \(serials) -cert leaf.pem -no_nonce -reqout many.der")
            return try authority.answer(authority.openssl.bytes("many.der"))
        }
        #expect(try authority.status(answer(19)) == .good)
        #expect(try problem { try authority.status(answer(20)) } == .malformed)
    }

    @Test func theWorstOfContradictoryAnswersCounts() throws {
        let authority = try Authority()
        defer { authority.remove() }
        // Two certificates are asked for, and both answers are then about the leaf.
        for serials in ["-cert leaf.pem -serial 0x1002", "-serial 0x1002 -cert leaf.pem"] {
            try authority.openssl("ocsp -issuer middle.pem \(serials) -no_nonce -reqout two.der")
            let request = try authority.openssl.bytes("two.der")
            let (leaf, other): ([UInt8], [UInt8]) = ([0x02, 0x02, 0x10, 0x01], [0x02, 0x02, 0x10, 0x02])
            let good = Authority.line(Authority.leafSerial)
            let unknown = try authority.answer(request, index: good)
            #expect(try authority.status(authority.changed(unknown, other, to: leaf)) == .unknown)
            let revoked = try authority.answer(
                request, index: good + Authority.line("1002", revokedFor: "superseded"))
            #expect(try authority.status(revoked) == .good)
            #expect(
                try authority.status(authority.changed(revoked, other, to: leaf))
                    == .revoked(at: Authority.revoked, .superseded))
        }
    }

    @Test func anUnknownCriticalExtensionIsRefused() throws {
        let authority = try Authority()
        defer { authority.remove() }
        let answer = try authority.answer(authority.request(nonce: [UInt8](1...32)).der)
        let nonce: [UInt8] = [0x06, 0x09, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x02]
        let unknown = Array(nonce.dropLast()) + [0x7F]
        #expect(try authority.status(authority.changed(answer, nonce, to: unknown)) == .good)
        let critical: [UInt8] = [0x06, 0x06, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x01, 0x01, 0x01, 0xFF]
        let refused = try authority.changed(answer, nonce, to: critical)
        #expect(try problem { try OCSPResponse(der: refused) } == .unsupported)
    }

    @Test func aDigestOtherThanSHA1IsUnderstood() throws {
        let authority = try Authority()
        defer { authority.remove() }
        try authority.openssl("ocsp -sha256 -issuer middle.pem -cert leaf.pem -no_nonce -reqout request.der")
        #expect(try authority.status(authority.answer(authority.openssl.bytes("request.der"))) == .good)
    }

    /// Delegates that the issuer itself appointed for OCSPSigning, and those that it did not.
    @Test(arguments: [
        ("middle", 5, "extendedKeyUsage=OCSPSigning", "", nil as RevocationProblem.Code?),
        ("middle", 5, "extendedKeyUsage=OCSPSigning", "-resp_key_id", nil),
        ("middle", 400, "extendedKeyUsage=OCSPSigning\nnoCheck=ignored", "", nil),
        ("middle", 5, "extendedKeyUsage=critical,OCSPSigning\nkeyUsage=critical,digitalSignature", "", nil),
        ("middle", 400, "extendedKeyUsage=OCSPSigning", "", .untrustedSigner),
        ("middle", 5, "basicConstraints=CA:FALSE", "", .untrustedSigner),
        ("middle", 5, "extendedKeyUsage=serverAuth,anyExtendedKeyUsage", "", .untrustedSigner),
        ("middle", 5, "extendedKeyUsage=OCSPSigning\nkeyUsage=keyEncipherment", "", .untrustedSigner),
        ("middle", 5, "extendedKeyUsage=OCSPSigning\n1.2.3.4=critical,DER:0500", "", .untrustedSigner),
        ("middle", 5, "extendedKeyUsage=OCSPSigning", "-resp_no_certs", .untrustedSigner),
        ("root", 5, "extendedKeyUsage=OCSPSigning", "", .untrustedSigner),
    ])
    func delegates(
        issuer: String, days: Int, extensions: String, options: String, expected: RevocationProblem.Code?
    ) throws {
        let authority = try Authority()
        defer { authority.remove() }
        try authority.issue("delegate", by: issuer, serial: "5005", days: days, extensions)
        let answer = try authority.answer(authority.request().der, signer: "delegate", "-ndays 1 \(options)")
        guard let expected else {
            #expect(try authority.status(answer) == .good)
            return
        }
        #expect(try problem { try authority.status(answer) } == expected)
    }

    @Test func aDelegateMustBeValidNow() throws {
        let authority = try Authority()
        defer { authority.remove() }
        try authority.issue("delegate", by: "middle", serial: "5005", days: 1, "extendedKeyUsage=OCSPSigning")
        let answer = try authority.answer(authority.request().der, signer: "delegate", "-ndays 3")
        #expect(try authority.status(answer, after: 86_000) == .good)
        #expect(try problem { try authority.status(answer, after: 90_000) } == .untrustedSigner)
    }

    /// Others who took the name of the issuer, or of a delegate.
    @Test func anotherKeyIsAForgery() throws {
        let authority = try Authority()
        defer { authority.remove() }
        let request = try authority.request().der
        let openssl = authority.openssl
        try openssl.makeSelfSigned(
            "middle2", algorithm: "ec -pkeyopt ec_paramgen_curve:P-256", ["-subj", "/CN=middle"])
        let forged = try authority.answer(request, signer: "middle2", "-ndays 1 -resp_no_certs")
        #expect(try problem { try authority.status(forged) } == .badSignature)
        // The forger's own delegate.
        try authority.issue("delegate", by: "middle2", serial: "5005", "extendedKeyUsage=OCSPSigning")
        let delegated = try authority.answer(request, signer: "delegate")
        #expect(try problem { try authority.status(delegated) } == .badSignature)
    }

    @Test func aCertificateCannotVouchForItself() throws {
        let authority = try Authority(leaf: "extendedKeyUsage=serverAuth,OCSPSigning")
        defer { authority.remove() }
        let answer = try authority.answer(authority.request().der, signer: "leaf")
        #expect(try problem { try authority.status(answer) } == .untrustedSigner)
    }

    @Test func aWeakSignatureDoesNotCount() throws {
        let authority = try Authority()
        defer { authority.remove() }
        let answer = try authority.answer(authority.request().der, "-ndays 1 -rmd sha1")
        #expect(try problem { try authority.status(answer) } == .weakAlgorithm)
    }

    @Test func isRefusedWhenItIsTooLarge() throws {
        let bytes = [UInt8](repeating: 0x30, count: OCSPResponse.maximumBytes + 1)
        #expect(try problem { try OCSPResponse(der: bytes) } == .tooLarge)
    }

    /// Every beginning of an answer is refused, and no changed byte makes a revoked certificate good.
    @Test func damageNeverHelps() throws {
        let authority = try Authority()
        defer { authority.remove() }
        try authority.issue("delegate", by: "middle", serial: "5005", "extendedKeyUsage=OCSPSigning")
        let revoked = Authority.line(Authority.leafSerial, revokedFor: "superseded")
        let answer = try authority.answer(authority.request().der, index: revoked, signer: "delegate")
        let (leaf, middle) = (try authority.certificate("leaf"), try authority.certificate("middle"))
        let original = OCSPResponse.Status.revoked(at: Authority.revoked, .superseded)
        #expect(try authority.status(answer) == original)
        for count in answer.indices {
            #expect(throws: RevocationProblem.self) { try OCSPResponse(der: Array(answer.prefix(count))) }
        }
        for index in answer.indices {
            var damaged = answer
            damaged[index] ^= 0x01
            let status = try? OCSPResponse(der: damaged).status(of: leaf, issuedBy: middle, at: authority.now).status
            #expect(status == nil || status == original, "byte \(index)")
        }
    }
}
