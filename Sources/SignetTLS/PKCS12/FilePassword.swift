import Crypto
import CryptoExtras
import SwiftASN1

/// The password of a file in every encoding that programs use, and the work of key derivation that the file may still
/// cost.
struct FilePassword {
    /// The limit of iterations in one key derivation, and in all derivations of a file together, where each iteration
    /// computes two hashes as in PBKDF2: a few seconds of one core. GnuTLS writes 600,000 in each of four derivations.
    static let maximumIterations = 5_000_000

    /// The kind of the file, for errors.
    let file: KeyFile.Format
    /// Nil when no password was given.
    private let text: String?
    private var hashesLeft = 2 * Self.maximumIterations

    init(_ text: String?, file: KeyFile.Format) {
        self.text = text
        self.file = file
    }

    var isAbsent: Bool { text == nil }

    /// The forms for PBES1 and the MAC of PKCS#12 (RFC 7292 §B.1), the standard form first.
    ///
    /// It is UTF-16 with a final NUL. Programs differ on the empty password: some leave out even the NUL. OpenSSL
    /// before 1.1 took each byte of the UTF-8 for a character.
    var wideForms: [[UInt8]] {
        guard let text, !text.isEmpty else { return [[0, 0], []] }
        let right = Self.wide(text.utf16)
        return text.utf8.allSatisfy { $0 < 0x80 } ? [right] : [right, Self.wide(text.utf8.map(UInt16.init))]
    }

    /// The forms for PBES2, PBMAC1 and PEM, the standard form first: UTF-8 (RFC 8018 §3), and the form that NSS before
    /// 3.39 used instead.
    var narrowForms: [[UInt8]] {
        guard let text, !text.isEmpty else { return [[]] }
        return [Array(text.utf8), Self.wide(text.utf16)]
    }

    private static func wide(_ units: some Sequence<UInt16>) -> [UInt8] {
        units.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] } + [0, 0]
    }

    /// Counts the work of one key derivation against the limit.
    ///
    /// - Parameter hashes: how many hashes one iteration computes for the whole key.
    mutating func spend(_ iterations: Int, hashes: Int = 1) throws(IdentityError) {
        guard iterations >= 1 else {
            throw IdentityError(.damaged, "The \(file) file asks for \(iterations) iterations.")
        }
        let (total, overflow) = iterations.multipliedReportingOverflow(by: hashes)
        guard !overflow, iterations <= Self.maximumIterations, total <= hashesLeft else {
            throw IdentityError(
                .tooLarge,
                """
                The \(file) file asks for \(iterations) iterations of a key derivation; at most \
                \(Self.maximumIterations) are done for a file. \
                \(file == .pfx ? FileAdvice.fewerIterations : FileAdvice.encodeAnew(file))
                """)
        }
        hashesLeft -= total
    }

    /// The error for a file that this password does not decrypt.
    func refused(_ what: String) -> IdentityError {
        isAbsent
            ? IdentityError(.passwordRequired, "\(what) is encrypted, and no password was given.")
            : IdentityError(
                .wrongPassword, "The password does not open \(what), or the file was altered. Check the password.")
    }
}
