/// Reads requests, and refuses them.
extension ServiceDispatcher {
    /// A request that was read.
    struct Request {
        let head: EnvelopeHead
        let prepared: ServiceRoute.Prepared
    }

    /// A fault, and the version to send it in.
    struct Refusal: Error {
        let fault: SOAPFault
        let version: SOAPVersion
        /// The head of the envelope, when only the body is wrong; the refusal of a verifier then takes precedence.
        var head: EnvelopeHead?
    }

    func read(
        _ message: [UInt8], _ parts: ReceivedMessage?, _ charset: String?, _ declared: SOAPVersion?, _ action: String?
    ) -> Result<Request, Refusal> {
        let understood = verifiers.reduce(understoodHeaderBlocks) { $0.union($1.understoodHeaderBlocks) }
        var reader = EnvelopeReader(limits: xmlLimits, understood: understood, roles: roles)
        // Accessors have no namespace, but some clients give them one (SOAP 1.1 §5.1).
        reader.tolerance = isEncoded ? tolerance.union(.namespace) : tolerance
        reader.parts = parts?.parts(room: xmlLimits.documentBytes)
        var (message, charset) = (message, charset)
        var readable: EnvelopeHead?
        do throws(EnvelopeReader.Failure) {
            if isEncoded, ReferenceResolver.isNeeded(message) {
                do throws(XMLError) {
                    message = try ReferenceResolver.resolve(message, charset: charset, limits: xmlLimits)
                    charset = "utf-8"
                } catch {
                    throw EnvelopeReader.Failure.malformed(error, declared)
                }
            }
            // When no operation takes the first element of the body, the whole content of the body may be a message.
            let content = contentRoute(message, charset, action)
            reader.handsOverBody = content != nil
            var found: Result<ServiceRoute.Prepared, SOAPFault>?
            let head = try reader.read(message, charset: charset) { (head, reader) throws(XMLError) in
                if isReadable(head) { readable = head }
                if let content, isReadable(head) {
                    found = .success(try content.prepare(&reader, checksInput))
                } else if content == nil {
                    found = try prepare(head, &reader, action)
                } else {
                    try reader.skipElement()
                    found = .failure(.client("The request cannot be read."))
                }
            }
            if let fault = objection(to: head, declared) {
                return .failure(Refusal(fault: fault, version: answerable(head.version)))
            }
            guard let found else {
                return .failure(
                    Refusal(fault: .client("The body of the request is empty."), version: head.version, head: head))
            }
            if case .success(let prepared) = found, let fault = prepared.objection {
                return .failure(Refusal(fault: fault, version: head.version, head: head))
            }
            return found.map { Request(head: head, prepared: $0) }.mapError {
                Refusal(fault: $0, version: head.version, head: head)
            }
        } catch {
            var refusal = refusal(for: error, declared)
            refusal.head = readable
            return .failure(refusal)
        }
    }

    /// A request that is refused for its head is not read further.
    private func isReadable(_ head: EnvelopeHead) -> Bool {
        versions.contains(head.version) && head.notUnderstood.isEmpty
    }

    /// The operation that takes an element, or the content of the body when nil.
    private func route(_ element: XMLName?, _ action: String?) -> ServiceRoute? {
        guard let candidates = routes[element] else { return nil }
        guard opened != nil, candidates.count > 1 else {
            return candidates.first { $0.operation.soapAction == action } ?? candidates.first
        }
        guard let action, !action.isEmpty else { return nil }
        return candidates.first { $0.operation.soapAction == action || $0.operation.statedActions.input == action }
    }

    /// The operation that takes the element whose start tag was read last, by its local name alone when that is
    /// tolerated and only one element has that name.
    private func route(_ reader: inout XMLReader, _ action: String?) -> ServiceRoute? {
        let name = reader.elementName
        if let namespace = XMLNamespace.known(reader.namespaceURI),
            let route = route(XMLName(namespace, name), action)
        {
            return route
        }
        guard tolerance.contains(.namespace), let only = inputs(called: name).first, inputs(called: name).count == 1,
            reader.takes(only)
        else { return nil }
        return route(only, action)
    }

    /// The elements with this local name that operations take.
    private func inputs(called name: String) -> [XMLName] {
        routes.keys.compactMap { $0 }.filter { $0.localName == name }
    }

    /// The fault for an element that no operation takes.
    private func noOperation(_ name: ReceivedName) -> SOAPFault {
        let others = inputs(called: name.localName).map { ReceivedName($0).place }
        let what = "The service \(self.name) has no operation that takes “\(name.localName)”"
        guard let other = others.sorted().first else { return .client("\(what) in this namespace.") }
        return .client("\(what) \(name.place), but one that takes it \(other).")
    }

