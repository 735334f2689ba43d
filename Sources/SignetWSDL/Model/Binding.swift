/// A `binding` (WSDL 1.1 §2.5).
package struct Binding: Sendable {
    /// How messages travel.
    package enum Format: Sendable, Hashable {
        case soap11
        case soap12
        /// HTTP GET or POST without an envelope.
        case http
        /// Any other format: the namespace of its extension element, empty when the binding has no such element.
        case other(String)
    }

    /// WSDL 1.1 §3.4.
    package enum Style: String, Sendable, Hashable {
        case document, rpc
    }

    package var name: QName
    package var portType: QName
    package var format: Format
    package var style: Style
    /// The URI of the transport below SOAP.
    package var transport: String
    /// The operations; their names must not change, see ``bind(_:)``.
    package var operations: [BindingOperation]
    private var places = OperationPlaces([])
    /// Extension elements that must be understood and are not: marked `wsdl:required="true"` (WSDL 1.1 §2.1.3).
    package var requiredExtensions: [Extension]
    package var documentation: String?
    package var location: SourceLocation
    /// The policies attached to it.
    package var policies: [PolicyNode] = []
    /// The method of HTTP, where the binding is one to plain HTTP (`http:binding verb`, WSDL 1.1 §4.3).
    package var verb: String?
    /// The version of WS-Addressing that `UsingAddressing` names.
    package var addressing: AddressingName?
    /// The error that makes it unusable; nil when it can be used.
    package var defect: WSDLError?

    init(
        name: QName, portType: QName, format: Format, style: Style, transport: String, requiredExtensions: [Extension],
        documentation: String?, location: SourceLocation, policies: [PolicyNode]
    ) {
        self.name = name
        self.portType = portType
        self.format = format
        self.style = style
        self.transport = transport
        operations = []
        self.requiredExtensions = requiredExtensions
        self.documentation = documentation
        self.location = location
        self.policies = policies
    }

    mutating func bind(_ operations: [BindingOperation]) {
        self.operations = operations
        places = OperationPlaces(operations.map(\.name))
    }

    /// The operation with this name; the first one when several have it.
    package func operation(named name: String) -> BindingOperation? { places[name].map { operations[$0] } }

    package struct Extension: Sendable {
        package var name: QName
        package var location: SourceLocation
    }

    /// Why no code can be made for this binding; nil when it can.
    package var reasonNotUsable: String? {
        if let defect { return defect.reason }
        switch format {
        case .http:
            guard let verb, HTTPExchange.verbs.contains(verb) else {
                return "it is bound to HTTP without SOAP and names the method ‘\(verb ?? "")’, not GET or POST"
            }
            return requiredExtensions.reasonNotUsable
        case .other(let namespace):
            return namespace.isEmpty ? "its binding is abstract" : "its binding ‘\(namespace)’ is not known"
        case .soap11, .soap12: break
        }
        guard [Namespaces.soapOverHTTP, Namespaces.soap12OverHTTP].contains(transport) else {
            return "its transport ‘\(transport)’ is not HTTP"
        }
        return requiredExtensions.reasonNotUsable
    }
}

extension [Binding.Extension] {
    /// Why a component that requires these extensions cannot be used; nil when there are no such extensions.
    package var reasonNotUsable: String? { first.map { "it demands the extension \($0.name), which is not known" } }
}

/// An `operation` of a binding.
package struct BindingOperation: Sendable {
    package var name: String
    /// As given, which may be empty; nil when the attribute is absent.
    package var soapAction: String?
    /// Overrides the binding's style.
    package var style: Binding.Style?
    package var input: BindingMessage?
    package var output: BindingMessage?
    package var faults: [BindingMessage]
    /// Includes the required extensions of its messages.
    package var requiredExtensions: [Binding.Extension]
    package var location: SourceLocation
    /// The policies attached to it.
    package var policies: [PolicyNode] = []
    /// The path of the request, relative to the port's address (`http:operation location`, WSDL 1.1 §4.4).
    package var httpLocation: String?
    /// The error that makes it unusable; nil when it can be used.
    package var defect: WSDLError?
}

/// How one message of an operation is written.
package struct BindingMessage: Sendable {
    package enum Use: String, Sendable, Hashable {
        case literal, encoded
    }

    /// The name of the input, output or fault.
    package var name: String?
    package var use: Use
    /// The message parts that form the body; nil when all of them do.
    package var parts: [String]?
    /// The namespace of the wrapper in RPC style.
    package var namespace: String?
    /// `soap:header` elements.
    package var headers: [HeaderUse]
    /// The place of a `mime:multipartRelated`.
    package var multipart: SourceLocation?
    package var location: SourceLocation
    /// The policies attached to it.
    package var policies: [PolicyNode] = []

    /// `encodingStyle`: the encodings in use, separated by spaces.
    package var encodingStyle: String?
    /// How an input of plain HTTP is written (WSDL 1.1 §4.5, §4.6); nil when `contents` describes it.
    package var urlEncoding: URLEncoding?
    /// Parts that travel as content of their own: the message's content, or the parts of a `mime:multipartRelated`
    /// (WSDL 1.1 §5.3 to §5.6).
    package var contents: [MIMEContent] = []

    /// `soap:headerfault` elements: the header blocks that a fault may have.
    package var headerFaults: [HeaderUse] { headers.flatMap(\.faults) }
    /// The message parts that travel beside the envelope (WSDL 1.1 §5.4).
    package var attachments: [String] { multipart == nil ? [] : contents.compactMap(\.part) }

    package enum URLEncoding: String, Sendable, Hashable {
        /// In the query, as a form.
        case urlEncoded
        /// In the path, where it has `(part)`.
        case urlReplacement
    }

    /// A `soap:header` or `soap:headerfault` (WSDL 1.1 §3.7).
    package struct HeaderUse: Sendable {
        package var message: QName
        package var part: String
        package var use: Use
        package var location: SourceLocation
        /// The namespace of a block whose part has a type.
        package var namespace: String?
        /// `soap:headerfault`: the header blocks that report errors about this header block.
        package var faults: [HeaderUse] = []
    }

    /// A `mime:content` or `mime:mimeXml`.
    package struct MIMEContent: Sendable {
        /// The message part; nil when there is only one.
        package var part: String?
        /// Such as `image/*`; nil for any.
        package var type: String?
        package var location: SourceLocation
    }
}
