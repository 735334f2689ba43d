#if SQLite
/// A record that is not as the store has written it.
public struct DamagedRecord: Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with a record. New cases may be added: keep a `default` when switching.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// It cannot be opened: it was changed, or comes from elsewhere.
        public static let unreadable = Problem("unreadable")
        /// It is not the latest revision: an old one was restored.
        public static let outdated = Problem("outdated")
        /// It was removed, and then restored.
        public static let unregistered = Problem("unregistered")
        /// It should exist and does not.
        public static let missing = Problem("missing")
        /// It is whole, but its index columns do not match its content, so that a search would not find it.
        public static let misplaced = Problem("misplaced")
        /// It is whole, but the list that would prove that it is the latest was changed. Without an identifier: there
        /// may be more records of the kind than were found.
        public static let unproven = Problem("unproven")
    }

    /// The record's identifier in the file; empty when it has none.
    public let id: String
    /// such as `credential` or `account`; nil when that is not known.
    public let kind: String?
    /// What is wrong with it.
    public let problem: Problem

    public var description: String { "\(kind ?? "record")\(id.isEmpty ? "" : " \(id)"): \(problem)" }
}

/// The result of ``EncryptedDatabase/check()``.
public struct StoreReport: Sendable, Hashable {
    /// How many records are whole.
    public let sound: Int
    /// The records that are not as the store has written them, including missing ones.
    public let damaged: [DamagedRecord]
    /// How many of the store's 258 lists of records cannot be trusted.
    public let damagedLists: Int
    /// The problems that SQLite reports for its file; empty when there are none.
    public let fileProblems: [String]
    /// See ``EncryptedDatabase/generation()``.
    public let generation: Int64

    /// Whether records, lists and file have no problems.
    public var isSound: Bool { damaged.isEmpty && damagedLists == 0 && fileProblems.isEmpty }
}
#endif
