import SignetTesting
import SignetXML
import Testing

@_spi(Experimental) @testable import SignetSignature

@Suite struct MLDSAKeyTests {
    private static let document = Array("<a><b Id=\"b\">1</b></a>".utf8)
    private static let b = XMLName("", "b")

    @Test(arguments: MLDSAParameters.allCases) func documentsAreSigned(_ parameters: MLDSAParameters) async throws {
        let key = try MLDSAKey(parameters)
        let signer = XMLSigner(key)
        let signed = try await signer.sign(Self.document, covering: .element(id: "b"))
        let verifier = XMLSignatureVerifier(signers: [])
        let other = try MLDSAKey(parameters)
        let content = try verifier.verify(
            signed, covering: .element(Self.b), by: [other.publicKey, key.publicKey])
        #expect(content.localName == "b")
        #expect(throws: XMLSignatureError(.wrongSignature, "")) {
            try verifier.verify(signed, covering: .element(Self.b), by: [other.publicKey])
        }
        #expect(throws: XMLSignatureError(.notCovered, "")) {
            try verifier.verify(signed, covering: .root, by: [key.publicKey])
        }
        let changed = Array(String(decoding: signed, as: UTF8.self).replacing(">1<", with: ">2<").utf8)
        #expect(throws: XMLSignatureError(.changedContent, "")) {
            try verifier.verify(changed, covering: .element(Self.b), by: [key.publicKey])
        }
        // No certificate accepts it, and no key a signature of a certificate.
        let identity = try CertificateAuthority().issueClient()
        let now = (identity.leaf.notBefore ?? 0) + 1
        #expect(throws: XMLSignatureError(.unsupported, "")) {
            try XMLSignatureVerifier(signers: [identity.leaf]).verify(signed, covering: .element(Self.b), at: now)
        }
        let usual = try await XMLSigner(identity).sign(Self.document, covering: .root)
        #expect(throws: XMLSignatureError(.unsupported, "")) {
            try verifier.verify(usual, covering: .root, by: [key.publicKey])
        }
    }

    @Test func settingsThatAKeyCannotMeetAreRefused() async throws {
        let key = try MLDSAKey(.mlDSA65)
        for change in [
            { (signer: inout XMLSigner) in signer.algorithm = .insecureRSASHA1 },
            { (signer: inout XMLSigner) in signer.keyInfo = .certificate },
            { (signer: inout XMLSigner) in signer.algorithm = .ecdsa(.sha256) },
            { (signer: inout XMLSigner) in signer.algorithm = .ed25519 },
        ] {
            var signer = XMLSigner(key)
            #expect("\(signer.algorithm)" == "ML-DSA-65")
            change(&signer)
            let wrong = signer
            await #expect(throws: XMLSignatureError(.cannotSign, "")) {
                try await wrong.sign(Self.document, covering: .root)
            }
        }
    }

    @Test func keysAreReadAndNotShown() throws {
        let seed = [UInt8](0..<32)
        let key = try MLDSAKey(seed: seed, .mlDSA87)
        #expect(key.seed == seed && key.publicKey.bytes.count == 2592)
        #expect("\(key)" == "a key of ML-DSA-87" && !String(reflecting: key).contains("31"))
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!dumped.contains("30"))
        let again = try MLDSAPublicKey(bytes: key.publicKey.bytes, .mlDSA87)
        #expect(again.parameters == .mlDSA87)
        #expect(throws: XMLSignatureError(.cannotSign, "")) { try MLDSAKey(seed: [1], .mlDSA65) }
        #expect(throws: XMLSignatureError(.unsupported, "")) { try MLDSAPublicKey(bytes: [1], .mlDSA65) }
    }
}
