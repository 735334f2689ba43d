import AllocationCounter
import Testing

@_spi(Generated) @testable import SignetXML

private struct Entry: XMLStructure {
    var number: Int32 = 0
    var name = ""
    var note: String?
    var day: XSDDate = ._placeholder
    var price: XSDDecimal = 0
    var content: XSDBase64Binary?

    init(_decoding: Void) {}

    init(_ number: Int32) {
        self.number = number
        name = "entry \(number)"
        note = "a note of more than fifteen bytes & a reference"
        price = XSDDecimal("\(number).25") ?? 0
        content = XSDBase64Binary([1, 2, 3])
    }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:entries", elements: "number name note? day price content?")
        fields.int32(&x.number)
        fields.string(&x.name)
        fields.optionalString(&x.note)
        fields.date(&x.day)
        fields.decimal(&x.price)
        fields.optionalBase64Binary(&x.content)
    }
}

private struct Diary: XMLStructure {
    var entry: [Entry] = []

    init(_decoding: Void) {}
    init(_ count: Int32) { entry = (0..<count).map(Entry.init) }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:entries", elements: "entry*")
        fields.structures(&x.entry)
    }
}

/// How many blocks of memory a message asks for, which repeats exactly, compared with what it was when it was looked at
/// last. More than a tenth above is a defect; with fewer, the new numbers are to be written down.
@Suite struct AllocationTests {
    private static let root = XMLName("urn:entries", "diary")

    private func encode(_ diary: Diary) throws -> [UInt8] {
        var writer = XMLWriter()
        writer.element(Self.root, diary, declaring: [("e", Self.root.namespace)])
        return try writer.finish()
    }

    private func decode(_ bytes: [UInt8]) throws -> Diary {
        try XMLReader.read(bytes) { reader in
            try reader.root()
            return try reader.structure()
        }
    }

    /// The least of many runs: the first one prepares what is kept, and another thread may take the memory that a
    /// writer left.
    private func allocations(_ work: () throws -> Void) throws -> Int64 {
        var least = Int64.max
        for _ in 0..<20 {
            let before = allocations_of_thread()
            try work()
            least = min(least, allocations_of_thread() - before)
        }
        return least
    }

    @Test(arguments: [(entries: Int32(1), decoding: Int64(17), encoding: Int64(17)), (100, 417, 17)])
    func codingAMessageStaysWithinItsAllocations(entries: Int32, decoding: Int64, encoding: Int64) throws {
        guard allocations_of_thread() >= 0 else {
            return print("Not run: allocations are counted with glibc and without sanitizers only.")
        }
        let diary = Diary(entries)
        let bytes = try encode(diary)
        #expect(try decode(bytes) == diary)
        let decoded = try allocations { _ = try decode(bytes) }
        let encoded = try allocations { _ = try encode(diary) }
        #expect(decoded * 10 <= decoding * 11, "\(decoded) to read \(entries) entries")
        #expect(encoded * 10 <= encoding * 11, "\(encoded) to write \(entries) entries")
    }
}
