import SignetTLS

extension Rule {
    /// The server's certificates, and what the client's policy says of them. Nothing of the identity was sent then.
    static let server: [Rule] = [
        Rule(
            .tlsIntercepted, .network, 96, "A program between client and server decrypts the connection.",
            cause:
                "A proxy, a firewall or a virus scanner shows a certificate of its own in place of the server's. A client certificate cannot pass it, even where the client trusts it.",
            next: "Ask for an exception for this host (“no TLS inspection”), or use a network without it.",
            or: [
                (
                    .serverNotTrusted,
                    "If the operator of the server confirms the digest of the certificate, it is the server's own."
                )
            ]
        ) { facts in facts.isFailing || facts.verdict != nil ? facts.interception : nil },
        Rule(
            .tlsIntercepted, .network, 60, as: .warning, "A program between client and server decrypts the connection.",
            cause: "A proxy, a firewall or a virus scanner shows a certificate of its own, which the client trusts.",
            next: "Ask for an exception for this host (“no TLS inspection”): a client certificate cannot pass it."
        ) { facts in facts.interception },
        Rule(
            .serverPinMismatch, .either, 94, "The server's certificates match none of the pins.",
            cause: "The operator changed the server's key, or an attacker intercepts the connection.",
            next:
                "Ask the operator, by another way, for the digest of the new key. Set a new pin only when it is the same."
        ) { $0.refusal(.pinMismatch) },
        Rule(
            .serverHostMismatch, .either, 90, "The server's certificate is for another host.",
            cause:
                "The URL has another name than the certificate, an address, or an alias; or the server shows the certificate of another of its hosts.",
            next: "Use a name that the certificate has, or have one issued that has the name in the URL.",
            or: [
                (
                    .serverNameRequired,
                    "If the URL has an address, try the name: the server may then show another certificate."
                )
            ]
        ) { facts in
            facts.refusal(.hostNameMismatch).map { evidence in
                let hosts = facts.serverCertificates.first?.hosts ?? []
                return evidence + (hosts.isEmpty ? [] : ["It is for \(hosts.prefix(10).joined(separator: ", "))."])
            }
        },
        Rule(
            .serverCertificateExpired, .them, 91, "A certificate of the server has expired.",
            cause:
                "The operator did not renew it, or the clock of this machine is ahead. Our own certificate has nothing to do with it.",
            next:
                "Compare the clock of this machine with another one; if it is right, tell the operator of the server.",
            or: [(.clockWrong, "A local clock in the future has the same effect.")]
        ) { $0.refusal(.expired) },
        Rule(
            .serverCertificateNotYetValid, .either, 90, "A certificate of the server is not valid yet.",
            cause:
                "The clock of this machine is slow; or the certificate was issued by a clock that is ahead, or put in place too early.",
            next:
                "Compare the clock of this machine with another one; if it is right, tell the operator of the server.",
            or: [(.clockWrong, "A slow local clock has the same effect.")]
        ) { $0.refusal(.notYetValid) },
        Rule(
            .serverCertificateRevoked, .them, 95, "A certificate of the server was revoked.",
            cause: "Its authority withdrew it: its key may be in other hands.",
            next: "Tell the operator of the server, and do not connect until there is another certificate."
        ) { facts in
            if let evidence = facts.refusal(.revoked) { return evidence }
            let found = facts.revocations.first { !$0.isOurs && $0.status == .revoked }
            return found.map { [$0.message] }
        },
        Rule(
            .serverRevocationUnknown, .either, 91, "Whether the server's certificate is revoked cannot be found out.",
            cause: "The policy demands to know it, and no OCSP server or revocation list gave an answer that counts.",
            next:
                "See below which address failed and how: let it through the firewall or proxy, or tell the authority. RevocationPolicy.soft does without an answer."
        ) { facts in
            facts.refusal(.revocationUnknown).map { evidence in
                evidence
                    + facts.revocations.filter { !$0.isOurs && [.undetermined, .noSource].contains($0.status) }.map(
                        \.message)
            }
        },
        Rule(
            .serverCertificateWeak, .them, 90, "A certificate of the server has a weak key or signature.",
            cause: "RSA keys below 2048 bits, MD5 and SHA-1 can be forged, or will be soon.",
            next: "Ask the operator of the server for a certificate with SHA-256 and at least RSA 2048 or P-256."
        ) { $0.refusal(.weakAlgorithm) },
        Rule(
            .serverChainIncomplete, .them, 92, "The server does not send the intermediate certificates.",
            cause:
                "It sends its own certificate without the intermediate that issued it. Browsers often hide this, since they fetch or keep intermediates. Our own certificate has nothing to do with it.",
            next:
                "Ask the operator to install the whole chain. Until then, add the intermediate yourself (TrustPolicy.addingIntermediates, or its certificate with a second --ca).",
            or: [(.serverNotTrusted, "If the missing issuer is itself a root, it must be added as a trust anchor.")]
        ) { $0.incompleteServerChain },
        Rule(
            .serverNotTrusted, .us, 88, "The client does not trust the authority of the server's certificate.",
            cause:
                "The server's authority is a private one, or that of another country or environment. This is about the server's certificate, not about ours: the client ended the connection before it showed its own.",
            next:
                "Get the authority's certificate from the operator by a way that you trust, compare its digest, and add it as a trust anchor (signet: --ca).",
            or: [
                (
                    .serverChainIncomplete,
                    "If the issuer is an intermediate of an authority that you trust, the server leaves it out."
                ),
                (
                    .tlsIntercepted,
                    "If the same host shows another certificate in another network, something intercepts."
                ),
            ]
        ) { facts in
            guard facts.incompleteServerChain == nil, facts.interception == nil,
                let evidence = facts.refusal(.unknownAuthority, .selfSigned)
            else { return nil }
            let alert = facts.usual?.handshake?.alerts.first { !$0.isFromServer }
            return evidence + facts.issuerLookups.map(\.message)
                + (alert.map { ["The client sent the alert \($0.name); the server sent none."] } ?? [])
        },
        Rule(
            .serverCertificateRejected, .them, 80, "The server's certificates break a rule.",
            cause: "See the rule. Our own certificate has nothing to do with it.",
            next: "Send the message to the operator of the server."
        ) { facts in
            guard let verdict = facts.verdict,
                !verdict.isRefused(
                    .pinMismatch, .hostNameMismatch, .expired, .notYetValid, .revoked, .revocationUnknown,
                    .weakAlgorithm, .unknownAuthority, .selfSigned)
            else { return nil }
            return [verdict.message] + (verdict.rule.map { ["The rule is \($0)."] } ?? [])
        },
    ]
}

