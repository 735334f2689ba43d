/// The result codes of Keychain Services that mean something to us. Their numbers are part of Apple's binary interface.
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

    /// - Parameter action: what was tried, for example “read the credential for …”.
    static func error(_ status: Int32, _ action: String) -> CredentialStoreError {
        func make(_ code: CredentialStoreError.Code, _ reason: String) -> CredentialStoreError {
            .init(code, "The Keychain did not \(action): \(reason) (OSStatus \(status)).")
        }
        switch status {
        case userCanceled: return make(.userCanceled, "the user was asked and said no")
        case authenticationFailed: return make(.userCanceled, "the user could not prove who they are")
        case interactionNotAllowed:
            return make(
                .interactionNotAllowed,
                "the device is locked, or the user would have to be asked and cannot be. Try again once it is unlocked, "
                    + "or keep the credential with an accessibility that allows use after the first unlock")
        case missingEntitlement:
            return make(
                .notEntitled,
                "this program lacks an entitlement. Sign it with keychain-access-groups that has the access group")
        case notAvailable: return make(.inputOutput, "no Keychain is there; log in as the user whose it is")
        case invalidParameter: return make(.inputOutput, "it does not take these attributes")
        default: return make(.inputOutput, "it gave a reason for which there is no sentence here")
        }
    }
}
