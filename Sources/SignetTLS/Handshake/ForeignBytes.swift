/// What came where TLS was expected.
package struct ForeignBytes: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, Codable {
        /// An answer of HTTP without TLS.
        case httpAnswer
        /// A request of HTTP without TLS.
        case httpRequest
        /// Text of another protocol.
        case text
        /// Bytes that are not text.
        case binary
        /// It begins as TLS and breaks its rules.
        case malformed
        /// It is TLS, and longer than the reader's limits.
        case tooLong
    }

    package let kind: Kind
    /// The first line, as far as it is text; bytes that are not printable are replaced.
    package let text: String

    /// How many bytes are looked at.
    static let maximumBytes = 128

    init(kind: Kind, text: String) {
        self.kind = kind
        self.text = text
    }

    init(_ bytes: some Sequence<UInt8>) {
        let start = Array(bytes.prefix(Self.maximumBytes))
        let line = Array(start.prefix { $0 != 0x0D && $0 != 0x0A })
        let isText = line.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 } && !line.isEmpty
        let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
        let isMethod = words.first.map { !$0.isEmpty && $0.allSatisfy { (0x41...0x5A).contains($0) } } ?? false
        if line.starts(with: "HTTP/".utf8) {
            self.init(kind: .httpAnswer, text: Text.printable(line))
        } else if isText, isMethod, words.count >= 2 {
            // A path may hold secrets.
            self.init(kind: .httpRequest, text: Text.printable(words.first ?? []))
        } else {
            self.init(
                kind: isText ? .text : .binary, text: isText ? Text.printable(line) : Text.hexadecimal(line.prefix(16)))
        }
    }
}
