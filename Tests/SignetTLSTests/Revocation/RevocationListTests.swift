import Foundation
import TestSupport
import Testing

@testable import SignetTLS

/// Lists that the openssl command makes.
@Suite struct RevocationListTests {
    private typealias Authority = RevocationAuthority

    @Test func saysGoodOrRevoked() throws {
        let authority = try Authority()
        defer { authority.remove() }
        #expect(try authority.status(inList: authority.list()) == .good)
        let others = Authority.line("0100", revokedFor: "unspecified") + Authority.line("10", revokedFor: "superseded")
        #expect(try authority.status(inList: authority.list(index: others)) == .good)
        let revoked = others + Authority.line(Authority.leafSerial, revokedFor: "keyCompromise")
        let list = try authority.list(index: revoked)
        #expect(try authority.status(inList: list) == .revoked(at: Authority.revoked, .keyCompromise))
        #expect(try CertificateRevocationList(der: list).count == 3)
    }

    @Test func aListOfVersion1HasNoReasons() throws {
        let authority = try Authority()
        defer { authority.remove() }
        let index = Authority.line(Authority.leafSerial, revokedFor: "keyCompromise")
        let list = try authority.list(index: index.replacing(",keyCompromise", with: ""), version: 1)
        #expect(try authority.status(inList: list) == .revoked(at: Authority.revoked, nil))
        #expect(try authority.status(inList: authority.list(version: 1)) == .good)
    }

    @Test func countsForItsTimeOnly() throws {
        let authority = try Authority()
        defer { authority.remove() }
        let list = try authority.list()
        #expect(try authority.status(inList: list, after: 7 * 86_400 - 60) == .good)
        #expect(try problem { try authority.status(inList: list, after: 7 * 86_400 + 60) } == .outdated)
        #expect(try problem { try authority.status(inList: list, after: -400) } == .notYetValid)
    }

    @Test func isOfTheIssuerOfTheCertificate() throws {
        let authority = try Authority()
        defer { authority.remove() }
        #expect(try problem { try authority.status(inList: authority.list(issuer: "root")) } == .untrustedSigner)
        try authority.openssl.makeSelfSigned(
            "middle2", algorithm: "ec -pkeyopt ec_paramgen_curve:P-256", ["-subj", "/CN=middle"])
        #expect(try problem { try authority.status(inList: authority.list(issuer: "middle2")) } == .badSignature)
    }

    @Test(arguments: [("keyCertSign,cRLSign", true), ("keyCertSign", false)])
    func theIssuerMaySignLists(usage: String, isAllowed: Bool) throws {
        let authority = try Authority(middle: "keyUsage=critical,\(usage)")
        defer { authority.remove() }
        let list = try authority.list()
        if isAllowed {
            #expect(try authority.status(inList: list) == .good)
        } else {
            #expect(try problem { try authority.status(inList: list) } == .untrustedSigner)
        }
    }

    /// What a list says about itself in its issuingDistributionPoint and other extensions.
    @Test(
        arguments: [
            ("issuingDistributionPoint=critical,@point\n[point]\nfullname=URI:http://lists.example/leaf.crl", nil),
            ("issuingDistributionPoint=critical,@point\n[point]\nonlyuser=TRUE", nil),
            ("authorityKeyIdentifier=keyid", nil),
            ("1.2.3.4=DER:0500", nil),
            (
                "issuingDistributionPoint=critical,@point\n[point]\nfullname=URI:http://lists.example/other.crl",
                .notCovered
            ),
            ("issuingDistributionPoint=critical,@point\n[point]\nonlyCA=TRUE", .notCovered),
            ("issuingDistributionPoint=critical,@point\n[point]\nonlyAA=TRUE", .notCovered),
            ("issuingDistributionPoint=critical,@point\n[point]\nonlysomereasons=keyCompromise", .notCovered),
            ("issuingDistributionPoint=critical,@point\n[point]\nindirectCRL=TRUE", .unsupported),
            ("2.5.29.27=critical,DER:020101", .unsupported),
            ("2.5.29.27=DER:020101", .unsupported),
            ("1.2.3.4=critical,DER:0500", .unsupported),
        ] as [(String, RevocationProblem.Code?)])
    func isForThisCertificate(extensions: String, expected: RevocationProblem.Code?) throws {
        let authority = try Authority()
        defer { authority.remove() }
        let list = try authority.list(extensions: extensions)
        guard let expected else {
            #expect(try authority.status(inList: list) == .good)
            return
        }
        #expect(try problem { try authority.status(inList: list) } == expected)
    }

