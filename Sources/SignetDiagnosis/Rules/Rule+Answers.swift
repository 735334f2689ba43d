import HTTPTypes
import SignetAuthentication
import SignetTLS

extension Rule {
    /// What the server answers once it has accepted the connection.
    static let answers: [Rule] = [
        Rule(
            .clockWrong, .either, 97, "A clock is wrong.",
            cause: "A certificate is refused for its validity, and the clocks of client and server differ.",
            next: "Compare the local clock with another one, and set the one that is wrong."
        ) { facts in
            let isAboutTime =
                facts.verdict?.isRefused(.expired, .notYetValid) == true
                || facts.identity?.has(.notYetValid) != nil
                || facts.shownRefusal?.alert == TLSAlert(code: 45)
            return isAboutTime ? facts.clockEvidence : nil
        },
        Rule(
            .clockWrong, .either, 76, "The clocks of client and server differ, and the call fails.",
            cause:
                "Signed messages, tokens and UsernameTokens are valid for some minutes only: a server with another time takes them for old or for not yet valid.",
            next: "Compare the local clock with another one, and set the one that is wrong."
        ) { facts in
            let isFault = facts.answer?.content == .fault
            return facts.isFailing || isFault ? facts.clockEvidence : nil
        },
        Rule(
            .clockWrong, .either, 72, as: .warning, "The clocks of client and server differ.",
            cause: "The Date field of the answer and the local clock differ by more than five minutes.",
            next:
                "Compare the local clock with another one, and set the one that is wrong: signed messages depend on it."
        ) { $0.clockEvidence },
        Rule(
            .credentialsRefused, .us, 86, "The server refuses the credentials.",
            cause: "User name or password are wrong, or the account is locked or not allowed here.",
            next: "Check the account. Do not try again and again: many servers lock an account after some attempts."
        ) { facts in
            guard let failure = facts.authentication, !failure.isProxy, failure.has(.credentialsRefused) else {
                return nil
            }
            return [failure.message]
        },
        Rule(
            .authenticationSchemeUnsupported, .us, 85,
            "The server offers no scheme of authentication that the client can use.",
            cause: "The schemes that it names are unknown to this library, or not allowed by the configuration.",
            next:
                "Ask the operator for Basic, Digest, Bearer, Negotiate or NTLM over TLS, or look at what the policy allows."
        ) { facts in
            if let failure = facts.authentication, !failure.isProxy, failure.has(.noUsableScheme, .insecureChannel) {
                return [failure.message]
            }
            guard let answer = facts.answer, answer.status == 401, !answer.challenges.isEmpty,
                !answer.challenges.contains(where: \.isSupported)
            else { return nil }
            return ["The server answered 401 and offers \(schemes(answer))."]
        },
        Rule(
            .credentialsRequired, .us, 85, "The server demands credentials.",
            cause: "It knows its users by name and password, by a token, or by their Kerberos ticket.",
            next:
                "Give credentials for one of the schemes that it offers (signet: --user, --token-file, --ticket; NTLM and Negotiate must be allowed with --auth).",
            or: [
                (
                    .certificateNotRegistered,
                    "If the server takes certificates in place of passwords, it does not know ours: ask its operator to register it."
                )
            ]
        ) { facts in
            if let failure = facts.authentication, !failure.isProxy, failure.has(.credentialsRequired, .noTicket) {
                return [failure.message]
            }
            guard facts.authentication == nil, let answer = facts.answer, answer.status == 401,
                answer.challenges.contains(where: \.isSupported)
            else { return nil }
            return ["The server answered 401 and offers \(schemes(answer))."]
        },
        Rule(
            .authenticationFailed, .either, 60, "Authentication failed.",
            cause: "See the message.",
            next: "Follow the message; if it does not help, send it to the operator of the server."
        ) { facts in
            guard let failure = facts.authentication, !failure.isProxy,
                !failure.has(
                    .credentialsRefused, .noUsableScheme, .insecureChannel, .credentialsRequired, .noTicket)
            else { return nil }
            return [failure.message]
        },
        Rule(
            .redirectLosesIdentity, .either, 84,
            "A redirect leads to another origin, to which the identity does not go.",
            cause:
                "An identity belongs to one origin. The server sends the client to another host, port or scheme, where it would arrive without it.",
            next:
                "If the other address is the right one, configure it, and the identity for it. If it is a login page, the server did not accept the caller."
        ) { facts in
            guard facts.identity != nil, let answer = facts.answer, (300..<400).contains(answer.status),
                let origin = answer.redirectOrigin
            else { return nil }
            return ["The server answered \(answer.status) and redirects to \(origin)."]
        },
        Rule(
            .documentWithoutIdentity, .us, 79, "The WSDL was asked for without the identity that it needs.",
            cause:
                "The server demands a certificate for its documents, too; the program that fetches the WSDL has none.",
            next: "Fetch it with the identity (signet fetch --identity), and work with the copy."
        ) { $0.documentRefusal },
        Rule(
            .documentUnavailable, .either, 44, as: .warning, "The WSDL cannot be fetched from its address.",
            cause: "The address is wrong or out of date, or its server fails, or the client does not trust it.",
            next: "Check the address. A copy of the WSDL needs no address: signet fetch makes one."
        ) { facts in
            guard facts.documentRefusal == nil, let probe = facts.probe(.document) else { return nil }
            if let answer = probe.answers.last {
                return (200..<300).contains(answer.status)
                    ? nil : ["The answer to the request for the WSDL has the status \(answer.status)."]
            }
            return ["The connection for the WSDL was \(probe.end.text).\(probe.problem.map { " \($0)" } ?? "")"]
        },
        Rule(
            .htmlInsteadOfSOAP, .either, 66, "A web page came instead of an envelope.",
            cause:
                "The path is not that of the service, or a login page, a portal or an error page of a proxy answers in its place.",
            next: "Check the path against the WSDL. If it is a login page, the server wants other credentials."
        ) { facts in
            guard let answer = facts.answer, answer.content == .html, (200..<300).contains(answer.status),
                !answer.isFromService
            else {
                return nil
            }
            let title = answer.says.map { " with the title “\($0)”" } ?? ""
            return ["The server answered \(answer.status) and a page\(title)."]
                + (answer.isLogin ? ["It asks for a login."] : [])
        },
        Rule(
            .redirected, .either, 50, isGeneral: true, "The server redirects.",
            cause: "The service has moved, or the path is not complete.",
            next: "Take the address to which it redirects, if it is the right one."
        ) { facts in
            guard let answer = facts.answer, (300..<400).contains(answer.status) else { return nil }
            return [
                "The server answered \(answer.status)\(answer.redirectOrigin.map { " and redirects to \($0)" } ?? "")."
            ]
        },
        Rule(
            .notFound, .us, 45, isGeneral: true, "There is nothing at this path.",
            cause: "The path of the URL is not that of the service.",
            next: "Take the address from the WSDL (soap:address)."
        ) { facts in
            guard let answer = facts.answer, [404, 410].contains(answer.status), answer.content != .fault else {
                return nil
            }
            return ["The server answered \(answer.status)."]
        },
        Rule(
            .accessRefused, .either, 42, isGeneral: true, "The server refuses the caller and does not say why.",
            cause: "It knows a rule that the client does not: for addresses, users, certificates or paths.",
            next: "Ask the operator what it demands of callers."
        ) { facts in facts.accessRefusal.map { ["The server answered \($0.status)."] } },
        Rule(
            .requestRefused, .either, 43, isGeneral: true, "The server does not take the request.",
            cause:
                "The status says what it does not take: the path with this method, the version of HTTP, the length or the number of requests.",
            next: "Look the status up in the documentation of the service, or send it to the operator of the server."
        ) { facts in
            guard facts.isFailing, let answer = facts.answer, (400..<500).contains(answer.status),
                ![404, 407, 410].contains(answer.status), !answer.isRefusal, !answer.wantsTLS
            else { return nil }
            let name = HTTPResponse.Status(code: answer.status).reasonPhrase
            return ["The server answered \(answer.status)\(name.isEmpty ? "" : " (\(name))")."]
        },
        Rule(
            .serverError, .them, 41, isGeneral: true, "The server failed.",
            cause: "The service, or what stands before it, has an error of its own or is overloaded.",
            next: "Try again later, and send the time to the operator of the server."
        ) { facts in
            guard let answer = facts.answer, answer.status >= 500, !answer.isFromService else { return nil }
            return ["The server answered \(answer.status)."]
        },
    ]

