extension Sequence<String> {
    /// `‘a’, ‘b’ and 3 more`
    package func quotedList(limit: Int = 6) -> String {
        let all = Array(self)
        let shown = all.prefix(limit).map { "‘\($0)’" }
        if all.count > limit { return "\(shown.joined(separator: ", ")) and \(all.count - limit) more" }
        guard shown.count > 1, let last = shown.last else { return shown.joined() }
        return "\(shown.dropLast().joined(separator: ", ")) and \(last)"
    }
}
