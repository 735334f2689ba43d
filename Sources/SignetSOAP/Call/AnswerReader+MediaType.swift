extension AnswerReader {
    /// Refuses an answer that is labelled as something else than XML.
    ///
    /// Some services label their messages as pages or plain text. Such an answer is read where the caller says so, and only
    /// when its root is that of a message: a page of a proxy or a login stays what it is.
    func checkMediaType(_ answer: ServiceError.Answer, _ body: [UInt8]) throws(ServiceError) {
        guard !ServiceCaller.isXML(answer.contentType) else { return }
        let isMessage = holdsMessage(body, answer)
        if isMessage, caller.settings.readsMislabelledAnswers { return }
        guard isMessage else {
            guard answer.isSuccess else { throw refusal(answer) }
            throw ServiceError(
                .notSOAP,
                "\(endpoint) answered \(operation) with something that is not \(language). Is this the address of the service, and not of a page or a login?",
                answer: answer)
        }
        let type = answer.contentType.map { (MediaType($0).defect == nil ? MediaType($0).essence : $0).shown } ?? ""
        let fault = fault(beside: answer, body)
        throw ServiceError(
            answer.isSuccess ? .notSOAP : .refused,
            "\(endpoint) answered \(operation) with a message of \(language), but labelled it “\(type)”, which is no media type of XML. If this service always does, set readsMislabelledAnswers (signet call: --any-media-type).\(fault.words)",
            answer: answer, cause: fault.error)
    }

    /// Whether the root element is an envelope's, or without SOAP any element but a page's.
    private func holdsMessage(_ body: [UInt8], _ answer: ServiceError.Answer) -> Bool {
        let charset = answer.contentType.flatMap { MediaType($0).charset }
        let root = try? XMLReader.read(body, limits: caller.settings.xmlLimits, charset: charset) {
            (reader) throws(XMLError) in
            try reader.root()
            return reader.elementName
        }
        return version == nil ? root != nil && root?.lowercased() != "html" : root == "Envelope"
    }
}
