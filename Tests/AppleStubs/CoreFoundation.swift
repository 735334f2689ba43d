// Declares just the calls made to Apple's module of this name, so that what is only for Apple's systems is at least
// compiled.
public final class CFAllocator: Sendable {}
public final class CFData: Sendable {
    public init() {}
}
public final class CFDate: Sendable {}
public final class CFError: Sendable {}
public final class CFString: Sendable {}
public typealias CFTypeRef = Any
public typealias CFArray = [AnyObject]
public typealias CFDictionary = [AnyHashable: Any]
public let kCFAbsoluteTimeIntervalSince1970: Double = 978_307_200

public typealias CFErrorDomain = String
public typealias CFIndex = Int

public func CFErrorGetDomain(_ error: CFError!) -> CFErrorDomain! { nil }
public func CFErrorGetCode(_ error: CFError!) -> CFIndex { 0 }
public func CFDataCreate(_ allocator: CFAllocator?, _ bytes: UnsafePointer<UInt8>!, _ length: Int) -> CFData! { nil }
public func CFDataGetBytePtr(_ data: CFData!) -> UnsafePointer<UInt8>! { nil }
public func CFDataGetLength(_ data: CFData!) -> Int { 0 }
public func CFDateCreate(_ allocator: CFAllocator?, _ time: Double) -> CFDate! { nil }
public func CFGetTypeID(_ value: CFTypeRef) -> UInt { 0 }
