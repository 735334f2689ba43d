import HTTPTypes
import SignetConnection
import SignetDiagnosis
import SignetHTTP
import SignetNIOTransport
import SignetTLS

/// Fetches the certificates of authorities that a server does not send, from where those that it sends name them
/// (caIssuers, RFC 5280 §4.2.2.1), as browsers do.
///
/// It asks over HTTP without TLS, without credentials and through the proxies of the connection, since nothing vouches
/// for an address in a certificate that is not trusted yet; for the same reason it asks nothing of this machine or of its
/// link, unless the server itself is there. What it gets only helps to find a path: a trust policy judges it.
struct MissingIssuers {
    private static let maximumLookups = 4
    private static let maximumBytes = 64 << 10
    /// The certificates that are kept of one answer.
    private static let maximumCertificates = 8

    private let transport: NIOTransport
    private let server: Origin
    private let timeLimit: Duration

    /// - Parameter connection: whose proxies are used; nothing else of it is.
    init(
        of server: Origin, besides connection: ConnectionConfiguration, timeLimit: Duration
    ) throws(ConnectionConfigurationError) {
        var configuration = ConnectionConfiguration()
        configuration.proxy = connection.proxy
        configuration.logger = connection.logger
        configuration.acceptsCompression = false
        // No origin gets an identity or credentials, since the configuration has none.
        transport = try NIOTransport(to: Origin(scheme: .http, host: "localhost", port: 80), configuration)
        self.server = server
        self.timeLimit = timeLimit
    }

    func shutDown() async throws { try await transport.shutdown() }

    /// - Parameter presented: what the server sends, its own certificate first.
    func lookUp(
        for presented: [EncodedCertificate]
    ) async throws(CancellationError) -> (certificates: [EncodedCertificate], lookups: [IssuerLookup]) {
        var found: [EncodedCertificate] = []
        var lookups: [IssuerLookup] = []
        guard let leaf = presented.first else { return (found, lookups) }
        while lookups.count < Self.maximumLookups {
            let path = IssuancePath(from: leaf, among: presented.dropFirst() + found)
            guard let issuer = path.missingIssuer,
                let url = path.certificates.last?.issuerAddresses.first(where: { url in
                    !lookups.contains { $0.url == url }
                })
            else { break }
            guard !Task.isCancelled else { throw CancellationError() }
            var lookup = IssuerLookup(issuer, at: url)
            do throws(LookupFailure) {
                let certificates = try await fetch(url)
                found += certificates.filter { !presented.contains($0) && !found.contains($0) }
                let completed = IssuancePath(from: leaf, among: presented.dropFirst() + found)
                guard completed.certificates.count > path.certificates.count else {
                    throw LookupFailure(description: "there is another certificate")
                }
                lookup.certificate = CertificateFacts(completed.certificates[path.certificates.count])
            } catch { lookup.problem = error.description }
            lookups.append(lookup)
        }
        return (found, lookups)
    }

    private func fetch(_ url: String) async throws(LookupFailure) -> [EncodedCertificate] {
        let response: ClientResponse
        do {
            let endpoint = try Endpoint(url)
            guard !endpoint.origin.isNear || server.isNear else {
                throw LookupFailure(description: "the address is of this machine or its link, and is not asked")
            }
            var request = ClientRequest(
                endpoint, method: .get, fields: [.accept: "application/pkix-cert, application/pkcs7-mime"],
                maximumResponseBytes: Self.maximumBytes)
            request.deadlines.connect = timeLimit
            request.deadlines.read = timeLimit
            request.deadlines.total = timeLimit
            response = try await transport.send(request)
        } catch { throw LookupFailure(description: "\(error)".withoutFullStop) }
        guard response.status == .ok else {
            throw LookupFailure(description: "the answer has the status \(response.status.code)")
        }
        guard let certificates = Self.certificates(in: response.body) else {
            throw LookupFailure(description: "the answer is no certificate")
        }
        return Array(certificates.prefix(Self.maximumCertificates))
    }

    /// One certificate in DER, or PKCS#7 that carries certificates; some authorities have PEM in their place.
    private static func certificates(in bytes: [UInt8]) -> [EncodedCertificate]? {
        let bundle =
            (try? CertificateBundle(der: bytes)) ?? (try? CertificateBundle(pkcs7: bytes))
            ?? (try? CertificateBundle(pem: bytes))
        return bundle?.certificates
    }
}

/// Why no certificate came. The text is the end of a sentence.
private struct LookupFailure: Error, CustomStringConvertible {
    let description: String
}

extension IssuancePath {
    /// The name of the issuer whose certificate the path lacks, or whose certificate has another key.
    fileprivate var missingIssuer: String? {
        switch end {
        case .missing(let name): name
        case .broken(let certificate): certificate.subject
        case .root, .tooLong: nil
        }
    }
}

extension Origin {
    /// Whether the host is this machine, or an address of its link (RFC 3927, RFC 4291 §2.5.6) or of no machine.
    fileprivate var isNear: Bool {
        isLoopback || host.hasPrefix("169.254.") || host.hasPrefix("fe80:") || ["0.0.0.0", "::"].contains(host)
    }
}

extension String {
    fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
