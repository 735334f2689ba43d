import ArgumentParser
import Foundation
import Signet

/// A command line for one service. It ends with 0 when the service has answered, with 1 when the call failed, and with 2 when the
/// arguments or the files that they name cannot be used.
@main struct Tool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diary", abstract: "Reads and changes the diary of a patient.",
        subcommands: [Entries.self, Delete.self, SelfCheck.self])

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let status = exitCode(for: error)
            let message = fullMessage(for: error)
            if !message.isEmpty { write(message, to: status.isSuccess ? .standardOutput : .standardError) }
            // ArgumentParser ends with 64 (EX_USAGE).
            Foundation.exit(status == .validationFailure ? 2 : status.rawValue)
        }
    }

    static func write(_ text: String, to file: FileHandle) { file.write(Data((text + "\n").utf8)) }
}

struct Entries: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Prints the entries of a patient.")

    @Argument(help: "The number of the patient.") var patient: String
    @OptionGroup var connection: ConnectionOptions

    private struct Line: Encodable {
        var id: Int64
        var date: String
        var systolic: Int32
        var diastolic: Int32
    }

    func run() async throws {
        let lines = try await connection.call { webEase in
            try await webEase.logEntryQuery(.init(patientId: patient)).entry.map { entry in
                Line(
                    id: entry.id, date: "\(entry.entryDate)", systolic: entry.systolic, diastolic: entry.diastolic)
            }
        }
        if connection.json { return try connection.print(lines) }
        for line in lines { print(line.id, line.date, "\(line.systolic)/\(line.diastolic) mmHg") }
    }
}

struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Deletes an entry.")

    @Argument(help: "The number of the entry.") var id: Int64
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let isDeleted = try await connection.call { try await $0.logEntryDelete(.init(id: id)).deleted }
        if connection.json { return try connection.print(["deleted": isDeleted]) }
        print(isDeleted ? "deleted" : "kept")
    }
}
