import HTTPTypes

/// The constant part of a request without SOAP.
struct HTTPOperationRequest: RequestForm {
    let name: String
    let verb: HTTPVerb
    let location: String
    let input: HTTPInput

    func version(wanted: SOAPVersion?) -> SOAPVersion? { nil }

    func message<Input>(of call: ServiceCall<Input>, _ settings: AttachmentSettings) throws -> RequestMessage {
        guard call.headerBlocks.isEmpty, call.attachments.isEmpty else {
            throw TransportError.noHeaderBlocks(name)
        }
        let target = try HTTPTarget(call.endpoint.path, location, of: name)
        var message = RequestMessage(
            method: verb == .get ? .get : .post, path: target.description, accept: "text/xml, application/xml")
        switch input {
        case .query: message.path = target.adding(FormEncoding.query(try Self.parts(of: call.input)))
        case .path: message.path = try target.replacing(try Self.parts(of: call.input))
        case .form:
            message.content = .body(
                HTTPBody(Array(FormEncoding.query(try Self.parts(of: call.input)).utf8)),
                contentType: FormEncoding.mediaType)
        case .document(let element, let mediaType):
            var writer = XMLWriter()
            writer.element(element, call.input)
            message.content = .body(
                HTTPBody(try writer.finish()), contentType: "\(mediaType); charset=utf-8")
        }
        if verb == .get, case .body(_, .some) = message.content {
            throw TransportError(
                .invalidRequest, "\(name) puts its input into the content of a GET request: correct its verb.")
        }
        return message
    }

    /// The values of the input by the names of the message's parts, as the structure writes them: its children.
    private static func parts(of input: some XMLStructure) throws(XMLError) -> [HTTPPart] {
        var writer = XMLWriter()
        writer.element(XMLName("", "input"), input)
        return try XMLReader.read(try writer.finish()) { (reader) throws(XMLError) in
            var parts: [HTTPPart] = []
            try reader.root()
            while try reader.nextChild() {
                let name = reader.elementName
                parts.append(HTTPPart(name: name, value: try reader.elementText()))
            }
            return parts
        }
    }
}

extension TransportError {
    static func noHeaderBlocks(_ operation: String) -> TransportError {
        TransportError(
            .invalidRequest,
            "\(operation) is bound to HTTP without SOAP, so that header blocks cannot go with it: remove them from the call."
        )
    }
}

/// A value of a part of the message; a part that repeats has several values.
struct HTTPPart: Sendable, Hashable {
    let name: String
    let value: String
}

/// Text in URLs and forms.
enum FormEncoding {
    static let mediaType = "application/x-www-form-urlencoded"

    /// Names and values as forms write them (WHATWG URL Standard §5.2).
    static func query(_ parts: [HTTPPart]) -> String {
        parts.map { "\(form($0.name))=\(form($0.value))" }.joined(separator: "&")
    }

    /// A value as a part of a path: all characters but the unreserved ones are percent-encoded (RFC 3986 §2.3, §3.3).
    static func segment(_ text: String) -> String { encoded(text, plain: "-._~", space: "%20") }

    private static func form(_ text: String) -> String { encoded(text, plain: "*-._", space: "+") }

    private static func encoded(_ text: String, plain: String, space: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: result.unicodeScalars.append(Unicode.Scalar(byte))
            case _ where plain.utf8.contains(byte): result.unicodeScalars.append(Unicode.Scalar(byte))
            case 0x20: result += space
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += byte < 0x10 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return result
    }
}
