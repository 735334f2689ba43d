// Declares just the calls made to Apple's module of this name, so that what is only for Apple's systems is at least compiled.
public import CoreFoundation

public final class SecCertificate: Sendable {}
public final class SecPolicy: Sendable {}
public final class SecTrust: Sendable {}
public let errSecSuccess: Int32 = 0

public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? { nil }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { CFData() }
public func SecPolicyCreateSSL(_ server: Bool, _ host: CFString?) -> SecPolicy { SecPolicy() }
public func SecTrustCreateWithCertificates(
    _ certificates: CFTypeRef, _ policies: CFTypeRef?, _ trust: UnsafeMutablePointer<SecTrust?>
) -> Int32 { 0 }
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ date: CFDate) -> Int32 { 0 }
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ isAllowed: Bool) -> Int32 { 0 }
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { false }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { nil }

public final class SecIdentity: Sendable {}
public let kSecImportExportPassphrase = ""
public let kSecImportToMemoryOnly = ""
public let kSecImportItemIdentity = ""

public func SecIdentityGetTypeID() -> UInt { 0 }
public func SecPKCS12Import(
    _ file: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> Int32 { 0 }

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> Int32 { 0 }
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> Int32 { 0 }
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> Int32 { 0 }
public func SecItemDelete(_ query: CFDictionary) -> Int32 { 0 }

public let kSecClass = ""
public let kSecClassInternetPassword = ""
public let kSecClassGenericPassword = ""
public let kSecUseDataProtectionKeychain = ""
public let kSecMatchLimit = ""
public let kSecMatchLimitOne = ""
public let kSecMatchLimitAll = ""
public let kSecReturnData = ""
public let kSecReturnAttributes = ""
public let kSecValueData = ""
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
