#if CommandLine
import Signet

/// The lines about an answer that departs from its schema.
enum DeviationLines {
    /// - Parameter isVerbose: whether to list all deviations, not only the first.
    static func lines(_ deviations: [XMLDeviation], isVerbose: Bool) -> [String] {
        guard let first = deviations.first else { return [] }
        if isVerbose { return deviations.map { "the answer departs from the schema: \(text($0))" } }
        let more = deviations.count > 1 ? " (and \(deviations.count - 1) more, which -v shows)" : ""
        return ["the answer departs from the schema: \(text(first))\(more)"]
    }

    private static func text(_ deviation: XMLDeviation) -> String {
        "line \(deviation.line), column \(deviation.column), in \(deviation.path): \(deviation.message)"
    }
}
#endif
