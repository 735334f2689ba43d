import Crypto
import CryptoExtras
import SwiftASN1

/// The password of a PFX in the two encodings that RFC 7292 uses, and how much work may still be done with it.
struct PFXPassword {
    /// Iterations allowed in one key derivation and in one file together: some seconds of one core.
    static let maximumIterations = 5_000_000

    private let text: String
    private var iterationsLeft = Self.maximumIterations

    init(_ text: String) { self.text = text }

    /// UTF-16 with a final NUL (RFC 7292 §B.1). Writers differ on the empty password: both its forms are returned.
    var bmpForms: [[UInt8]] {
        let units = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        return units.isEmpty ? [[0, 0], []] : [units + [0, 0]]
    }

    /// Books the work of one key derivation.
    mutating func spend(_ iterations: Int, times: Int = 1) throws(IdentityError) {
        guard iterations >= 1 else {
            throw IdentityError(.damaged, "The PKCS#12 file asks for \(iterations) iterations.")
        }
        let (total, overflow) = iterations.multipliedReportingOverflow(by: times)
        guard !overflow, total <= iterationsLeft else {
            throw IdentityError(
                .tooLarge,
                """
                The PKCS#12 file asks for \(iterations) iterations of key derivation; at most \(Self.maximumIterations) \
                are done for a file. Encode it anew with fewer (openssl pkcs12 -export -iter 600000).
                """)
        }
        iterationsLeft -= total
    }

    /// PBKDF2 (RFC 8018 §5.2).
    func key(
        salt: ArraySlice<UInt8>, iterations: Int, hash: KDF.Insecure.PBKDF2.HashFunction, byteCount: Int
    ) throws -> SymmetricKey {
        // HMAC pads its key with zeros, so one zero byte is the same key as none, and no null pointer goes down.
        let password = text.isEmpty ? [0] : Array(text.utf8)
        return try KDF.Insecure.PBKDF2.deriveKey(
            from: password, salt: Array(salt), using: hash, outputByteCount: byteCount,
            unsafeUncheckedRounds: iterations)
    }
}
