import SignetSOAP
import Synchronization
import Testing

@testable import SignetWSSecurity

@Suite struct UsernameTokenTests {
    @Test(arguments: [SOAPVersion.soap11, .soap12]) func theQuestionCountsRefusals(version: SOAPVersion) async throws {
        let asked = Mutex<[Int]>([])
        let passwords = Mutex(["outdated", "wrong", "secret"])
        let token = UsernameToken(.digest) { question in
            asked.withLock { $0.append(question.refusals) }
            if question.refusals > 0 { passwords.withLock { _ = $0.removeFirst() } }
            return ("ada", passwords.withLock { $0[0] })
        }
        let caller = try Echo.caller(
            Echo.dispatcher.verified(by: Echo.verifier()), SecurityHeader(token), version: version)
        for _ in 0..<2 {
            await #expect(throws: SOAPFault.self) { try await caller.call(Echo.operation, XMLAny()) }
        }
        for _ in 0..<2 { #expect(try await caller.call(Echo.operation, XMLAny()).text == "ada") }
        #expect(asked.withLock { $0 } == [0, 1, 2, 0])
    }

    private let refusal = SOAPFault(.client, "No.", subcodes: [.failedAuthentication])

    private func attempt(_ number: UInt64, _ host: String = "a") throws -> CallAttempt {
        CallAttempt(operation: "o", endpoint: try Endpoint("https://\(host)/"), version: .soap12, number: number)
    }

    private func answer(_ attempt: CallAttempt, _ fault: SOAPFault? = nil) -> AnswerHead {
        AnswerHead(status: fault == nil ? 200 : 500, attempt: attempt, fault: fault)
    }

    @Test func concurrentRefusalsCountOnce() throws {
        let count = RefusalCount()
        let attempts = try (0..<6).map { try attempt($0) }
        #expect([1, 2, 3].map { count.asked(for: attempts[$0]) } == [0, 0, 0])
        count.learn(from: answer(attempts[2], refusal))
        count.learn(from: answer(attempts[1], refusal))
        #expect(count.asked(for: attempts[4]) == 1)
        count.learn(from: answer(attempts[4]))
        // The message was made with the refused password, and says nothing about the password that was accepted since.
        count.learn(from: answer(attempts[3], refusal))
        #expect(count.asked(for: attempts[5]) == 0)
        count.learn(from: answer(attempts[5], refusal))
        count.learn(from: answer(attempts[4]))
        #expect(count.asked(for: try attempt(6)) == 1)
    }

    @Test func otherFaultsAndServicesDoNotCountAsRefusals() throws {
        let count = RefusalCount()
        #expect(count.asked(for: try attempt(1)) == 0)
        count.learn(from: answer(try attempt(1), refusal))
        #expect(count.asked(for: try attempt(2)) == 1)
        count.learn(from: answer(try attempt(2), SOAPFault(.client, "", subcodes: [.messageExpired])))
        count.learn(from: AnswerHead(status: 503, attempt: try attempt(2)))
        count.learn(from: AnswerHead(status: 200))
        #expect(count.asked(for: try attempt(3, "b")) == 0)
        #expect(count.asked(for: try attempt(4)) == 1)
    }
}
