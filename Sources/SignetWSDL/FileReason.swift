#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

extension Error {
    /// What the operating system says of an error of a file, for which Foundation may give no more than a number; the
    /// description of any other error.
    package var fileReason: String {
        guard let code = ((self as? CocoaError)?.underlying as? POSIXError ?? self as? POSIXError)?.code else {
            return "\(self)"
        }
        return unsafe String(cString: strerror(code.rawValue))
    }
}
