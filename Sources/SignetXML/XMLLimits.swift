/// Bounds on what a reader accepts, so that no document can exhaust time or memory.
public struct XMLLimits: Sendable, Hashable {
    /// Size of the whole document in bytes; also of all that is kept of it as ``XMLFragment`` and ``XMLAny``, with the
    /// namespace declarations that are added to each.
    public var documentBytes = 64 << 20
    /// Open elements at any point.
    public var depth = 256
    /// Attributes of one element, namespace declarations included.
    public var attributes = 256
    /// Namespace declarations in scope at any point.
    public var namespaces = 64
    /// Length of one name in bytes, or of one namespace name.
    public var nameBytes = 1024
    /// Length of one element's text, or of one attribute's value, in bytes.
    public var textBytes = 32 << 20
    /// Entities that a document type declaration may declare, and attributes; each kind is counted for itself. See
    /// ``XMLDoctype/internalEntities``.
    public var entities = 1024
    /// What entities and default attributes may add to a document, in bytes: each replacement text counts as often as it is
    /// referred to, also inside other entities, and 32 bytes more each time.
    public var expandedBytes = 256 << 10

    /// Limits for messages of a service: 64 MiB a document, 32 MiB a text, 256 open elements. Set the properties to
    /// have others.
    public init() {}

    /// For what has been checked before.
    static let none: XMLLimits = {
        var limits = XMLLimits()
        limits.documentBytes = .max
        limits.depth = .max
        limits.attributes = .max
        limits.namespaces = .max
        limits.nameBytes = .max
        limits.textBytes = .max
        limits.entities = .max
        limits.expandedBytes = .max
        return limits
    }()
}
