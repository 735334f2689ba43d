public import SignetHTTP
public import SignetTLS

/// Finds the authorities of an EST server when the client knows nothing but the fingerprint of one of them (RFC 7030
/// §4.1.1).
///
/// The client fetches the certificates over a connection that proves nothing about the server, and trusts only the one
/// whose SHA-256 is that which a person was told by another way. It sends neither identity nor credentials before.
public struct ESTBootstrap: Sendable {
    private let endpoint: Endpoint
    private let transport: @Sendable (TrustPolicy) throws -> any ClientTransport

    /// - Parameters:
    ///   - endpoint: as for ``ESTEnroller``.
    ///   - transport: makes connections without an identity and without credentials.
    public init(
        at endpoint: Endpoint, over transport: @escaping @Sendable (TrustPolicy) throws -> any ClientTransport
    ) {
        self.endpoint = endpoint
        self.transport = transport
    }

    /// The policy that trusts the authority with this fingerprint.
    ///
    /// - Parameter fingerprint: SHA-256 of the authority's certificate in DER, 32 bytes.
    /// - Throws: ``EnrollmentError`` with `wrongFingerprint` when no certificate of the server has it, and those of
    ///   ``ESTEnroller/authorities()``.
    public func trust(sha256 fingerprint: [UInt8]) async throws -> TrustPolicy {
        let stranger = try await certificateOfStranger()
        // The server's own certificate as the only trust anchor: this says nothing about the server.
        let enroller = try ESTEnroller(at: endpoint, trust: .anchors(CertificateBundle([stranger]))) {
            [transport] _, trust in try transport(trust)
        }
        let all = try await enroller.authorities().certificates
        guard let authority = all.first(where: { $0.sha256 == fingerprint }) else {
            let found = all.map { "“\($0.subject)” with \(Text.hexadecimal($0.sha256))" }.joined(separator: ", ")
            throw EnrollmentError(
                .wrongFingerprint,
                "None of the authorities of \(endpoint.origin) has the SHA-256 \(Text.hexadecimal(fingerprint)). There is \(found). Compare with what the operator of the authority told you; if it differs, an attacker may answer."
            )
        }
        return TrustPolicy.anchors(CertificateBundle([authority]))
            .addingIntermediates(CertificateBundle(all.filter { $0 != authority }))
    }

    /// What the server presents to a client that trusts no authority.
    private func certificateOfStranger() async throws -> EncodedCertificate {
        do {
            let enroller = try ESTEnroller(at: endpoint, trust: .anchors(CertificateBundle([]))) {
                [transport] _, trust in try transport(trust)
            }
            _ = try await enroller.authorities()
        } catch let error as TrustError {
            guard let leaf = error.certificates.first else { throw error }
            return leaf
        }
        throw EnrollmentError(
            .unsupported, "The transport reports no certificates of servers that it does not trust. Use another one.")
    }
}
