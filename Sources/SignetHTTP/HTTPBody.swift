/// The content of a request, which knows whether it can be sent a second time.
///
/// Authentication may need a second leg with the same content; a body that cannot be replayed must say so before
/// anything is sent.
public struct HTTPBody: Sendable, Hashable, ExpressibleByArrayLiteral {
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }
    public init(arrayLiteral elements: UInt8...) { self.init(elements) }

    /// Bytes in memory can be sent as often as needed.
    public var isReplayable: Bool { true }
    public var count: Int { bytes.count }
}
