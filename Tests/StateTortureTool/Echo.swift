#if Server && SQLite
import SignetSOAP

/// The operation that is called: the text is the number of the message.
enum Echo {
    static let namespace = "urn:signet:torture"
    static let operation = ServiceOperation<XMLAny, XMLAny>(
        name: "Echo", soapAction: "urn:signet:torture:echo", version: .soap11, input: XMLName(namespace, "Echo"),
        output: XMLName(namespace, "Echo"))

    static func content(_ text: String) throws -> XMLAny {
        XMLAny(children: [try XMLFragment(XMLName(namespace, "text"), text: text)])
    }
}
#endif
