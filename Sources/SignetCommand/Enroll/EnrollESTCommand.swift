#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetCredentialsSQLite
import SignetEnrollment
import SignetWSDL

struct EnrollESTCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "est",
        abstract: "Obtains an identity from an EST server (RFC 7030), or renews it.",
        discussion: """
            Makes a key, requests a certificate for it, and keeps both in the store under --label. When the store has an identity \
            with this label, it is renewed: the server sees it, and the new certificate has its subject. The key never leaves the \
            store. When the server decides later, or the command is ended, the next run goes on with the same key.

            With --prove, the new identity takes the place of the one in use only when the service at that address has answered a \
            call (GET) that showed it with another status than 401 and 403. Until then the one in use stays.

            The status is 0 when the identity was obtained, 1 when not, 2 for wrong usage.

            Examples:
              signet enroll est https://ca.example --subject "CN=device 7, O=Bank" --label device --key-file store.key \\
                --ca authority.pem --identity distribution.p12 --prove https://api.example/soap
              signet enroll est https://ca.example/.well-known/est/devices --subject "CN=device 7" --label device \\
                --fingerprint 4d2c…e1 --user device --password-file password --unproved
            """)

    @Argument(help: "The address of the EST server; /.well-known/est is added when it has no path.")
    var url: String

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
            "The kind of key: p256, p384, p521, ed25519 or rsa:BITS; what the server demands, or p256, without it.",
            valueName: "kind"))
    var keyType: KeyTypeOption?

    @Option(
        help: ArgumentHelp(
            "SHA-256 of the authority's certificate in hexadecimal, in place of --ca: the authority that the server names is then trusted.",
            valueName: "hex"))
    var fingerprint: String?

    @Option(help: ArgumentHelp("The service that must accept the new identity before it is used.", valueName: "url"))
    var prove: String?

    @Option(
        help: ArgumentHelp(
            "An authority of that service; those of --ca without it. May be repeated.", valueName: "file"),
        completion: .file())
    var proveCa: [String] = []

    @Flag(help: "Use the new identity without a call that proves it.")
    var unproved = false

    @Option(help: ArgumentHelp("How long to wait for a server that decides later.", valueName: "seconds"))
    var patience = 300

    @Option(
        help: ArgumentHelp(
            "Do nothing when the identity in the store is valid for at least so long, as for a daily job.",
            valueName: "days"))
    var unlessValidFor: Int?

    @Flag(help: "Print the result as JSON.")
    var json = false

    @OptionGroup(title: "The store") var store: StoreOptions
    @OptionGroup(title: "Who we are, when the store has no identity") var identity: IdentityOptions
    @OptionGroup(title: "Credentials") var credentials: CredentialOptions
    @OptionGroup(title: "Trust in the EST server") var trust: TrustOptions
    @OptionGroup(title: "The way there") var proxy: ProxyOptions

    func validate() throws {
        if (prove == nil) != unproved {
            throw ValidationError("Give --prove with the address of the service, or --unproved.")
        }
        if let prove, (try? Endpoint(prove))?.origin.scheme != .https {
            throw ValidationError("--prove is an address with https://, where the identity can be shown.")
        }
        if !proveCa.isEmpty, prove == nil { throw ValidationError("--prove-ca is about --prove; give it too.") }
        if fingerprint != nil, !trust.ca.isEmpty {
            throw ValidationError("Give either --ca or --fingerprint.")
        }
        if fingerprint != nil, prove != nil, proveCa.isEmpty {
            throw ValidationError("With --fingerprint, the authority of the service needs --prove-ca.")
        }
        if let fingerprint, Self.bytes(fingerprint)?.count != 32 {
            throw ValidationError("--fingerprint is SHA-256 in 64 hexadecimal digits, with or without colons.")
        }
        if identity.identityAnyway || identity.identityLate {
            throw ValidationError("--identity-anyway and --identity-late have no effect here; leave them out.")
        }
        if credentials.stored { throw ValidationError("--stored is not supported here; give --user.") }
        if label.isEmpty { throw ValidationError("--label is empty.") }
        if !(0...86_400).contains(patience) { throw ValidationError("--patience is from 0 to 86400 seconds.") }
        if let unlessValidFor, !(1...36_500).contains(unlessValidFor) {
            throw ValidationError("--unless-valid-for is from 1 to 36500 days.")
        }
        do { _ = try SubjectName(subject) } catch { throw ValidationError("--subject: \(error.message)") }
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        Text.bytes(hexadecimal: text.filter { $0 != ":" && $0 != " " }.lowercased())
    }

    func run() async throws {
        let endpoint = try Endpoint(url)
        try trust.check(for: endpoint)
        let transport = try transport(to: endpoint, credentials: try credentials.load(for: endpoint, nil))
        let first = try identity.loadIdentity()
        let identity = try await store.withStore { database in
            let policy = try await serverTrust(endpoint)
            let enroller = try ESTEnroller(at: endpoint, trust: policy, over: transport)
            var replacement = IdentityReplacement(
                of: label, in: SQLiteIdentityStore(database), provedBy: try proof(policy))
            replacement.requirements.role = server ? .server : .client
            var enrollment = Enrollment(with: enroller, as: try SubjectName(subject), into: replacement)
            enrollment.firstIdentity = first
            enrollment.alternativeNames = dns.map { .dns($0) }
            enrollment.purposes = [server ? .server : .client]
            enrollment.keyKind = keyType?.kind
            enrollment.patience = .seconds(patience)
            return try await enrollment.run(unlessValidFor: unlessValidFor.map { .seconds(Int64($0) * 86_400) })
        }
        let entry = StoredIdentityEntry(label: label, identity)
        if json { try Output.report(entry) } else { print(TerminalText.block(entry.text)) }
    }

    private func serverTrust(_ endpoint: Endpoint) async throws -> TrustPolicy {
        guard let digits = fingerprint, let bytes = Self.bytes(digits) else { return try trust.loadPolicy() }
        // Neither the identity nor the credentials are for a server that is not known yet.
        let bare = try bareTransport(to: endpoint)
        return try await ESTBootstrap(at: endpoint) { try bare(nil, $0) }.trust(sha256: bytes)
    }

    /// Connections without credentials.
    private func bareTransport(to endpoint: Endpoint) throws -> IdentityTransport {
        try transport(to: endpoint, credentials: AuthenticationPolicy())
    }

    private func transport(
        to endpoint: Endpoint, credentials: AuthenticationPolicy
    ) throws -> IdentityTransport {
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

    private func proof(_ policy: TrustPolicy) throws -> IdentityProof {
        guard let prove else { return .none }
        let endpoint = try Endpoint(prove)
        let trust = proveCa.isEmpty ? policy : try TrustPolicy(anchors: proveCa)
        return IdentityProof(trust: trust, over: try bareTransport(to: endpoint)) { transport in
            _ = try await transport.send(ClientRequest(endpoint, method: .get, maximumResponseBytes: 1 << 20))
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
