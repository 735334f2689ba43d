/// The result codes of Keychain Services that Signet distinguishes. Their numbers are part of Apple's binary interface.
package enum KeychainStatus {
    package static let success: Int32 = 0
    package static let invalidParameter: Int32 = -50
    package static let userCanceled: Int32 = -128
    package static let notAvailable: Int32 = -25291
    package static let authenticationFailed: Int32 = -25293
    package static let duplicateItem: Int32 = -25299
    package static let itemNotFound: Int32 = -25300
    package static let interactionNotAllowed: Int32 = -25308
    package static let missingEntitlement: Int32 = -34018

    /// - Parameter action: what failed, for example “read the credential for …”.
    static func error(_ status: Int32, _ action: String) -> CredentialStoreError {
        let (code, reason) = reason(status)
        return error(code, reason, "OSStatus \(status)", action)
    }

    /// - Parameter action: what failed, for example “sign”.
    static func error(_ failure: KeychainFailure, _ action: String) -> CredentialStoreError {
        if failure.domain == "NSOSStatusErrorDomain", let status = Int32(exactly: failure.code) {
            return error(status, action)
        }
        let (code, reason) = keyFailures[failure] ?? unknown
        return error(code, reason, "\(failure.domain) \(failure.code)", action)
    }

    private typealias Reason = (CredentialStoreError.Code, String)

    private static func error(
        _ code: CredentialStoreError.Code, _ reason: String, _ source: String, _ action: String
    ) -> CredentialStoreError {
        .init(code, "The Keychain did not \(action): \(reason) (\(source)).")
    }

    private static let canceled: Reason = (.userCanceled, "the user was asked and refused")
    private static let unproved: Reason = (.userCanceled, "the user could not be authenticated")
    private static let unknown: Reason = (.inputOutput, "it gave a reason that Signet does not know")

    private static func reason(_ status: Int32) -> Reason {
        switch status {
        case userCanceled: canceled
        case authenticationFailed: unproved
        case interactionNotAllowed:
            (
                .interactionNotAllowed,
                "the device is locked, or the user would have to be asked and cannot be. Try again once it is unlocked, "
                    + "or keep the credential with an accessibility that allows use after the first unlock"
            )
        case missingEntitlement:
            (
                .notEntitled,
                "this program lacks an entitlement. Sign it with keychain-access-groups that has the access group"
            )
        case notAvailable: (.inputOutput, "there is no Keychain; log in as the user who owns it")
        case invalidParameter: (.inputOutput, "it does not accept these attributes")
        default: unknown
        }
    }

    /// The errors of a key in the Secure Enclave or on a card: `LAError` and `TKError` of Apple's frameworks
    /// LocalAuthentication and CryptoTokenKit.
    private static let keyFailures: [KeychainFailure: Reason] = {
        let enclave = "com.apple.LocalAuthentication"
        let card = "CryptoTokenKit"
        let noProof: Reason = (
            .interactionNotAllowed,
            "this device has no passcode, fingerprint or face to authenticate the user, or has locked it. Set it up, or unlock the device"
        )
        let absent: Reason = (.keyUnavailable, "the card that holds the key is absent. Insert it and try again")
        let table: [(String, Int, Reason)] = [
            (enclave, -1, unproved), (enclave, -2, canceled), (enclave, -3, canceled), (enclave, -4, canceled),
            (enclave, -5, noProof), (enclave, -6, noProof), (enclave, -7, noProof), (enclave, -8, noProof),
            (enclave, -9, canceled),
            (enclave, -1004, reason(interactionNotAllowed)),
            (card, -2, (.inputOutput, "the card does not answer. Insert it again and try once more")),
            (card, -4, canceled), (card, -5, unproved), (card, -6, absent), (card, -7, absent),
            (card, -9, (.interactionNotAllowed, "the card needs its PIN, and the user cannot be asked for it")),
        ]
        return Dictionary(
            table.map { (KeychainFailure(domain: $0, code: $1), $2) }, uniquingKeysWith: { first, _ in first })
    }()
}
