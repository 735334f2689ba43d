package import HTTPTypes
import NIOHTTP1
package import SignetAuthentication
import SignetHTTP

extension AuthenticationError: AnsweredRefusal {
    package var answerFields: HTTPFields? {
        content.map { content in
            HTTPFields(
                content.fields.compactMap { field in
                    AnswerFieldNames.name(field.name).map { HTTPField(name: $0, value: field.value) }
                })
        }
    }
    package var answerContent: [UInt8] { content?.bytes ?? [] }
}

extension Error {
    /// The same error with the answer that led to it, when the origin refused.
    func of(_ answer: ReceivedResponse) -> any Error {
        guard var refusal = self as? AuthenticationError, answer.head.status == .unauthorized else { return self }
        refusal.content = RefusalContent(fields: Array(answer.head.headers), bytes: answer.body)
        return refusal
    }
}
