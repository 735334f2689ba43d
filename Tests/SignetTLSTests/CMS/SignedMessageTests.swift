import Foundation
import TestSupport
import Testing

@testable import SignetTLS

/// Signed messages in both directions with OpenSSL.
@Suite struct SignedMessageTests {
    private let openssl: OpenSSL

    init() throws { openssl = try OpenSSL() }

    private func identity(_ name: String) throws -> Identity {
        try Identity(pem: try openssl.bytes("\(name).pem"), privateKey: try openssl.bytes("\(name).key"))
    }

    @Test(arguments: ["rsa:2048", "ec -pkeyopt ec_paramgen_curve:P-256", "ec -pkeyopt ec_paramgen_curve:P-521"])
    func opensslVerifiesAndWeDo(algorithm: String) async throws {
        try openssl.makeSelfSigned(
            "own", algorithm: algorithm.split(separator: " ").first.map(String.init) ?? "",
            algorithm.split(separator: " ").dropFirst().map(String.init))
        let identity = try identity("own")
        let attribute = SignedMessage.Attribute.printable("2.16.840.1.113733.1.9.7", "transaction 7")
        let bytes = try await SignedMessage.signed(Array("content".utf8), [attribute], by: identity)
        try openssl.write(bytes, "message.der")
        #expect(
            try openssl("cms -verify -inform DER -in message.der -CAfile own.pem -purpose any -binary") == "content")
        let message = try SignedMessage(bytes)
        #expect(message.attributes == [attribute] && message.content == Array("content".utf8))
        #expect(message.certificates == [identity.leaf] && attribute.bytes == Array("transaction 7".utf8))
        #expect(try message.isSigned(by: identity.leaf))

        try openssl.write("content", "content")
        for form in ["", "-keyid", "-md sha384", "-stream"] {
            try openssl(
                "cms -sign -nodetach -binary -in content -signer own.pem -inkey own.key -outform DER -out theirs.der \(form)"
            )
            let theirs = try SignedMessage(try openssl.bytes("theirs.der"))
            #expect(try theirs.content == Array("content".utf8) && theirs.isSigned(by: identity.leaf), "\(form)")
        }
        // Nothing that is signed can be changed.
        for position in bytes.indices where position % 7 == 0 {
            var other = bytes
            other[position] ^= 1
            guard let changed = try? SignedMessage(other), (try? changed.isSigned(by: identity.leaf)) == true else {
                continue
            }
            #expect(changed.content == message.content && changed.attributes == message.attributes)
        }
    }

    @Test func oldAndMissingSignatures() async throws {
        try openssl.makeSelfSigned("own", algorithm: "rsa:2048")
        try openssl.makeSelfSigned("other", algorithm: "rsa:2048")
        try openssl.write("content", "content")
        let (own, other) = (try identity("own").leaf, try identity("other").leaf)
        let sign = "cms -sign -nodetach -binary -in content -signer own.pem -inkey own.key -outform DER -out"
        try openssl("\(sign) sha1.der -md sha1")
        let old = try SignedMessage(try openssl.bytes("sha1.der"))
        #expect(throws: CMSProblem.self) { try old.isSigned(by: own) }
        #expect(try old.isSigned(by: own, acceptingSHA1: true) && !old.isSigned(by: other, acceptingSHA1: true))
        try openssl("\(sign) bare.der -noattr")
        let bare = try openssl.bytes("bare.der")
        #expect(throws: CMSProblem.self) { try SignedMessage(bare) }
        try openssl("\(sign) two.der -signer other.pem -inkey other.key")
        let two = try openssl.bytes("two.der")
        #expect(throws: CMSProblem.self) { try SignedMessage(two) }
        try openssl("\(sign) own.der")
        #expect(try !SignedMessage(try openssl.bytes("own.der")).isSigned(by: other))
        // Without content.
        let empty = try await SignedMessage.signed(nil, [], by: try identity("own"))
        #expect(try SignedMessage(empty).content.isEmpty && SignedMessage(empty).isSigned(by: own))
        #expect(throws: CMSProblem.self) { try SignedMessage([]) }
        #expect(throws: CMSProblem.self) { try SignedMessage([UInt8](repeating: 0x30, count: 2 << 20)) }
    }
}
