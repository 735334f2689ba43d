extension SOAPFault {
    /// The kind of a fault: a qualified name.
    ///
    /// The codes of both versions of SOAP that mean the same are equal: `Client` and `Sender`, `Server` and `Receiver`.
    public struct Code: Sendable, CustomStringConvertible {
        /// The namespace of the name: the envelope's for the standard codes, and your own for others.
        public let namespaceURI: String
        /// The name without a prefix. In SOAP 1.1 it may have parts after dots, such as `Client.Authentication`
        /// (§4.4.1).
        public let localName: String

        /// Makes a code of your own. SOAP 1.2 allows such a code only as a subcode (Part 1 §5.4.6), and the code is
        /// sent as one there.
        public init(namespaceURI: String, localName: String) {
            self.namespaceURI = namespaceURI
            self.localName = localName
        }

        private init(_ localName: String, _ version: SOAPVersion = .soap11) {
            self.init(namespaceURI: version.namespace.uri, localName: localName)
        }

        /// The message was wrong or lacked valid credentials: sending it again unchanged does not help.
        public static let client = Code("Client")
        /// The message was right but could not be processed: it may succeed later.
        public static let server = Code("Server")
        /// The name of ``client`` in SOAP 1.2.
        public static let sender = Code("Sender", .soap12)
        /// The name of ``server`` in SOAP 1.2.
        public static let receiver = Code("Receiver", .soap12)
        /// The envelope has another namespace.
        public static let versionMismatch = Code("VersionMismatch")
        /// The receiver did not understand a header block that must be understood.
        public static let mustUnderstand = Code("MustUnderstand")
        /// The message is encoded in a way that is not supported (SOAP 1.2 only).
        public static let dataEncodingUnknown = Code("DataEncodingUnknown", .soap12)

        /// The names of the standard codes in SOAP 1.1, or its closest code where it has none, and in SOAP 1.2.
        private static let standard: [(soap11: String, soap12: String)] = [
            ("Client", "Sender"), ("Server", "Receiver"), ("VersionMismatch", "VersionMismatch"),
            ("MustUnderstand", "MustUnderstand"), ("Client", "DataEncodingUnknown"),
        ]

        /// The local name of a standard code in this version; nil for any other code.
        package func standardName(in version: SOAPVersion) -> String? {
            let isSOAP11 = namespaceURI == SOAPVersion.soap11.namespace.uri
            guard isSOAP11 || namespaceURI == SOAPVersion.soap12.namespace.uri else { return nil }
            let names = Self.standard.first { (isSOAP11 ? $0.soap11 : $0.soap12) == localName }
            return version == .soap11 ? names?.soap11 : names?.soap12
        }

        /// The value that is equal for codes with the same meaning.
        private var meaning: ReceivedName {
            guard let name = standardName(in: .soap12) else {
                return ReceivedName(namespaceURI: namespaceURI, localName: localName)
            }
            return ReceivedName(namespaceURI: SOAPVersion.soap12.namespace.uri, localName: name)
        }

        public var description: String { localName }
    }
}

extension SOAPFault.Code: Hashable {
    public static func == (left: Self, right: Self) -> Bool { left.meaning == right.meaning }
    public func hash(into hasher: inout Hasher) { hasher.combine(meaning) }
}
