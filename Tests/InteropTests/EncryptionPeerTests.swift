import Foundation
import SignetSignature
import SignetTLS
import SignetXML
import TestSupport
import Testing

/// What other libraries encrypt is decrypted, and they decrypt ours.
@Suite(.serialized, .timeLimit(.minutes(10))) struct EncryptionPeerTests {
    private static let element = "<i:part xmlns:i=\"urn:i\" a=\"1\">café &amp; <i:empty></i:empty></i:part>"

    private let openssl: OpenSSL

    init() throws {
        openssl = try OpenSSL()
        try openssl.makeSelfSigned("rsa", algorithm: "rsa:2048")
        for bits in [256, 384, 521] {
            try openssl.makeSelfSigned("p\(bits)", algorithm: "ec", ["-pkeyopt", "ec_paramgen_curve:P-\(bits)"])
        }
        try openssl.write(Self.element, "plain.xml")
    }

    private func file(_ name: String) -> String { openssl.folder.appending(path: name).path(percentEncoded: false) }

    private func identity(_ key: String) throws -> Identity {
        try Identity(pem: openssl.bytes("\(key).pem"), privateKey: openssl.bytes("\(key).key"))
    }

    /// An element that we encrypted, in the file `ours.xml`; without its values in the file `template.xml`.
    private func encrypt(_ key: String, _ content: ContentEncryption, _ method: KeyEncryption) throws {
        let encryptor = try XMLEncryptor(for: identity(key).leaf, content, method)
        let secret = encryptor.newKey()
        let wrapped = try encryptor.encryptedKey(secret, identifier: "k", recipient: "", references: [])
        let data = try encryptor.encryptedData(
            Array(Self.element.utf8), isElement: true, with: secret, identifier: "d", keyInfo: wrapped)
        try openssl.write(data, "ours.xml")
        let sender =
            "<xenc:OriginatorKeyInfo><ds:KeyName>originator</ds:KeyName><ds:KeyValue/></xenc:OriginatorKeyInfo><xenc:RecipientKeyInfo><ds:KeyName>recipient</ds:KeyName></xenc:RecipientKeyInfo>"
        try openssl.write(
            data.replacing(#/<xenc:CipherValue>[^<]*/#, with: "<xenc:CipherValue>")
                .replacing(#/<xenc:OriginatorKeyInfo>.*</xenc:OriginatorKeyInfo>/#, with: sender), "template.xml")
    }

    private func decrypt(_ document: [UInt8], _ key: String) throws -> String? {
        let offset = try #require(document.firstRange(of: Array("<xenc:EncryptedData".utf8))).lowerBound
        let content = try #require(
            try EncryptedElements.contents(of: document, at: [offset], limits: XMLLimits()).first)
        let secret = try #require(content.key).unwrapped(with: KeyPair(of: identity(key)))
        return content.decrypted(with: secret, limits: XMLLimits()).map { String(decoding: $0, as: UTF8.self) }
    }

    private func run(_ program: String, _ arguments: [String], _ what: String) async throws -> String {
        let outcome = try await PeerProcess.output(of: .init(program: program, arguments: arguments))
        #expect(outcome.status == 0, "\(what): \(outcome)")
        return outcome.output
    }

    @Test(arguments: ContentEncryption.allCases) func xmlsec1(_ content: ContentEncryption) async throws {
        try encrypt("rsa", content, .rsaOAEP)
        let theirs = try await run(
            "xmlsec1", ["--decrypt", "--privkey-pem", file("rsa.key"), file("ours.xml")], "decrypt")
        #expect(theirs.contains("caf") && theirs.contains("urn:i"), "\(content): \(theirs)")
        let bits = "\(content)".filter(\.isNumber)
        let encrypted = try await run(
            "xmlsec1",
            [
                "--encrypt", "--pubkey-cert-pem", file("rsa.pem"), "--session-key", "aes-\(bits)", "--xml-data",
                file("plain.xml"), file("template.xml"),
            ], "encrypt")
        #expect(try decrypt(Array(encrypted.utf8), "rsa")?.contains("café &amp;") == true, "\(content): \(encrypted)")
    }

    @Test(arguments: [
        ("rsa", ContentEncryption.aes256GCM, KeyEncryption.rsaOAEP), ("rsa", .aes128GCM, .rsaOAEPSHA256),
        ("rsa", .aes256CBC, .rsaOAEPSHA256), ("p256", .aes256GCM, .ecdhES), ("p384", .aes128GCM, .ecdhES),
        ("p521", .aes256GCM, .ecdhES),
    ])
    func pybergshamra(_ key: String, _ content: ContentEncryption, _ method: KeyEncryption) async throws {
        let script = PeerFile.url("signature/xml_encryption.py").path
        try encrypt(key, content, method)
        if method == .ecdhES {
            try openssl.makeSelfSigned(
                "originator", algorithm: "ec", ["-pkeyopt", "ec_paramgen_curve:P-\(key.dropFirst())"])
        }
        let theirs = try await run(Tool.python, [script, "decrypt", file("ours.xml"), file("\(key).key")], "decrypt")
        #expect(theirs.contains("caf") && theirs.contains("urn:i"), "\(theirs)")
        let encrypted = try await run(
            Tool.python,
            [script, "encrypt", file("template.xml"), file("\(key).key"), file("plain.xml")]
                + (method == .ecdhES ? [file("originator.key")] : []), "encrypt")
        #expect(try decrypt(Array(encrypted.utf8), key)?.contains("café &amp;") == true, "\(encrypted)")
    }
}
