import Foundation
import TestSupport
import Testing

@testable import SignetTLS

/// Files as they come from Windows, from Java and from OpenSSL's rarer options: read, or refused with a cure that
/// works.
@Suite struct ForeignFileTests {
    /// How a text is written elsewhere.
    private static let encodings: [(name: String, encode: @Sendable (String) -> [UInt8])] = [
        ("UTF-8 with a mark", { [0xEF, 0xBB, 0xBF] + Array($0.utf8) }),
        ("UTF-16 LE", { [0xFF, 0xFE] + $0.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }),
        ("UTF-16 BE", { [0xFE, 0xFF] + $0.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } }),
        ("UTF-16 LE without a mark", { $0.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }),
        ("CR LF", { Array($0.replacing("\n", with: "\r\n").utf8) }),
    ]

    @Test func textsOfWindowsAreRead() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        let certificates = try openssl.bytes("others.pem") + openssl.bytes("leaf.pem")
        let key = try openssl.bytes("leaf.key")
        let both = String(decoding: certificates + key, as: UTF8.self)
        let plain = try KeyFile(Array(both.utf8)).identity()
        for (name, encode) in Self.encodings {
            let bytes = encode(both)
            #expect(try KeyFile(bytes).identity() == plain, "\(name)")
            #expect(try Identity(pem: bytes, privateKey: bytes) == plain, "\(name)")
            #expect(try CertificateBundle(pem: bytes).certificates.count == 3, "\(name)")
        }
        // What ends in the middle of a character is not guessed at.
        let half = Array(Self.encodings[1].encode(both).dropLast())
        #expect(throws: IdentityError.self) { try KeyFile(half) }
    }

    /// As keys come from environment variables and secrets managers: no part of it is shown.
    @Test func aKeyWithoutLineBreaksIsNotShown() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        let key = String(decoding: try openssl.bytes("leaf.key"), as: UTF8.self)
        let lines = key.split(separator: "\n").map(String.init)
        for text in [
            lines.joined(separator: " "), lines.joined(separator: "\\n"), lines.joined(),
            "\(lines[0]) \(lines[1])\n\(lines.dropFirst(2).joined(separator: "\n"))",
            "\(lines[0])\n\(lines.dropFirst().joined(separator: " "))",
            "\(lines.dropLast().joined(separator: "\n")) \(lines[lines.count - 1])",
        ] {
            let error = #expect(throws: IdentityError.self) { try KeyFile(Array(text.utf8)) }
            let message = error?.message ?? ""
            #expect(lines.dropFirst().dropLast().allSatisfy { !message.contains($0.prefix(12)) }, "\(message)")
            #expect(message.utf8.count < 600, "\(message)")
        }
        let error = #expect(throws: IdentityError.self) { try KeyFile(Array(lines.joined(separator: " ").utf8)) }
        #expect(error?.message.contains("line breaks became spaces") == true, "\(error?.message ?? "")")
    }

    @Test func filesOfAnotherKindAreNamed() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        try openssl("pkcs12 -export -in leaf.pem -inkey leaf.key -passout pass:p -out leaf.p12")
        try openssl("base64 -in leaf.p12 -out leaf.txt")
        for (bytes, word) in [
            (try openssl.bytes("leaf.txt"), "base64 -d"),
            ([0xFE, 0xED, 0xFE, 0xED, 0, 0, 0, 2], "keytool -importkeystore"),
        ] {
            let error = #expect(throws: IdentityError.self) { try KeyFile(bytes, password: "p") }
            #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
        }
    }

    @Test func trustedCertificatesAreRead() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        for (name, options) in [("plain", ""), ("server", "-addtrust serverAuth"), ("alias", "-setalias house")] {
            try openssl("x509 -in leaf.pem -trustout \(options) -out \(name).pem")
            let pem = try openssl.bytes("\(name).pem")
            #expect(String(decoding: pem, as: UTF8.self).contains("BEGIN TRUSTED CERTIFICATE"))
            #expect(try CertificateBundle(pem: pem) == CertificateBundle(pem: openssl.bytes("leaf.pem")))
            #expect(try KeyFile(pem + openssl.bytes("leaf.key")).identity().leaf.subject == "CN=leaf")
        }
        // What is marked as not to be trusted is not.
        for options in ["-addreject serverAuth", "-addtrust emailProtection"] {
            try openssl("x509 -in leaf.pem -trustout \(options) -out old.pem")
            let error = #expect(throws: IdentityError.self) { try CertificateBundle(pem: openssl.bytes("old.pem")) }
            try openssl.follow(error?.message)
            #expect(try CertificateBundle(pem: openssl.bytes("new.pem")).certificates.count == 1)
        }
    }

    @Test(arguments: [[0], [0x0D, 0x0A], Array(repeating: 0, count: 512), [0x1A], Array("junk".utf8)])
    func trailingBytesOfAFileAreIgnored(more: [UInt8]) throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        try openssl("pkcs12 -export -in leaf.pem -inkey leaf.key -passout pass:p -out leaf.p12")
        let file = try openssl.bytes("leaf.p12")
        #expect(try Identity(pkcs12: file + more, password: "p") == Identity(pkcs12: file, password: "p"))
        let indefinite = try PFXParts.indefinite(file)
        #expect(try Identity(pkcs12: indefinite + more, password: "p") == Identity(pkcs12: file, password: "p"))
        #expect(try KeyFile(file + more, password: "p").format == .pfx)
        #expect(throws: IdentityError.self) { try Identity(pkcs12: file + more, password: "q") }
        try openssl("x509 -in leaf.pem -outform DER -out leaf.der")
        let certificate = try openssl.bytes("leaf.der")
        #expect(try KeyFile(certificate + more).certificates.map(\.certificate.der) == [certificate])
        // A second value may be meant.
        #expect(throws: IdentityError.self) { try KeyFile(certificate + certificate) }
    }

    @Test(arguments: ["", "-scrypt_N 1024 -scrypt_r 4 -scrypt_p 3"]) func scryptIsRead(options: String) throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        try openssl("pkcs8 -topk8 -scrypt \(options) -in leaf.key -passout pass:p -out sealed.pem")
        let pem = try openssl.bytes("leaf.pem") + openssl.bytes("sealed.pem")
        let file = try KeyFile(pem, password: "p")
        #expect(try file.identity().leaf.subject == "CN=leaf")
        #expect(
            file.protections.first?.contains(options.isEmpty ? "scrypt (N=16384, r=8, p=1)" : "N=1024, r=4, p=3")
                == true)
        #expect(throws: IdentityError(.wrongPassword, "")) { try KeyFile(pem, password: "q") }
        #expect(throws: IdentityError(.passwordRequired, "")) { try KeyFile(pem) }
    }

    /// OpenSSL writes none that asks for more than 32 MiB; other writers may.
    @Test func keyDerivationThatNeedsTooMuchMemoryIsRefused() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        try openssl("pkcs8 -topk8 -scrypt -in leaf.key -passout pass:p -outform DER -out sealed.der")
        var bytes = try openssl.bytes("sealed.der")
        let numbers = try #require(bytes.firstRange(of: [2, 2, 0x40, 0, 2, 1, 8]))
        for (change, code) in [(UInt8(0x7F), IdentityError.Code.tooLarge), (0, .damaged), (0xFF, .damaged)] {
            bytes[numbers.upperBound - 1] = change
            let error = #expect(throws: IdentityError.self) { try KeyFile(bytes, password: "p") }
            #expect(error?.code == code, "\(error?.message ?? "")")
        }
    }

    // MARK: Advice

    /// Each message names a command; it is run, and what it writes is read.
    @Test(arguments: [
        // The traditional encryption of PEM, alone and beside certificates.
        ("rsa -provider legacy -provider default -in leaf.key -des -traditional -passout pass:p -out old.pem", false),
        ("rsa -provider legacy -provider default -in leaf.key -des -traditional -passout pass:p -out old.pem", true),
        (
            "pkcs8 -topk8 -provider legacy -provider default -v1 PBE-MD5-DES -in leaf.key -passout pass:p -out old.pem",
            false
        ),
        (
            "pkcs8 -topk8 -provider legacy -provider default -v1 PBE-MD5-DES -in leaf.key -passout pass:p -out old.pem",
            true
        ),
        ("pkcs8 -topk8 -v2 aes-256-cfb -in leaf.key -passout pass:p -out old.pem", true),
        ("pkcs8 -topk8 -v2 aes-256-cfb -in leaf.key -passout pass:p -outform DER -out old.der", false),
    ])
    func errorsForOldKeysShowAWorkingConversion(command: String, isBesideCertificate: Bool) throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeSelfSigned("leaf", algorithm: "rsa:2048")
        try openssl(command)
        let name = command.hasSuffix(".der") ? "old.der" : "old.pem"
        if isBesideCertificate {
            try openssl.write(openssl.bytes("old.pem") + openssl.bytes("leaf.pem"), "old.pem")
        }
        let error = #expect(throws: IdentityError(.unsupportedAlgorithm, "")) {
            try KeyFile(openssl.bytes(name), password: "p")
        }
        try openssl.follow(error?.message)
        let cured = try KeyFile(openssl.bytes(isBesideCertificate ? "new.p12" : "new.pem"), password: "p")
        #expect(cured.keys.count == 1 && cured.certificates.count == (isBesideCertificate ? 1 : 0))
    }

    @Test(arguments: [
        ("-keypbe AES-256-CFB -certpbe AES-256-CFB", IdentityError.Code.unsupportedAlgorithm),
        ("-macalg md5", .unsupportedAlgorithm), ("-nomac", .noIntegrityCheck),
        ("-iter 6000000 -keypbe NONE -certpbe NONE", .tooLarge),
    ])
    func errorsForOldFilesShowAWorkingConversion(options: String, code: IdentityError.Code) throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        try openssl(
            "pkcs12 -export -in leaf.pem -inkey leaf.key -certfile middle.pem -passout pass:p \(options) -out old.p12")
        let error = #expect(throws: IdentityError.self) { try KeyFile(openssl.bytes("old.p12"), password: "p") }
        #expect(error?.code == code, "\(error?.message ?? "")")
        try openssl.follow(error?.message)
        let cured = try KeyFile(openssl.bytes("new.p12"), password: "p")
        #expect(try cured.identity().chain.map(\.subject) == ["CN=leaf", "CN=middle"])
        if code == .noIntegrityCheck {
            #expect(error?.message.contains("--without-mac") == true)
            #expect(try KeyFile(openssl.bytes("old.p12"), password: "p", integrity: .optional).keys.count == 1)
        }
    }
}

extension OpenSSL {
    /// Runs the commands that a message names, with `p` wherever a password is asked for.
    fileprivate func follow(_ message: String?) throws {
        let message = try #require(message)
        let start = try #require(message.firstRange(of: "openssl "), "\(message) names no command").lowerBound
        let end =
            message[start...].firstRange(of: ";")?.lowerBound ?? message[start...].firstRange(of: ". ")?.lowerBound
        var commands = String(message[start..<(end ?? message.endIndex)])
        if commands.hasSuffix(".") { commands.removeLast() }
        for command in commands.components(separatedBy: " && ") {
            let words = command.split(separator: " ").dropFirst().map(String.init)
            let passwords = words.first == "x509" ? [] : ["-passin", "pass:p", "-passout", "pass:p"]
            try self(words.joined(separator: " "), passwords)
        }
    }
}
