import SignetTLS

extension Rule {
    /// Whether, when and for which certificates the server asks.
    static let certificateRequest: [Rule] = [
        clientCertificateRequired(90) { facts in
            guard facts.identity == nil, facts.answer == nil, let sign = facts.certificateRefusal, !sign.isShown else {
                return nil
            }
            return sign.text
        },
        clientCertificateRequired(
            90,
            or: [
                (
                    .accessRefused,
                    "A server that serves others without a certificate refuses the access for another reason, which its operator knows."
                )
            ]
        ) { facts in
            guard facts.identity == nil, let answer = facts.answer else { return nil }
            if let sign = facts.certificateRefusal, !sign.isShown { return sign.text }
            if [.missing, .askedLate].contains(answer.certificateRemark) {
                return "The server answered \(answer.status) to a request without a certificate."
            }
            guard facts.accessRefusal != nil, facts.asksEarly || facts.asksLate else { return nil }
            return "The server asked for a certificate, got none, and answered \(answer.status)."
        },
        Rule(
            .keyWithoutRSAPSS, .us, 91, "The key of our identity does not sign with RSA-PSS.",
            cause:
                "TLS 1.3 takes RSA keys with RSA-PSS only (RFC 8446 §4.2.3). Older smart cards and tokens sign with PKCS#1 v1.5 alone.",
            next:
                "Update the token or its driver, or have a certificate issued for an EC key. A server that is limited to TLS 1.2 takes the key as it is."
        ) { facts in
            guard facts.isFailing, let identity = facts.identity, facts.usual?.handshake?.version != "TLS 1.2" else {
                return nil
            }
            let schemes = identity.signatureSchemes
            guard schemes.contains(where: { $0.hasPrefix("rsa_pkcs1") }),
                !schemes.contains(where: { $0.hasPrefix("rsa_pss") || $0.hasPrefix("ecdsa") })
            else { return nil }
            let works = facts.probe(.tls12)?.handshake.map { $0.stage >= .finished } == true
            return ["The key signs with \(schemes.joined(separator: ", "))."]
                + (works ? ["With TLS 1.2 the handshake is complete."] : [])
        },
        Rule(
            .keyTypeNotAccepted, .either, 89, "The server takes no keys of this kind.",
            cause:
                "The server's request names the kinds of keys and signatures that it takes, and ours is not among them.",
            next:
                "Have a certificate issued for a key that the server takes, or ask the operator to allow ours."
        ) { facts in
            guard facts.isFailing, let schemes = facts.identity?.signatureSchemes, !schemes.isEmpty,
                let request = facts.request, request.isReadable
            else { return nil }
            let type = schemes.contains { $0.hasPrefix("rsa") } ? "rsa_sign" : "ecdsa_sign"
            let isTypeMissing = !request.certificateTypes.isEmpty && !request.certificateTypes.contains(type)
            let isSchemeMissing =
                !request.signatureSchemes.isEmpty && Set(schemes).isDisjoint(with: request.signatureSchemes)
            guard isTypeMissing || isSchemeMissing else { return nil }
            let taken = [request.certificateTypes, request.signatureSchemes].filter { !$0.isEmpty }
            return [
                "The server takes \(taken.map { $0.joined(separator: ", ") }.joined(separator: " with ")).",
                "Our key is \(facts.identity?.chain.first?.key ?? "") and signs with \(schemes.joined(separator: ", ")).",
            ]
        },
        Rule(
            .issuerListTooLong, .them, 90, "The server's list of authorities is too long.",
            cause:
                "Windows cuts the list at 12 or 16 KiB, so that authorities at its end are missing; other programs refuse so long a message.",
            next:
                "Ask the operator to remove authorities that it does not need, or to send no list (SendTrustedIssuerList=0 on Windows; SSLCADNRequestFile on Apache).",
            or: [(.issuerNotAcceptable, "If the list is complete, our authority is simply not in it.")]
        ) { facts in
            if facts.isFailing, facts.usual?.handshake?.localReason == "EXCESSIVE_MESSAGE_SIZE" {
                return ["The client's TLS refused a message of the server because of its size."]
            }
            guard facts.isFailing, let request = facts.request, request.authoritiesByteCount >= 12 << 10,
                facts.isIssuerListed == false
            else { return nil }
            return [
                "The list has \(request.authoritiesByteCount) bytes and \(request.authorities.count) authorities.",
                "“\(facts.identity?.topIssuer ?? "")” is not among them.",
            ]
        },
        Rule(
            .wrongPortForCertificate, .us, 88, "Another port of the service is for certificates of this kind.",
            cause:
                "The WSDL has several addresses, for different kinds of certificates or of authentication, and the call goes to one that does not take ours.",
            next: "Call the port that takes our certificate.",
            or: [(.issuerNotAcceptable, "If the other port refuses the certificate too, the authority is the reason.")]
        ) { facts in
            guard facts.isFailing, facts.identity != nil, let used = facts.ports.first(where: \.isTarget),
                facts.shownRefusal != nil && facts.isIssuerListed != true
                    || facts.neverAsks && facts.answer?.isRefusal == true,
                let other = facts.ports.first(where: { !$0.isTarget && $0.acceptsIdentity == true })
            else { return nil }
            return [
                facts.neverAsks
                    ? "The port \(used.name) (\(used.url)) asks for no certificate."
                    : "The port \(used.name) (\(used.url)) does not take our certificate.",
                "The port \(other.name) (\(other.url)) asks for one, and names our authority or no authority.",
            ]
        },
        Rule(
            .lateRequestBodyTooLarge, .them, 93,
            "The server cannot keep so much content while it asks for a certificate.",
            cause:
                "It asks after it has read the head of a request, and must keep the content meanwhile: up to 128 KiB on Apache (SSLRenegBufferSize), 48 KiB on IIS (uploadReadAheadSize).",
            next:
                "Ask the operator to demand the certificate in the first handshake, or to raise the limit. Until then, send a small request first over the same connection."
        ) { facts in
            guard facts.asksLate,
                let answer = facts.answers.first(where: { $0.status == 413 && $0.sentBytes > 0 })
            else { return nil }
            return ["The server asks late.", "It answered 413 to a request with \(answer.sentBytes) bytes of content."]
        },
        Rule(
            .requestedLateUnderTLS13, .either, 91,
            "The server asks for the certificate after the request, which TLS 1.3 does not allow.",
            cause:
                "A rule for some of its paths demands a certificate. In TLS 1.2 the server starts a second handshake for that; in TLS 1.3 it would need an extension that clients do not have.",
            next:
                "Allow showing the identity late, which limits the client to TLS 1.2 for this origin (allowsIdentityInRenegotiation; signet: --identity-late); or ask the operator to demand it in the first handshake."
        ) { facts in
            let says = facts.answers.contains { $0.certificateRemark == .askedLate }
            guard facts.isFailing, facts.asksLate, says || facts.usual?.handshake?.version == "TLS 1.3" else {
                return nil
            }
            let outcome =
                facts.answer.map { "The server answered \($0.status) in TLS 1.3." }
                ?? "The connection with TLS 1.3 ended without an answer."
            return [
                outcome,
                says ? "It says that it asks late." : "With TLS 1.2 it starts a second handshake after the request.",
            ]
        },
        Rule(
            .requestedLate, .us, 89,
            "The server asks for the certificate after the request, and the client does not show it then.",
            cause:
                "A rule for some of the server's paths demands a certificate, for which it starts a second handshake.",
            next:
                "Allow showing the identity late (allowsIdentityInRenegotiation; signet: --identity-late), or ask the operator to demand it in the first handshake."
        ) { facts in
            guard facts.isFailing, facts.asksLate, let identity = facts.identity, !identity.mayBeShownLate,
                facts.usual?.handshake?.version != "TLS 1.3"
            else { return nil }
            return ["The server starts a second handshake after the request."]
        },
        Rule(
            .tlsEndedBeforeService, .them, 88, "TLS ends at a load balancer, which does not pass the certificate on.",
            cause:
                "The server that the client reaches took the certificate; the service behind it says that there was none.",
            next:
                "Ask the operator to have the load balancer pass the certificate on (a field such as X-SSL-Client-Cert), or the connection itself.",
        ) { facts in
            guard let answer = facts.answer, answer.certificateRemark == .missing,
                let shown = facts.usual?.handshake?.shownCertificate
            else { return nil }
            return ["The client showed “\(shown)”.", "The answer \(answer.status) says that no certificate came."]
                + marks(answer)
        },
        Rule(
            .tlsEndedBeforeService, .them, 80, "TLS ends before the service, where no certificate is asked for.",
            cause: "The service misses a certificate, and the server that the client reaches does not ask for one.",
            next: "Ask the operator to demand the certificate where TLS ends, and to pass it on to the service.",
            or: [
                (
                    .certificateNeverRequested,
                    "From the client's side the two look the same: the operator knows where TLS ends."
                )
            ]
        ) { facts in
            guard facts.identity != nil, facts.neverAsks, let answer = facts.answer,
                answer.certificateRemark == .missing || says(answer, "certificate")
            else { return nil }
            return ["No handshake had a request for a certificate.", "The answer \(answer.status) misses one."]
                + marks(answer)
        },
        Rule(
            .tlsEndedBeforeService, .them, 74, "TLS ends at a load balancer, which asks for no certificate.",
            cause:
                "The service refuses callers without a certificate, and the load balancer before it does not ask for one.",
            next: "Ask the operator to demand the certificate where TLS ends, and to pass it on to the service.",
            or: [
                (
                    .certificateNeverRequested,
                    "From the client's side the two look the same: the operator knows where TLS ends."
                )
            ]
        ) { facts in
            guard facts.identity != nil, facts.neverAsks, let answer = facts.accessRefusal,
                !answer.intermediaries.isEmpty
            else { return nil }
            return ["No handshake had a request for a certificate.", "The server answered \(answer.status)."]
                + marks(answer)
        },
        Rule(
            .certificateNeverRequested, .them, 70, "The server never asks for a certificate.",
            cause:
                "A client sends its certificate only when the server asks for it. This server does not, at this host, port and path.",
            next:
                "Check host, port and path against the documentation of the service. If they are right, ask the operator to have the server request client certificates.",
            or: [
                (.tlsEndedBeforeService, "The operator knows whether TLS ends at a load balancer."),
                (.wrongPortForCertificate, "The WSDL or the documentation may name another address for certificates."),
            ]
        ) { facts in
            guard facts.identity != nil, facts.neverAsks, let answer = facts.accessRefusal else { return nil }
            return ["No handshake had a request for a certificate.", "The server answered \(answer.status)."]
        },
    ]

