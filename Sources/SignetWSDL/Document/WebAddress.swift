/// An absolute address with an authority, split as RFC 3986 §3 describes; enough to resolve the references of
/// documents.
package struct WebAddress: Sendable, Hashable, CustomStringConvertible {
    /// In lower case.
    package var scheme: String
    /// Host and port as written, the host in lower case.
    package var authority: String
    /// Begins with a slash, or is empty.
    package var path: String
    package var query: String?

    /// Nil for an address that is not absolute or has no authority. A fragment is left out.
    package init?(_ text: String) {
        let whole = text.prefix { $0 != "#" }
        guard let colon = whole.firstIndex(of: ":") else { return nil }
        let name = whole[..<colon]
        guard let first = name.first, first.isASCII, first.isLetter,
            name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
        else { return nil }
        let rest = whole[whole.index(after: colon)...]
        guard rest.hasPrefix("//") else { return nil }
        scheme = name.lowercased()
        let afterSlashes = rest.dropFirst(2)
        let end = afterSlashes.firstIndex { $0 == "/" || $0 == "?" } ?? afterSlashes.endIndex
        authority = afterSlashes[..<end].lowercased()
        guard !authority.isEmpty else { return nil }
        (path, query) = Self.cut(afterSlashes[end...])
        path = Self.withoutDots(path)
    }

    /// Scheme, user information before an `@`, host and port. Addresses with different user information are different
    /// origins, because they use different accounts.
    package var origin: String { "\(scheme)://\(authority)" }

    /// The address without the user information before an `@`, which may hold a password.
    package var description: String {
        let host = authority.lastIndex(of: "@").map { "…\(authority[$0...])" } ?? authority
        return "\(scheme)://\(host)\(path)\(query.map { "?\($0)" } ?? "")"
    }

    /// Resolves a reference against this address (RFC 3986 §5.2.2); nil when it has a scheme but no authority, as
    /// `urn:` has.
    package func resolving(_ reference: String) -> WebAddress? {
        if let absolute = WebAddress(reference) { return absolute }
        let text = reference.prefix { $0 != "#" }
        if let colon = text.firstIndex(of: ":"), !text[..<colon].contains(where: { "/?".contains($0) }) { return nil }
        if text.hasPrefix("//") { return WebAddress("\(scheme):\(text)") }
        var result = self
        if text.isEmpty { return result }
        let (path, query) = Self.cut(text)
        result.query = query
        if path.isEmpty {
            if query == nil { result.query = self.query }
        } else if path.hasPrefix("/") {
            result.path = Self.withoutDots(path)
        } else {
            let folder = self.path.lastIndex(of: "/").map { self.path[...$0] } ?? "/"
            result.path = Self.withoutDots(folder + path)
        }
        return result
    }

    private static func cut(_ text: Substring) -> (path: String, query: String?) {
        guard let mark = text.firstIndex(of: "?") else { return (String(text), nil) }
        return (String(text[..<mark]), String(text[text.index(after: mark)...]))
    }

    /// RFC 3986 §5.2.4.
    private static func withoutDots(_ path: String) -> String {
        guard path.contains("/.") else { return path }
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        for (number, segment) in segments.enumerated() {
            switch segment {
            case ".": if number == segments.count - 1 { kept.append("") }
            case "..":
                if kept.count > 1 { kept.removeLast() }
                if number == segments.count - 1 { kept.append("") }
            default: kept.append(segment)
            }
        }
        return kept.joined(separator: "/")
    }
}
