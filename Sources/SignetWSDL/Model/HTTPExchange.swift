/// The request and answer of an operation that is bound to HTTP without SOAP (WSDL 1.1 §4, §5).
package struct HTTPExchange: Sendable {
    /// Where the input goes.
    package enum Encoding: Sendable, Hashable {
        /// Into the query.
        case query
        /// Into the location, where values replace names in parentheses.
        case path
        /// Into the content, as a form.
        case form
        /// Into the content, as an element.
        case document(mediaType: String)
    }

    package enum Input: Sendable {
        /// The values of the message's parts.
        case parts([ElementDeclaration.Accessor], of: Message)
        /// The element of the message's part.
        case element(QName, at: SourceLocation)
    }

    static let verbs = ["GET", "POST"]

    /// `GET` or `POST`.
    package var verb: String
    /// The text appended to the path of the port's address.
    package var location: String
    package var encoding: Encoding
    package var input: Input
    /// The root element of the answer, and the place of the part that names it.
    package var output: (name: QName, location: SourceLocation)
}

extension WSDLDefinitions {
    /// The request and answer of an operation at a port that is bound to plain HTTP.
    ///
    /// - Throws: the reason why the operation cannot be called.
    package func httpExchange(
        of bound: BindingOperation, _ abstract: Operation, in binding: Binding
    ) throws(WSDLError) -> HTTPExchange {
        guard let input = abstract.input, let output = abstract.output else {
            throw WSDLError(.invalid, "it has no answer, and every HTTP request has an answer", at: abstract.location)
        }
        let location = bound.httpLocation ?? ""
        // A location that began with a scheme would not be relative (WSDL 1.1 §4.4).
        guard !location.contains("://") else {
            throw WSDLError(.invalid, "its location ‘\(location)’ is not relative", at: bound.location)
        }
        let request = try message(input)
        let (encoding, place) = try self.encoding(of: bound.input, request, at: bound.location)
        if binding.verb != "POST" {
            switch encoding {
            case .query, .path: break
            case .form, .document:
                throw WSDLError(
                    .invalid, "its input is the content of a GET request, and GET requests have no content", at: place)
            }
        }
        return HTTPExchange(
            verb: binding.verb ?? "", location: location, encoding: encoding,
            input: try self.input(request, encoding, location),
            output: try answer(try message(output), bound.output))
    }

    private func message(_ use: MessageUse) throws(WSDLError) -> Message {
        guard let message = messages[use.message] else {
            throw WSDLError(.invalid, "the message \(use.message) is not there", at: use.location)
        }
        return message
    }

    private func encoding(
        of bound: BindingMessage?, _ message: Message, at location: SourceLocation
    ) throws(WSDLError) -> (HTTPExchange.Encoding, at: SourceLocation) {
        switch bound?.urlEncoding {
        case .urlEncoded: return (.query, location)
        case .urlReplacement: return (.path, location)
        case nil: break
        }
        guard let content = bound?.contents.first else {
            // A message without parts needs no place for them.
            if message.parts.isEmpty { return (.query, location) }
            throw WSDLError(.invalid, "its input has neither urlEncoded nor urlReplacement nor content", at: location)
        }
        let type = content.type?.lowercased() ?? ""
        if type == "application/x-www-form-urlencoded" { return (.form, content.location) }
        guard type.isXMLMediaType else {
            throw WSDLError(
                .invalid, "its input has the media type ‘\(type)’, which is neither a form nor XML",
                at: content.location)
        }
        return (.document(mediaType: type), content.location)
    }

    private func input(
        _ message: Message, _ encoding: HTTPExchange.Encoding, _ location: String
    ) throws(WSDLError) -> HTTPExchange.Input {
        if case .document = encoding {
            let (name, place) = try element(of: message, "its input")
            return .element(name, at: place)
        }
        var accessors: [ElementDeclaration.Accessor] = []
        for part in message.parts {
            let content = try simple(part)
            if encoding == .path {
                if case .items = content {
                    throw WSDLError(
                        .invalid, "its part ‘\(part.name)’ is an array, and has one place in the path",
                        at: part.location)
                }
                guard location.contains("(\(part.name))") else {
                    throw WSDLError(
                        .invalid, "its part ‘\(part.name)’ has no place in the location ‘\(location)’",
                        at: part.location)
                }
            }
            accessors.append(.init(name: part.name, content: content, location: part.location))
        }
        return .parts(accessors, of: message)
    }

    /// A part of a form: text, or an array of texts, which becomes a parameter that repeats.
    private func simple(_ part: Message.Part) throws(WSDLError) -> ElementDeclaration.Accessor.Content {
        guard let type = part.type else {
            throw WSDLError(
                .invalid, "its part ‘\(part.name)’ has no simple type, and nothing else fits into a URL or a form",
                at: part.location)
        }
        if schema.isText(type) { return .type(type, isNillable: false) }
        if case .complex(let complex) = schema.types[type], let array = SOAPArray(complex), array.dimensions == 1,
            array.ranks.isEmpty, schema.isText(array.itemType)
        {
            return .items(array.itemType)
        }
        throw WSDLError(
            .invalid,
            "its part ‘\(part.name)’ has the type \(type), which is neither simple nor an array of a simple type, and nothing else "
                + "fits into a URL or a form", at: part.location)
    }

    /// The root element of an answer in XML (WSDL 1.1 §5.6).
    private func answer(
        _ message: Message, _ bound: BindingMessage?
    ) throws(WSDLError) -> (name: QName, location: SourceLocation) {
        let types = bound?.contents.map { $0.type?.lowercased() ?? "*/*" } ?? []
        guard types.isEmpty || types.contains(where: { $0.isXMLMediaType || $0 == "*/*" }) else {
            throw WSDLError(
                .invalid, "its answer has the media type \(types.quotedList()), which is not XML",
                at: bound?.location ?? message.location)
        }
        return try element(of: message, "its answer")
    }

    private func element(
        of message: Message, _ what: String
    ) throws(WSDLError) -> (name: QName, location: SourceLocation) {
        guard message.parts.count == 1, let part = message.parts.first, let name = part.element else {
            throw WSDLError(.invalid, "\(what) is not one part with an element", at: message.location)
        }
        guard schema.elements[name] != nil else {
            let hint = schema.hint(missingElement: name)
            throw WSDLError(.invalid, "\(what) has the element \(name), which is not there\(hint)", at: part.location)
        }
        guard !schema.isReplaceable(name) else {
            throw WSDLError(
                .invalid, "\(what) has the element \(name), in whose place others may stand", at: part.location)
        }
        return (name, part.location)
    }
}

extension SchemaSet {
    /// Whether values of a type are text whose meaning does not depend on its context, unlike qualified names.
    fileprivate func isText(_ name: QName) -> Bool {
        if case .simple? = types[name] { return true }
        return name.namespace == Namespaces.schema && !["anyType", "QName", "NOTATION"].contains(name.localName)
    }
}

extension String {
    /// Whether the media type, in lower case and without parameters, is XML (RFC 7303 §4).
    fileprivate var isXMLMediaType: Bool {
        if self == "text/xml" || self == "application/xml" { return true }
        let isName = utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "+-./".utf8.contains($0)
        }
        return isName && hasPrefix("application/") && hasSuffix("+xml")
    }
}