    private static func clientCertificateRequired(
        _ weight: Int, or alternatives: [(Finding.Code, String)] = [],
        _ evidence: @escaping @Sendable (DiagnosticFacts) -> String?
    ) -> Rule {
        Rule(
            .clientCertificateRequired, .us, weight,
            "The server demands a client certificate, and the client has none for it.",
            cause: "No identity is configured for this origin, or the server did not get it.",
            next:
                "Give the identity that was registered with the operator of the server (signet: --identity). If you have no identity for it, ask the operator which authorities it takes.",
            or: alternatives
        ) { facts in
            guard facts.identityFile == nil, let found = evidence(facts) else { return nil }
            let names = (facts.request?.authorities.prefix(5) ?? []).map { "“\($0)”" }.joined(separator: ", ")
            return [found] + (names.isEmpty ? [] : ["It takes certificates of \(names)."])
        }
    }

    /// - Parameter chain: what the client sends, as evidence.
    private static func issuerNotAcceptable(
        _ weight: Int, _ chain: String, or alternatives: [(Finding.Code, String)] = [],
        when fits: @escaping @Sendable (IdentityFacts) -> Bool
    ) -> Rule {
        Rule(
            .issuerNotAcceptable, .either, weight, "The server does not accept the authority of our certificate.",
            cause:
                "Our authority is not among those whose certificates it takes; or it was, and the operator has replaced the list with that of a newer one.",
            next:
                "Ask the operator to accept our authority, or which ones it accepts, and have a certificate issued there.",
            or: alternatives
        ) { facts in
            guard let identity = facts.identity, fits(identity), let refusal = facts.anyRefusal,
                facts.missingIntermediate == nil, !identity.isSelfSigned, facts.shownRefusal?.saysWhy != true
            else { return nil }
            let sign = facts.signOfRoot
            let issuer = "Ours is of “\(identity.topIssuer)”. \(chain)\(sign.map { " \($0)" } ?? "")"
            if facts.isIssuerListed == false, let request = facts.request {
                let names = request.authorities.prefix(5).map { "“\($0)”" }.joined(separator: ", ")
                let more = request.authorities.count > 5 ? " and \(request.authorities.count - 5) more" : ""
                return ["It takes certificates of \(names)\(more).", issuer, refusal]
            }
            guard facts.isIssuerListed == nil, identity.pathEnd == .root || sign != nil,
                facts.shownRefusal?.alert == TLSAlert(code: 48)
            else { return nil }
            return [issuer, refusal]
        }
    }

