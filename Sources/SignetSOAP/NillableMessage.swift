@_spi(Generated) import SignetXML

/// A message whose element may be nil (`xsi:nil`, XML Schema Part 1 §2.6.2). Generated code wraps the input and the
/// output of an operation in it when their element is nillable; generated clients and services show an optional.
public struct NillableMessage<Content: XMLStructure>: XMLStructure {
    /// The content of the element; nil when the element is nil. Attributes of an element that is nil are not kept.
    public var content: Content?

    /// - Parameter content: nil for an element with `xsi:nil="true"` and nothing in it.
    public init(_ content: Content?) { self.content = content }

    public init(_decoding: Void) {}

    public static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.whole()
        fields.nillableStructure(&x.content)
    }

    public var description: String { content.map(\.description) ?? "nil" }
}
