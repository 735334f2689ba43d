#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetCredentialsSQLite
import SignetEnrollment
import SignetWSDL

struct IdentityWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Renew identities in a store before they expire, until the command is ended.",
        discussion: """
            Each identity is renewed in the way in which signet enroll obtained it (see signet identity renew), after --share of its life. A \
            failed attempt is repeated, more often near the end. Other programs may use the store and renew, too. Passwords must be in \
            files or variables, and the identities of one watch enrolled in the same folder.

            --exec runs a command by /bin/sh at the beginning and after each renewal, in the folder in which the watch was started, with \
            SIGNET_LABEL, SIGNET_SUBJECT and SIGNET_NOT_AFTER (seconds since 1970) in its environment. Its output goes to standard error. It \
            is ended after ten minutes, and repeated within the hour when it fails.

            With --json, each event is one line: label, event (waiting, renewed, failed, hook-failed), and what belongs to it.

            Examples:
              signet identity watch device --key-file store.key
              signet identity watch device --key-file store.key --exec 'signet identity export "$SIGNET_LABEL" device.pem --to pem \\
                --unencrypted --force --key-file store.key && systemctl reload nginx'
            """)

    @Argument(help: "The labels in the store.")
    var labels: [String]

    @Option(
        help: ArgumentHelp("After which part of its life an identity is renewed, in percent.", valueName: "percent"))
    var share = 67

    @Option(help: ArgumentHelp("A command that is run at the beginning and after each renewal.", valueName: "command"))
    var exec: String?

    @Flag(help: "Print each event as a line of JSON.")
    var json = false

    @OptionGroup(title: "The store") var options: StoreOptions

    func validate() throws {
        if !(1...95).contains(share) { throw ValidationError("--share is from 1 to 95 percent.") }
        if Set(labels).count < labels.count { throw ValidationError("Name each label once.") }
    }

    func run() async throws {
        try await options.withStore { database in
            let store = SQLiteIdentityStore(database)
            let here = FileManager.default.currentDirectoryPath
            var recipes: [(label: String, recipe: EnrollmentRecipe)] = []
            for label in labels { recipes.append((label, try await EnrollmentRecipe(of: label, in: store))) }
            // Files are read when an identity is renewed, and the process has one folder.
            if let (label, _) = recipes.first(where: { $0.recipe.folder != recipes.first?.recipe.folder }) {
                throw CommandError(
                    "“\(label)” and “\(labels.first ?? "")” were enrolled in different folders, from which their files are named. Watch them apart."
                )
            }
            var managers: [(label: String, manager: IdentityManager)] = []
            for (label, recipe) in recipes {
                managers.append((label, try await manager(of: recipe.command().prepared(store), label, in: here)))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (label, manager) in managers {
                    let events = manager.events()
                    group.addTask {
                        // The program may have ended between a renewal and its hook.
                        if exec != nil { manager.requestHook() }
                        try await manager.run()
                    }
                    group.addTask { try await report(events, of: label) }
                }
                try await group.waitForAll()
            }
        }
    }

    private func manager(of enrollment: Enrollment, _ label: String, in folder: String) -> IdentityManager {
        var schedule = IdentityManager.Schedule()
        schedule.share = Double(share) / 100
        return IdentityManager(of: enrollment, schedule: schedule) { identity in
            if let exec { try await Self.run(exec, in: folder, after: identity, of: label) }
        }
    }

    // MARK: Hooks

    private static func run(
        _ command: String, in folder: String, after identity: Identity, of label: String
    ) async throws {
        let process = Process()
        process.currentDirectoryURL = URL(filePath: folder)
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "SIGNET_LABEL": label, "SIGNET_SUBJECT": identity.leaf.subject,
            "SIGNET_NOT_AFTER": identity.leaf.notAfter.map(String.init) ?? "",
        ]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.standardError
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = {
            end.yield($0.terminationStatus)
            end.finish()
        }
        try process.run()
        let number = process.processIdentifier
        let limit = Task {
            try await Task.sleep(for: .seconds(600))
            kill(number, SIGTERM)
            try await Task.sleep(for: .seconds(10))
            kill(number, SIGKILL)
        }
        defer { limit.cancel() }
        guard let status = await ends.first(where: { _ in true }) else {
            kill(number, SIGTERM)
            throw CancellationError()
        }
        if process.terminationReason == .uncaughtSignal {
            throw CommandError(
                "The command of --exec was ended by the signal \(status). It is ended when it has run for ten minutes.")
        }
        guard status == 0 else { throw CommandError("The command of --exec ended with the status \(status).") }
    }

    // MARK: Events

    private struct Line: Encodable {
        var label: String
        var event: String
        var subject: String?
        /// In seconds since 1970.
        var notAfter: Int64?
        var renewedAfter: Int64?
        var error: String?
        var retryAfterSeconds: Int64?
    }

    private func report(_ events: AsyncStream<IdentityManager.Event>, of label: String) async throws {
        var known: Int64?
        for await event in events {
            var line = Line(label: label, event: "")
            switch event {
            case .waiting(let identity, let until):
                // It is said again each time that the manager looks.
                guard until != known else { continue }
                known = until
                line.event = "waiting"
                line.renewedAfter = until
                line.notAfter = identity.leaf.notAfter
            case .renewed(let identity):
                line.event = "renewed"
                line.subject = identity.leaf.subject
                line.notAfter = identity.leaf.notAfter
            case .failed(let error, let pause):
                line.event = "failed"
                line.error = "\(error)"
                line.retryAfterSeconds = pause.components.seconds
            case .hookFailed(let error):
                line.event = "hook-failed"
                line.error = "\(error)"
            }
            try print(line)
        }
    }

    private func print(_ line: Line) throws {
        Output.line(json ? try Output.jsonLine(line) : TerminalText.line(Self.text(line)))
    }

    private static func text(_ line: Line) -> String {
        let end = line.notAfter.map(UnixTime.text) ?? "an unknown time"
        switch line.event {
        case "waiting":
            return "\(line.label): valid until \(end); is renewed after \(line.renewedAfter.map(UnixTime.text) ?? "")"
        case "renewed": return "\(line.label): renewed; \(line.subject ?? ""), valid until \(end)"
        case "failed":
            let pause = line.retryAfterSeconds ?? 0
            return "\(line.label): not renewed. \(line.error ?? "") The next attempt begins in \(pause) seconds."
        default: return "\(line.label): the command after the renewal failed. \(line.error ?? "")"
        }
    }
}
#endif
