/// Limits of a message with attachments, so that no message can exhaust time, memory or the disk.
public struct AttachmentLimits: Sendable, Hashable {
    /// The number of parts of the message, the envelope included.
    public var parts = 1000
    /// The size of the header of one part, in bytes.
    public var headerBytes = 16 << 10
    /// The number of fields in the header of one part.
    public var headerFields = 64
    /// The size of the whole message in bytes as it is sent, boundaries and headers included. A server also has a limit
    /// for all requests, `SOAPServer.Settings.maximumRequestBytes`, and the smaller of the two counts.
    public var totalBytes = Self.usualTotalBytes
    /// The size of the envelope in bytes, without its transfer encoding.
    public var rootBytes = 64 << 20
    /// The size in bytes from which an attachment is kept in a file: a larger attachment is not kept in memory.
    public var memoryBytesPerPart = 64 << 10
    /// The size in bytes of all attachments in memory together; further attachments are kept in a file.
    public var memoryBytes = 1 << 20
    /// The folder for that file, which has no name and is removed with the last attachment in it; nil for `TMPDIR`, or
    /// `/tmp`.
    public var temporaryFolder: String?

    /// The usual limits: 1000 parts, 64 MiB for the whole message, 1 MiB of attachments in memory.
    public init() {}

    private static let usualTotalBytes = 64 << 20

    /// Whether ``totalBytes`` has its default.
    package var hasUsualTotal: Bool { totalBytes == Self.usualTotalBytes }

    /// Returns the limits for a service whose requests may have this many bytes. An unchanged total follows that limit.
    package func bounded(by ceiling: Int) -> AttachmentLimits {
        var limits = self
        limits.totalBytes = hasUsualTotal ? ceiling : min(totalBytes, ceiling)
        limits.rootBytes = min(rootBytes, ceiling)
        return limits
    }
}
