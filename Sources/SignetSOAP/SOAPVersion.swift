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

    /// SOAP 1.2 (W3C Recommendation, second edition, 27 April 2007).
    public static let soap12 = SOAPVersion(
        description: "SOAP 1.2", namespace: XMLNamespace("http://www.w3.org/2003/05/soap-envelope"),
        mediaType: "application/soap+xml")

    /// All supported versions, the newest first.
    package static let all = [soap12, soap11]

    /// The version whose messages have this media type, given in lower case and without parameters.
    package static func named(byMediaType type: String) -> SOAPVersion? { all.first { $0.mediaType == type } }

    /// The version of an envelope; nil for anything else.
    package static func ofEnvelope(_ message: [UInt8], charset: String?, _ limits: XMLLimits) -> SOAPVersion? {
        let version = try? XMLReader.read(message, limits: limits, charset: charset) { (reader) throws(XMLError) in
            try reader.root()
            return all.first { reader.isElement($0.envelope) }
        }
        return version ?? nil
    }

    package var envelope: XMLName { XMLName(namespace, "Envelope") }
    package var header: XMLName { XMLName(namespace, "Header") }
    package var body: XMLName { XMLName(namespace, "Body") }
    var fault: XMLName { XMLName(namespace, "Fault") }
    /// The attribute that names the encoding of an element's content (SOAP 1.1 §4.1.1, SOAP 1.2 Part 1 §5.1.1).
    var encodingStyle: XMLName { XMLName(namespace, "encodingStyle") }
    /// The attribute that marks a header block which must be understood.
    package var mustUnderstand: XMLName { XMLName(namespace, "mustUnderstand") }
    /// The attribute that names the role that a header block is addressed to.
    package var role: XMLName { XMLName(namespace, self == .soap11 ? "actor" : "role") }
    /// The attribute that asks an intermediary to pass on a block that it does not process (SOAP 1.2 Part 1 §5.2.4).
    var relay: XMLName { XMLName(namespace, "relay") }
}
