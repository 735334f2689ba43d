import HTTPTypes
import SignetSOAP
import Synchronization

/// Gives its answer to the receiver in pieces, as a wire does.
final class PiecewiseTransport: ClientTransport {
    /// What becomes of a request.
    struct Answer: Sendable {
        var status = 200
        var contentType: String? = "text/xml; charset=utf-8"
        var content: [UInt8] = []
        var pieceBytes = 64
        /// Thrown when all pieces have been taken; when there are none, before the head of the answer.
        var failure: TransportError?
        /// Whether it is in memory when the call sees it.
        var isWhole = false
    }

    private struct State {
        var requests: [ClientRequest] = []
        var sent: [[UInt8]] = []
        var taken = 0
    }

    private let answers: [Answer]
    private let state = Mutex(State())

    /// The last answer is given for ever.
    init(_ answers: Answer...) { self.answers = answers }

    convenience init(_ text: String, pieceBytes: Int = 64) {
        self.init(Answer(content: Array(text.utf8), pieceBytes: pieceBytes))
    }

    var requests: [ClientRequest] { state.withLock { $0.requests } }
    /// The pieces that the receiver has finished with.
    var taken: Int { state.withLock { $0.taken } }
    /// The contents of the requests.
    var sent: [[UInt8]] { state.withLock { $0.sent } }

    func send(_ request: ClientRequest) async throws -> ClientResponse {
        let number = state.withLock { state in
            state.requests.append(request)
            return state.requests.count
        }
        let content = try await request.body.collected(limit: 1 << 24)
        state.withLock { $0.sent.append(content) }
        let answer = answers[min(number, answers.count) - 1]
        if let failure = answer.failure, answer.content.isEmpty { throw failure }
        var response = ClientResponse(status: .init(code: answer.status))
        response.fields[.contentType] = answer.contentType
        guard !answer.isWhole, let receiver = request.contentReceiver, receiver.takes(response.status, response.fields)
        else {
            response.body = answer.content
            return response
        }
        var rest = answer.content[...]
        while !rest.isEmpty {
            do { try await receiver.receive(Array(rest.prefix(answer.pieceBytes))) } catch {
                if Task.isCancelled { throw TransportError(.cancelled, "Cancelled.") }
                throw TransportError(.contentRefused, "Refused: \(error)", mayHaveBeenProcessed: true, cause: error)
            }
            state.withLock { $0.taken += 1 }
            rest = rest.dropFirst(answer.pieceBytes)
        }
        if let failure = answer.failure { throw failure }
        return response
    }

    func shutdown() async throws {}
}
