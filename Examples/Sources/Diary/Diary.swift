import Foundation
import Signet
import SignetServer
import SignetTesting
import Synchronization

/// Hosts a service and calls it, both from code that the plugin generated from `WebEase.wsdl`.
@main enum Example {
    static func main() async throws {
        // In production, the authority is your organisation's and the identities come from files.
        let authority = try CertificateAuthority(commonName: "Example authority")
        let device = try authority.issueClient(commonName: "Example device")

        var settings = SOAPServer.Settings()
        settings.port = 0
        let server = try SOAPServer(
            WebEase.dispatcher(MemoryDiary()), path: "/soap",
            tls: .init(
                identity: .fixed(try authority.issueServer(dnsNames: ["localhost"])),
                clients: .certificateRequired(.anchors(authority.bundle))),
            settings: settings)
        let port = try await server.start()

        var service = try ServiceConfiguration("https://localhost:\(port)/soap")
        service.identity = .fixed(device)
        service.trust = .anchors(authority.bundle)
        service.onExchange = { print("   ", $0) }
        let webEase = WebEase.Client(service)

        for day in 1...3 {
            guard let date = XSDDate(year: 2026, month: 11, day: day) else { continue }
            _ = try await webEase.logEntryCreate(
                .init(
                    entry: .init(
                        patientId: "4711", entryDate: date, systolic: Int32(120 + day), diastolic: 80, weight: 81,
                        flagged: false, kind: .device, tag: ["day \(day)"])))
        }
        for entry in try await webEase.logEntryQuery(.init(patientId: "4711")).entry {
            print(entry.id, entry.entryDate, "\(entry.systolic)/\(entry.diastolic)", entry.tag.joined())
        }
        do {
            _ = try await webEase.logEntryDelete(.init(id: 99))
        } catch let fault as DeclaredFault<WebEase.EntryNotFound> {
            print("No entry \(fault.detail.id).")
        }
        print("Without generated code:")
        try await WithoutGeneratedCode.run(webEase.caller)
        print("Only the pieces that matter:")
        try await OnlyPieces.run(webEase.caller)
        try await webEase.shutdown()
        await server.shutdown()
    }
}

/// A service in memory.
final class MemoryDiary: WebEase.Service {
    private let entries = Mutex<[WebEase.LogEntry]>([])

    func logEntryQuery(
        _ input: WebEase.LogEntryQuery, _ context: OperationContext
    ) async throws -> WebEase.LogEntryQueryResponse {
        .init(entry: entries.withLock { $0.filter { $0.patientId == input.patientId } }, truncated: false)
    }

    func logEntryCreate(
        _ input: WebEase.LogEntryCreate, _ context: OperationContext
    ) async throws -> WebEase.LogEntryCreateResponse {
        let new = input.entry
        guard let now = XSDDateTime(.now) else { throw SOAPFault.server("The clock is wrong.") }
        let entry = entries.withLock { entries in
            let entry = WebEase.LogEntry(
                id: Int64(entries.count + 1), patientId: new.patientId, entryDate: new.entryDate, recordedAt: now,
                systolic: new.systolic, diastolic: new.diastolic, weight: new.weight, flagged: new.flagged,
                kind: new.kind,
                tag: new.tag, revision: 1, source: context.peer.certificateSubject)
            entries.append(entry)
            return entry
        }
        return .init(entry: entry)
    }

    func logEntryUpdate(
        _ input: WebEase.LogEntryUpdate, _ context: OperationContext
    ) async throws -> WebEase.LogEntryUpdateResponse { throw SOAPFault.client("Entries of this diary do not change.") }

    func logEntryDelete(
        _ input: WebEase.LogEntryDelete, _ context: OperationContext
    ) async throws -> WebEase.LogEntryDeleteResponse {
        let found = entries.withLock { entries in
            let count = entries.count
            entries.removeAll { $0.id == input.id }
            return entries.count < count
        }
        guard found else { throw DeclaredFault(WebEase.EntryNotFound(id: input.id), reason: "No such entry.") }
        return .init(deleted: true)
    }

    func register(_ input: WebEase.Register, _ context: OperationContext) async throws -> WebEase.RegisterResponse {
        throw SOAPFault.client("Devices of this diary bring their own certificates.")
    }
}
