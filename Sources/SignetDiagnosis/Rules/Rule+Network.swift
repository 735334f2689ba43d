import SignetAuthentication
import SignetTLS

extension Rule {
    /// The way to the server, below TLS.
    static let network: [Rule] = [
        Rule(
            .hostUnknown, .us, 97, "The host has no address.",
            cause:
                "The name is misspelt, or the name service in use does not know it, as with names of an inner network.",
            next: "Check the spelling, the VPN, and the name service: `getent hosts NAME`."
        ) { facts in
            facts.proxies.isEmpty ? unresolved(facts) : nil
        },
        Rule(
            .proxyUnreachable, .network, 96, "There is no connection to the proxy.",
            cause:
                "The proxy's address is wrong, the proxy is down, or a firewall is between. The server was not asked.",
            next:
                "Check the proxy's address and port in the configuration and in the variables http_proxy and https_proxy."
        ) { facts in
            // The name that was looked up, and the addresses that were tried, are those of the proxy.
            hop(facts, .unreachable).map { $0 + (unresolved(facts) ?? []) + facts.connections.map(\.text) }
        },
        Rule(
            .proxyCredentialsRefused, .us, 97, "The proxy refuses the credentials.",
            cause: "User name or password are wrong, or the account is locked or not allowed to use the proxy.",
            next:
                "Check the account for the proxy. It is not that of the server. Do not try again and again: many proxies lock an account after some attempts."
        ) { facts in proxyFailure(facts, .credentialsRefused) },
        Rule(
            .proxyCredentialsRequired, .us, 97,
            "The proxy demands credentials, and the client does not send them over plain HTTP.",
            cause: "An attacker on the way to the proxy could read the password, or guess it.",
            next:
                "Use a proxy with TLS, whose address begins with https; or allow it (allowsPlaintext of the proxy's authentication; signet: --proxy-allow-plaintext)."
        ) { facts in proxyFailure(facts, .insecureChannel) },
        Rule(
            .proxyCredentialsRequired, .us, 96, "The proxy demands credentials.",
            cause: "The proxy knows its users by name and password, or by their Kerberos ticket (407).",
            next: "Give credentials for the proxy (signet: --proxy-user). They are not those of the server."
        ) { facts in
            if let failure = facts.authentication, failure.isProxy {
                return failure.has(.credentialsRefused) ? nil : proxyEvidence(facts, failure)
            }
            if let found = hop(facts, .credentialsRequired) { return found }
            return facts.answers.contains { $0.status == 407 } ? ["An answer has the status 407."] : nil
        },
        Rule(
            .proxyRefused, .network, 95, "The proxy opens no tunnel to the server.",
            cause: "Its rules do not allow this host or port, or it cannot reach or resolve the host itself.",
            next: "Ask the administrator of the proxy to allow host and port, or go past the proxy (no_proxy)."
        ) { facts in hop(facts, .refused) },
        Rule(
            .proxyTLSFailed, .us, 96, "TLS with the proxy itself failed.",
            cause:
                "The proxy's address begins with https, so that TLS begins with the proxy before anything else. Either does not accept the other, or the proxy speaks no TLS at this port.",
            next:
                "Do what the message says. A proxy without TLS has an address with http://. For a proxy whose certificate comes from a private authority, give that authority (signet: --proxy-ca)."
        ) { facts in hop(facts, .tlsFailed) },
        Rule(
            .connectionRefused, .them, 95, "No program listens on the port.",
            cause: "The host was reached and refuses the connection: the service is down, or has another port.",
            next: "Check the port in the URL against the service's documentation, and ask the operator."
        ) { facts in attempts(facts, .refused) },
        Rule(
            .networkUnreachable, .network, 95, "There is no route to the host.",
            cause: "The machine has no network, or a firewall or VPN is between.",
            next: "Check the network and the VPN; ask whether a firewall allows this host and port."
        ) { facts in attempts(facts, .unreachable) },
        Rule(
            .connectionTimedOut, .network, 95, "The host does not answer.",
            cause:
                "A firewall drops the packets without a word, on the client's or the server's side, or the host is down.",
            next:
                "Ask whether the address of this machine must be registered with the operator of the server, and whether the own firewall allows the port."
        ) { facts in attempts(facts, .timedOut) },
        Rule(
            .ipv6Broken, .network, 70, as: .warning, "The host cannot be reached over IPv6.",
            cause:
                "The name has IPv6 addresses, but the connection over them fails, here or at the server. Every new connection loses time until IPv4 is tried; programs without that fallback fail.",
            next:
                "Have the IPv6 route repaired, or the AAAA record removed until it works. Until then, prefer IPv4 on this machine (/etc/gai.conf)."
        ) { facts in
            let (new, old) = (facts.connections.filter(\.isIPv6), facts.connections.filter { !$0.isIPv6 })
            guard !new.isEmpty, new.allSatisfy({ $0.outcome != .connected }),
                old.contains(where: { $0.outcome == .connected })
            else { return nil }
            return (facts.proxies.isEmpty ? [] : ["The addresses are those of the proxy."]) + (new + old).map(\.text)
        },
    ]

