import Foundation
import TestSupport
import Testing

@testable import SignetTLS

/// Encrypted messages in both directions with OpenSSL.
@Suite struct EnvelopedMessageTests {
    private let openssl: OpenSSL
    private let content = Array("content for the recipient".utf8)

    init() throws {
        openssl = try OpenSSL()
        try openssl.makeSelfSigned("own", algorithm: "rsa:2048")
        try openssl.makeSelfSigned("other", algorithm: "rsa:2048")
    }

    private func identity(_ name: String) throws -> Identity {
        try Identity(pem: try openssl.bytes("\(name).pem"), privateKey: try openssl.bytes("\(name).key"))
    }

    @Test(arguments: EnvelopedMessage.Cipher.allCases)
    func opensslDecryptsAndWeDo(cipher: EnvelopedMessage.Cipher) throws {
        let own = try identity("own")
        let bytes = try EnvelopedMessage.sealed(content, for: own.leaf, cipher)
        try openssl.write(bytes, "message.der")
        #expect(
            try openssl("cms -decrypt -binary -inform DER -in message.der -recip own.pem -inkey own.key")
                == String(decoding: content, as: UTF8.self))
        #expect(try EnvelopedMessage.opened(bytes, with: KeyPair(of: own)) == content)
        let other = KeyPair(of: try identity("other"))
        // Once in 256 times, what comes out looks padded.
        #expect((try? EnvelopedMessage.opened(bytes, with: other)) != content)
    }

    @Test(arguments: ["-aes128", "-aes192", "-aes256", "-des3", "-aes128 -stream", "-aes128 -keyid"])
    func messagesOfOpenSSL(form: String) throws {
        try openssl.write(content, "content")
        // Two recipients, in an order that OpenSSL chooses.
        try openssl("cms -encrypt -binary -in content -outform DER -out theirs.der \(form) other.pem own.pem")
        let (message, key) = (try openssl.bytes("theirs.der"), KeyPair(of: try identity("own")))
        #expect(try EnvelopedMessage.opened(message, with: key) == content)
        #expect(throws: CMSProblem.self) { try EnvelopedMessage.opened(message, with: key, recipients: 1) }
        try openssl("cms -encrypt -binary -in content -outform DER -out alone.der \(form) own.pem")
        #expect(try EnvelopedMessage.opened(try openssl.bytes("alone.der"), with: key, recipients: 1) == content)
    }

    @Test func badMessages() throws {
        let own = try identity("own")
        let key = KeyPair(of: own)
        let bytes = try EnvelopedMessage.sealed(content, for: own.leaf, .aes128)
        for position in bytes.indices {
            var other = bytes
            other[position] ^= 0x81
            _ = try? EnvelopedMessage.opened(other, with: key)
            _ = try? EnvelopedMessage.opened(Array(bytes.prefix(position)), with: key)
        }
        // Whether the key or the content is damaged cannot be told from the error.
        var problems: Set<String> = []
        for position in [bytes.count - 1, bytes.count - 200] {
            var other = bytes
            other[position] ^= 0x81
            do { _ = try EnvelopedMessage.opened(other, with: key) } catch { problems.insert("\(error)") }
        }
        #expect(problems.count == 1)
        let elliptic = try KeyPair.generate(.p256)
        #expect(throws: CMSProblem.self) { try EnvelopedMessage.opened(bytes, with: elliptic) }
        try openssl.makeSelfSigned("curve", algorithm: "ec", ["-pkeyopt", "ec_paramgen_curve:P-256"])
        let curve = try identity("curve").leaf
        #expect(throws: CMSProblem.self) { try EnvelopedMessage.sealed(content, for: curve, .aes128) }
    }
}
