import Foundation
public import SignetTLS

extension Enroller {
    /// Obtains an identity for a key that is in no store of this library, such as one in a smart card, a security module
    /// or a Secure Enclave. The key stays there; keep the certificates of the identity beside it.
    ///
    /// ```swift
    /// let identity = try await enroller.identity(
    ///     for: try KeyPair(token.signingKey), as: try SubjectName("CN=device 7, O=Bank"), showing: distribution)
    /// ```
    ///
    /// When the authority decides later than `patience`, make the call again with the same key. An enroller that names its
    /// requests gives the name to `keep`; the next call takes it as `reference`, and sends no second request.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - subject: the subject that is asked for.
    ///   - current: the identity that the client shows to the authority; nil for nothing.
    ///   - alternativeNames: other names that are asked for.
    ///   - requirements: what the identity must be like.
    ///   - acceptsOtherSubject: whether a certificate for another subject is used, too.
    ///   - patience: how long to wait for an authority that decides later.
    ///   - reference: what `keep` was given in an earlier call with this key; nil to send a new request.
    ///   - keep: stores the name of a request that the authority has not decided yet.
    /// - Throws: ``EnrollmentError`` with `unsupported` also when the authority demands another kind of key;
    ///   `SigningKeyError`; the errors of transports.
    public func identity(
        for key: KeyPair, as subject: SubjectName, showing current: Identity?,
        alternativeNames: [CertificateSigningRequest.AlternativeName] = [],
        requirements: IdentityRequirements = IdentityRequirements(), acceptsOtherSubject: Bool = false,
        patience: Duration = .seconds(300), reference: String? = nil,
        keep: (String) async throws -> Void = { _ in }
    ) async throws -> Identity {
        let demands = try await demands(current)
        if let demanded = demands.key, reference == nil, !demands.areFulfilled(by: key.kind) {
            throw EnrollmentError(
                .unsupported, "The authority demands a key of the kind \(demanded); this one is \(key.kind).")
        }
        let purpose = requirements.role == .server ? CertificateSigningRequest.Purpose.server : .client
        let content = try await CertificateSigningRequest(
            subject: subject, alternativeNames: alternativeNames, purposes: [purpose],
            extensions: demands.extensions(besides: [purpose], alternativeNames),
            challengePassword: try demands.password(), key: key)
        let request = EnrollmentRequest(
            content: content, key: key, identity: current, isRenewal: false, reference: reference)
        let identity = try await identity(
            for: request, demands.intermediates, label: nil, patience: patience, keep: keep)
        var requirements = requirements
        if !acceptsOtherSubject { requirements.subject = requirements.subject ?? subject }
        try requirements.check(identity, at: Int64(Date().timeIntervalSince1970))
        return identity
    }

    /// Sends a request until the authority has decided. `keep` is given each new name of the request before it is used.
    func identity(
        for request: EnrollmentRequest, _ intermediates: [EncodedCertificate], label: String?, patience: Duration,
        keep: (String) async throws -> Void
    ) async throws -> Identity {
        let end = ContinuousClock.now + patience
        var request = request
        while true {
            switch try await answer(to: request) {
            case .issued(let certificates):
                do {
                    return try request.key.identity(certificates: certificates + intermediates, label: label)
                } catch {
                    throw EnrollmentError(
                        .wrongKey, "The authority's answer is not used. \(error.message)", cause: error)
                }
            case .pending(let time, let reference):
                if let reference, !reference.isEmpty, reference != request.reference {
                    guard reference.utf8.count <= WaitingKey.maximumReferenceBytes else {
                        throw EnrollmentError(
                            .malformedAnswer,
                            "The authority names the request with \(reference.utf8.count) bytes; \(WaitingKey.maximumReferenceBytes) are the limit."
                        )
                    }
                    // Before anything else: the next run must ask for this request, and send no second one.
                    try await keep(reference)
                    request.reference = reference
                }
                // An authority that wants to be asked at once would be asked without end.
                let pause = max(.seconds(1), time)
                guard ContinuousClock.now + pause < end else {
                    throw EnrollmentError(
                        .pending,
                        "The authority has not decided within \(patience.components.seconds) seconds, and wants to be asked again in \(pause.components.seconds). Ask again then with the same key: run the Enrollment (or signet enroll) again, which has kept it in its store."
                    )
                }
                try await Task.sleep(for: pause)
            }
        }
    }

    /// A refusal of a request that waits would come again with each run.
    private func answer(to request: EnrollmentRequest) async throws -> EnrollmentAnswer {
        do { return try await enroll(request) } catch let error as EnrollmentError {
            guard error.code == .refused, request.reference != nil else { throw error }
            throw EnrollmentError(
                .refused,
                error.message
                    + " To give this request up and send a new one, call discard() of the replacement (signet identity remove LABEL.requested); for a key in a device, leave the reference out.",
                cause: error.cause)
        }
    }
}

extension EnrollmentDemands {
    /// The demanded extensions without those that a request has anyway.
    func extensions(
        besides purposes: [CertificateSigningRequest.Purpose],
        _ names: [CertificateSigningRequest.AlternativeName], and more: [CertificateSigningRequest.Extension] = [],
        isRenewal: Bool = false
    ) -> [CertificateSigningRequest.Extension] {
        var made: Set<String> = purposes.isEmpty ? [] : ["2.5.29.37"]
        if isRenewal || !names.isEmpty { made.insert("2.5.29.17") }
        return (more + extensions).filter { made.insert($0.identifier).inserted }
    }
}
