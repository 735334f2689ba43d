import Observation
import ReferenceServices
import Signet
import Testing

// Code of WritingAnApp.md. It is compiled, and DocumentationTests compares it with the page.

protocol DeviceSetup: Sendable {
    func enroll(serialNumber: String) async throws
    func use(password: String) async
}

private struct TestDevice: DeviceSetup {
    func enroll(serialNumber: String) async throws {}
    func use(password: String) async {}
}

@Observable @MainActor final class DiaryModel {
    private(set) var entries: [WebEase.LogEntry] = []
    private(set) var isLoading = false
    private(set) var problem: Problem?

    private let diary: any WebEase.API
    private let device: any DeviceSetup
    @ObservationIgnored private var running: Task<Void, any Error>?
    @ObservationIgnored private var unfinished: Intent?

    private typealias Intent = @MainActor @Sendable (DiaryModel) async throws -> Void

    init(in diary: any WebEase.API, on device: any DeviceSetup) {
        self.diary = diary
        self.device = device
    }

    func load() async { await run(Self.reload) }
    func cancel() { running?.cancel() }

    func signIn(password: String) async {
        await device.use(password: password)
        if let unfinished { await run(unfinished) }
    }

    private static let reload: Intent = { model in
        model.entries = try await model.diary.logEntryQuery(.init(patientId: "P-4711")).entry
    }

    private func run(_ intent: @escaping Intent) async {
        guard !isLoading else { return }
        isLoading = true
        let task = Task { try await intent(self) }
        running = task
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        running = nil
        (problem, unfinished) = (nil, nil)
        if case .failure(let error) = result, !task.isCancelled {
            problem = Problem(error)
            let mayBeDone = (error as? TransportError)?.mayHaveBeenProcessed == true
            unfinished = mayBeDone ? Self.reload : intent
        }
        isLoading = false
    }
}

struct Problem: Sendable {
    enum NextStep: Sendable { case enroll, typePassword, tryAgain, acceptNothing, askSupport }
    let text: String
    let nextStep: NextStep
    let report: String

    init(_ error: any Error) {
        let finding = error.diagnosis?.mostLikely
        text = finding?.title ?? "\(error)"
        report = error.diagnosis?.text ?? "\(error)"
        switch error {
        case let error as IdentityStoreError where error.code == .notFound: nextStep = .enroll
        case let error as AuthenticationError where error.code == .credentialsRequired: nextStep = .typePassword
        case let error as AuthenticationError where error.code == .credentialsRefused: nextStep = .typePassword
        case is TrustError: nextStep = .acceptNothing
        default: nextStep = finding?.code == .identityExpired ? .enroll : finding == nil ? .askSupport : .tryAgain
        }
    }
}

struct LockedDiary: WebEase.API {
    let error: any Error

    func logEntryQuery(_ input: WebEase.LogEntryQuery) async throws -> WebEase.LogEntryQueryResponse { throw error }
    func logEntryCreate(_ input: WebEase.LogEntryCreate) async throws -> WebEase.LogEntryCreateResponse { throw error }
    func logEntryUpdate(_ input: WebEase.LogEntryUpdate) async throws -> WebEase.LogEntryUpdateResponse { throw error }
    func logEntryDelete(_ input: WebEase.LogEntryDelete) async throws -> WebEase.LogEntryDeleteResponse { throw error }
    func register(_ input: WebEase.Register) async throws -> WebEase.RegisterResponse { throw error }
}

@Test @MainActor func aRefusedPasswordIsAskedForAgain() async {
    let diary = LockedDiary(error: AuthenticationError(.credentialsRefused, "The test has no password."))
    let model = DiaryModel(in: diary, on: TestDevice())
    await model.load()
    #expect(model.problem?.nextStep == .typePassword)
}
