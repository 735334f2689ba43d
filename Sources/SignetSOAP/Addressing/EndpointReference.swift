/// The destination of messages: an address, and the header blocks to send with them (WS-Addressing 1.0 Core §2,
/// Submission 2004/08 §2).
///
/// ```swift
/// // ONVIF gives each subscription a reference of its own: what is called next goes there.
/// let reference = try EndpointReference(answer.subscriptionReference)
/// let subscription = try events.caller.calling(reference)
/// ```
public struct EndpointReference: Sendable, Hashable {
    /// The address: a URI, which need not be an HTTP address.
    public var address: String
    /// Elements that the client sends with each message as header blocks.
    public var referenceParameters: [XMLFragment]
    /// The same as ``referenceParameters``, in references of 2004/08 only.
    public var referenceProperties: [XMLFragment]
    /// Metadata of the endpoint, as it was received.
    public var metadata: [XMLFragment]

    /// Makes a reference to send.
    ///
    /// - Parameters:
    ///   - address: a URI (Core 1.0 §2.1).
    ///   - referenceParameters: elements that clients are to send with each message to the endpoint, as header blocks.
    public init(_ address: String, referenceParameters: [XMLFragment] = []) {
        self.address = address
        self.referenceParameters = referenceParameters
        referenceProperties = []
        metadata = []
    }

    /// The largest size of a received reference, in bytes.
    private static let maximumBytes = 65_536
    /// The largest number of parameters, properties and metadata elements.
    private static let maximumPieces = 32
    /// The largest size of its parameters and properties together, in bytes: clients send them back.
    private static let maximumParameterBytes = 16_384

    // MARK: Reading

    /// Reads a reference of either version from the element that holds it, whatever its name is.
    ///
    /// - Throws: ``AddressingError`` with `invalidReference` when it does not have exactly one address of at most 2,048
    ///   bytes, or has more than 32 parameters and other elements, more than 16 KiB of parameters, or more than 64 KiB
    ///   in total.
    public init(_ fragment: XMLFragment) throws(AddressingError) {
        do { try self.init(received: fragment) } catch {
            throw AddressingError(
                .invalidReference,
                "The endpoint reference “\(fragment.localName.prefix(80))” cannot be used: \(error.reason).")
        }
    }

    /// Reads a reference from a value of a generated type.
    ///
    /// - Throws: what ``init(_:)-(XMLFragment)`` throws; an `XMLError` when the value cannot be written.
    public init(_ value: some XMLStructure) throws {
        try self.init(XMLFragment(AddressingVersion.v10.name("EndpointReference"), value))
    }

    init(received fragment: XMLFragment) throws(AddressingDefect) {
        self.init("")
        let tooLarge = AddressingDefect(.invalidAddressingHeader, "the reference is too large")
        guard fragment.bytes.count <= Self.maximumBytes else { throw tooLarge }
        var addresses: [String] = []
        for child in fragment.children {
            guard let version = AddressingVersion.all.first(where: { child.namespaceURI == $0.namespace.uri }) else {
                // A reference may have elements of other standards.
                continue
            }
            switch child.localName {
            case "Address": addresses.append(try ReceivedAddressing.text(of: child, "Address"))
            case "ReferenceParameters": referenceParameters += child.children
            case "ReferenceProperties" where version == .submission: referenceProperties += child.children
            case "Metadata" where version == .v10: metadata += child.children
            default: metadata.append(child)
            }
        }
        let parameters = referenceProperties + referenceParameters
        guard parameters.count + metadata.count <= Self.maximumPieces,
            parameters.reduce(0, { $0 + $1.bytes.count }) <= Self.maximumParameterBytes
        else { throw tooLarge }
        guard addresses.count == 1, let address = addresses.first else {
            throw AddressingDefect(
                .invalidAddressingHeader, subcode: addresses.isEmpty ? .missingAddressInEPR : .invalidCardinality,
                "it has \(addresses.isEmpty ? "no Address" : "several Addresses")")
        }
        self.address = address
    }

    // MARK: Writing

    /// The reference as an element.
    ///
    /// - Throws: `XMLError` for a text that cannot stand in XML.
    public func fragment(_ name: XMLName, _ version: AddressingVersion = .v10) throws(XMLError) -> XMLFragment {
        try XMLFragment { writer in
            writer.startElement(name, declaring: [("wsa", version.namespace)])
            writer.element(version.name("Address"), address)
            let isSubmission = version == .submission
            writer.pieces(version.name("ReferenceProperties"), isSubmission ? referenceProperties : [])
            writer.pieces(
                version.name("ReferenceParameters"),
                (isSubmission ? [] : referenceProperties) + referenceParameters)
            if isSubmission { writer.wildcard(metadata) } else { writer.pieces(version.name("Metadata"), metadata) }
            writer.endElement(name)
        }
    }
}

extension EndpointReference: CustomStringConvertible {
    /// The address only: parameters may contain data that does not belong in a log.
    public var description: String { address }
}

extension XMLWriter {
    fileprivate mutating func element(_ name: XMLName, _ text: String) {
        startElement(name)
        self.text(text)
        endElement(name)
    }

    fileprivate mutating func pieces(_ name: XMLName, _ pieces: [XMLFragment]) {
        guard !pieces.isEmpty else { return }
        startElement(name)
        wildcard(pieces)
        endElement(name)
    }
}
