package import HTTPTypes

/// An error that a transport makes from an answer whose content may say more than its status: a service may refuse a
/// caller with a fault.
package protocol AnsweredRefusal: Error {
    /// What happened, where, and what to do next.
    var message: String { get set }
    /// What led to the error; nil when there was nothing else.
    var cause: (any Error)? { get set }
    /// The fields of the answer; nil when the error was made without an answer of the server.
    var answerFields: HTTPFields? { get }
    /// The content of the answer; empty where there was none.
    var answerContent: [UInt8] { get }
}
