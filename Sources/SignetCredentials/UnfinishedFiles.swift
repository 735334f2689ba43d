import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Files that are made under a name of their own, and get the right one when they are complete.
///
/// Whoever makes one shares a lock on its folder until then. The lock ends with the process, so that what is there while nobody has
/// it is left of processes that were killed.
package enum UnfinishedFiles {
    private static let prefix = ".new-"
    /// What SQLite puts beside a file.
    package static let suffixes = ["", "-wal", "-shm", "-journal"]

    package static func newName() -> String { prefix + UUID().uuidString }

    /// Takes a share of the lock, which lasts until the descriptor is closed.
    ///
    /// On a file system that has no such locks nobody gets the whole of it either, and leftovers stay.
    ///
    /// - Parameter folder: a descriptor of the folder.
    package static func share(_ folder: Int32) {
        while flock(folder, LOCK_SH) != 0, errno == EINTR {}
    }

    /// Removes what was left, unless somebody is making a file in the folder; then another time will do.
    package static func removeLeftovers(in folder: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        // Looked for before the lock is taken: what is begun after it was let go of is not among them.
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
