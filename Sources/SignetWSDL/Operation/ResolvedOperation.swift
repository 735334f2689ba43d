/// An operation of a binding together with what it stands for: the decision that generated code and dynamic calls share
/// (WSDL 1.1 §2.5, §3).
package struct ResolvedOperation: Sendable {
    /// As the WSDL calls it; overloads share it.
    package var name: String
    /// The name that tells overloads apart: that of the WSDL for the first, with a number behind it for each further
    /// one.
    package var distinctName: String
    /// Its place among the operations of the binding.
    package var bindingIndex: Int
    /// Its place among the operations of the portType; nil when the portType does not have it. All bindings of a
    /// portType know the operation by this number.
    package var portTypeIndex: Int?
    package var bound: BindingOperation
    /// Nil when the portType does not have it.
    package var abstract: Operation?
    /// How its messages travel, or why it cannot be used.
    package var exchange: Result<ResolvedExchange, OperationRefusal>
    /// What is left out of it or is taken for something else. Where strict options forbid the first, `isOmission` is
    /// true.
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
    /// None for a one-way operation, which has no answer that could bring one (WSDL 1.1 §2.4.1).
    package var faults: [ResolvedFault] = []
    /// The header blocks that go with the input.
    package var inputHeaders: [ResolvedBlock] = []
    /// The header blocks that go with the output or tell what was wrong with those of the input.
    package var outputHeaders: [ResolvedBlock] = []
    /// The message parts that travel beside the envelopes; nil where none may (WSDL 1.1 §5.4).
    package var inputAttachments: [String]?
    package var outputAttachments: [String]?

    /// Whether a message is written by the rules of SOAP's encoding (SOAP 1.1 §5, SOAP 1.2 Part 2 §3).
    package var isEncoded: Bool { input.isEncoded || output?.isEncoded == true }
}

/// What the body of a message holds (WSDL 1.1 §3.5).
package struct ResolvedMessage: Sendable {
    package enum Content: Sendable, Hashable {
        /// A global element.
        case element(QName)
        /// In RPC style an element called like the operation, with a child for each part.
        case wrapper(QName, [Part])
        /// A value of a type, which is the content of the body itself.
        case type(QName)
        /// A child for each part, which together are the content of the body itself; without SOAP a value for each
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

/// A header block, or what the detail of a fault holds (WSDL 1.1 §3.6, §3.7).
package struct ResolvedBlock: Sendable {
    package var element: QName
    /// The type of an element that no schema declares; nil for a global element.
    package var type: QName?
    package var isEncoded: Bool
    package var location: SourceLocation
}

/// What the detail of a declared fault holds.
package struct ResolvedFault: Sendable {
    package var block: ResolvedBlock
    /// What WS-Addressing names it by (Metadata 1.0 §4.4.3).
    package var action: String
}

/// Why an operation can neither be generated nor called.
package struct OperationRefusal: Error, Sendable, Hashable {
    package enum Form: Sendable, Hashable {
        /// The text goes on behind the operation's name: ‘is a notification …’.
        case predicate
        /// The text is a clause of its own: ‘its input names …’.
        case clause
        /// The text says what is wrong in the document.
        case defect
        /// The text says what does not fit into HTTP without SOAP.
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
