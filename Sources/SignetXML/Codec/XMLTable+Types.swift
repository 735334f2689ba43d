private import Synchronization

extension XMLFielded {
    @_semantics("optimize.no.crossmodule") public init(_decoding: Void) { self = XMLTable.blank(Self.self) }

    /// The names and positions of the fields.
    @_spi(Generated) public static var xmlTable: XMLTable {
        @_semantics("optimize.no.crossmodule") get { XMLTable.of(Self.self) }
    }
}

extension XMLTable {
    /// The tables of all types used so far; each is made when it is first needed.
    private static let tables = Mutex<[ObjectIdentifier: XMLTable]>([:])

    /// The empty values of types whose fields make them. An empty value is needed before the table is made from it.
    private static let blanks = Mutex<[ObjectIdentifier: Blank]>([:])

    /// An empty value of which all others are copies.
    struct Blank: @unchecked Sendable {
        // The pointee never changes after it is made, and it is Sendable.
        let value: UnsafeRawPointer
        /// Whether the fields cover the whole value.
        let isComplete: Bool
    }

    // A table is needed with each value of its type, so recent tables are cached. Two slots may have a table: a table
    // found in neither is put into the first, and the first slot's table into the second.
    private static let slotCount = 4096
    // The pointer never changes, and its pointees are atomics.
    nonisolated(unsafe) private static let slots: UnsafeMutablePointer<Slot> = {
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: slotCount)
        for index in 0..<slotCount { (slots + index).initialize(to: Slot()) }
        return slots
    }()

    private struct Slot: ~Copyable {
        let content = Atomic<UnsafePointer<Content>?>(nil)
    }

    /// Returns an empty value of a type whose fields make it.
    static func blank<T: XMLFielded>(_ type: T.Type) -> T {
        let id = ObjectIdentifier(type)
        let blank = kept(id)?.content.pointee.blank ?? (blank(of: type) ?? makeBlank(type, id)).value
        return blank.assumingMemoryBound(to: T.self).pointee
    }

    /// The empty value of a type, if its fields have made it.
    static func blank(of type: Any.Type) -> Blank? { blanks.withLock { $0[ObjectIdentifier(type)] } }

    private static func makeBlank<T: XMLFielded>(_ type: T.Type, _ id: ObjectIdentifier) -> Blank {
        // Not under the lock: the type needs the empty values of others.
        let made = XMLFields.blank(type)
        return blanks.withLock { blanks in
            let blank = blanks[id] ?? made
            blanks[id] = blank
            return blank
        }
    }

    /// The table of a type.
    static func of<T: XMLFielded>(_ type: T.Type) -> XMLTable {
        let id = ObjectIdentifier(type)
        return kept(id) ?? make(type, id)
    }

    /// The table of a type, if it has been made.
    private static func kept(_ id: ObjectIdentifier) -> XMLTable? {
        let bits = UInt(bitPattern: id) >> 4
        let slot = Int(truncatingIfNeeded: (bits ^ bits >> 12) % UInt(slotCount))
        let first = slots[slot].content.load(ordering: .acquiring)
        if let first, first.pointee.type == id { return XMLTable(first) }
        if let second = slots[slot ^ 1].content.load(ordering: .acquiring), second.pointee.type == id {
            return XMLTable(second)
        }
        guard let table = tables.withLock({ $0[id] }) else { return nil }
        slots[slot].content.store(table.content, ordering: .releasing)
        if let first { slots[slot ^ 1].content.store(first, ordering: .releasing) }
        return table
    }

    private static func make<T: XMLFielded>(_ type: T.Type, _ id: ObjectIdentifier) -> XMLTable {
        // Not under the lock: the type may need the tables of groups.
        var content = XMLFields.table(of: type)
        content.type = id
        let made = XMLTable(content)
        return tables.withLock { tables in
            let table = tables[id] ?? made
            tables[id] = table
            return table
        }
    }
}
