import Foundation
import TestSupport
import Testing

@testable import SignetTLS

/// What an authority of ours issues, as OpenSSL reads it, and requests of OpenSSL as the authority reads them.
@Suite struct CertificateIssuerTests {
    private let openssl: OpenSSL
    private let issuer: CertificateIssuer
    private let now = Int64(Date().timeIntervalSince1970)

    init() throws {
        openssl = try OpenSSL()
        try openssl.makeRoot("ca", subject: "/O=Bank/CN=devices")
        issuer = try CertificateIssuer(
            try Identity(pem: try openssl.bytes("ca.pem"), privateKey: try openssl.bytes("ca.key")))
    }

    /// A request of OpenSSL with its key in `device.key`.
    private func request(_ algorithm: String = "ec -pkeyopt ec_paramgen_curve:P-256") throws -> ReceivedRequest {
        try openssl.write(
            """
            [req]
            distinguished_name = name
            attributes = attributes
            req_extensions = extensions
            prompt = no
            [name]
            O = Bank
            CN = device 7
            [attributes]
            challengePassword = enroll me
            [extensions]
            subjectAltName = DNS:device-7.example, IP:192.0.2.7
            basicConstraints = CA:TRUE
            """, "request.cnf")
        try openssl(
            "req -new -config request.cnf -nodes -keyout device.key -outform DER -out device.csr -newkey \(algorithm)")
        return try ReceivedRequest(der: try openssl.bytes("device.csr"))
    }

    private func issue(_ request: ReceivedRequest) async throws -> EncodedCertificate {
        var terms = CertificateIssuer.Terms(notBefore: now - 60, notAfter: now + 86_400)
        terms.listAddress = "http://ca.example/ca/crl"
        terms.ocspAddress = "http://ca.example/ca/ocsp"
        let certificate = try await issuer.certificate(for: request, terms)
        try openssl.write(CertificateBundle([certificate]).pem, "device.pem")
        return certificate
    }

