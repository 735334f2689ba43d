import GreetingService
import Signet
import Synchronization
import Testing

@testable import SignetObservability

@Suite struct ServiceEventsTests {
    private static let day: Int64 = 86_400
    private static let now: Int64 = 1_800_000_000
    private var ledger = EventLedger()
    private let server: Origin
    private let exchange: @Sendable (Result<HTTPResponse.Status, any Error>, ExchangeReport) -> ExchangeOutcome

    init() throws {
        let endpoint = try Endpoint("https://service.example/soap?key=SECRET")
        server = endpoint.origin
        exchange = { ExchangeOutcome(operation: "Greet", endpoint: endpoint, result: $0, report: $1) }
    }

    private func report(_ change: (inout ExchangeReport.TLS) -> Void) -> ExchangeReport {
        var tls = ExchangeReport.TLS()
        tls.certificationPath = ["CN=server", "CN=authority"]
        change(&tls)
        var report = ExchangeReport()
        report.connection.tls = tls
        return report
    }

    private mutating func events(_ report: ExchangeReport, after seconds: Int64 = 0) -> [ServiceEvent] {
        ledger.events(of: exchange(.success(.ok), report), at: Self.now + seconds)
    }

    private mutating func events(of error: any Error, after seconds: Int64 = 0) -> [ServiceEvent] {
        ledger.events(of: exchange(.failure(error), .init()), at: Self.now + seconds)
    }

