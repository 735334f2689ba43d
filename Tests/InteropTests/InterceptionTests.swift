import Foundation
import Signet
import SignetTesting
import Testing

@testable import SignetDemo

/// mitmproxy before the demo's service, with an authority that this machine trusts: a company's proxy, a virus scanner
/// or an attacker with a forged certificate does the same.
@Suite(.serialized) struct InterceptionTests {
    /// How a call of a device through mitmproxy ends.
    ///
    /// - Parameter isForward: it is a proxy that the device knows of, and asks for a tunnel; otherwise it stands in the
    ///   service's place.
    private func call(
        _ version: String, pinned: Bool, isForward: Bool = false,
        _ check: (_ error: (any Error)?, _ events: [Interceptor.Event]) throws -> Void
    ) async throws {
        let world = try await World()
        let outcome: Result<Void, any Error>
        do {
            try await Interceptor.run(before: isForward ? nil : world.port, version: version) { interceptor in
                var service = try world.configuration(identity: nil)
                service.endpoint = try Endpoint("https://localhost:\(isForward ? world.port : interceptor.port)/soap")
                if isForward {
                    service.proxy.rules = ProxyRules(try Proxy("http://127.0.0.1:\(interceptor.port)"))
                }
                service.identity = .fixed(try world.deviceAuthority.issueClient(commonName: "device-7"))
                service.authentication.sendsWithoutChallenge = true
                service.deadlines = Deadlines()
                let both = TrustPolicy.anchors(world.serverAuthority.bundle).addingAnchors(interceptor.authority)
                service.trust = pinned ? both.pinned(to: try world.pins) : both
                let webEase = WebEase.Client(service)
                var failure: (any Error)?
                do { _ = try await webEase.logEntryQuery(.init(patientId: "4711")) } catch { failure = error }
                try await webEase.shutdown()
                // The proxy notes what it saw only after the client's call has ended.
                for _ in 0..<300 where try interceptor.events.isEmpty { try await Task.sleep(for: .milliseconds(100)) }
                try check(failure, try interceptor.events)
            }
            outcome = .success(())
        } catch { outcome = .failure(error) }
        await world.close()
        try outcome.get()
    }

    @Test(arguments: ["TLS1_2", "TLS1_3"], [false, true])
    func thePinEndsTheHandshakeBeforeTheClientSends(version: String, isForward: Bool) async throws {
        try await call(version, pinned: true, isForward: isForward) { error, events in
            #expect((error as? TrustError)?.code == .pinMismatch, "\(String(describing: error))")
            #expect((error as? TrustError)?.message.contains("mitmproxy") == true)
            #expect(events.map(\.event) == ["failed"])
            #expect(events.allSatisfy { $0.certificates == [] }, "\(events)")
        }
    }

    /// Without the pin the proxy sees everything, so that what it does not see above was not sent.
    @Test(arguments: ["TLS1_2", "TLS1_3"], [false, true])
    func withoutThePinTheProxySeesTheRequest(version: String, isForward: Bool) async throws {
        try await call(version, pinned: false, isForward: isForward) { error, events in
            #expect(error != nil, "the service let the proxy in, which has no certificate of the device")
            #expect(!(error is TrustError), "\(String(describing: error))")
            let established = try #require(events.first { $0.event == "established" }, "\(events)")
            #expect(established.certificates == ["device-7"])
            let request = try #require(events.first { $0.event == "request" })
            #expect(request.certificates == ["device-7"])
            #expect(request.fields?.contains("authorization") == true)
            #expect(request.bytes ?? 0 > 100)
            #expect(events.contains { $0.event == "forwarded" })
        }
    }
}
