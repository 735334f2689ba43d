#if CommandLine
import ArgumentParser
import Foundation
import SignetDemo
import Synchronization

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run the main job on this machine: a service that demands proof, and an app that gives it.",
        discussion: """
            Makes a throw-away authority, starts a service with an embedded database on a free loopback port, registers a
            device, reads and writes entries, and shows what is refused and why. Leaves nothing behind.

            Examples:
              signet demo
              signet demo --json | jq '.[].title'
            """)

    @Flag(help: "Print the steps as JSON when all have ended.")
    var json = false

    @Option(help: ArgumentHelp("Make one call to this address and say how it ended.", visibility: .private))
    var callOnly: String?

    func run() async throws {
        if let callOnly {
            print(try await EmptyNetwork.call(callOnly))
            return
        }
        let collected = Collected()
        let allPassed = try await Demonstration.run { step in
            collected.append(step)
            if !json { show(step, number: collected.count) }
        }
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(collected.steps), as: UTF8.self))
        } else {
            let failed = collected.steps.filter { $0.outcome == .failed }.count
            let left = collected.steps.filter { $0.outcome == .notRun }.count
            print("\n\(collected.count - failed - left) steps did what they should, \(failed) failed, \(left) not run.")
        }
        if !allPassed { throw ExitCode(1) }
    }

    private func show(_ step: StepReport, number: Int) {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let (mark, colour) =
            switch step.outcome {
            case .passed: ("✓", "32")
            case .failed: ("✗", "31")
            case .notRun: ("–", "33")
            }
        let shown = isTerminal ? "\u{1B}[\(colour)m\(mark)\u{1B}[0m" : mark
        print("\n\(shown) \(number). \(step.title)  (\(String(format: "%.3f", step.seconds)) s)")
        for line in step.lines { print("  \(line)") }
    }
}

/// Steps in the order in which they ended.
private final class Collected: Sendable {
    private let kept = Mutex<[StepReport]>([])
    var steps: [StepReport] { kept.withLock { $0 } }
    var count: Int { steps.count }
    func append(_ step: StepReport) { kept.withLock { $0.append(step) } }
}
#endif
