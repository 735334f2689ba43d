import HTTPTypes
import SignetSOAP
import Testing

@testable import SignetWSSecurity

@Suite struct ServerClockTests {
    private static let moment = Duration.seconds(1_795_378_500)  // 2026-11-22T20:15:00Z

    private func clock(_ sources: ServerClock.Sources = [], maximumOffset: Duration = .seconds(86_400)) -> ServerClock {
        ServerClock(learningFrom: sources, maximumOffset: maximumOffset) { Self.moment }
    }

    private func call(_ clock: ServerClock, _ transport: CannedAnswer) async throws {
        var caller = ServiceCaller(endpoint: try Endpoint("https://localhost/"), transport: transport)
        caller.headerProviders = [SecurityHeader(clock: clock)]
        _ = try await caller.call(Echo.operation, XMLAny())
    }

    private let answer = envelope(
        security(
            "<wsu:Timestamp><wsu:Created>2026-11-22T20:25:00.5Z</wsu:Created></wsu:Timestamp>", mustUnderstand: false))
    private let fields: HTTPFields = [.date: "Sun, 22 Nov 2026 19:15:00 GMT"]

    @Test func nothingIsLearnedUnlessWanted() async throws {
        let clock = clock()
        try await call(clock, CannedAnswer(answer, fields: fields))
        #expect(clock.offset == .zero)
    }

    @Test func theClockLearnsFromTheChosenSources() async throws {
        let dates = clock(.dateField)
        try await call(dates, CannedAnswer(answer, fields: fields))
        #expect(dates.offset == .seconds(-3600))
        #expect(dates.now == Self.moment - .seconds(3600))
        let both = clock([.dateField, .timestamp])
        try await call(both, CannedAnswer(answer, fields: fields))
        #expect(both.offset == .milliseconds(600_500))
        let near = clock(.dateField, maximumOffset: .seconds(3599))
        try await call(near, CannedAnswer(answer, fields: fields))
        #expect(near.offset == .zero)
    }

    @Test func theClockLearnsFromRefusalsToo() async throws {
        let clock = clock(.dateField)
        await #expect(throws: ServiceError.self) {
            try await call(clock, CannedAnswer("", status: .unauthorized, fields: fields))
        }
        #expect(clock.offset == .seconds(-3600))
        await #expect(throws: ServiceError.self) {
            try await call(clock, CannedAnswer("", status: .unauthorized, fields: [.date: "yesterday"]))
        }
        #expect(clock.offset == .seconds(-3600))
    }

    @Test func theProgramMayTeachAnyTime() throws {
        let clock = clock()
        #expect(clock.learn(try #require(XSDDateTime.init("2000-01-01T00:00:00Z"))))
        #expect(clock.now == .seconds(946_684_800))
        #expect(!clock.learn(try #require(XSDDateTime.init("1969-12-31T23:59:59Z"))))
        #expect(!clock.learn(try #require(XSDDateTime.init("10000-01-01T00:00:00Z"))))
        #expect(clock.now == .seconds(946_684_800))
    }

    @Test func systemTimeIsTheTime() throws {
        let now = try #require(XSDDateTime.text(of: .systemTime, milliseconds: true))
        #expect(now.count == "2026-11-22T20:15:00.125Z".count)
        #expect(
            XSDDateTime.text(of: .milliseconds(1_795_378_500_005), milliseconds: true) == "2026-11-22T20:15:00.005Z")
        #expect(XSDDateTime.text(of: .milliseconds(-1), milliseconds: true) == nil)
        #expect(XSDDateTime.text(of: .seconds(Int64.max) + .seconds(Int64.max), milliseconds: false) == nil)
    }
}