    @Test(arguments: ["ec -pkeyopt ec_paramgen_curve:P-256", "rsa:2048", "ed25519"])
    func aRequestBecomesACertificate(algorithm: String) async throws {
        let request = try request(algorithm)
        #expect(request.subject == "CN=device 7, O=Bank" && request.challengePassword == "enroll me")
        #expect(request.alternativeNames == ["dns:device-7.example", "ip:192.0.2.7"])
        #expect(!"\(request) \(String(reflecting: request))".contains("enroll me"))
        let certificate = try await issue(request)
        #expect(try openssl("verify -purpose sslclient -CAfile ca.pem device.pem").contains("OK"))
        let text = try openssl("x509 -in device.pem -noout -text")
        for part in [
            "Subject: O = Bank, CN = device 7", "DNS:device-7.example, IP Address:192.0.2.7", "CA:FALSE",
            "TLS Web Client Authentication", "URI:http://ca.example/ca/crl", "OCSP - URI:http://ca.example/ca/ocsp",
        ] { #expect(text.contains(part), "\(part): \(text)") }
        // The client asked to be an authority.
        #expect(!text.contains("CA:TRUE"))
        #expect(text.contains("Key Encipherment") == algorithm.hasPrefix("rsa"))
        #expect(request.renews(certificate) && request.publicKeySHA256 == certificate.publicKeySHA256)
        let identity = try Identity(pem: try openssl.bytes("device.pem"), privateKey: try openssl.bytes("device.key"))
        #expect(identity.problems(at: now, for: .client).filter { $0.severity == .error }.isEmpty)
    }

    @Test func badRequests() async throws {
        let request = try request()
        for position in request.der.indices where position % 3 == 0 {
            var other = request.der
            other[position] ^= 1
            #expect(throws: IdentityError.self, "\(position)") { try ReceivedRequest(der: other) }
        }
        for bytes in [[], [0x30, 0x00], Array(request.der.dropLast()), [UInt8](repeating: 0x30, count: 40_000)] {
            #expect(throws: IdentityError.self) { try ReceivedRequest(der: bytes) }
        }
        try openssl("req -new -subj /CN=weak -nodes -keyout weak.key -outform DER -out weak.csr -newkey rsa:1024")
        let weak = try openssl.bytes("weak.csr")
        #expect(throws: IdentityError(.unsupportedAlgorithm, "")) { try ReceivedRequest(der: weak) }
        // What is shown in part only, or not at all, is not certified.
        let names = [
            "dirName:name", "otherName:1.2.3.4;UTF8:x", "otherName:1.3.6.1.4.1.311.20.2.3;BMPSTRING:x", "RID:1.2.3",
            "DNS:\(String(repeating: "a", count: 260))",
        ]
        for name in names {
            try openssl.write(
                "[req]\ndistinguished_name=name\nreq_extensions=extensions\nprompt=no\n[name]\nCN=x\n[extensions]\nsubjectAltName=\(name)\n",
                "odd.cnf")
            try openssl("req -new -config odd.cnf -nodes -keyout odd.key -outform DER -out odd.csr -newkey rsa:2048")
            let odd = try openssl.bytes("odd.csr")
            #expect(throws: IdentityError(.damaged, ""), "\(name)") { try ReceivedRequest(der: odd) }
        }
        for (subject, reason) in [("/O=Bank/CN=devices", "of the authority itself"), ("/", "neither a subject")] {
            try openssl(
                "req -new -nodes -keyout odd.key -outform DER -out odd.csr -newkey rsa:2048", ["-subj", subject])
            let odd = try ReceivedRequest(der: try openssl.bytes("odd.csr"))
            let error = await #expect(throws: IdentityError.self) {
                try await issuer.certificate(for: odd, .init(notBefore: now, notAfter: now + 60))
            }
            #expect(error?.message.contains(reason) == true, "\(subject)")
        }
        let long = CertificateIssuer.Terms(notBefore: now, notAfter: now + 200 * 86_400)
        await #expect(throws: IdentityError(.invalidRequest, "")) {
            try await issuer.certificate(for: request, long)
        }
        try openssl.issue("leaf", by: "ca", "basicConstraints=CA:FALSE")
        let leaf = try Identity(pem: try openssl.bytes("leaf.pem"), privateKey: try openssl.bytes("leaf.key"))
        #expect(throws: IdentityError(.invalidRequest, "")) { try CertificateIssuer(leaf) }
    }

    @Test func listsNameWhatIsRevoked() async throws {
        let certificate = try await issue(try request())
        let number = try #require(certificate.serialNumber)
        for revocations in [
            [], [CertificateIssuer.Revocation(serialNumber: number, time: now - 10, reason: .keyCompromise)],
        ] {
            let list = try await issuer.revocationList(revocations, number: now, now: now, next: now + 3600)
            try openssl.write(list, "list.der")
            #expect(try openssl("crl -in list.der -inform DER -CAfile ca.pem -noout -text").contains("CRL Number"))
            try openssl("crl -in list.der -inform DER -out list.pem")
            let verify = "verify -crl_check -CRLfile list.pem -CAfile ca.pem device.pem"
            if revocations.isEmpty {
                #expect(try openssl(verify).contains("OK"))
            } else {
                #expect(throws: (any Error).self) { try openssl(verify) }
                #expect(try openssl("crl -in list.pem -noout -text").contains("Key Compromise"))
            }
        }
    }

    @Test func questionsAreAnswered() async throws {
        let certificate = try await issue(try request())
        let number = try #require(certificate.serialNumber)
        try openssl("ocsp -issuer ca.pem -cert device.pem -no_nonce -reqout without.der")
        try openssl("ocsp -issuer ca.pem -cert device.pem -nonce -reqout with.der")
        let statuses: [(OCSPResponse.Status, String)] = [
            (.good, "device.pem: good"), (.revoked(at: now - 10, .superseded), "device.pem: revoked"),
            (.unknown, "device.pem: unknown"),
        ]
        for (status, text) in statuses {
            for name in ["without.der", "with.der"] {
                let answer = try await issuer.ocspAnswer(
                    to: try openssl.bytes(name), now: now, next: now + 3600
                ) { asked in
                    #expect(asked == number)
                    return status
                }
                try openssl.write(answer, "answer.der")
                let seen = try openssl(
                    "ocsp -issuer ca.pem -cert device.pem -CAfile ca.pem -respin answer.der -no_nonce -reqin \(name)")
                #expect(seen.contains(text), "\(seen)")
            }
        }
        // Of another authority, this one says nothing.
        try openssl.makeRoot("other")
        try openssl("ocsp -issuer other.pem -serial 7 -reqout other.der")
        let other = try await issuer.ocspAnswer(to: try openssl.bytes("other.der"), now: now, next: now + 1) { _ in
            Issue.record("asked about a certificate of another authority")
            return .good
        }
        try openssl.write(other, "answer.der")
        #expect(try openssl("ocsp -respin answer.der -resp_text -noverify").contains("Cert Status: unknown"))
        for bad in [[], [0x30, 0x00], [UInt8](repeating: 0x30, count: 20_000)] {
            let answer = try await issuer.ocspAnswer(to: bad, now: now, next: now + 1) { _ in .good }
            #expect(answer == [0x30, 0x03, 0x0A, 0x01, 0x01])
        }
    }
}