    @Test func aListForSomeReasonsProvesRevocationAlone() throws {
        let authority = try Authority()
        defer { authority.remove() }
        let list = try authority.list(
            index: Authority.line(Authority.leafSerial, revokedFor: "keyCompromise"),
            extensions: "issuingDistributionPoint=critical,@point\n[point]\nonlysomereasons=keyCompromise")
        #expect(try authority.status(inList: list) == .revoked(at: Authority.revoked, .keyCompromise))
        let some = try Authority(
            leaf: "crlDistributionPoints=point\n[point]\nfullname=URI:http://a.example/\nreasons=keyCompromise")
        defer { some.remove() }
        #expect(try problem { try some.status(inList: some.list()) } == .notCovered)
    }

    /// An entry for another authority's certificate, or with an extension that must be understood, makes the whole list
    /// unusable. It is made by changing the identifier of reasonCode.
    @Test func entriesOfOtherKindsAreRefused() throws {
        let authority = try Authority()
        defer { authority.remove() }
        let list = try authority.list(index: Authority.line("10", revokedFor: "keyCompromise"))
        let place = try #require(list.firstRange(of: [0x06, 0x03, 0x55, 0x1D, 0x15]))
        var changed = list
        changed[place.upperBound - 1] = 0x1D
        #expect(try problem { try CertificateRevocationList(der: changed) } == .unsupported)
        // Not critical and unknown: it is passed over.
        changed[place.upperBound - 1] = 0x7F
        #expect(throws: Never.self) { try CertificateRevocationList(der: changed) }
    }

    @Test func aLongListIsRead() throws {
        let authority = try Authority()
        defer { authority.remove() }
        var index = ""
        for number in 0..<30_000 {
            index += Authority.line(
                "5A" + String(0x1_0000_0000 + number * 7_919, radix: 16).uppercased().leftPadded(to: 30),
                revokedFor: "superseded")
        }
        index += Authority.line(Authority.leafSerial, revokedFor: "keyCompromise")
        let der = try authority.list(index: index)
        #expect(der.count > 1 << 20)
        let list = try CertificateRevocationList(der: der)
        #expect(list.count == 30_001 && list.size < 2 * der.count)
        #expect(try authority.status(inList: der) == .revoked(at: Authority.revoked, .keyCompromise))
        // Every number is found, and no other.
        for number in stride(from: 0, to: 30_000, by: 997) {
            let text = "5A" + String(0x1_0000_0000 + number * 7_919, radix: 16).leftPadded(to: 30)
            let serial = try #require(Text.bytes(hexadecimal: text))
            #expect(try list.entry(for: serial[...])?.serialNumber == serial[...])
            #expect(try list.entry(for: (serial.dropLast() + [serial[15] ^ 1])[...]) == nil)
        }
        #expect(try problem { try CertificateRevocationList(der: der, maximumBytes: der.count - 1) } == .tooLarge)
    }

    @Test func leadingZerosOfASerialNumberMeanNothing() {
        var index = SerialIndex(capacity: 2)
        index.add([0x00, 0x81], at: 7)
        index.add([0x05], at: 8)
        #expect(index.position(of: [0x81]) { $0 == 7 } == 7)
        #expect(index.position(of: [0x00, 0x05]) { $0 == 8 } == 8)
        #expect(index.position(of: [0x05]) { _ in false } == nil)
    }

    @Test func damageNeverHelps() throws {
        let authority = try Authority()
        defer { authority.remove() }
        let revoked =
            Authority.line(Authority.leafSerial, revokedFor: "superseded")
            + Authority.line("10", revokedFor: "keyCompromise")
        let der = try authority.list(
            index: revoked,
            extensions: "authorityKeyIdentifier=keyid\nissuingDistributionPoint=critical,@point\n[point]\nonlyuser=TRUE"
        )
        let (leaf, middle) = (try authority.certificate("leaf"), try authority.certificate("middle"))
        let point = try #require(try leaf.content?.listDistributionPoints().first)
        for count in der.indices {
            #expect(throws: RevocationProblem.self) { try CertificateRevocationList(der: Array(der.prefix(count))) }
        }
        for index in der.indices {
            var damaged = der
            damaged[index] ^= 0x01
            guard let list = try? CertificateRevocationList(der: damaged) else { continue }
            #expect(throws: RevocationProblem.self, "byte \(index)") { try list.verify(issuedBy: middle) }
            // It must not stop the process either, whatever it says.
            _ = try? list.status(of: leaf, from: point, at: authority.now)
        }
    }

    @Test(
        arguments: [
            [], [0x30], [0x30, 0x80], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x85, 1, 0, 0, 0, 0],
            [0x1F, 0x1F, 0],
            [0x30, 0x03, 0x30, 0x84, 0x7F], [0x30, 0x81, 0x01, 0x00],
        ] as [[UInt8]]) func hostileLengthsAreRefused(bytes: [UInt8]) throws
    {
        #expect(try problem { try CertificateRevocationList(der: bytes) } == .malformed)
    }
}

extension String {
    fileprivate func leftPadded(to length: Int) -> String {
        String(repeating: "0", count: Swift.max(0, length - count)) + self
    }
}
