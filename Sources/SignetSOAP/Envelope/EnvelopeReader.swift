/// The version and the header blocks of a message.
struct EnvelopeHead: Sendable {
    let version: SOAPVersion
    var headerBlocks: [ReceivedHeaderBlock] = []
    /// Header blocks addressed to this receiver that must be understood and that it does not know; the first few are
    /// enough.
    var notUnderstood: [ReceivedName] = []
    /// The deviations of the body from its type; known when the body has been read.
    var deviations: [XMLDeviation] = []
}

/// Reads messages from envelopes (SOAP 1.1 §4, SOAP 1.2 Part 1 §5).
struct EnvelopeReader {
    /// Why an envelope cannot be read.
    enum Failure: Error {
        /// The message is not well-formed XML or breaks a limit. The version is nil when the reader did not reach the
        /// root element.
        case malformed(XMLError, SOAPVersion?)
        /// The root element is not a SOAP envelope.
        case notAnEnvelope(root: String)
        /// The envelope has the namespace of an unknown version.
        case unknownVersion(namespace: String)
        /// The envelope breaks a rule of its version.
        case incorrect(String, SOAPVersion)
    }

    /// The limit for repeated parts of an envelope, such as header blocks, elements of a fault's detail, and reasons.
    /// Each of them takes far more memory than the four bytes that it may occupy in the message.
    static let maximumPieces = 256

    var limits = XMLLimits()
    /// Header blocks that must be understood and that the receiver processes.
    var understood: Set<XMLName> = []
    /// The roles in which the receiver acts, besides those that every receiver has.
    var roles: Set<SOAPRole> = []
    /// Which deviations of the body from its type are tolerated.
    var tolerance = XMLTolerance.standard
    /// The parts beside the envelope, to which the body may refer.
    var parts: ReceivedParts?
    /// Whether the body itself is passed on, because the message is the content of the body and not its first element.
    var handsOverBody = false
    /// Whether further elements of the body count as deviations, because they are not read.
    var notesFurtherElements = false

    /// Reads the content of an element of the body, to its end tag, and stores the result itself. This keeps the reader
    /// free of generics, which would cost more than the reading.
    typealias Content = (EnvelopeHead, inout XMLReader) throws(XMLError) -> Void
    /// The same for an element that it may leave unread; it then returns false.
    typealias FurtherContent = (EnvelopeHead, inout XMLReader) throws(XMLError) -> Bool

    /// Reads an envelope of any version and passes its first body element to `body`. It does not call `body` when the
    /// body is empty.
    ///
    /// - Parameters:
    ///   - charset: the parameter of the media type; nil when the media type has none.
    ///   - excerpt: the envelope as an excerpt of a longer one, read in place of `bytes`; nil when `bytes` are the
    ///     whole envelope.
    ///   - beside: receives each further element of the body. The first one that it reads counts, even when the first
    ///     element of the body departs from its type.
    func read(
        _ bytes: [UInt8], charset: String? = nil, of excerpt: XMLExcerpt? = nil,
        beside: FurtherContent = { _, _ in false }, body: Content
    ) throws(Failure) -> EnvelopeHead {
        var version: SOAPVersion?
        let outcome: Result<EnvelopeHead, Failure>
        do {
            func read(_ reader: inout XMLReader) throws(XMLError) -> Result<EnvelopeHead, Failure> {
                try reader.root()
                for candidate in SOAPVersion.all where reader.isElement(candidate.envelope) { version = candidate }
                guard let version else {
                    return .failure(
                        reader.elementName == "Envelope"
                            ? .unknownVersion(namespace: reader.namespaceURI)
                            : .notAnEnvelope(root: reader.elementName))
                }
                return try envelope(version, &reader, beside, body)
            }
            outcome =
                if let excerpt { try XMLReader.read(excerpt, read) } else {
                    try XMLReader.read(bytes, limits: limits, charset: charset, read)
                }
        } catch {
            throw .malformed(error, version)
        }
        return try outcome.get()
    }

