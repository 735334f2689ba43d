import Foundation
import SignetTesting
import TestSupport
import Testing

@testable import SignetTLS

/// Files that openssl wrote, read by the library.
@Suite struct PFXReadingTests {
    static let keys = [
        "rsa:2048", "ec -pkeyopt ec_paramgen_curve:P-256", "ec -pkeyopt ec_paramgen_curve:P-384",
        "ec -pkeyopt ec_paramgen_curve:P-521", "ed25519",
    ]

    @Test(arguments: keys) func readsEveryKindOfKey(kind: String) throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        let words = kind.split(separator: " ").map(String.init)
        try openssl.makeSelfSigned("device", algorithm: words[0], Array(words.dropFirst()))
        try openssl(
            "pkcs12 -export -in device.pem -inkey device.key -name meter -passout pass:secret -out device.p12")
        let identity = try Identity(pkcs12: openssl.bytes("device.p12"), password: "secret")
        #expect(identity.label == "meter")
        #expect(identity.leaf.subject == "CN=device")
        #expect(identity.chain == [identity.leaf])
        try openssl.write(#require(identity.privateKey?.pkcs8), "read.der")
        #expect(
            try openssl("pkey -inform DER -in read.der -pubout") == openssl("pkey -in device.key -pubout"))
    }

    @Test(arguments: [
        "-keypbe AES-256-CBC -certpbe AES-256-CBC", "-keypbe AES-192-CBC -certpbe AES-192-CBC",
        "-keypbe AES-128-CBC -certpbe AES-128-CBC", "-keypbe NONE -certpbe NONE", "-keypbe AES-256-CBC -certpbe NONE",
        "-keypbe DES-EDE3-CBC -certpbe DES-EDE3-CBC", "-legacy",
        "-legacy -keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES", "-legacy -keypbe PBE-SHA1-2DES -certpbe PBE-SHA1-2DES",
        "-legacy -keypbe PBE-SHA1-RC2-40 -certpbe PBE-SHA1-RC2-128",
        "-legacy -keypbe PBE-SHA1-RC4-40 -certpbe PBE-SHA1-RC4-128",
        "-macalg SHA1", "-macalg SHA224", "-macalg SHA256", "-macalg SHA384", "-macalg SHA512", "-iter 1",
        "-iter 100000", "-nomaciter",
    ]) func readsEveryProtection(options: String) throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        try openssl("pkcs12 -export -in leaf.pem -inkey leaf.key -passout pass:secret -out a.p12 \(options)")
        let identity = try Identity(pkcs12: openssl.bytes("a.p12"), password: "secret")
        #expect(identity.leaf.subject == "CN=leaf")
        #expect(identity.label == nil)
        #expect(throws: IdentityError(.wrongPassword, "")) {
            try Identity(pkcs12: openssl.bytes("a.p12"), password: "Secret")
        }
    }

    @Test(arguments: ["", "p", "Jäger-Straße", "пароль", "🔑 key", String(repeating: "long", count: 50)])
    func readsEveryPassword(password: String) throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        try openssl.write(password + "\n", "password")
        try openssl("pkcs12 -export -in leaf.pem -inkey leaf.key -passout file:password -out a.p12")
        #expect(try Identity(pkcs12: openssl.bytes("a.p12"), password: password).leaf.subject == "CN=leaf")
        #expect(throws: IdentityError(.wrongPassword, "")) {
            try Identity(pkcs12: openssl.bytes("a.p12"), password: password + "x")
        }
    }

    @Test func ordersTheChainAndKeepsTheRootApart() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        try openssl("pkcs12 -export -in leaf.pem -inkey leaf.key -certfile others.pem -passout pass:s -out a.p12")
        let identity = try Identity(pkcs12: openssl.bytes("a.p12"), password: "s")
        #expect(identity.chain.map(\.subject) == ["CN=leaf", "CN=middle"])
        #expect(Set(identity.authorities.certificates.map(\.subject)) == ["CN=middle", "CN=root"])
        let now = Int64(Date().timeIntervalSince1970)
        let path = try TrustPolicy.anchors(identity.authorities)
            .evaluate(identity.chain, as: .server(.init(host: "leaf.example")), at: now).get()
        #expect(path.leaf == identity.leaf)
    }

    @Test func readsSeveralIdentitiesOnlyWhenAsked() throws {
        let authority = try CertificateAuthority()
        let identities = try ["one", "two"].map { try authority.issueClient(commonName: $0) }
        let files = try identities.map {
            try $0.pkcs12(password: "secret", label: "label of \($0.leaf.subject)", iterations: 2)
        }
        let file = try PFXParts.joined(files)
        let error = #expect(throws: IdentityError.self) { try Identity(pkcs12: file, password: "secret") }
        #expect(error?.code == .severalKeys)
        #expect(error?.message.contains("label of CN=two") == true)
        let read = try Identity.all(pkcs12: file, password: "secret")
        #expect(read == identities)
        #expect(read.map(\.label) == ["label of CN=one", "label of CN=two"])
    }

    @Test func readsIndefiniteLengths() throws {
        let identity = try CertificateAuthority().issueClient()
        let file = try PFXParts.indefinite(try identity.pkcs12(password: "secret", label: nil, iterations: 2))
        #expect(try Identity(pkcs12: file, password: "secret") == identity)
    }

    @Test func explainsWhatAFileLacks() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        try openssl("pkcs12 -export -nokeys -in leaf.pem -passout pass:s -out certificates.p12")
        try openssl("pkcs12 -export -nocerts -inkey leaf.key -in leaf.pem -passout pass:s -out key.p12")
        try openssl("pkcs12 -export -nomac -inkey leaf.key -in leaf.pem -passout pass:s -out nomac.p12")
        #expect(throws: IdentityError(.noPrivateKey, "")) {
            try Identity(pkcs12: openssl.bytes("certificates.p12"), password: "s")
        }
        let alone = #expect(throws: IdentityError(.noCertificate, "")) {
            try Identity(pkcs12: openssl.bytes("key.p12"), password: "s")
        }
        #expect(alone?.message.contains("a private key and no certificate") == true)
        #expect(throws: IdentityError(.noIntegrityCheck, "")) {
            try Identity(pkcs12: openssl.bytes("nomac.p12"), password: "s")
        }
        #expect(throws: IdentityError(.damaged, "")) {
            try Identity(pkcs12: openssl.bytes("leaf.pem"), password: "s")
        }
    }

    @Test(arguments: [
        ("-keypbe aes-256-cbc -certpbe DES-CBC -legacy", "1.3.14.3.2.7"),
        ("-legacy -keypbe PBE-MD5-DES -certpbe PBE-MD5-DES", "1.2.840.113549.1.5.3"),
        ("-macalg MD5", "1.2.840.113549.2.5"),
    ]) func namesTheAlgorithmThatItDoesNotRead(options: String, identifier: String) throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        try openssl("pkcs12 -export -in leaf.pem -inkey leaf.key -passout pass:s -out a.p12 \(options)")
        let error = #expect(throws: IdentityError.self) { try Identity(pkcs12: openssl.bytes("a.p12"), password: "s") }
        #expect(error?.code == .unsupportedAlgorithm)
        #expect(error?.message.contains(identifier) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("openssl pkcs12 -legacy") == true)
    }

    @Test func namesTheKeyThatItDoesNotRead() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeSelfSigned("k1", algorithm: "ec", ["-pkeyopt", "ec_paramgen_curve:secp256k1"])
        try openssl.makeSelfSigned("small", algorithm: "rsa:1024")
        for name in ["k1", "small"] {
            try openssl("pkcs12 -export -in \(name).pem -inkey \(name).key -passout pass:s -out a.p12")
            #expect(throws: IdentityError(.unsupportedAlgorithm, "")) {
                try Identity(pkcs12: openssl.bytes("a.p12"), password: "s")
            }
        }
    }

    @Test func refusesToWorkForever() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        try openssl("pkcs12 -export -in leaf.pem -inkey leaf.key -passout pass:s -nomaciter -iter 5000001 -out a.p12")
        #expect(throws: IdentityError(.tooLarge, "")) { try Identity(pkcs12: openssl.bytes("a.p12"), password: "s") }
        #expect(throws: IdentityError(.tooLarge, "")) {
            try Identity(pkcs12: [UInt8](repeating: 0x30, count: 5 << 20), password: "s")
        }
    }
}
