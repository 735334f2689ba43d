/// A number that every field goes into (FNV-1a, 64 bits), so that no side can have left anything out.
public struct Checksum {
    private var value: UInt64 = 0xcbf2_9ce4_8422_2325

    public init() {}

    public mutating func add(_ text: String) { add(Array(text.utf8)) }

    public mutating func add(_ bytes: [UInt8]) {
        for byte in bytes + [0] { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    /// What `check` prints.
    public func description(of count: Int, _ items: String = "entries") -> String {
        "\(count) \(items), \(String(value, radix: 16))"
    }
}
