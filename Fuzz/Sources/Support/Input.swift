/// The fuzzer's input: a few small decisions at the front, then content.
public struct Input {
    private let bytes: [UInt8]
    private var next = 0

    public init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
        bytes = Array(UnsafeBufferPointer(start: start, count: count))
    }

    public var isAtEnd: Bool { next == bytes.count }

    /// The next byte; zero at the end of the input.
    public mutating func byte() -> UInt8 {
        guard next < bytes.count else { return 0 }
        defer { next += 1 }
        return bytes[next]
    }

    /// A number below `count`.
    public mutating func number(below count: Int) -> Int { Int(byte()) % count }

    /// At most `count` of the bytes that are left.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        let end = min(bytes.count, next + count)
        defer { next = end }
        return Array(bytes[next..<end])
    }

    /// The bytes up to the next zero byte, which is dropped, or to the end.
    public mutating func piece() -> [UInt8] {
        let end = bytes[next...].firstIndex(of: 0) ?? bytes.count
        defer { next = min(bytes.count, end + 1) }
        return Array(bytes[next..<end])
    }

    /// All remaining bytes.
    public mutating func rest() -> [UInt8] { bytes(bytes.count - next) }
}

/// Ends the process when an invariant is violated: the fuzzer then keeps the input.
public func require(_ holds: Bool, _ message: @autoclosure () -> String) {
    if !holds { fatalError(message()) }
}