    private static func marks(_ answer: AnswerFacts) -> [String] {
        answer.intermediaries.isEmpty
            ? [] : ["Signs of a proxy or load balancer: \(answer.intermediaries.joined(separator: ", "))."]
    }

    private static func says(_ answer: AnswerFacts, _ word: String) -> Bool {
        answer.says?.lowercased().contains(word) == true
    }

    /// Why the server refuses what the client shows.
    static let certificateRefusal: [Rule] = [
        Rule(
            .wrongEnvironment, .us, 87, "A certificate for one environment is shown to another.",
            cause: "Test and production have different authorities; a certificate of one is unknown to the other.",
            next: "Use the identity that belongs to the URL, or the URL that belongs to the identity.",
            or: [
                (
                    .issuerNotAcceptable,
                    "The names alone show this. The operator knows which authorities belong to this host."
                )
            ]
        ) { facts in
            guard let refusal = facts.anyRefusal, facts.isIssuerListed != true, let evidence = facts.environments else {
                return nil
            }
            return evidence + [refusal]
        },
        Rule(
            .selfSignedNotRegistered, .them, 85, "Our certificate is self-signed, and the server does not know it.",
            cause: "For a self-signed certificate there is no authority: the server must know the certificate itself.",
            next:
                "Send the certificate (never the key) to the operator of the server, who registers it. After each renewal it must be done again."
        ) { facts in
            guard let identity = facts.identity, identity.isSelfSigned, let refusal = facts.anyRefusal else {
                return nil
            }
            return ["“\(identity.subject)” signed itself.", refusal]
        },
        Rule(
            .clockWrong, .either, 88, "The server takes our valid certificate for an expired one: a clock is wrong.",
            cause:
                "The certificate is valid now by the local clock; the server's clock differs, or the local one is wrong.",
            next: "Compare the local clock with another one. If it is right, tell the operator of the server.",
            or: [(.identityExpired, "Some servers send this alert for a revocation list that has expired.")]
        ) { facts in
            guard let sign = facts.shownRefusal, sign.alert == TLSAlert(code: 45), let identity = facts.identity,
                identity.has(.expired) == nil, facts.identityBegin == nil
            else { return nil }
            return [sign.text]
                + (identity.chain.first?.notAfter.map { ["Ours is valid until \(UnixTime.text($0))."] } ?? [])
        },
        Rule(
            .intermediatesNotSent, .us, 80,
            "The client does not send the authorities between its certificate and the root.",
            cause:
                "The file of the identity lacks the certificate of the intermediate that issued ours. A server that has only the root cannot build the path.",
            next:
                "Get the certificate of the issuer from the authority, and put it into the file (signet identity convert), or beside it.",
            or: [(.issuerNotAcceptable, "If the missing issuer is itself a root, the server does not know it.")]
        ) { facts in
            guard let sign = facts.shownRefusal, sign.mayBeAboutPath, let evidence = facts.missingIntermediate else {
                return nil
            }
            return evidence + [sign.text]
        },
        issuerNotAcceptable(
            78, "The client sent all certificates up to that authority."
        ) { $0.pathEnd == .root },
        issuerNotAcceptable(
            77, "The certificate of that authority is not in the file of the identity.",
            or: [(.intermediatesNotSent, "If the issuer is an intermediate of an accepted root, sending it is enough.")]
        ) { $0.pathEnd != .root },
        Rule(
            .connectionWithOldIdentity, .us, 92, "The connection was opened with an identity that has expired since.",
            cause:
                "A certificate belongs to its connection. A connection that is kept open goes on with the one with which it was opened, where the identity is looked for on demand (looksForIdentityOnDemand).",
            next: "Close the open connections after a change of the identity: renewConnections() of the transport."
        ) { facts in
            for answer in facts.answers where answer.isReused && answer.isRefusal {
                guard let shown = answer.connectionCertificate, let end = answer.connectionCertificateNotAfter,
                    end < facts.now
                else { continue }
                return [
                    "An earlier call had opened the connection, and showed “\(shown)”.",
                    "That certificate was valid until \(UnixTime.text(end)).",
                ]
            }
            return nil
        },
        Rule(
            .certificateNotRegistered, .them, 68, "The server takes our certificate, and then refuses the caller.",
            cause:
                "The handshake is complete: authority, key and validity are fine. The service does not know this certificate, or does not allow it this operation.",
            next:
                "Ask the operator to register the certificate (subject, serial number or digest), and tell it about each renewal.",
            or: [
                (.wrongEnvironment, "Ask whether it was registered for this environment."),
                (.tlsEndedBeforeService, "The log of the service shows whether the certificate reached it."),
                (
                    .connectionWithOldIdentity,
                    "An identity that is looked for on demand may have been replaced since the connection was opened: renewConnections()."
                ),
            ]
        ) { facts in
            guard let identity = facts.identity, let answer = facts.accessRefusal,
                let shown = facts.usual?.handshake?.shownCertificate ?? answer.connectionCertificate
            else { return nil }
            let listed = facts.isIssuerListed == true ? ["The server names its issuer “\(identity.topIssuer)”."] : []
            return ["The client showed “\(shown)”.", "The server answered \(answer.status)."] + listed
        },
        Rule(
            .certificateRefused, .either, 40, isGeneral: true,
            "The server refuses our certificate and does not say why.",
            cause: "What the server said fits several reasons.",
            next:
                "Send the time, the address and the digest of the certificate to the operator of the server: its log names the reason.",
            or: [
                (.issuerNotAcceptable, "Ask which authorities the server accepts."),
                (.intermediatesNotSent, "Ask whether the server has the intermediate of our authority."),
                (
                    .identityRevoked,
                    "Look the certificate up at its authority: many servers do not say that it is revoked."
                ),
                (.identityRevocationUnreachable, "Ask whether the server checks revocation."),
            ]
        ) { facts in facts.shownRefusal.map { [$0.text] } },
    ]
}

