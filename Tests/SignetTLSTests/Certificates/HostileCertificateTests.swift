import Crypto
import Foundation
import SignetTesting
import SwiftASN1
import Testing
import X509

@testable import SignetTLS

/// Certificates made to cost the verifier time or to mislead a reader of its messages.
@Suite struct HostileCertificateTests {
    /// A self-signed certificate with these extensions, whatever they are.
    private static func certificate(extensions: [Certificate.Extension]) throws -> EncodedCertificate {
        let key = P256.Signing.PrivateKey()
        let name = try X509.DistinguishedName { CommonName("odd") }
        let now = Date(timeIntervalSince1970: Double(TrustPolicyTests.now))
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: now - 60,
            notValidAfter: now + 60, issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init(extensions), issuerPrivateKey: .init(key))
        var coder = DER.Serializer()
        try coder.serialize(certificate)
        return EncodedCertificate(der: coder.serializedBytes)
    }

    /// The number behind a version is one less than it.
    @Test func refusesEveryOtherVersion() throws {
        let good = try CertificateAuthority().certificate.der
        for bytes: [UInt8] in [
            [0x7F] + [UInt8](repeating: 0xFF, count: 7), [0x03], [0xFF], [0x80] + [UInt8](repeating: 0, count: 7),
        ] {
            let version = [0xA0, UInt8(bytes.count + 2), 0x02, UInt8(bytes.count)] + bytes
            let head: [UInt8] = [0xA0, 0x03, 0x02, 0x01, 0x02]
            let at = try #require(good.indices.first { good[$0...].starts(with: head) })
            let content = Array(good[8..<at]) + version + good[(at + head.count)...]
            // Lengths in two bytes each, of the certificate and of what is signed.
            func sequence(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
                [0x30, 0x82, UInt8(count >> 8), UInt8(count & 0xFF)] + bytes
            }
            let growth = version.count - head.count
            func length(_ place: Int) -> Int { Int(good[place]) << 8 + Int(good[place + 1]) + growth }
            try #require(good[1] == 0x82 && good[5] == 0x82)
            let changed = sequence(sequence(content, length(6)), length(2))
            let certificate = EncodedCertificate(der: changed)
            #expect("\(certificate.reading)".contains("an unknown version"), "\(bytes)")
        }
    }

    /// Each attribute costs more to read than its few bytes tell.
    @Test func readsSixtyFourAttributesOfANameAndNoMore() throws {
        func name(_ count: Int) throws -> ASN1Node {
            var coder = DER.Serializer()
            coder.appendConstructedNode(identifier: .sequence) { coder in
                for _ in 0..<count {
                    coder.serializeRawBytes([0x31, 0x0A, 0x30, 0x08, 0x06, 0x03, 0x55, 0x04, 0x03, 0x0C, 0x01, 0x61])
                }
            }
            return try DER.parse(coder.serializedBytes)
        }
        #expect(try !SignetTLS.DistinguishedName(name(64)).isEmpty)
        #expect(throws: EncodingError.self) { try SignetTLS.DistinguishedName(name(65)) }
        #expect(throws: EncodingError.self) { try SignetTLS.DistinguishedName(DER.parse([0x30, 0x02, 0x31, 0x00])) }
    }

    /// swift-certificates does not write so many: those of a good certificate are exchanged.
    @Test func readsSixtyFourExtensionsAndNoMore() throws {
        let good = try CertificateAuthority().certificate.der
        func certificate(_ numbers: [UInt]) throws -> EncodedCertificate {
            var outer = try NodeReader(try DER.parse(good))
            var fields = try NodeReader(try outer.next())
            var coder = DER.Serializer()
            coder.appendConstructedNode(identifier: .sequence) { coder in
                coder.appendConstructedNode(identifier: .sequence) { coder in
                    while let field = fields.nextIfAny(), field.contextTag != 3 {
                        coder.serializeRawBytes(field.encodedBytes)
                    }
                    let tag = ASN1Identifier(tagWithNumber: 3, tagClass: .contextSpecific)
                    coder.appendConstructedNode(identifier: tag) { coder in
                        coder.appendConstructedNode(identifier: .sequence) { coder in
                            for number in numbers {
                                coder.appendConstructedNode(identifier: .sequence) { coder in
                                    try? coder.serialize([1, 2, number] as ASN1ObjectIdentifier)
                                    coder.appendPrimitiveNode(identifier: .octetString) { $0 += [5, 0] }
                                }
                            }
                        }
                    }
                }
                while let field = outer.nextIfAny() { coder.serializeRawBytes(field.encodedBytes) }
            }
            return EncodedCertificate(der: coder.serializedBytes)
        }
        #expect(try certificate(Array(1...64)).content?.extensions.count == 64)
        let many = try certificate(Array(1...65))
        let error = #expect(throws: SignetTLS.EncodingError.self) { try many.reading.get() }
        #expect(error?.description == "more than 64 extensions")
        #expect(many.publicKeySHA256 == nil)
        let twice = #expect(throws: SignetTLS.EncodingError.self) { try certificate([7, 7]).reading.get() }
        #expect(twice?.description == "the extension 1.2.7 twice")
    }

    @Test func readsSixtyFourKibibytesAndNoMore() throws {
        func certificate(_ size: Int) throws -> EncodedCertificate {
            try Self.certificate(extensions: [
                .init(oid: [1, 2, 3, 4], critical: false, value: [UInt8](repeating: 0, count: size)[...])
            ])
        }
        #expect(try certificate(65_000).content != nil)
        let large = try certificate(65_536)
        #expect(large.content == nil)
        let error = #expect(throws: TrustError.self) {
            try TrustPolicy.anchors(CertificateAuthority().bundle)
                .evaluate([large], as: .client, at: TrustPolicyTests.now).get()
        }
        #expect(error?.code == .unreadable)
        #expect(error?.message.contains("at most 65536") == true, "\(error?.message ?? "")")
    }

    /// Every message that shows a DNS name of a certificate.
    @Test func noNameReachesATerminalRaw() throws {
        let hostile = "a\n2026-11-21 level=error\u{1B}[2J.example"
        var constrained = CertificateProfile.authority
        constrained.permittedDomains = ["good.example"]
        var odd = CertificateProfile.authority
        odd.excludedDomains = ["x\n\u{1B}y"]
        let root = try CertificateAuthority(commonName: "root")
        let free = try root.issueIntermediate(commonName: "free")
        let strict = try root.issueIntermediate(commonName: "strict", constrained)
        let broken = try root.issueIntermediate(commonName: "broken", odd)
        let policy = TrustPolicy.anchors(root.bundle)
        for (authority, name, code) in [
            (free, hostile, .hostNameMismatch), (strict, hostile, .unreadable),
            (strict, "other.example", .nameConstraint), (broken, "service.example", .unreadable),
        ] as [(CertificateAuthority, String, TrustError.Code)] {
            let server = try authority.issueServer(
                dnsNames: [name], commonName: name == hostile ? "\u{1B}]0;\r\u{85}\u{2028}" : nil)
            let error = #expect(throws: TrustError.self) {
                try policy.evaluate(server.chain, as: TrustPolicyTests.host, at: TrustPolicyTests.now).get()
            }
            #expect(error?.code == code)
            try Self.expectHarmless(try #require(error).message)
        }
        var profile = CertificateProfile.client
        profile.dnsNames = [hostile]
        let unnamed = try root.issueServer(profile).leaf
        #expect(unnamed.subject == #"(no subject; dns:a\0A2026-11-21 level\=error\1B[2j.example)"#)
        try Self.expectHarmless(unnamed.description)
    }

    private static func expectHarmless(_ text: String) throws {
        let categories: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator, .paragraphSeparator]
        #expect(!text.unicodeScalars.contains { categories.contains($0.properties.generalCategory) }, "\(text)")
    }

    /// RFC 4514 §2.4.
    @Test(arguments: [
        ("localhost", "localhost"), ("Test client", "Test client"), ("Élan ☂", "Élan ☂"), ("a#b", "a#b"),
        ("alice, O=Bank", #"alice\, O\=Bank"#), ("a+CN=b", #"a\+CN\=b"#), (#"a"b\c<d>e;f"#, #"a\"b\\c\<d\>e\;f"#),
        ("#abc", ##"\#abc"##), (" a ", #"\ a\ "#), ("  ", #"\ \ "#), (" ", #"\ "#), ("a\0b", #"a\00b"#),
        ("a\u{202E}b", #"a\E2\80\AEb"#), ("", ""),
    ]) func escapesValues(value: String, text: String) throws {
        let root = try CertificateAuthority()
        #expect(try root.issueClient(commonName: value).leaf.subject == "CN=\(text)")
    }

    @Test func aLongValueIsCutVisibly() throws {
        let root = try CertificateAuthority()
        let long = String(repeating: "x", count: 256)
        #expect(try root.issueClient(commonName: long).leaf.subject == "CN=\(long)")
        #expect(try root.issueClient(commonName: long + " ").leaf.subject == "CN=\(long)…")
    }

    /// One value that looks like two attributes, and two attributes, are shown and compared apart.
    @Test func attributesCannotBeForged() throws {
        func name(_ sets: [[(ASN1ObjectIdentifier, ASN1Identifier, String)]]) throws -> SignetTLS.DistinguishedName {
            var coder = DER.Serializer()
            coder.appendConstructedNode(identifier: .sequence) { coder in
                for set in sets {
                    coder.appendConstructedNode(identifier: .set) { coder in
                        for (type, tag, value) in set {
                            coder.appendConstructedNode(identifier: .sequence) { coder in
                                try? coder.serialize(type)
                                coder.appendPrimitiveNode(identifier: tag) { $0 += Array(value.utf8) }
                            }
                        }
                    }
                }
            }
            return try SignetTLS.DistinguishedName(try DER.parse(coder.serializedBytes))
        }
        let (common, organisation): (ASN1ObjectIdentifier, ASN1ObjectIdentifier) = ([2, 5, 4, 3], [2, 5, 4, 10])
        let two = try name([[(organisation, .utf8String, "b")], [(common, .utf8String, "a")]])
        #expect(two.text == "CN=a, O=b")
        #expect(try name([[(common, .utf8String, "a, O=b")]]).text == #"CN=a\, O\=b"#)
        let together = try name([[(common, .utf8String, "a"), (organisation, .utf8String, "b")]])
        #expect(together.text == "CN=a+O=b")
        let forged = try name([[(common, .utf8String, "a\0\(organisation)=b")]])
        #expect(together != forged)
        #expect(together.text != forged.text)
        // A value that is no text is shown by its encoding (RFC 4514 §2.4).
        #expect(try name([[(common, .octetString, "a")]]).text == "CN=#040161")
        #expect(try name([[(common, .octetString, "a")]]) != name([[(common, .utf8String, "\u{4}\u{1}a")]]))
        #expect(try name([[(common, .utf8String, "#040161")]]).text == ##"CN=\#040161"##)
    }

    /// Repairing damaged text would make different names one.
    @Test func damagedTextIsNoText() throws {
        func name(_ byte: UInt8) throws -> SignetTLS.DistinguishedName {
            try .init(try DER.parse([0x30, 12, 0x31, 10, 0x30, 8, 0x06, 3, 0x55, 4, 3, 0x0C, 1, byte]))
        }
        #expect(try name(0x61).text == "CN=a")
        #expect(try name(0xE8).text == "CN=#0c01e8")
        #expect(try name(0xE8) != name(0xE9))
        #expect(try !name(0xE8).isWithin(name(0xE9)))
    }

    @Test func certificatesWithoutASubjectHaveAnUnmistakableDescription() throws {
        let root = try CertificateAuthority()
        #expect(
            try root.issueServer(dnsNames: ["a.example"], commonName: "CN").leaf.subject == "CN=CN")
        var profile = CertificateProfile.server
        profile.dnsNames = ["cn=admin", "a.example"]
        #expect(try root.issueServer(profile).leaf.subject == #"(no subject; dns:cn\=admin)"#)
        let bare = try root.issueServer().leaf
        #expect(bare.subject == "(no subject; SHA-256 \(Text.hexadecimal(bare.sha256.prefix(8))))")
        let rubbish = EncodedCertificate(der: [1])
        #expect(rubbish.subject == "(unreadable; SHA-256 \(Text.hexadecimal(rubbish.sha256.prefix(8))))")
    }
}
