import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension FileHandle {
    /// A TCP connection to a port on loopback, over which nothing was said yet.
    static func connected(to port: Int) throws -> FileHandle {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Waits for the other side; true when it closes or resets the connection, false when it says something.
    func isClosedByPeer() -> Bool {
        guard let data = try? read(upToCount: 1) else { return true }
        return data.isEmpty
    }
}
