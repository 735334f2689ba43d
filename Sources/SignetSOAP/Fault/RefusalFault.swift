import HTTPTypes
import SignetHTTP

extension AnsweredRefusal {
    /// Returns the same error; if a fault came with the refusal, its message also contains the fault, which is its cause.
    ///
    /// - Parameter isUsable: false where a provider verifies answers. This one was not verified: the message quotes its
    ///   fault, and nothing else is done with it.
    func withFault(limits: XMLLimits, isUsable: Bool) -> any Error {
        let mediaType = answerFields?[.contentType].map { MediaType($0) }
        guard !answerContent.isEmpty, mediaType?.isXML != false else { return self }
        guard let fault = FaultReader.fault(in: answerContent, charset: mediaType?.charset, limits: limits) else {
            return self
        }
        var refusal = self
        refusal.message += " \(fault)"
        if isUsable { refusal.cause = refusal.cause ?? fault }
        return refusal
    }
}

extension SOAPFault {
    /// The fault in a message of any version; nil when it has none that can be read.
    package static func received(in message: [UInt8], charset: String?) -> SOAPFault? {
        FaultReader.fault(in: message, charset: charset, limits: .init()) as? SOAPFault
    }
}
