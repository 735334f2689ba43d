// Declares just the calls made to Apple's module of this name, so that what is only for Apple's systems is at least
// compiled.
public import CoreFoundation

public final class SecCertificate: Sendable {}
public final class SecPolicy: Sendable {}
public final class SecTrust: Sendable {}
public let errSecSuccess: Int32 = 0

public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? { nil }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { CFData() }
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy() }
public func SecPolicyCreateSSL(_ server: Bool, _ host: CFString?) -> SecPolicy { SecPolicy() }
public func SecTrustCreateWithCertificates(
    _ certificates: CFTypeRef, _ policies: CFTypeRef?, _ trust: UnsafeMutablePointer<SecTrust?>
) -> Int32 { 0 }
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ date: CFDate) -> Int32 { 0 }
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ isAllowed: Bool) -> Int32 { 0 }
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { false }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { nil }

// In some versions of Apple's module these two are Sendable.
public final class SecIdentity {}
public final class SecKey {}
public let kSecImportExportPassphrase = ""
public let kSecImportToMemoryOnly = ""
public let kSecImportItemIdentity = ""

public func SecIdentityGetTypeID() -> UInt { 0 }
public func SecIdentityCopyCertificate(
    _ identity: SecIdentity, _ certificate: UnsafeMutablePointer<SecCertificate?>
) -> Int32 { 0 }
public func SecIdentityCopyPrivateKey(
    _ identity: SecIdentity, _ key: UnsafeMutablePointer<SecKey?>
) -> Int32 { 0 }

public enum SecKeyOperationType: CFIndex { case sign, verify, encrypt, decrypt, keyExchange }
public struct SecKeyAlgorithm: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let rsaSignatureMessagePKCS1v15SHA256 = Self(rawValue: "")
    public static let rsaSignatureMessagePKCS1v15SHA384 = Self(rawValue: "")
    public static let rsaSignatureMessagePKCS1v15SHA512 = Self(rawValue: "")
    public static let rsaSignatureMessagePSSSHA256 = Self(rawValue: "")
    public static let rsaSignatureMessagePSSSHA384 = Self(rawValue: "")
    public static let rsaSignatureMessagePSSSHA512 = Self(rawValue: "")
    public static let ecdsaSignatureMessageX962SHA256 = Self(rawValue: "")
    public static let ecdsaSignatureMessageX962SHA384 = Self(rawValue: "")
    public static let ecdsaSignatureMessageX962SHA512 = Self(rawValue: "")
}
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { nil }
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { nil }
public func SecKeyIsAlgorithmSupported(
    _ key: SecKey, _ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm
) -> Bool { false }
public func SecKeyCreateSignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { nil }
public func SecPKCS12Import(
    _ file: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> Int32 { 0 }

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> Int32 { 0 }
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> Int32 { 0 }
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> Int32 { 0 }
public func SecItemDelete(_ query: CFDictionary) -> Int32 { 0 }

public let kSecClass = ""
public let kSecClassIdentity = ""
public let kSecClassInternetPassword = ""
public let kSecClassGenericPassword = ""
public let kSecUseDataProtectionKeychain = ""
public let kSecMatchLimit = ""
public let kSecMatchLimitOne = ""
public let kSecMatchLimitAll = ""
public let kSecReturnData = ""
public let kSecReturnRef = ""
public let kSecReturnAttributes = ""
public let kSecValuePersistentRef = ""
public let kSecValueData = ""
public let kSecValueRef = ""
public let kSecAttrAccount = ""
public let kSecAttrSecurityDomain = ""
public let kSecAttrServer = ""
public let kSecAttrService = ""
public let kSecAttrProtocol = ""
public let kSecAttrAuthenticationType = ""
public let kSecAttrPort = ""
public let kSecAttrPath = ""
public let kSecAttrAccessGroup = ""
public let kSecAttrAccessible = ""
public let kSecAttrLabel = ""
public let kSecAttrComment = ""
public let kSecAttrCreationDate = ""
public let kSecAttrModificationDate = ""
public let kSecAttrProtocolHTTP = ""
public let kSecAttrProtocolHTTPS = ""
public let kSecAttrProtocolHTTPProxy = ""
public let kSecAttrProtocolHTTPSProxy = ""
public let kSecAttrAuthenticationTypeDefault = ""
public let kSecAttrAuthenticationTypeHTTPBasic = ""
public let kSecAttrAuthenticationTypeHTTPDigest = ""
public let kSecAttrAuthenticationTypeNTLM = ""
public let kSecAttrAccessibleWhenUnlocked = ""
public let kSecAttrAccessibleAfterFirstUnlock = ""
public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly = ""
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly = ""
public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly = ""
