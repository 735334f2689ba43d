extension DynamicValue {
    /// The value as JSON (RFC 8259), numbers and the order of members unchanged.
    ///
    /// - Parameter pretty: whether every member and item is on a line of its own, indented by two spaces.
    public func json(pretty: Bool = false) -> String {
        var writer = JSONWriter(pretty: pretty)
        writer.write(self, indentation: 0)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

private struct JSONWriter {
    let pretty: Bool
    var bytes: [UInt8] = []

    init(pretty: Bool) { self.pretty = pretty }

    mutating func write(_ value: DynamicValue, indentation: Int) {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let flag): bytes += (flag ? "true" : "false").utf8
        case .number(let digits): bytes += digits.utf8
        case .string(let text): write(text)
        case .array(let items):
            list(items, "[", "]", indentation) { $0.write($1, indentation: indentation + 1) }
        case .object(let members):
            list(members, "{", "}", indentation) { writer, member in
                writer.write(member.name)
                writer.bytes += (writer.pretty ? ": " : ":").utf8
                writer.write(member.value, indentation: indentation + 1)
            }
        }
    }

    private mutating func list<Item>(
        _ items: [Item], _ open: String, _ close: String, _ indentation: Int, _ each: (inout Self, Item) -> Void
    ) {
        bytes += open.utf8
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            breakLine(indentation + 1)
            each(&self, item)
        }
        if !items.isEmpty { breakLine(indentation) }
        bytes += close.utf8
    }

    private mutating func breakLine(_ indentation: Int) {
        guard pretty else { return }
        bytes.append(0x0A)
        bytes += repeatElement(0x20, count: indentation * 2)
    }

    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x0A: bytes += "\\n".utf8
            case 0x0D: bytes += "\\r".utf8
            case 0x09: bytes += "\\t".utf8
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                bytes += "\\u\(String(repeating: "0", count: 4 - digits.utf8.count))\(digits)".utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
