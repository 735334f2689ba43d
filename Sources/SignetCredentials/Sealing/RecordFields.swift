/// The content of a record: named values in order. Values whose names this version does not know are kept.
package struct RecordFields: Sendable, Equatable {
    package private(set) var fields: [(name: String, value: [UInt8])] = []

    package init() {}

    package subscript(name: String) -> [UInt8]? {
        get { fields.first { $0.name == name }?.value }
        set {
            let index = fields.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): fields[index].value = value
            case (let index?, nil): fields.remove(at: index)
            case (nil, let value?): fields.append((name, value))
            case (nil, nil): break
            }
        }
    }

    package subscript(text name: String) -> String? {
        get { self[name].flatMap { String(validating: $0, as: UTF8.self) } }
        set { self[name] = newValue.map { Array($0.utf8) } }
    }

    package subscript(number name: String) -> Int64? {
        get { self[text: name].flatMap { Int64($0) } }
        set { self[text: name] = newValue.map { String($0) } }
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.fields.elementsEqual(right.fields) { $0.name == $1.name && $0.value == $1.value }
    }

    /// For each field: the length of its name in one byte, the name, the length of its value in four bytes, and the
    /// value.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(fields.reduce(0) { $0 + 5 + $1.name.utf8.count + $1.value.count })
        for (name, value) in fields {
            bytes.append(UInt8(truncatingIfNeeded: name.utf8.count))
            bytes += name.utf8
            bytes += UInt32(truncatingIfNeeded: value.count).bigEndianBytes
            bytes += value
        }
        return bytes
    }

    /// - Returns: nil unless the bytes are exactly a sequence of fields.
    package init?(encoded bytes: [UInt8]) {
        var rest = bytes[...]
        func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        while let length = rest.popFirst() {
            guard let name = take(Int(length)).flatMap({ String(validating: $0, as: UTF8.self) }),
                let count = take(4)?.reduce(0, { $0 << 8 | Int($1) }), let value = take(count)
            else { return nil }
            fields.append((name, Array(value)))
        }
    }

    /// Overwrites the values.
    package mutating func wipe() {
        for index in fields.indices { fields[index].value.resetBytes() }
    }
}

extension FixedWidthInteger {
    package var bigEndianBytes: [UInt8] { unsafe withUnsafeBytes(of: bigEndian) { unsafe Array($0) } }

    /// - Returns: nil unless the number of bytes is exactly that of the integer.
    package init?(bigEndianBytes bytes: some Collection<UInt8>) {
        guard bytes.count == Self.bitWidth / 8 else { return nil }
        self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }
}
