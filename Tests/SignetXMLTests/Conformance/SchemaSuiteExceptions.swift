/// The cases of the suite that are decided otherwise than it expects.
enum SchemaSuiteExceptions {
    /// Why, by the instance's name.
    static let reasons: [String: String] = {
        var reasons: [String: String] = [:]
        for (names, reason) in table { for name in names { reasons[name] = reason } }
        return reasons
    }()

    private static let table: [(names: [String], reason: String)] = [
        (
            [
                "NISTXML-SV-II-atomic-gMonth-minExclusive-3-2", "NISTXML-SV-II-atomic-gMonth-minExclusive-3-3",
                "NISTXML-SV-II-atomic-gMonth-minExclusive-3-5",
            ],
            "the instance is of 2003, the schema beside it of 2004: --03 and later is more than --01"
        ),
        (
            [
                "NISTXML-SV-IV-atomic-gDay-maxInclusive-3-2", "NISTXML-SV-IV-atomic-gDay-maxInclusive-3-3",
                "NISTXML-SV-IV-atomic-gDay-maxInclusive-3-4", "NISTXML-SV-IV-atomic-gDay-maxInclusive-3-5",
            ],
            "the instance is of 2003, the schema beside it of 2004: ---06 and later is more than ---01"
        ),
        (
            ["gMonth002", "gMonth004"],
            "--MM-- was the form in the first edition, by mistake; in the second it is --MM (§3.2.14.1)"
        ),
        (["test86723"], "the value is right; what is wrong is an element in simple content"),
    ]
}
