/// An `xs:base64Binary` (XML Schema Part 2 §3.2.16, RFC 4648 §4).
public struct XSDBase64Binary: XSDValue, CustomStringConvertible {
    /// The decoded bytes, none for an empty element. Their text is a third longer; an attachment may contain the bytes
    /// instead of the text.
    public var bytes: [UInt8]

    /// Makes a value of any bytes, in any number. They are written in one line, with padding and without white space.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
    public static var typeName: String { "xs:base64Binary" }
    public static var _placeholder: Self { Self([]) }
    public static var _takesInclusions: Bool { true }

    public static func _include(_ x: Self, in writer: inout XMLWriter) -> Bool {
        guard let reference = writer.includer?.reference(to: x.bytes) else { return false }
        writer.include(reference)
        return true
    }

    public init?(lexical text: Span<UInt8>, in scope: borrowing XMLReader) {
        guard let inclusion = scope.inclusion else {
            self.init(lexical: text)
            return
        }
        guard let bytes = try? inclusion.bytes(limit: scope.limits.textBytes) else { return nil }
        self.init(bytes)
    }

    /// White space is allowed anywhere; padding is required and its unused bits must be zero.
    public init?(lexical text: Span<UInt8>) {
        var valid = true
        let decoded = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 3) { target, written in
            (valid, written) = text.withUnsafeBufferPointer { text in
                Self.decoding.withUnsafeBufferPointer { Self.decode(text, with: $0, into: target) }
            }
        }
        guard valid else { return nil }
        bytes = decoded
    }

    /// Whether the text is valid, and how many bytes it encodes.
    private static func decode(
        _ text: UnsafeBufferPointer<UInt8>, with values: UnsafeBufferPointer<UInt8>,
        into target: UnsafeMutableBufferPointer<UInt8>
    ) -> (isValid: Bool, count: Int) {
        var i = 0
        var written = 0
        var quantum: UInt32 = 0
        var held = 0
        var padding = 0
        while true {
            // Four letters at a time, until another character comes.
            while held == 0, padding == 0, text.count - i >= 4 {
                let first = values[Int(text[i])]
                let second = values[Int(text[i + 1])]
                let third = values[Int(text[i + 2])]
                let fourth = values[Int(text[i + 3])]
                guard first | second | third | fourth < 64 else { break }
                target[written] = first << 2 | second >> 4
                target[written + 1] = second << 4 | third >> 2
                target[written + 2] = third << 6 | fourth
                written += 3
                i += 4
            }
            guard i < text.count else { return (held == 0, written) }
            let byte = text[i]
            let value = values[Int(byte)]
            i += 1
            if value == space { continue }
            if byte == UInt8(ascii: "=") {
                // At most two padding characters, at the place of the third and the fourth letter.
                guard held >= 2 else { return (false, 0) }
                padding += 1
                quantum <<= 6
            } else {
                guard value < 64, padding == 0 else { return (false, 0) }
                quantum = quantum << 6 | UInt32(value)
            }
            held += 1
            guard held == 4 else { continue }
            guard padding == 0 || quantum & (padding == 1 ? 0xFF : 0xFFFF) == 0 else { return (false, 0) }
            target[written] = UInt8(truncatingIfNeeded: quantum >> 16)
            if padding < 2 { target[written + 1] = UInt8(truncatingIfNeeded: quantum >> 8) }
            if padding < 1 { target[written + 2] = UInt8(truncatingIfNeeded: quantum) }
            written += 3 - padding
            held = 0
            quantum = 0
        }
    }

    public func writeLexical(to writer: inout XMLWriter) {
        writer.raw(count: Self.textLength(bytes.count)) { _ = Self.encode(bytes, into: $0) }
    }

    /// The letters for bytes, for callers that write them piece by piece: the length of every piece but the last is a
    /// multiple of three.
    package static func letters(for bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: textLength(bytes.count)) { target, count in
            if let base = target.baseAddress { count = encode(bytes, into: base) }
        }
    }

    /// The number of letters for this many bytes.
    static func textLength(_ count: Int) -> Int { (count + 2) / 3 * 4 }

    /// Writes the letters for bytes, and returns their number.
    static func encode(_ bytes: [UInt8], into target: UnsafeMutablePointer<UInt8>) -> Int {
        let pairs = letterPairs
        bytes.withUnsafeBufferPointer { bytes in
            var to = UnsafeMutableRawPointer(target)
            var i = 0
            while i < bytes.count {
                let available = min(3, bytes.count &- i)
                var quantum = UInt32(bytes[i]) &<< 16
                if available > 1 { quantum |= UInt32(bytes[i &+ 1]) &<< 8 }
                if available > 2 { quantum |= UInt32(bytes[i &+ 2]) }
                to.storeBytes(of: pairs[Int(quantum &>> 12)], as: UInt16.self)
                to.storeBytes(of: pairs[Int(quantum & 0xFFF)], toByteOffset: 2, as: UInt16.self)
                if available < 3 { to.storeBytes(of: UInt8(ascii: "="), toByteOffset: 3, as: UInt8.self) }
                if available < 2 { to.storeBytes(of: UInt8(ascii: "="), toByteOffset: 2, as: UInt8.self) }
                to += 4
                i &+= 3
            }
        }
        return textLength(bytes.count)
    }

    /// The number of bytes only: the content may be a key.
    public var description: String { "\(bytes.count) bytes" }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let space: UInt8 = 64

    /// The two letters for each twelve bits, in memory order.
    // Declared unsafe, but safe: the memory is never changed after it is made, nor released.
    nonisolated(unsafe) private static let letterPairs: UnsafePointer<UInt16> = {
        let pairs = UnsafeMutablePointer<UInt16>.allocate(capacity: 4096)
        for (high, first) in alphabet.enumerated() {
            for (low, second) in alphabet.enumerated() {
                (pairs + (high << 6 | low)).initialize(to: UInt16(littleEndian: UInt16(first) | UInt16(second) << 8))
            }
        }
        return UnsafePointer(pairs)
    }()

    private static let decoding: [UInt8] = {
        var table = [UInt8](repeating: 255, count: 256)
        for (value, byte) in alphabet.enumerated() { table[Int(byte)] = UInt8(value) }
        for byte in [0x20, 0x09, 0x0A, 0x0D] { table[byte] = space }
        return table
    }()
}

/// An `xs:hexBinary` (XML Schema Part 2 §3.2.15).
public struct XSDHexBinary: XSDValue, CustomStringConvertible {
    /// The decoded bytes, none for an empty element. Their text is twice as long.
    public var bytes: [UInt8]

    /// Makes a value of any bytes, in any number. They are written with the digits `A` to `F`; `a` to `f` are read too
    /// (§3.2.15.2).
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
    public static var typeName: String { "xs:hexBinary" }
    public static var _placeholder: Self { Self([]) }

    public init?(lexical text: Span<UInt8>) {
        guard text.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        var high: UInt8?
        for i in 0..<text.count {
            guard let digit = Self.value(text[i]) else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        self.bytes = bytes
    }

    private static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    public func writeLexical(to writer: inout XMLWriter) {
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in bytes {
            writer.raw(digits[Int(byte >> 4)])
            writer.raw(digits[Int(byte & 15)])
        }
    }

    /// The number of bytes only: the content may be a key.
    public var description: String { "\(bytes.count) bytes" }
}
