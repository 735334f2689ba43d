import Foundation
import Signet

/// An app's use of the diary, with any value that has the operations of the generated client.
struct Visit<Diary: WebEase.API> {
    let diary: Diary

    /// The mean systolic pressure of a patient, in mmHg; nil without entries.
    func meanPressure(of patient: String) async throws -> Int? {
        let values = try await diary.logEntryQuery(.init(patientId: patient)).entry.map { Int($0.systolic) }
        return values.isEmpty ? nil : values.reduce(0, +) / values.count
    }

    /// Removes an entry, and says whether it was there.
    func remove(_ id: Int64) async throws -> Bool {
        do {
            return try await diary.logEntryDelete(.init(id: id)).deleted
        } catch is DeclaredFault<WebEase.EntryNotFound> { return false }
    }
}

/// A test without a network, as a program: handlers for two of the five operations, in the same process.
@main enum WithoutNetwork {
    static func main() async throws {
        let entries = [118, 121, 124].map { (systolic: Int32) in
            WebEase.LogEntry(
                id: 1, patientId: "4711", entryDate: "2026-11-01", recordedAt: "2026-11-01T08:00:00Z",
                systolic: systolic, diastolic: 80, weight: 81, flagged: false, kind: .manual, revision: 1)
        }
        let webEase = WebEase.Client(inProcess: [
            WebEase.Operations.logEntryQuery.route { input, _ in
                .init(entry: entries.filter { $0.patientId == input.patientId }, truncated: false)
            },
            WebEase.Operations.logEntryDelete.route { input, _ in
                guard input.id == 1 else { throw DeclaredFault(WebEase.EntryNotFound(id: input.id), reason: "Where?") }
                return .init(deleted: true)
            },
        ])
        let visit = Visit(diary: webEase)
        var checks = [
            ("the mean of a patient's entries", try await visit.meanPressure(of: "4711") == 121),
            ("no mean without entries", try await visit.meanPressure(of: "0815") == nil),
            ("an entry is removed", try await visit.remove(1)),
            ("a declared fault says that it was not there", try await !visit.remove(2)),
        ]
        do { _ = try await webEase.register(.init(serialNumber: "1")) } catch let error as ServiceError {
            checks.append(("an operation without a handler is named: \(error)", error.code == .noHandler))
        }
        for (what, isSo) in checks { print(isSo ? "ok   " : "WRONG", what) }
        exit(checks.count == 5 && checks.allSatisfy(\.1) ? 0 : 1)
    }
}
