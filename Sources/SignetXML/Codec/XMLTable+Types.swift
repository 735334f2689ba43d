private import Synchronization

extension XMLStructure {
    /// The names of the fields, and where they are.
    public static var xmlTable: XMLTable {
        @_semantics("optimize.no.crossmodule") get { XMLTable.of(Self.self) }
    }
}

extension XMLTable {
    /// The tables of all types that were used, which are made when they are asked for.
    private static let tables = Mutex<[ObjectIdentifier: XMLTable]>([:])

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

    /// The table of a type.
    static func of<T: XMLStructure>(_ type: T.Type) -> XMLTable {
        let id = ObjectIdentifier(type)
        let bits = UInt(bitPattern: id) >> 4
        let slot = Int(truncatingIfNeeded: (bits ^ bits >> 12) % UInt(slotCount))
        let first = slots[slot].content.load(ordering: .acquiring)
        if let first, first.pointee.type == id { return XMLTable(first) }
        if let second = slots[slot ^ 1].content.load(ordering: .acquiring), second.pointee.type == id {
            return XMLTable(second)
        }
        let table = tables.withLock { $0[id] } ?? make(type, id)
        slots[slot].content.store(table.content, ordering: .releasing)
        if let first { slots[slot ^ 1].content.store(first, ordering: .releasing) }
        return table
    }

    private static func make<T: XMLStructure>(_ type: T.Type, _ id: ObjectIdentifier) -> XMLTable {
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
