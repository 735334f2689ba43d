#if Server
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Tells the service manager that started the program how it is (`sd_notify(3)`).
enum ServiceManager {
    /// Sends a state, such as `READY=1`, to the socket that `NOTIFY_SOCKET` names; does nothing without one.
    ///
    /// - Returns: whether the state was sent.
    @discardableResult static func tell(_ state: String, environment: [String: String]) -> Bool {
        #if os(Linux)
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else { return false }
        // An abstract socket begins with a zero byte.
        var name = Array(path.utf8)
        if path.hasPrefix("@") { name[0] = 0 }
        var address = sockaddr_un()
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard name.count < room else { return false }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size - room + name.count)
        let bytes = Array(state.utf8)
        let sent = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
        return sent == bytes.count
        #else
        return false
        #endif
    }
}
#endif
