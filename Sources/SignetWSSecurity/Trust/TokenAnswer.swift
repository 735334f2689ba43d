import SignetSOAP
import SignetTLS
import SignetXML

/// An answer of a security token service with one token (WS-Trust 1.3 §4.3, §4.4).
struct TokenAnswer {
    /// The answer's elements.
    private let response: [XMLFragment]
    private let version: WSTrustVersion
    private let sender: String

    /// The services of most tokens issue one or two at a time.
    private static let maximumCount = 16

    /// - Parameters:
    ///   - answer: a RequestSecurityTokenResponse, or a collection of them.
    ///   - type: the kind of token that is wanted, which decides when there are several; nil for any.
    ///   - sender: who answered, for errors.
    init(_ answer: XMLFragment, preferring type: TokenType? = nil, from sender: String) throws(WSSecurityError) {
        guard let version = WSTrustVersion(of: answer) else {
            throw Self.unusable(sender, "with “\(answer.localName.printable)”, which is no answer of WS-Trust")
        }
        self.version = version
        self.sender = sender
        let responses: [XMLFragment]
        switch answer.localName {
        case "RequestSecurityTokenResponse": responses = [answer]
        case "RequestSecurityTokenResponseCollection":
            responses = answer.children.filter { $0.isElement(version.name("RequestSecurityTokenResponse")) }
        default: throw Self.unusable(sender, "with “\(answer.localName.printable)”")
        }
        guard responses.count <= Self.maximumCount else {
            throw Self.unusable(sender, "with more than \(Self.maximumCount) tokens")
        }
        let issued = responses.map(\.children).filter { response in
            response.contains { $0.isElement(version.name("RequestedSecurityToken")) }
        }
        let wanted = issued.first { response in
            let named = response.first { $0.isElement(version.name("TokenType")) }
            return type != nil && named?.text.trimmedXMLSpace == type?.rawValue
        }
        guard let response = wanted ?? issued.first else {
            throw WSSecurityError(.noToken, "\(sender) answered without a token.")
        }
        self.response = response
    }

    private func element(_ name: String) -> XMLFragment? { response.first { $0.isElement(version.name(name)) } }

    private func text(_ name: String) -> String? { element(name)?.text.trimmedXMLSpace }

    var type: TokenType? { text("TokenType").map(TokenType.init(rawValue:)) }

    func token() throws(WSSecurityError) -> XMLFragment {
        let children = element("RequestedSecurityToken")?.children ?? []
        guard let token = children.first, children.count == 1 else {
            throw unusable(
                "with \(children.count) tokens in a RequestedSecurityToken, which has one (WS-Trust 1.3 §4.4)")
        }
        return token
    }

    /// Seconds since 1970; nil when the answer does not say.
    func expires() throws(WSSecurityError) -> Int64? {
        guard let lifetime = element("Lifetime"),
            let text = lifetime.children.first(where: { $0.isElement(SecurityName.expires) })?.text.trimmedXMLSpace
        else { return nil }
        guard let time = XSDDateTime(text), (1...9999).contains(time.date.year) else {
            throw unusable("with a lifetime that ends at “\(text.printable)”, which is no time")
        }
        return time.moment.wholeSeconds
    }

    /// How messages refer to the token when they carry it (§4.4).
    var reference: XMLFragment? {
        element("RequestedAttachedReference")?.children.first {
            $0.namespaceURI == SecurityName.extensions.uri && $0.localName == "SecurityTokenReference"
        }
    }

    /// Refuses a token with whose key this client cannot work.
    func check(_ key: TokenRequest.Key) throws(WSSecurityError) {
        if let proof = element("RequestedProofToken") {
            // A service may confirm the key of the request.
            let secret = proof.children.contains {
                $0.namespaceURI == version.namespace.uri || $0.localName == "EncryptedKey"
            }
            guard !secret else {
                throw unusable(
                    "with a token that has a symmetric key, which is not supported: let the service issue bearer tokens, or tokens for the key of a certificate"
                )
            }
        }
        guard let type = text("KeyType") else { return }
        switch key {
        case .bearer where type == version.publicKey || type == version.symmetricKey:
            throw unusable(
                "with a token for the holder of a key, although a bearer token was asked for: name the holder's identity (signet: --wss-identity)"
            )
        case .holder where type != version.publicKey:
            throw unusable(
                "with a token of the key type “\(type.printable)”, although one for the holder of a key was asked for")
        default: break
        }
    }

    private func unusable(_ what: String) -> WSSecurityError { Self.unusable(sender, what) }

    private static func unusable(_ sender: String, _ what: String) -> WSSecurityError {
        WSSecurityError(.unusableToken, "\(sender) answered \(what).")
    }
}

extension IssuedToken {
    /// - Parameter key: the one that was asked for.
    init(_ answer: TokenAnswer, _ key: TokenRequest.Key) throws(WSSecurityError) {
        try answer.check(key)
        let holder = if case .holder(let identity) = key { identity } else { nil as Identity? }
        try self.init(
            answer.token(), type: answer.type, expires: answer.expires(), holder: holder, reference: answer.reference)
    }
}
