import Signet
import SignetEnrollment
import Synchronization

/// The identity of this device, which it receives in the place of the app's own, and the password of its user.
struct Device: DeviceSetup {
    private let service: ServiceConfiguration
    private let identities: any IdentityStore
    private let account: Account

    /// - Parameters:
    ///   - service: the address of the service, and its trust.
    ///   - identities: has the identity of the app under the label `app`. In an app on Apple's systems it is a
    ///     `KeychainIdentityStore`.
    init(_ service: ServiceConfiguration, user: String, identities: any IdentityStore) {
        let account = Account(user: user)
        self.service = {
            var service = service
            service.authentication.credentials = .asking { _ in account.credentials }
            return service
        }()
        self.identities = identities
        self.account = account
    }

    /// A client that shows the identity of the device, as soon as there is one.
    func diary() throws -> WebEase.Client { try client(identity: "device") }

    func use(password: String) async { account.use(password) }

    /// The service sends an identity; it takes the place of the app's own after a call has succeeded with it.
    func enroll(serialNumber: String) async throws {
        let app = try client(identity: "app")
        let proof = IdentityProof(trust: service.trust, over: transport) { transport in
            _ = try await app.with { $0.transport = transport }.logEntryQuery(.init(patientId: ""))
        }
        let replacement = IdentityReplacement(of: "device", in: identities, retiring: "app", provedBy: proof)
        let result: Result<Identity, any Error>
        do {
            result = .success(
                try await replacement.replace(unlessValidFor: .zero) { _ in
                    let answer = try await app.register(.init(serialNumber: serialNumber))
                    return try Identity(pkcs12: answer.identity.bytes, password: answer.password)
                })
        } catch { result = .failure(error) }
        try await app.shutdown()
        _ = try result.get()
    }

    private func client(identity label: String) throws -> WebEase.Client {
        var service = service
        service.identity = .stored(label, in: identities)
        return WebEase.Client(service)
    }

    private var transport: IdentityTransport {
        { [service] identity, trust in
            var service = service
            service.identity = identity.map { .fixed($0) }
            service.trust = trust
            return try service.makeTransport()
        }
    }

    /// What the user has typed in.
    private final class Account: Sendable {
        private let user: String
        private let password = Mutex<String?>(nil)

        init(user: String) { self.user = user }

        var credentials: Credentials? { password.withLock { $0 }.map { .account(user: user, password: $0) } }
        func use(_ typed: String) { password.withLock { $0 = typed } }
    }
}
