/// The token of a security token service that messages must carry: `sp:IssuedToken` (WS-SecurityPolicy 1.3 §5.4.2).
package struct IssuedTokenPolicy: Sendable, Hashable {
    package struct Claim: Sendable, Hashable {
        package var uri: String
        package var isOptional: Bool
    }

    /// The address of the token service; nil when the WSDL names none.
    package var issuer: String?
    /// The kind of token, as a URI; nil for any.
    package var type: String?
    /// Whether the token is for the holder of a key, with which messages are signed.
    package var isForHolder = false
    package var claims: [Claim] = []
    /// The namespace of WS-Trust in which the WSDL describes the request.
    package var isOldTrust = false

    static let oldTrust = "http://schemas.xmlsoap.org/ws/2005/02/trust"
    private static let trust: Set<String> = ["http://docs.oasis-open.org/ws-sx/ws-trust/200512", oldTrust]
    private static let maximumClaims = 64

    /// Whether the text of an element has a meaning here: the address of an issuer (of any version of WS-Addressing), and what a token request
    /// consists of.
    static func hasText(_ name: QName) -> Bool {
        name.localName == "Address" && name.namespace.hasSuffix("addressing")
            || trust.contains(name.namespace) && ["TokenType", "KeyType", "RequestType"].contains(name.localName)
    }

    init(issuer: String? = nil, type: String? = nil, isForHolder: Bool = false, isOldTrust: Bool = false) {
        (self.issuer, self.type, self.isForHolder, self.isOldTrust) = (issuer, type, isForHolder, isOldTrust)
    }

    /// - Parameter problem: is set to what Signet does not do.
    init(of assertion: PolicyAssertion, _ problem: inout String?) {
        if let issuer = assertion.parameters.first(where: { $0.name.localName == "Issuer" }) {
            self.issuer = issuer.parameters.first { $0.name.localName == "Address" }?.text
        }
        let template = assertion.parameters.first { $0.name.localName == "RequestSecurityTokenTemplate" }
        for part in template?.parameters ?? [] where Self.trust.contains(part.name.namespace) {
            if part.name.namespace == Self.oldTrust { isOldTrust = true }
            switch part.name.localName {
            case "TokenType": type = part.text.isEmpty ? nil : part.text
            case "KeyType":
                isForHolder = part.text.hasSuffix("/PublicKey")
                if part.text.hasSuffix("/SymmetricKey") { problem = "a token with a symmetric key" }
            case "RequestType" where !part.text.hasSuffix("/Issue"): problem = "a request of the type “\(part.text)”"
            case "Claims": add(part.parameters)
            default: break
            }
        }
        // WS-SecurityPolicy 1.3 has them outside of the template, too.
        for part in assertion.parameters where part.name.localName == "Claims" { add(part.parameters) }
    }

    private mutating func add(_ parameters: [PolicyAssertion]) {
        for part in parameters.prefix(Self.maximumClaims) where part.name.localName == "ClaimType" {
            guard let uri = part.attributes[QName("", "Uri")] else { continue }
            let isOptional = ["true", "1"].contains(part.attributes[QName("", "Optional")] ?? "")
            if let index = claims.firstIndex(where: { $0.uri == uri }) {
                claims[index].isOptional = claims[index].isOptional && isOptional
            } else {
                claims.append(Claim(uri: uri, isOptional: isOptional))
            }
        }
    }
}

extension IssuedTokenPolicy: CustomStringConvertible {
    package var description: String {
        "a token of \(issuer.map { "the token service “\($0)”" } ?? "a token service")\(isForHolder ? " for the holder of a key" : "")"
    }
}
