/// The demands of policies, in words.
package struct PolicySummary: Sendable {
    /// One text for each demand, for example `a client certificate in TLS (HttpsToken, RequireClientCertificate)`.
    package private(set) var sentences: [String] = []
    /// The names of all assertions, in document order.
    package private(set) var assertions: [QName] = []
    /// Whether parts were skipped: the policies are nested too deeply, or refer to each other too often.
    package private(set) var isTruncated = false
    /// References followed so far: the limit prevents exponential time for policies that refer to each other.
    private var steps = 0

    private static let maximumSteps = 1000

    mutating func add(_ node: PolicyNode, _ policies: [String: PolicyNode]) {
        for sentence in sentences(of: node, policies, depth: 0) where !sentences.contains(sentence) {
            sentences.append(sentence)
        }
    }

    private mutating func sentences(
        of node: PolicyNode, _ policies: [String: PolicyNode], depth: Int
    ) -> [String] {
        steps += 1
        guard depth < 64, steps < Self.maximumSteps else {
            isTruncated = true
            return []
        }
        switch node {
        case .all(let nodes): return nodes.flatMap { sentences(of: $0, policies, depth: depth + 1) }
        case .exactlyOne(let nodes):
            let alternatives = nodes.map { sentences(of: $0, policies, depth: depth + 1) }
            if alternatives.count == 1 { return alternatives[0] }
            let texts = alternatives.filter { !$0.isEmpty }.map { $0.joined(separator: " and ") }
            if texts.isEmpty { return [] }
            let isOptional = texts.count < alternatives.count
            let choice = texts.count == 1 ? texts.joined() : "one of: \(texts.joined(separator: "; or "))"
            return [isOptional ? "\(choice), optional" : choice]
        case .reference(let name, _):
            guard let policy = policies[name] else { return ["a policy that was not read: ‘\(name)’"] }
            return sentences(of: policy, policies, depth: depth + 1)
        case .assertion(let assertion):
            if !assertions.contains(assertion.name) { assertions.append(assertion.name) }
            let own = Self.sentence(of: assertion)
            let nested = assertion.policies.flatMap { sentences(of: $0, policies, depth: depth + 1) }
            let all = (own.map { [$0] } ?? []) + nested
            return assertion.isOptional ? all.map { "\($0), optional" } : all
        }
    }

    static func sentence(of assertion: PolicyAssertion) -> String? {
        let name = assertion.name
        switch name.localName {
        // WS-SecurityPolicy 1.1 uses an attribute where later versions use a nested assertion.
        case "HttpsToken" where assertion.attributes[QName("", "RequireClientCertificate")] == "true":
            return "a client certificate in TLS (HttpsToken, RequireClientCertificate)"
        case "SignedParts", "EncryptedParts", "SignedElements", "EncryptedElements", "RequiredParts":
            let count = assertion.parameters.count
            let parts = assertion.parameters.prefix(8).map { part in
                let local = part.attributes[QName("", "Name")] ?? part.name.localName
                return part.name.localName == "Header" ? "header block \(local)" : local
            }
            let verb =
                name.localName.hasPrefix("Signed")
                ? "signed" : name.localName.hasPrefix("Enc") ? "encrypted" : "present"
            let names = parts.joined(separator: ", ")
            let more = count > parts.count ? " and \(count - parts.count) more" : ""
            return parts.isEmpty ? "everything \(verb) (\(name.localName))" : "\(verb): \(names)\(more)"
        default: break
        }
        if let text = texts[name.localName] { return "\(text) (\(name.localName))" }
        // The names already include the details of a security policy; any other unknown assertion gets a sentence.
        return Namespaces.securityPolicies.contains(name.namespace) ? nil : "something unknown: \(name)"
    }

    static let texts = [
        "TransportBinding": "HTTPS",
        "SymmetricBinding": "messages signed and encrypted with one key",
        "AsymmetricBinding": "messages signed or encrypted with certificates",
        "RequireClientCertificate": "a client certificate in TLS",
        "HttpBasicAuthentication": "HTTP authentication Basic",
        "HttpDigestAuthentication": "HTTP authentication Digest",
        "BasicAuthentication": "HTTP authentication Basic",
        "DigestAuthentication": "HTTP authentication Digest",
        "NtlmAuthentication": "HTTP authentication NTLM",
        "NegotiateAuthentication": "HTTP authentication Negotiate",
        "UsernameToken": "a user name in the message",
        "X509Token": "an X.509 certificate in the message",
        "SamlToken": "a SAML assertion in the message",
        "KerberosToken": "a Kerberos ticket in the message",
        "SpnegoContextToken": "a security context by SPNEGO",
        "IssuedToken": "a token issued by a token service (WS-Trust)",
        "SecureConversationToken": "a session key (WS-SecureConversation)",
        "SecurityContextToken": "a session key (WS-SecureConversation)",
        "RelToken": "a licence in the message",
        "RsaToken": "a key in the message",
        "SslContextToken": "a security context by TLS in messages",
        "EndorsingSupportingTokens": "a signature by a further token",
        "SignedEndorsingSupportingTokens": "a signature by a further token",
        "EndorsingEncryptedSupportingTokens": "a signature by a further token",
        "SignedEndorsingEncryptedSupportingTokens": "a signature by a further token",
        "BinaryEncoding": "messages in binary XML",
        "KeyValueToken": "a key in the message",
        "IncludeTimestamp": "a time stamp in the message",
        "EncryptSignature": "an encrypted signature",
        "SignBeforeEncrypting": "signed before it is encrypted",
        "EncryptBeforeSigning": "encrypted before it is signed",
        "RequireSignatureConfirmation": "the answer confirms the signature",
        "Addressing": "WS-Addressing header blocks",
        "UsingAddressing": "WS-Addressing header blocks",
        "NonAnonymousResponses": "answers to another address (WS-Addressing)",
        "OptimizedMimeSerialization": "binary content as attachments, MTOM",
        "MTOM": "binary content as attachments, MTOM",
        "RMAssertion": "reliable messaging (WS-ReliableMessaging)",
        "ATAssertion": "atomic transactions (WS-AtomicTransaction)",
    ]
}

extension Namespaces {
    /// WS-Policy 1.2 and 1.5.
    static let policies = ["http://schemas.xmlsoap.org/ws/2004/09/policy", "http://www.w3.org/ns/ws-policy"]
    /// WS-Policy 1.0, which is not read.
    static let oldPolicy = "http://schemas.xmlsoap.org/ws/2002/12/policy"
    /// Where `wsu:Id` comes from.
    package static let securityUtility =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"
    /// WS-Addressing 1.0 WSDL Binding, of 2006: `UsingAddressing`.
    static let addressingBinding = "http://www.w3.org/2006/05/addressing/wsdl"
    /// WS-SecurityPolicy 1.1, 1.2 and 1.3, and the details of WS-Addressing.
    static let securityPolicies: Set<String> = [
        "http://schemas.xmlsoap.org/ws/2005/07/securitypolicy",
        "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702",
        "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200802",
        "http://www.w3.org/2007/05/addressing/metadata", "http://schemas.microsoft.com/ws/2005/07/securitypolicy",
    ]
}
