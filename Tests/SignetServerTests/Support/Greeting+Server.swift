import GreetingService
import SignetSOAP

extension Greeting {
    typealias Handler = @Sendable (Greet, OperationContext) async throws -> Greeted

    static func dispatcher(_ handler: @escaping Handler) -> ServiceDispatcher {
        dispatcher(versions: [.soap11], handler)
    }

    /// The answer names the client as the server knows it: the subject of its certificate, and its user.
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
