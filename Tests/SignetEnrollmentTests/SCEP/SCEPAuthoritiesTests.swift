import Foundation
import SignetHTTP
import SignetTesting
import TestSupport
import Testing

@testable import SignetEnrollment
@testable import SignetTLS

/// Which certificates of a SCEP server are believed.
@Suite struct SCEPAuthoritiesTests {
    private let openssl: OpenSSL
    private let now = Int64(Date().timeIntervalSince1970) + 60

    init() throws {
        openssl = try OpenSSL()
        try openssl.makeRoot("ca", rsa: true)
    }

    private func certificate(_ name: String) throws -> EncodedCertificate {
        try #require(try CertificateBundle(pem: try openssl.bytes("\(name).pem")).certificates.first)
    }

    private func authorities(
        _ names: [String], trusting trusted: [String] = ["ca"], later days: Int64 = 0
    ) throws -> SCEPAuthorities {
        try SCEPAuthorities(
            try names.map(certificate), fingerprints: Set(try trusted.map { try certificate($0).sha256 }),
            at: try Endpoint("http://ca.example/").origin, now: now + days * 86_400)
    }

    private func refusal(
        _ names: [String], trusting trusted: [String] = ["ca"], later days: Int64 = 0
    ) throws -> EnrollmentError? {
        do { _ = try authorities(names, trusting: trusted, later: days) } catch let error as EnrollmentError {
            return error
        }
        return nil
    }

    @Test func theAuthorityAlone() throws {
        let found = try authorities(["ca", "ca"])
        #expect(try found.recipient == certificate("ca") && found.issuer == found.recipient)
        #expect(found.signers == [found.recipient] && found.others == [found.recipient])
    }

    @Test func othersAreNotBelieved() throws {
        try openssl.makeRoot("other", subject: "/CN=ca", rsa: true)
        try openssl.issue("agent", by: "other", "extendedKeyUsage=1.3.6.1.5.5.7.3.28", rsa: true)
        // It has the name of the authority and is signed by another key: it is as good as not there.
        #expect(try authorities(["agent", "ca"]).signers == [certificate("ca")])
        #expect(try refusal(["other"])?.code == .wrongFingerprint)
        #expect(try refusal([])?.code == .wrongFingerprint)
        // Of what an attacker sends, no part takes long to judge.
        let many = try #require(try refusal(Array(repeating: "ca", count: 33)))
        #expect(many.code == .malformedAnswer && many.message.contains("33"))
        // An authority below the one that is named is not named.
        try openssl.issue("below", by: "ca", "basicConstraints=critical,CA:TRUE", rsa: true)
        #expect(try authorities(["below", "ca"]).signers == [certificate("ca")])
        #expect(try authorities(["ca", "below"], trusting: ["below"]).issuer == certificate("below"))
    }

    @Test func registrationAuthorities() throws {
        let usage = "extendedKeyUsage=1.3.6.1.5.5.7.3.28\nkeyUsage=critical,"
        try openssl.issue("signs", by: "ca", usage + "digitalSignature", days: 5, rsa: true)
        try openssl.issue("reads", by: "ca", usage + "keyEncipherment", days: 5, rsa: true)
        try openssl.issue("device", by: "ca", "extendedKeyUsage=clientAuth", rsa: true)
        let found = try authorities(["signs", "reads", "device", "ca"])
        #expect(try found.recipient == certificate("reads") && found.issuer == certificate("ca"))
        #expect(try found.signers == [certificate("signs"), certificate("reads"), certificate("ca")])
        // One that only signs is not asked to read.
        #expect(try refusal(["signs", "ca"])?.code == .unsupported)
        let expired = try #require(try refusal(["signs", "reads", "ca"], later: 7))
        #expect(expired.code == .unsupported && expired.message.contains("not valid now"))
        let unknown = try #require(try refusal(["device", "ca"]))
        #expect(unknown.code == .unsupported && unknown.message.contains("CN=device"))
        // One that is named keeps others out.
        let named = try authorities(["signs", "reads", "device", "ca"], trusting: ["ca", "device"])
        #expect(try named.signers == [certificate("device"), certificate("ca")])
        #expect(try named.recipient == certificate("device"))
        let late = try #require(try refusal(["ca"], later: 100))
        #expect(late.code == .wrongFingerprint && late.message.contains("not valid now"))
    }

