#if canImport(Security)
import CoreFoundation
import Foundation
public import Security
public import SignetTLS

extension Identity {
    /// An identity that the system keeps: installed by device management, in the Keychain, or on a smart card. Its key
    /// is not exported; it signs in its place, and `URLSessionTransport` gets `secIdentity` itself.
    ///
    /// The system may ask the user for a fingerprint or a PIN at each signature, unless the key was looked up with an
    /// authenticated `LAContext`.
    ///
    /// - Parameters:
    ///   - issuers: the certificates that lead from the identity's own to an authority, in any order. The system keeps
    ///     none with the identity; without them, the server must already have them.
    ///   - label: the friendly name; nil for no name.
    /// - Throws: `IdentityError` with `noCertificate`, `noPrivateKey`, `noMatchingCertificate` or
    ///   `unsupportedAlgorithm`.
    public init(
        secIdentity: SecIdentity, issuers: [EncodedCertificate] = [], label: String? = nil
    ) throws(IdentityError) {
        var certificate: SecCertificate?
        let found = SecIdentityCopyCertificate(secIdentity, &certificate)
        guard found == errSecSuccess, let certificate else {
            let error = KeychainStatus.error(found, "give the certificate of an identity")
            throw IdentityError(.noCertificate, error.message, cause: error)
        }
        let own = EncodedCertificate(certificate)
        var key: SecKey?
        let status = SecIdentityCopyPrivateKey(secIdentity, &key)
        guard status == errSecSuccess, let key else {
            let error = KeychainStatus.error(status, "give the key of the identity “\(own.subject)”")
            throw IdentityError(.noPrivateKey, error.message, cause: error)
        }
        try self.init(
            certificates: [own] + issuers, keychainKey: SecurityKey(key: key, identity: secIdentity), label: label)
    }

    /// An identity with a key that the system keeps, such as one in the Secure Enclave, and its certificates.
    ///
    /// It signs like that of ``init(secIdentity:issuers:label:)``. `URLSessionTransport` refuses it, since it accepts
    /// only a `SecIdentity`: add the certificate to the Keychain and look the identity up, or use `NIOTransport`.
    ///
    /// - Parameters:
    ///   - certificates: in any order: the certificate that belongs to the key, and those that lead from there to an
    ///     authority.
    ///   - label: the friendly name; nil for no name.
    /// - Throws: `IdentityError` with `noCertificate`, `noPrivateKey`, `noMatchingCertificate` or
    ///   `unsupportedAlgorithm`.
    public init(
        secKey: SecKey, certificates: [EncodedCertificate], label: String? = nil
    ) throws(IdentityError) {
        try self.init(
            certificates: certificates, keychainKey: SecurityKey(key: secKey, identity: nil), label: label)
    }
}

extension IdentitySource {
    /// The one identity of the system that matches and that `isWanted` accepts. It is looked up for each question. Its
    /// key stays in its place; see `Identity.init(secIdentity:issuers:label:)`.
    ///
    /// ```swift
    /// service.identity = .keychain { $0.issuer == "CN=Devices, O=Example" }
    /// ```
    ///
    /// When there is none, it throws ``IdentityStoreError`` with `notFound`; when there are several,
    /// ``CredentialStoreError`` with `ambiguous`.
    ///
    /// - Parameters:
    ///   - label: the item's label (`kSecAttrLabel`), compared exactly. An item with another label is left out, also on
    ///     systems that do not search by labels.
    ///   - accessGroup: which programs share the item; nil for every group that this program may use. With a group,
    ///     macOS searches only the data protection Keychain: the file-based one has no access groups.
    ///   - issuers: the certificates that lead from the identity's own to an authority; the system keeps none with it.
    ///   - isWanted: is called for each certificate that matches.
    public static func keychain(
        label: String? = nil, accessGroup: String? = nil, issuers: [EncodedCertificate] = [],
        where isWanted: @escaping @Sendable (EncodedCertificate) -> Bool = { _ in true }
    ) -> IdentitySource {
        .keychain(
            .attributes(label: label, accessGroup: accessGroup), SecurityIdentities(), issuers: issuers,
            where: isWanted)
    }

    /// The identity for a persistent reference (`kSecValuePersistentRef`). It is looked up for each question. When
    /// there is none, it throws ``IdentityStoreError`` with `notFound`.
    ///
    /// - Parameters:
    ///   - reference: the bytes of the reference.
    ///   - issuers: the certificates that lead from the identity's own to an authority; the system keeps none with it.
    public static func keychain(reference: [UInt8], issuers: [EncodedCertificate] = []) -> IdentitySource {
        .keychain(.reference(reference), SecurityIdentities(), issuers: issuers) { _ in true }
    }
}

