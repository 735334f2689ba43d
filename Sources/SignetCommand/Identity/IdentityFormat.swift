#if CommandLine
import ArgumentParser
import Signet

/// The formats that `signet identity convert` writes.
enum IdentityFormat: String, ExpressibleByArgument, CaseIterable {
    /// PKCS#12 with key and certificates.
    case pfx
    /// The key in PKCS#8, then the certificates.
    case pem
    /// The certificate alone.
    case der
    /// The key alone, in PKCS#8 DER.
    case pkcs8
    /// The certificates alone, in DER.
    case pkcs7

    var holdsKey: Bool { [.pfx, .pem, .pkcs8].contains(self) }
}

/// The reader of a PFX, which decides its algorithms.
enum PFXReader: String, ExpressibleByArgument, CaseIterable {
    case openssl, windows, apple, fips, legacy

    var algorithms: PFXAlgorithms {
        switch self {
        case .openssl, .windows, .apple: .aes256SHA256
        case .fips: .aes256PBMAC1
        case .legacy: .tripleDESSHA1
        }
    }
}
#endif
