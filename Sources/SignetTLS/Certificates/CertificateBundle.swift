/// Certificates that belong together, such as the trust anchors of a service.
public struct CertificateBundle: Sendable, Hashable {
    public let certificates: [EncodedCertificate]

    public init(_ certificates: [EncodedCertificate]) { self.certificates = certificates }

    /// Reads every `CERTIFICATE` block of a PEM file (RFC 7468 §5); other blocks and text between them are skipped.
    ///
    /// - Throws: ``IdentityError`` with `damaged`, naming the block, or with `noCertificate`.
    public init(pem: [UInt8]) throws(IdentityError) {
        certificates = try Self.certificates(in: PEMFile.blocks(of: pem))
        if certificates.isEmpty {
            throw IdentityError(
                .noCertificate,
                "The PEM file holds no certificate. It should have a block that begins with -----BEGIN CERTIFICATE-----."
            )
        }
    }

    /// Reads one certificate in DER.
    ///
    /// - Throws: ``IdentityError`` with `damaged` when the bytes are no certificate.
    public init(der: [UInt8]) throws(IdentityError) {
        let certificate = EncodedCertificate(der: der)
        if case .failure(let problem) = certificate.reading {
            throw IdentityError(.damaged, "The bytes are not a certificate in DER: \(problem).", cause: problem)
        }
        certificates = [certificate]
    }

    /// The certificates among PEM blocks, each of which must be readable.
    static func certificates(in blocks: [PEMBlock]) throws(IdentityError) -> [EncodedCertificate] {
        var result: [EncodedCertificate] = []
        for (number, block) in blocks.enumerated() where ["CERTIFICATE", "X509 CERTIFICATE"].contains(block.label) {
            let certificate = EncodedCertificate(der: block.der)
            if case .failure(let problem) = certificate.reading {
                throw IdentityError(
                    .damaged, "Block \(number + 1) of the PEM file is not a certificate: \(problem).", cause: problem)
            }
            result.append(certificate)
        }
        return result
    }
}

/// A PEM file given by a user, within limits.
enum PEMFile {
    /// Sixteen mebibytes: the largest system bundles have a quarter of one.
    static let maximumBytes = 16 << 20

    static func blocks(of pem: [UInt8]) throws(IdentityError) -> [PEMBlock] {
        guard pem.count <= maximumBytes else {
            throw IdentityError(.tooLarge, "The PEM file has \(pem.count) bytes; at most \(maximumBytes) are read.")
        }
        do {
            return try PEMBlock.all(in: pem)
        } catch {
            throw IdentityError(.damaged, "The PEM file is damaged: \(error).", cause: error)
        }
    }
}
