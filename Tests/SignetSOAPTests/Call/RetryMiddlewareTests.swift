import GreetingService
import HTTPTypes
import Synchronization
import Testing

@testable import SignetSOAP

@Suite(.timeLimit(.minutes(10))) struct RetryMiddlewareTests {
    private let clock = ManualClock()

    /// Waits as long as they can be.
    private func settings(_ change: (inout RetryMiddleware.Settings) -> Void = { _ in }) -> RetryMiddleware.Settings {
        var settings = RetryMiddleware.Settings()
        settings.clock = clock
        settings.random = { 0 }
        change(&settings)
        return settings
    }

    private func caller(
        _ transport: any ClientTransport, _ change: (inout RetryMiddleware.Settings) -> Void = { _ in }
    ) throws -> ServiceCaller {
        var caller = try ServiceCaller(transport)
        caller.middlewares = [try RetryMiddleware(settings(change))]
        return caller
    }

    /// Makes a call, lets time pass through as many waits, and gives the moments at which they ended with the call.
    private func call(
        _ caller: ServiceCaller, waits: Int, attachments: [MessageAttachment] = []
    ) async -> (moments: [Duration], Task<Greeting.Greeted, any Error>) {
        let task = Task { try await caller.call(Greeting.greet, .init(name: ""), attachments: attachments) }
        var moments: [Duration] = []
        for _ in 0..<waits {
            let moment = await clock.sleepers(1)
            moments.append(moment)
            clock.move(to: moment)
        }
        return (moments, task)
    }

    private static let refused = TransportError(.connectionRefused, "Refused.")
    private static let lost = TransportError(.connectionClosed, "Lost.", mayHaveBeenProcessed: true)

    private static func answer(_ status: Int, retryAfter: Duration? = nil) -> ServiceError {
        ServiceError(.refused, "", answer: .init(status: status, firstBytes: "", retryAfter: retryAfter))
    }

    // MARK: Which failures

    /// When a failure is repeated.
    enum Repetition: Sendable { case always, ifIdempotent, never }

    static let failures: [(error: any Error, repetition: Repetition)] =
        [
            .unknownHost, .connectionRefused, .networkUnreachable, .connectTimeout, .readTimeout, .deadlineExceeded,
            .connectionClosed,
        ].flatMap { (code: TransportError.Code) -> [(any Error, Repetition)] in
            [
                (TransportError(code, ""), .always),
                (TransportError(code, "", mayHaveBeenProcessed: true), .ifIdempotent),
            ]
        }
        + [
            .cancelled, .responseTooLarge, .malformedResponse, .tlsHandshakeFailed, .unusableIdentity,
            .clientCertificateRequired, .clientCertificateRefused, .proxyRefused, .invalidRequest, .contentFailed,
            .contentRefused, .contentUsed, .shutDown,
        ].map { (code: TransportError.Code) in (TransportError(code, ""), .never) }
        + [
            (answer(429), .always), (answer(429, retryAfter: .seconds(1)), .always),
            (answer(503), .ifIdempotent), (answer(503, retryAfter: .zero), .always),
            (answer(502), .ifIdempotent), (answer(502, retryAfter: .seconds(1)), .ifIdempotent),
            (answer(504), .ifIdempotent), (answer(504, retryAfter: .seconds(1)), .ifIdempotent), (answer(500), .never),
            (answer(401), .never), (answer(404), .never),
            (ServiceError(.invalidInput, ""), .never), (SOAPFault.server("busy"), .never),
            (CancellationError(), .never),
        ]

    @Test(arguments: failures.indices) func theFailureDecides(index: Int) {
        let (error, repetition) = Self.failures[index]
        for isIdempotent in [false, true] {
            var course = RetryProgress(
                settings { $0.idempotentOperations = isIdempotent ? ["Greet"] : ["Other"] }, "Greet")
            let isRepeated = course.wait(after: error, elapsed: .zero) != nil
            switch repetition {
            case .always: #expect(isRepeated, "\(error)")
            case .ifIdempotent: #expect(isRepeated == isIdempotent, "\(error)")
            case .never: #expect(!isRepeated, "\(error)")
            }
        }
    }

    // MARK: How long

    @Test(arguments: [(0.0, 1.0), (0.5, 0.5), (1.0, 0.0)]) func waitsGrowWithFullJitter(random: Double, share: Double) {
        var course = RetryProgress(
            settings {
                $0.maximumAttempts = 6
                $0.interval = .seconds(1)
                $0.maximumInterval = .seconds(5)
                $0.random = { random }
            }, "Greet")
        let waits = (0..<6).map { _ in course.wait(after: Self.refused, elapsed: .zero) }
        let longest: [Double] = [1, 2, 4, 5, 5]
        #expect(waits == longest.map { max(BackOff.shortest, .seconds($0 * share)) } + [nil])
    }

    @Test(
        arguments: [
            (.seconds(7), .seconds(8)), (.zero, .seconds(1)), (nil, .seconds(1)), (.seconds(30), .seconds(31)),
            (.seconds(31), nil),
        ] as [(Duration?, Duration?)])
    func retryAfterDeterminesTheWait(retryAfter: Duration?, wait: Duration?) {
        for status in [429, 503] {
            let settings = settings {
                $0.interval = .seconds(1)
                $0.idempotentOperations = ["Greet"]
            }
            var course = RetryProgress(settings, "Greet")
            #expect(course.wait(after: Self.answer(status, retryAfter: retryAfter), elapsed: .zero) == wait)
        }
    }

    @Test(arguments: [(0, true), (58, true), (59, false), (61, false)])
    func noAttemptBeginsAfterTheTotal(elapsed: Int, isRepeated: Bool) {
        var course = RetryProgress(settings { $0.interval = .seconds(1) }, "Greet")
        #expect((course.wait(after: Self.refused, elapsed: .seconds(elapsed)) != nil) == isRepeated)
    }

    @Test(
        arguments: [
            [.retryAfter: "7"],
            [.retryAfter: "Wed, 21 Oct 2026 07:28:07 GMT", .date: "Wed, 21 Oct 2026 07:28:00 GMT"],
        ] as [HTTPFields])
    func retryAfterIsReadInBothForms(fields: HTTPFields) async throws {
        let transport = ScriptedTransport(
            ScriptedTransport.answer(status: 503, fields: fields), ScriptedTransport.answer("late"))
        let (moments, task) = await call(try caller(transport), waits: 1)
        #expect(moments == [.milliseconds(7200)])
        #expect(try await task.value.text == "late")
    }

    /// What a service says of a time that cannot be read, or that no call waits for, ends the call and nothing else.
    @Test(arguments: [
        "4294967295", "99999999999999999999999", "-1", "1e400", "", "7, 8", "Fri, 31 Dec 9999 23:59:59 GMT",
    ])
    func anUnusableRetryAfterEndsTheCall(text: String) async throws {
        let transport = ScriptedTransport(
            ScriptedTransport.answer(
                status: 503, fields: [.retryAfter: text, .date: "Thu, 01 Jan 1970 00:00:00 GMT"]),
            ScriptedTransport.answer("late"))
        let caller = try caller(transport)
        let error = await #expect(throws: ServiceError.self) {
            try await caller.call(Greeting.greet, .init(name: ""))
        }
        #expect(error?.answer?.status == 503)
    }

    // MARK: Calls

    @Test func theClientRepeatsACallUntilItIsAnswered() async throws {
        let transport = ScriptedTransport(
            ScriptedTransport.failure(Self.refused), ScriptedTransport.answer(status: 429),
            ScriptedTransport.answer("late"))
        var caller = try caller(transport)
        let failures = Mutex<[Bool]>([])
        caller.onExchange = { exchange in failures.withLock { $0.append(exchange.error != nil) } }
        let (moments, task) = await call(caller, waits: 2)
        #expect(try await task.value.text == "late")
        #expect(moments == [.milliseconds(200), .milliseconds(600)])
        #expect(transport.requests.count == 3)
        #expect(failures.withLock { $0 } == [true, false, false])
    }

    @Test func theLastErrorIsThrown() async throws {
        let transport = ScriptedTransport(
            ScriptedTransport.failure(.init(.connectTimeout, "")), ScriptedTransport.failure(Self.refused))
        let (_, task) = await call(try caller(transport), waits: 2)
        await #expect(throws: Self.refused) { try await task.value }
        #expect(transport.requests.count == 3)
    }

    @Test func laterFailuresKeepMayHaveBeenProcessed() async throws {
        let transport = ScriptedTransport(
            ScriptedTransport.failure(Self.lost), ScriptedTransport.failure(Self.refused))
        let (_, task) = await call(try caller(transport) { $0.idempotentOperations = ["Greet"] }, waits: 2)
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.code == .connectionRefused)
        #expect(error?.mayHaveBeenProcessed == true)
    }

    @Test(
        arguments: [
            ScriptedTransport.fault("Server", status: 503), ScriptedTransport.failure(lost),
            ScriptedTransport.answer(status: 503),
        ])
    func callsThatMayHaveBeenProcessedAreNotRepeated(step: @escaping ScriptedTransport.Step) async throws {
        let transport = ScriptedTransport(step)
        await #expect(throws: (any Error).self) {
            try await caller(transport).call(Greeting.greet, .init(name: ""))
        }
        #expect(transport.requests.count == 1)
    }

    @Test func singleUseContentIsNotSentAgain() async throws {
        let transport = ScriptedTransport(ScriptedTransport.answer(status: 429), ScriptedTransport.answer("late"))
        let error = await #expect(throws: ServiceError.self) {
            try await caller(transport).call(Greeting.greet, .init(name: ""), attachments: [singleUse([1])])
        }
        #expect(error?.answer?.status == 429)
        #expect(transport.requests.count == 1)
    }

    /// Content that nothing has read is still there.
    @Test func aCallWithUnreadContentIsRepeated() async throws {
        let failing = Mutex(true)
        let unread = HTTPBody(length: 1, isReplayable: false) { try await $0.write([1]) }
        struct Unreached: ClientTransport {
            let fails: @Sendable () -> Bool
            let next: ScriptedTransport
            func send(_ request: ClientRequest) async throws -> ClientResponse {
                if fails() { throw RetryMiddlewareTests.refused }
                return try await next.send(request)
            }
            func shutdown() async throws {}
        }
        let transport = Unreached(
            fails: {
                failing.withLock { failing in
                    defer { failing = false }
                    return failing
                }
            }, next: ScriptedTransport(ScriptedTransport.answer("late")))
        let (_, task) = await call(try caller(transport), waits: 1, attachments: [MessageAttachment(unread)])
        #expect(try await task.value.text == "late")
    }

    @Test func cancellationEndsAWait() async throws {
        let transport = ScriptedTransport(ScriptedTransport.failure(Self.lost))
        let (_, task) = await call(try caller(transport) { $0.idempotentOperations = ["Greet"] }, waits: 0)
        _ = await clock.sleepers(1)
        task.cancel()
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(error?.mayHaveBeenProcessed == true)
        #expect(transport.requests.count == 1)
    }

    // MARK: The budget

    @Test func retriesAreAShareOfTheCallsAndCopiesShareThem() async throws {
        let transport = ScriptedTransport(ScriptedTransport.failure(Self.refused))
        let caller = try caller(transport) {
            $0.maximumAttempts = 2
            $0.maximumSavedRetries = 2
            $0.retriesEarnedPerCall = 0.5
        }
        let copy = Greeting.Client(caller).with { $0.deadlines.total = .seconds(5) }.caller
        // Two in reserve, to which the first call adds nothing, then one for two calls.
        for (number, attempts) in [2, 2, 2, 1, 2, 1, 2, 1].enumerated() {
            let before = transport.requests.count
            let (_, task) = await call(number.isMultiple(of: 2) ? copy : caller, waits: attempts - 1)
            await #expect(throws: Self.refused) { try await task.value }
            #expect(transport.requests.count - before == attempts)
        }
    }

    // MARK: Settings

    static let unsound: [(setting: String, change: @Sendable (inout RetryMiddleware.Settings) -> Void)] = [
        ("maximumAttempts", { $0.maximumAttempts = 0 }), ("interval", { $0.interval = .zero }),
        ("interval", { $0.interval = .seconds(Int64.max) }),
        ("maximumInterval", { $0.maximumInterval = .milliseconds(1) }),
        ("factor", { $0.factor = 0.5 }), ("factor", { $0.factor = .nan }), ("factor", { $0.factor = .infinity }),
        ("maximumRetryAfter", { $0.maximumRetryAfter = .seconds(-1) }), ("total", { $0.total = .zero }),
        ("retriesEarnedPerCall", { $0.retriesEarnedPerCall = 0 }),
        ("retriesEarnedPerCall", { $0.retriesEarnedPerCall = .nan }),
        ("retriesEarnedPerCall", { $0.retriesEarnedPerCall = 1.5 }),
        ("maximumSavedRetries", { $0.maximumSavedRetries = 0 }),
    ]

    @Test(arguments: unsound.indices) func aSettingOutOfItsBoundsIsAnError(index: Int) throws {
        let (setting, change) = Self.unsound[index]
        let error = #expect(throws: RetryMiddleware.SettingError.self) { try RetryMiddleware(settings(change)) }
        #expect(error?.setting == setting)
        #expect(error?.message.contains(setting) == true)
    }

    @Test func aMaximumOfOneAttemptRepeatsNothing() async throws {
        let transport = ScriptedTransport(ScriptedTransport.failure(Self.refused))
        await #expect(throws: Self.refused) {
            try await caller(transport) { $0.maximumAttempts = 1 }.call(Greeting.greet, .init(name: ""))
        }
        #expect(transport.requests.count == 1)
    }
}