    private static func schemes(_ answer: AnswerFacts) -> String {
        answer.challenges.map { challenge in
            "\(challenge.scheme)\(challenge.realm.map { " (realm “\($0)”)" } ?? "")"
        }.joined(separator: ", ")
    }

    /// What will fail later or for others, and what is good to know.
    static let remarks: [Rule] = [
        Rule(
            .issuerListIncomplete, .them, 65, as: .warning,
            "The server accepts our certificate, but its list does not name our issuer.",
            cause:
                "The list that it sends is another than the one by which it decides, for example that of a newer authority. Browsers and systems that choose by the list show no certificate at all.",
            next: "Ask the operator to name all authorities in the list, or to send an empty one."
        ) { facts in
            guard facts.isServed, facts.isIssuerListed == false, let identity = facts.identity,
                facts.usual?.handshake?.shownCertificate != nil
            else { return nil }
            let names = (facts.request?.authorities.prefix(5) ?? []).map { "“\($0)”" }.joined(separator: ", ")
            return ["The list has \(names).", "Ours is of “\(identity.topIssuer)”, and the server accepts it."]
        },
        Rule(
            .publicAuthorityStops, .us, 62, as: .warning,
            "The public authority of our certificate stops issuing certificates for clients.",
            cause:
                "Browsers demand that public authorities issue certificates for servers only. The next renewal will give one without clientAuth, which servers refuse.",
            next:
                "Before the next renewal, ask the operator of the server which private authority's certificates it takes, and have one issued there."
        ) { facts in
            guard let leaf = facts.identity?.chain.first, leaf.extendedKeyUsage?.contains("clientAuth") == true,
                leaf.extendedKeyUsage?.contains("serverAuth") == true,
                let authority = PublicAuthority.issuing(leaf.issuer)
            else { return nil }
            let verb = facts.now > authority.lastSecond ? "stopped" : "will stop"
            return [
                "\(authority.name) \(verb) on \(authority.day).",
                "Ours, of “\(leaf.issuer)”, is valid until \(leaf.notAfter.map(UnixTime.text) ?? "an unknown time").",
            ]
        },
        Rule(
            .identityExpiresSoon, .us, 61, as: .warning, "Our certificate expires soon.",
            cause: "Its validity ends within thirty days.",
            next: "Renew it now: the new one may have to be registered with the operator of the server."
        ) { facts in facts.identity?.has(.expiresSoon).map { [$0.message] } },
        Rule(
            .serverCertificateExpiresSoon, .them, 50, as: .warning, "The server's certificate expires soon.",
            cause: "Less than a quarter of its validity, and less than two weeks, is left.",
            next: "Tell the operator, if it is not renewed by itself."
        ) { facts in
            guard let leaf = facts.serverCertificates.first, let end = leaf.notAfter, let start = leaf.notBefore,
                facts.verdict == nil, end > facts.now, start < end
            else { return nil }
            let (left, overflow) = end.subtractingReportingOverflow(facts.now)
            let (whole, isTooLong) = end.subtractingReportingOverflow(start)
            guard !overflow, !isTooLong, left < 14 * 86_400, left < whole / 4 else { return nil }
            return ["“\(leaf.subject)” is valid until \(UnixTime.text(end))."]
        },
        Rule(
            .certificateNotNeeded, .us, 40, as: .notice, "The server needs no client certificate.",
            cause: "It asks for none, and answers.", next: "Nothing has to be done."
        ) { facts in
            facts.identity != nil && facts.isServed && facts.neverAsks ? ["No handshake had a request for one."] : nil
        },
        Rule(
            .noTLS13, .them, 30, as: .notice, "The server does not have TLS 1.3.",
            cause: "It chose TLS 1.2, which is secure, and shows certificates in clear.",
            next: "Nothing has to be done."
        ) { facts in
            guard let usual = facts.usual, usual.handshake?.version == "TLS 1.2",
                (usual.handshake?.stage ?? .nothing) >= .finished, facts.identity?.mayBeShownLate != true
            else { return nil }
            return ["It chose \(usual.handshake?.version ?? "") with \(usual.handshake?.cipherSuite ?? "")."]
        },
        Rule(
            .soapFault, .either, 35, as: .notice, "The service answered with a fault.",
            cause: "The connection works: the service read the message and did not accept it.",
            next: "See the fault. A probe without a real message is answered with a fault by many services."
        ) { facts in
            guard let answer = facts.answer, answer.content == .fault else { return nil }
            return [answer.says ?? "The fault has no text."]
        },
    ]
}

extension DiagnosticFacts {
    /// The evidence that a WSDL is given only to clients with a certificate.
    fileprivate var documentRefusal: [String]? {
        guard identity != nil, let probe = probe(.document), !probe.hasIdentity,
            probe.end != .untrusted
        else { return nil }
        if let answer = probe.answers.last {
            let outcome = "Without the identity, the server answered \(answer.status) to the request for the WSDL"
            if let origin = answer.redirectOrigin { return ["\(outcome), and redirects to \(origin)."] }
            return answer.isRefusal || answer.isLogin
                ? ["\(outcome)\(answer.isLogin ? ", with a login page" : "")."] : nil
        }
        let alert = probe.handshake?.alerts.first { $0.isFromServer && $0.alert.concernsCertificate }
        let isClosed = [.closed, .reset].contains(probe.end) && probe.handshake?.request != nil
        guard alert != nil || isClosed else { return nil }
        return ["Without the identity, the connection for the WSDL was \(probe.end.text)."]
    }
}
