/// A header block that a WSDL declares: its name and its type. Generated code makes these.
///
/// ```swift
/// // A client sends one block and reads another from the answer,
/// let session = Parcels.Headers.session.block(.init(key: key), mustUnderstand: true)
/// let answer = try await parcels.caller.answer(to: Parcels.Operations.send, parcel, headerBlocks: [session])
/// let usage = try answer.header(Parcels.Headers.usage)
///
/// // and a handler finds the first in its context, and sends the other with its answer.
/// guard let session = try context.header(Parcels.Headers.session) else { throw SOAPFault.client("No session.") }
/// context.answerHeaderBlocks.append(Parcels.Headers.usage.block(.init(calls: 1)))
/// ```
public struct HeaderElement<Value: XMLStructure>: Sendable {
    /// The name of the block's element. A received block is this one when both parts of the name are the same.
    public let name: XMLName

    /// Makes the declaration of a block from the name of its element. Generated code makes those that a WSDL declares.
    public init(_ name: XMLName) { self.name = name }

    /// Makes a block to send.
    ///
    /// - Parameters:
    ///   - value: the content of the block.
    ///   - mustUnderstand: whether the receiver must answer with a fault when it does not know this block.
    ///   - role: the role that the block is addressed to; nil for the ultimate receiver.
    ///   - relay: whether an intermediary is to pass the block on although it does not process it (SOAP 1.2).
    public func block(
        _ value: Value, mustUnderstand: Bool = false, role: SOAPRole? = nil, relay: Bool = false
    ) -> HeaderBlock {
        HeaderBlock(name, value, mustUnderstand: mustUnderstand, role: role, relay: relay)
    }
}
