import Observation
import Signet

/// What the model needs of the device that it runs on, beside the operations of the service.
protocol DeviceSetup: Sendable {
    /// Registers the device, and keeps the identity that it gets.
    func enroll(serialNumber: String) async throws
    /// Keeps the password that the user has typed in. The next call sends it.
    func use(password: String) async
}

/// The diary of one patient, as an app shows it: the state, and what the user can do.
///
/// One intent runs at a time. The model ignores others meanwhile; the app disables their controls. What failed leaves a
/// ``problem``, and ``retry()`` does it again.
@Observable @MainActor final class DiaryModel {
    private(set) var entries: [WebEase.LogEntry] = []
    private(set) var isLoading = false
    private(set) var problem: Problem?

    /// What the user has to do before the app can go on; nil when there is nothing.
    var nextStep: NextStep? { problem?.nextStep }

    private let patient: String
    private let diary: any WebEase.API
    private let device: any DeviceSetup
    @ObservationIgnored private var running: Task<Void, any Error>?
    @ObservationIgnored private var unfinished: Intent?

    /// It is given the model, because the model keeps it.
    private typealias Intent = @MainActor @Sendable (DiaryModel) async throws -> Void

    /// - Parameters:
    ///   - patient: the identifier of the patient.
    ///   - diary: the client, or what a test puts in its place.
    ///   - device: enrolls, and keeps the password.
    init(of patient: String, in diary: any WebEase.API, on device: any DeviceSetup) {
        self.patient = patient
        self.diary = diary
        self.device = device
    }

    // MARK: What the user can do

    func load() async { await run(Self.reload) }

    /// - Parameters:
    ///   - systolic: in mmHg, as `diastolic`.
    ///   - weight: in kilograms.
    func add(systolic: Int32, diastolic: Int32, weight: XSDDecimal, on day: XSDDate) async {
        let entry = WebEase.NewLogEntry(
            patientId: patient, entryDate: day, systolic: systolic, diastolic: diastolic, weight: weight,
            flagged: false, kind: .manual)
        await run { model in
            model.entries.append(try await model.diary.logEntryCreate(.init(entry: entry)).entry)
        }
    }

    func delete(_ id: Int64) async {
        await run { model in
            do { _ = try await model.diary.logEntryDelete(.init(id: id)) } catch let fault
                as DeclaredFault<WebEase.EntryNotFound>
            {
                model.entries.removeAll { $0.id == id }
                throw fault
            }
            model.entries.removeAll { $0.id == id }
        }
    }

    /// Registers the device, and loads the diary.
    func enroll(serialNumber: String) async {
        await run { model in
            try await model.device.enroll(serialNumber: serialNumber)
            try await Self.reload(model)
        }
    }

    /// Does again what failed without the right password.
    func signIn(password: String) async {
        await device.use(password: password)
        await retry()
    }

    /// Does again what failed. If the service may have acted already, it only loads the diary, which shows whether it has.
    func retry() async {
        if let unfinished { await run(unfinished) }
    }

    /// Ends what runs. The service may have acted on it.
    func cancel() { running?.cancel() }

    // MARK: How the model does it

    private static let reload: Intent = { model in
        model.entries = try await model.diary.logEntryQuery(.init(patientId: model.patient)).entry
    }

    /// Runs an intent in a task of its own, which ends with the task of the caller, such as that of a view, or by
    /// ``cancel()``.
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
            let mayBeDone = Self.mayBeDone(error)
            unfinished = mayBeDone ? Self.reload : intent
        }
        isLoading = false
    }

    /// Whether the service may have acted on a call that ended with an error. A fault is the service's own refusal.
    private static func mayBeDone(_ error: any Error) -> Bool {
        switch error {
        case let error as TransportError: error.mayHaveBeenProcessed
        case is SOAPFault, is DeclaredFault<WebEase.EntryNotFound>, is DeclaredFault<WebEase.RegistrationRefused>,
            is AuthenticationError, is TrustError, is IdentityStoreError:
            false
        default: true
        }
    }
}