    private func envelope(
        _ version: SOAPVersion, _ reader: inout XMLReader, _ beside: FurtherContent, _ body: Content
    ) throws(XMLError) -> Result<EnvelopeHead, Failure> {
        var head = EnvelopeHead(version: version)
        var position = Position.start
        while try reader.nextChild() {
            if position == .start, reader.isElement(version.header) {
                position = .header
                if let problem = try readHeader(&reader, &head) { return .failure(.incorrect(problem, version)) }
            } else if position != .body, reader.isElement(version.body) {
                position = .body
                reader.tolerance = tolerance
                if let parts { reader.inclusions = parts }
                if handsOverBody {
                    try body(head, &reader)
                } else if try reader.nextChild() {
                    try content(head, &reader, beside, body)
                }
            } else if position == .body, version == .soap11, reader.namespaceURI != version.namespace.uri {
                // SOAP 1.1 §4 allows elements of other namespaces after the body.
                try reader.skipElement()
            } else {
                return .failure(.incorrect("the element “\(reader.elementName)” has no place in the envelope", version))
            }
        }
        try reader.finish()
        head.deviations = reader.deviations
        guard position == .body else { return .failure(.incorrect("the envelope has no Body", version)) }
        return .success(head)
    }

    /// Reads the elements of the body, of which the first one is open.
    private func content(
        _ head: EnvelopeHead, _ reader: inout XMLReader, _ beside: FurtherContent, _ body: Content
    ) throws(XMLError) {
        let depth = reader.depth
        var failure: XMLError?
        do { try body(head, &reader) } catch {
            // Reading ends at text that is not well-formed.
            try reader.check()
            while reader.depth >= depth { _ = try reader.next() }
            failure = error
        }
        var isReplaced = false
        while try reader.nextChild() {
            if !isReplaced, try beside(head, &reader) {
                (failure, isReplaced) = (nil, true)
            } else {
                if notesFurtherElements { reader.noteFurtherElement() }
                try reader.skipElement()
            }
        }
        if let failure { throw failure }
        if notesFurtherElements, !isReplaced { try reader.settle() }
    }

    private enum Position { case start, header, body }

    /// Reads the header blocks; returns the error in them, if there is one.
    private func readHeader(
        _ reader: inout XMLReader, _ head: inout EnvelopeHead
    ) throws(XMLError) -> String? {
        let version = head.version
        while try reader.nextChild() {
            guard head.headerBlocks.count < Self.maximumPieces else {
                throw Self.tooMany("header blocks", reader.offset)
            }
            let name = ReceivedName(namespaceURI: reader.namespaceURI, localName: reader.elementName)
            guard let mustUnderstand = Self.boolean(reader.attribute("mustUnderstand", namespace: version.namespace)),
                let relay = Self.boolean(reader.attribute("relay", namespace: version.namespace))
            else { return "mustUnderstand or relay of the header block \(name.brief) is neither true nor false" }
            let role = reader.attribute(version.role.localName, namespace: version.namespace).map(SOAPRole.init(_:))
            let block = ReceivedHeaderBlock(
                fragment: try reader.fragment(), mustUnderstand: mustUnderstand, role: role, relay: relay)
            head.headerBlocks.append(block)
            if mustUnderstand, block.isFor(roles), !understood.contains(where: name.is), head.notUnderstood.count < 8 {
                head.notUnderstood.append(name)
            }
        }
        return nil
    }

    /// The error for an envelope with more than ``maximumPieces`` of something.
    static func tooMany(_ what: String, _ offset: Int) -> XMLError {
        XMLError(
            .tooManyElements, "the envelope holds more than \(maximumPieces) \(what) (byte \(offset)).", offset: offset)
    }

    /// The value of an `xs:boolean`; an absent one is false.
    private static func boolean(_ text: String?) -> Bool? {
        switch text?.trimmedXMLSpace {
        case nil, "0", "false": false
        case "1", "true": true
        default: nil
        }
    }
}
