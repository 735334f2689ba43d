/// What stands before the body of a message.
struct EnvelopeHead: Sendable {
    let version: SOAPVersion
    var headerBlocks: [ReceivedHeaderBlock] = []
    /// Header blocks for us that must be understood and that nobody knows; the first few are enough.
    var notUnderstood: [ReceivedName] = []
    /// Where the body departs from its type; known when it has been read.
    var deviations: [XMLDeviation] = []
}

/// Takes messages out of envelopes (SOAP 1.1 §4, SOAP 1.2 Part 1 §5).
struct EnvelopeReader {
    /// Why an envelope cannot be read.
    enum Failure: Error {
        /// The version is nil when the reader did not come as far as the root element.
        case malformed(XMLError, SOAPVersion?)
        /// The root element is no SOAP envelope.
        case notAnEnvelope(root: String)
        /// An envelope of a version that nobody here speaks.
        case unknownVersion(namespace: String)
        /// The envelope breaks a rule of its version.
        case incorrect(String, SOAPVersion)
    }

    /// What stands in any number in an envelope, as header blocks, elements of a fault's detail and reasons do, is refused
    /// above this: each piece takes far more memory than the four bytes it may have been written with.
    static let maximumPieces = 256

    var limits = XMLLimits()
    /// Header blocks that are dealt with although they must be understood.
    var understood: Set<XMLName> = []
    /// The roles that the receiver acts in, beside those that each has.
    var roles: Set<SOAPRole> = []
    /// Which deviations of the body from its type are taken.
    var tolerance = XMLTolerance.standard
    /// The parts beside the envelope, to which its body may refer.
    var parts: ReceivedParts?
    /// Whether the body itself is handed over, because the message is its content, and not its first element.
    var handsOverBody = false
    /// Whether elements of the body beside the first one are deviations, because they are not read.
    var notesFurtherElements = false

    /// Reads what an element of the body holds, to its end tag. What it makes of it, it keeps itself: so none of this is generic,
    /// which would cost more than the reading.
    typealias Content = (EnvelopeHead, inout XMLReader) throws(XMLError) -> Void
    /// The same for an element that it may leave unread; then it gives false.
    typealias FurtherContent = (EnvelopeHead, inout XMLReader) throws(XMLError) -> Bool

    /// Reads an envelope of any version and hands its first body element to `body`, which is not called for a body without one.
    ///
    /// - Parameters:
    ///   - charset: the parameter of the media type; nil when it has none.
    ///   - excerpt: the envelope as a piece of a longer one, read in place of `bytes`; nil when `bytes` are all of it.
    ///   - beside: is handed each further element of the body; the first that it reads counts, also when the first element of the
    ///     body departs from its type.
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
                // SOAP 1.1 §4 allows elements of others behind the body.
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
            // What is not well-formed ends the reading.
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

    /// Reads the header blocks; gives what is wrong with them, if anything.
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

    /// Why an envelope with more than ``maximumPieces`` of something is refused.
    static func tooMany(_ what: String, _ offset: Int) -> XMLError {
        XMLError(
            .tooManyElements, "the envelope holds more than \(maximumPieces) \(what) (byte \(offset)).", offset: offset)
    }

    /// `xs:boolean`; absent is false.
    private static func boolean(_ text: String?) -> Bool? {
        switch text?.trimmedXMLSpace {
        case nil, "0", "false": false
        case "1", "true": true
        default: nil
        }
    }
}
