#if CommandLine
import ArgumentParser
import Signet

/// The options for connections with TLS to the service: which certificates are trusted, and what is offered.
struct TrustOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "An authority that the service's certificate must come from, in PEM or DER; may be repeated. The system's unless given.",
            valueName: "file"), completion: .file())
    var ca: [String] = []

    @Option(
        help: ArgumentHelp(
            "A key that must stand in the service's certification path, by SHA-256 of its public key info; twice or more.",
            valueName: "sha256//base64"))
    var pin: [String] = []

    @Option(
        help: ArgumentHelp(
            "A certificate that must stand there, by its SHA-256; twice or more.", valueName: "sha256//base64"))
    var pinCertificate: [String] = []

    @Option(
        help: ArgumentHelp(
            "Look up whether the service's certificates are revoked: off, soft (a status that cannot be found out does not matter) or hard (it does).",
            valueName: "mode"))
    var revocation = RevocationOption.off

    @Flag(
        help:
            "Also offer cipher suites with AES-CBC and RSA key exchange, for services that have nothing better in TLS 1.2."
    )
    var insecureCiphers = false

    @Flag(name: .customLong("http1"), help: "Stay with HTTP/1.1 where the service also offers HTTP/2.")
    var onlyHTTP1 = false

    private var pins: [TrustPolicy.Pin] {
        pin.map { .publicKey(sha256: $0) }
            + pinCertificate.map {
                .certificate(sha256: $0.hasPrefix("sha256//") ? String($0.dropFirst(8)) : $0)
            }
    }

    func validate() throws {
        // A system without trust anchors is not a usage error: --ca may give them.
        if !pins.isEmpty, let problem = TrustPolicy.system.pinned(to: pins).problem,
            problem != TrustPolicy.system.problem
        {
            throw ValidationError("\(pin.isEmpty ? "--pin-certificate" : "--pin"): \(problem)")
        }
    }

    /// Refuses trust options for a service without TLS, where they would have no effect.
    ///
    /// - Parameter authorities: whether `--ca` is for this service alone.
    /// - Throws: ``CommandError``.
    func check(for endpoint: Endpoint, authorities: Bool = true) throws {
        guard endpoint.origin.scheme == .http else { return }
        let given = [
            (!ca.isEmpty && authorities, "--ca"), (!pin.isEmpty, "--pin"),
            (!pinCertificate.isEmpty, "--pin-certificate"), (revocation != .off, "--revocation"),
            (insecureCiphers, "--insecure-ciphers"), (onlyHTTP1, "--http1"),
        ].filter(\.0).map(\.1)
        guard let first = given.first else { return }
        throw CommandError(
            "\(first) is about TLS, but \(endpoint.origin) uses plain HTTP; give an address with https://, or leave \(first) out."
        )
    }

    /// - Throws: ``CommandError`` for a file.
    func apply(to connection: inout ConnectionConfiguration) throws {
        connection.trust = try loadPolicy()
        connection.allowsInsecureCipherSuites = insecureCiphers
        connection.allowsHTTP2 = !onlyHTTP1
    }

    /// The authorities without the pins, for hosts to which the pins do not apply.
    ///
    /// - Throws: ``CommandError`` for a file.
    func loadAnchors() throws -> TrustPolicy {
        var policy = try TrustPolicy(anchors: ca)
        policy.revocation = revocation.policy
        return policy
    }

    /// - Throws: ``CommandError`` for a file.
    func loadPolicy() throws -> TrustPolicy {
        var policy = try loadAnchors()
        if !pins.isEmpty { policy = policy.pinned(to: pins) }
        // A policy that refuses every certificate is reported before the command asks for a password.
        if let problem = policy.problem { throw CommandError(problem) }
        return policy
    }
}

extension TrustPolicy {
    /// The authorities in files; those of the system when the list is empty.
    ///
    /// - Throws: ``CommandError`` for a file.
    init(anchors files: [String]) throws {
        self = .system
        for (number, file) in files.enumerated() {
            let bundle = try CertificateBundle(file: file, purpose: "The authority")
            self = number == 0 ? .anchors(bundle) : addingAnchors(bundle)
        }
    }
}

/// The values of `--revocation`.
enum RevocationOption: String, CaseIterable, ExpressibleByArgument {
    case off, soft, hard

    var policy: RevocationPolicy {
        switch self {
        case .off: .off
        case .soft: .soft
        case .hard: .hard
        }
    }
}

extension TrustPolicy {
    /// The reason why the policy would trust no certificate at all; nil when it can trust some.
    fileprivate var problem: String? {
        guard case .failure(let error) = evaluate([], as: .client, at: 0), error.code == .invalidPolicy else {
            return nil
        }
        return error.message
    }
}
#endif