    @Test func whatTheServerCanDo() throws {
        let origin = try Endpoint("http://ca.example/").origin
        func capabilities(_ text: String) -> SCEPCapabilities {
            SCEPCapabilities(Array(text.utf8), answer: "200 OK and text/plain")
        }
        #expect(try capabilities("aes\r\nSHA-512\r\nRenewal").cipher(origin) == .aes128)
        #expect(try capabilities("SCEPStandard").cipher(origin) == .aes128)
        #expect(try capabilities("DES3\nSHA-256").cipher(origin) == .tripleDES)
        for text in ["", "SHA-1\nAES", "SHA-256", "<html>SHA-256</html>"] {
            #expect(throws: EnrollmentError(.unsupported, "")) { try capabilities(text).cipher(origin) }
        }
        #expect(capabilities("Renewal").renews && !capabilities("Renewal").takesPost)
        #expect(capabilities("SCEPStandard").takesPost && capabilities("POSTPKIOperation").takesPost)
    }
}

/// Whose answers are believed.
@Suite struct SCEPAnswerTests {
    private let openssl: OpenSSL
    private let question = SCEPQuestion(.request, transaction: "7")

    init() throws { openssl = try OpenSSL() }

    private func identity(_ name: String) throws -> Identity {
        try Identity(pem: try openssl.bytes("\(name).pem"), privateKey: try openssl.bytes("\(name).key"))
    }

    private func answer(_ bytes: [UInt8], _ signers: [EncodedCertificate], acceptingSHA1: Bool = false) throws
        -> SCEPAnswer
    {
        try SCEPAnswer(
            bytes, to: question, from: try Endpoint("http://ca.example/").origin, signers: signers,
            acceptingSHA1: acceptingSHA1)
    }

    private func attributes(status: String, nonce: [UInt8]? = nil) -> [SignedMessage.Attribute] {
        [
            .printable(SCEPAttribute.messageType, "3"), .printable(SCEPAttribute.status, status),
            .printable(SCEPAttribute.transaction, "7"),
            .octets(SCEPAttribute.recipientNonce, nonce ?? question.nonce),
        ]
    }

    @Test func aSignerWithAWeakKeyDoesNotHideTheOther() async throws {
        try openssl.makeSelfSigned("weak", algorithm: "rsa:1024")
        try openssl.makeSelfSigned("ca", algorithm: "rsa:2048")
        let weak = try #require(try CertificateBundle(pem: try openssl.bytes("weak.pem")).certificates.first)
        let authority = try identity("ca")
        let bytes = try await SignedMessage.signed(nil, attributes(status: "3"), by: authority)
        #expect(try answer(bytes, [weak, authority.leaf]) == .pending)
        // With that key alone, the signature cannot be judged.
        #expect(throws: EnrollmentError(.unsupported, "")) { try answer(bytes, [weak]) }
    }

    /// Only the authority's own weak signature is a reason to speak of weak signatures.
    @Test func aStrangersSignatureOverSHA1IsAStrangers() throws {
        for name in ["ca", "stranger"] { try openssl.makeSelfSigned(name, algorithm: "rsa:2048") }
        try openssl.write("content", "content")
        try openssl(
            "cms -sign -nodetach -binary -md sha1 -in content -signer ca.pem -inkey ca.key -outform DER -out old")
        let bytes = try openssl.bytes("old")
        let (authority, stranger) = (try identity("ca").leaf, try identity("stranger").leaf)
        #expect(throws: EnrollmentError(.unsupported, "")) { try answer(bytes, [authority]) }
        for acceptingSHA1 in [false, true] {
            #expect(throws: EnrollmentError(.unverifiedAnswer, "")) {
                try answer(bytes, [stranger], acceptingSHA1: acceptingSHA1)
            }
        }
    }

    @Test func whatAnAnswerMustSay() async throws {
        try openssl.makeSelfSigned("ca", algorithm: "rsa:2048")
        let authority = try identity("ca")
        func signed(_ content: [UInt8]?, _ attributes: [SignedMessage.Attribute]) async throws -> [UInt8] {
            try await SignedMessage.signed(content, attributes, by: authority)
        }
        let issued = try await signed([1, 2], attributes(status: "0"))
        #expect(try answer(issued, [authority.leaf]) == .issued([1, 2]))
        let old = try await signed([1, 2], attributes(status: "0", nonce: [1]))
        #expect(throws: EnrollmentError(.unverifiedAnswer, "")) { try answer(old, [authority.leaf]) }
        for missing in 0..<4 {
            var left = attributes(status: "0")
            left.remove(at: missing)
            let bytes = try await signed([1, 2], left)
            let code = missing == 1 ? EnrollmentError.Code.malformedAnswer : .unverifiedAnswer
            #expect(throws: EnrollmentError(code, "")) { try answer(bytes, [authority.leaf]) }
        }
        for (status, code) in [("2", EnrollmentError.Code.refused), ("9", .malformedAnswer), ("", .malformedAnswer)] {
            let bytes = try await signed(nil, attributes(status: status))
            #expect(throws: EnrollmentError(code, "")) { try answer(bytes, [authority.leaf]) }
        }
    }
}
