import NIOHTTP1
import SignetAuthentication
import SignetHTTP

extension AuthenticationError: AnsweredRefusal {
    package var answerContentType: String? { content?.contentType }
    package var answerContent: [UInt8] { content?.bytes ?? [] }
}

extension Error {
    /// The same error with the content of the answer that led to it, when the origin refused.
    func of(_ answer: ReceivedResponse) -> any Error {
        guard var refusal = self as? AuthenticationError, answer.head.status == .unauthorized else { return self }
        refusal.content = RefusalContent(
            contentType: answer.head.headers.first(name: "content-type"), bytes: answer.body)
        return refusal
    }
}
