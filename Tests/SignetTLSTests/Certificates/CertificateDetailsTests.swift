import Foundation
import SignetTesting
import TestSupport
import Testing

@testable import SignetTLS

/// What certificates say, in words.
@Suite struct CertificateDetailsTests {
    @Test(arguments: [
        ("rsa:2048", "", "RSA 2048", "RSA with SHA-256"), ("rsa:3072", "-sha512", "RSA 3072", "RSA with SHA-512"),
        ("rsa:1024", "-sha1", "RSA 1024", "RSA with SHA-1"),
        ("rsa:2048", "-sigopt rsa_padding_mode:pss", "RSA 2048", "RSA-PSS with SHA-256"),
        ("rsa-pss", "-sha384", "RSA-PSS 2048", "RSA-PSS with SHA-384"), ("ed25519", "", "Ed25519", "Ed25519"),
        ("ed448", "", "Ed448", "Ed448"),
        ("ec -pkeyopt ec_paramgen_curve:P-521", "-sha384", "P-521", "ECDSA with SHA-384"),
        ("ec -pkeyopt ec_paramgen_curve:secp256k1", "", "secp256k1", "ECDSA with SHA-256"),
        ("ec -pkeyopt ec_paramgen_curve:brainpoolP256r1", "-sha1", "brainpoolP256r1", "ECDSA with SHA-1"),
    ])
    func algorithmsAreNamed(key: String, options: String, expected: String, signature: String) throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl("req -x509 -nodes -newkey \(key) \(options) -subj /CN=a -days 9 -keyout a.key -out a.pem")
        let details = try #require(CertificateBundle(pem: openssl.bytes("a.pem")).certificates.first?.details)
        #expect(details.key == expected)
        #expect(details.signature == signature)
    }

    @Test func namesAndUsagesAreListed() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.write(
            """
            [req]
            distinguished_name = dn
            [dn]
            [x]
            basicConstraints = critical, CA:TRUE, pathlen:2
            keyUsage = digitalSignature, nonRepudiation, keyCertSign, decipherOnly
            extendedKeyUsage = serverAuth, clientAuth, msSmartcardLogin, 1.2.3.4
            subjectAltName = @names
            [names]
            DNS.1 = A.example
            DNS.2 = *.b.example
            IP.1 = 10.0.0.1
            IP.2 = 2001:db8::1
            email.1 = someone@a.example
            URI.1 = urn:uuid:1
            RID.1 = 1.2.3
            dirName.1 = subject
            otherName.1 = 1.3.6.1.4.1.311.20.2.3;UTF8:me@ad.example
            otherName.2 = 1.2.3.5;UTF8:else
            [subject]
            CN = directory
            """, "a.cnf")
        try openssl(
            "req -x509 -nodes -newkey ed25519 -subj /CN=a -days 9 -config a.cnf -extensions x -set_serial 0x00abcd -keyout a.key -out a.pem"
        )
        let certificate = try #require(CertificateBundle(pem: openssl.bytes("a.pem")).certificates.first)
        let details = try #require(certificate.details)
        #expect(
            Set(details.names) == [
                "dns:A.example", "dns:*.b.example", "ip:10.0.0.1", "ip:2001:db8:0:0:0:0:0:1", "email:someone@a.example",
                "uri:urn:uuid:1", "other:8", "directory:CN=directory", "upn:me@ad.example", "other:1.2.3.5",
            ])
        #expect(Set(details.hosts) == ["a.example", "*.b.example", "10.0.0.1", "2001:db8:0:0:0:0:0:1"])
        #expect(details.keyUsage == ["digitalSignature", "nonRepudiation", "keyCertSign", "decipherOnly"])
        #expect(details.extendedKeyUsage == ["serverAuth", "clientAuth", "smartcardLogon", "1.2.3.4"])
        #expect(details.isAuthority && details.pathLength == 2)
        #expect(details.serialNumber == "00abcd")
        #expect(details.version == 3)
        // Whatever is damaged, something is said or nothing.
        for position in certificate.der.indices {
            var der = certificate.der
            der[position] ^= 0xFF
            _ = EncodedCertificate(der: der).details
            _ = EncodedCertificate(der: Array(der.prefix(position))).details
        }
    }

    @Test func pkcs7IsReadByOpenSSL() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        let root = try CertificateAuthority(commonName: "root")
        let middle = try root.issueIntermediate(commonName: "middle")
        try openssl.write(CertificateBundle(middle.chain).pkcs7(), "a.p7b")
        let printed = try openssl("pkcs7 -inform der -in a.p7b -print_certs")
        #expect(printed.contains("subject=CN = root\n") && printed.contains("subject=CN = middle\n"))
        #expect(throws: IdentityError(.cannotWrite, "")) {
            try CertificateBundle([EncodedCertificate(der: [0x30])]).pkcs7()
        }
    }
}
