public import SignetSOAP
public import SignetTLS
import SignetXML

/// What a client asks a security token service for (WS-Trust 1.3 §4.1).
public struct TokenRequest: Sendable {
    /// Who may use the token.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Key: Sendable, Hashable {
        /// Any sender that has it.
        case bearer
        /// The holder of the private key of this identity, with which messages are then signed.
        case holder(Identity)
    }

    /// The service for which the token is wanted, usually its address (`wsp:AppliesTo`); nil when the token service knows one service only.
    public var service: String?
    /// The kind that is wanted; nil for what the service issues by itself. What the answer says about the token counts.
    public var type: TokenType?
    /// Who may use the token.
    public var key: Key
    /// The version of WS-Trust that the token service speaks.
    public var version = WSTrustVersion.v13
    /// How long the token shall be valid; nil for what the service decides. A service may issue one with another lifetime.
    public var lifetime: Duration?
    /// What the token shall state; empty for what the service decides.
    public var claims: [TokenClaim] = []
    /// Further elements of the request, such as those that a WSDL demands (`sp:RequestSecurityTokenTemplate`). One of them takes the place of the
    /// element with the same name that is made from the properties above.
    public var extensions: [XMLFragment] = []

    public init(for service: String?, type: TokenType? = .saml20, key: Key = .bearer) {
        self.service = service
        self.type = type
        self.key = key
    }
}

extension TokenRequest {
    /// Asks for what a WSDL demands.
    ///
    /// - Parameters:
    ///   - demand: what generated code lists among the requirements of a port, as `.issuedToken`.
    ///   - service: see ``service``.
    ///   - holder: the identity of the holder of the key; nil where a bearer token is demanded.
    /// - Throws: ``WSSecurityError`` with `missingCredentials` when a token for the holder of a key is demanded, and `holder` is nil.
    public init(
        _ demand: IssuedTokenDemand, for service: String?, holder: Identity? = nil
    ) throws(WSSecurityError) {
        guard holder != nil || demand.keyType != .publicKey else {
            throw WSSecurityError(
                .missingCredentials, "The WSDL demands \(demand): give the identity of the holder.")
        }
        self.init(
            for: service, type: demand.type,
            key: demand.keyType == .publicKey ? holder.map { .holder($0) } ?? .bearer : .bearer)
        claims = demand.claims
        version = demand.version
    }

    var holder: Identity? { if case .holder(let identity) = key { identity } else { nil } }

    /// The content of a RequestSecurityToken.
    ///
    /// - Parameter now: since 1970.
    func content(now: Duration) throws(WSSecurityError) -> XMLAny {
        do {
            var elements: [XMLFragment] = []
            if let type { elements.append(try XMLFragment(version.name("TokenType"), text: type.rawValue)) }
            elements.append(try XMLFragment(version.name("RequestType"), text: version.issue))
            if let service { elements.append(try Self.appliesTo(service)) }
            if !claims.isEmpty { elements.append(try claimsElement()) }
            if let lifetime { elements.append(try Self.lifetime(from: now, to: now + lifetime, version)) }
            switch key {
            case .bearer: elements.append(try XMLFragment(version.name("KeyType"), text: version.bearer))
            case .holder(let identity):
                elements.append(try XMLFragment(version.name("KeyType"), text: version.publicKey))
                elements.append(try Self.useKey(identity.leaf, version))
            }
            elements.removeAll { element in
                extensions.contains {
                    $0.localName == element.localName && $0.namespaceURI == element.namespaceURI
                }
            }
            return XMLAny(children: elements + extensions)
        } catch let error as WSSecurityError {
            throw error
        } catch {
            throw WSSecurityError(.unwritable, "The request of a token cannot be written: \(error)", cause: error)
        }
    }

    /// WS-Policy 1.2 Attachment §4, as services know it whatever their version of WS-Trust.
    private static func appliesTo(_ service: String) throws -> XMLFragment {
        let policy = XMLNamespace("http://schemas.xmlsoap.org/ws/2004/09/policy")
        let addressing = XMLNamespace("http://www.w3.org/2005/08/addressing")
        let names = ["EndpointReference", "Address"].map { XMLName(addressing, $0) }
        return try XMLFragment { writer in
            writer.startElement(XMLName(policy, "AppliesTo"), declaring: [("wsp", policy), ("wsa", addressing)])
            writer.startElement(names[0])
            writer.startElement(names[1])
            writer.text(service)
            writer.endElement(names[1])
            writer.endElement(names[0])
            writer.endElement(XMLName(policy, "AppliesTo"))
        }
    }

    private func claimsElement() throws -> XMLFragment {
        let identity = XMLNamespace("http://schemas.xmlsoap.org/ws/2005/05/identity")
        let name = version.name("Claims")
        let type = XMLName(identity, "ClaimType")
        return try XMLFragment { writer in
            writer.startElement(name, attributes: [(XMLName(.none, "Dialect"), identity.uri)])
            for claim in claims {
                var attributes = [(name: XMLName(.none, "Uri"), value: claim.uri)]
                if claim.isOptional { attributes.append((XMLName(.none, "Optional"), "true")) }
                writer.startElement(type, attributes: attributes)
                writer.endElement(type)
            }
            writer.endElement(name)
        }
    }

    static func lifetime(from created: Duration, to expires: Duration, _ version: WSTrustVersion) throws -> XMLFragment
    {
        guard let created = XSDDateTime.text(of: created, milliseconds: true),
            let expires = XSDDateTime.text(of: expires, milliseconds: true)
        else {
            throw WSSecurityError(
                .unwritable, "The lifetime of a token does not end between 1970 and 9999: ask for a shorter one.")
        }
        let name = version.name("Lifetime")
        return try XMLFragment { writer in
            writer.startElement(name, declaring: [("wsu", SecurityName.utility)])
            for (name, text) in [(SecurityName.created, created), (SecurityName.expires, expires)] {
                writer.startElement(name)
                writer.text(text)
                writer.endElement(name)
            }
            writer.endElement(name)
        }
    }

    /// The certificate whose key the token is to be bound to.
    private static func useKey(_ certificate: EncodedCertificate, _ version: WSTrustVersion) throws -> XMLFragment {
        let signature = SecurityName.signature.namespace
        let names = ["KeyInfo", "X509Data", "X509Certificate"].map { XMLName(signature, $0) }
        return try XMLFragment { writer in
            writer.startElement(version.name("UseKey"), declaring: [("ds", signature)])
            for name in names { writer.startElement(name) }
            writer.text(Text.base64(certificate.der))
            for name in names.reversed() { writer.endElement(name) }
            writer.endElement(version.name("UseKey"))
        }
    }
}

extension TokenRequest: CustomStringConvertible {
    public var description: String { "a token for \(service?.printable ?? "the service that the token service knows")" }
}
