import Foundation
import Signet
import SignetServer

/// The service of the hosting benchmark: it makes the entries of each answer anew, as the other servers do.
struct Diary: WebEase.Service {
    struct NotMeasured: Error {}

    /// Serves until it is killed, over mutual TLS.
    static func serve(port: Int, folder: String) async throws {
        func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))) }
        var settings = SOAPServer.Settings()
        settings.port = port
        // The idle connections of one client address have shown their certificates, so that only their number is in the way.
        settings.maximumConnections = 20_000
        settings.idle = .seconds(3600)
        let server = try SOAPServer(
            WebEase.dispatcher(Diary()), path: "/soap",
            tls: .init(
                identity: .fixed(try Identity(pem: bytes("server.pem"), privateKey: bytes("server.key"))),
                clients: .certificateRequired(.anchors(try .init(pem: bytes("authority.pem"))))),
            settings: settings)
        _ = try await server.start()
        while true { try await Task.sleep(for: .seconds(3600)) }
    }

    func logEntryQuery(_ input: WebEase.LogEntryQuery, _ context: OperationContext) -> WebEase.LogEntryQueryResponse {
        .init(entry: (0..<Int(input.limit ?? 2)).map { entry($0, of: input.patientId) }, truncated: false)
    }

    private func entry(_ index: Int, of patient: String) -> WebEase.LogEntry {
        var entry = WebEase.LogEntry(_decoding: ())
        entry.id = 4_000_000_000 + Int64(index)
        entry.patientId = patient
        entry.entryDate = XSDDate(year: 2026, month: 1, day: 1 + index % 28) ?? ._placeholder
        entry.recordedAt = XSDDateTime(secondsSinceEpoch: 1_767_225_600 + Int64(index) * 61) ?? ._placeholder
        entry.systolic = 110
        entry.diastolic = 60
        entry.weight = "60.1"
        entry.pulse = 55
        entry.flagged = index == 0
        entry.note = .value("Nach dem Fr\u{FC}hst\u{FC}ck & vor dem Spaziergang gemessen")
        entry.kind = .device
        entry.tag = ["morning", "rest"]
        entry.revision = 1
        entry.source = "signet-bp-meter/2.1"
        return entry
    }

    func logEntryCreate(
        _ input: WebEase.LogEntryCreate, _ context: OperationContext
    ) throws -> WebEase.LogEntryCreateResponse { throw NotMeasured() }

    func logEntryUpdate(
        _ input: WebEase.LogEntryUpdate, _ context: OperationContext
    ) throws -> WebEase.LogEntryUpdateResponse { throw NotMeasured() }

    func logEntryDelete(
        _ input: WebEase.LogEntryDelete, _ context: OperationContext
    ) throws -> WebEase.LogEntryDeleteResponse { throw NotMeasured() }

    func register(_ input: WebEase.Register, _ context: OperationContext) throws -> WebEase.RegisterResponse {
        throw NotMeasured()
    }
}
