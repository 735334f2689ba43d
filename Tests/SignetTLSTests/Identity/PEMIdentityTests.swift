import Foundation
import SignetTesting
import TestSupport
import Testing

@testable import SignetTLS

@Suite struct PEMIdentityTests {
    @Test(arguments: [
        ("rsa:2048", "rsa -traditional", "RSA PRIVATE KEY"), ("rsa:2048", "pkey", "PRIVATE KEY"),
        ("ec -pkeyopt ec_paramgen_curve:P-256", "ec", "EC PRIVATE KEY"),
        ("ec -pkeyopt ec_paramgen_curve:P-384", "ec", "EC PRIVATE KEY"), ("ed25519", "pkey", "PRIVATE KEY"),
    ]) func readsEveryFormOfKey(kind: String, form: String, label: String) throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        let words = kind.split(separator: " ").map(String.init)
        try openssl.makeSelfSigned("device", algorithm: words[0], Array(words.dropFirst()))
        try openssl("\(form) -in device.key -out form.key")
        let pem = try openssl.bytes("form.key")
        #expect(String(decoding: pem, as: UTF8.self).contains("BEGIN \(label)"))
        let identity = try Identity(pem: openssl.bytes("device.pem"), privateKey: pem)
        try openssl.write(#require(identity.privateKey?.pkcs8), "read.der")
        #expect(
            try openssl("pkey -inform DER -in read.der -pubout") == openssl("pkey -in device.key -pubout"))
    }

    @Test func findsTheCertificateOfTheKeyAndOrdersTheOthers() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        let pem = try openssl.bytes("others.pem") + openssl.bytes("leaf.pem")
        let identity = try Identity(pem: pem, privateKey: openssl.bytes("leaf.key"))
        #expect(identity.chain.map(\.subject) == ["CN=leaf", "CN=middle"])
    }

    @Test func explainsWhatAFileLacks() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        try openssl("pkey -in leaf.key -aes256 -passout pass:s -out sealed.key")
        try openssl("ec -in leaf.key -aes256 -passout pass:s -out sealed-old.key")
        let (leaf, key) = (try openssl.bytes("leaf.pem"), try openssl.bytes("leaf.key"))
        let cases: [([UInt8], [UInt8], IdentityError.Code)] = [
            ([], key, .noCertificate), (key, key, .noCertificate), (leaf, [], .noPrivateKey),
            (leaf, leaf, .noPrivateKey),
            (leaf, try openssl.bytes("middle.key"), .noMatchingCertificate), (leaf, key + key, .severalKeys),
            (leaf, try openssl.bytes("sealed.key"), .passwordRequired),
            (leaf, try openssl.bytes("sealed-old.key"), .passwordRequired),
            (Array(leaf.dropLast(40)), key, .damaged), (leaf, Array(key.dropLast(40)), .damaged),
            (Array("-----BEGIN CERTIFICATE-----\n????\n-----END CERTIFICATE-----".utf8), key, .damaged),
            (Array("-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----".utf8), key, .damaged),
            (leaf, Array("-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----".utf8), .damaged),
            (
                leaf, Array("-----BEGIN DSA PRIVATE KEY-----\nMAA=\n-----END DSA PRIVATE KEY-----".utf8),
                .unsupportedAlgorithm
            ),
        ]
        for (index, (pem, key, code)) in cases.enumerated() {
            let error = #expect(throws: IdentityError.self, "case \(index)") { try Identity(pem: pem, privateKey: key) }
            #expect(error?.code == code, "case \(index): \(error?.message ?? "")")
        }
    }

    @Test func everyTruncationOfAKeyIsAnError() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        let (leaf, key) = (try openssl.bytes("leaf.pem"), try openssl.bytes("leaf.key"))
        for count in 0..<(key.count - 6) {
            #expect(throws: IdentityError.self) { try Identity(pem: leaf, privateKey: Array(key.prefix(count))) }
        }
    }

    /// Neither the password nor the key shows in anything that prints.
    @Test func keepsItsSecrets() throws {
        let identity = try CertificateAuthority().issueClient(commonName: "device")
        let pkcs8 = try #require(identity.privateKey?.pkcs8)
        let secret = Array(pkcs8[36..<68])
        var dumped = ""
        dump(identity, to: &dumped)
        dump(identity.key, to: &dumped)
        dump([identity.key], to: &dumped)
        let file = try identity.pkcs12(password: "canary-password", label: nil, iterations: 2)
        let wrong = #expect(throws: IdentityError.self) { try Identity(pkcs12: file, password: "canary-guess") }
        let texts = [
            "\(identity)", String(describing: identity), String(reflecting: identity), dumped,
            "\(identity.key)", String(reflecting: identity.key), String(reflecting: [identity]),
            String(reflecting: Mirror(reflecting: identity).children.map(\.value)),
            String(reflecting: wrong), wrong?.message ?? "",
        ]
        #expect(texts[0] == "Identity(CN=device)")
        for text in texts {
            #expect(!text.contains("canary"))
            #expect(!text.contains(Text.hexadecimal(secret)))
            #expect(!text.contains(Text.base64(secret).dropLast(2)))
            #expect(!text.contains(secret.prefix(8).map(String.init).joined(separator: ", ")))
            #expect(!text.contains("storage"))
        }
    }
}