    private static func unresolved(_ facts: DiagnosticFacts) -> [String]? {
        guard let resolution = facts.resolution, resolution.addresses.isEmpty else { return nil }
        return ["No address was found for \(resolution.host)\(resolution.problem.map { ": \($0)" } ?? "")."]
    }

    private static func hop(_ facts: DiagnosticFacts, _ outcome: ProxyHop.Outcome) -> [String]? {
        guard let hop = facts.proxies.first(where: { $0.outcome == outcome }) else { return nil }
        let status = hop.status.map { ", which answered \($0)" } ?? ""
        let schemes = hop.challenges.map(\.scheme).joined(separator: ", ")
        return ["The proxy is \(hop.address)\(status)."] + (schemes.isEmpty ? [] : ["It offers \(schemes)."])
            + (hop.problem.map { [$0] } ?? [])
    }

    private static func proxyFailure(_ facts: DiagnosticFacts, _ code: AuthenticationError.Code) -> [String]? {
        guard let failure = facts.authentication, failure.isProxy, failure.has(code) else { return nil }
        return proxyEvidence(facts, failure)
    }

    private static func proxyEvidence(_ facts: DiagnosticFacts, _ failure: AuthenticationFailure) -> [String] {
        (hop(facts, .credentialsRequired) ?? []) + [failure.message]
    }

    /// All attempts failed, and this outcome says most: a host that refused was at least reached.
    private static func attempts(_ facts: DiagnosticFacts, _ outcome: ConnectionAttempt.Outcome) -> [String]? {
        let outcomes = facts.connections.map(\.outcome)
        guard facts.proxies.isEmpty, !outcomes.isEmpty, !outcomes.contains(.connected),
            let worst = [.refused, .closed, .timedOut, .unreachable].first(where: outcomes.contains), worst == outcome
        else { return nil }
        return facts.connections.map(\.text)
    }

