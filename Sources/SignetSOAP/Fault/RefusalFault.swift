extension AnsweredRefusal {
    /// The same error; its message also says the fault that came with the refusal, if one did.
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
