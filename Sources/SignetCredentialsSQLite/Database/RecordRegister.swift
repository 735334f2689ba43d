#if SQLite
import Foundation
import GRDB
import SignetCredentials

/// Lists which records there are, of which kind and in which revision, so that a removed or restored record is noticed.
///
/// Records are divided among 256 lists by the first byte of their identifier. Exceptions to the trust policy, which are
/// few and read all at once, have a list of their own. Each list is sealed with its generation; the root is another
/// list, of their generations. Only an old copy of the whole file is consistent; for that see
/// ``EncryptedDatabase/generation()``.
final class RecordRegister {
    private static let exceptions: Int64 = 256
    private static let numbers = 0...exceptions
    private static let rootNumber = exceptions + 1

    /// A list's entry for a record.
    private struct Entry {
        var kind: RecordKind
        var revision: Int64

        /// The identifier, the kind in one byte, and the revision.
        static let byteCount = 16 + 1 + 8
    }

    private let database: Database
    private let keys: RecordKeys
    private var root: [Int64]?
    /// Zero when the root cannot be trusted.
    private(set) var generation: Int64 = 0
    private var lists: [Int64: [UUID: Entry]] = [:]
    private var damaged: Set<Int64> = []
    private var changed: Set<Int64> = []

    init(_ database: Database, _ keys: RecordKeys) throws {
        self.database = database
        self.keys = keys
        if let (generation, content) = try read(Self.rootNumber), content.count == Self.numbers.count * 8 {
            self.generation = generation
            root = Self.numbers.compactMap { Int64(bigEndianBytes: content.dropFirst(Int($0) * 8).prefix(8)) }
        }
    }

    /// An empty register, which replaces the existing one, if any.
    ///
    /// - Parameter generation: the highest generation ever known, from which this register continues.
    init(after generation: Int64, _ database: Database, _ keys: RecordKeys) {
        self.database = database
        self.keys = keys
        self.generation = generation
        root = Array(repeating: 0, count: Self.numbers.count)
        for number in Self.numbers { lists[number] = [:] }
    }

    /// Whether the root can be trusted.
    var isKnown: Bool { root != nil }

    /// The highest generation that any list proves, which is the root's as long as the root can be trusted.
    func highestGeneration() throws -> Int64 {
        if isKnown { return generation }
        return try Self.numbers.reduce(0) { max($0, try read($1)?.generation ?? 0) }
    }

    enum RegisteredRevision: Equatable {
        case revision(Int64)
        case absent
        /// The list was changed by another program, so the state is not known.
        case unknown
    }

    func revision(of id: UUID, _ kind: RecordKind) throws -> RegisteredRevision {
        guard let list = try list(Self.number(id, kind)) else { return .unknown }
        guard let entry = list[id], entry.kind == kind else { return .absent }
        return .revision(entry.revision)
    }

    /// - Throws: ``/SignetCredentials/CredentialStoreError`` with `damaged` when the list for this identifier cannot be
    ///   trusted.
    func set(_ revision: Int64?, for id: UUID, _ kind: RecordKind) throws {
        let number = Self.number(id, kind)
        guard let list = try list(number) else {
            throw CredentialStoreError(
                .damaged,
                "The list of what the store holds was changed by another program. Call check(), then repair() or restore a backup."
            )
        }
        // An attacker may have given the removed record the identifier of another one; the list must keep that one.
        if revision == nil, list[id]?.kind != kind { return }
        lists[number]?[id] = revision.map { Entry(kind: kind, revision: $0) }
        changed.insert(number)
    }

    /// All records that should exist, as far as the lists can be trusted.
    func all() throws -> [UUID: RecordKind] { try entries(in: Self.numbers).mapValues(\.kind) }

    /// The records of a kind that should exist, as far as the lists can be trusted, and whether the result is complete.
    func all(_ kind: RecordKind) throws -> (ids: [UUID], isComplete: Bool) {
        let numbers = kind == .exception ? Self.exceptions...Self.exceptions : 0...(Self.exceptions - 1)
        let ids = try entries(in: numbers).filter { $0.value.kind == kind }.map(\.key)
        return (ids, damaged.isDisjoint(with: numbers))
    }

    private func entries(in numbers: ClosedRange<Int64>) throws -> [UUID: Entry] {
        try numbers.reduce(into: [:]) { result, number in
            result.merge(try list(number) ?? [:]) { first, _ in first }
        }
    }

    /// How many lists cannot be trusted; without the root, none can be.
    func damagedLists() throws -> Int {
        _ = try entries(in: Self.numbers)
        return damaged.count + (root == nil ? 1 : 0)
    }

    /// Writes the changed lists.
    func save() throws {
        guard var root, !changed.isEmpty else { return }
        let (next, isOverflow) = generation.addingReportingOverflow(1)
        if isOverflow {
            throw CredentialStoreError(.full, "The store cannot count further than generation \(generation).")
        }
        generation = next
        for number in changed {
            guard let list = lists[number] else { continue }
            root[Int(number)] = generation
            try write(
                list.flatMap { $0.key.bytes + [$0.value.kind.rawValue] + $0.value.revision.bigEndianBytes },
                number: number, generation: generation)
        }
        self.root = root
        try write(root.flatMap(\.bigEndianBytes), number: Self.rootNumber, generation: generation)
        changed = []
    }

    /// Writes every list again, also those without records.
    func saveAll() throws {
        try database.execute(sql: "DELETE FROM register")
        changed = Set(lists.keys)
        try save()
    }

    private static func number(_ id: UUID, _ kind: RecordKind) -> Int64 {
        kind == .exception ? exceptions : Int64(id.uuid.0)
    }

    /// - Returns: nil when the list is damaged.
    private func list(_ number: Int64) throws -> [UUID: Entry]? {
        if let known = lists[number] { return known }
        if damaged.contains(number) { return nil }
        let expected = root.flatMap { $0.indices.contains(Int(number)) ? $0[Int(number)] : nil }
        let found = try read(number)
        var list: [UUID: Entry]?
        switch (expected, found) {
        case (0, nil): list = [:]
        case (let expected?, (let generation, let content)?) where generation == expected:
            list = Self.decode(content)
        default: break
        }
        if let list { lists[number] = list } else { damaged.insert(number) }
        return list
    }

    private static func decode(_ content: [UInt8]) -> [UUID: Entry]? {
        guard content.count.isMultiple(of: Entry.byteCount) else { return nil }
        var list: [UUID: Entry] = [:]
        for start in stride(from: 0, to: content.count, by: Entry.byteCount) {
            guard let id = UUID(bytes: content[start..<start + 16]),
                let kind = RecordKind(rawValue: content[start + 16]),
                let revision = Int64(bigEndianBytes: content[start + 17..<start + Entry.byteCount])
            else { return nil }
            list[id] = Entry(kind: kind, revision: revision)
        }
        return list
    }

    private func read(_ number: Int64) throws -> (generation: Int64, content: [UInt8])? {
        let row = try Row.fetchOne(
            database, sql: "SELECT generation, sealed FROM register WHERE number = ?", arguments: [number])
        guard let row, let generation = row.integer("generation"), let sealed = row.bytes("sealed"),
            let content = keys.openRegister(sealed, number: number, generation: generation)
        else { return nil }
        return (generation, content)
    }

    private func write(_ content: [UInt8], number: Int64, generation: Int64) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO register (number, generation, sealed) VALUES (?, ?, ?)",
            arguments: [
                number, generation, Data(try keys.sealRegister(content, number: number, generation: generation)),
            ])
    }
}
#endif
