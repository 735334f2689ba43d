import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Lets one caller at a time do something.
package enum ExclusiveUse {
    private static let names = Mutex<Set<String>>([])
    /// Waiting is for changes of identities, which take seconds.
    private static let pause = Duration.milliseconds(25)

    /// Runs `body` while no other task of this process runs one for the same name.
    package static func inProcess<Value: Sendable>(
        _ name: String, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        while !names.withLock({ $0.insert(name).inserted }) { try await Task.sleep(for: pause) }
        defer { names.withLock { _ = $0.remove(name) } }
        return try await body()
    }

    /// Runs `body` while no other task, in this process or another, runs one with the same file. The lock ends with the
    /// process that holds it, however that ends. The file is made where there is none, and stays.
    ///
    /// - Throws: ``IdentityStoreError`` with `inputOutput` or `unsafePermissions`; `CancellationError`.
    package static func ofFile<Value: Sendable>(
        _ path: String, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        let file = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw IdentityStoreError(
                errno == ELOOP ? .unsafePermissions : .inputOutput,
                "The lock “\(path)” cannot be opened: \(reason). Look at the owner and the permissions of its folder.")
        }
        defer { close(file) }
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                let reason = unsafe String(cString: strerror(errno))
                throw IdentityStoreError(
                    .inputOutput,
                    "The lock “\(path)” cannot be taken: \(reason). Keep the store on a file system that has locks.")
            }
            try await Task.sleep(for: pause)
        }
        return try await body()
    }
}
