import Foundation
import GreetingService
import SignetSOAP
import SignetServer
import SignetTLS
import SignetTesting
import Synchronization
import TestSupport
import Testing

/// Several services on one server.
@Suite(.serialized, .timeLimit(.minutes(5))) struct HostedServiceTests {
    private let curl: Curl

    init() throws { curl = try Curl() }

    private static func service(_ path: String, _ name: String) -> HostedService {
        HostedService(Greeting.dispatcher { input, _ in .init(text: "\(name) greets \(input.name)") }, path: path)
    }

    private static let post = Greeting.posting(Greeting.envelope("Ada"))

    @Test func eachServiceHasItsPathAndItsCredentials() async throws {
        var guarded = Self.service("/guarded", "Bob")
        guarded.authentication = .basic(realm: "Guarded") { $0.user == "ada" && $0.password == "secret" }
        guarded.wsdl = PublishedWSDL(Array("<definitions/>".utf8))
        try await withPlainServer([Self.service("/", "Root"), Self.service("/open", "Eve"), guarded]) {
            url async throws in
            #expect(try await curl(url + "/", Self.post).body.contains("Root greets Ada"))
            #expect(try await curl(url + "/open?x", Self.post).body.contains("Eve greets Ada"))
            #expect(try await curl(url + "/open/", Self.post).status == 404)
            let refused = try await curl(url + "/guarded", Self.post)
            #expect(refused.status == 401 && refused.fields.contains("Guarded"))
            let user = ["--user", "ada:secret"]
            #expect(try await curl(url + "/guarded", Self.post + user).body.contains("Bob greets Ada"))
            // Another service does not look at them.
            #expect(try await curl(url + "/open", Self.post + ["--user", "ada:wrong"]).status == 200)
            #expect(try await curl(url + "/open?wsdl", []).status == 405)
            #expect(try await curl(url + "/guarded?wsdl", []).status == 401)
            #expect(try await curl(url + "/guarded?wsdl", user).body == "<definitions/>")
        }
    }

    @Test func aServiceHasItsOwnLargestRequest() async throws {
        var small = Self.service("/small", "Small")
        small.maximumRequestBytes = 1000
        let long = Greeting.posting(Greeting.envelope(String(repeating: "a", count: 2000)))
        try await withPlainServer([small, Self.service("/large", "Large")]) { url async throws in
            #expect(try await curl(url + "/small", long).status == 413)
            #expect(try await curl(url + "/small", Self.post).status == 200)
            #expect(try await curl(url + "/large", long).status == 200)
        }
    }

    @Test func aServiceMayDemandACertificateOfItsOwn() async throws {
        let authority = try CertificateAuthority()
        var demanding = Self.service("/devices", "Devices")
        demanding.requiresCertificate = true
        let identity = try authority.issueServer(dnsNames: ["localhost"])
        let client = try authority.issueClient(commonName: "Device")
        var settings = SOAPServer.Settings()
        settings.port = 0
        let server = try SOAPServer(
            [demanding, Self.service("/all", "All")],
            tls: .init(identity: .fixed(identity), clients: .certificateOptional(.anchors(authority.bundle))),
            settings: settings)
        let url = "https://localhost:\(try await server.start())"
        let trust = Self.post + (try curl.trusting(authority))
        let certificate = try curl.showing(client)
        #expect(try await curl(url + "/all", trust).status == 200)
        #expect(try await curl(url + "/devices", trust).status == 403)
        #expect(try await curl(url + "/devices", trust + certificate).body.contains("Devices greets Ada"))
        await #expect(throws: SOAPServerError.self) {
            try await server.replaceTLS(with: ServerTLSConfiguration(identity: .fixed(identity)))
        }
        await server.shutdown()
    }

    /// Of requests at the same time, those beyond the limit of their service are told to come again; others are served.
    @Test func aServiceProcessesSoManyRequestsAtATime() async throws {
        let arrived = Mutex(0)
        let gate = AsyncStream<Void>.makeStream()
        var busy = HostedService(
            Greeting.dispatcher { input, _ in
                arrived.withLock { $0 += 1 }
                for await _ in gate.stream { break }
                return .init(text: input.name)
            }, path: "/busy")
        busy.maximumConcurrentRequests = 1
        try await withPlainServer([busy, Self.service("/other", "Other")]) { url async throws in
            async let first = curl(url + "/busy", Self.post)
            while arrived.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(5)) }
            let second = try await curl(url + "/busy", Self.post)
            #expect(second.status == 503 && second.fields.lowercased().contains("retry-after: 2"))
            #expect(try await curl(url + "/other", Self.post).status == 200)
            gate.continuation.yield()
            #expect(try await first.status == 200)
            gate.continuation.yield()
            #expect(try await curl(url + "/busy", Self.post).status == 200)
            #expect(arrived.withLock { $0 } == 2)
        }
    }

    @Test func theServerSaysWhetherItWorks() async throws {
        let isReady = Mutex(true)
        try await withPlainServer(
            [Self.service("/soap", "Root")], { $0.health = HealthChecks { isReady.withLock { $0 } } }
        ) { url async throws in
            let live = try await curl(url + "/health/live", [])
            #expect(live.status == 200 && live.body == "OK.\n")
            #expect(try await curl(url + "/health/ready?x=1", []).status == 200)
            #expect(try await curl(url + "/health/ready", ["--head"]).status == 200)
            isReady.withLock { $0 = false }
            #expect(try await curl(url + "/health/ready", []).status == 503)
            #expect(try await curl(url + "/health/live", []).status == 200)
            #expect(try await curl(url + "/health/live", Self.post).status == 405)
            #expect(try await curl(url + "/health", []).status == 404)
        }
    }

    /// A check that hangs makes the server unready in time, and is not made again before it has returned.
    @Test func aCheckThatHangsIsNotRepeated() async throws {
        let calls = Mutex(0)
        let gate = AsyncStream<Void>.makeStream()
        var health = HealthChecks {
            calls.withLock { $0 += 1 }
            // A task of its own is not cancelled.
            await Task { for await _ in gate.stream { break } }.value
            return true
        }
        health.timeLimit = .milliseconds(200)
        try await withPlainServer([Self.service("/soap", "Root")], { [health] in $0.health = health }) {
            url async throws in
            async let other = curl(url + "/health/ready", [])
            #expect(try await curl(url + "/health/ready", []).status == 503)
            #expect(try await other.status == 503)
            #expect(try await curl(url + "/health/ready", []).status == 503)
            #expect(calls.withLock { $0 } == 1)
            gate.continuation.yield()
            gate.continuation.yield()
            var status = 503
            for _ in 0..<200 where status == 503 { status = try await curl(url + "/health/ready", []).status }
            #expect(status == 200)
        }
    }

    /// A check that heeds the end of its task is made again.
    @Test func aCheckThatTakesTooLongIsCancelled() async throws {
        let calls = Mutex(0)
        var health = HealthChecks {
            let isFirst = calls.withLock { calls in
                calls += 1
                return calls == 1
            }
            if isFirst { try? await Task.sleep(for: .seconds(3600)) }
            return true
        }
        health.timeLimit = .milliseconds(100)
        try await withPlainServer([Self.service("/soap", "Root")], { [health] in $0.health = health }) {
            url async throws in
            var statuses: [Int] = []
            while statuses.last != 200, statuses.count < 200 {
                statuses.append(try await curl(url + "/health/ready", []).status)
            }
            #expect(statuses.first == 503 && statuses.last == 200)
        }
        var settings = SOAPServer.Settings()
        settings.health = HealthChecks()
        settings.health?.timeLimit = .zero
        let wrong = settings
        #expect(throws: SOAPServerError.self) { try SOAPServer.withoutTLS([Self.service("/a", "a")], settings: wrong) }
    }

    /// The handler of a one-way operation has its place until it returns.
    @Test func oneWayOperationsTakePlaces() async throws {
        let gate = AsyncStream<Void>.makeStream()
        let ended = Mutex(0)
        var service = HostedService(
            ServiceDispatcher(
                name: "Greeting", versions: [.soap11],
                routes: [
                    Greeting.wave.route { _, _ in
                        for await _ in gate.stream { break }
                        ended.withLock { $0 += 1 }
                    }
                ]), path: "/soap")
        service.maximumConcurrentRequests = 1
        let wave = Greeting.posting(Greeting.envelope("Ada", operation: "Wave"))
        try await withPlainServer([service]) { url async throws in
            #expect(try await curl(url + "/soap", wave).status == 202)
            #expect(try await curl(url + "/soap", wave).status == 503)
            gate.continuation.yield()
            while ended.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(5)) }
            var status = 503
            for _ in 0..<200 where status == 503 { status = try await curl(url + "/soap", wave).status }
            #expect(status == 202)
            gate.continuation.finish()
        }
    }

    // MARK: Settings

    @Test func settingsThatHaveNoEffectAreErrors() throws {
        func message(_ services: [HostedService], _ change: (inout SOAPServer.Settings) -> Void = { _ in }) -> String {
            var settings = SOAPServer.Settings()
            change(&settings)
            let error = #expect(throws: SOAPServerError.self) {
                try SOAPServer.withoutTLS(services, settings: settings)
            }
            return error?.code == .invalidConfiguration ? error?.description ?? "" : "\(String(describing: error))"
        }
        #expect(message([]).contains("no service"))
        #expect(message([Self.service("/a", "a"), Self.service("/a", "b")]).contains("given twice"))
        #expect(message([Self.service("a", "a")]).contains("must begin with /"))
        #expect(message([Self.service("/a?b", "a")]).contains("must begin with /"))
        #expect(message([Self.service("/health/live", "a")]) { $0.health = HealthChecks() }.contains("given twice"))
        var health = HealthChecks()
        health.readyPath = "ready"
        let unusable = message([Self.service("/a", "a")]) { $0.health = health }
        #expect(unusable.contains("of health checks must begin"))
        var service = Self.service("/a", "a")
        service.requiresCertificate = true
        #expect(message([service]).contains("requiresCertificate"))
        (service.requiresCertificate, service.maximumConcurrentRequests) = (false, 0)
        #expect(message([service]).contains("above zero"))
        (service.maximumConcurrentRequests, service.maximumRequestBytes) = (nil, 0)
        #expect(message([service]).contains("above zero"))
    }
}
