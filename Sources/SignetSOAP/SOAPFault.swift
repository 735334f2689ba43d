/// A fault that the service answered with (SOAP 1.1 §4.4).
public struct SOAPFault: Error, Sendable, CustomStringConvertible {
    /// What kind of fault it is: a qualified name.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public var namespaceURI: String
        public var localName: String

        public init(namespaceURI: String, localName: String) {
            self.namespaceURI = namespaceURI
            self.localName = localName
        }

        private init(_ localName: String) {
            self.init(namespaceURI: SOAPVersion.soap11.namespace.uri, localName: localName)
        }

        /// The message was wrong or lacked what authenticates it: sending it again unchanged does not help.
        public static let client = Code("Client")
        /// The message was right but could not be processed: it may succeed later.
        public static let server = Code("Server")
        /// The envelope has another namespace.
        public static let versionMismatch = Code("VersionMismatch")
        /// A header block that must be understood was not.
        public static let mustUnderstand = Code("MustUnderstand")

        public var description: String { localName }
    }

    public var code: Code
    /// The explanation for people, in the service's words.
    public var reason: String
    /// Who caused the fault, where the service says so.
    public var actor: String?
    /// The XML inside the detail element as received, without the namespace declarations around it.
    public var detail: String?
    /// Whether the fault came from another service. One that did is not for our own callers: it may name what lies behind us.
    var isReceived = false

    public init(_ code: Code, _ reason: String, actor: String? = nil, detail: String? = nil) {
        self.code = code
        self.reason = reason
        self.actor = actor
        self.detail = detail
    }

    public static func client(_ reason: String) -> SOAPFault { SOAPFault(.client, reason) }
    public static func server(_ reason: String) -> SOAPFault { SOAPFault(.server, reason) }

    public var description: String { "The service answered with the fault \(code): \(reason)" }
}

extension SOAPFault: Equatable {
    /// Faults are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

/// A fault that the WSDL declares, with its detail typed. A client catches it; a service throws it.
public struct DeclaredFault<Detail: XMLStructure>: Error, Sendable, CustomStringConvertible {
    public var detail: Detail
    public var fault: SOAPFault
    /// The element of the detail. It tells faults apart that share a type.
    public var element: XMLName?

    /// A fault for a service to throw.
    ///
    /// - Parameter element: needed only where an operation declares several faults of this type; the first of them when nil.
    public init(_ detail: Detail, code: SOAPFault.Code = .client, reason: String, element: XMLName? = nil) {
        self.detail = detail
        self.element = element
        fault = SOAPFault(code, reason)
    }

    init(_ detail: Detail, element: XMLName, fault: SOAPFault) {
        self.detail = detail
        self.element = element
        self.fault = fault
    }

    /// The kind and the reason; the detail may hold what does not belong in a log.
    public var description: String { "\(fault) (\(Detail.self))" }
}
