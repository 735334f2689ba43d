import HTTPTypes

/// Names of fields that most answers have. Creating a name takes an allocation and a check of each letter.
enum AnswerFieldNames {
    /// Indexed by the length of the names.
    private static let usual: [[HTTPField.Name]] = {
        let names = [
            "Date", "ETag", "Vary", "Server", "Expires", "Connection", "Keep-Alive", "Set-Cookie", "Content-Type",
            "Accept-Ranges",
            "Cache-Control", "Last-Modified", "Content-Length", "Content-Encoding", "Transfer-Encoding", "X-Powered-By",
            "date", "server", "content-type", "content-length", "vary", "cache-control",
        ]
        var usual = [[HTTPField.Name]](repeating: [], count: 1 + (names.map(\.utf8.count).max() ?? 0))
        for name in names.compactMap({ HTTPField.Name($0) }) { usual[name.rawName.utf8.count].append(name) }
        return usual
    }()

    /// The name of a field as received; nil when it is not a valid field name.
    static func name(_ text: String) -> HTTPField.Name? {
        let length = text.utf8.count
        if length < usual.count, let known = usual[length].first(where: { $0.rawName == text }) { return known }
        return HTTPField.Name(text)
    }
}
