/// Reads JSON strictly (RFC 8259). Foundation's reader loses digits of numbers and the order of members.
struct JSONParser: ~Copyable {
    static let depth = 128

    private let bytes: [UInt8]
    private var position: Int

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    static func parse(_ bytes: [UInt8]) throws(DynamicError) -> DynamicValue {
        var parser = JSONParser(bytes)
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw DynamicError(.malformedJSON, "this is not JSON: it is not UTF-8.")
        }
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.next == nil else { throw parser.error("nothing may follow the value") }
        return value
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ wanted: Character) -> Bool {
        guard let next, wanted.asciiValue == next else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let next, next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 { position += 1 }
    }

    private func error(_ what: String, _ code: DynamicError.Code = .malformedJSON) -> DynamicError {
        var line = 1
        var column = 1
        for byte in bytes.prefix(position) {
            if byte == 0x0A {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return DynamicError(code, "this is not JSON, line \(line), column \(column): \(what).")
    }

    private mutating func value(depth: Int) throws(DynamicError) -> DynamicValue {
        guard depth < Self.depth else {
            throw error("values are nested deeper than \(Self.depth)", .limitExceeded)
        }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "\""): return .string(try string())
        case nil: throw error("a value is expected where the text ends")
        case .some(UInt8(ascii: "-")), .some(0x30...0x39): return .number(try number())
        default:
            for (word, value) in [("true", DynamicValue.bool(true)), ("false", .bool(false)), ("null", .null)]
            where bytes[position...].starts(with: word.utf8) {
                position += word.utf8.count
                return value
            }
            throw error("a value is expected")
        }
    }

    private mutating func object(_ depth: Int) throws(DynamicError) -> DynamicValue {
        position += 1
        var members: [DynamicValue.Member] = []
        var names: Set<String> = []
        skipSpace()
        if take("}") { return .object([]) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw error("a name in double quotes is expected") }
            let name = try string()
            guard names.insert(name).inserted else {
                throw error("the name “\(name.prefix(60))” stands twice in one object")
            }
            skipSpace()
            guard take(":") else { throw error("a colon is expected behind the name") }
            members.append(.init(name, try value(depth: depth + 1)))
            skipSpace()
        } while take(",")
        guard take("}") else { throw error("a comma or a closing brace is expected") }
        return .object(members)
    }

    private mutating func array(_ depth: Int) throws(DynamicError) -> DynamicValue {
        position += 1
        var items: [DynamicValue] = []
        skipSpace()
        if take("]") { return .array([]) }
        repeat {
            items.append(try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw error("a comma or a closing bracket is expected") }
        return .array(items)
    }

    /// §6: no leading zero, no plus sign, digits on both sides of a point.
    private mutating func number() throws(DynamicError) -> String {
        let start = position
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits() throws(DynamicError) {
        let start = position
        while let next, (0x30...0x39).contains(next) { position += 1 }
        if position == start { throw error("a digit is expected") }
    }

    private mutating func string() throws(DynamicError) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                position += 1
                text += try escape()
            case 0..<0x20: throw error("a control character must be written with a backslash")
            default:
                text.append(byte)
                position += 1
            }
        }
        throw error("the string has no end")
    }

    private mutating func escape() throws(DynamicError) -> [UInt8] {
        guard let byte = next else { throw error("the string has no end") }
        let simple: [UInt8: UInt8] = [
            0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C,
            UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
        ]
        if let meant = simple[byte] {
            position += 1
            return [meant]
        }
        guard byte == UInt8(ascii: "u") else { throw error("there is no such escape") }
        let first = try codeUnit()
        var code = UInt32(first)
        if UTF16.isLeadSurrogate(first) {
            position += 1
            guard next == UInt8(ascii: "u"), position > 0, bytes[position - 1] == UInt8(ascii: "\\") else {
                throw error("half of a surrogate pair stands alone")
            }
            let second = try codeUnit()
            guard UTF16.isTrailSurrogate(second) else { throw error("half of a surrogate pair stands alone") }
            code = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw error("half of a surrogate pair stands alone") }
        return Array(Character(scalar).utf8)
    }

    /// The four digits after `\u`.
    private mutating func codeUnit() throws(DynamicError) -> UInt16 {
        position += 1
        let digits = bytes[min(position, bytes.count)...].prefix(4)
        let isHexadecimal = digits.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte & 0xDF)
        }
        guard digits.count == 4, isHexadecimal,
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw error("four hexadecimal digits are expected") }
        position += 4
        return unit
    }
}
