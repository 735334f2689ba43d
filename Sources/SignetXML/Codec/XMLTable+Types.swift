private import Synchronization

extension XMLFielded {
    @_semantics("optimize.no.crossmodule") public init(_decoding: Void) { self = XMLTable.blank(Self.self) }

    /// The names of the fields, and where they are.
    @_spi(Generated) public static var xmlTable: XMLTable {
        @_semantics("optimize.no.crossmodule") get { XMLTable.of(Self.self) }
    }
}

extension XMLTable {
    /// The tables of all types that were used, which are made when they are asked for.
    private static let tables = Mutex<[ObjectIdentifier: XMLTable]>([:])

    /// The empty values of types that leave it to their fields to make one. A value is asked for before the table is made of it.
    private static let blanks = Mutex<[ObjectIdentifier: Blank]>([:])

    /// An empty value, of which all others are copies.
    struct Blank: @unchecked Sendable {
        // Nothing is changed once it is made; what it points to is Sendable.
        let value: UnsafeRawPointer
        /// Whether fields make up all of it.
        let isComplete: Bool
    }

    // A table is asked for with each value of its type. Two slots may hold it: what is found in neither goes into the first, and what
    // was there into the second.
    private static let slotCount = 4096
    // Unsafe only in name: the pointer is never changed, and what it points to are atomics.
    nonisolated(unsafe) private static let slots: UnsafeMutablePointer<Slot> = {
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: slotCount)
        for index in 0..<slotCount { (slots + index).initialize(to: Slot()) }
        return slots
    }()

    private struct Slot: ~Copyable {
        let content = Atomic<UnsafePointer<Content>?>(nil)
    }

    /// An empty value of a type that leaves it to its fields to make one.
    static func blank<T: XMLFielded>(_ type: T.Type) -> T {
        let id = ObjectIdentifier(type)
        let blank = kept(id)?.content.pointee.blank ?? (blank(of: type) ?? makeBlank(type, id)).value
        return blank.assumingMemoryBound(to: T.self).pointee
    }

    /// The empty value of a type, if its fields have made it.
    static func blank(of type: Any.Type) -> Blank? { blanks.withLock { $0[ObjectIdentifier(type)] } }

    private static func makeBlank<T: XMLFielded>(_ type: T.Type, _ id: ObjectIdentifier) -> Blank {
        // Not under the lock: the type asks for the empty values of others.
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
        // Not under the lock: the type may ask for the tables of groups.
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
