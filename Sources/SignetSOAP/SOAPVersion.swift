/// A version of SOAP: its namespace and its content type.
public struct SOAPVersion: Sendable, Hashable, CustomStringConvertible {
    public let description: String
    /// The namespace of the envelope.
    public let namespace: XMLNamespace
    /// The media type of a message.
    public let mediaType: String

    /// SOAP 1.1 (W3C Note, 8 May 2000).
    public static let soap11 = SOAPVersion(
        description: "SOAP 1.1", namespace: XMLNamespace("http://schemas.xmlsoap.org/soap/envelope/"),
        mediaType: "text/xml")

    /// The namespace of a SOAP 1.2 envelope, known so that a peer that sends one can be told apart from one that sends nonsense.
    static let soap12Namespace = XMLNamespace("http://www.w3.org/2003/05/soap-envelope")

    var envelope: XMLName { XMLName(namespace, "Envelope") }
    var header: XMLName { XMLName(namespace, "Header") }
    var body: XMLName { XMLName(namespace, "Body") }
    var fault: XMLName { XMLName(namespace, "Fault") }
    /// The attribute that marks a header block which must be understood.
    var mustUnderstand: XMLName { XMLName(namespace, "mustUnderstand") }
    var actor: XMLName { XMLName(namespace, "actor") }
}
