import SignetTLS
import SignetTesting
import SignetXML
import Testing

@testable import SignetSignature

/// The forms that services demand, as far as their descriptions say them.
@Suite struct XMLSignerPresetTests {
    private static let identity = Task {
        try await KeyPair.generate(.rsa(bits: 2048)).selfSignedIdentity(
            subject: .init(commonName: "company"), notBefore: 0, notAfter: 1 << 32)
    }

    private func verify(_ document: String, _ expectation: XMLSignatureVerifier.Expectation) async throws {
        var verifier = XMLSignatureVerifier(signers: [try await Self.identity.value.leaf])
        verifier.acceptsSHA1 = true
        _ = try verifier.verify(Array(document.utf8), covering: expectation, at: 1)
    }

    @Test func nfe() async throws {
        let namespace = "http://www.portalfiscal.inf.br/nfe"
        let document = "<NFe xmlns=\"\(namespace)\"><infNFe Id=\"NFe35\" versao=\"4.00\"><ide/></infNFe></NFe>"
        let signer = try XMLSigner.nfe(try await Self.identity.value)
        let signed = String(
            decoding: try await signer.sign(Array(document.utf8), covering: .element(id: "NFe35")), as: UTF8.self)
        let canonical = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
        let sha1 = "http://www.w3.org/2000/09/xmldsig#"
        for part in [
            "</infNFe><Signature xmlns=\"\(sha1)\"><SignedInfo><CanonicalizationMethod Algorithm=\"\(canonical)\"/>",
            "<SignatureMethod Algorithm=\"\(sha1)rsa-sha1\"/><Reference URI=\"#NFe35\"><Transforms>",
            "<Transform Algorithm=\"\(sha1)enveloped-signature\"/><Transform Algorithm=\"\(canonical)\"/></Transforms>",
            "<DigestMethod Algorithm=\"\(sha1)sha1\"/>", "<KeyInfo><X509Data><X509Certificate>", "</Signature></NFe>",
        ] {
            #expect(signed.contains(part), "\(part): \(signed)")
        }
        try await verify(signed, .element(XMLName(XMLNamespace(namespace), "infNFe")))
    }

    @Test func sat() async throws {
        let namespace = XMLNamespace("http://DescargaMasivaTerceros.sat.gob.mx")
        let document =
            "<des:VerificaSolicitudDescarga xmlns:des=\"\(namespace)\"><des:solicitud IdSolicitud=\"1\"/></des:VerificaSolicitudDescarga>"
        let identity = try await Self.identity.value
        let signer = try XMLSigner.sat(identity, inside: XMLName(namespace, "solicitud"))
        let signed = String(decoding: try await signer.sign(Array(document.utf8), covering: .root), as: UTF8.self)
        #expect(signed.contains("<des:solicitud IdSolicitud=\"1\"><Signature xmlns="), "\(signed)")
        #expect(signed.contains("</Signature></des:solicitud>") && signed.contains("<Reference URI=\"\">"))
        try await verify(signed, .root)
        // The element must be there once, in what is signed.
        for (name, element) in [("other", ""), ("solicitud", "<des:solicitud/>")] {
            let other = try XMLSigner.sat(identity, inside: XMLName(namespace, name))
            let twice = document.replacing(
                "</des:VerificaSolicitudDescarga>", with: element + "</des:VerificaSolicitudDescarga>")
            await #expect(throws: XMLSignatureError.self) {
                try await other.sign(Array(twice.utf8), covering: .root)
            }
        }
    }

    @Test func otherKeysAreRefused() throws {
        let elliptic = try CertificateAuthority().issueClient()
        #expect(throws: XMLSignatureError.self) { try XMLSigner.nfe(elliptic) }
        #expect(throws: XMLSignatureError.self) { try XMLSigner.sat(elliptic, inside: XMLName("urn:a", "a")) }
    }
}
