package import SignetAuthentication
package import SignetHTTP
package import SignetTLS

/// What `URLSession` asks on the way, as a value, and what is answered: a pure function, so that it can be tested where there is no
/// Apple system.
package struct SessionChallenge: Sendable {
    package enum Question: Sendable, Hashable {
        /// Whether a peer is believed that has shown these certificates, its own first.
        case believe([EncodedCertificate])
        /// Which certificate of ours to show.
        case whoWeAre
        /// Which credentials to give, by the scheme's name: `Basic`, `Digest`, `NTLM`, `Negotiate`.
        case credentials(scheme: String)
        /// What no standard knows.
        case unknown(String)
    }

    package var question: Question
    /// As the system writes it, without brackets.
    package var host: String
    package var port: Int
    package var isProxy = false
    /// Whether what is answered travels over TLS.
    package var isSecure = true
    package var realm = ""
    /// How often the peer has refused what was given.
    package var refusals = 0

    package init(_ question: Question, host: String, port: Int) {
        self.question = question
        self.host = host
        self.port = port
    }

    /// What to do. The parts that have to be looked up, and may take time, are named; what is found is then given.
    package enum Answer: Sendable {
        /// The peer is believed, by this path.
        case believe(CertificationPath)
        /// Look for the identity of the origin, and show it.
        case showIdentity
        /// Look for credentials, and give them.
        case give(CredentialQuestion)
        /// Leave it to the program: what comes back is a 401 with all its fields.
        case decline
        /// End the call.
        case refuse(any Error)
    }

    /// What is known beforehand.
    package struct Rules: Sendable {
        /// Whom the call is for.
        package var target: Origin
        /// The only one that the identity is for.
        package var origin: Origin
        /// Whether the target gets the credentials.
        package var givesCredentials: Bool
        package var trust: TrustPolicy
        package var exceptions: [TrustException]
        /// For proxies that are spoken to over TLS.
        package var proxyTrust: TrustPolicy
        package var hasIdentity: Bool
        package var authentication: AuthenticationPolicy
        package var proxyAuthentication: AuthenticationPolicy

        package init(target: Origin, origin: Origin, trust: TrustPolicy) {
            self.target = target
            self.origin = origin
            givesCredentials = target == origin
            self.trust = trust
            exceptions = []
            proxyTrust = .system
            hasIdentity = false
            authentication = .init()
            proxyAuthentication = .init()
        }
    }

    /// - Parameters:
    ///   - believed: whether the origin's certificate was judged in this call before, and believed.
    ///   - now: seconds since 1970.
    package func answer(by rules: Rules, believed: Bool, at now: Int64) -> Answer {
        let isTarget = !isProxy && isAt(rules.target)
        switch question {
        case .believe(let certificates):
            // Redirects are not followed, so that whoever is not the target is a proxy.
            let trust = isTarget ? rules.trust : rules.proxyTrust
            let verdict = trust.evaluate(
                certificates, host: host, port: port, at: now, exceptions: isTarget ? rules.exceptions : [])
            if let path = verdict.path { return .believe(path) }
            return .refuse(
                verdict.error
                    ?? TransportError(.tlsHandshakeFailed, "The certificate of \(host) was refused by an exception."))
        case .whoWeAre:
            guard isTarget, rules.target == rules.origin, rules.hasIdentity else { return .decline }
            guard believed else {
                return .refuse(
                    TransportError(
                        .tlsHandshakeFailed,
                        "\(host) asks for our certificate before it has proved who it is; it does not get it."))
            }
            guard refusals == 0 else {
                return .refuse(TransportError(.clientCertificateRefused, "\(host) refused our certificate."))
            }
            return .showIdentity
        case .credentials(let scheme):
            if isProxy { return credentials(scheme, rules.proxyAuthentication) }
            // Basic and Digest are our own engine's, which remembers. Whoever is not the origin gets nothing.
            guard isTarget, rules.givesCredentials, !["Basic", "Digest"].contains(scheme) else { return .decline }
            return credentials(scheme, rules.authentication)
        case .unknown(let name):
            return .refuse(
                TransportError(.tlsHandshakeFailed, "The system asks for something that is not known here: \(name)."))
        }
    }

    /// Whom the connection of the origin is for: hosts are compared as the standard does, not as they are written.
    private func isAt(_ origin: Origin) -> Bool {
        port == origin.port && ReferenceIdentifier(host: host) == ReferenceIdentifier(host: origin.host)
    }

    /// Whose credentials are asked for.
    package var space: ProtectionSpace {
        ProtectionSpace(scheme: isSecure ? "https" : "http", host: host, port: port, realm: realm, isProxy: isProxy)
    }

    private func credentials(_ scheme: String, _ policy: AuthenticationPolicy) -> Answer {
        let space = space
        guard !policy.credentials.isNone else {
            if !isProxy { return .decline }
            return .refuse(
                AuthenticationError(
                    .credentialsRequired, "\(space) asks for credentials, and there are none for it.", space: space,
                    offeredSchemes: [scheme]))
        }
        guard let known = AuthenticationScheme(registered: scheme), policy.schemes.contains(known),
            // The system may answer Negotiate with NTLM.
            !known.bindsToConnection || policy.allowsNTLM(at: space)
        else { return .decline }
        if let error = refusal(scheme, policy) { return .refuse(error) }
        guard refusals < (policy.credentials.isAsking ? 2 : 1) else {
            return .refuse(
                AuthenticationError(
                    .credentialsRefused, "\(space) refused the credentials.", space: space, offeredSchemes: [scheme]))
        }
        return .give(
            CredentialQuestion(
                space: space, scheme: known, reason: refusals > 0 ? .rejected : .first, attempt: refusals + 1))
    }

    /// What may not be given without leave. The system does not show a challenge: whether it has a `qop`, or is answered with NTLM, is
    /// known to it alone.
    private func refusal(_ scheme: String, _ policy: AuthenticationPolicy) -> AuthenticationError? {
        let path = isProxy ? "proxyAuthentication" : "authentication"
        if !isSecure, !policy.allowsPlaintext {
            return AuthenticationError(
                .insecureChannel,
                "\(space) asks for a password that would travel in plain HTTP, where everybody on the way can read or guess it. Use https, or set \(path).allowsPlaintext.",
                space: space, offeredSchemes: [scheme])
        }
        if scheme == "Digest", !policy.allowsDigestWithoutQop {
            return AuthenticationError(
                .noUsableScheme,
                "\(space) asks for Digest, which URLSession answers itself, whether with qop or without. Set \(path).allowsDigestWithoutQop, or use NIOTransport.",
                space: space, offeredSchemes: [scheme])
        }
        return nil
    }
}
