extension AnswerReader {
    /// Refuses an answer whose media type is not one of XML.
    ///
    /// Some services label their messages as HTML or plain text. Such an answer is read when the caller allows it, and
    /// only when its root is that of a message: a proxy's page or a login page is refused all the same.
    func checkMediaType(_ answer: ReceivedAnswer) throws(ServiceError) {
        guard answer.mediaType?.isXML == false else { return }
        let isMessage = holdsMessage(answer)
        if isMessage, caller.settings.readsMislabelledAnswers { return }
        guard isMessage else {
            guard answer.isSuccess else { throw refusal(answer) }
            throw ServiceError(
                .notSOAP,
                "\(endpoint) answered \(operation) with something that is not \(language). Is this the address of the service, and not of a page or a login?",
                answer: answer.facts)
        }
        let media = answer.mediaType
        let type = (media?.defect == nil ? media?.essence : answer.response.fields[.contentType])?.shown ?? ""
        let fault = fault(beside: answer)
        throw ServiceError(
            answer.isSuccess ? .notSOAP : .refused,
            "\(endpoint) answered \(operation) with a message of \(language), but labelled it “\(type)”, which is no media type of XML. If this service always does, set readsMislabelledAnswers (signet call: --any-media-type).\(fault.words)",
            answer: answer.facts, cause: fault.error)
    }

    /// Whether the root element is that of an envelope; without SOAP, whether it is any element but that of an HTML
    /// page.
    private func holdsMessage(_ answer: ReceivedAnswer) -> Bool {
        let limits = caller.settings.xmlLimits
        let root = try? XMLReader.read(answer.body, limits: limits, charset: answer.charset) {
            (reader) throws(XMLError) in
            try reader.root()
            return reader.elementName
        }
        return version == nil ? root != nil && root?.lowercased() != "html" : root == "Envelope"
    }
}
