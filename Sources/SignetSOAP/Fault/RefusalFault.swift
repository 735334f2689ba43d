extension AnsweredRefusal {
    /// Returns the same error; if a fault came with the refusal, its message also contains the fault.
    func withFault(limits: XMLLimits) -> any Error {
        let mediaType = answerContentType.map { MediaType($0) }
        guard !answerContent.isEmpty, mediaType?.isXML != false else { return self }
        guard let fault = FaultReader.fault(in: answerContent, charset: mediaType?.charset, limits: limits) else {
            return self
        }
        var refusal = self
        refusal.message += " \(fault)"
        return refusal
    }
}

extension SOAPFault {
    /// The fault in a message of any version; nil when it has none that can be read.
    package static func received(in message: [UInt8], charset: String?) -> SOAPFault? {
        FaultReader.fault(in: message, charset: charset, limits: .init()) as? SOAPFault
    }
}