    @Test mutating func certificatesAreToldWithinTheirMargins() {
        let end = Self.now + 15 * Self.day
        let report = report { tls in
            tls.notAfter = end
            tls.clientCertificate = "CN=device"
            tls.clientCertificateNotAfter = end + 100
        }
        #expect(events(report) == [])
        #expect(events(report, after: Self.day - 1) == [])
        let expiring = ServiceEvent.certificateExpires(.server, subject: "CN=server", at: end, server: server)
        #expect(events(report, after: Self.day) == [expiring])
        #expect(
            events(report, after: Self.day + 100) == [
                .certificateExpires(.client, subject: "CN=device", at: end + 100, server: server)
            ])
        #expect(events(report, after: 2 * Self.day - 1) == [])
        #expect(events(report, after: 2 * Self.day) == [expiring], "Told again after a day.")
        #expect(events(report, after: 40 * Self.day).count == 2, "An expired certificate is told too.")
    }

    @Test mutating func marginsAndRemindersAreSettings() {
        var settings = ServiceWatch.Settings()
        settings.serverCertificates = .seconds(60)
        settings.reminder = .seconds(10)
        ledger = EventLedger(settings)
        let report = report { $0.notAfter = Self.now + 61 }
        #expect(events(report) == [])
        #expect(events(report, after: 1).count == 1)
        #expect(events(report, after: 10) == [])
        #expect(events(report, after: 11).count == 1)
        #expect(events(report, after: 2).count == 1, "The clock was set back.")
    }

    @Test mutating func aRenewalIsTold() {
        func shown(_ subject: String, until end: Int64) -> ExchangeReport {
            report { tls in
                tls.clientCertificate = subject
                tls.clientCertificateNotAfter = end
            }
        }
        let (old, new) = (Self.now + 100 * Self.day, Self.now + 400 * Self.day)
        #expect(events(shown("CN=device", until: old)) == [])
        #expect(events(shown("CN=other device", until: new)) == [], "Clients of several subjects take turns.")
        #expect(
            events(shown("CN=device", until: new)) == [
                .certificateRenewed(subject: "CN=device", until: new, server: server)
            ])
        #expect(events(shown("CN=device", until: old), after: 99 * Self.day) == [], "An old connection is still open.")
        #expect(events(shown("CN=device", until: new)) == [])
    }

    @Test mutating func pinsAndExceptionsAreTold() {
        let report = report { tls in
            tls.pinMismatches = ["Seen: other keys"]
            tls.exception = "The device is in our own network."
        }
        #expect(
            events(report) == [
                .pinsDoNotMatch(.server, message: "Seen: other keys", server: server),
                .trustedByException(.server, reason: "The device is in our own network.", server: server),
            ])
        var proxied = ExchangeReport()
        proxied.connection.proxyTLS = report.connection.tls
        #expect(events(proxied).count == 2, "The proxy's are others than the server's.")
        #expect(events(proxied) == [])
    }

    @Test mutating func theExpiryOfPinsIsTold() {
        let pins = [
            TrustPolicy.Pin.publicKey(sha256: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
            .publicKey(sha256: "BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
        ]
        var (own, wide) = (TrustPolicy.PinSet(pins, host: "service.example"), TrustPolicy.PinSet(pins))
        own.expires = Self.now + 15 * Self.day
        wide.expires = Self.now
        let trust = TrustPolicy.system.pinned(to: own).pinned(to: wide)
        #expect(TrustPolicy.system.pinExpiry(of: "service.example") == nil)
        #expect(trust.pinExpiry(of: "other.example") == Self.now)
        let expiry = trust.pinExpiry(of: "service.example")
        #expect(expiry == own.expires)
        let exchange = exchange(.success(.ok), .init())
        #expect(ledger.events(of: exchange, pinExpiry: expiry, at: Self.now) == [])
        #expect(
            ledger.events(of: exchange, pinExpiry: expiry, at: Self.now + Self.day) == [
                .pinsExpire(at: Self.now + 15 * Self.day, server: server)
            ])
    }

    @Test mutating func refusalsAreTold() throws {
        let proxy = ProtectionSpace(scheme: "http", host: "proxy", port: 3128, realm: "", isProxy: true)
        let told: [(any Error, ServiceEvent)] = [
            (
                TransportError(.clientCertificateRequired, "SECRET"),
                .refused(.clientCertificateRequired, server: server)
            ),
            (TransportError(.clientCertificateRefused, "SECRET"), .refused(.clientCertificateRefused, server: server)),
            (TransportError(.proxyRefused, "SECRET"), .refused(.proxyRefused, server: server)),
            (TransportError(.unusableIdentity, "SECRET"), .identityUnusable(server: server)),
            (
                AuthenticationError(.credentialsRefused, "SECRET"),
                .refused(.server(.credentialsRefused), server: server)
            ),
            (
                AuthenticationError(.credentialsRequired, "SECRET", space: proxy),
                .refused(.proxy(.credentialsRequired), server: server)
            ),
            (TrustError(.pinMismatch, "SECRET"), .notTrusted(.pinMismatch, server: server)),
            (
                TransportError(.tlsHandshakeFailed, "SECRET", cause: TrustError(.expired, "SECRET")),
                .notTrusted(.expired, server: server)
            ),
        ]
        for (error, event) in told {
            #expect(events(of: error) == [event])
            #expect(events(of: error, after: 10) == [])
            #expect(!event.description.contains("SECRET"))
            #expect(event.server == server)
        }
        #expect(events(of: TransportError(.readTimeout, "SECRET")) == [])
        #expect(events(of: CancellationError()) == [])
        for status in [401, 403, 407] {
            #expect(
                ledger.events(of: exchange(.success(.init(code: status)), .init()), at: Self.now) == [
                    .refused(.status(status), server: server)
                ])
        }
        #expect(ledger.events(of: exchange(.success(.internalServerError), .init()), at: Self.now) == [])
    }

    @Test mutating func aRefusalAfterAcceptedCallsIsToldAgainWithinTheDay() {
        let error = TransportError(.clientCertificateRefused, "")
        #expect(events(of: error).count == 1)
        #expect(events(.init(), after: 10) == [])
        #expect(events(of: error, after: 20) == [], "Calls that take turns do not fill the log.")
        #expect(events(of: error, after: 3_599) == [])
        #expect(events(of: error, after: 3_601).count == 1, "A call was accepted since it was told.")
        #expect(events(of: error, after: 3_601 + Self.day - 1) == [], "None was accepted.")
        #expect(events(of: error, after: 3_601 + Self.day).count == 1)
    }

    @Test mutating func memoryIsBounded() throws {
        for number in 0...EventLedger.maximumOrigins {
            let outcome = ExchangeOutcome(
                operation: "Greet", endpoint: try Endpoint("https://service\(number).example"),
                result: .failure(TransportError(.clientCertificateRefused, "")), report: .init())
            #expect(ledger.events(of: outcome, at: Self.now + Int64(number)).count == 1)
        }
        func again(_ number: Int) throws -> Int {
            let outcome = ExchangeOutcome(
                operation: "Greet", endpoint: try Endpoint("https://service\(number).example"),
                result: .failure(TransportError(.clientCertificateRefused, "")), report: .init())
            return ledger.events(of: outcome, at: Self.now + 1_000).count
        }
        #expect(try again(EventLedger.maximumOrigins) == 0)
        #expect(try again(0) == 1, "The origin that was called longest ago was forgotten.")
        for number in 0..<(2 * EventLedger.maximumEvents) {
            let report = report { tls in
                tls.exception = "\(number)"
                tls.clientCertificate = "CN=\(number)"
                tls.clientCertificateNotAfter = Self.now + 100 * Self.day
            }
            #expect(events(report).count == 1)
        }
        #expect(events(report { $0.exception = "127" }) == [])
    }

    /// Each reader is told everything; a closure that was there before stays.
    @Test(.timeLimit(.minutes(1))) func clientsReportToEachReader() async throws {
        let earlier = Mutex(0)
        func watched() async throws -> [AsyncStream<ServiceEvent>] {
            let watch = ServiceWatch(.init(), now: { Self.now })
            watch.record(exchange(.success(.forbidden), .init()))
            let streams = [watch.events(), watch.events()]
            let report = report { $0.notAfter = Self.now }
            let caller = try ServiceCaller(ToldTransport.remote(Greeting.dispatcher(), report)) { settings in
                settings.onExchange = { _ in earlier.withLock { $0 += 1 } }
                settings.report(to: watch)
            }
            for _ in 0..<3 { _ = try await caller.greet() }
            return streams
        }
        let origin = try Endpoint("http://service.example").origin
        for stream in try await watched() {
            // The streams end, because the watch and its client are gone.
            var events: [ServiceEvent] = []
            for await event in stream { events.append(event) }
            #expect(
                events == [.certificateExpires(.server, subject: "CN=server", at: Self.now, server: origin)])
        }
        #expect(earlier.withLock { $0 } == 3)
    }

    @Test(.timeLimit(.minutes(1))) func aReaderThatEndsIsForgotten() async throws {
        let watch = ServiceWatch(.init(), now: { Self.now })
        let reader = Task { [stream = watch.events()] in await stream.first { _ in true } }
        watch.record(exchange(.success(.forbidden), .init()))
        #expect(await reader.value == .refused(.status(403), server: server))
        reader.cancel()
        watch.record(exchange(.success(.unauthorized), .init()))
    }
}