    /// The operation whose input is the content of the body itself, when no operation takes the body's first element.
    private func contentRoute(_ message: [UInt8], _ charset: String?, _ action: String?) -> ServiceRoute? {
        guard let route = route(nil, action) else { return nil }
        let first = MarkupScanner.firstInBody(message, charset: charset)
        let isTaken = first.map { name in routes.keys.contains { $0?.localName == name } } ?? false
        return isTaken ? nil : route
    }

    /// Reads the input of the operation that the body's element names.
    private func prepare(
        _ head: EnvelopeHead, _ reader: inout XMLReader, _ action: String?
    ) throws(XMLError) -> Result<ServiceRoute.Prepared, SOAPFault> {
        let name = ReceivedName(reader)
        let style = head.version == .soap12 ? reader.attribute("encodingStyle", namespace: head.version.namespace) : nil
        let known = [Self.noEncoding] + (isEncoded ? [SOAPEncoding.soap12.uri] : [])
        let isKnown = style.map(known.contains) ?? true
        if isReadable(head), isKnown, let route = route(&reader, action) {
            return .success(try route.prepare(&reader, checksInput))
        }
        let isAmbiguous =
            opened != nil
            && (XMLNamespace.known(name.namespaceURI).flatMap { routes[XMLName($0, name.localName)] }?.count ?? 0) > 1
        try reader.skipElement()
        if isKnown, isAmbiguous {
            return .failure(
                .client(
                    "Several operations take “\(name.localName)”, and no protected wsa:Action says which one is called."
                ))
        }
        if let style, !isKnown {
            return .failure(
                SOAPFault(
                    .dataEncodingUnknown, "The encoding “\(style.prefix(200))” is not supported; messages are literal.")
            )
        }
        return .failure(noOperation(name))
    }

    /// SOAP 1.2 Part 1 §5.1.1.
    private static let noEncoding = "http://www.w3.org/2003/05/soap-envelope/encoding/none"

    /// The fault for a message that is refused for its version or its header blocks; nil when it is not refused.
    private func objection(to head: EnvelopeHead, _ declared: SOAPVersion?) -> SOAPFault? {
        guard versions.contains(head.version) else { return mismatch() }
        if let declared, declared != head.version {
            return .client(
                "The envelope is \(head.version), but its media type \(declared.mediaType) is that of \(declared).")
        }
        if !head.notUnderstood.isEmpty {
            let names = head.notUnderstood.map(\.brief).joined(separator: ", ")
            var fault = SOAPFault(.mustUnderstand, "The header block \(names) is not understood.")
            // An overlong name is not sent back.
            fault.notUnderstood = head.notUnderstood.filter { $0.brief == $0.description }
            return fault
        }
        if head.version == .soap12, let block = head.headerBlocks.first(where: { $0.namespaceURI.isEmpty }) {
            return .client("The header block “\(block.localName)” has no namespace.")
        }
        return nil
    }

    private func mismatch() -> SOAPFault {
        let names = versions.map(\.description).joined(separator: " and ")
        var fault = SOAPFault(.versionMismatch, "This service speaks \(names).")
        fault.supportedVersions = versions
        return fault
    }

    /// The version in which to answer a message of `version`, even if the service does not support that version: SOAP
    /// 1.1 is answered in SOAP 1.1, and an unknown version in SOAP 1.2 by services that support it (SOAP 1.2 Part 1
    /// Appendix A).
    private func answerable(_ version: SOAPVersion?) -> SOAPVersion {
        version != .soap11 && versions.contains(.soap12) ? .soap12 : .soap11
    }

    private func refusal(for failure: EnvelopeReader.Failure, _ declared: SOAPVersion?) -> Refusal {
        let fault: SOAPFault
        var version: SOAPVersion?
        switch failure {
        case .malformed(let error, let found):
            fault = .client("The request cannot be read: \(error)")
            version = found ?? declared
        case .notAnEnvelope(let root):
            fault = .client("The request is no SOAP envelope: its root is “\(root)”.")
            version = declared
        case .unknownVersion:
            fault = mismatch()
        case .incorrect(let problem, let found):
            fault = .client("The request is not correct \(found): \(problem).")
            version = found
        }
        // Other errors in an envelope of an unsupported version are not reported.
        let isForeign = version.map { !versions.contains($0) } ?? false
        return Refusal(fault: isForeign ? mismatch() : fault, version: answerable(version))
    }
}
