/// A place where a text may say what makes Yams work without end: an anchor (YAML 1.2 §3.2.2.2) or the mark of a key of any
/// length (§8.2.2).
///
/// Yams compares keys whole on every level. Parts that hold each other twice, forty deep, are a trillion parts then; without
/// anchors there are no aliases, and without the mark a key ends within 1024 characters. Both are looked for before Yams sees
/// the text. Quotes and comments make no difference: whoever is wrong about where they end would let one through.
struct YAMLHazard {
    let message: String
    /// From 1, in Unicode scalars, as Yams counts.
    let line: Int
    let column: Int

    init?(firstIn source: String) {
        let lines = source.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (row, line) in lines.enumerated() {
            let scalars = Array(line.unicodeScalars)
            for (index, scalar) in scalars.enumerated() where scalar == "&" || scalar == "?" {
                if index > 0, Self.continues(scalars[index - 1]) { continue }
                let word = String(String.UnicodeScalarView(scalars[(index + 1)...].prefix(while: Self.isNameScalar)))
                // A lone ampersand is no anchor.
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

    /// Whether what stands behind this still belongs to a word or an address; nothing begins there.
    private static func continues(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isXIDContinue || scalar == "=" || scalar == "/" || scalar == "."
    }

    private static func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "-" || scalar.isASCII && scalar.properties.isXIDContinue
    }
}
