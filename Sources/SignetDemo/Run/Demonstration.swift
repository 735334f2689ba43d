#if CommandLine
import Foundation
import Signet
import SignetServer
import SignetTesting
import Synchronization

/// The main job from end to end on one machine: a service that demands proof, an app that gives it, and calls that must
/// be refused.
public struct Demonstration: Sendable {
    /// A step: its title and what it does; an error thrown means that the step failed.
    struct Step: Sendable {
        let title: String
        let run: @Sendable (inout StepReport) async throws -> Void
    }

    /// An unexpected result of a step.
    struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    let world: World

    /// Runs every step.
    ///
    /// - Parameter report: called for each step when it has ended.
    /// - Returns: whether every step succeeded.
    public static func run(report: @Sendable (StepReport) -> Void) async throws -> Bool {
        let world = try await World()
        let demonstration = Demonstration(world: world)
        var allPassed = true
        let clock = ContinuousClock()
        for step in demonstration.appSteps + demonstration.refusalSteps {
            var result = StepReport(title: step.title)
            let time = await clock.measure {
                do { try await step.run(&result) } catch {
                    result.outcome = .failed
                    result.say("FAILED: \(error)")
                }
            }
            result.seconds = time.inSeconds
            if result.outcome == .failed { allPassed = false }
            report(result)
        }
        await world.close()
        return allPassed
    }
}

/// The state that the steps share: the service, its authorities, the app's folder and the last exchange.
final class World: Sendable {
    static let serviceUser = "webease-app"
    static let deviceLabel = "device"
    static let distributionLabel = "distribution"

    let folder: URL
    let serverAuthority: CertificateAuthority
    let deviceAuthority: CertificateAuthority
    let serverIdentity: Identity
    let database: DiaryDatabase
    let server: SOAPServer
    let port: Int
    let identities: DirectoryIdentityStore
    let servicePassword: String
    let distributionPassword: String
    private let lastReport = Mutex<ExchangeReport?>(nil)
    /// How often the service checked a password.
    private let passwordChecks: Counter

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("signet-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        serverAuthority = try CertificateAuthority(commonName: "WebEase Demo Authority")
        deviceAuthority = try CertificateAuthority(commonName: "WebEase Device Authority")
        serverIdentity = try serverAuthority.issueServer(dnsNames: ["localhost"])
        let distribution = try deviceAuthority.issueClient(commonName: "WebEase distribution")
        let servicePassword = randomPassword()
        self.servicePassword = servicePassword
        distributionPassword = randomPassword()
        try Data(distribution.pkcs12(password: distributionPassword, label: Self.distributionLabel))
            .write(to: folder.appendingPathComponent("distribution.p12"))
        identities = try DirectoryIdentityStore(
            path: folder.appendingPathComponent("identities").path, password: randomPassword())
        database = try DiaryDatabase(path: folder.appendingPathComponent("webease.sqlite").path)
        let checks = Counter()
        passwordChecks = checks
        let issued = MemoryIssuedCertificates()
        let diary = Diary(
            database: database, authority: deviceAuthority, issued: issued,
            distributionCertificate: distribution.leaf.sha256)
        var settings = SOAPServer.Settings()
        settings.port = 0
        settings.registration = try RegistrationAuthority(
            try deviceAuthority.identity, keepingIn: issued
        ) { [database] request in
            guard request.isRenewal, try await database.standing(of: request.subject) == .registered else {
                return .refuse("Only a registered device renews its certificate.")
            }
            return .issue
        }
        server = try SOAPServer(
            WebEase.dispatcher(diary), path: "/soap",
            tls: .init(
                identity: .fixed(serverIdentity), clients: .certificateRequired(.anchors(deviceAuthority.bundle))),
            authentication: .basic(realm: "WebEase") { question in
                checks.increment()
                return ConstantTime.equal(question.user, Self.serviceUser)
                    && ConstantTime.equal(question.password, servicePassword)
            }, settings: settings)
        port = try await server.start()
    }

    func close() async {
        await server.shutdown()
        try? FileManager.default.removeItem(at: folder)
    }

    var address: String { "https://localhost:\(port)/soap" }
    /// Where devices renew their certificates.
    var registrationAddress: String { "https://localhost:\(port)/.well-known/est" }
    var passwordsChecked: Int { passwordChecks.value }
    var report: ExchangeReport? { lastReport.withLock { $0 } }

    /// The two pins of the server: the key in use, and one in reserve.
    var pins: [TrustPolicy.Pin] {
        get throws {
            let reserve = try serverAuthority.issueServer(dnsNames: ["localhost"])
            return [try Self.pin(serverIdentity), try Self.pin(reserve)]
        }
    }

    static func pin(_ identity: Identity) throws -> TrustPolicy.Pin {
        guard let hash = identity.leaf.publicKeySHA256 else { throw Demonstration.Failure("The key cannot be read.") }
        return .publicKey(sha256: Data(hash).base64EncodedString())
    }

    /// The app's configuration for the service: pins, the identity with that label, and the service account.
    func configuration(identity label: String?) throws -> ServiceConfiguration {
        var service = try ServiceConfiguration(address)
        if let label { service.identity = .stored(label, in: identities) }
        service.trust = .anchors(serverAuthority.bundle).pinned(to: try pins)
        service.authentication.credentials = .fixed(.account(user: Self.serviceUser, password: servicePassword))
        service.deadlines.connect = .seconds(5)
        service.deadlines.total = .seconds(20)
        service.onExchange = { [weak self] exchange in
            if exchange.error == nil { self?.lastReport.withLock { $0 = exchange.report } }
        }
        return service
    }

    func device() throws -> WebEase.Client { WebEase.Client(try configuration(identity: Self.deviceLabel)) }
}

/// A counter that any task can use.
final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func increment() { count.withLock { $0 += 1 } }
}
#endif
