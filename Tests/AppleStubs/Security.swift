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
