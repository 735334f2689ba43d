/// A growable run of bytes that stays in place between two calls, for texts that must be rewritten.
struct ByteBuffer: ~Copyable {
    private(set) var base: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private var capacity: Int

    init() {
        capacity = 0
        base = .allocate(capacity: 1)
    }

    deinit { base.deallocate() }

    mutating func removeAll() { count = 0 }

    mutating func append(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count += 1
    }

    @inline(__always) mutating func append(_ start: UnsafePointer<UInt8>, _ length: Int) {
        guard length > 0 else { return }
        reserve(length)
        (base + count).update(from: start, count: length)
        count += length
    }

    /// Appends the bytes of a character.
    mutating func append(scalar: UInt32) {
        reserve(4)
        count += UTF8Bytes.store(scalar, at: base + count)
    }

    @inline(__always) private mutating func reserve(_ additional: Int) {
        if capacity - count < additional { grow(additional) }
    }

    @inline(never) private mutating func grow(_ additional: Int) {
        let larger = max(256, (count + additional) * 2)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        moved.update(from: base, count: count)
        base.deallocate()
        base = moved
        capacity = larger
    }
}
