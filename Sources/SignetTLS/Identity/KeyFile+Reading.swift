import SwiftASN1

extension KeyFile {
    /// Reads a file of any of the kinds below; its bytes show which.
    ///
    /// The kinds are: PFX with PBES2 (AES-CBC and Triple DES; PBKDF2 with SHA-1 and SHA-2, scrypt), PBES1 (RFC 7292
    /// appendix C), or no encryption, and with a MAC over SHA-1 or SHA-2 or a PBMAC1 (RFC 9579); PEM and DER with keys
    /// in PKCS#8, encrypted PKCS#8, PKCS#1 and SEC 1, certificates, and PKCS#7 with certificates. The work is limited:
    /// 4 MiB (PEM 16 MiB), 128 keys, 1024 bags, five million iterations in all.
    ///
    /// - Parameters:
    ///   - bytes: the content of the file.
    ///   - password: nil when there is none. A PFX is then tried with both forms that programs write for an empty one.
    ///   - integrity: whether a PFX without a MAC is read.
    /// - Throws: ``IdentityError`` with `wrongPassword`, `passwordRequired`, `damaged`, `noIntegrityCheck`,
    ///   `unsupportedAlgorithm` or `tooLarge`. A key that cannot be used does not throw: see ``Key/problem``.
    public init(_ bytes: [UInt8], password: String? = nil, integrity: Integrity = .required) throws(IdentityError) {
        let bytes = Self.trimmed(bytes)
        guard let format = Self.format(of: bytes) else {
            if let known = FileAdvice.foreign(bytes) { throw IdentityError(.unsupportedAlgorithm, known) }
            throw IdentityError(
                .damaged,
                """
                The file is damaged, or it is neither PKCS#12, PEM, PKCS#7 nor a certificate or private key in DER. \
                Export it again and compare the sizes.
                """)
        }
        try self.init(bytes, format: format, password: password, integrity: integrity)
    }

    /// - Throws: ``IdentityError`` with `damaged` when the file is not a PFX, and the codes of the initialiser above.
    init(pfx bytes: [UInt8], password: String?, integrity: Integrity) throws(IdentityError) {
        let bytes = Self.trimmed(bytes)
        if let format = Self.format(of: bytes), format == .pem || format == .pkcs7 {
            throw IdentityError(.damaged, "The file is \(format), not PKCS#12. Read it with KeyFile(_:password:).")
        }
        try self.init(bytes, format: .pfx, password: password, integrity: integrity)
    }

    /// - Throws: ``IdentityError`` with `damaged` when the file is not PEM, and the codes of the initialiser above.
    init(pem bytes: [UInt8], password: String?) throws(IdentityError) {
        try self.init(bytes, format: .pem, password: password, integrity: .required)
    }

    private init(
        _ bytes: [UInt8], format: Format, password: String?, integrity: Integrity
    ) throws(IdentityError) {
        var reader = KeyFileReader(password: FilePassword(password, file: format))
        do {
            switch format {
            case .pfx: try PFX.read(bytes, integrity: integrity, into: &reader)
            case .pem: try PEMFile.read(bytes, into: &reader)
            case .pkcs7:
                for certificate in try PKCS7.certificates(in: bytes) { reader.add(certificate) }
            case .certificate:
                for certificate in try CertificateBundle(der: bytes).certificates { reader.add(certificate) }
            default: try DERKey.read(bytes, into: &reader)
            }
        } catch let error as IdentityError {
            throw error
        } catch let unsupported as UnsupportedAlgorithm {
            throw unsupported.identityError(format, besideCertificates: reader.holdsCertificates)
        } catch let problem as AlgorithmProblem {
            throw IdentityError(.damaged, "The \(format) file holds \(problem).", cause: problem)
        } catch {
            // The decoder's error is dropped, since it may quote decrypted bytes.
            throw IdentityError(
                .damaged,
                "The \(format) file is damaged, or it is no \(format) file. Export it again and compare the sizes.")
        }
        self.init(
            format: format, protections: reader.protections, keys: reader.keys, certificates: reader.certificates)
    }

    /// Drops the bytes after the one DER value, which copies and downloads may add. A MAC protects the content of a
    /// PFX, so nothing can be hidden there; bytes that could be a second value are kept.
    static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.first == 0x30, let end = DERValue.end(in: bytes), end < bytes.count, bytes[end] != 0x30 else {
            return bytes
        }
        return Array(bytes[..<end])
    }

    /// The format that the first bytes show; nil when they are unknown.
    static func format(of bytes: [UInt8]) -> Format? {
        // A byte order mark, or text before the first block, is allowed.
        guard bytes.first == 0x30 else { return PEMBlock.isLikely(bytes) ? .pem : nil }
        if bytes.count > PFX.maximumBytes { return .pfx }
        guard let node = try? BoundedBER.parse(bytes[...]), var fields = try? NodeReader(node),
            let first = fields.nextIfAny(), let second = fields.nextIfAny()
        else { return .pfx }
        switch (first.identifier, second.identifier) {
        case (.objectIdentifier, _): return .pkcs7
        case (.integer, .sequence):
            var inner = try? NodeReader(second)
            let type = try? inner?.next().objectIdentifier()
            return type == .PKCS12.data || type == .PKCS12.signedData ? .pfx : .privateKey
        case (.integer, _): return .privateKey
        case (.sequence, .octetString): return .privateKey
        default: return .certificate
        }
    }
}
