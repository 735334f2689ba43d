import SignetXML

/// Built-in schemas of common standards, for documents that refer to them without including them. They declare the
/// names that the standards define; the text of the schemas is Signet's own.
enum StandardSchemas {
    static func knows(_ namespace: String) -> Bool { namespace == Namespaces.schema || texts[namespace] != nil }

    /// The `xs:schema` element for a namespace.
    static func schema(of namespace: String) throws(WSDLError) -> XMLNode? {
        guard let content = texts[namespace] else { return nil }
        var prefixes = Self.prefixes.map { "xmlns:\($0.key)=\"\($0.value)\"" }.joined(separator: " ")
        // The prefix `xml` is declared everywhere, and its namespace can have no other prefix.
        if namespace != Namespaces.xml { prefixes += " xmlns:t=\"\(namespace)\"" }
        let form = unqualified.contains(namespace) ? "unqualified" : "qualified"
        let text =
            "<xs:schema targetNamespace=\"\(namespace)\" elementFormDefault=\"\(form)\" \(prefixes)>"
            + content + "</xs:schema>"
        return try XMLNode.parse(Array(text.utf8), file: namespace, limits: .init())
    }

    private static let prefixes = [
        "xs": Namespaces.schema, "ds": Namespaces.signature, "wsu": Namespaces.securityUtility,
    ]

    private static let unqualified: Set<String> = [Namespaces.apacheSOAP]

    private static let texts: [String: String] = [
        Namespaces.schema: schemaOfSchemas,
        Namespaces.xml: xml,
        Namespaces.wsdl: wsdl,
        Namespaces.soapEncoding11: encoding11,
        Namespaces.soapEncoding12: encoding12,
        Namespaces.envelope11: envelope11,
        Namespaces.envelope12: envelope12,
        Namespaces.apacheSOAP: apacheSOAP,
        Namespaces.xmime: xmime,
        Namespaces.xmime2004June: xmimeDraft,
        Namespaces.xmime2004November: xmimeDraft,
        Namespaces.swaRef: swaRef,
        Namespaces.serialization: serialization,
        Namespaces.microsoftMessage: microsoftMessage,
        Namespaces.microsoftTypes: microsoftTypes,
        Namespaces.signature: signature,
        Namespaces.encryption: encryption,
        Namespaces.addressing2004: addressing2004,
        Namespaces.addressing: addressing,
        Namespaces.securityUtility: securityUtility,
        Namespaces.securityExtension: securityExtension,
    ]
}

extension Namespaces {
    /// SOAP 1.1 §4.
    package static let envelope11 = "http://schemas.xmlsoap.org/soap/envelope/"
    /// SOAP 1.2 Part 1 §5.
    package static let envelope12 = "http://www.w3.org/2003/05/soap-envelope"
    /// Describing Media Content of Binary Data in XML (W3C Note).
    package static let xmime = "http://www.w3.org/2005/05/xmlmime"
    /// Its drafts, which some services use.
    package static let xmime2004June = "http://www.w3.org/2004/06/xmlmime"
    package static let xmime2004November = "http://www.w3.org/2004/11/xmlmime"
    /// References to attachments (WS-I Attachments Profile 1.0 §4.4).
    package static let swaRef = "http://ws-i.org/profiles/basic/1.1/xsd"
    /// Types of .NET without a counterpart in XML Schema.
    package static let serialization = "http://schemas.microsoft.com/2003/10/Serialization/"
    /// Messages of WCF whose content the contract does not describe.
    package static let microsoftMessage = "http://schemas.microsoft.com/Message"
    /// Types of ASP.NET without a counterpart in XML Schema.
    package static let microsoftTypes = "http://microsoft.com/wsdl/types/"
    /// XML Signature.
    package static let signature = "http://www.w3.org/2000/09/xmldsig#"
    /// XML Encryption.
    package static let encryption = "http://www.w3.org/2001/04/xmlenc#"
    /// WS-Addressing, Member Submission of August 2004.
    package static let addressing2004 = "http://schemas.xmlsoap.org/ws/2004/08/addressing"
    /// WS-Addressing 1.0.
    package static let addressing = "http://www.w3.org/2005/08/addressing"
    /// WS-Security 1.0.
    package static let securityExtension =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
}
