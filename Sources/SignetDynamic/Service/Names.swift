import SignetWSDL

/// How names of elements and attributes are written as keys: by their local names, or as `{namespace}name` where that
/// is needed to tell two apart.
enum Key {
    static func text(_ name: QName, among names: [QName]) -> String {
        let isAmbiguous = names.contains { $0.localName == name.localName && $0.namespace != name.namespace }
        return isAmbiguous ? clark(name) : name.localName
    }

    /// `{namespace}name`, with empty braces for no namespace.
    static func clark(_ name: QName) -> String { "{\(name.namespace)}\(name.localName)" }

    /// Reads `{namespace}name`; nil when the text does not begin with a brace.
    static func name(_ text: String) -> QName? {
        guard text.hasPrefix("{"), let close = text.lastIndex(of: "}") else { return nil }
        let namespace = text[text.index(after: text.startIndex)..<close]
        return QName(String(namespace), String(text[text.index(after: close)...]))
    }
}

/// Finds what somebody may have meant.
enum NearMatch {
    /// `. Did you mean ‘x’?` or `.`
    static func hint(_ text: String, among names: [String]) -> String {
        find(text, among: names).map { ". Did you mean ‘\($0)’?" } ?? "."
    }

    static func find(_ text: String, among names: [String]) -> String? {
        let wanted = Array(text.lowercased().utf8.prefix(64))
        let rated = names.prefix(2000).map {
            (name: $0, distance: distance(wanted, Array($0.lowercased().utf8.prefix(64))))
        }
        guard let best = rated.min(by: { $0.distance < $1.distance }), best.distance <= max(1, wanted.count / 3) else {
            return nil
        }
        return best.name
    }

    /// How many bytes must be added, left out or changed.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var row = Array(0...b.count)
        for (i, left) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, right) in b.enumerated() {
                let change = diagonal + (left == right ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(change, diagonal + 1, row[j] + 1)
            }
        }
        return row[b.count]
    }
}

extension Sequence<String> {
    /// `‘a’, ‘b’ and 3 more`
    func quotedList(limit: Int = 6) -> String {
        let all = Array(self)
        let shown = all.prefix(limit).map { "‘\($0)’" }
        if all.count > limit { return "\(shown.joined(separator: ", ")) and \(all.count - limit) more" }
        guard shown.count > 1, let last = shown.last else { return shown.joined() }
        return "\(shown.dropLast().joined(separator: ", ")) and \(last)"
    }
}
