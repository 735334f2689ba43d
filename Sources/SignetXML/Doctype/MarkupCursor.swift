/// A position in bytes that are known to be UTF-8, with the tokens that declarations, tags and references share.
struct MarkupCursor {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    var isAtEnd: Bool { position >= bytes.count }

    /// The byte that is `distance` bytes after the position.
    @inline(__always) func peek(_ distance: Int = 0) -> UInt8? {
        bytes.count &- position > distance ? bytes[position &+ distance] : nil
    }

    func starts(with literal: StaticString) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        for i in 0..<count where bytes[position + i] != literal.utf8Start[i] { return false }
        return true
    }

    /// Skips `literal` if it is at the position.
    mutating func skip(_ literal: StaticString) -> Bool {
        guard starts(with: literal) else { return false }
        position += literal.utf8CodeUnitCount
        return true
    }

    /// Skips white space; returns whether there was any.
    @discardableResult mutating func skipSpace() -> Bool {
        let before = position
        while let byte = peek(), XMLCharacters.isSpace(byte) { position += 1 }
        return position > before
    }

    /// Moves to the next `literal`; false when there is none.
    mutating func move(to literal: StaticString) -> Bool {
        let first = literal.utf8Start[0]
        while let byte = peek() {
            if byte == first && starts(with: literal) { return true }
            position += 1
        }
        return false
    }

    /// Reads a Name (XML 1.0, production 5); nil, and nothing is read, when there is none.
    mutating func name() -> Range<Int>? {
        guard let first = peek() else { return nil }
        let starts =
            first < 0x80
            ? first == UInt8(ascii: ":") || XMLCharacters.classes[Int(first)] & XMLCharacters.nameStart != 0
            : scalar().map { XMLCharacters.isNameScalar($0.value, start: true) } ?? false
        return starts ? nameToken() : nil
    }

    /// Reads a Nmtoken (production 7); nil when there is none.
    mutating func nameToken() -> Range<Int>? {
        let begin = position
        while let byte = peek() {
            if byte < 0x80 {
                guard byte == UInt8(ascii: ":") || XMLCharacters.isNameByte(byte) else { break }
                position += 1
            } else {
                guard let (value, length) = scalar(), XMLCharacters.isNameScalar(value, start: false) else { break }
                position += length
            }
        }
        return position > begin ? begin..<position : nil
    }

    private func scalar() -> (value: UInt32, length: Int)? {
        guard let start = bytes.baseAddress, XMLCharacters.sequence(start + position, bytes.count - position) > 0 else {
            return nil
        }
        return XMLCharacters.scalar(start + position)
    }

    func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[range]) }

    func isName(_ range: Range<Int>, _ name: StaticString) -> Bool {
        range.count == name.utf8CodeUnitCount
            && MarkupCursor(bytes: bytes, position: range.lowerBound).starts(with: name)
    }

    // MARK: References

    enum Reference {
        case character(UInt32)
        /// One of the five entities that every document knows (§4.6).
        case predefined
        /// The range of the entity's name.
        case entity(Range<Int>)
    }

    /// Reads a reference (productions 66 and 68) from its `&` to its `;`; nil when none is complete here.
    mutating func reference() -> Reference? {
        guard skip("&") else { return nil }
        if skip("#") { return characterReference() }
        guard let name = name(), skip(";") else { return nil }
        let known: [StaticString] = ["amp", "lt", "gt", "quot", "apos"]
        return known.contains { isName(name, $0) } ? .predefined : .entity(name)
    }

    private mutating func characterReference() -> Reference? {
        let isHex = skip("x")
        let digits = position
        var value: UInt32 = 0
        while let byte = peek(), let digit = Self.digit(byte, isHex: isHex) {
            // Saturates far above the last scalar, so that long runs of digits cannot overflow.
            value = min(value * (isHex ? 16 : 10) + digit, 0x00FF_FFFF)
            position += 1
        }
        return position > digits && skip(";") ? .character(value) : nil
    }

    private static func digit(_ byte: UInt8, isHex: Bool) -> UInt32? {
        guard byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digit < 10 || isHex else {
            return nil
        }
        return UInt32(digit)
    }
}
