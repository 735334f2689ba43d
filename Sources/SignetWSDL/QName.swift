import SignetXML

/// An expanded name in a document.
///
/// Unlike an `XMLName`, it is not stored for the lifetime of the process.
package struct QName: Sendable, Hashable, CustomStringConvertible {
    /// Empty for no namespace.
    package var namespace: String
    package var localName: String

    package init(_ namespace: String, _ localName: String) {
        self.namespace = namespace
        self.localName = localName
    }

    /// The type of elements without a declared type (XML Schema Part 1 §3.4.7).
    package static let anyType = QName(Namespaces.schema, "anyType")

    // Names match when they consist of the same Unicode scalars (XML 1.0 §1.2), while Swift's `==` treats composed and
    // decomposed characters as equal.
    package static func == (left: Self, right: Self) -> Bool {
        left.localName.isExactly(right.localName) && left.namespace.isExactly(right.namespace)
    }

    package func hash(into hasher: inout Hasher) {
        ExactText(localName).hash(into: &hasher)
        ExactText(namespace).hash(into: &hasher)
    }

    package var description: String { namespace.isEmpty ? localName : "{\(namespace)}\(localName)" }

    /// The name of a component after an `xs:redefine` took its original name (XML Schema Part 1 §4.2.2); no document
    /// can contain this name.
    package var original: QName { original(1) }

    /// The same for a component whose name was taken several times.
    func original(_ number: Int) -> QName {
        QName(namespace, localName + Self.mark + (number > 1 ? "\(number)" : ""))
    }

    /// Whether the name is that of a component whose original name an `xs:redefine` took.
    package var isRedefined: Bool { localName.contains(Self.mark) }

    private static let mark = "#original"
}

extension QName: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        if left.localName != right.localName { return left.localName < right.localName }
        if left.namespace != right.namespace { return left.namespace < right.namespace }
        return left.description.utf8.lexicographicallyPrecedes(right.description.utf8)
    }
}

/// The namespaces of the documents that are read.
package enum Namespaces {
    /// WSDL 1.1.
    package static let wsdl = "http://schemas.xmlsoap.org/wsdl/"
    /// XML Schema 1.0.
    package static let schema = "http://www.w3.org/2001/XMLSchema"
    package static let xml = "http://www.w3.org/XML/1998/namespace"
    /// WSDL 1.1 §3, the binding for SOAP 1.1.
    package static let soap11 = "http://schemas.xmlsoap.org/wsdl/soap/"
    /// WSDL 1.1 Binding Extension for SOAP 1.2 (W3C Submission, 5 April 2006).
    package static let soap12 = "http://schemas.xmlsoap.org/wsdl/soap12/"
    /// WSDL 1.1 §4.
    package static let http = "http://schemas.xmlsoap.org/wsdl/http/"
    /// WSDL 1.1 §5.
    package static let mime = "http://schemas.xmlsoap.org/wsdl/mime/"
    /// The encodings of SOAP 1.1 (§5) and of SOAP 1.2 (Part 2 §3).
    package static let soapEncoding11 = "http://schemas.xmlsoap.org/soap/encoding/"
    package static let soapEncoding12 = "http://www.w3.org/2003/05/soap-encoding"
    package static let soapEncodings = [soapEncoding11, soapEncoding12]
    /// The namespaces in which `UsingAddressing` was published (WS-Addressing 1.0 WSDL Binding §3.1, its drafts, and
    /// the submission).
    package static let addressingBindings: Set = [
        "http://www.w3.org/2006/05/addressing/wsdl", "http://www.w3.org/2006/02/addressing/wsdl",
        "http://www.w3.org/2005/08/addressing/wsdl", "http://www.w3.org/2005/03/addressing/wsdl",
        addressingPolicy2004,
    ]
    static let addressingPolicy2004 = "http://schemas.xmlsoap.org/ws/2004/08/addressing/policy"
    /// WS-Addressing 1.0 Metadata: the attribute `Action`, the assertion `Addressing`.
    static let addressingMetadata = "http://www.w3.org/2007/05/addressing/metadata"
    /// The namespaces in which documents use the attribute `Action` of a message; some of them come from mistakes in
    /// other tools.
    static let addressingActions = addressingBindings.union([
        addressingMetadata, "http://www.w3.org/2007/02/addressing/metadata", "http://www.w3.org/2005/08/addressing",
        "http://schemas.xmlsoap.org/ws/2004/08/addressing",
    ])
    /// Types that Axis knows without a schema: maps, vectors, documents.
    package static let apacheSOAP = "http://xml.apache.org/xml-soap"
    /// SOAP over HTTP, the value of `transport` (WSDL 1.1 §3.3).
    package static let soapOverHTTP = "http://schemas.xmlsoap.org/soap/http"
    /// The name of the HTTP binding in SOAP 1.2 itself (SOAP 1.2 Part 2 §7.2).
    package static let soap12OverHTTP = "http://www.w3.org/2003/05/soap/bindings/HTTP/"
    /// Hand-written variants of these.
    static let httpTransportVariants = [
        "http://schemas.xmlsoap.org/soap/http/": soapOverHTTP, "http://schemas.xmlsoap.org/soap/https": soapOverHTTP,
        "http://www.w3.org/2003/05/soap/bindings/HTTP": soap12OverHTTP,
    ]
}
