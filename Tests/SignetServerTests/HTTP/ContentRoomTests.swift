import Synchronization
import Testing

@testable import SignetServer

@Suite(.timeLimit(.minutes(10))) struct ContentRoomTests {
    /// The requests that went on, in their order.
    private final class Progress: Sendable {
        private let requests = Mutex<[Int]>([])

        var all: [Int] { requests.withLock { $0 } }

        func hold(_ count: Int, for request: Int, in room: ContentRoom) async {
            await room.hold(count, for: request)
            if !Task.isCancelled { requests.withLock { $0.append(request) } }
        }

        /// Waits until so many requests went on; for a while only, as they may have to wait for ever.
        func reaches(_ count: Int) async -> Bool {
            for _ in 0..<100 where all.count < count { try? await Task.sleep(for: .milliseconds(2)) }
            return all.count >= count
        }
    }

    /// Whether a request may go on with so many more bytes.
    private func goesOn(_ room: ContentRoom, _ count: Int, _ request: Int) async -> Bool {
        let progress = Progress()
        let task = Task { await progress.hold(count, for: request, in: room) }
        let goesOn = await progress.reaches(1)
        // It ends the wait.
        task.cancel()
        await task.value
        return goesOn
    }

    @Test func onlyTheOldestGoesOnBeyondTheLimit() async {
        let room = ContentRoom(limit: 100)
        let (first, second) = (room.enter(nil), room.enter(nil))
        #expect(await goesOn(room, 60, first))
        #expect(await goesOn(room, 40, second))
        #expect(await !goesOn(room, 1, second))
        #expect(await goesOn(room, 1000, first))
    }

    /// The task of a later stream can begin first.
    @Test func theOldestIsThatOfTheFirstStream() async {
        let room = ContentRoom(limit: 100)
        let (third, first) = (room.enter(3), room.enter(1))
        #expect(third == 3 && first == 1)
        #expect(await goesOn(room, 60, third))
        #expect(await goesOn(room, 60, first))
        #expect(await !goesOn(room, 1, third))
        room.leave(first)
        #expect(await goesOn(room, 1, third))
    }

    @Test func aRequestThatEndsMakesRoom() async {
        let room = ContentRoom(limit: 100)
        let (first, second, third) = (room.enter(nil), room.enter(nil), room.enter(nil))
        await room.hold(90, for: first)
        let progress = Progress()
        async let two: Void = progress.hold(60, for: second, in: room)
        async let three: Void = progress.hold(50, for: third, in: room)
        #expect(await !progress.reaches(1))
        room.leave(first)
        #expect(await progress.reaches(1))
        // Together they are still beyond the limit.
        #expect(await !progress.reaches(2))
        #expect(progress.all == [second])
        room.leave(second)
        _ = await (two, three)
        #expect(progress.all == [second, third])
    }
}
