#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetCredentialsSQLite
import SignetEnrollment
import SignetWSDL

/// What all commands of `signet enroll` have: what is asked for, where it goes, how it is proved, and the way to the authority.
struct EnrollmentOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The subject that is asked for, as in RFC 4514.", valueName: "name"))
    var subject: String

    @Option(help: ArgumentHelp("The label of the identity in the store.", valueName: "text"))
    var label: String

    @Option(
        help: ArgumentHelp("A host that the certificate is to name as well; may be repeated.", valueName: "name"))
    var dns: [String] = []

    @Flag(help: "Ask for a certificate for servers, in place of one for clients.")
    var server = false

    @Option(
        help: ArgumentHelp(
            "The kind of key: p256, p384, p521, ed25519 or rsa:BITS; without it, what the authority demands, or what it usually takes.",
            valueName: "kind"))
    var keyType: KeyTypeOption?

    @Option(help: ArgumentHelp("The service that must accept the new identity before it is used.", valueName: "url"))
    var prove: String?

    @Option(
        help: ArgumentHelp(
            "An authority of that service; those of --ca without it. May be repeated.", valueName: "file"),
        completion: .file())
    var proveCa: [String] = []

    @Flag(help: "Use the new identity without a call that proves it.")
    var unproved = false

    @Option(help: ArgumentHelp("How long to wait for an authority that decides later.", valueName: "seconds"))
    var patience = 300

    @Option(
        help: ArgumentHelp(
            "Do nothing when the identity in the store is valid for at least so long, as for a daily job.",
            valueName: "days"))
    var unlessValidFor: Int?

    @Flag(help: "Print the result as JSON.")
    var json = false

    @OptionGroup(title: "The store") var store: StoreOptions
    @OptionGroup var authority: AuthorityOptions

    func validate() throws {
        if (prove == nil) != unproved {
            throw ValidationError("Give --prove with the address of the service, or --unproved.")
        }
        if let prove, (try? Endpoint(prove))?.origin.scheme != .https {
            throw ValidationError("--prove is an address with https://, where the identity can be shown.")
        }
        if !proveCa.isEmpty, prove == nil { throw ValidationError("--prove-ca is about --prove; give it too.") }
        if label.isEmpty { throw ValidationError("--label is empty.") }
        if !(0...86_400).contains(patience) { throw ValidationError("--patience is from 0 to 86400 seconds.") }
        try Self.check(unlessValidFor: unlessValidFor)
        do { _ = try SubjectName(subject) } catch { throw ValidationError("--subject: \(error.message)") }
    }

    static func check(unlessValidFor days: Int?) throws {
        if let days, !(1...36_500).contains(days) {
            throw ValidationError("--unless-valid-for is from 1 to 36500 days.")
        }
    }

    static func duration(days: Int?) -> Duration? { days.map { .seconds(Int64($0) * 86_400) } }

    var leastValidity: Duration? { Self.duration(days: unlessValidFor) }

    /// What these options ask for.
    ///
    /// - Parameter first: what the authority sees before the store has an identity.
    func enrollment(
        with enroller: any Enroller, first: Identity?, in identities: any IdentityStore
    ) throws -> Enrollment {
        var replacement = IdentityReplacement(of: label, in: identities, provedBy: try proof())
        replacement.requirements.role = server ? .server : .client
        var enrollment = Enrollment(with: enroller, as: try SubjectName(subject), into: replacement)
        enrollment.firstIdentity = first
        enrollment.alternativeNames = dns.map { .dns($0) }
        enrollment.purposes = [server ? .server : .client]
        enrollment.keyKind = keyType?.kind
        enrollment.patience = .seconds(patience)
        return enrollment
    }

    private func proof() throws -> IdentityProof {
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
        return { [service] identity, trust in
            var service = service
            service.trust = trust
            service.identity = identity.map { .fixed($0) }
            return try service.makeTransport()
        }
    }
}

/// `--key-type`.
struct KeyTypeOption: ExpressibleByArgument {
    let kind: KeyPair.Kind

    init?(argument: String) {
        switch argument.lowercased() {
        case "p256": kind = .p256
        case "p384": kind = .p384
        case "p521": kind = .p521
        case "ed25519": kind = .ed25519
        case let text:
            guard text.hasPrefix("rsa:"), let bits = Int(text.dropFirst(4)), (2048...4096).contains(bits),
                bits.isMultiple(of: 8)
            else { return nil }
            kind = .rsa(bits: bits)
        }
    }
}
#endif
