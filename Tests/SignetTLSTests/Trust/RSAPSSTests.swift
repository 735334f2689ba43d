import Synchronization
import TestSupport
import Testing

@testable import SignetTLS

/// RSASSA-PSS in every form in which authorities use it (RFC 4055).
@Suite struct RSAPSSTests {
    private static let keys = Mutex<[String: [UInt8]]>([:])

    /// Making an RSA key takes long: each is made once.
    private static func bytes(of key: String) throws -> [UInt8] {
        try keys.withLock { keys in
            if let known = keys[key] { return known }
            let openssl = try OpenSSL()
            defer { openssl.remove() }
            try openssl("genpkey \(key) -out root.key")
            let bytes = try openssl.bytes("root.key")
            keys[key] = bytes
            return bytes
        }
    }

    private static func chain(
        _ openssl: OpenSSL, key: String, options: String
    ) throws -> (leaf: EncodedCertificate, root: CertificateBundle) {
        let padding = "-sigopt rsa_padding_mode:pss"
        try openssl.write("basicConstraints=critical,CA:TRUE", "root.cnf")
        try openssl.write("subjectAltName=DNS:service.example", "leaf.cnf")
        try openssl.write(try Self.bytes(of: key), "root.key")
        try openssl("req -new -key root.key -subj /CN=root -out root.csr \(padding)")
        try openssl(
            "x509 -req -in root.csr -signkey root.key -days 5 -extfile root.cnf -out root.pem \(padding) \(options)")
        try openssl("req -new -newkey ed25519 -nodes -subj /CN=leaf -keyout leaf.key -out leaf.csr")
        try openssl(
            "x509 -req -in leaf.csr -CA root.pem -CAkey root.key -set_serial 7 -days 5 -extfile leaf.cnf -out leaf.pem \(padding) \(options)"
        )
        return (
            try #require(CertificateBundle(pem: openssl.bytes("leaf.pem")).certificates.first),
            try CertificateBundle(pem: openssl.bytes("root.pem"))
        )
    }

    private static let key = "-algorithm RSA -pkeyopt rsa_keygen_bits:2048"
    private static let pureKey = "-algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048"
    private static let restricted =
        "\(pureKey) -pkeyopt rsa_pss_keygen_md:sha384 -pkeyopt rsa_pss_keygen_mgf1_md:sha384 -pkeyopt rsa_pss_keygen_saltlen:40"

    @Test(
        arguments: [
            // As Active Directory Certificate Services signs under AlternateSignatureAlgorithm.
            (key, "-sha256 -sigopt rsa_pss_saltlen:digest"), (key, "-sha384 -sigopt rsa_pss_saltlen:digest"),
            (key, "-sha512 -sigopt rsa_pss_saltlen:digest"),
            // As OpenSSL signs when it is told nothing more, and with anything else.
            (key, "-sha256"), (key, "-sha256 -sigopt rsa_pss_saltlen:max"), (key, "-sha256 -sigopt rsa_pss_saltlen:0"),
            (key, "-sha256 -sigopt rsa_pss_saltlen:20"), (key, "-sha512 -sigopt rsa_mgf1_md:sha256"),
            ("-algorithm RSA -pkeyopt rsa_keygen_bits:2049", "-sha256 -sigopt rsa_pss_saltlen:48"),
            ("-algorithm RSA -pkeyopt rsa_keygen_bits:2050", "-sha384 -sigopt rsa_pss_saltlen:max"),
            (pureKey, "-sha256 -sigopt rsa_pss_saltlen:digest"), (pureKey, "-sha256 -sigopt rsa_pss_saltlen:max"),
            (restricted, "-sha384 -sigopt rsa_pss_saltlen:digest"),
        ]) func verifiesFromTheEncoding(key: String, options: String) throws
    {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        let (leaf, root) = try Self.chain(openssl, key: key, options: options)
        #expect(TrustPolicyTests.verdict([leaf], .anchors(root)) == nil)
        // One bit of the signature, and one of what is signed.
        for position in [leaf.der.count - 1, leaf.der.count - 200, 60] {
            var der = leaf.der
            der[position] ^= 1
            let code = TrustPolicyTests.verdict([EncodedCertificate(der: der)], .anchors(root))
            #expect(code != nil)
            if position > 60 { #expect(code == .badSignature) }
        }
    }

    @Test func aRestrictedKeySignsAsItMayOnly() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        let (leaf, root) = try Self.chain(
            openssl, key: Self.restricted, options: "-sha384 -sigopt rsa_pss_saltlen:digest")
        let issuer = try #require(root.certificates.first?.content)
        let restriction = try #require(PublicKey.signatureRestriction(issuer.publicKeyInfo))
        guard case .rsaPSS(var parameters) = try SignatureAlgorithm(try #require(leaf.content).signatureAlgorithm)
        else {
            Issue.record("no RSA-PSS")
            return
        }
        #expect(try restriction.allows(parameters))
        parameters.saltLength = 40
        #expect(try restriction.allows(parameters))
        parameters.saltLength = 39
        #expect(try !restriction.allows(parameters))
        parameters = PSSParameters(hash: .sha512, maskHash: .sha384, saltLength: 64)
        #expect(try !restriction.allows(parameters))
        #expect(PublicKey.signatureRestriction(try #require(leaf.content).publicKeyInfo) == nil)
    }

    /// RFC 8017 §5.2.2, and numbers that are no RSA key.
    @Test func refusesImpossibleNumbers() throws {
        let modulus = [UInt8](repeating: 0xFF, count: 256)
        let operation = try #require(RSAPublicOperation(modulus: modulus, exponent: [1, 0, 1]))
        #expect(operation.apply(to: modulus[...]) == nil)
        #expect(operation.apply(to: [1]) == nil)
        var one = [UInt8](repeating: 0, count: 256)
        one[255] = 1
        #expect(operation.apply(to: one[...]) == one)
        // n - 1 is -1, and stays so with an odd exponent.
        var minusOne = modulus
        minusOne[255] = 0xFE
        #expect(operation.apply(to: minusOne[...]) == minusOne)
        for (modulus, exponent) in [
            ([], [3]), ([UInt8](repeating: 0xFE, count: 256), [3]), ([3], [3]), (modulus, []), (modulus, [1]),
            (modulus, [4]),
            (modulus, [1, 0, 0, 0, 0, 1]), ([UInt8](repeating: 0xFF, count: 1_025), [3]),
        ] as [([UInt8], [UInt8])] {
            #expect(RSAPublicOperation(modulus: modulus, exponent: exponent) == nil)
        }
    }
}
