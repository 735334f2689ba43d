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
    /// What the present task uses exclusively: to wait for itself would have no end.
    @TaskLocal private static var held: Set<String> = []

    /// Runs `body` while no other task of this process runs one for the same name.
    package static func inProcess<Value: Sendable>(
        _ name: String, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        try checkIsFree(name)
        while !names.withLock({ $0.insert(name).inserted }) { try await Task.sleep(for: pause) }
        defer { names.withLock { _ = $0.remove(name) } }
        return try await $held.withValue(held.union([name]), operation: body)
    }

    private static func checkIsFree(_ name: String) throws(IdentityStoreError) {
        guard held.contains(name) else { return }
        throw IdentityStoreError(
            .inUse,
            "The task uses this label of the store exclusively already. Do both in one use, or one after the other.")
    }

    /// Runs `body` while no other task, in this process or another, runs one with the same file. The lock ends with the
    /// process that holds it, however that ends. A missing file is made, and stays.
    ///
    /// - Throws: ``IdentityStoreError`` with `inputOutput` or `unsafePermissions`; `CancellationError`.
    package static func ofFile<Value: Sendable>(
        _ path: String, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        try checkIsFree(path)
        let file = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            let code = errno
            let reason = unsafe String(cString: strerror(code))
            throw IdentityStoreError(
                code == ELOOP ? .unsafePermissions : .inputOutput,
                "The lock “\(path)” cannot be opened: \(reason). Look at the owner and the permissions of its folder.")
        }
        defer { close(file) }
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            guard code == EWOULDBLOCK || code == EINTR else {
                let reason = unsafe String(cString: strerror(code))
                throw IdentityStoreError(
                    .inputOutput,
                    "The lock “\(path)” cannot be taken: \(reason). Keep the store on a file system that has locks.")
            }
            try await Task.sleep(for: pause)
        }
        return try await $held.withValue(held.union([path]), operation: body)
    }
}
