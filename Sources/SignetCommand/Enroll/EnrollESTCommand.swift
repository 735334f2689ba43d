#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetEnrollment

struct EnrollESTCommand: EnrollingCommand {
    static let configuration = CommandConfiguration(
        commandName: "est",
        abstract: "Obtain an identity from an EST server (RFC 7030), or renew it.",
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

    @Option(
        help: ArgumentHelp(
            "SHA-256 of the authority's certificate in hexadecimal, in place of --ca: the authority that the server names is then trusted.",
            valueName: "hex"), transform: CertificateFingerprint.init)
    var fingerprint: CertificateFingerprint?

    @OptionGroup var enrollment: EnrollmentOptions
    @OptionGroup var replacement: ReplacementOptions
    @OptionGroup(title: "The store") var store: StoreOptions
    @OptionGroup var authority: AuthorityOptions

    func validate() throws {
        _ = try endpoint()
        try authority.checkHTTPS()
        if fingerprint != nil, !authority.trust.ca.isEmpty {
            throw ValidationError("Give either --ca or --fingerprint.")
        }
        if fingerprint != nil, replacement.prove != nil, replacement.proveCa.isEmpty {
            throw ValidationError("With --fingerprint, the authority of the service needs --prove-ca.")
        }
    }

    func endpoint() throws -> Endpoint { try Endpoint(argument: url) }

    func enroller(at endpoint: Endpoint) async throws -> any Enroller {
        let transport = try authority.transport(to: endpoint)
        return try ESTEnroller(at: endpoint, trust: try await serverTrust(endpoint), over: transport)
    }

    private func serverTrust(_ endpoint: Endpoint) async throws -> TrustPolicy {
        guard let fingerprint else {
            return try authority.trust.loadPolicy()
        }
        // Neither the identity nor the credentials are for a server that is not known yet.
        let bare = try authority.bareTransport(to: endpoint)
        return try await ESTBootstrap(at: endpoint) { try bare(nil, $0) }.trust(sha256: fingerprint.bytes)
    }
}
#endif
