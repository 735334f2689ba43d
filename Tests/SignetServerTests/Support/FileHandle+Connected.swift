import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension FileHandle {
    /// A TCP connection to a port on loopback, over which nothing was said yet. To read from it fails when nothing
    /// comes for half a minute.
    ///
    /// - Parameter source: the last octet of the address on loopback that it comes from.
    static func connected(to port: Int, from source: UInt8 = 1) throws -> FileHandle {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        if source != 1 {
            var own = address
            own.sin_port = 0
            own.sin_addr.s_addr = in_addr_t(0x7F00_0000 | UInt32(source)).bigEndian
            let bound = withUnsafePointer(to: &own) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard bound == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        let connection = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        #if canImport(Darwin)
        var silently: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &silently, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return connection
    }

    /// A connection to a socket in the file system.
    static func connected(toSocket path: String) throws -> FileHandle {
        #if canImport(Glibc)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        let connection = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
        return connection
    }

    /// What the other side says up to some words, without holding a thread that it may need; less when it closes the
    /// connection or says nothing more for half a minute.
    func text(to end: String) async throws -> String {
        var text: [UInt8] = []
        var last = ContinuousClock.now
        while .now - last < .seconds(30), !text.reversed().starts(with: end.utf8.reversed()) {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(fileDescriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            let problem = errno
            if count > 0 {
                text += bytes.prefix(count)
                last = .now
                continue
            }
            if count == 0 || ![EAGAIN, EWOULDBLOCK, EINTR].contains(problem) { break }
            try await Task.sleep(for: .milliseconds(5))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether the other side has closed or reset the connection by now; what it has said is passed over.
    var isClosed: Bool {
        var bytes = [UInt8](repeating: 0, count: 512)
        while true {
            let count = recv(fileDescriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            if count > 0 { continue }
            return count == 0 || ![EAGAIN, EWOULDBLOCK, EINTR].contains(errno)
        }
    }

    /// Sends, as far as the other side still takes it.
    func offer(_ bytes: some Sequence<UInt8>) {
        #if canImport(Glibc)
        let options = Int32(MSG_NOSIGNAL)
        #else
        let options: Int32 = 0
        #endif
        let bytes = Array(bytes)
        _ = send(fileDescriptor, bytes, bytes.count, options)
    }

    /// Waits for the other side, without holding a thread that it may need; true when it closes or resets the
    /// connection, false when it says something, or nothing for ten seconds.
    func isClosedByPeer() async throws -> Bool {
        let start = ContinuousClock.now
        while .now - start < .seconds(60) {
            var byte: UInt8 = 0
            let count = recv(fileDescriptor, &byte, 1, Int32(MSG_DONTWAIT))
            let problem = errno
            if count > 0 { return false }
            if count == 0 || ![EAGAIN, EWOULDBLOCK, EINTR].contains(problem) { return true }
            try await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    /// Whether a server that ended has closed this connection.
    ///
    /// Linux may drop a connection that comes in just while the listening socket is closed, which the server then never
    /// sees, and not tell the client before that says something.
    func isClosedByEndedServer() async throws -> Bool {
        #if canImport(Glibc)
        let options = Int32(MSG_NOSIGNAL)
        #else
        let options: Int32 = 0
        #endif
        // It fails on a connection that was reset, as it may.
        _ = send(fileDescriptor, "P", 1, options)
        return try await isClosedByPeer()
    }
}
