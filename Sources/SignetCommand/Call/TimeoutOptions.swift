#if CommandLine
import ArgumentParser
import Signet

/// `--timeout`.
struct TimeoutOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How long the whole call may take.", valueName: "seconds"))
    var timeout: Double?

    /// The maximum timeout, in seconds: a day.
    static let longestTimeout = 86_400.0

    func validate() throws {
        if let timeout, !(timeout > 0 && timeout <= Self.longestTimeout) {
            throw ValidationError("--timeout is a number of seconds above 0 and at most \(Int(Self.longestTimeout)).")
        }
    }

    /// The deadlines of a call; the limit for silence is that for the whole call.
    var deadlines: Deadlines {
        var deadlines = Deadlines()
        if let timeout {
            deadlines.total = .seconds(timeout)
            deadlines.read = deadlines.total
            deadlines.connect = min(deadlines.connect, deadlines.total)
        }
        return deadlines
    }
}
#endif
