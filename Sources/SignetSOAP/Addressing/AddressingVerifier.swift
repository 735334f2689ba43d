/// Checks the header blocks of WS-Addressing in requests, and adds those of answers and faults (Core 1.0 §3.4, SOAP
/// Binding 1.0).
///
/// ```swift
/// let dispatcher = WebEase.dispatcher(Diary()).verified(by: AddressingVerifier())
/// ```
///
/// Put it before other verifiers, so that the faults of those name the request too. The service never sends anything to
/// an address that a request names: answers go back on the connection of the request, or, when the request asks for
/// that, nowhere.
public struct AddressingVerifier: Sendable {
    /// The versions that the service accepts; a request has one of them.
    public var versions: [AddressingVersion]
    /// Whether a request without header blocks of WS-Addressing is refused.
    public var isRequired: Bool
    /// Whether a request that is answered must have a `MessageID` (Core 1.0 §3.4).
    public var requiresMessageID = true
    /// The addresses that `To` may name; nil for any. Behind proxies, or with several host names, it is hard to know
    /// them all.
    public var addresses: Set<String>?

    /// - Parameters:
    ///   - versions: the versions that the service accepts. A fault about a request without a version is written in the
    ///     first.
    ///   - isRequired: whether a request without header blocks of WS-Addressing is refused.
    public init(_ versions: [AddressingVersion] = [.v10, .submission], isRequired: Bool = false) {
        self.versions = versions
        self.isRequired = isRequired
    }
}

extension AddressingVerifier: RequestVerifier {
    public var understoodHeaderBlocks: Set<XMLName> { versions.reduce([]) { $0.union($1.headerBlocks) } }

    public func verify(_ context: inout OperationContext) throws {
        let blocks = context.headerBlocks.filter { $0.isFor(context.roles) }
        let spoken = versions.filter { version in
            blocks.contains {
                version.namespace.uri == $0.namespaceURI && AddressingVersion.Part(rawValue: $0.localName) != nil
            }
        }
        let version = spoken.first ?? versions.first ?? .v10
        do throws(AddressingDefect) {
            guard !spoken.isEmpty else {
                guard isRequired else { return }
                throw AddressingDefect(
                    .messageAddressingHeaderRequired, "no header blocks of WS-Addressing", part: .action)
            }
            let received = ReceivedAddressing(blocks, version)
            prepareFaults(received, context)
            guard spoken.count == 1 else {
                throw AddressingDefect(.invalidAddressingHeader, "header blocks of two versions of WS-Addressing")
            }
            if let defect = received.defect { throw defect }
            try judge(received, context)
            try prepareAnswer(received, &context)
        } catch {
            var fault = error.fault(version)
            if let detail = error.detail(version) {
                // SOAP 1.1 reserves the detail of a fault for errors in the body (§4.4).
                if context.version == .soap11 {
                    if let block = try? XMLFragment(writing: { writer in
                        writer.startElement(version.name("FaultDetail"))
                        writer.wildcard(detail)
                        writer.endElement(version.name("FaultDetail"))
                    }) {
                        context.faultHeaderBlocks.append(HeaderBlock(block))
                    }
                } else {
                    fault.detail = [detail]
                }
            }
            throw RequestRefusal(fault, reason: error.reason)
        }
    }

    private func judge(_ received: ReceivedAddressing, _ context: OperationContext) throws(AddressingDefect) {
        guard let action = received.action else {
            throw AddressingDefect(.messageAddressingHeaderRequired, "no Action", part: .action)
        }
        if let stated = context.soapAction, !stated.isEmpty, stated != action {
            throw AddressingDefect(
                .invalidAddressingHeader, subcode: .actionMismatch, "Action is not the SOAPAction of HTTP",
                part: .action)
        }
        if let expected = context.actions.input, expected != action {
            throw AddressingDefect(
                .actionNotSupported, "Action is not that of \(context.operation)", action: action)
        }
        if let addresses, let to = received.to, !addresses.contains(to), to != received.version.anonymous {
            throw AddressingDefect(.destinationUnreachable, "To is another address", part: .to)
        }
        if requiresMessageID, !context.isOneWay, !context.operation.isEmpty, received.messageID == nil {
            throw AddressingDefect(.messageAddressingHeaderRequired, "no MessageID", part: .messageID)
        }
        for (part, reference) in [(AddressingVersion.Part.replyTo, received.replyTo), (.faultTo, received.faultTo)] {
            guard let address = reference?.address, address != received.version.anonymous,
                address != received.version.none
            else { continue }
            throw AddressingDefect(
                .invalidAddressingHeader, subcode: .onlyAnonymousAddressSupported,
                "\(part.rawValue) is an address elsewhere",
                part: part)
        }
    }

    private func prepareAnswer(
        _ received: ReceivedAddressing, _ context: inout OperationContext
    ) throws(AddressingDefect) {
        let (version, replyTo, faultTo) = (received.version, received.replyTo, received.faultTo ?? received.replyTo)
        let echoed = try replyTo?.headerBlocks(version) ?? []
        for block in try faultTo?.headerBlocks(version) ?? [] { context.faultHeaderBlocks.append(block) }
        context.sendsAnswer = replyTo?.address != version.none || version.none == nil
        context.sendsFault = faultTo?.address != version.none || version.none == nil
        // An answer whose action the WSDL does not name is named after the request.
        let action = context.actions.output ?? "\(received.action ?? "")Response"
        for block in Self.blocks(version, action: action, relatesTo: received.messageID) + echoed {
            context.answerHeaderBlocks.append(block)
        }
    }

    /// Adds the header blocks that every fault has.
    private func prepareFaults(_ received: ReceivedAddressing, _ context: OperationContext) {
        let (version, messageID) = (received.version, received.messageID)
        context.faultHeaderBlocks.append { fault, action in
            let isOwn = fault.subcodes.first?.namespaceURI == version.namespace.uri
            return Self.blocks(version, action: action ?? version.faultAction(isOwn: isOwn), relatesTo: messageID)
        }
    }

    private static func blocks(_ version: AddressingVersion, action: String, relatesTo: String?) -> [HeaderBlock] {
        var blocks = [
            HeaderBlock(version.name(.action), text: action),
            HeaderBlock(version.name(.messageID), text: .newMessageID()),
            HeaderBlock(version.name(.to), text: version.anonymous),
        ]
        if let relatesTo { blocks.append(HeaderBlock(version.name(.relatesTo), text: relatesTo)) }
        return blocks
    }
}
