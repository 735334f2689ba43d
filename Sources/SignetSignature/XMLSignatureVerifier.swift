public import SignetTLS
public import SignetXML

/// What a document's signature covers, and who made it.
public struct VerifiedSignature: Sendable {
    /// The certificate whose key made the signature.
    public let signer: EncodedCertificate
    /// The way from the certificate to a trust anchor; nil for a signer whom the program knows by the certificate.
    public let path: CertificationPath?
    /// The element that was expected to be signed.
    public let content: SignedContent
    /// All that is signed, in the order of the references, ``content`` included.
    public let contents: [SignedContent]
}

/// An element that a signature covers.
public struct SignedContent: Sendable, Hashable {
    /// The namespace name of the element; empty for no namespace.
    public let namespaceURI: String
    /// The name of the element, without its prefix.
    public let localName: String
    /// The bytes whose digest was checked: the canonical form of the element, which is a document by itself. Decode the
    /// content from these bytes, and from no others.
    ///
    /// A prefix that only a text or a value uses, such as in `xsi:type`, is declared in the exclusive form only when the
    /// signer has listed it; otherwise it is not signed, and its meaning is unknown.
    public let bytes: [UInt8]
}

/// Verifies signatures in documents (XML Signature 1.1).
///
/// ```swift
/// let verifier = XMLSignatureVerifier(trusting: policy) { path in
///     path.certificates.first?.publicKeySHA256 == taxOffice
/// }
/// let verified = try verifier.verify(document, covering: .root, at: now)
/// let invoice = verified.content.bytes
/// ```
///
/// A signature is accepted when the key of an accepted signer made it, all of its references lead to elements of the same
/// document whose digests are as signed, and one of them is the expected element. Algorithms and transforms are those of a
/// closed list; a document type declaration, a comment inside the signature, and an identifier that stands twice are errors.
public struct XMLSignatureVerifier: Sendable {
    /// What must be signed.
    public enum Expectation: Sendable, Hashable {
        /// The root element.
        case root
        /// The one element with this name, wherever it stands; several elements with the name are an error.
        case element(XMLName)
    }

    private enum Trust: Sendable {
        case authorities(TrustPolicy, @Sendable (CertificationPath) -> Bool)
        case certificates([EncodedCertificate])
    }

    private let trust: Trust
    /// Whether signatures and digests over SHA-1 are accepted, which some services still make. SHA-1 no longer protects
    /// against a signer who makes two documents with one signature.
    public var acceptsSHA1 = false
    /// The limits of the documents.
    public var limits = XMLLimits()

    /// Accepts the certificates of authorities.
    ///
    /// - Parameters:
    ///   - policy: the authorities. The signers' certificates come with the signatures. Nothing is looked up: where the policy
    ///     demands revocation (`hard`), no signer is accepted.
    ///   - accepts: whether a trusted path is that of the expected signer, whose certificate is the first: an authority
    ///     issues certificates to many, and several authorities can certify the same name.
    public init(trusting policy: TrustPolicy, accepts: @escaping @Sendable (CertificationPath) -> Bool) {
        trust = .authorities(policy, accepts)
    }

    /// Accepts these certificates, and no others. They need not come with the signatures.
    public init(signers: [EncodedCertificate]) { trust = .certificates(signers) }

    /// The same verifier, which accepts these certificates, and no others.
    package func accepting(_ signers: [EncodedCertificate]) -> Self {
        var verifier = XMLSignatureVerifier(signers: signers)
        (verifier.acceptsSHA1, verifier.limits) = (acceptsSHA1, limits)
        return verifier
    }

    /// Verifies the signature that covers what is expected.
    ///
    /// - Parameters:
    ///   - document: the document, whole.
    ///   - expectation: what must be signed.
    ///   - now: seconds since 1970 in UTC.
    /// - Throws: ``XMLSignatureError``.
    public func verify(
        _ document: [UInt8], covering expectation: Expectation, at now: Int64
    ) throws(XMLSignatureError) -> VerifiedSignature {
        let (finding, place) = try finding(document, expectation) { signature, elements throws(XMLSignatureError) in
            try verify(signature, signature.certificates, elements, document, now)
        }
        return VerifiedSignature(
            signer: finding.signer, path: finding.path, content: finding.contents[place], contents: finding.contents)
    }

