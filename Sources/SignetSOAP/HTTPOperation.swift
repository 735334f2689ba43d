/// One operation that is bound to HTTP without SOAP (WSDL 1.1 §4): no envelope, no header blocks, no faults. Generated
/// code makes these.
public struct HTTPOperation<Input: XMLStructure, Output: XMLStructure>: Sendable {
    /// The root element of the answer.
    public let output: XMLName
    let request: HTTPOperationRequest

    /// - Parameters:
    ///   - name: the operation's name in the WSDL.
    ///   - verb: the method of HTTP (`http:binding`, WSDL 1.1 §4.3).
    ///   - location: the location, which is appended to the path of the port's address (`http:operation`, WSDL 1.1
    ///     §4.4), with a slash between the two if there is none. It cannot change the origin of the address.
    ///   - input: the part of the request that carries the input.
    ///   - output: the root element of the answer (`mime:mimeXml`, WSDL 1.1 §5.6).
    public init(name: String, verb: HTTPVerb, location: String, input: HTTPInput, output: XMLName) {
        request = HTTPOperationRequest(name: name, verb: verb, location: location, input: input)
        self.output = output
    }

    /// The operation's name in the WSDL.
    public var name: String { request.name }
    /// The method of HTTP.
    public var verb: HTTPVerb { request.verb }
    /// The location, which is appended to the path of the port's address.
    public var location: String { request.location }
    /// The part of the request that carries the input.
    public var input: HTTPInput { request.input }
}

/// An HTTP method to which a WSDL binds operations (WSDL 1.1 §4.3).
public enum HTTPVerb: String, Sendable, Hashable {
    /// The input is in the address; the request has no content.
    case get = "GET"
    /// The input may also be the content of the request.
    case post = "POST"
}

/// The part of the request that carries the input of an operation bound to HTTP without SOAP. The cases with content
/// need ``HTTPVerb/post``.
public enum HTTPInput: Sendable, Hashable {
    /// The query, with a parameter for each value (`http:urlEncoded`, WSDL 1.1 §4.5).
    case query
    /// The location, which names parts in parentheses (`http:urlReplacement`, WSDL 1.1 §4.6).
    case path
    /// The content, encoded as a form (`mime:content` of the type `application/x-www-form-urlencoded`, WSDL 1.1 §5.3).
    case form
    /// The content, as an element (`mime:mimeXml`, WSDL 1.1 §5.6).
    case document(XMLName, mediaType: String = "text/xml")
}
