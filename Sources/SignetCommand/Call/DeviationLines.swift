#if CommandLine
import Signet

/// The lines about an answer that departs from its schema.
enum DeviationLines {
    /// - Parameter isVerbose: whether to list all deviations, not only the first.
    static func lines(_ deviations: [XMLDeviation], isVerbose: Bool) -> [String] {
        guard let first = deviations.first else { return [] }
        if isVerbose { return deviations.map { "the answer departs from the schema: \($0.withoutOffset)" } }
        let more = deviations.count > 1 ? " (and \(deviations.count - 1) more, which -v shows)" : ""
        return ["the answer departs from the schema: \(first.withoutOffset)\(more)"]
    }
}
#endif
