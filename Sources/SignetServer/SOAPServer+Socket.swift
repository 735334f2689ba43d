#if Server
import Foundation
import NIOCore
import NIOPosix
import SignetAuthentication

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension SOAPServer {
    /// Checks the place that the server is to listen at, without listening.
    ///
    /// - Throws: ``SOAPServerError`` with `cannotListen`.
    package func checkPlace() async throws(SOAPServerError) { try await settings.checkPlace() }
}

/// The socket in the file system that a server may listen at.
extension SOAPServer.Settings {
    /// What the address of a socket has room for on every system, in bytes.
    private static let longestSocketPath = 103

    /// - Throws: ``SOAPServerError`` with `invalidConfiguration`.
    func check(unixSocketPath: String) throws(SOAPServerError) {
        guard (1...Self.longestSocketPath).contains(unixSocketPath.utf8.count), !unixSocketPath.utf8.contains(0) else {
            throw SOAPServerError(
                .invalidConfiguration,
                "“\(unixSocketPath.printable)” cannot be the path of a socket: it has 1 to \(Self.longestSocketPath) bytes."
            )
        }
        let usual = Self()
        guard host == usual.host, port == usual.port else {
            throw SOAPServerError(
                .invalidConfiguration,
                "The settings host and port have no effect beside unixSocketPath; leave them out, or leave unixSocketPath out."
            )
        }
    }

    /// Checks that only the server's user and group reach the socket, and that no server listens at it.
    ///
    /// - Throws: ``SOAPServerError`` with `cannotListen`.
    func checkSocket() async throws(SOAPServerError) {
        guard let unixSocketPath else { return }
        try checkFolder(of: unixSocketPath)
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        guard let other = try? await bootstrap.connect(unixDomainSocketPath: unixSocketPath).get() else { return }
        other.close(promise: nil)
        throw SOAPServerError(
            .cannotListen,
            "Cannot listen at the socket “\(unixSocketPath.printable)”: a server listens at it. End that one first.")
    }

    private func checkFolder(of unixSocketPath: String) throws(SOAPServerError) {
        let folder = URL(filePath: unixSocketPath).deletingLastPathComponent().resolvingSymlinksInPath().path
        let attributes: [FileAttributeKey: Any]
        do { attributes = try FileManager.default.attributesOfItem(atPath: folder) } catch {
            throw SOAPServerError(
                .cannotListen,
                "Cannot listen at the socket “\(unixSocketPath.printable)”: its folder cannot be read. Make the folder first. (\(error.localizedDescription))",
                cause: error)
        }
        let mode = attributes[.posixPermissions] as? Int ?? 0o777
        let owner = attributes[.ownerAccountID] as? Int ?? -1
        guard mode & 0o007 == 0 else {
            throw SOAPServerError(
                .cannotListen,
                "Cannot listen at the socket “\(unixSocketPath.printable)”: other users have rights in its folder, and could speak as the proxy. Take a folder of the server's user with mode 0750."
            )
        }
        guard geteuid() == 0 || owner == 0 || owner == Int(geteuid()) else {
            throw SOAPServerError(
                .cannotListen,
                "Cannot listen at the socket “\(unixSocketPath.printable)”: its folder belongs to another user, who could exchange the socket. Take a folder of the server's user, or of root."
            )
        }
    }

    /// - Throws: ``SOAPServerError`` with `cannotListen`.
    func checkPlace() async throws(SOAPServerError) {
        if let unixSocketPath {
            // The folder may be made, and belong to the server, only when the server starts.
            let folder = URL(filePath: unixSocketPath).deletingLastPathComponent().path
            let isThere = FileManager.default.isReadableFile(atPath: folder)
            if isThere { try checkFolder(of: unixSocketPath) }
            return
        }
        do { _ = try SocketAddress.makeAddressResolvingHost(host, port: port) } catch {
            throw SOAPServerError(
                .cannotListen,
                "Cannot listen at “\(host.printable)”: it is no address, and no name that this machine knows.",
                cause: error)
        }
    }

    /// Lets only the server's user and the file's group open the socket.
    ///
    /// - Returns: whether it was possible.
    func restrictSocket() -> Bool { unixSocketPath.map { unsafe chmod($0, 0o660) == 0 } ?? true }
}
#endif