extension DiagnosticFacts.CertificateRefusalSign {
    /// Whether the alert names a reason of its own: revoked, expired.
    fileprivate var saysWhy: Bool { alert.map { [44, 45].contains($0.code) } ?? false }

    /// Whether servers refuse a certificate so whose path they cannot build: OpenSSL sends unknown_ca, others
    /// handshake_failure, bad_certificate or certificate_unknown, or no alert.
    fileprivate var mayBeAboutPath: Bool { alert.map { [40, 42, 46, 48].contains($0.code) } ?? true }
}

extension DiagnosticFacts {
    /// The evidence that the client leaves out an intermediate.
    fileprivate var missingIntermediate: [String]? {
        guard let identity, !identity.isSelfSigned, [.missing, .broken].contains(identity.pathEnd),
            isIssuerListed != true, signOfRoot == nil
        else { return nil }
        let issuer = identity.topIssuer
        let sent = "The client sends \(identity.chain.count) certificate(s); “\(issuer)” is not among them."
        // A certificate of the server's own path may show what the issuer is.
        if let known = serverCertificates.first(where: { $0.subject == issuer && !$0.isSelfIssued }) {
            return [sent, "“\(issuer)” is an intermediate below “\(known.issuer)”."]
        }
        guard let request, isIssuerListed == false else {
            return [sent, "The server does not say which authorities it takes."]
        }
        guard let related = request.authorities.first(where: { NameWords.areRelated($0, issuer) }) else { return nil }
        return [sent, "The server takes “\(related)”, which seems to be above it."]
    }