    /// TLS before certificates.
    static let handshake: [Rule] = [
        Rule(
            .httpOnTLSPort, .us, 96, "The port speaks HTTP without TLS.",
            cause: "The URL begins with https, and the port is that of plain HTTP.",
            next:
                "Take the port of HTTPS from the service's documentation. Do not change the URL to http: everything would be readable on the way.",
            or: [(.tlsIntercepted, "A captive portal or filter that answers in plain HTTP: try another network.")]
        ) { facts in
            guard facts.target?.isSecure != false, let foreign = facts.usual?.handshake?.foreign,
                foreign.kind == .httpAnswer
                    || facts.probes.contains(where: { $0.kind == .plain && !$0.answers.isEmpty })
            else { return nil }
            return ["In place of TLS came “\(foreign.text)”."]
        },
        Rule(
            .tlsOnHTTPPort, .us, 96, "The port expects TLS.",
            cause: "The URL begins with http, and the port is that of HTTPS.",
            next: "Write https in the URL."
        ) { facts in
            let isPlain = facts.target.map { !$0.isSecure } ?? true
            if isPlain, let answer = facts.answers.first(where: \.wantsTLS) {
                return ["The server answered \(answer.status): it got plain HTTP where it expects TLS."]
            }
            guard facts.target?.isSecure == false, facts.isFailing else { return nil }
            if facts.usual?.handshake?.alerts.isEmpty == false { return ["The server answered with an alert of TLS."] }
            guard let secured = facts.probe(.secured)?.handshake, secured.foreign == nil else { return nil }
            let chosen = secured.version ?? "TLS"
            let answers = secured.stage >= .serverHello || secured.alerts.contains(where: \.isFromServer)
            return answers ? ["The same port speaks \(chosen) when it is asked in TLS."] : nil
        },
        Rule(
            .notTLS, .us, 95, "The port speaks another protocol than TLS.",
            cause: "Another program listens on the port, or something between answers in its place.",
            next: "Check host and port of the URL."
        ) { facts in
            guard facts.target?.isSecure != false, let foreign = facts.usual?.handshake?.foreign,
                foreign.kind != .httpAnswer
            else { return nil }
            return ["In place of TLS came \(foreign.text.isEmpty ? "what breaks its rules" : "“\(foreign.text)”")."]
        },
        Rule(
            .clientHelloDropped, .network, 94, "A large first message of TLS is lost on the way.",
            cause:
                "The usual ClientHello is larger than one packet, because of keys for post-quantum algorithms. An old firewall or load balancer drops it.",
            next:
                "Ask the operator of the server, and of the firewalls between, to update what stands before the server. Until then, try another network, or a proxy."
        ) { facts in
            guard let usual = facts.usual, let handshake = usual.handshake, handshake.stage == .nothing,
                [.timedOut, .closed, .reset].contains(usual.end), let small = facts.probe(.smallHello),
                (small.handshake?.stage ?? .nothing) >= .serverHello
            else { return nil }
            return [
                "With the usual ClientHello, the connection was \(usual.end.text) before a byte came.",
                "A small ClientHello got \(small.handshake?.version ?? "an answer").",
            ]
        },
        Rule(
            .tlsVersionUnsupported, .us, 95, "The client offers TLS 1.2 only, which the server does not speak.",
            cause:
                "An identity that may be shown late limits the client to TLS 1.2, since TLS 1.3 has no second handshake. The server speaks TLS 1.3 only, so that it never asks late.",
            next: "Take that setting out (allowsIdentityInRenegotiation; signet: --identity-late)."
        ) { facts in
            guard facts.isFailing, facts.identity?.mayBeShownLate == true, let handshake = facts.usual?.handshake,
                handshake.stage < .serverHello
            else { return nil }
            let alert = handshake.alerts.first(where: \.isFromServer)
            let evidence = alert.map { ["The server answered the ClientHello with the alert \($0.name)."] } ?? []
            // An error alone does not show what the server says to TLS 1.3.
            guard let newer = facts.probe(.tls13) else { return alert?.alert == .protocolVersion ? evidence : nil }
            return (newer.handshake?.stage ?? .nothing) >= .serverHello
                ? evidence + ["With TLS 1.3 it continues the handshake."] : nil
        },
        Rule(
            .tlsVersionUnsupported, .them, 94, "Client and server have no version of TLS in common.",
            cause: "The server speaks none from TLS 1.2 on; older ones are broken and never offered (RFC 8996).",
            next: "Ask the operator of the server to enable TLS 1.2 or 1.3.",
            or: [(.noCommonCipherSuite, "Some servers send the same alert for suites: their log says which.")]
        ) { facts in
            guard facts.isFailing, let handshake = facts.usual?.handshake else { return nil }
            if handshake.alerts.contains(where: { $0.isFromServer && $0.alert == .protocolVersion }) {
                return ["The server sent the alert protocol_version."]
            }
            if let version = handshake.version, ["SSL 3.0", "TLS 1.0", "TLS 1.1"].contains(version) {
                return ["The server chose \(version)."]
            }
            return handshake.localReason == "UNSUPPORTED_PROTOCOL"
                ? ["The server chose a version before TLS 1.2."] : nil
        },
        Rule(
            .noCommonCipherSuite, .them, 94, "The server has only cipher suites that are not secure.",
            cause:
                "It takes suites without forward secrecy or authenticated encryption, which are not offered by default.",
            next:
                "Ask the operator to enable ECDHE with AES-GCM. Until then, set allowsInsecureCipherSuites (signet: --insecure-ciphers)."
        ) { facts in
            guard let evidence = earlyRefusal(facts), let insecure = facts.probe(.insecureCipherSuites),
                (insecure.handshake?.stage ?? .nothing) >= .serverHello
            else { return nil }
            return evidence + ["With insecure suites it chose \(insecure.handshake?.cipherSuite ?? "one")."]
        },
        Rule(
            .noCommonCipherSuite, .them, 80, "Client and server have no cipher suite in common.",
            cause:
                "The server demands suites, groups or signature algorithms that the client does not have, such as DHE alone or those of one country.",
            next: "Ask the operator to enable ECDHE with AES-GCM, on P-256 or X25519.",
            or: [
                (.serverNameRequired, "If the URL has an address instead of a name, try the name."),
                (.tlsVersionUnsupported, "Some servers send handshake_failure for versions, too."),
            ]
        ) { facts in earlyRefusal(facts) },
        Rule(
            .serverNameUnknown, .us, 94, "The server serves no host of this name.",
            cause: "Several hosts share the address, and this name is not among them.",
            next: "Check the name in the URL; ask the operator whether it was moved."
        ) { facts in
            guard let usual = facts.usual, let name = usual.serverName, hasAlert(usual, 112) else { return nil }
            return ["The server sent the alert unrecognized_name for “\(name)”."]
        },
        Rule(
            .serverNameRequired, .us, 95, "The server needs the name of the host, which the client did not send.",
            cause:
                "The URL has an address, and TLS sends names only (RFC 6066 §3). Several hosts share the address, each with its own certificate and its own rules for clients.",
            next: "Write the name of the host in the URL.",
            or: [(.serverHostMismatch, "If the name leads to the same failure, the certificate is wrong.")]
        ) { facts in
            guard facts.isFailing, let usual = facts.usual, usual.handshake != nil, usual.serverName == nil else {
                return nil
            }
            if hasAlert(usual, 112) { return ["The server sent the alert unrecognized_name."] }
            guard let named = facts.probe(.withServerName), let name = named.serverName, let other = named.handshake,
                other.stage >= .serverHello
            else { return nil }
            let certificates = facts.usual?.handshake?.certificates.first
            let isOther = certificates != nil && other.certificates.first != certificates
            let asksOnlyThen = other.request != nil && !facts.asksEarly
            guard (usual.handshake?.stage ?? .nothing) < .serverHello || isOther || asksOnlyThen else { return nil }
            return ["Without a name it failed; with the name “\(name)” the server behaves otherwise."]
        },
        Rule(
            .handshakeFailed, .either, 30, isGeneral: true, "TLS failed.",
            cause: "What the two sides said does not show the reason.",
            next: "Send the time and the address to the operator of the server: its log says more."
        ) { facts in
            guard let usual = facts.usual, let handshake = usual.handshake, handshake.stage < .answered,
                usual.end == .alert || usual.end == .local
            else { return nil }
            let alerts = handshake.alerts.map { "\($0.isFromServer ? "The server" : "The client") sent \($0.name)." }
            return alerts + (handshake.localReason.map { ["The client's TLS says \($0)."] } ?? [])
        },
        Rule(
            .connectionClosed, .either, 29, isGeneral: true, "The peer closed the connection and did not say why.",
            cause: "A server, a firewall or a load balancer ended the connection.",
            next: "Send the time and the address to the operator of the server: its log says more."
        ) { facts in
            guard let usual = facts.usual, usual.end == .closed || usual.end == .reset else { return nil }
            return ["It was \(usual.end.text) \(usual.handshake?.stage.text ?? "before an answer")."]
        },
        Rule(
            .callFailed, .either, 31, isGeneral: true, "The call failed.",
            cause: "The client could not use what it got; the error says why.",
            next: "Do what the error says, or send it to the operator of the server."
        ) { facts in
            guard let usual = facts.usual, usual.end == .failed else { return nil }
            return usual.problem.map { [$0] }
        },
        Rule(
            .answerTimedOut, .either, 28, isGeneral: true, "No answer came in time.",
            cause: "The server is slow or overloaded, or something between lost the connection.",
            next: "Try again, and allow more time. If it stays so, send the time to the operator of the server.",
            or: [
                (
                    .identityRevocationUnreachable,
                    "A server that looks up the revocation of our certificate is silent while it waits for that answer."
                )
            ]
        ) { facts in
            guard let usual = facts.usual, usual.end == .timedOut else { return nil }
            return ["The connection was silent \(usual.handshake?.stage.text ?? "after the request")."]
        },
    ]

