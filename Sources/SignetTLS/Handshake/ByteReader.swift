/// Steps over the fields of a TLS message (RFC 8446 §3). Every step is nil when the bytes do not suffice.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// A number of at most four bytes.
    mutating func number(_ count: Int) -> Int? {
        guard (1...4).contains(count) else { return nil }
        return take(count)?.reduce(0) { $0 << 8 | Int($1) }
    }

    /// A vector after its length, which takes this many bytes.
    mutating func vector(_ lengthBytes: Int) -> ArraySlice<UInt8>? { number(lengthBytes).flatMap { take($0) } }

    /// A vector of numbers of two bytes.
    mutating func pairs(_ lengthBytes: Int) -> [UInt16]? {
        guard let bytes = vector(lengthBytes), bytes.count.isMultiple(of: 2) else { return nil }
        var reader = ByteReader(bytes)
        var result: [UInt16] = []
        while let number = reader.number(2) { result.append(UInt16(truncatingIfNeeded: number)) }
        return result
    }

    /// The extensions of a hello message.
    mutating func extensions() -> [(type: Int, value: ArraySlice<UInt8>)]? {
        guard let bytes = vector(2) else { return nil }
        var reader = ByteReader(bytes)
        var result: [(type: Int, value: ArraySlice<UInt8>)] = []
        while !reader.isAtEnd {
            guard let type = reader.number(2), let value = reader.vector(2) else { return nil }
            result.append((type, value))
        }
        return result
    }

    /// The names of ALPN (RFC 7301 §3.1). A peer chose them: bytes that are not printable are replaced.
    mutating func protocolNames() -> [String]? {
        guard let bytes = vector(2) else { return nil }
        var reader = ByteReader(bytes)
        var result: [String] = []
        while !reader.isAtEnd {
            guard let name = reader.vector(1) else { return nil }
            result.append(Text.printable(name))
        }
        return result
    }
}

extension Text {
    /// ASCII text that a peer chose: every byte that is not printable becomes a full stop.
    static func printable(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
    }
}
