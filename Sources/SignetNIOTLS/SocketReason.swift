import NIOCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

extension Error {
    /// What the operating system says of an error of a socket, without the function of NIO in which it occurred; the
    /// description of any other error.
    package var socketReason: String {
        guard let error = self as? IOError else { return "\(self)" }
        return unsafe String(cString: strerror(error.errnoCode))
    }
}
