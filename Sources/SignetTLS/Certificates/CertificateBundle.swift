/// Certificates that belong together, such as the trust anchors of a service.
public struct CertificateBundle: Sendable, Hashable {
    /// In the order in which they were given or read.
    public let certificates: [EncodedCertificate]

    /// A bundle of certificates that were read before. It may be empty.
    public init(_ certificates: [EncodedCertificate]) { self.certificates = certificates }

    /// Reads every `CERTIFICATE` and `PKCS7` block of a PEM file (RFC 7468 §5 and §8), and each of OpenSSL's
    /// `TRUSTED CERTIFICATE` blocks whose settings trust it for TLS servers. Other blocks, and text between blocks, are
    /// skipped. The file may be in UTF-16 or begin with a byte order mark.
    ///
    /// - Throws: ``IdentityError`` with `damaged`, whose message names the block, or with `noCertificate`.
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
    /// - Throws: ``IdentityError`` with `damaged` when the bytes are not a certificate.
    public init(der: [UInt8]) throws(IdentityError) {
        let certificate = EncodedCertificate(der: der)
        if case .failure(let problem) = certificate.reading {
            throw IdentityError(.damaged, "The bytes are not a certificate in DER: \(problem).", cause: problem)
        }
        certificates = [certificate]
    }

    /// Reads PKCS#7 that carries certificates (RFC 5652 §5), in DER or BER. The order of the certificates has no
    /// meaning.
    ///
    /// - Throws: ``IdentityError`` with `damaged`, `tooLarge`, or `noCertificate` when it carries no certificate.
    public init(pkcs7: [UInt8]) throws(IdentityError) {
        certificates = try Self.certificates(inPKCS7: pkcs7, "The PKCS#7 file")
        if certificates.isEmpty {
            throw IdentityError(
                .noCertificate, "The PKCS#7 file holds no certificate. Ask for it with its certificates.")
        }
    }

    /// The certificates among PEM blocks, each of which must be readable.
    static func certificates(in blocks: [PEMBlock]) throws(IdentityError) -> [EncodedCertificate] {
        var result: [EncodedCertificate] = []
        for (number, block) in blocks.enumerated() {
            switch block.label {
            case "CERTIFICATE", "X509 CERTIFICATE":
                let certificate = EncodedCertificate(der: block.der)
                if case .failure(let problem) = certificate.reading {
                    throw IdentityError(
                        .damaged, "Block \(number + 1) of the PEM file is not a certificate: \(problem).",
                        cause: problem)
                }
                result.append(certificate)
            case "TRUSTED CERTIFICATE":
                guard let certificate = TrustedCertificate.anchor(block.der), certificate.content != nil else {
                    throw IdentityError(
                        .damaged,
                        "Block \(number + 1) of the PEM file is a TRUSTED CERTIFICATE that is damaged, or that its settings do not trust for TLS servers. Write it without them: openssl x509 -in old.pem -out new.pem."
                    )
                }
                result.append(certificate)
            case "PKCS7", "CMS":
                result += try certificates(inPKCS7: block.der, "Block \(number + 1) of the PEM file")
            default: continue
            }
        }
        return result
    }

    private static func certificates(
        inPKCS7 bytes: [UInt8], _ what: String
    ) throws(IdentityError) -> [EncodedCertificate] {
        do {
            return try PKCS7.certificates(in: bytes)
        } catch let error as IdentityError {
            throw error
        } catch {
            throw IdentityError(.damaged, "\(what) is damaged, or it is not PKCS#7 with certificates.")
        }
    }
}
