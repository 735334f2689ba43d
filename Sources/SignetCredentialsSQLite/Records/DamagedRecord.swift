#if SQLite
/// A record that is not what the store has written.
public struct DamagedRecord: Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with a record. New cases may be added: keep a `default` when switching.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// It cannot be opened: it was changed, or put there from elsewhere.
        public static let unreadable = Problem("unreadable")
        /// It is not in the revision that was written last: an old one was put back.
        public static let outdated = Problem("outdated")
        /// It was removed, and put back.
        public static let unregistered = Problem("unregistered")
        /// It should be there and is not.
        public static let missing = Problem("missing")
        /// It is whole, and would not be found by what it is for.
        public static let misplaced = Problem("misplaced")
        /// It is whole, but the list that says whether it is the latest was changed. Without an identifier: there may be more
        /// of the kind than were found.
        public static let unproven = Problem("unproven")
    }

    /// The record's identifier in the file; empty when it has none.
    public let id: String
    /// `credential`, `identity` or `trust exception`; nil when that is not known.
    public let kind: String?
    /// What is wrong with it.
    public let problem: Problem

    public var description: String { "\(kind ?? "record")\(id.isEmpty ? "" : " \(id)"): \(problem)" }
}

/// What ``EncryptedDatabase/check()`` has found.
public struct StoreReport: Sendable, Hashable {
    /// How many records are whole.
    public let sound: Int
    /// The records that are not what the store has written, also those that are missing.
    public let damaged: [DamagedRecord]
    /// How many of the 258 lists of what the store holds cannot be trusted.
    public let damagedLists: Int
    /// What SQLite says of its file; empty when all is well.
    public let fileProblems: [String]
    /// See ``EncryptedDatabase/generation()``.
    public let generation: Int64

    /// Whether nothing is wrong with records, lists and file.
    public var isSound: Bool { damaged.isEmpty && damagedLists == 0 && fileProblems.isEmpty }
}
#endif
