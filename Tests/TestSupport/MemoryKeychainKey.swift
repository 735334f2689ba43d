import Crypto
import Foundation
package import SignetCredentials
import Synchronization

/// Answers for a key on P-256 as Apple's framework does.
package final class MemoryKeychainKey: KeychainKeyCalls {
    package let hasIdentity: Bool
    private let key = P256.Signing.PrivateKey()
    private let failure: KeychainFailure?
    private let log = Mutex<[KeychainSignature]>([])

    /// - Parameter failure: what the key answers instead of a signature.
    package init(hasIdentity: Bool, failing failure: KeychainFailure? = nil) {
        (self.hasIdentity, self.failure) = (hasIdentity, failure)
    }

    /// What was asked for.
    package var asked: [KeychainSignature] { log.withLock { $0 } }

    package func publicKey() -> Result<[UInt8], KeychainFailure> { .success(Array(key.publicKey.x963Representation)) }

    package func supports(_ algorithm: KeychainSignature) -> Bool {
        [.ecdsaSignatureMessageX962SHA256, .ecdsaSignatureMessageX962SHA384].contains(algorithm)
    }

    package func signature(
        _ algorithm: KeychainSignature, over message: [UInt8]
    ) -> Result<[UInt8], KeychainFailure> {
        log.withLock { $0.append(algorithm) }
        if let failure { return .failure(failure) }
        return Result {
            switch algorithm {
            case .ecdsaSignatureMessageX962SHA384: try key.signature(for: SHA384.hash(data: message))
            default: try key.signature(for: SHA256.hash(data: message))
            }
        }
        .map { Array($0.derRepresentation) }
        .mapError { _ in KeychainFailure(domain: "test", code: 0) }
    }
}
