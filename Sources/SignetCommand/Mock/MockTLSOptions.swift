#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetServer
import SignetTesting

/// How a mock proves its identity, and which certificates it demands.
struct MockTLSOptions: ParsableArguments {
    @Option(
        name: .customLong("tls"),
        help: ArgumentHelp(
            "Use TLS, with a certificate of an authority that lives as long as the mock. Writes authority.pem, for clients to trust, and client.pem, an identity for clients, into this folder.",
            valueName: "folder"), completion: .directory)
    var folder: String?

    @Option(
        help: ArgumentHelp("Use TLS with this key and certificate: PKCS#12, or PEM with both.", valueName: "file"),
        completion: .file())
    var identity: String?

    @OptionGroup var password: IdentityPasswordOptions

    @Flag(help: "Demand a certificate from clients; with --tls one like client.pem is enough.")
    var requireCertificate = false

    @Option(
        help: ArgumentHelp(
            "An authority whose certificates clients may show, in PEM or DER; may be repeated.", valueName: "file"),
        completion: .file())
    var clientCa: [String] = []

    var isGiven: Bool { folder != nil || identity != nil }

    func validate() throws {
        if folder != nil, identity != nil { throw ValidationError("Give either --tls or --identity.") }
        if identity == nil, password.isGiven {
            throw ValidationError(
                "--identity-password-file and --identity-password-env are about an identity; give --identity.")
        }
        if !isGiven, requireCertificate || !clientCa.isEmpty {
            throw ValidationError("--require-certificate and --client-ca are about TLS; give --tls or --identity.")
        }
        if requireCertificate, folder == nil, clientCa.isEmpty {
            throw ValidationError("--require-certificate needs an authority for clients; give --client-ca.")
        }
    }

    private static let authorityFile = "authority.pem"
    private static let clientFile = "client.pem"

    /// Makes the folder, or checks that it has only what a mock has written.
    private static func prepare(_ folder: String) throws {
        do { try PrivateFile.makeFolder(folder) } catch {
            throw CommandError(
                "The folder “\(folder)” cannot be used: name one that does not exist yet, or that only you can reach (mode 0700)."
            )
        }
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        guard let other = files.first(where: { $0 != authorityFile && $0 != clientFile }) else { return }
        throw CommandError(
            "The folder “\(folder)” has other files, such as “\(other)”. Name a new folder for the certificates of the mock."
        )
    }

    /// The configuration of the server; nil without TLS. With `--tls` it writes the files.
    func load(for address: ListeningAddress) throws -> ServerTLSConfiguration? {
        var trust: TrustPolicy? = clientCa.isEmpty ? nil : try TrustPolicy(anchors: clientCa)
        let own: Identity
        if let identity {
            own = try Identity(file: identity, password: password.source(for: identity))
        } else if let folder {
            let authority = try CertificateAuthority(commonName: "Authority of signet mock", .authority.lasting())
            own = try authority.issueServer(
                dnsNames: ["localhost"] + (address.isNumeric || address.host == "localhost" ? [] : [address.host]),
                ipAddresses: ["127.0.0.1", "::1"]
                    + (address.isNumeric && !address.isEveryAddress ? [address.host] : []),
                .server.lasting())
            try Self.prepare(folder)
            let client = try authority.issueClient(commonName: "Client of signet mock", .client.lasting())
            try KeyOutput.write(authority.bundle.pem, to: "\(folder)/\(Self.authorityFile)", replaces: true)
            try KeyOutput.write(client.pem(password: nil), to: "\(folder)/\(Self.clientFile)", replaces: true)
            trust = trust?.addingAnchors(authority.bundle) ?? .anchors(authority.bundle)
        } else {
            return nil
        }
        var configuration = ServerTLSConfiguration(identity: .fixed(own))
        if let trust {
            configuration.clients = requireCertificate ? .certificateRequired(trust) : .certificateOptional(trust)
        }
        return configuration
    }
}

extension CertificateProfile {
    /// A certificate that lasts a year: a mock runs longer than a test.
    fileprivate func lasting() -> CertificateProfile {
        var profile = self
        profile.notAfter = profile.notBefore + 365 * 86_400
        return profile
    }
}
#endif
