import Synchronization

/// Limits the disk space of the attachments of all requests of a server together.
///
/// The limit for one request does not limit a thousand requests, which strangers may send before they have proved their
/// identity.
package final class SpoolBudget: Sendable {
    private let limit: Int
    private let used = Mutex(0)

    /// - Parameter limit: the disk space, in bytes.
    package init(limit: Int) { self.limit = limit }

    /// The disk space in use, in bytes.
    package var usedBytes: Int { used.withLock { $0 } }

    private func take(_ count: Int) -> Bool {
        used.withLock { used in
            guard count <= limit - used else { return false }
            used += count
            return true
        }
    }

    private func giveBack(_ count: Int) { used.withLock { $0 -= count } }

    /// The disk space that one file has taken. It is given back when the file is closed.
    final class Room: Sendable {
        private let budget: SpoolBudget
        private let taken = Mutex(0)

        init(_ budget: SpoolBudget) { self.budget = budget }

        deinit { budget.giveBack(taken.withLock { $0 }) }

        /// - Throws: ``AttachmentError`` with `spoolFull`.
        func extend(by count: Int) throws(AttachmentError) {
            guard budget.take(count) else {
                throw AttachmentError(
                    .spoolFull,
                    "The attachments of all requests together would take more than \(budget.limit) bytes on the disk; raise maximumSpooledBytes if there is room for more."
                )
            }
            taken.withLock { $0 += count }
        }
    }
}
