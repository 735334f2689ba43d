/// Converts the bytes of a document to UTF-8, in one pass, as they arrive.
///
/// An incomplete character at the end of a piece, such as a lone byte or half of a surrogate pair, is kept until the
/// next piece arrives. At a defect, everything before it has been written to `utf8`, so that the end of `utf8` is the
/// position of the defect.
struct XMLTranscoder {
    let encoding: XMLEncoding
    private let page: XMLCodePage?
    /// The first byte of a UTF-16 code unit whose second byte has not arrived.
    private var odd: UInt8?
    /// The first half of a surrogate pair whose second half has not arrived; zero for none.
    private var high: UInt32 = 0

    /// - Parameter encoding: UTF-16 in one of the two byte orders, or an encoding with one byte for each character.
    init(_ encoding: XMLEncoding) {
        self.encoding = encoding
        page = encoding.codePage
    }

    /// Appends the characters of `bytes`; returns the defect in them, if there is one.
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, to utf8: inout [UInt8]) -> String? {
        switch encoding {
        case .utf16BigEndian, .utf16LittleEndian, .utf16: return appendUTF16(bytes, to: &utf8)
        default: return appendSingleBytes(bytes, to: &utf8)
        }
    }

    /// The defect when no more bytes come, if there is one.
    func finish() -> String? {
        if high != 0 { return Self.unpaired(high) }
        return odd == nil ? nil : "the document ends inside a character of \(encoding.name)."
    }

    // MARK: One byte a character

    private func appendSingleBytes(_ bytes: UnsafeBufferPointer<UInt8>, to utf8: inout [UInt8]) -> String? {
        var i = 0
        while i < bytes.count {
            let run = Self.endOfASCII(bytes, from: i)
            if run > i {
                utf8.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[i..<run]))
                i = run
            } else {
                guard let scalar = Unicode.Scalar(scalar(bytes[i])), scalar.value != 0,
                    let sequence = Unicode.UTF8.encode(scalar)
                else { return "the byte 0x\(String(bytes[i], radix: 16)) stands for no character of \(encoding.name)." }
                utf8.append(contentsOf: sequence)
                i += 1
            }
        }
        return nil
    }

    /// Where the run of ASCII that begins at `start` ends.
    static func endOfASCII(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int = 0) -> Int {
        guard let base = bytes.baseAddress else { return start }
        var i = start
        while bytes.count - i >= 8 {
            let marks =
                UInt64(littleEndian: UnsafeRawPointer(base + i).loadUnaligned(as: UInt64.self)) & 0x8080_8080_8080_8080
            if marks != 0 { return i + marks.trailingZeroBitCount >> 3 }
            i += 8
        }
        while i < bytes.count && bytes[i] < 0x80 { i += 1 }
        return i
    }

    /// The character of a byte from 0x80 on; zero when it has none.
    private func scalar(_ byte: UInt8) -> UInt32 {
        // The control characters of ISO-8859-1 are characters of XML 1.0 (§2.2).
        if encoding == .latin1 { return UInt32(byte) }
        return page?.scalar(byte) ?? 0
    }

    // MARK: UTF-16 (RFC 2781)

    private mutating func appendUTF16(_ bytes: UnsafeBufferPointer<UInt8>, to utf8: inout [UInt8]) -> String? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4096) { chunk in
            var i = 0
            while i < bytes.count {
                var count = 0
                let problem = fill(chunk, &count, bytes, &i)
                utf8.append(contentsOf: UnsafeBufferPointer(rebasing: chunk[..<count]))
                if let problem { return problem }
            }
            return nil
        }
    }

    private mutating func fill(
        _ chunk: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int, _ bytes: UnsafeBufferPointer<UInt8>,
        _ i: inout Int
    ) -> String? {
        guard let base = bytes.baseAddress, let out = chunk.baseAddress else { return nil }
        let isBig = encoding == .utf16BigEndian
        let notASCII: UInt64 = isBig ? 0x80FF_80FF_80FF_80FF : 0xFF80_FF80_FF80_FF80
        while i < bytes.count && count + 8 <= chunk.count {
            if high == 0 && odd == nil && bytes.count - i >= 8 {
                var word = UInt64(littleEndian: UnsafeRawPointer(base + i).loadUnaligned(as: UInt64.self))
                if word & notASCII == 0 {
                    if isBig { word >>= 8 }
                    for unit in 0..<4 { out[count + unit] = UInt8(truncatingIfNeeded: word >> UInt64(16 * unit)) }
                    count += 4
                    i += 8
                    continue
                }
            }
            let first: UInt8
            if let kept = odd {
                first = kept
                odd = nil
            } else {
                first = bytes[i]
                i += 1
                guard i < bytes.count else {
                    odd = first
                    return nil
                }
            }
            let second = bytes[i]
            i += 1
            let unit = isBig ? UInt32(first) << 8 | UInt32(second) : UInt32(second) << 8 | UInt32(first)
            if let problem = take(unit, out, &count) { return problem }
        }
        return nil
    }

    @inline(__always)
    private mutating func take(_ unit: UInt32, _ out: UnsafeMutablePointer<UInt8>, _ count: inout Int) -> String? {
        let isLow = unit & 0xFC00 == 0xDC00
        if (high != 0) != isLow { return Self.unpaired(high != 0 ? high : unit) }
        if unit & 0xFC00 == 0xD800 {
            high = unit
        } else if isLow {
            count += UTF8Bytes.store(0x10000 + (high & 0x3FF) << 10 + (unit & 0x3FF), at: out + count)
            high = 0
        } else {
            count += UTF8Bytes.store(unit, at: out + count)
        }
        return nil
    }

    private static func unpaired(_ unit: UInt32) -> String {
        "half of a pair of surrogates (0x\(String(unit, radix: 16))) stands alone."
    }

    // MARK: Places

    /// How many bytes of a document without its mark correspond to its first `count` bytes of UTF-8.
    func length(of bytes: UnsafeBufferPointer<UInt8>, upTo count: Int) -> Int {
        var (read, written) = (0, 0)
        while written < count && read < bytes.count {
            guard encoding.isUTF16 else {
                let byte = bytes[read]
                written += byte < 0x80 ? 1 : UTF8Bytes.length(scalar(byte))
                read += 1
                continue
            }
            guard read + 1 < bytes.count else { break }
            let (first, second) = (UInt32(bytes[read]), UInt32(bytes[read + 1]))
            let unit = encoding == .utf16BigEndian ? first << 8 | second : second << 8 | first
            let isPair = unit & 0xFC00 == 0xD800
            written += isPair ? 4 : UTF8Bytes.length(unit)
            read += isPair ? 4 : 2
        }
        return min(read, bytes.count)
    }
}

/// Characters as bytes of UTF-8 (RFC 3629 §3).
enum UTF8Bytes {
    @inline(__always) static func length(_ scalar: UInt32) -> Int {
        scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4
    }

    /// Stores the one to four bytes of a character and gives their number.
    @inline(__always) static func store(_ scalar: UInt32, at out: UnsafeMutablePointer<UInt8>) -> Int {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | scalar >> shift & 0x3F) }
        switch length(scalar) {
        case 1: out[0] = UInt8(truncatingIfNeeded: scalar)
        case 2: (out[0], out[1]) = (UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6), tail(0))
        case 3: (out[0], out[1], out[2]) = (UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12), tail(6), tail(0))
        default:
            (out[0], out[1], out[2], out[3]) = (
                UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18), tail(12), tail(6), tail(0)
            )
        }
        return length(scalar)
    }
}
