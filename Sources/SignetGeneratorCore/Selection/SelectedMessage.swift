package import SignetWSDL

/// A message as it travels in the body, a header block or a fault's detail.
package struct SelectedMessage: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        /// The global element that the key names.
        case element
        /// A type that a part names.
        case type(QName)
        /// A child for each part (WSDL 1.1 §3.5).
        case parts([Part])
    }

    package typealias Part = ResolvedMessage.Part

    /// The key of the type that is bound for it.
    package var key: TypeKey
    /// The element that it travels in; nil when it is the content of the body itself.
    package var element: QName?
    package var content: Content
    /// Whether it is written by the rules of SOAP's encoding (SOAP 1.1 §5, SOAP 1.2 Part 2 §3).
    package var isEncoded = false
    /// The action of WS-Addressing for a fault; nil when the WSDL does not use WS-Addressing.
    package var action: String?
    package var location: SourceLocation

    /// A global element.
    init(element: QName, isEncoded: Bool = false, at location: SourceLocation) {
        key = TypeKey(root: .element, name: element)
        self.element = element
        content = .element
        self.isEncoded = isEncoded
        self.location = location
    }

    init(key: TypeKey, element: QName?, content: Content, isEncoded: Bool, at location: SourceLocation) {
        self.key = key
        self.element = element
        self.content = content
        self.isEncoded = isEncoded
        self.location = location
    }

    /// Messages are equal when content and encoding are equal, wherever they are declared.
    package static func == (left: Self, right: Self) -> Bool {
        left.key == right.key && left.element == right.element && left.isEncoded == right.isEncoded
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(element)
    }
}
