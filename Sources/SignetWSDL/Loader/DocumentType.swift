/// Document type declarations in schemas of others.
///
/// The reader knows none. Schemas of the W3C have one that only repeats what the document itself says; it is put out of
/// the reader's sight, unread: an entity that it declares is then unknown, and a document that uses one is refused.
enum DocumentType {
    /// The document with its document type declaration turned into spaces; places stay what they are.
    static func hidden(in document: [UInt8]) -> [UInt8] {
        guard let range = find(in: document) else { return document }
        var bytes = document
        for index in range where bytes[index] != 0x0A && bytes[index] != 0x0D { bytes[index] = 0x20 }
        return bytes
    }

    /// Where the declaration stands (XML 1.0 §2.8); nil when there is none, or it never ends.
    private static func find(in bytes: [UInt8]) -> Range<Int>? {
        var rest = bytes[...]
        while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[open...]
            if rest.starts(with: "<!DOCTYPE".utf8) { return end(of: rest).map { open..<$0 } }
            if rest.starts(with: "<!--".utf8) {
                rest = after("-->", in: rest.dropFirst(4))
            } else if rest.starts(with: "<?".utf8) {
                rest = after("?>", in: rest.dropFirst(2))
            } else {
                return nil
            }
        }
        return nil
    }

    private static func end(of declaration: ArraySlice<UInt8>) -> Int? {
        var rest = declaration
        var isInside = false
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "["): isInside = true
            case UInt8(ascii: "]"): isInside = false
            case UInt8(ascii: ">") where !isInside: return rest.startIndex + 1
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                rest = rest.dropFirst()
                guard let close = rest.firstIndex(of: byte) else { return nil }
                rest = rest[close...]
            case UInt8(ascii: "<") where rest.starts(with: "<!--".utf8):
                rest = after("-->", in: rest.dropFirst(4))
                continue
            default: break
            }
            rest = rest.dropFirst()
        }
        return nil
    }

    private static func after(_ mark: String, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = bytes
        while !rest.isEmpty {
            if rest.starts(with: mark.utf8) { return rest.dropFirst(mark.utf8.count) }
            rest = rest.dropFirst()
        }
        return rest
    }
}
