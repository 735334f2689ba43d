import SignetSOAP

extension WSTrustVersion {
    static let all: [WSTrustVersion] = [.v13, .v2005]

    var namespace: XMLNamespace {
        XMLNamespace(self == .v13 ? TrustName.namespace : "http://schemas.xmlsoap.org/ws/2005/02/trust")
    }

    /// The request type of a new token, and the end of actions (§4).
    var issue: String { namespace.uri + "/Issue" }
    var requestAction: String { namespace.uri + "/RST/Issue" }

    /// A token that any sender may use (WS-Trust 1.3 §9.2); 2005/02 has no name for it, and services took that of the identity selectors.
    var bearer: String {
        self == .v13 ? namespace.uri + "/Bearer" : "http://schemas.xmlsoap.org/ws/2005/05/identity/NoProofKey"
    }
    /// A token whose sender must prove the possession of a private key.
    var publicKey: String { namespace.uri + "/PublicKey" }
    /// A token with a key that client and service share, which is not supported.
    var symmetricKey: String { namespace.uri + "/SymmetricKey" }

    /// The version of an element.
    init?(of fragment: XMLFragment) {
        guard let version = Self.all.first(where: { $0.namespace.uri == fragment.namespaceURI }) else {
            return nil
        }
        self = version
    }

    func name(_ localName: String) -> XMLName { XMLName(namespace, localName) }
}
