/// Finds an entry of a revocation list by its serial number: a table with four bytes for each place, at most half of
/// which are taken, in place of a value for each entry.
struct SerialIndex: Sendable {
    /// The position of an entry, plus one; zero in a free place. Their number is a power of two.
    private var places: [UInt32]
    private(set) var count = 0

    /// How many bytes of memory it takes.
    var bytes: Int { places.count * MemoryLayout<UInt32>.size }

    /// - Parameter capacity: how many entries will be added at most.
    init(capacity: Int) {
        var size = 16
        while size / 2 < capacity { size *= 2 }
        places = [UInt32](repeating: 0, count: size)
    }

    /// Serial numbers are positive; leading zeros mean nothing.
    static func significant(_ serialNumber: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        serialNumber.drop { $0 == 0 }
    }

    mutating func add(_ serialNumber: ArraySlice<UInt8>, at position: UInt32) {
        // In a full table, a search would have no end.
        guard count < places.count / 2 else { return }
        var place = start(serialNumber)
        while places[place] != 0 { place = (place + 1) & (places.count - 1) }
        places[place] = position + 1
        count += 1
    }

    /// The first entry for which `matches` is true, among those that may have this serial number.
    func position(of serialNumber: ArraySlice<UInt8>, where matches: (UInt32) throws -> Bool) rethrows -> UInt32? {
        var place = start(serialNumber)
        while places[place] != 0 {
            let position = places[place] - 1
            if try matches(position) { return position }
            place = (place + 1) & (places.count - 1)
        }
        return nil
    }

    /// The hash is seeded for each process, so that a hostile list cannot choose numbers that fall on one place.
    private func start(_ serialNumber: ArraySlice<UInt8>) -> Int {
        var hasher = Hasher()
        for byte in Self.significant(serialNumber) { hasher.combine(byte) }
        return hasher.finalize() & (places.count - 1)
    }
}
