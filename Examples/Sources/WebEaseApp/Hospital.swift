import Signet
import SignetServer
import SignetTesting
import Synchronization

/// The service WebEase in memory. It knows its devices by their certificates, and its patient by a password.
final class Hospital: WebEase.Service {
    static let password = "green tea"

    private struct State {
        var devices: Set<String> = []
        var entries: [WebEase.LogEntry] = []
        var count: Int64 = 0
    }

    private let authority: CertificateAuthority
    private let state = Mutex(State())

    /// - Parameter authority: issues the identities of devices.
    init(authority: CertificateAuthority) { self.authority = authority }

    /// A server for the service, which is not started yet.
    func server(_ identity: Identity) throws -> SOAPServer {
        var settings = SOAPServer.Settings()
        settings.port = 0
        return try SOAPServer(
            WebEase.dispatcher(self), path: "/soap",
            tls: .init(identity: .fixed(identity), clients: .certificateRequired(.anchors(authority.bundle))),
            authentication: .basic(realm: "WebEase") { question in
                question.user == "P-4711" && ConstantTime.equal(question.password, Self.password)
            },
            settings: settings)
    }

    func register(_ input: WebEase.Register, _ context: OperationContext) async throws -> WebEase.RegisterResponse {
        guard context.peer.certificateSubject == "CN=WebEase app" else {
            throw SOAPFault.client("Only the app registers devices.")
        }
        let identity = try authority.issueClient(commonName: "WebEase device \(input.serialNumber)")
        guard state.withLock({ $0.devices.insert(identity.leaf.subject).inserted }) else {
            let refusal = WebEase.RegistrationRefused(
                reason: "registered", explanation: "The device \(input.serialNumber) is registered already.")
            throw DeclaredFault(refusal, reason: refusal.explanation)
        }
        let password = "\(UInt64.random(in: .min ... .max))"
        return .init(
            label: input.serialNumber, identity: XSDBase64Binary(try identity.pkcs12(password: password)),
            password: password)
    }

    func logEntryQuery(
        _ input: WebEase.LogEntryQuery, _ context: OperationContext
    ) async throws -> WebEase.LogEntryQueryResponse {
        try admit(context)
        return .init(
            entry: state.withLock { $0.entries.filter { $0.patientId == input.patientId } }, truncated: false)
    }

    func logEntryCreate(
        _ input: WebEase.LogEntryCreate, _ context: OperationContext
    ) async throws -> WebEase.LogEntryCreateResponse {
        try admit(context)
        guard let now = XSDDateTime(.now) else { throw SOAPFault.server("The clock is wrong.") }
        let new = input.entry
        return .init(
            entry: state.withLock { state in
                state.count += 1
                let entry = WebEase.LogEntry(
                    id: state.count, patientId: new.patientId, entryDate: new.entryDate, recordedAt: now,
                    systolic: new.systolic, diastolic: new.diastolic, weight: new.weight, flagged: new.flagged,
                    kind: new.kind, revision: 1)
                state.entries.append(entry)
                return entry
            })
    }

    func logEntryUpdate(
        _ input: WebEase.LogEntryUpdate, _ context: OperationContext
    ) async throws -> WebEase.LogEntryUpdateResponse { throw SOAPFault.client("Entries of this diary do not change.") }

    func logEntryDelete(
        _ input: WebEase.LogEntryDelete, _ context: OperationContext
    ) async throws -> WebEase.LogEntryDeleteResponse {
        try admit(context)
        let isFound = state.withLock { state in
            let count = state.entries.count
            state.entries.removeAll { $0.id == input.id }
            return state.entries.count < count
        }
        guard isFound else { throw DeclaredFault(WebEase.EntryNotFound(id: input.id), reason: "No such entry.") }
        return .init(deleted: true)
    }

    private func admit(_ context: OperationContext) throws {
        let subject = context.peer.certificateSubject ?? ""
        guard state.withLock({ $0.devices.contains(subject) }) else {
            throw SOAPFault.client("\(subject) is not a registered device.")
        }
    }
}