    /// Verifies a signature of ML-DSA that covers what is expected. Experimental.
    ///
    /// - Parameters:
    ///   - document: the document, whole.
    ///   - expectation: what must be signed.
    ///   - keys: those whose signatures are accepted.
    /// - Returns: the expected element, as it was signed.
    /// - Throws: ``XMLSignatureError``.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @_spi(Experimental) public func verify(
        _ document: [UInt8], covering expectation: Expectation, by keys: [MLDSAPublicKey]
    ) throws(XMLSignatureError) -> SignedContent {
        let (found, place) = try finding(document, expectation) { signature, elements throws(XMLSignatureError) in
            guard case .mldsa(let parameters) = signature.method else {
                throw XMLSignatureError(.unsupported, "The signature is not one of ML-DSA.")
            }
            try checkStrength(of: signature)
            let signed = try signature.form.content(of: signature.signedInfo, in: document, limits: limits)
            guard keys.contains(where: { $0.parameters == parameters && $0.isValid(signature.value, over: signed) })
            else {
                throw XMLSignatureError(
                    .wrongSignature, "The signature was not made over this SignedInfo by one of the \(keys.count) keys."
                )
            }
            return try contents(of: signature, elements, document)
        }
        return found[place]
    }

    /// What is found out about the signature that covers what is expected, and which of its references does.
    private func finding<Finding>(
        _ document: [UInt8], _ expectation: Expectation,
        _ judge: (SignatureElement, [DocumentIndex.Element]) throws(XMLSignatureError) -> Finding
    ) throws(XMLSignatureError) -> (Finding, place: Int) {
        let name: XMLName? = if case .element(let name) = expectation { name } else { nil }
        let survey = try DocumentIndex(signaturesOf: document, name: name, limits: limits)
        let wanted = try expected(survey, expectation)
        var signatures: [SignatureElement] = []
        var failures: [XMLSignatureError] = []
        for offset in survey.signatures {
            do { signatures.append(try SignatureElement(at: offset, of: document, limits: limits)) } catch {
                failures.append(error)
            }
        }
        let identifiers = Set(signatures.flatMap(\.references).compactMap(\.identifier))
        let index = try DocumentIndex(of: document, identifiers: identifiers, limits: limits)
        // What is wrong with a signature that covers what is expected says more than what is wrong with another one.
        var covering: [XMLSignatureError] = []
        for signature in signatures {
            do {
                let elements = try signature.references.map { reference throws(XMLSignatureError) in
                    try element(of: reference, signature, index)
                }
                guard let place = elements.firstIndex(of: wanted) else { continue }
                do { return (try judge(signature, elements), place) } catch { covering.append(error) }
            } catch { failures.append(error) }
        }
        if let error = covering.first ?? failures.first { throw error }
        let signed = signatures.flatMap(\.references).map { "“\($0.uri.prefix(80))”" }.joined(separator: ", ")
        throw XMLSignatureError(
            .notCovered,
            "No signature of the document covers “\(wanted.localName)”, which must be signed. Signed is: \(signed).")
    }

    private func expected(
        _ index: DocumentIndex, _ expectation: Expectation
    ) throws(XMLSignatureError) -> DocumentIndex.Element {
        guard case .element(let name) = expectation else { return index.root }
        guard let first = index.expected else {
            throw XMLSignatureError(
                .notCovered, "The document has no element “\(name.localName)”, which must be signed.")
        }
        guard index.expectedCount == 1 else {
            throw XMLSignatureError(
                .wrongReference,
                "The document has \(index.expectedCount) elements “\(name.localName)”, and exactly one must be signed.")
        }
        return first
    }

    // MARK: References

    /// What a reference leads to.
    func element(
        of reference: SignatureElement.Reference, _ signature: SignatureElement, _ index: DocumentIndex
    ) throws(XMLSignatureError) -> DocumentIndex.Element {
        guard !reference.isTokenReference else {
            throw XMLSignatureError(
                .unsupported,
                "The reference “\(reference.uri.prefix(80))” signs a token by STR-Transform, which has a meaning in messages only: verify the message with a SignaturePolicy."
            )
        }
        let element = reference.uri.isEmpty ? index.root : try reference.element(in: index)
        guard reference.isEnveloped || !element.range.contains(signature.offset) else {
            throw XMLSignatureError(
                .malformed,
                "The signature is inside of what it signs, and the transform for enveloped signatures is missing.")
        }
        return element
    }

    // MARK: Signature and digests

    /// Whether the signers are certificates that the program knows, so that none has to come with a signature.
    package var knowsSigners: Bool { if case .certificates = trust { true } else { false } }

    /// The certificates that the program knows; empty when authorities are trusted.
    var signers: [EncodedCertificate] { if case .certificates(let known) = trust { known } else { [] } }

    /// A signature of an accepted signer over content that is as it was signed.
    package struct Finding: Sendable {
        package let signer: EncodedCertificate
        package let path: CertificationPath?
        /// In the order of the references.
        package let contents: [SignedContent]
        /// The canonical form of SignedInfo, which the signature covers.
        package let signedInfo: [UInt8]
    }

    /// Verifies one signature.
    ///
    /// - Parameters:
    ///   - certificates: those that came with the signature.
    ///   - namesSigner: whether the first of them is that of the signer, and the others only lead to its authority.
    ///   - elements: what the references lead to, one for each; the caller verifies those that lead to attachments.
    package func verify(
        _ signature: SignatureElement, _ certificates: [EncodedCertificate], namesSigner: Bool = false,
        _ elements: [DocumentIndex.Element], _ document: [UInt8], _ now: Int64
    ) throws(XMLSignatureError) -> Finding {
        try checkStrength(of: signature)
        let signed = try signature.form.content(of: signature.signedInfo, in: document, limits: limits)
        // The key comes first: otherwise an unauthenticated sender could choose how much is hashed.
        let (signer, path) = try signer(of: signature, certificates, namesSigner, over: signed, now)
        let contents = try self.contents(of: signature, elements, document)
        return Finding(signer: signer, path: path, contents: contents, signedInfo: signed)
    }

    private func checkStrength(of signature: SignatureElement) throws(XMLSignatureError) {
        let usesSHA1 = signature.method == .rsaSHA1 || signature.references.contains { $0.digestMethod == .sha1 }
        guard acceptsSHA1 || !usesSHA1 else {
            throw XMLSignatureError(
                .tooWeak,
                "The signature uses SHA-1, which no longer protects. Where a service still needs it, set acceptsSHA1 (signet: --sha1)."
            )
        }
    }

    /// What the references of a signature cover, when it is as it was signed.
    private func contents(
        of signature: SignatureElement, _ elements: [DocumentIndex.Element], _ document: [UInt8]
    ) throws(XMLSignatureError) -> [SignedContent] {
        var contents: [SignedContent] = []
        var room = limits.documentBytes
        for (reference, element) in zip(signature.elementReferences, elements) {
            // Some services name the transform for signatures that stand outside, where it does nothing.
            let omitted = element.range.contains(signature.offset) ? signature.offset : nil
            var bytes = try reference.form.content(
                of: reference.uri.isEmpty ? nil : element, in: document, omitting: omitted, limits: limits)
            if reference.isTokenReference { bytes.declareDefaultNamespace() }
            guard reference.digestMethod.digest(of: bytes) == reference.digest else {
                throw XMLSignatureError(
                    .changedContent,
                    "“\(element.localName)” at byte \(element.range.lowerBound) of the document is not what was signed (reference “\(reference.uri.prefix(80))”)."
                )
            }
            // References can name the same content again and again.
            room -= bytes.count
            guard room >= 0 else {
                throw XMLSignatureError(
                    .unsupported,
                    "The signature covers more than \(limits.documentBytes) bytes (XMLLimits.documentBytes).")
            }
            contents.append(
                SignedContent(namespaceURI: element.namespaceURI, localName: element.localName, bytes: bytes))
        }
        return contents
    }

    private func signer(
        of signature: SignatureElement, _ certificates: [EncodedCertificate], _ namesSigner: Bool,
        over signed: [UInt8], _ now: Int64
    ) throws(XMLSignatureError) -> (EncodedCertificate, CertificationPath?) {
        if case .mldsa(let parameters) = signature.method {
            throw XMLSignatureError(
                .unsupported, "The signature is one of \(parameters), which no certificate is known for.")
        }
        let candidates: [EncodedCertificate]
        switch trust {
        case .authorities:
            candidates = namesSigner ? Array(certificates.prefix(1)) : certificates
            guard !candidates.isEmpty else {
                throw XMLSignatureError(
                    .untrustedSigner,
                    "The signature brings no certificate. Give the verifier the certificates of the signers.")
            }
        case .certificates(let known):
            let named = namesSigner ? certificates.first.flatMap { known.contains($0) ? $0 : nil } : nil
            candidates = named.map { [$0] } ?? known
            guard !candidates.isEmpty else {
                throw XMLSignatureError(.untrustedSigner, "The verifier was given no certificates of signers.")
            }
        }
        var refusal: XMLSignatureError?
        var problem: XMLSignatureError?
        for candidate in candidates {
            let key: VerificationKey
            do { key = try VerificationKey(of: candidate) } catch {
                let code: XMLSignatureError.Code = error.isTooWeak ? .tooWeak : .unsupported
                problem = XMLSignatureError(code, "The certificate of “\(candidate.subject)” has \(error).")
                continue
            }
            guard signature.method.isValid(signature.value, over: signed, by: key) else { continue }
            // Two certificates can have one key.
            do { return (candidate, try path(of: candidate, certificates, now)) } catch { refusal = error }
        }
        if let refusal { throw refusal }
        if candidates.count == 1, let problem { throw problem }
        let names = candidates.prefix(5).map { "“\($0.subject)”" }.joined(separator: ", ")
        throw XMLSignatureError(
            .wrongSignature, "The signature was not made over this SignedInfo by the key of \(names).")
    }

    /// The way to a trust anchor; nil for a certificate that the program knows.
    private func path(
        of signer: EncodedCertificate, _ others: [EncodedCertificate], _ now: Int64
    ) throws(XMLSignatureError) -> CertificationPath? {
        switch trust {
        case .certificates:
            guard let begin = signer.notBefore, let end = signer.notAfter, begin <= now, now <= end else {
                throw XMLSignatureError(
                    .untrustedSigner, "The certificate of “\(signer.subject)” is not valid at this time.")
            }
            return nil
        case .authorities(let policy, let accepts):
            switch policy.evaluate([signer] + others.filter { $0 != signer }, as: .signer, at: now) {
            case .failure(let error):
                throw XMLSignatureError(
                    .untrustedSigner, "The signer “\(signer.subject)” is not trusted. \(error.message)", cause: error)
            case .success(let path):
                guard accepts(path) else {
                    throw XMLSignatureError(
                        .untrustedSigner, "The signer “\(signer.subject)” is trusted, and is not the expected one.")
                }
                return path
            }
        }
    }
}
