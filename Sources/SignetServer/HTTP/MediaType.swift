/// The value of a `Content-Type` field, as far as a service needs it (RFC 9110 §8.3.1).
struct MediaType: Sendable, Hashable {
    /// Type and subtype in lower case.
    let essence: String
    /// The charset in lower case; nil when none is named.
    let charset: String?

    init(_ value: String) {
        let parts = value.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmed.lowercased() }
        essence = parts.first ?? ""
        charset =
            parts.dropFirst().lazy.compactMap { part -> String? in
                guard part.hasPrefix("charset=") else { return nil }
                let value = part.dropFirst("charset=".count)
                return String(
                    value.count > 1 && value.hasPrefix("\"") && value.hasSuffix("\"")
                        ? value.dropFirst().dropLast() : value)
            }.first
    }

    /// Whether the content can be read as UTF-8.
    var isUTF8: Bool { charset.map { ["utf-8", "us-ascii"].contains($0) } ?? true }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var rest = self
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }
}
