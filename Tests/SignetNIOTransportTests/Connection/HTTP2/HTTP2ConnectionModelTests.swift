import NIOCore
import SignetHTTP
import Testing

@testable import SignetNIOTransport

/// What holds for an HTTP/2 connection, in whatever order things happen to it.
@Suite struct HTTP2ConnectionModelTests {
    /// A linear congruential generator, so that a failure can be repeated.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 31)
        }
    }

    /// The calls as their handler knows them.
    private struct Model {
        var state = HTTP2ConnectionState(maximumCalls: 5, idleTimeout: .seconds(30))
        var now = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
        let request: OutgoingRequest
        let deadline: CallDeadline
        /// Every leg that has begun, in order; they stay, so that their identifiers do not come twice.
        var legs: [Leg] = []
        var unended: Set<ObjectIdentifier> = []
        var waiting: [ObjectIdentifier] = []
        var opening: [ObjectIdentifier] = []
        var streams: [Int: ObjectIdentifier] = [:]
        var complete: Set<ObjectIdentifier> = []
        var nextStream = 1
        var limit = 100
        var isWritable = true
        var isReady = false
        var isRetired = false
        var isClosed = false
        var timer: NIODeadline?

        mutating func perform(_ actions: [HTTP2ConnectionState.Action]) {
            for action in actions { carryOut(action) }
        }

        private mutating func carryOut(_ action: HTTP2ConnectionState.Action) {
            switch action {
            case .open(let leg):
                #expect(!isRetired && isWritable && opening.count + streams.count < limit)
                #expect(waiting.first == leg, "the first one that waits is opened first")
                waiting.removeAll { $0 == leg }
                opening.append(leg)
            case .end(let leg, let end):
                #expect(unended.contains(leg), "an exchange ends once")
                #expect(!complete.contains(leg), "a complete answer is not lost")
                if case .stale = end { #expect(isRetired && !streams.values.contains(leg)) }
                if case .refused = end { #expect(isRetired || streams.values.contains(leg)) }
                finish(leg)
            case .retire:
                #expect(!isRetired)
                isRetired = true
            case .close:
                #expect(!isClosed && isRetired)
                #expect(unended.isSubset(of: complete), "an exchange that goes on keeps the connection open")
                isClosed = true
            case .startTimer(let date):
                #expect(!isClosed && timer.map { $0 > date } ?? true)
                timer = date
            case .expire:
                #expect(unended.isEmpty)
                perform(state.fail())
            case .ready: isReady = true
            case .resize, .fallBack: break
            }
        }

        mutating func begin() {
            let leg = Leg(deadline: deadline)
            legs.append(leg)
            unended.insert(ObjectIdentifier(leg))
            waiting.append(ObjectIdentifier(leg))
            perform(state.begin(ObjectIdentifier(leg), request, deadline: deadline, at: now))
        }

        mutating func finish(_ leg: ObjectIdentifier, isLate: Bool = false) {
            unended.remove(leg)
            complete.remove(leg)
            waiting.removeAll { $0 == leg }
            opening.removeAll { $0 == leg }
            streams = streams.filter { $0.value != leg }
            perform(state.ended(leg, isLate: isLate, at: now, limit: nil))
        }

        mutating func create() {
            guard !opening.isEmpty else { return }
            let leg = opening.removeFirst()
            let mayStart = state.mayStart(leg)
            #expect(mayStart)
            streams[nextStream] = leg
            nextStream += 2
            perform(state.created(leg, stream: nextStream - 2, at: now))
        }

        mutating func receive(_ frame: HTTP2ConnectionState.Frame) { perform(state.received(frame, at: now)) }
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>) func everyExchangeEndsOnce(seed: UInt64) throws {
        var numbers = Numbers(state: seed)
        let request = ClientRequest(try Endpoint("https://service.example/"), method: .get, body: HTTPBody([]))
        var model = Model(
            request: try OutgoingRequest(request, acceptsCompression: true), deadline: CallDeadline(request.deadlines))
        for _ in 0..<100 {
            model.now = model.now + .seconds(.random(in: 0...3, using: &numbers))
            step(&model, .random(in: 0..<30, using: &numbers), &numbers)
            let isFull = model.opening.count + model.streams.count >= model.limit
            #expect(model.waiting.isEmpty || !model.isReady || !model.isWritable || isFull, "a call waits without need")
        }
        model.perform(model.state.fail())
        for leg in model.complete { model.finish(leg) }
        #expect(model.unended.isEmpty && model.isClosed)
    }

    private func step(_ model: inout Model, _ choice: Int, _ numbers: inout Numbers) {
        let stream = model.streams.keys.sorted().randomElement(using: &numbers)
        switch (choice, stream) {
        case (0..<9, _): model.begin()
        case (9..<15, _): model.create()
        case (15..<18, let stream?):
            if let leg = model.streams[stream] { model.complete.insert(leg) }
            model.receive(.answer(stream: stream, isInterim: false, isEnd: true))
        case (18..<21, let stream?):
            if let leg = model.streams[stream] { model.finish(leg, isLate: .random(using: &numbers)) }
        case (21, let stream?): model.receive(.reset(stream: stream, .refusedStream))
        case (22, let stream?): model.perform(model.state.closed(stream: stream, code: .noError))
        case (23, _):
            model.limit = .random(in: 0...8, using: &numbers)
            model.receive(.settings(maximumStreams: model.limit))
        case (24, _):
            model.isWritable.toggle()
            model.perform(model.state.writabilityChanged(to: model.isWritable))
        case (25..<28, _):
            guard let timer = model.timer, timer <= model.now else { return }
            model.timer = nil
            model.perform(model.state.timerFired(at: model.now))
        case (28, _) where model.legs.count > 20:
            model.receive(.goAway(last: stream ?? 0, .noError))
        case (29, _):
            let unsent = model.waiting + model.opening
            if let leg = unsent.randomElement(using: &numbers) { model.finish(leg) }
        default: break
        }
    }
}