    /// What shows that the authority above what we send is a root, whose certificate is not known as that of our path; nil
    /// when nothing shows it.
    fileprivate var signOfRoot: String? {
        guard let identity, !identity.isSelfSigned, identity.pathEnd != .root else { return nil }
        let issuer = identity.topIssuer
        if let known = serverCertificates.first(where: { $0.subject == issuer }) {
            return known.isSelfIssued ? "It is a root, as the server's own certificates show." : nil
        }
        return NameWords.words(issuer).contains("root") ? "Its name is that of a root." : nil
    }

    /// The evidence in names that identity and host belong to different environments.
    fileprivate var environments: [String]? {
        guard let identity else { return nil }
        let names = identity.chain.map(\.issuer)
        for name in names {
            if let other = request?.authorities.first(where: { NameWords.differInEnvironment(name, $0) }) {
                return ["Ours is of “\(name)”.", "The server takes “\(other)”."]
            }
        }
        guard let host = target?.host, NameWords.isPublicHost(host) else { return nil }
        let isTestHost = NameWords.isForTests(host)
        let isTestIdentity = names.contains(where: NameWords.isForTests)
        guard !isTestHost, isTestIdentity else { return nil }
        return ["Ours is “\(identity.subject)” of “\(identity.topIssuer)”.", "The host is \(host)."]
    }
}
