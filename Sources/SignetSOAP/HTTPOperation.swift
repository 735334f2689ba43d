/// One operation that is bound to HTTP without SOAP (WSDL 1.1 §4): no envelope, no header blocks, no faults. Generated code makes
/// these.
public struct HTTPOperation<Input: XMLStructure, Output: XMLStructure>: Sendable {
    /// The root element of the answer.
    public let output: XMLName
    let request: HTTPOperationRequest

    /// - Parameters:
    ///   - name: the operation's name in the WSDL.
    ///   - verb: the method of HTTP (`http:binding`, WSDL 1.1 §4.3).
    ///   - location: what stands behind the path of the port's address (`http:operation`, WSDL 1.1 §4.4); a slash is put between
    ///     the two where there is none. It stays on the address's origin, whatever it says.
    ///   - input: where the input goes.
    ///   - output: the root element of the answer (`mime:mimeXml`, WSDL 1.1 §5.6).
    public init(name: String, verb: HTTPVerb, location: String, input: HTTPInput, output: XMLName) {
        request = HTTPOperationRequest(name: name, verb: verb, location: location, input: input)
        self.output = output
    }

    /// The operation's name in the WSDL.
    public var name: String { request.name }
    /// The method of HTTP.
    public var verb: HTTPVerb { request.verb }
    /// What stands behind the path of the port's address.
    public var location: String { request.location }
    /// Where the input goes.
    public var input: HTTPInput { request.input }
}

/// A method of HTTP that a WSDL binds operations to (WSDL 1.1 §4.3).
public enum HTTPVerb: String, Sendable, Hashable {
    /// The input stands in the address; the request has no content.
    case get = "GET"
    /// The input may also be the content of the request.
    case post = "POST"
}

/// Where the input of an operation goes that is bound to HTTP without SOAP. What has a content needs ``HTTPVerb/post``.
public enum HTTPInput: Sendable, Hashable {
    /// Into the query, a parameter a value (`http:urlEncoded`, WSDL 1.1 §4.5).
    case query
    /// Into the location, where it names a part in parentheses (`http:urlReplacement`, WSDL 1.1 §4.6).
    case path
    /// Into the content, as forms are sent (`mime:content` of the type `application/x-www-form-urlencoded`, WSDL 1.1 §5.3).
    case form
    /// Into the content, as an element (`mime:mimeXml`, WSDL 1.1 §5.6).
    case document(XMLName, mediaType: String = "text/xml")
}
