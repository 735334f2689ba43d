package import SignetSOAP

/// Names of WS-Trust 1.3 (and of 1.4, which has the same namespace).
package enum TrustName {
    package static let namespace = "http://docs.oasis-open.org/ws-sx/ws-trust/200512"
    package static let request = XMLName(XMLNamespace(namespace), "RequestSecurityToken")
    package static let responses = XMLName(XMLNamespace(namespace), "RequestSecurityTokenResponseCollection")
    /// A new token is wanted (§4).
    package static let issue = namespace + "/Issue"
    static let security = SecurityName.extensions.uri
    static let utility = SecurityName.utility.uri
}

/// A request to a security token service (WS-Trust 1.3 §3.1).
package struct SecurityTokenRequest: XMLStructure {
    /// The language of texts in the answer.
    package var language: String?
    /// The kind of token that is wanted.
    package var tokenType: String?
    /// What is wanted, such as ``TrustName/issue``.
    package var requestType: String
    /// What the token is to be made from.
    package var binaryToken: BinarySecurityToken?
    /// What a profile of WS-Trust adds.
    package var extensions: [XMLFragment] = []

    package init(
        language: String? = nil, tokenType: String?, requestType: String, binaryToken: BinarySecurityToken? = nil,
        extensions: [XMLFragment] = []
    ) {
        self.language = language
        self.tokenType = tokenType
        self.requestType = requestType
        self.binaryToken = binaryToken
        self.extensions = extensions
    }

    package init(_decoding: Void) { self.init(tokenType: nil, requestType: ._placeholder) }

    package static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            [TrustName.namespace, TrustName.security, ""],
            elements: "TokenType? RequestType 1:BinarySecurityToken? #any*", attributes: "2:PreferredLanguage?")
        fields.field(&x.tokenType)
        fields.field(&x.requestType)
        fields.field(&x.binaryToken)
        fields.field(&x.extensions)
        fields.field(&x.language)
    }
}

/// A token of bytes (SOAP Message Security 1.1 §6.3).
package struct BinarySecurityToken: XMLStructure {
    /// What the bytes are.
    package var valueType: String?
    /// How they are written; senders leave it out although it must be there.
    package var encodingType: String?
    package var id: String?
    package var text: String

    /// - Parameters:
    ///   - base64: the bytes.
    ///   - valueType: what they are.
    package init(base64: String, valueType: String, encodingType: String) {
        self.valueType = valueType
        self.encodingType = encodingType
        text = base64
    }

    package init(_decoding: Void) { text = ._placeholder }

    package static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            ["", TrustName.utility], elements: "", attributes: "ValueType? EncodingType? 1:Id?", text: true)
        fields.field(&x.valueType)
        fields.field(&x.encodingType)
        fields.field(&x.id)
        fields.field(&x.text)
    }
}

/// The answers of a security token service (WS-Trust 1.3 §4.3).
package struct SecurityTokenResponses: XMLStructure {
    package var responses: [SecurityTokenResponse] = []

    package init() {}
    package init(_decoding: Void) {}

    package static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([TrustName.namespace], elements: "RequestSecurityTokenResponse*")
        fields.field(&x.responses)
    }
}

/// An answer of a security token service (WS-Trust 1.3 §3.2).
package struct SecurityTokenResponse: XMLStructure {
    package var tokenType: String?
    /// The token (§4.4); nil when it has not been issued.
    package var token: RequestedSecurityToken?
    /// A token beside the one that was asked for.
    package var binaryToken: BinarySecurityToken?
    /// What a profile of WS-Trust adds.
    package var extensions: [XMLFragment] = []

    package init(_decoding: Void) {}

    package static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            [TrustName.namespace, TrustName.security],
            elements: "TokenType? 1:BinarySecurityToken? RequestedSecurityToken? #any*")
        fields.field(&x.tokenType)
        fields.field(&x.binaryToken)
        fields.field(&x.token)
        fields.field(&x.extensions)
    }
}

/// The token in an answer, of any kind.
package struct RequestedSecurityToken: XMLStructure {
    package var binaryToken: BinarySecurityToken?
    /// A token of another kind, or a reference to one.
    package var other: [XMLFragment] = []

    package init(_decoding: Void) {}

    package static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([TrustName.security], elements: "BinarySecurityToken? #any*")
        fields.field(&x.binaryToken)
        fields.field(&x.other)
    }
}
