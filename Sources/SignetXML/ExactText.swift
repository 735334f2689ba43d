/// A text that equals only itself, character by character, as names of namespaces do (Namespaces in XML 1.0 §2.3). Swift's own
/// equality would take `é` and `e` with a combining accent for one.
struct ExactText: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: Self, right: Self) -> Bool { left.text.isExactly(right.text) }

    func hash(into hasher: inout Hasher) {
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if isDone == nil { for byte in text.utf8 { hasher.combine(byte) } }
    }
}

extension String {
    func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