extension DiagnosticFacts {
    /// The issuer that the server's last certificate names and that the server did not send.
    private var missingServerIssuer: String? {
        guard let last = serverCertificates.last, !last.isSelfIssued, !last.issuer.isEmpty,
            !serverCertificates.contains(where: { $0.subject == last.issuer })
        else { return nil }
        return last.issuer
    }

    /// The evidence that the server leaves out an intermediate of an authority that is trusted.
    fileprivate var incompleteServerChain: [String]? {
        guard let verdict, verdict.isRefused(.unknownAuthority) else { return nil }
        // The message of the verdict has advice for the case that the authority is not trusted.
        let evidence =
            serverCertificates.first.map {
                ["The server's certificates lead from “\($0.subject)” to no trusted authority."]
            } ?? [verdict.message]
        let lookups = issuerLookups.map(\.message)
        if verdict.isKnownWhenCompleted == true {
            return evidence + lookups + ["With what was found, the path ends at a trusted authority."]
        }
        guard verdict.isKnownWhenCompleted == nil, let missing = missingServerIssuer else { return nil }
        if let anchor = verdict.anchors.first(where: { NameWords.areRelated($0, missing) }) {
            return evidence + lookups + [
                "“\(missing)”, which the server does not send, seems to belong to the trusted “\(anchor)”."
            ]
        }
        guard verdict.anchors.isEmpty, PublicAuthority.issuing(missing) != nil else { return nil }
        return evidence + lookups + ["“\(missing)” is an intermediate of a public authority."]
    }

    /// The evidence that another program shows its certificate in place of the server's.
    fileprivate var interception: [String]? {
        for certificate in serverCertificates {
            let issuer = certificate.issuer.lowercased()
            if Interceptor.names.contains(where: issuer.contains) {
                return ["The server's certificate comes from “\(certificate.issuer)”, which inspects connections."]
            }
        }
        guard let direct = probe(.direct)?.handshake?.certificates.first,
            let usual = usual?.handshake?.certificates.first,
            direct.issuer != usual.issuer
        else { return nil }
        return [
            "Through the proxy, the certificate is “\(usual.subject)” of “\(usual.issuer)”.",
            "Past the proxy, it is “\(direct.subject)” of “\(direct.issuer)”.",
        ]
    }
}

/// Programs that intercept TLS, by the names in the certificates that they make.
private enum Interceptor {
    static let names = [
        "zscaler", "fortinet", "fortigate", "palo alto", "blue coat", "bluecoat", "sophos", "netskope",
        "cisco umbrella",
        "mitmproxy", "portswigger", "charles proxy", "kaspersky", "avast", "avg technologies", "eset ssl",
        "bitdefender",
        "mcafee web gateway", "skyhigh", "forcepoint", "websense", "barracuda", "watchguard", "untangle", "sonicwall",
        "check point", "squid", "fiddler", "proxyman", "cloudflare managed", "superfish", "ssl inspection",
        "tls inspection", "ssl interception", "tls interception", "intercepting proxy",
    ]
}
