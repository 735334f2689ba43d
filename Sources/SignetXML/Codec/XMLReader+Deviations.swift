extension XMLReader {
    /// The greatest number of deviations that are kept.
    private static var mostDeviations: Int { 1000 }

    /// Notes a deviation; the first one that is not tolerated becomes the error of the value being read.
    ///
    /// - Parameters:
    ///   - error: the code of that error, if it is not the usual one of the deviation.
    ///   - path: the names of the elements around it, if they are not the open elements.
    ///   - isTolerable: whether a tolerance for its code is enough to tolerate it.
    mutating func deviate(
        _ code: XMLDeviation.Code, as error: XMLError.Code? = nil, _ message: String,
        at place: UnsafePointer<UInt8>? = nil, in path: String? = nil, isTolerable: Bool = true
    ) {
        guard notes(code) || (!isTolerable && !hasFailed && intolerable == nil) else { return }
        let isTolerated = isTolerable && tolerance.contains(code.tolerance)
        // Places never go backwards, so that lines are counted in one pass over the document.
        let place = max(place ?? p, deviationPlace ?? start)
        deviationPlace = place
        var found = located(error ?? code.error, message, at: place)
        if let path { found.path = path }
        if deviations.count < Self.mostDeviations {
            deviations.append(
                XMLDeviation(
                    code: code, path: found.path, line: found.line, column: found.column, offset: found.offset,
                    message: found.message))
        }
        if !isTolerated && intolerable == nil { intolerable = found }
    }

    /// Whether a deviation still has an effect. Check this where there may be very many.
    // Inlined: a call of a non-mutating function would copy the whole reader.
    @inline(__always) func notes(_ code: XMLDeviation.Code) -> Bool {
        !hasFailed
            && (deviations.count < Self.mostDeviations || (intolerable == nil && !tolerance.contains(code.tolerance)))
    }

    /// Notes that an element is not allowed here, and skips it.
    ///
    /// - Parameter container: where the name of the enclosing element begins.
    mutating func passOverUnknown(in container: UnsafePointer<UInt8>?) {
        if let container, notes(.unknownElement) || tolerance.contains(.missingElement) { unknownIn.insert(container) }
        if let container, incomplete.contains(container) {
            let name = elementName.prefix(80)
            deviate(
                .missingElement,
                "a required element is absent, and “\(name)”, which is not known here, may hold its value, so that none is made up.",
                isTolerable: false)
        }
        if notes(.unknownElement) {
            deviate(.unknownElement, "the element “\(elementName.prefix(80))” is not known here.")
        }
        skipRest()
    }

    /// Notes that the element whose start tag was read last, which should be an answer, has the name of the request.
    package mutating func noteRequestName() {
        guard notes(.unknownElement) else { return }
        let name = elementName.prefix(80)
        deviate(.unknownElement, "the answer is called “\(name)”, as the request was: did the service send that back?")
    }

    /// Notes that the element whose start tag was read last is beside the one that counts.
    package mutating func noteFurtherElement() {
        guard notes(.unknownElement) else { return }
        deviate(.unknownElement, "the element “\(elementName.prefix(80))” stands behind the answer and is not read.")
    }

    /// Throws the first defect, or the first deviation that is not tolerated, with all deviations found.
    package func settle() throws(XMLError) {
        try check()
        guard var error = intolerable else { return }
        error.deviations = deviations
        throw error
    }

    /// Notes the attributes of an element of a simple type, which has none of its own.
    mutating func noteUnknownAttributes() {
        leaf.hasAttributes = false
        for attribute in attributes { noteUnknown(attribute) }
    }

    mutating func noteUnknown(_ attribute: Attribute) {
        guard !isDeclaration(attribute), attribute.namespace != XMLNamespace.schemaInstance.id, notes(.unknownAttribute)
        else { return }
        // SOAP allows its attributes everywhere (SOAP 1.1 §4.1.1, SOAP 1.2 Part 2 §3.1.8).
        let uri = uri(of: attribute.namespace)
        if uri == "http://schemas.xmlsoap.org/soap/envelope/" || uri == "http://www.w3.org/2003/05/soap-envelope" {
            return
        }
        let name = string(attribute.localName, min(attribute.localLength, 80))
        deviate(.unknownAttribute, "the attribute “\(name)” is not known here.")
    }
}
