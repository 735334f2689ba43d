import Foundation
import SignetTesting
import SwiftASN1
import TestSupport
import Testing

@testable import SignetTLS

/// Files of every kind, damaged in every way that the seed brings up: an error that fits, or what was in the file.
@Suite struct DamagedKeyFileTests {
    struct Original: Sendable {
        let name: String
        let bytes: [UInt8]
        /// What the MAC protects.
        var sealed: Range<Int>?
        let identity: Identity?
    }

    /// Five hundred, or what SIGNET_DAMAGED_FILES says.
    static let count = ProcessInfo.processInfo.environment["SIGNET_DAMAGED_FILES"].flatMap(Int.init) ?? 500
    /// What a damaged file may be taken for. Codes for passwords and keys are not among them where no damage leads to
    /// them.
    static let expected: Set<IdentityError.Code> = [
        .damaged, .wrongPassword, .unsupportedAlgorithm, .tooLarge, .noIntegrityCheck,
    ]

    @Test func damageIsAnErrorThatFits() throws {
        let originals = try Self.originals()
        var generator = SeededNumbers(seed: 0x5167_6E65_7421)
        var outcomes: [String: Int] = [:]
        for number in 0..<Self.count {
            let original = originals[number % originals.count]
            let (damaged, kind) = Self.damage(original.bytes, &generator)
            let start = ContinuousClock.now
            do {
                let file = try KeyFile(
                    damaged, password: "secret", integrity: original.sealed == nil ? .optional : .required)
                outcomes["read", default: 0] += 1
                // Nothing under a MAC can change unseen.
                if original.sealed != nil {
                    let read = try file.identities()
                    #expect(read.map(\.chain) == [original.identity?.chain], "\(original.name), \(kind), \(number)")
                    #expect(read.first?.privateKey?.pkcs8 == original.identity?.privateKey?.pkcs8)
                } else {
                    _ = try? file.identities()
                }
            } catch {
                outcomes[error.code.description, default: 0] += 1
                #expect(Self.expected.contains(error.code), "\(original.name), \(kind), \(number): \(error)")
                #expect(!error.message.contains("secret"))
            }
            // No hang: the largest of these files takes some hundredths of a second.
            #expect(ContinuousClock.now - start < .seconds(10), "\(original.name), \(kind), \(number)")
        }
        // Were all files read, or all refused for one reason, the damage would not be worth its name.
        #expect(outcomes.keys.contains("damaged") && outcomes.keys.contains("wrongPassword"), "\(outcomes)")
        if Self.count > 500 { print("damaged key files:", outcomes) }
    }

    /// One changed byte under the MAC is what a wrong password is, whatever byte it is.
    @Test func changesUnderTheMacAreTakenForAWrongPassword() throws {
        var generator = SeededNumbers(seed: 77)
        for original in try Self.originals() {
            guard let sealed = original.sealed else { continue }
            for _ in 0..<20 {
                var damaged = original.bytes
                damaged[Int.random(in: sealed, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
                #expect(throws: IdentityError(.wrongPassword, ""), "\(original.name)") {
                    try KeyFile(damaged, password: "secret")
                }
            }
        }
    }

    private static func originals() throws -> [Original] {
        let identity = try CertificateAuthority().issueIntermediate(commonName: "middle").issueClient()
        var originals: [Original] = []
        for var algorithms in [PFXAlgorithms.aes256SHA256, .aes256PBMAC1, .tripleDESSHA1] {
            algorithms.iterations = 3
            let bytes = try identity.pkcs12(password: "secret", label: "Zähler", algorithms: algorithms)
            originals.append(
                Original(
                    name: "\(algorithms.kind)", bytes: bytes, sealed: try PFXParts.authenticatedSafe(of: bytes),
                    identity: identity))
        }
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        let export =
            "pkcs12 -export -in leaf.pem -inkey leaf.key -certfile others.pem -name n -passout pass:secret -iter 3"
        let commands = [
            "\(export) -out a -nomac -keypbe NONE -certpbe NONE", "\(export) -out a -nomac",
            "\(export) -out a -nomac -legacy",
            "pkcs8 -topk8 -v2 aes-128-cbc -iter 3 -in leaf.key -passout pass:secret -out a",
            "pkcs8 -topk8 -v2 des3 -iter 3 -in leaf.key -passout pass:secret -outform DER -out a",
            "ec -in leaf.key -aes128 -passout pass:secret -out a", "ec -in leaf.key -outform DER -out a",
            "pkey -in leaf.key -outform DER -out a", "x509 -in leaf.pem -outform DER -out a",
            "crl2pkcs7 -nocrl -certfile others.pem -outform DER -out a", "crl2pkcs7 -nocrl -certfile others.pem -out a",
        ]
        for command in commands {
            try openssl(command)
            originals.append(Original(name: command, bytes: try openssl.bytes("a"), identity: nil))
        }
        originals.append(
            Original(name: "PEM", bytes: try openssl.bytes("leaf.key") + openssl.bytes("others.pem"), identity: nil))
        return originals
    }

    private static func damage(_ bytes: [UInt8], _ generator: inout SeededNumbers) -> (bytes: [UInt8], kind: String) {
        var bytes = bytes
        let place = Int.random(in: bytes.indices, using: &generator)
        switch Int.random(in: 0..<7, using: &generator) {
        case 0:
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            return (bytes, "a bit at \(place)")
        case 1:
            for _ in 0..<8 {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            return (bytes, "eight bytes")
        case 2: return (Array(bytes.prefix(place)), "cut at \(place)")
        case 3:
            let tail = (0...Int.random(in: 0..<64, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            return (bytes + tail, "\(tail.count) bytes more")
        case 4:
            let other = Int.random(in: bytes.indices, using: &generator)
            bytes.swapAt(place, other)
            return (bytes, "\(place) and \(other) exchanged")
        case 5:
            // A length, or what may be one, made long, huge or indefinite.
            bytes[place] = [0x80, 0x81, 0x82, 0x84, 0x88, 0xFF, 0x7F].randomElement(using: &generator) ?? 0
            return (bytes, "another length at \(place)")
        default:
            // Lines of PEM in another order; in binary a part of the file twice.
            var lines = bytes.split(separator: 0x0A)
            guard lines.count > 4, bytes.first == 0x2D else {
                bytes.insert(contentsOf: bytes[place..<min(place + 32, bytes.count)], at: place)
                return (bytes, "a part twice at \(place)")
            }
            lines.swapAt(
                Int.random(in: lines.indices, using: &generator), Int.random(in: lines.indices, using: &generator))
            return (Array(lines.joined(separator: [0x0A])), "lines exchanged")
        }
    }
}
