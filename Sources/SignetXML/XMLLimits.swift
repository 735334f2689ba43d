/// Limits of what a reader accepts, so that no document can exhaust time or memory.
public struct XMLLimits: Sendable, Hashable {
    /// The size of the whole document in bytes; also the size of everything kept of it as ``XMLFragment`` and
    /// ``XMLAny``, with the namespace declarations that are added to each.
    public var documentBytes = 64 << 20
    /// The number of open elements at any point.
    public var depth = 256
    /// The number of attributes of one element, namespace declarations included.
    public var attributes = 256
    /// The number of namespace declarations in scope at any point.
    public var namespaces = 64
    /// The length of one name in bytes, or of one namespace name.
    public var nameBytes = 1024
    /// The length of one element's text, or of one attribute's value, in bytes.
    public var textBytes = 32 << 20
    /// The number of entities that a document type declaration may declare, and the number of attributes; each kind is
    /// counted separately. See ``XMLDoctype/internalEntities``.
    public var entities = 1024
    /// How many bytes entities and default attributes may add to a document: each replacement text counts as often as
    /// it is referred to, also inside other entities, with 32 bytes more each time.
    public var expandedBytes = 256 << 10

    /// Makes the usual limits for messages of a service: 64 MiB for a document, 32 MiB for a text, 256 open elements.
    /// Set the properties to change them.
    public init() {}

    /// No limits, for bytes that have been checked before.
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
