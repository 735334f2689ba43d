package import SignetAuthentication
package import SignetHTTP
package import SignetTLS

/// A challenge of `URLSession` as a value, and the answer to it: a pure function, so that it can be tested on other
/// systems than Apple's.
package struct SessionChallenge: Sendable {
    package enum Question: Sendable, Hashable {
        /// Whether to trust a peer that has shown these certificates, its own first.
        case serverTrust([EncodedCertificate])
        /// Which client certificate to show.
        case clientCertificate
        /// Which credentials to give, by the name of the scheme: `Basic`, `Digest`, `NTLM`, `Negotiate`.
        case credentials(scheme: String)
        /// A method that Signet does not know.
        case unknown(String)
    }

    package var question: Question
    /// In the system's spelling, without brackets.
    package var host: String
    package var port: Int
    package var isProxy = false
    /// Whether the credentials would travel over TLS.
    package var isSecure = true
    package var realm = ""
    /// How often the peer has refused earlier credentials.
    package var refusals = 0

    package init(_ question: Question, host: String, port: Int) {
        self.question = question
        self.host = host
        self.port = port
    }

    /// The answer. Some answers need a lookup that may take time; the delegate does it and gives the result.
    package enum Disposition: Sendable {
        /// Trust the peer, by this path.
        case trust(CertificationPath)
        /// Look up the identity for the origin, and show it.
        case showIdentity
        /// Look up credentials, and give them.
        case give(CredentialQuestion)
        /// Give nothing: the program gets the 401 with all its fields.
        case decline
        /// End the call.
        case refuse(any Error)
    }

    /// The settings of the call.
    package struct Rules: Sendable {
        /// The origin that the call goes to.
        package var target: Origin
        /// The only origin that may get the identity.
        package var origin: Origin
        /// Whether the target gets the credentials.
        package var givesCredentials: Bool
        package var trust: TrustPolicy
        package var exceptions: [TrustException]
        /// The policy for proxies that use TLS.
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
    ///   - isServerTrusted: whether the policy has already accepted the origin's certificate in this call.
    ///   - now: seconds since 1970.
    package func answer(by rules: Rules, isServerTrusted: Bool, at now: Int64) -> Disposition {
        let isTarget = !isProxy && isAt(rules.target)
        switch question {
        case .serverTrust(let certificates):
            // Redirects are not followed, so any other peer than the target is a proxy.
            let trust = isTarget ? rules.trust : rules.proxyTrust
            let verdict = trust.evaluate(
                certificates, host: host, port: port, at: now, exceptions: isTarget ? rules.exceptions : [])
            if let path = verdict.path { return .trust(path) }
            return .refuse(
                verdict.error
                    ?? TransportError(.tlsHandshakeFailed, "The certificate of \(host) was refused by an exception."))
        case .clientCertificate:
            guard isTarget, rules.target == rules.origin, rules.hasIdentity else { return .decline }
            guard isServerTrusted else {
                return .refuse(
                    TransportError(
                        .tlsHandshakeFailed,
                        "\(host) asks for a client certificate before it has shown a trusted one; it gets none."))
            }
            guard refusals == 0 else {
                return .refuse(TransportError(.clientCertificateRefused, "\(host) refused the client certificate."))
            }
            return .showIdentity
        case .credentials(let scheme):
            if isProxy { return credentials(scheme, rules.proxyAuthentication) }
            // Signet answers Basic and Digest itself, since it remembers them. Other origins get nothing.
            guard isTarget, rules.givesCredentials, !["Basic", "Digest"].contains(scheme) else { return .decline }
            return credentials(scheme, rules.authentication)
        case .unknown(let name):
            return .refuse(
                TransportError(.tlsHandshakeFailed, "URLSession sent a challenge that Signet does not know: \(name)."))
        }
    }

    /// Whether the challenge comes from this origin: hosts are compared as in the standard, whatever their spelling.
    private func isAt(_ origin: Origin) -> Bool {
        port == origin.port && ReferenceIdentifier(host: host) == ReferenceIdentifier(host: origin.host)
    }

    /// The protection space whose credentials are asked for.
    package var space: ProtectionSpace {
        ProtectionSpace(scheme: isSecure ? "https" : "http", host: host, port: port, realm: realm, isProxy: isProxy)
    }

    private func credentials(_ scheme: String, _ policy: AuthenticationPolicy) -> Disposition {
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

    /// The error for credentials that may not be sent without permission. The system does not show a challenge: only it
    /// knows whether the challenge has a `qop`, and whether it will answer with NTLM.
    private func refusal(_ scheme: String, _ policy: AuthenticationPolicy) -> AuthenticationError? {
        let path = isProxy ? "proxyAuthentication" : "authentication"
        if !isSecure, !policy.allowsPlaintext {
            return AuthenticationError(
                .insecureChannel,
                "\(space) asks for a password that would travel in plain HTTP, where anyone on the network path can read or guess it. Use https, or set \(path).allowsPlaintext.",
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
