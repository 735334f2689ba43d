/// Joins values of `xml:base` (Canonical XML 1.1 §2.4 and Appendix A, RFC 3986 §5.2).
enum XMLBase {
    private struct Parts {
        var scheme: Substring?
        var authority: Substring?
        var path: Substring
        var query: Substring?

        /// The parts of a reference (RFC 3986 Appendix B); its fragment is dropped.
        init(_ text: String) {
            var rest = text.prefix { $0 != "#" }
            if let colon = rest.firstIndex(where: { ":/?".contains($0) }), rest[colon] == ":", colon != rest.startIndex
            {
                scheme = rest[..<colon]
                rest = rest[rest.index(after: colon)...]
            }
            if rest.hasPrefix("//") {
                rest = rest.dropFirst(2)
                let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
                authority = rest[..<end]
                rest = rest[end...]
            }
            if let mark = rest.firstIndex(of: "?") {
                query = rest[rest.index(after: mark)...]
                rest = rest[..<mark]
            }
            path = rest
        }

        var text: String {
            var text = ""
            if let scheme { text += "\(scheme):" }
            if let authority { text += "//\(authority)" }
            text += path
            if let query { text += "?\(query)" }
            return text
        }
    }

    /// - Parameters:
    ///   - base: the value around the element.
    ///   - reference: the value of the element; empty for that of the base alone.
    static func joined(_ base: String, _ reference: String) -> String {
        var (base, result) = (Parts(base), Parts(reference))
        if result.scheme == nil {
            result.scheme = base.scheme
            if result.authority == nil {
                result.authority = base.authority
                if result.path.isEmpty {
                    result.path = base.path
                    result.query = result.query ?? base.query
                } else if !result.path.hasPrefix("/") {
                    result.path = merged(&base, result.path)
                }
            }
        }
        result.path = Substring(withoutDots(result.path))
        return result.text
    }

    private static func merged(_ base: inout Parts, _ path: Substring) -> Substring {
        if base.authority != nil, base.path.isEmpty { return "/" + path }
        // In the base, “..” as the last segment is a folder.
        if base.path == ".." || base.path.hasSuffix("/..") { base.path += "/" }
        guard let slash = base.path.lastIndex(of: "/") else { return path }
        return base.path[...slash] + path
    }

    /// The path without `.` and `..`, where a relative path keeps the `..` at its beginning, and slashes in a row become one.
    private static func withoutDots(_ path: Substring) -> String {
        let isAbsolute = path.hasPrefix("/")
        let segments = path.split(separator: "/", omittingEmptySubsequences: true)
        var kept: [Substring] = []
        for segment in segments {
            switch segment {
            case ".": continue
            case "..":
                if let last = kept.last, last != ".." {
                    kept.removeLast()
                } else if !isAbsolute {
                    kept.append(segment)
                }
            default: kept.append(segment)
            }
        }
        let isFolder = path.hasSuffix("/") || segments.last == "." || segments.last == ".."
        var text = (isAbsolute ? "/" : "") + kept.joined(separator: "/")
        if isFolder, !kept.isEmpty { text += "/" }
        return text
    }
}
