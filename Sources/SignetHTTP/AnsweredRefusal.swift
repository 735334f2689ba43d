/// An error that a transport makes from an answer whose content may say more than its status: a service may refuse a
/// caller with a fault.
package protocol AnsweredRefusal: Error {
    /// What happened, where, and what to do next.
    var message: String { get set }
    /// The media type of ``answerContent``; nil where the server gives none.
    var answerContentType: String? { get }
    /// The content of the answer; empty where there was none.
    var answerContent: [UInt8] { get }
}
