import Signet
import Testing

@testable import WebEaseApp

/// A diary that does what the test says.
private struct StubDiary: WebEase.API {
    var query: @Sendable () async throws -> [WebEase.LogEntry] = { [] }
    var delete: @Sendable () async throws -> Void = {}

    func logEntryQuery(_ input: WebEase.LogEntryQuery) async throws -> WebEase.LogEntryQueryResponse {
        .init(entry: try await query(), truncated: false)
    }
    func logEntryDelete(_ input: WebEase.LogEntryDelete) async throws -> WebEase.LogEntryDeleteResponse {
        try await delete()
        return .init(deleted: true)
    }
    func logEntryCreate(_ input: WebEase.LogEntryCreate) async throws -> WebEase.LogEntryCreateResponse {
        throw CancellationError()
    }
    func logEntryUpdate(_ input: WebEase.LogEntryUpdate) async throws -> WebEase.LogEntryUpdateResponse {
        throw CancellationError()
    }
    func register(_ input: WebEase.Register) async throws -> WebEase.RegisterResponse { throw CancellationError() }
}

private actor StubDevice: DeviceSetup {
    private(set) var passwords: [String] = []
    func enroll(serialNumber: String) async throws {
        guard passwords.last == "right" else { throw AuthenticationError(.credentialsRequired, "Who are you?") }
    }
    func use(password: String) async { passwords.append(password) }
}

@Suite @MainActor struct DiaryModelTests {
    nonisolated private static let entry = WebEase.LogEntry(
        id: 7, patientId: "P", entryDate: "2026-11-01", recordedAt: "2026-11-01T08:00:00Z", systolic: 120,
        diastolic: 80, weight: 81, flagged: false, kind: .manual, revision: 1)

    private func model(_ diary: StubDiary, _ device: StubDevice = StubDevice()) -> DiaryModel {
        DiaryModel(of: "P", in: diary, on: device)
    }

    @Test func errorsSayWhatTheUserDoesNext() async {
        let errors: [(any Error, NextStep?)] = [
            (IdentityStoreError(.notFound, ""), .enroll),
            (TransportError(.clientCertificateRequired, ""), .enroll),
            (AuthenticationError(.credentialsRefused, ""), .typePassword),
            (TrustError(.unknownAuthority, ""), .acceptNothing),
            (TransportError(.connectionRefused, ""), .tryAgain),
            (SOAPFault.server("The disk is full."), .askSupport),
            (DeclaredFault(WebEase.EntryNotFound(id: 7), reason: ""), nil),
        ]
        for (error, step) in errors {
            let model = model(StubDiary(query: { throw error }))
            await model.load()
            #expect(model.nextStep == step, "\(error)")
            #expect(model.problem != nil && !model.isLoading)
        }
    }

    @Test func whatFailedIsDoneAgainWithThePassword() async {
        let device = StubDevice()
        let model = model(StubDiary(query: { [Self.entry] }), device)
        await model.enroll(serialNumber: "7")
        #expect(model.nextStep == .typePassword && model.entries.isEmpty)
        await model.signIn(password: "wrong")
        #expect(model.nextStep == .typePassword)
        await model.signIn(password: "right")
        #expect(model.nextStep == nil && model.problem == nil && model.entries.map(\.id) == [7])
        #expect(await device.passwords == ["wrong", "right"])
    }

    @Test func entriesStayUntilTheyAreGone() async {
        let model = model(
            StubDiary(
                query: { [Self.entry] },
                delete: { throw TransportError(.readTimeout, "", mayHaveBeenProcessed: true) }))
        await model.load()
        await model.delete(7)
        #expect(model.nextStep == .tryAgain && model.entries.count == 1)
        // The service may have deleted it: the second attempt only looks.
        await model.retry()
        #expect(model.problem == nil && model.entries.count == 1)

        let gone = self.model(
            StubDiary(
                query: { [Self.entry] },
                delete: { throw DeclaredFault(WebEase.EntryNotFound(id: 7), reason: "") }))
        await gone.load()
        await gone.delete(7)
        #expect(gone.problem != nil && gone.entries.isEmpty)
    }

    @Test(arguments: [false, true]) func aCancelledIntentLeavesNoProblem(byTask: Bool) async {
        let model = model(
            StubDiary(query: {
                try await Task.sleep(for: .seconds(600))
                return []
            }))
        let loading = Task { await model.load() }
        while !model.isLoading { await Task.yield() }
        // Another intent is ignored meanwhile.
        await model.load()
        #expect(model.isLoading)
        if byTask { loading.cancel() } else { model.cancel() }
        await loading.value
        #expect(model.problem == nil && !model.isLoading)
    }
}
