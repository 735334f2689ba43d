import SwiftASN1

/// Issues certificates, revocation lists and answers about revocation with the key of an authority.
package struct CertificateIssuer: Sendable {
    /// What an issued certificate says besides the request.
    package struct Terms: Sendable {
        /// In seconds since 1970.
        package var notBefore: Int64
        package var notAfter: Int64
        /// What it is for.
        package var purposes: [CertificateSigningRequest.Purpose] = [.client]
        /// The subject; nil for that of the request.
        package var subject: SubjectName?
        /// Whether the alternative names of the request are certified.
        package var hasAlternativeNames = true
        /// Where the revocation list is (RFC 5280 §4.2.1.13); nil for no place.
        package var listAddress: String?
        /// Where OCSP answers (RFC 5280 §4.2.2.1); nil for no place.
        package var ocspAddress: String?

        package init(notBefore: Int64, notAfter: Int64) {
            self.notBefore = notBefore
            self.notAfter = notAfter
        }
    }

    /// The authority's certificate.
    package let certificate: EncodedCertificate
    let content: CertificateContent
    let key: KeyPair

    /// - Throws: ``IdentityError`` with `invalidRequest` when the identity is not that of an authority.
    package init(_ identity: Identity) throws(IdentityError) {
        let leaf = identity.leaf
        let usage = leaf.content.flatMap { try? $0.keyUsage() }
        guard let content = leaf.content, content.claimsAuthority, usage?.certificateSigning ?? true,
            usage?.listSigning ?? true
        else {
            throw IdentityError(
                .invalidRequest,
                "“\(leaf.subject)” is not the certificate of an authority: it needs the extension basicConstraints with CA:TRUE and, where it has a keyUsage, keyCertSign and cRLSign."
            )
        }
        certificate = leaf
        self.content = content
        key = KeyPair(of: identity)
    }

    /// Certifies the key of a request.
    ///
    /// Of the extensions that are asked for, only the alternative names are taken over.
    ///
    /// - Throws: ``IdentityError`` with `invalidRequest` when the certificate would name nothing or the authority itself,
    ///   when the terms cannot be written, or when they outlive the authority; ``SigningKeyError``.
    package func certificate(for request: ReceivedRequest, _ terms: Terms) async throws -> EncodedCertificate {
        guard terms.notAfter <= content.notAfter else {
            throw IdentityError(
                .invalidRequest,
                "The certificate would be valid until \(UnixTime.text(terms.notAfter)), longer than that of the authority (\(UnixTime.text(content.notAfter)))."
            )
        }
        let subject =
            try terms.subject.map { name in try DER.bytes { try name.serialize(into: &$0) } } ?? request.subjectBytes
        let isNameless = subject == [0x30, 0x00]
        guard !isNameless || (terms.hasAlternativeNames && !request.alternativeNames.isEmpty) else {
            throw IdentityError(
                .invalidRequest, "The certificate would have neither a subject nor an alternative name.")
        }
        guard try DistinguishedName(try DER.parse(subject)) != content.subject else {
            throw IdentityError(.invalidRequest, "The certificate would have the name of the authority itself.")
        }
        var extensions = try Self.fixed(for: request.publicKey)
        extensions += try CertificateSigningRequest.extensions([], terms.purposes, [])
        extensions.append(.init("2.5.29.14", value: DER.bytes { $0.appendOctets(Self.keyIdentifier(of: request)) }))
        extensions += authorityKeyIdentifier
        if terms.hasAlternativeNames {
            // Critical where it is the only name (RFC 5280 §4.2.1.6).
            extensions += request.extensions.filter { $0.identifier == "2.5.29.17" }.map {
                .init($0.identifier, isCritical: isNameless, value: $0.value)
            }
        }
        if let address = terms.listAddress { extensions.append(try Self.listPoint(address)) }
        if let address = terms.ocspAddress { extensions.append(try Self.ocspPoint(address)) }
        let draft = CertificateDraft(
            issuer: Array(content.subjectBytes), notBefore: terms.notBefore, notAfter: terms.notAfter,
            subject: subject, publicKeyInfo: request.publicKeyInfo, extensions: extensions)
        return try await draft.signed(by: key)
    }

    /// basicConstraints, and what the key may do: sign and, with RSA, take keys that are encrypted for it.
    private static func fixed(for key: PublicKey) throws -> [CertificateSigningRequest.Extension] {
        let isRSA = if case .rsa = key { true } else { false }
        let usage: [UInt8] = isRSA ? [0x03, 0x02, 0x05, 0xA0] : [0x03, 0x02, 0x07, 0x80]
        return [
            .init("2.5.29.19", isCritical: true, value: [0x30, 0x00]),
            .init("2.5.29.15", isCritical: true, value: usage),
        ]
    }

    /// By the first method of RFC 5280 §4.2.1.2.
    private static func keyIdentifier(of request: ReceivedRequest) -> [UInt8] {
        var fields = try? NodeReader(try DER.parse(request.publicKeyInfo))
        _ = try? fields?.next()
        let bits = (try? fields?.next()).flatMap { try? ASN1BitString(derEncoded: $0) }
        return OCSPCertificateID.sha1(bits?.bytes ?? [])
    }

    var authorityKeyIdentifier: [CertificateSigningRequest.Extension] {
        guard let identifier = try? content.subjectKeyIdentifier() else { return [] }
        let value = DER.bytes { coder in
            coder.appendSequence { coder in
                coder.appendPrimitiveNode(identifier: .context(0)) { $0.append(contentsOf: identifier) }
            }
        }
        return [.init("2.5.29.35", value: value)]
    }

    private static func listPoint(_ address: String) throws -> CertificateSigningRequest.Extension {
        let value = DER.bytes { coder in
            coder.appendSequence { coder in
                coder.appendSequence { coder in
                    coder.appendConstructedNode(identifier: .context(0)) { coder in
                        coder.appendConstructedNode(identifier: .context(0)) { $0.append(uri: address) }
                    }
                }
            }
        }
        return .init("2.5.29.31", value: value)
    }

    private static func ocspPoint(_ address: String) throws -> CertificateSigningRequest.Extension {
        let value = try DER.bytes { coder in
            try coder.appendSequence { coder in
                try coder.appendSequence { coder in
                    try coder.serialize([1, 3, 6, 1, 5, 5, 7, 48, 1] as ASN1ObjectIdentifier)
                    coder.append(uri: address)
                }
            }
        }
        return .init("1.3.6.1.5.5.7.1.1", value: value)
    }
}

extension DER.Serializer {
    /// A GeneralName that is a URI (RFC 5280 §4.2.1.6).
    fileprivate mutating func append(uri: String) {
        appendPrimitiveNode(identifier: .context(6)) { $0.append(contentsOf: uri.utf8) }
    }
}
