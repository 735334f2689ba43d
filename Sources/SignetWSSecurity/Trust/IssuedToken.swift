public import SignetSOAP
public import SignetTLS
import SignetXML

/// A security token that was issued, such as a SAML assertion. Messages carry it byte for byte as its issuer signed it. No description,
/// dump or mirror shows it.
public struct IssuedToken: Sendable {
    /// The token as it was issued. It can be encrypted for the service.
    public let content: XMLFragment
    /// The kind of token, as the token service says, or as the token itself shows; nil when neither does.
    public let type: TokenType?
    /// What the token states, of which nothing is verified; nil when the token is no SAML assertion, or is encrypted.
    public let assertion: SAMLAssertion?
    /// Seconds since 1970 from which the token is not valid any more; nil when that is unknown.
    public let expires: Int64?
    /// Whose key signs the messages that carry the token; nil for a bearer token.
    public let holder: Identity?
    /// How the token service says that messages refer to the token; nil when it does not say.
    let reference: XMLFragment?

    /// Takes a token that the program has, such as a SAML assertion of a health network (IHE XUA).
    ///
    /// - Parameters:
    ///   - content: the token.
    ///   - holder: the identity of the holder of the key to which the token is bound; nil for a bearer token.
    /// - Throws: ``WSSecurityError`` with `unusableToken` for an assertion that cannot be read, or that the certificate of another key
    ///   than that of `holder` confirms.
    public init(_ content: XMLFragment, holder: Identity? = nil) throws(WSSecurityError) {
        try self.init(content, type: nil, expires: nil, holder: holder, reference: nil)
    }

    init(
        _ content: XMLFragment, type: TokenType?, expires: Int64?, holder: Identity?, reference: XMLFragment?
    ) throws(WSSecurityError) {
        let assertion = SAMLAssertion.isOne(content) ? try SAMLAssertion(reading: content) : nil
        if let assertion { try Self.check(assertion, holder) }
        self.content = content
        self.type = type ?? assertion?.version.names.tokenType
        self.assertion = assertion
        self.expires = [expires, assertion?.notOnOrAfter, assertion?.endOfConfirmation(byHolder: holder != nil)]
            .compactMap(\.self).min()
        self.holder = holder
        self.reference = reference
    }

    /// Refuses an assertion that the sender could not confirm.
    private static func check(_ assertion: SAMLAssertion, _ holder: Identity?) throws(WSSecurityError) {
        let ways = assertion.confirmations
        guard let holder else {
            guard ways.isEmpty || !ways.allSatisfy(\.isHolderOfKey) else {
                throw WSSecurityError(
                    .unusableToken,
                    "\(assertion) is for the holder of a key only: name the identity as the holder of the token (signet: --wss-identity), or ask for a bearer token."
                )
            }
            return
        }
        let keys = ways.filter(\.isHolderOfKey)
        guard !keys.isEmpty else {
            throw WSSecurityError(
                .unusableToken,
                "\(assertion) is bound to no key, although one for the holder of a key is wanted: ask the token service for the key type PublicKey, or take a bearer token."
            )
        }
        // A key that is named in another way is judged by the service.
        guard
            keys.contains(where: { $0.certificates.isEmpty })
                || keys.contains(where: { $0.holder?.publicKeySHA256 == holder.leaf.publicKeySHA256 })
        else {
            throw WSSecurityError(
                .unusableToken,
                "\(assertion) is bound to another key than that of “\(holder.leaf.subject)”: name the identity to whose certificate the token was issued."
            )
        }
    }

    /// Whether the token is valid for some more time.
    func isValid(at now: Int64, leeway: Int64) -> Bool { expires.map { $0.subtractingClamped(leeway) > now } ?? true }
}

extension IssuedToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        "a token “\(content.localName.printable)”\(expires.map { " until \(XSDDateTime(secondsSinceEpoch: $0)?.lexicalForm ?? "\($0)")" } ?? "")"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["token": description], displayStyle: .struct) }
}

extension SAMLAssertion {
    /// From when its sender can no longer confirm it, in seconds since 1970; nil when that is unlimited. Token services give confirmations of minutes
    /// to assertions of an hour.
    fileprivate func endOfConfirmation(byHolder isHolder: Bool) -> Int64? {
        let ends = confirmations.filter { $0.isHolderOfKey == isHolder }.map(\.notOnOrAfter)
        return ends.contains(nil) ? nil : ends.compactMap(\.self).max()
    }
}

extension Int64 {
    func subtractingClamped(_ other: Int64) -> Int64 {
        let (result, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? .min : .max) : result
    }
}

// MARK: Offline use

extension IssuedToken {
    /// The token in a form that ``init(importing:holder:)`` reads: a RequestSecurityTokenResponse of WS-Trust 1.3. A bearer token is as secret as a
    /// password: write it to a file that only its user can read.
    public func exported() throws(WSSecurityError) -> [UInt8] {
        let version = WSTrustVersion.v13
        do {
            var elements: [XMLFragment] = []
            if let type { elements.append(try XMLFragment(version.name("TokenType"), text: type.rawValue)) }
            if let expires {
                elements.append(try TokenRequest.lifetime(from: .zero, to: .seconds(expires), version))
            }
            if holder != nil { elements.append(try XMLFragment(version.name("KeyType"), text: version.publicKey)) }
            elements.append(
                try XMLFragment(version.name("RequestedSecurityToken"), XMLAny(children: [content])))
            if let reference {
                elements.append(
                    try XMLFragment(version.name("RequestedAttachedReference"), XMLAny(children: [reference])))
            }
            return try XMLFragment(version.name("RequestSecurityTokenResponse"), XMLAny(children: elements)).bytes
        } catch let error as WSSecurityError {
            throw error
        } catch {
            throw WSSecurityError(.unwritable, "The token cannot be written: \(error)", cause: error)
        }
    }

    /// Reads a token that was exported, an answer of a token service that was kept, or a token alone.
    ///
    /// - Parameters:
    ///   - bytes: XML.
    ///   - holder: see ``holder``.
    /// - Throws: ``WSSecurityError`` with `unusableToken`.
    public init(importing bytes: [UInt8], holder: Identity? = nil) throws(WSSecurityError) {
        let fragment: XMLFragment
        do { fragment = try XMLFragment(parsing: bytes) } catch {
            throw WSSecurityError(.unusableToken, "The token cannot be read (\(error.code)).", cause: nil)
        }
        guard WSTrustVersion(of: fragment) != nil else {
            try self.init(fragment, holder: holder)
            return
        }
        let key = holder.map { TokenRequest.Key.holder($0) } ?? .bearer
        try self.init(TokenAnswer(fragment, from: "the file"), key)
    }
}
