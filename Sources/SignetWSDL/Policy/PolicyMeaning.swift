/// The meaning of an assertion for a call.
enum PolicyMeaning {
    /// A detail without effect on calls.
    case nothing
    /// The nested assertions.
    case nested
    case transport, https, clientCertificate
    /// The name of the scheme.
    case httpAuthentication(String)
    case timestamp
    case usernameToken
    case issuedToken
    case password(PolicyAlternative.Password)
    case nonce
    case supportingTokens(areSigned: Bool, areEncrypted: Bool, areEndorsing: Bool)
    /// The parts that the binding must protect.
    case parts
    /// Elements that the binding must protect, named by XPath.
    case elements
    case symmetric, asymmetric
    /// What receivers know of SOAP Message Security.
    case wss
    case addressing, mtom
    case unsupported

    init(of assertion: PolicyAssertion) {
        let name = assertion.name
        if AddressingName(name) != nil {
            self = .addressing
        } else if Namespaces.securityPolicies.contains(name.namespace) {
            self = Self.security[name.localName] ?? .unsupported
        } else {
            self = Self.others[name] ?? .unsupported
        }
    }

    /// WS-SecurityPolicy 1.1, 1.2, 1.3, where the same names mean the same; and the details of WS-Addressing.
    private static let security: [String: PolicyMeaning] = {
        var table: [String: PolicyMeaning] = [
            "TransportBinding": .transport, "TransportToken": .nested, "HttpsToken": .https,
            "RequireClientCertificate": .clientCertificate,
            "HttpBasicAuthentication": .httpAuthentication("Basic"),
            "HttpDigestAuthentication": .httpAuthentication("Digest"),
            "IncludeTimestamp": .timestamp,
            "UsernameToken": .usernameToken, "IssuedToken": .issuedToken, "HashPassword": .password(.digest),
            "NoPassword": .password(.absent),
            "Nonce": .nonce, "Created": .nonce,
            "SymmetricBinding": .symmetric, "AsymmetricBinding": .asymmetric, "Wss10": .wss, "Wss11": .wss,
            "SignedParts": .parts, "EncryptedParts": .parts, "SignedElements": .elements,
            "EncryptedElements": .elements, "ContentEncryptedElements": .elements,
        ]
        for sign in ["", "Signed"] {
            for endorse in ["", "Endorsing"] {
                for encrypt in ["", "Encrypted"] {
                    let kind = PolicyMeaning.supportingTokens(
                        areSigned: !sign.isEmpty, areEncrypted: !encrypt.isEmpty, areEndorsing: !endorse.isEmpty)
                    table["\(sign)\(endorse)\(encrypt)SupportingTokens"] = kind
                }
            }
        }
        for name in details { table[name] = .nothing }
        return table
    }()

    /// Details that TLS covers, that other assertions state, or that describe optional abilities of a service.
    private static let details = [
        "AlgorithmSuite", "Layout", "Trust10", "Trust13", "WssUsernameToken10", "WssUsernameToken11",
        "OnlySignEntireHeadersAndBody", "Issuer", "IssuerName", "Claims", "AnonymousResponses",
        "RequireInternalReference", "RequireExternalReference", "MustNotSendCancel", "MustNotSendAmend",
        "MustNotSendRenew",
    ]

    private static let others: [QName: PolicyMeaning] = {
        let microsoft = "http://schemas.microsoft.com/ws/06/2004/policy/http"
        return [
            QName(
                "http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization", "OptimizedMimeSerialization"):
                .mtom,
            QName("http://www.w3.org/2007/08/soap12-mtom-policy", "MTOM"): .mtom,
            QName(microsoft, "BasicAuthentication"): .httpAuthentication("Basic"),
            QName(microsoft, "DigestAuthentication"): .httpAuthentication("Digest"),
            QName(microsoft, "NtlmAuthentication"): .httpAuthentication("NTLM"),
            QName(microsoft, "NegotiateAuthentication"): .httpAuthentication("Negotiate"),
        ]
    }()
}

extension PolicyAssertion {
    /// The value of the attribute that the older version uses, with or without a namespace (WS-SecurityPolicy 1.1
    /// §5.3.1).
    func flag(_ localName: String) -> Bool {
        attributes.contains { $0.key.localName == localName && ["true", "1"].contains($0.value) }
    }

    /// The assertion as an unsupported requirement.
    var unsupported: PolicyRequirements.Unsupported {
        var text = PolicySummary.sentence(of: self) ?? "a detail of security that is not known (\(name.localName))"
        // It is unknown whether a service insists on an assertion that has no defined meaning here.
        let isJudged =
            Namespaces.securityPolicies.contains(name.namespace) || PolicySummary.texts[name.localName] != nil
        var tokens: [String] = []
        switch PolicyMeaning(of: self) {
        case .symmetric, .asymmetric, .supportingTokens:
            var left = 256
            addTokens(to: &tokens, &left, depth: 0)
        default: break
        }
        if !tokens.isEmpty, text.hasSuffix(")") { text = "\(text.dropLast()), \(tokens.joined(separator: ", ")))" }
        return .init(text: text, location: location, isJudged: isJudged)
    }

    /// The names of the first tokens inside.
    private func addTokens(to tokens: inout [String], _ left: inout Int, depth: Int) {
        var nodes = policies[...]
        while let node = nodes.popFirst() {
            left -= 1
            guard left > 0, depth < 16, tokens.count < 4 else { return }
            switch node {
            case .all(let inner), .exactlyOne(let inner): nodes += inner
            case .reference: break
            case .assertion(let assertion):
                if assertion.isOptional { continue }
                let name = assertion.name.localName
                if PolicySummary.texts[name] != nil, name.hasSuffix("Token") {
                    if !tokens.contains(name) { tokens.append(name) }
                } else {
                    assertion.addTokens(to: &tokens, &left, depth: depth + 1)
                }
            }
        }
    }
}
