import HTTPTypes
import NIOHTTP1
import SignetHTTP
import Testing

@testable import SignetNIOTransport

/// What a caller that waits for an exchange gets, in which order.
@Suite struct LegTests {
    private struct Failure: Error {}
    private struct Taker: ContentReceiver {
        func mayTake(contentType: String?) -> Bool { contentType == "a/b" }
        func takes(_ status: HTTPResponse.Status, _ fields: HTTPFields) -> Bool { true }
        func receive(_ bytes: [UInt8]) async throws {}
    }

    private static let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["content-type": "a/b"])
    private static let answer = ReceivedResponse(head: head, body: [1], isReusable: true)

    private static func leg(_ receiver: (any ContentReceiver)? = Taker()) -> Leg {
        Leg(deadline: CallDeadline(Deadlines()), receiver: receiver)
    }

    @Test func theAnswer() async throws {
        let leg = Self.leg(nil)
        #expect(!leg.isJudged)
        let outcome = try await leg.wait {
            #expect(!leg.judge(Self.head))
            leg.end(.success(Self.answer))
        }
        #expect(try outcome.answer.body == [1])
    }

    @Test func contentThatNoReceiverWants() async throws {
        let leg = Self.leg()
        let outcome = try await leg.wait {
            #expect(leg.isJudged && !leg.judge(HTTPResponseHead(version: .http1_1, status: .ok)))
            leg.end(.success(Self.answer))
        }
        #expect(try outcome.answer.body == [1])
    }

    /// The exchange may end while the caller looks at the head.
    @Test func anEndBehindTheHead() async throws {
        for result in [.success(Self.answer), .failure(Failure())] as [Result<ReceivedResponse, any Error>] {
            let leg = Self.leg()
            let outcome = try await leg.wait {
                #expect(leg.judge(Self.head))
                leg.end(result)
            }
            guard case .head(let head) = outcome else {
                Issue.record("The head did not come first.")
                continue
            }
            #expect(head.headers["content-type"] == ["a/b"])
            let later = Task {
                try await leg.wait { Issue.record("An exchange that has ended was begun.") }.answer.body
            }
            switch result {
            case .success: #expect(try await later.value == [1])
            case .failure: await #expect(throws: Failure.self) { try await later.value }
            }
        }
    }

    @Test func anEndBeforeTheCallerWaits() async throws {
        let leg = Self.leg()
        leg.end(.failure(Failure()))
        await #expect(throws: Failure.self) { try await leg.wait() }
    }
}
