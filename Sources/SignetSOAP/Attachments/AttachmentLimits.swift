/// Bounds on a message with attachments, so that none can exhaust time, memory or the disk.
public struct AttachmentLimits: Sendable, Hashable {
    /// Parts of the message, the envelope included.
    public var parts = 1000
    /// The header of one part, in bytes.
    public var headerBytes = 16 << 10
    /// Fields in the header of one part.
    public var headerFields = 64
    /// The whole message in bytes as it is sent, boundaries and headers included. A server has one ceiling for all requests beside
    /// it, `SOAPServer.Settings.maximumRequestBytes`, and the smaller of the two counts.
    public var totalBytes = Self.usualTotalBytes
    /// The envelope in bytes, without its transfer encoding.
    public var rootBytes = 64 << 20
    /// An attachment of more bytes is kept in a file.
    public var memoryBytesPerPart = 64 << 10
    /// Attachments are kept in a file when those in memory together would have more bytes.
    public var memoryBytes = 1 << 20
    /// Where that file is made, which has no name and goes with the last attachment in it; nil for `TMPDIR`, or `/tmp`.
    public var temporaryFolder: String?

    /// The usual limits: 1000 parts, 64 MiB for the whole message, 1 MiB of attachments in memory.
    public init() {}

    private static let usualTotalBytes = 64 << 20

    /// Whether ``totalBytes`` was left as it is.
    package var hasUsualTotal: Bool { totalBytes == Self.usualTotalBytes }

    /// The same for a service whose requests may have so many bytes. A total that was left as it is follows the ceiling.
    package func bounded(by ceiling: Int) -> AttachmentLimits {
        var limits = self
        limits.totalBytes = hasUsualTotal ? ceiling : min(totalBytes, ceiling)
        limits.rootBytes = min(rootBytes, ceiling)
        return limits
    }
}
