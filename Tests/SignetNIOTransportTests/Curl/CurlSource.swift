import Foundation

/// The source of a test case, before its sections are looked at: conditions and macros, line by line (FILEFORMAT.md,
/// “Preprocessing”).
struct CurlSource {
    /// Without the per cent sign, and what stands for them.
    let variables: [String: String]
    /// What the client can do, in small letters.
    let features: Set<String>

    private static let characters = [
        "CR": "\r", "SP": " ", "TAB": "\t", "AMP": "&", "GT": ">", "LT": "<",
    ]

    /// The lines without their ends. Each character stands for one byte.
    func lines(_ source: [UInt8]) -> [String] {
        var open: [Bool] = []
        var lines: [String] = []
        var pieces = source.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if pieces.last?.isEmpty == true { pieces.removeLast() }
        for piece in pieces {
            let line = String(latin1: piece)
            if line.hasPrefix("%if ") {
                open.append(isThere(line.dropFirst(4).trimmingCharacters(in: .whitespaces)))
            } else if line.hasPrefix("%else"), let last = open.popLast() {
                open.append(!last)
            } else if line.hasPrefix("%endif"), !open.isEmpty {
                open.removeLast()
            } else if open.allSatisfy({ $0 }) {
                lines.append(expanded(line))
            }
        }
        return lines
    }

    /// Whether a feature is there, or with an exclamation mark is not.
    func isThere(_ feature: String) -> Bool {
        feature.hasPrefix("!")
            ? !features.contains(feature.dropFirst().lowercased()) : features.contains(feature.lowercased())
    }

    private func expanded(_ line: String) -> String {
        guard line.contains("%") else { return line }
        var text = line
        let all = variables.merging(Self.characters) { value, _ in value }
        // No name may be taken for the beginning of a longer one.
        for (name, value) in all.sorted(by: { $0.key.count > $1.key.count }) {
            text = text.replacingOccurrences(of: "%\(name)", with: value, options: .literal)
        }
        text = Self.replacing(text, "%b64[", "]b64%") { Data(Self.decoded($0).latin1).base64EncodedString() }
        text = Self.replacing(text, "%hex[", "]hex%") { Self.decoded($0) }
        return Self.replacing(text, "%repeat[", "]%") { content in
            guard let cross = content.range(of: " x ", options: .literal), let count = Int(content[..<cross.lowerBound])
            else { return nil }
            return String(repeating: Self.decoded(String(content[cross.upperBound...])), count: min(count, 1 << 20))
        }
    }

    /// Each pair of marks and what is between them, for what is made of that; as it is where nothing can be.
    private static func replacing(
        _ text: String, _ start: String, _ end: String, _ make: (String) -> String?
    ) -> String {
        var result = ""
        var rest = text[...]
        while let first = rest.range(of: start, options: .literal),
            let last = rest[first.upperBound...].range(of: end, options: .literal)
        {
            let content = String(rest[first.upperBound..<last.lowerBound])
            result += rest[..<first.lowerBound]
            result += make(content) ?? String(rest[first.lowerBound..<last.upperBound])
            rest = rest[last.upperBound...]
        }
        return result + rest
    }

    /// `%HH` for the byte of that number.
    static func decoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = text.latin1[...]
        while let byte = rest.popFirst() {
            let digits = String(latin1: rest.prefix(2))
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, !digits.hasPrefix("+"), !digits.hasPrefix("-"),
                let number = UInt8(digits, radix: 16)
            {
                bytes.append(number)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(latin1: bytes)
    }
}

extension String {
    /// A text of as many characters as there are bytes, whatever they mean.
    init(latin1 bytes: some Sequence<UInt8>) {
        var view = String.UnicodeScalarView()
        for byte in bytes { view.append(Unicode.Scalar(byte)) }
        self.init(view)
    }

    var latin1: [UInt8] { unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
}
