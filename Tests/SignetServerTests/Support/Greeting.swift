import SignetSOAP

/// A service written by hand as the generator would write it.
enum Greeting {
    struct Greet: XMLStructure {
        var name: String
        init(name: String) { self.name = name }
        init(_decoding: Void) { self.init(name: ._placeholder) }
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(["urn:greeting"], elements: "name")
            fields.field(&x.name)
        }
    }

    struct Greeted: XMLStructure {
        var text: String
        init(text: String) { self.text = text }
        init(_decoding: Void) { self.init(text: ._placeholder) }
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(["urn:greeting"], elements: "text")
            fields.field(&x.text)
        }
    }

    static let greet = ServiceOperation<Greet, Greeted>(
        name: "Greet", soapAction: "", version: .soap11, input: XMLName("urn:greeting", "Greet"),
        output: XMLName("urn:greeting", "Greeted"), namespaces: ["urn:greeting"])

    static let wave = OneWayOperation<Greet>(
        name: "Wave", soapAction: "", version: .soap11, input: XMLName("urn:greeting", "Wave"))

    typealias Handler = @Sendable (Greet, ServiceContext) async throws -> Greeted

    static func dispatcher(_ handler: @escaping Handler) -> ServiceDispatcher {
        ServiceDispatcher(name: "Greeting", versions: [.soap11], routes: [greet.route(handler)])
    }

    /// Says whom the server believes to be talking to.
    static let dispatcher = dispatcher { input, context in
        Greeted(
            text: "Hello \(input.name), \(context.peer.certificateSubject ?? "nobody"), \(context.peer.user ?? "none")")
    }

    static func envelope(_ name: String, _ version: SOAPVersion = .soap11, operation: String = "Greet") -> String {
        """
        <s:Envelope xmlns:s="\(version.namespace)"><s:Body><\(operation) xmlns="urn:greeting">\
        <name>\(name)</name></\(operation)></s:Body></s:Envelope>
        """
    }

    /// The arguments that make curl send a message.
    static func posting(_ message: String, contentType: String = "text/xml; charset=utf-8") -> [String] {
        ["--header", "Content-Type: \(contentType)", "--header", "SOAPAction: \"\"", "--data-binary", message]
    }
}
