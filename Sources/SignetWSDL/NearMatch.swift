/// Finds a known name similar to an unknown one, for suggestions in diagnostics.
package enum NearMatch {
    /// `. Did you mean ‘x’?` or `.`
    package static func hint(_ text: String, among names: [String]) -> String {
        find(text, among: names).map { ". Did you mean ‘\($0)’?" } ?? "."
    }

    /// - Parameter limit: how many characters may differ; nil for a third of them.
    package static func find(_ text: String, among names: [String], within limit: Int? = nil) -> String? {
        let wanted = Array(text.lowercased().prefix(64))
        let rated = names.prefix(2000).map {
            (name: $0, distance: distance(wanted, Array($0.lowercased().prefix(64))))
        }
        guard let best = rated.min(by: { $0.distance < $1.distance }),
            best.distance <= limit ?? max(1, wanted.count / 3)
        else {
            return nil
        }
        return best.name
    }

    /// The edit distance: how many characters must be added, removed or replaced.
    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
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
