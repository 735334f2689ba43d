#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetEnrollment

/// What all commands of `signet enroll` have that obtain an identity: where it goes, and how it is proved.
///
/// Groups stand side by side in the commands: each level of nesting makes the parser several times slower.
struct ReplacementOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The label in the store.", valueName: "text"))
    var label: String

    @Flag(help: "The certificate is for servers, in place of clients.")
    var server = false

    @Option(help: ArgumentHelp("The service that must accept the new identity before it is used.", valueName: "url"))
    var prove: String?

    @Option(
        help: ArgumentHelp(
            "An authority of that service; may be repeated. Those of --ca unless given.", valueName: "file"),
        completion: .file())
    var proveCa: [String] = []

    @Flag(help: "Use the new identity without a call that proves it.")
    var unproved = false

    @Option(
        help: ArgumentHelp(
            "Do nothing when the identity in the store is valid for at least so long.",
            valueName: "days"))
    var unlessValidFor: Int?

    @Flag(help: "Print the result as JSON.")
    var json = false

    func validate() throws {
        if (prove == nil) != unproved {
            throw ValidationError(
                prove == nil
                    ? "Give --prove with the address of the service, or --unproved."
                    : "Give either --prove or --unproved, not both.")
        }
        if let prove, (try? Endpoint(prove))?.origin.scheme != .https {
            throw ValidationError("--prove is an address with https://, where the identity can be shown.")
        }
        if !proveCa.isEmpty, prove == nil { throw ValidationError("--prove-ca is about --prove; give it too.") }
        if label.isEmpty { throw ValidationError("--label is empty.") }
        try Self.check(unlessValidFor: unlessValidFor)
    }

    static func check(unlessValidFor days: Int?) throws {
        if let days, !(1...36_500).contains(days) {
            throw ValidationError("--unless-valid-for is from 1 to 36500 days.")
        }
    }

    static func duration(days: Int?) -> Duration? { days.map { .seconds(Int64($0) * 86_400) } }

    var leastValidity: Duration? { Self.duration(days: unlessValidFor) }

    /// What the service sees before the store has an identity. Its file may be gone when it has done its work.
    func firstIdentity(_ authority: AuthorityOptions, in identities: any IdentityStore) async throws -> Identity? {
        do { return try authority.identity.loadIdentity() } catch {
            let end = try await identities.identity(label: label)?.leaf.notAfter ?? .min
            if end < Int64(Date().timeIntervalSince1970) { throw error }
            return nil
        }
    }

    func replacement(_ authority: AuthorityOptions, in identities: any IdentityStore) throws -> IdentityReplacement {
        var replacement = IdentityReplacement(of: label, in: identities, provedBy: try proof(authority))
        replacement.requirements.role = server ? .server : .client
        return replacement
    }

    private func proof(_ authority: AuthorityOptions) throws -> IdentityProof {
        guard let prove else { return .none }
        let endpoint = try Endpoint(prove)
        let trust = proveCa.isEmpty ? try authority.trust.loadPolicy() : try TrustPolicy(anchors: proveCa)
        return IdentityProof(trust: trust, over: try authority.bareTransport(to: endpoint)) { transport in
            _ = try await transport.send(ClientRequest(endpoint, method: .get, maximumResponseBytes: 1 << 20))
        }
    }
}

/// How the server of an authority is reached, and who we are for it.
struct AuthorityOptions: ParsableArguments {
    @OptionGroup(title: "Who we are, when the store has no identity") var identity: IdentityOptions
    @OptionGroup(title: "Credentials") var credentials: CredentialOptions
    @OptionGroup(title: "Trust in the authority's server") var trust: TrustOptions
    @OptionGroup(title: "The way there") var proxy: ProxyOptions

    func validate() throws {
        if identity.identityAnyway || identity.identityLate {
            throw ValidationError("--identity-anyway and --identity-late have no effect here; leave them out.")
        }
        if credentials.stored { throw ValidationError("--stored is not supported here; give --user.") }
    }

    /// Connections with the credentials that the options give, for this origin only.
    func transport(to endpoint: Endpoint) throws -> IdentityTransport {
        try trust.check(for: endpoint)
        return try transport(to: endpoint, credentials: try credentials.load(for: endpoint, nil))
    }

    /// Connections without credentials.
    func bareTransport(to endpoint: Endpoint) throws -> IdentityTransport {
        try transport(to: endpoint, credentials: AuthenticationPolicy())
    }

    private func transport(to endpoint: Endpoint, credentials: AuthenticationPolicy) throws -> IdentityTransport {
        var service = try ServiceConfiguration(endpoint.url)
        try trust.apply(to: &service.connection)
        service.proxy = try proxy.load()
        service.authentication = credentials
        return service.connections
    }

    /// Refuses permissions for plain HTTP, in commands that use HTTPS only.
    func checkHTTPS(_ messageUser: MessageUserOptions? = nil) throws {
        if credentials.allowPlaintext || messageUser?.wssAllowPlaintext == true {
            throw ValidationError(
                "--allow-plaintext and --wss-allow-plaintext have no effect: the service is called over HTTPS only.")
        }
    }
}

extension ServiceConfiguration {
    /// Connections like those of this configuration, with another identity and another trust.
    var connections: IdentityTransport {
        { identity, trust in
            var service = self
            service.trust = trust
            service.identity = identity.map { .fixed($0) }
            return try service.makeTransport()
        }
    }
}
#endif
