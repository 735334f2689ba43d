/// Strict readers of IP literals (RFC 3986 §3.2.2): no short forms, no octal, no zone.
enum IPAddress {
    static func bytes(of text: some StringProtocol) -> [UInt8]? {
        text.utf8.contains(UInt8(ascii: ":")) ? version6(Array(text.utf8)) : version4(Array(text.utf8)[...])
    }

    private static func version4(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var result: [UInt8] = []
        for part in parts {
            // A leading zero is octal to some readers and decimal to others: refused.
            guard (1...3).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) }),
                part.count == 1 || part.first != 0x30, let byte = UInt8(String(decoding: part, as: UTF8.self))
            else { return nil }
            result.append(byte)
        }
        return result
    }

    private static func version6(_ text: [UInt8]) -> [UInt8]? {
        guard text.count <= 45 else { return nil }
        var halves: [[UInt8]] = [[]]
        var fields = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)[...]
        // A colon at either end is only right as part of the double colon.
        if fields.first?.isEmpty == true {
            fields = fields.dropFirst()
            guard fields.first?.isEmpty == true else { return nil }
        }
        if fields.last?.isEmpty == true {
            fields = fields.dropLast()
            guard fields.last?.isEmpty == true else { return nil }
        }
        for (position, field) in fields.enumerated() {
            let half = halves.count - 1
            if field.isEmpty {
                guard halves.count == 1 else { return nil }
                halves.append([])
            } else if position == fields.count - 1, field.contains(UInt8(ascii: ".")) {
                guard let tail = version4(field) else { return nil }
                halves[half] += tail
            } else {
                guard field.count <= 4, !field.contains(UInt8(ascii: "+")), !field.contains(UInt8(ascii: "-")),
                    let number = UInt16(String(decoding: field, as: UTF8.self), radix: 16)
                else { return nil }
                halves[half] += [UInt8(number >> 8), UInt8(number & 0xFF)]
            }
        }
        let count = halves.reduce(0) { $0 + $1.count }
        if halves.count == 1 { return count == 16 ? halves[0] : nil }
        return count <= 14 ? halves[0] + [UInt8](repeating: 0, count: 16 - count) + halves[1] : nil
    }

    static func text(_ bytes: [UInt8]) -> String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        return stride(from: 0, to: bytes.count - 1, by: 2)
            .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
    }
}
