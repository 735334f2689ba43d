/// The permission that a program must give before a client sends something in which a password can be read or from
/// which it can be guessed.
enum OptIn {
    /// ``AuthenticationPolicy/allowsPlaintext``
    case plaintext
    /// ``AuthenticationPolicy/allowsDigestWithoutQop``
    case digestWithoutQop

    /// How to give the permission, in Swift and on the command line. The permission for a proxy does not apply to
    /// origins.
    func name(in space: ProtectionSpace) -> String {
        let path = Self.settings(of: space)
        let option = space.isProxy ? "--proxy-allow" : "--allow"
        return switch self {
        case .plaintext: "\(path).allowsPlaintext (signet: \(option)-plaintext)"
        case .digestWithoutQop: "\(path).allowsDigestWithoutQop (signet: \(option)-digest-without-qop)"
        }
    }

    static func settings(of space: ProtectionSpace) -> String {
        space.isProxy ? "proxy.authentication" : "authentication"
    }
}

extension AuthenticationPolicy {
    /// Whether the credentials of a scheme may travel to a space.
    ///
    /// - Parameter isLocal: whether the traffic stays on this machine.
    func allows(_ scheme: AuthenticationScheme, in space: ProtectionSpace, isLocal: Bool) -> Bool {
        switch scheme.exposure {
        case .nothing: true
        case .proof: space.scheme == "https" || isLocal || allowsPlaintext
        case .secret: space.scheme == "https" || allowsPlaintext
        }
    }

    /// Refuses credentials that would show a password, or let it be guessed, without permission.
    ///
    /// - Throws: ``AuthenticationError`` with `insecureChannel` or `noUsableScheme`, whose message names the setting.
    func check(
        _ method: AuthenticationMethod, in space: ProtectionSpace, isLocal: Bool
    ) throws(AuthenticationError) {
        // Without Kerberos, Negotiate is only NTLM.
        let scheme = method == .negotiate && kerberos == nil ? .ntlm : method.scheme
        guard allows(scheme, in: space, isLocal: isLocal) else {
            let danger =
                scheme.exposure == .secret
                ? "where anyone on the network path can read them"
                : "where anyone on the network path can guess the password from the answer"
            throw .init(
                .insecureChannel,
                "\(space.asker) asks for \(method.scheme) credentials for \(space) over plain HTTP, \(danger); use https, or set "
                    + "\(OptIn.plaintext.name(in: space)).", space: space)
        }
        if case .digest(let challenge) = method, challenge.protections.isEmpty, !allowsDigestWithoutQop {
            throw .init(
                .noUsableScheme, "\(space) offers Digest \(Self.withoutQop(in: space)).", space: space,
                offeredSchemes: ["Digest"])
        }
    }

    private static func withoutQop(in space: ProtectionSpace) -> String {
        "without qop, so that the password could be looked up from the answer: update the server, or set \(OptIn.digestWithoutQop.name(in: space))"
    }

    /// Why a challenge is not answered, and what to do about it, in words that follow the name of the scheme.
    ///
    /// - Parameter isLocal: as in ``check(_:in:isLocal:)``.
    func obstacle(to challenge: Challenge, in space: ProtectionSpace, isLocal: Bool) -> String {
        guard let scheme = AuthenticationScheme(registered: challenge.scheme) else {
            return ", which is not supported"
        }
        let option = Self.option(for: scheme, in: space)
        let settings = OptIn.settings(of: space)
        guard credentials.serves(scheme) else { return ", which takes other credentials" }
        let lacksHost = !allowsNTLM(at: space)
        let host = "\(space.host) to \(settings).ntlmHosts"
        guard schemes.contains(scheme) else {
            let more =
                switch scheme {
                case .ntlm where lacksHost: ", and \(host)"
                case .negotiate where lacksHost && kerberos == nil: ", and set \(settings).kerberos"
                default: ""
                }
            return ", which \(settings).schemes does not name: add it there\(more)\(option)"
        }
        switch scheme {
        case .ntlm where lacksHost:
            return ", and \(space.host) is not in \(settings).ntlmHosts: add it there\(option)"
        case .negotiate where lacksHost && kerberos == nil:
            let cure = "set \(settings).kerberos, or add \(host)\(option)"
            return ", for which there is neither Kerberos nor permission to use NTLM: \(cure)"
        case .digest:
            if let unknown = DigestChallenge.unknown(in: challenge) {
                return " with \(unknown), which is not known here"
            }
            guard let digest = try? DigestChallenge(challenge, space: space) else { return ", which cannot be read" }
            if digest.algorithm < weakestDigest {
                return " with \(digest.algorithm.rawValue), which is weaker than \(settings).weakestDigest"
            }
            guard digest.protections.isEmpty, !allowsDigestWithoutQop else { return ", which cannot be used here" }
            let plain = allows(.digest, in: space, isLocal: isLocal) ? "" : " and \(OptIn.plaintext.name(in: space))"
            return " \(Self.withoutQop(in: space))\(plain)"
        default: return ", which cannot be used here"
        }
    }

    /// The option for a scheme on the command line; empty if there is none. For a proxy, NTLM and Kerberos also need
    /// its address there.
    private static func option(for scheme: AuthenticationScheme, in space: ProtectionSpace) -> String {
        guard scheme != .oauth1 else { return "" }
        let name = scheme.description.lowercased()
        guard space.isProxy else { return " (signet: --auth \(name))" }
        let address = scheme.bindsToConnection ? ", with the proxy's address in --proxy" : ""
        return " (signet: --proxy-auth \(name)\(address))"
    }
}