/// Translates names and values to those of Apple's framework, and makes no decisions.
///
/// Unchecked: keys and identities do not change, and any thread may use them.
package struct SecurityKey: KeychainKeyCalls, @unchecked Sendable {
    let key: SecKey
    package let identity: SecIdentity?

    package var hasIdentity: Bool { identity != nil }

    package func publicKey() -> Result<[UInt8], KeychainFailure> {
        guard let key = SecKeyCopyPublicKey(key) else { return .failure(Self.failure(nil)) }
        var error: Unmanaged<CFError>?
        let bytes = SecKeyCopyExternalRepresentation(key, &error)
        return bytes.map { .success([UInt8]($0)) } ?? .failure(Self.failure(error))
    }

    package func supports(_ algorithm: KeychainSignature) -> Bool {
        SecKeyIsAlgorithmSupported(key, .sign, Self.name(algorithm))
    }

    package func signature(
        _ algorithm: KeychainSignature, over message: [UInt8]
    ) -> Result<[UInt8], KeychainFailure> {
        guard let data = CFDataCreate(nil, message, message.count) else { return .failure(Self.failure(nil)) }
        var error: Unmanaged<CFError>?
        let bytes = SecKeyCreateSignature(key, Self.name(algorithm), data, &error)
        return bytes.map { .success([UInt8]($0)) } ?? .failure(Self.failure(error))
    }

    /// When the framework gives no reason, the item was not found.
    private static func failure(_ error: Unmanaged<CFError>?) -> KeychainFailure {
        guard let error = error?.takeRetainedValue() else {
            return KeychainFailure(domain: "NSOSStatusErrorDomain", code: Int(KeychainStatus.itemNotFound))
        }
        let domain = CFErrorGetDomain(error) as String?
        return KeychainFailure(domain: domain ?? "", code: CFErrorGetCode(error))
    }

    private static func name(_ algorithm: KeychainSignature) -> SecKeyAlgorithm {
        switch algorithm {
        case .rsaSignatureMessagePKCS1v15SHA256: .rsaSignatureMessagePKCS1v15SHA256
        case .rsaSignatureMessagePKCS1v15SHA384: .rsaSignatureMessagePKCS1v15SHA384
        case .rsaSignatureMessagePKCS1v15SHA512: .rsaSignatureMessagePKCS1v15SHA512
        case .rsaSignatureMessagePSSSHA256: .rsaSignatureMessagePSSSHA256
        case .rsaSignatureMessagePSSSHA384: .rsaSignatureMessagePSSSHA384
        case .rsaSignatureMessagePSSSHA512: .rsaSignatureMessagePSSSHA512
        case .ecdsaSignatureMessageX962SHA256: .ecdsaSignatureMessageX962SHA256
        case .ecdsaSignatureMessageX962SHA384: .ecdsaSignatureMessageX962SHA384
        case .ecdsaSignatureMessageX962SHA512: .ecdsaSignatureMessageX962SHA512
        }
    }
}

/// As ``SecurityKey``, for identities that are found by their attributes.
struct SecurityIdentities: KeychainIdentityCalls {
    func identities(_ query: KeychainIdentityQuery) -> (status: Int32, found: [FoundIdentity]) {
        var dictionary: [String: Any] = [
            kSecClass as String: kSecClassIdentity, kSecMatchLimit as String: kSecMatchLimitAll,
            kSecReturnRef as String: true, kSecReturnAttributes as String: true,
        ]
        switch query {
        case .attributes(let label, let accessGroup):
            dictionary[kSecAttrLabel as String] = label
            dictionary[kSecAttrAccessGroup as String] = accessGroup
            // The file-based Keychain of macOS has no access groups.
            if accessGroup != nil { dictionary[kSecUseDataProtectionKeychain as String] = true }
        case .reference(let reference):
            dictionary[kSecValuePersistentRef as String] = Data(reference)
            dictionary[kSecMatchLimit as String] = kSecMatchLimitOne
        }
        var result: CFTypeRef?
        let status = SecItemCopyMatching(dictionary as CFDictionary, &result)
        // With a limit of one, the result is the item itself.
        let items = result as? [[String: Any]] ?? (result as? [String: Any]).map { [$0] } ?? []
        return (status, items.compactMap(Self.found))
    }

    private static func found(_ item: [String: Any]) -> FoundIdentity? {
        guard let reference = item[kSecValueRef as String].map({ $0 as AnyObject }),
            CFGetTypeID(reference) == SecIdentityGetTypeID()
        else { return nil }
        // The type was checked; Swift has no conditional cast to it.
        let held = Held(identity: unsafeDowncast(reference, to: SecIdentity.self))
        var certificate: SecCertificate?
        guard SecIdentityCopyCertificate(held.identity, &certificate) == errSecSuccess, let certificate else {
            return nil
        }
        return FoundIdentity(
            EncodedCertificate(certificate), label: item[kSecAttrLabel as String] as? String,
            accessGroup: item[kSecAttrAccessGroup as String] as? String
        ) { issuers throws(IdentityError) in
            try Identity(secIdentity: held.identity, issuers: issuers)
        }
    }

    /// Unchecked: an identity does not change, and any thread may use it.
    private struct Held: @unchecked Sendable { let identity: SecIdentity }
}

extension EncodedCertificate {
    fileprivate init(_ certificate: SecCertificate) { self.init(der: [UInt8](SecCertificateCopyData(certificate))) }
}

extension [UInt8] {
    fileprivate init(_ data: CFData) {
        guard let start = CFDataGetBytePtr(data) else {
            self = []
            return
        }
        self = Array(UnsafeBufferPointer(start: start, count: CFDataGetLength(data)))
    }
}
#endif
