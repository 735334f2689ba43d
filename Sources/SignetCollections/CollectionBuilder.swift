import SignetSOAP
import SignetWSDL
import SignetXML

/// Gathers what is read of a file, whatever its format.
struct CollectionBuilder: Sendable {
    private(set) var requests: [RequestCollection.Request] = []
    var keyStores: [RequestCollection.KeyStore] = []
    private var warnings: [String] = []
    private var leftOut = 0
    private var expander: VariableExpander

    init(_ syntax: VariableExpander.Syntax) { expander = VariableExpander(syntax) }

    /// Adds a request whose variables are not replaced yet.
    ///
    /// - Parameter isDeclared: whether the file itself says that the request is SOAP. One of which it does not is left out
    ///   unless it has an envelope.
    mutating func add(
        _ draft: RequestCollection.Request, _ variables: Variables, isDeclared: Bool = false
    ) throws(CollectionError) {
        var request = draft
        var defects: [String] = []
        let message = try expand(draft.content, variables, &defects)?.trimmedXMLSpace ?? ""
        request.content = message.isEmpty ? nil : message
        let version = SOAPVersion.ofEnvelope(Array(message.utf8), charset: "utf-8", XMLLimits())
        guard isDeclared || version != nil else { return leaveOut() }
        guard requests.count < RequestCollection.maximumRequests else {
            throw CollectionError(
                .limitExceeded,
                "the collection has more than \(RequestCollection.maximumRequests) requests; split it in the other tool."
            )
        }
        if let version { request.isSOAP12 = version == .soap12 }
        request.endpoint = try expand(draft.endpoint?.trimmedOfSpace, variables, &defects)
        request.action = try expand(draft.action, variables, &defects)?.withoutQuotationMarks
        request.user = try expand(draft.user, variables, &defects)
        var defectsOfPassword: [String] = []
        request.password = try expand(draft.password, variables, &defectsOfPassword)
        if !defectsOfPassword.isEmpty { defects.append("a variable in the password has no value in this file") }
        if message.isEmpty {
            defects.insert("it has no message", at: 0)
        } else if version == nil {
            defects.insert("its message is not a SOAP envelope", at: 0)
        }
        if let problem = draft.problem { defects.insert(problem, at: 0) }
        request.problem = defects.isEmpty ? nil : "It cannot be sent as it is: \(defects.joined(separator: "; "))."
        requests.append(request)
    }

    /// Counts a request that is not SOAP.
    mutating func leaveOut() { leftOut += 1 }

    /// Adds a warning once; a file with very many gets only the first.
    mutating func warn(_ text: String) {
        if warnings.count < 100, !warnings.contains(text) { warnings.append(text) }
    }

    /// The text with its variables replaced; nil for an absent one.
    mutating func expand(
        _ text: String?, _ variables: Variables, _ defects: inout [String]
    ) throws(CollectionError) -> String? {
        guard let text else { return nil }
        return try expander.expand(text, variables, &defects)
    }

    func collection(_ kind: RequestCollection.Kind, name: String) -> RequestCollection {
        var warnings = warnings
        if leftOut > 0 {
            warnings.append(
                "\(leftOut) \(leftOut == 1 ? "request is" : "requests are") left out: only SOAP is supported here.")
        } else if requests.isEmpty {
            warnings.append("The file has no SOAP requests.")
        }
        return RequestCollection(
            name: name, kind: kind, requests: requests, keyStores: keyStores, warnings: warnings)
    }
}

extension RequestCollection {
    fileprivate init(
        name: String, kind: Kind, requests: [Request], keyStores: [KeyStore], warnings: [String]
    ) {
        self.name = name
        self.kind = kind
        self.requests = requests
        self.keyStores = keyStores
        self.warnings = warnings
    }
}

extension String {
    fileprivate var withoutQuotationMarks: String {
        let text = trimmedOfSpace
        guard text.utf8.count >= 2, text.utf8.first == UInt8(ascii: "\""), text.utf8.last == UInt8(ascii: "\"") else {
            return text
        }
        return String(text.unicodeScalars.dropFirst().dropLast())
    }

    /// The text as a short word for a message.
    var shown: String {
        let scalars = unicodeScalars.prefix(60)
        return TerminalText.line(String(scalars)) + (scalars.endIndex == unicodeScalars.endIndex ? "" : "…")
    }
}
