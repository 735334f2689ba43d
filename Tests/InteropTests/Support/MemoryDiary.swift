import Foundation
import Signet
import SignetServer
import Synchronization

@testable import SignetDemo

/// The WebEase service with Signet, in memory and open to all. Behind a proxy that looks at certificates.
final class MemoryDiary: WebEase.Service {
    private let entries = Mutex((last: Int64(0), all: [Int64: WebEase.LogEntry]()))

    func logEntryCreate(
        _ input: WebEase.LogEntryCreate, _ context: OperationContext
    ) async throws -> WebEase.LogEntryCreateResponse {
        let new = input.entry
        return try entries.withLock { entries in
            entries.last += 1
            let entry = WebEase.LogEntry(
                id: entries.last, patientId: new.patientId, entryDate: new.entryDate,
                recordedAt: try Self.now(), systolic: new.systolic,
                diastolic: new.diastolic, weight: new.weight, pulse: new.pulse, flagged: new.flagged, note: new.note,
                kind: new.kind, tag: new.tag, attachment: new.attachment, revision: 1, source: new.source)
            entries.all[entry.id] = entry
            return .init(entry: entry)
        }
    }

    func logEntryQuery(
        _ input: WebEase.LogEntryQuery, _ context: OperationContext
    ) async throws -> WebEase.LogEntryQueryResponse {
        let found = entries.withLock { $0.all.values.filter { $0.patientId == input.patientId } }
        return .init(entry: found.sorted { $0.id < $1.id }, truncated: false)
    }

    func logEntryUpdate(
        _ input: WebEase.LogEntryUpdate, _ context: OperationContext
    ) async throws -> WebEase.LogEntryUpdateResponse {
        try entries.withLock { entries in
            var entry = input.entry
            guard let known = entries.all[entry.id] else { throw Self.notFound(entry.id) }
            guard known.revision == entry.revision else {
                throw DeclaredFault(
                    WebEase.EntryConflict(id: entry.id, currentRevision: known.revision), code: .server,
                    reason: "geändert")
            }
            entry.revision += 1
            entries.all[entry.id] = entry
            return .init(entry: entry)
        }
    }

    func logEntryDelete(
        _ input: WebEase.LogEntryDelete, _ context: OperationContext
    ) async throws -> WebEase.LogEntryDeleteResponse {
        guard entries.withLock({ $0.all.removeValue(forKey: input.id) }) != nil else { throw Self.notFound(input.id) }
        return .init(deleted: true)
    }

    func register(_ input: WebEase.Register, _ context: OperationContext) async throws -> WebEase.RegisterResponse {
        throw DeclaredFault(
            WebEase.RegistrationRefused(reason: "never", explanation: "Hier nicht: \(input.model ?? "")"),
            reason: "Refused")
    }

    private static func now() throws -> XSDDateTime {
        guard let now = XSDDateTime(.now) else { throw SOAPFault.server("The clock is wrong.") }
        return now
    }

    private static func notFound(_ id: Int64) -> any Error {
        DeclaredFault(WebEase.EntryNotFound(id: id), reason: "No entry has the number \(id).")
    }
}
