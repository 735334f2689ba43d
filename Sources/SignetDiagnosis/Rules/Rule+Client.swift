import SignetTLS

extension Rule {
    /// Why a server of ours could not serve a client. “We” are the client's side in all rules; here the server's side
    /// reads them.
    static let client: [Rule] = [
        Rule(
            .clientWithoutTLS, .us, 90, "The client speaks no TLS at this port.",
            cause: "Its address begins with http://, or the program that connects is not a client of this service.",
            next: "Have the client use an address with https://."
        ) { $0.client(.notTLS) { [$0.problem ?? "What came is not a handshake of TLS."] } },
        Rule(
            .clientVersionUnsupported, .us, 90, "The client speaks no version of TLS that this server allows.",
            cause: "It is an old program, or its settings forbid TLS 1.2 and 1.3.",
            next: "Update the client's TLS library, or allow TLS 1.2 and 1.3 in its settings."
        ) { facts in
            facts.client(.incompatible) { $0.isTooOld ? ["It offers \($0.offered(\.versions))."] : nil }
        },
        Rule(
            .clientAlgorithmsUnsupported, .either, 85,
            "The client offers no cipher suite, group or signature algorithm that this server has.",
            cause:
                "The client has older algorithms only, or the key of the server's certificate is of a kind that the client does not take.",
            next:
                "Compare the offer with the kind of the server's key: a client without ECDSA needs a server with an RSA key. Update the client's TLS library."
        ) { facts in
            facts.client(.incompatible) { client in
                if client.isTooOld { return nil }
                return [
                    client.problem, "It offers \(client.offered(\.cipherSuites)).",
                    "Its signature algorithms are \(client.offered(\.signatureSchemes)).",
                ].compactMap { $0 }
            }
        },
        Rule(
            .clientShowsNoCertificate, .us, 90, "This server demands a certificate, and the client showed none.",
            cause:
                "The client has no identity for this host, or holds it back: it may be set for another address, or expired, or its key may be of a kind that the client cannot use.",
            next: "Look into the client's settings for its certificate and key, and for the host that they are for."
        ) { $0.client(.withoutCertificate) { _ in ["The client answered the request for a certificate with none."] } },
        refusal(
            .clientCertificateExpired, .us, 91, [.expired], "A certificate of the client has expired.",
            cause: "The client's side did not renew it, or the client still uses the old one.",
            next: "Have it renewed, and see that the client uses the new one. Compare the clock of this machine."),
        refusal(
            .clientCertificateNotYetValid, .us, 90, [.notYetValid], "A certificate of the client is not valid yet.",
            cause: "It was issued a short time ago by a clock that is ahead of this machine's.",
            next: "Compare the clock of this machine with another one; if it is right, wait."),
        refusal(
            .clientCertificateNotForClients, .us, 90, [.wrongUsage],
            "The certificate of the client is not for clients.",
            cause: "Its extended key usage lacks clientAuth (RFC 5280 §4.2.1.12): it is a server's certificate.",
            next: "Have a certificate for clients issued."),
        Rule(
            .clientChainIncomplete, .us, 89,
            "The client does not send the authorities between its certificate and the root.",
            cause: "The file of its identity has the client's own certificate only, without that of the intermediate.",
            next:
                "Have the client send the intermediate's certificate too. Until then, add it to what this server knows (TrustPolicy.addingIntermediates).",
            or: [(.clientAuthorityUnknown, "If the missing issuer is itself a root, this server does not know it.")]
        ) { $0.client(.refused) { $0.incompleteChain } },
        Rule(
            .clientAuthorityUnknown, .either, 88,
            "This server does not know the authority of the client's certificate.",
            cause: "The client shows a certificate of another authority than those that this server accepts.",
            next:
                "Compare the issuer with the authorities of this server (--ca). Have a certificate issued by one of them, or accept the client's, when its digest was confirmed by another way."
        ) { facts in
            facts.client(.refused) { client in
                guard client.incompleteChain == nil else { return nil }
                return client.refusal(.unknownAuthority, .selfSigned)
            }
        },
        Rule(
            .clientCertificateRejected, .us, 80, "The client's certificates break a rule.",
            cause: "The certificates violate RFC 5280; the message says how.",
            next: "Send the message to the client's side."
        ) { facts in
            facts.client(.refused) { client in
                let known: [TrustError.Code] = [.expired, .notYetValid, .wrongUsage, .unknownAuthority, .selfSigned]
                guard let verdict = client.verdict, !known.contains(where: { verdict.isRefused($0) }) else {
                    return nil
                }
                return verdict.evidence
            }
        },
        Rule(
            .clientDistrustsServer, .either, 88, "The client does not accept the certificate of this server.",
            cause:
                "The client does not know the authority of this server, or the certificate is expired, or for another host than the client's address has.",
            next:
                "Compare the certificate of this server with the address that the client uses, and with the authorities that the client trusts. Have the server send all intermediates."
        ) { facts in
            facts.client(.alert) { client in
                client.alert.flatMap { $0.alert.namesCertificate ? [client.alertText, client.nameText] : nil }
            }
        },
        Rule(
            .clientSentAlert, .either, 70, "The client ended the connection with an alert.",
            cause: "See the alert: its meaning is that of RFC 8446 §6.",
            next: "Look into the client's log for the time of this connection."
        ) { facts in
            facts.client(.alert) { client in
                client.alert.map { $0.alert.namesCertificate } == true ? nil : [client.alertText]
            }
        },
        Rule(
            .clientClosed, .either, 60, "The client closed the connection during the handshake, without an alert.",
            cause:
                "Some clients do so when they do not accept the server's certificate.",
            next: "Look into the client's log for the time of this connection."
        ) { facts in
            facts.client(.closed) { client in
                let stage = client.version.map { "after this server had chosen \($0)" } ?? "before this server answered"
                return ["It closed \(stage)."]
            }
        },
        Rule(
            .clientClosed, .either, 55, as: .notice, "The client closed the connection before it had sent a byte.",
            cause:
                "A program looked whether the port is open; or the client failed before its first message, for example over its own certificate or key.",
            next: "Look into the client's log for the time of this connection."
        ) { $0.client(.onlyOpened) { _ in ["No ClientHello came."] } },
        Rule(
            .clientSentNoRequest, .either, 50, as: .warning, "The client sent no request after the handshake.",
            cause:
                "It closed the connection: it may check the server's certificate late, or it opened the connection in reserve.",
            next: "Look into the client's log for the time of this connection."
        ) { $0.client(.closedWithoutRequest) { _ in ["The handshake was complete, and no request came."] } },
        Rule(
            .clientFailed, .either, 40, "The connection of the client failed.",
            cause: "The client was silent for too long, or what it sent could not be read.",
            next: "Look into the client's log for the time of this connection."
        ) { facts in
            facts.client(.failed) { [$0.problem ?? "No reason is known."] }
                ?? facts.client(.timedOut) { _ in ["The client was silent."] }
        },
    ]

