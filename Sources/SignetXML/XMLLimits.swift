/// Bounds on what a reader accepts, so that no document can exhaust time or memory.
public struct XMLLimits: Sendable, Hashable {
    /// Size of the whole document in bytes.
    public var documentBytes = 64 << 20
    /// Open elements at any point.
    public var depth = 256
    /// Attributes of one element, namespace declarations included.
    public var attributes = 256
    /// Namespace declarations in scope at any point.
    public var namespaces = 64
    /// Length of one name in bytes.
    public var nameBytes = 1024
    /// Length of one element's text, or of one attribute's value, in bytes.
    public var textBytes = 32 << 20

    public init() {}
}
