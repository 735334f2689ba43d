/// A text that equals only itself, character by character, as names of namespaces do (Namespaces in XML 1.0 §2.3).
/// Swift's own equality treats `é` and `e` with a combining accent as equal.
package struct ExactText: Hashable {
    let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: Self, right: Self) -> Bool { left.text.isExactly(right.text) }

    package func hash(into hasher: inout Hasher) {
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if isDone == nil { for byte in text.utf8 { hasher.combine(byte) } }
    }
}

extension String {
    /// Whether all bytes are the same.
    package func isExactly(_ other: String) -> Bool {
        let bytes = utf8
        let others = other.utf8
        guard bytes.count == others.count else { return false }
        let answer = bytes.withContiguousStorageIfAvailable { left in
            others.withContiguousStorageIfAvailable { right in Self.areEqual(left, right) }
        }
        // Only strings bridged from another language are not contiguous.
        return (answer ?? nil) ?? bytes.elementsEqual(others)
    }

    /// Compares two runs of the same length eight bytes at a time: names of namespaces are long and begin alike.
    private static func areEqual(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        let (left, right) = (UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
        let count = Swift.min(left.count, right.count)
        var i = 0
        while count - i >= 8 {
            let word = left.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            if word != right.loadUnaligned(fromByteOffset: i, as: UInt64.self) { return false }
            i += 8
        }
        while i < count {
            if left[i] != right[i] { return false }
            i += 1
        }
        return true
    }
}
