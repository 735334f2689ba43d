import SignetCredentials
import SignetTLS
import Synchronization

/// A source of identities that gives what a test tells it to give.
final class SteeredSource: Sendable {
    private struct State {
        var answer: Result<Identity?, any Error>
        var questions = 0
    }

    private let state: Mutex<State>
    private let questions: AsyncStream<Int>
    private let asked: AsyncStream<Int>.Continuation

    init(_ answer: Result<Identity?, any Error>) {
        state = Mutex(State(answer: answer))
        (questions, asked) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var source: IdentitySource {
        IdentitySource(description: "the steered source") { [self] in
            let (number, answer) = state.withLock { state in
                state.questions += 1
                return (state.questions, state.answer)
            }
            asked.yield(number)
            return try answer.get()
        }
    }

    func give(_ answer: Result<Identity?, any Error>) { state.withLock { $0.answer = answer } }

    /// Gives another answer, and waits until a server that asks again and again has dealt with it.
    func giveUntilDealtWith(_ answer: Result<Identity?, any Error>) async {
        let before = state.withLock { state in
            state.answer = answer
            return state.questions
        }
        // The server asks the second time when it is done with the first answer.
        for await number in questions where number >= before + 2 { return }
    }
}