    private static func hasAlert(_ probe: Probe, _ code: Int) -> Bool {
        probe.handshake?.alerts.contains { $0.isFromServer && $0.code == code } == true
    }

    /// The server refused the client's offer before it said anything else.
    private static func earlyRefusal(_ facts: DiagnosticFacts) -> [String]? {
        guard facts.isFailing, let handshake = facts.usual?.handshake, handshake.stage < .serverHello,
            handshake.request == nil,
            let alert = handshake.alerts.first(where: { $0.isFromServer && $0.alert.concernsAlgorithms })
        else { return nil }
        return ["The server answered the ClientHello with the alert \(alert.name)."]
    }
}

extension ConnectionAttempt {
    var text: String {
        let outcome =
            switch outcome {
            case .connected: "connected"
            case .refused: "refused the connection"
            case .timedOut: "did not answer"
            case .unreachable: "there is no route"
            case .closed: "closed it at once"
            }
        return "\(address): \(outcome)\(milliseconds.map { " (\($0) ms)" } ?? "")"
    }
}

extension HandshakeFacts.Stage {
    var text: String {
        switch self {
        case .nothing: "before a byte came"
        case .bytes, .serverHello: "during the handshake"
        case .finished: "after the handshake, before a whole answer"
        case .answered: "after an answer had begun"
        }
    }
}