    private static func refusal(
        _ code: Finding.Code, _ party: Finding.Party, _ weight: Int, _ codes: [TrustError.Code], _ title: String,
        cause: String, next: String
    ) -> Rule {
        Rule(code, party, weight, title, cause: cause, next: next) { facts in
            facts.client(.refused) { client in
                codes.contains { client.verdict?.isRefused($0) == true } ? client.verdict?.evidence : nil
            }
        }
    }
}

extension DiagnosticFacts {
    /// The evidence about a client whose connection ended in this way.
    fileprivate func client(
        _ end: ClientConnectionFacts.End, _ evidence: (ClientConnectionFacts) -> [String]?
    ) -> [String]? {
        guard let client, client.end == end else { return nil }
        return evidence(client)
    }
}

extension ClientConnectionFacts {
    fileprivate var isTooOld: Bool { offer?.versions.contains { $0 == "TLS 1.2" || $0 == "TLS 1.3" } == false }

    fileprivate func offered(_ list: KeyPath<Offer, [String]>) -> String {
        let names = offer?[keyPath: list] ?? []
        return names.isEmpty ? "none" : names.prefix(20).joined(separator: ", ")
    }

    fileprivate func refusal(_ codes: TrustError.Code...) -> [String]? {
        guard let verdict, codes.contains(where: { verdict.isRefused($0) }) else { return nil }
        return verdict.evidence
    }

    fileprivate var alertText: String {
        guard let alert else { return "The client sent an alert." }
        return "The client sent the alert \(alert.name). Of a client it means: \(alert.alert.meaningOfClient)."
    }

    fileprivate var nameText: String {
        offer?.serverName.map { "It wants to reach “\($0)”." } ?? "It does not say which host it wants to reach."
    }

    /// The evidence that the client leaves out an intermediate of an authority that the server accepts.
    fileprivate var incompleteChain: [String]? {
        guard let evidence = refusal(.unknownAuthority), let last = certificates.last, !last.isSelfIssued,
            let anchor = verdict?.anchors.first(where: { NameWords.areRelated($0, last.issuer) }),
            anchor != last.issuer
        else { return nil }
        return evidence + [
            "“\(last.issuer)”, which the client does not send, seems to belong to the accepted “\(anchor)”."
        ]
    }
}

extension TrustVerdict {
    fileprivate var evidence: [String] { [message] + (rule.map { ["The rule is \($0)."] } ?? []) }
}

extension TLSAlert {
    /// What a client means by it, as a sentence about “it”; what the alert says of a certificate is about the server's.
    fileprivate var meaningOfClient: String {
        switch code {
        case 42: "it finds the server's certificate damaged, or for another host, or does not say more"
        case 43: "it does not take a certificate or key of this kind"
        case 44: "the server's certificate was revoked"
        case 45: "the server's certificate is not valid now by its clock"
        case 46: "it does not accept the server's certificate and does not say why"
        case 48: "it does not know the authority above the server's certificate, or an intermediate is missing"
        default: meaning
        }
    }
}
