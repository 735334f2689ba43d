extension AnsweredRefusal {
    /// The same error; its message also says the fault that came with the refusal, if one did.
    func withFault(limits: XMLLimits) -> any Error {
        guard !answerContent.isEmpty, ServiceCaller.isXML(answerContentType) else { return self }
        let charset = answerContentType.flatMap { MediaType($0).charset }
        guard let fault = FaultReader.fault(in: answerContent, charset: charset, limits: limits) else { return self }
        var refusal = self
        refusal.message += " \(fault)"
        return refusal
    }
}
