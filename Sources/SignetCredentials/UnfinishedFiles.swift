import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Files that are created under a temporary name, and get their final name when they are complete.
///
/// A process that creates one holds a shared lock on the folder until then. The lock ends with the process, so files
/// that remain without a lock come from processes that were killed.
package enum UnfinishedFiles {
    private static let prefix = ".new-"
    /// The suffixes of files that SQLite creates beside a file.
    package static let suffixes = ["", "-wal", "-shm", "-journal"]

    package static func newName() -> String { prefix + UUID().uuidString }

    /// Takes the shared lock, which lasts until the descriptor is closed.
    ///
    /// On a file system without such locks, no process gets the exclusive lock either, and leftovers stay.
    ///
    /// - Parameter folder: a descriptor of the folder.
    package static func share(_ folder: Int32) {
        while flock(folder, LOCK_SH) != 0, errno == EINTR {}
    }

    /// Removes leftovers, unless a process is creating a file in the folder; a later call then removes them.
    package static func removeLeftovers(in folder: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        // The list is made before the lock is taken, so it does not include files that are begun after the lock is
        // released.
        let leftovers = names.filter(isOurs)
        if leftovers.isEmpty { return }
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
        for name in leftovers { unsafe unlinkat(descriptor, name, 0) }
    }

    private static func isOurs(_ name: String) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        let rest = name.dropFirst(prefix.count)
        return UUID(uuidString: String(rest.prefix(36))) != nil && suffixes.contains(String(rest.dropFirst(36)))
    }
}
