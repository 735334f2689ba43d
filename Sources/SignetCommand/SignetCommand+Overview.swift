#if CommandLine
import ArgumentParser

extension SignetCommand {
    /// What `signet --help` prints: a screen of 24 lines with 80 columns. The argument parser's own text has a line or two for each
    /// subcommand; `signet help` prints that.
    static var overview: String {
        let rows = configuration.groupedSubcommands.map { group in
            "  \(group.name.padded(to: 34))\(group.subcommands.map { $0._commandName }.joined(separator: ", "))"
        }
        return """
            \(configuration.abstract)

            USAGE: signet <subcommand>

            SUBCOMMANDS:
            \(rows.joined(separator: "\n"))

            OPTIONS:
              --version                         Show the version.
              -h, --help                        Show help information.

              signet help                       What each subcommand does, in a line or two.
              signet help <subcommand>          Its options, with examples.
            """
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
#endif
