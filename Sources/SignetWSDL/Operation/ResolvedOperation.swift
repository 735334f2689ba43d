/// An operation of a binding, paired with that of the portType. Generated code and dynamic calls share this result
/// (WSDL 1.1 §2.5, §3).
package struct ResolvedOperation: Sendable {
    /// The name in the WSDL; overloads share it.
    package var name: String
    /// The name that tells overloads apart: the WSDL's name for the first, with a number appended for each further one.
    package var distinctName: String
    /// Its index among the operations of the binding.
    package var bindingIndex: Int
    /// Its index among the operations of the portType; nil when the portType does not have it. All bindings of a
    /// portType share this index.
    package var portTypeIndex: Int?
    package var bound: BindingOperation
    /// The operation of the portType; nil when the portType does not have it.
    package var abstract: Operation?
    /// How its messages travel, or why it cannot be used.
    package var exchange: Result<ResolvedExchange, OperationRefusal>
    /// Diagnostics about parts that are left out or interpreted differently. `isOmission` is true for the omissions,
    /// which strict options do not allow.
    package var remarks: [Diagnostic]
}

/// The messages of an operation that can be used.
package struct ResolvedExchange: Sendable {
    package var style: Binding.Style
    /// How it travels over HTTP without SOAP; nil with SOAP.
    package var http: HTTPExchange?
    package var input: ResolvedMessage
    /// Nil for a one-way operation.
    package var output: ResolvedMessage?
    /// Empty for a one-way operation, which has no answer (WSDL 1.1 §2.4.1).
    package var faults: [ResolvedFault] = []
    /// The header blocks that go with the input.
    package var inputHeaders: [ResolvedBlock] = []
    /// The header blocks of the output, and those that report errors about the input's header blocks.
    package var outputHeaders: [ResolvedBlock] = []
    /// The message parts that travel beside the envelopes; nil when attachments are not allowed (WSDL 1.1 §5.4).
    package var inputAttachments: [String]?
    package var outputAttachments: [String]?

    /// Whether a message is written by the rules of SOAP's encoding (SOAP 1.1 §5, SOAP 1.2 Part 2 §3).
    package var isEncoded: Bool { input.isEncoded || output?.isEncoded == true }
}

/// The content of the body of a message (WSDL 1.1 §3.5).
package struct ResolvedMessage: Sendable {
    package enum Content: Sendable, Hashable {
        /// A global element.
        case element(QName)
        /// In RPC style an element with the name of the operation and a child for each part.
        case wrapper(QName, [Part])
        /// A value of a type, which is the content of the body itself.
        case type(QName)
        /// One child for each part; together they are the content of the body itself. Without SOAP, one value for each
        /// part.
        case parts([Part])
    }

    /// A part of the message, as a child.
    package struct Part: Sendable, Hashable {
        package enum Content: Sendable, Hashable {
            case element(QName)
            case type(QName)
            /// Any number of values of a type.
            case items(QName)
        }

        package var name: String
        package var content: Content
        package var location: SourceLocation

        package init(name: String, content: Content, location: SourceLocation) {
            self.name = name
            self.content = content
            self.location = location
        }

        /// The same as a child of an element.
        package func accessor(isNillable: Bool = false) -> ElementDeclaration.Accessor {
            let content: ElementDeclaration.Accessor.Content =
                switch self.content {
                case .element(let name): .element(name)
                case .type(let type): .type(type, isNillable: isNillable)
                case .items(let type): .items(type)
                }
            return .init(name: name, content: content, location: location)
        }
    }

    /// The message of the WSDL.
    package var message: QName
    package var content: Content
    package var isEncoded: Bool
    /// The place of the only part, or of the message.
    package var location: SourceLocation
}

/// A header block, or the content of a fault's detail (WSDL 1.1 §3.6, §3.7).
package struct ResolvedBlock: Sendable {
    package var element: QName
    /// The type of an element that no schema declares; nil for a global element.
    package var type: QName?
    package var isEncoded: Bool
    package var location: SourceLocation
}

/// The content of the detail of a declared fault.
package struct ResolvedFault: Sendable {
    package var block: ResolvedBlock
    /// The action of WS-Addressing (Metadata 1.0 §4.4.3).
    package var action: String
}

/// The reason why an operation can neither be generated nor called.
package struct OperationRefusal: Error, Sendable, Hashable {
    package enum Form: Sendable, Hashable {
        /// The text continues a sentence after the operation's name: ‘is a notification …’.
        case predicate
        /// The text is a clause of its own: ‘its input names …’.
        case clause
        /// The text describes an error in the document.
        case defect
        /// The text describes what HTTP without SOAP cannot express.
        case plainHTTP
    }

    package var form: Form
    package var text: String
    package var location: SourceLocation

    init(_ form: Form, _ text: String, at location: SourceLocation) {
        self.form = form
        self.text = text
        self.location = location
    }

    /// The reason alone, with ‘it’ for the operation.
    package var reason: String { form == .predicate ? "it \(text)" : text }

    /// The whole sentence, without its end.
    package func sentence(about operation: String) -> String {
        let subject = "the operation ‘\(operation)’"
        return switch form {
        case .predicate: "\(subject) \(text)"
        case .clause: "\(subject): \(text)"
        case .defect: "\(subject) cannot be used: \(text)"
        case .plainHTTP: "\(subject) cannot be made without SOAP: \(text)"
        }
    }
}
