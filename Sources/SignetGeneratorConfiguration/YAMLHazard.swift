/// A place in a text that could make Yams run for an unbounded time: an anchor (YAML 1.2 §3.2.2.2), or the indicator
/// `?` of a key of any length (§8.2.2).
///
/// Yams compares whole keys on every level. Aliases that refer to each other twice, forty levels deep, expand to a
/// trillion nodes. Without anchors there are no aliases, and without `?` a key ends within 1024 characters. The search
/// for both runs before Yams sees the text. It also covers quotes and comments: an error about where these end would
/// otherwise miss a hazard.
struct YAMLHazard {
    let message: String
    /// Counted from 1, in Unicode scalars, like in Yams.
    let line: Int
    let column: Int

    init?(firstIn source: String) {
        let lines = source.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (row, line) in lines.enumerated() {
            let scalars = Array(line.unicodeScalars)
            for (index, scalar) in scalars.enumerated() where scalar == "&" || scalar == "?" {
                if index > 0, Self.continues(scalars[index - 1]) { continue }
                let word = String(String.UnicodeScalarView(scalars[(index + 1)...].prefix(while: Self.isNameScalar)))
                // A single ampersand is not an anchor.
                if scalar == "&" && word.isEmpty { continue }
                message =
                    scalar == "&"
                    ? "‘&\(word)’ would be an anchor, which a configuration may not have; write the value at each place."
                    : "‘?’ would begin a key of several parts, which a configuration may not have; write ‘key: value’."
                self.line = row + 1
                column = index + 1
                return
            }
        }
        return nil
    }

    /// Whether the character after this one still belongs to the same word or address, where no anchor or key can
    /// begin.
    private static func continues(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isXIDContinue || scalar == "=" || scalar == "/" || scalar == "."
    }

    private static func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "-" || scalar.isASCII && scalar.properties.isXIDContinue
    }
}
