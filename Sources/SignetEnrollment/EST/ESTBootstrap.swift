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
    /// - Throws: ``EnrollmentError`` with `wrongFingerprint` when no certificate of the server has it, or with
    ///   `unsupported` for a transport that has an identity or credentials; those of ``ESTEnroller/authorities(showing:)``;
    ///   `TrustError` when the server's certificate breaks a rule that no authority can overrule, such as another name.
    public func trust(sha256 fingerprint: [UInt8]) async throws -> TrustPolicy {
        guard fingerprint.count == 32 else {
            throw EnrollmentError(
                .wrongFingerprint,
                "The fingerprint has \(fingerprint.count) bytes; SHA-256 has 32. Ask for the SHA-256 of the authority's certificate."
            )
        }
        let stranger = try await certificateOfStranger()
        // The server's own certificate as the only trust anchor: this says nothing about the server.
        let enroller = try ESTEnroller(at: endpoint, trust: .anchors(CertificateBundle([stranger]))) {
            try bare(trust: $1)
        }
        let all = try await enroller.authorities().certificates
        guard let authority = all.first(where: { $0.sha256 == fingerprint }) else {
            let found = all.prefix(8).map { "“\($0.subject)” with \(Text.hexadecimal($0.sha256))" }.joined(
                separator: ", ")
            throw EnrollmentError(
                .wrongFingerprint,
                "None of the authorities of \(endpoint.origin) has the SHA-256 \(Text.hexadecimal(fingerprint)). There is \(found). Compare with what the operator of the authority told you; if it differs, an attacker may answer."
            )
        }
        return TrustPolicy.anchors(CertificateBundle([authority]))
            .addingIntermediates(CertificateBundle(all.filter { $0 != authority }))
    }

    /// A server that is not known yet must not get anything that proves who the client is.
    private func bare(trust: TrustPolicy) throws -> any ClientTransport {
        let connection = try transport(trust)
        guard let proofs = connection.proofs(at: endpoint.origin), proofs.hasIdentity || proofs.hasCredentials else {
            return connection
        }
        throw EnrollmentError(
            .unsupported,
            "The transport has an identity or credentials for \(endpoint.origin), which is not known yet. Make one without them."
        )
    }

    /// What the server presents to a client that trusts no authority.
    private func certificateOfStranger() async throws -> EncodedCertificate {
        do {
            let enroller = try ESTEnroller(at: endpoint, trust: .anchors(CertificateBundle([]))) {
                try bare(trust: $1)
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
