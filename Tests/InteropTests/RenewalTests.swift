import Foundation
import Signet
import SignetEnrollment
import SignetNIOTransport
import SignetTesting
import Synchronization
import TestSupport
import Testing

/// An identity that is renewed while calls go on, at nginx, which checks the certificate of each connection.
///
/// `SIGNET_RENEWAL_CALLS` says how many calls are made at least.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RenewalTests {
    private static let calls = ProcessInfo.processInfo.environment["SIGNET_RENEWAL_CALLS"].flatMap { Int($0) } ?? 1000

    private let openssl: OpenSSL
    private let ports: (est: Int, service: Int)

    init() throws {
        openssl = try OpenSSL()
        ports = (try Port.free(), try Port.free())
        try openssl.makeRoot("ca", subject: "/O=Bank/CN=devices")
        try openssl.issue("server", by: "ca", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        try openssl.issue("distribution", by: "ca", "extendedKeyUsage=clientAuth")
    }

    private var trust: TrustPolicy { get throws { .anchors(try openssl.bundle("ca")) } }
    private var service: Endpoint { get throws { try Endpoint("https://localhost:\(ports.service)/") } }

    private func serve<Value: Sendable>(
        _ modes: [String], during body: () async throws -> Value
    ) async throws -> Value {
        let files = try IdentityFiles()
        for name in ["ca.pem", "server.pem", "server.key"] {
            try files.write(String(decoding: try openssl.bytes(name), as: UTF8.self), as: name)
        }
        let est = PeerProcess.Command(
            program: "python3",
            arguments: [PeerFile.url("est_server.py").path(percentEncoded: false), openssl.folder.path, "\(ports.est)"]
                + modes,
            port: ports.est)
        return try await PeerProcess.run(est) {
            try await Nginx.run("nginx-renewal.conf", in: files, port: ports.service, during: body)
        }
    }

    private static func transport(to origin: Origin) -> IdentityTransport {
        { identity, trust in
            var connection = ConnectionConfiguration()
            connection.trust = trust
            connection.identity = identity.map { .fixed($0) }
            return try NIOTransport(to: origin, connection)
        }
    }

    private func enrollment(_ store: any IdentityStore) throws -> Enrollment {
        let authority = try Endpoint("https://localhost:\(ports.est)/")
        var enroller = try ESTEnroller(
            at: authority, trust: try trust, over: Self.transport(to: authority.origin))
        enroller.deadlines = .patient
        let service = try service
        let proof = IdentityProof(trust: try trust, over: Self.transport(to: service.origin)) { transport in
            _ = try await transport.send(ClientRequest(service, method: .get))
        }
        var replacement = IdentityReplacement(of: "device", in: store, provedBy: proof)
        replacement.requirements.minimumValidity = .seconds(1)
        var enrollment = Enrollment(with: enroller, as: try SubjectName("CN=device 7,O=Bank"), into: replacement)
        enrollment.acceptsOtherSubject = true
        return enrollment
    }

    /// What the calls and the manager saw.
    private final class Seen: Sendable {
        private let state = Mutex<(calls: Int, serials: Set<String>, failures: [String], events: [String: Int])>(
            (0, [], [], [:]))
        var calls: Int { state.withLock { $0.calls } }
        var serials: Set<String> { state.withLock { $0.serials } }
        var failures: [String] { state.withLock { $0.failures } }
        func count(_ event: String) -> Int { state.withLock { $0.events[event] ?? 0 } }
        func note(event: String) { state.withLock { $0.events[event, default: 0] += 1 } }
        func note(serial: String) {
            state.withLock {
                $0.calls += 1
                $0.serials.insert(serial)
            }
        }
        func note(failure: String) { state.withLock { $0.failures.append(failure) } }
    }

    /// Makes calls while a manager runs, until there were enough of them and of one event, and the server has seen this many
    /// identities.
    private func calls(
        _ store: any IdentityStore, _ schedule: IdentityManager.Schedule, until event: String, showing identities: Int
    ) async throws -> Seen {
        let seen = Seen()
        let service = try service
        var connection = ConnectionConfiguration()
        connection.trust = try trust
        connection.identity = .stored("device", in: store)
        let transport = try NIOTransport(to: service.origin, connection)
        let manager = IdentityManager(of: try enrollment(store), schedule: schedule)
        let events = manager.events()
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do { try await manager.run() } catch is CancellationError {}
            }
            group.addTask {
                for await event in events {
                    switch event {
                    case .renewed: seen.note(event: "renewed")
                    case .failed(let error, _):
                        seen.note(event: (error as? EnrollmentError)?.code.description ?? "\(error)")
                    default: break
                    }
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { callers in
                for _ in 0..<4 {
                    callers.addTask {
                        while seen.calls < Self.calls || seen.count(event) < 2 || seen.serials.count < identities {
                            // Rather end than wait for an event that does not come.
                            if ContinuousClock.now - start > .seconds(500) { return }
                            do {
                                let response = try await transport.send(ClientRequest(service, method: .get))
                                guard response.status == .ok else {
                                    seen.note(failure: "\(response.status)")
                                    continue
                                }
                                seen.note(serial: String(decoding: response.body, as: UTF8.self))
                            } catch { seen.note(failure: "\(error)") }
                        }
                    }
                }
                try await callers.waitForAll()
            }
            group.cancelAll()
            try await group.waitForAll()
        }
        try await transport.shutdown()
        return seen
    }

    /// Each certificate is valid for a minute, and is renewed after about six seconds.
    @Test func noCallFailsWhileTheIdentityIsRenewed() async throws {
        try await serve(["life:60"]) { () async throws in
            let store = MemoryIdentityStore()
            var enrollment = try enrollment(store)
            enrollment.firstIdentity = try openssl.identity("distribution")
            let first = try await enrollment.run()
            var schedule = IdentityManager.Schedule()
            schedule.share = 0.1
            let seen = try await calls(store, schedule, until: "renewed", showing: 3)
            #expect(seen.failures.isEmpty, "\(seen.failures.prefix(3))")
            #expect(seen.calls >= Self.calls && seen.count("renewed") >= 2)
            #expect(seen.serials.count >= 3, "\(seen.serials)")
            #expect(await store.identity(label: "device") != first)
            #expect(await store.labels() == ["device"])
            print("Renewal: \(seen.calls) calls, \(seen.count("renewed")) renewals.")
        }
    }

    /// The service does not know the authority that issues the new certificates.
    @Test func noCallFailsWhileTheServiceRefusesTheNewIdentity() async throws {
        try await serve(["other-ca"]) { () async throws in
            let old = try openssl.identity("distribution")
            let store = MemoryIdentityStore(["device": old])
            var schedule = IdentityManager.Schedule()
            schedule.share = 0
            schedule.retry = .milliseconds(300)
            let seen = try await calls(store, schedule, until: "notAccepted", showing: 1)
            #expect(seen.failures.isEmpty, "\(seen.failures.prefix(3))")
            #expect(seen.calls >= Self.calls && seen.count("notAccepted") >= 2 && seen.count("renewed") == 0)
            #expect(seen.serials.count == 1)
            #expect(await store.identity(label: "device") == old)
            #expect(await store.labels() == ["device", "device.new"])
            print("Renewal: \(seen.calls) calls, \(seen.count("notAccepted")) refused identities.")
        }
    }
}
