/// A PEM file given by a user, within limits.
enum PEMFile {
    /// Sixteen mebibytes: the largest bundles of operating systems have a quarter of a mebibyte.
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

    /// Reads every key and certificate; blocks of other kinds are skipped.
    static func read(_ pem: [UInt8], into reader: inout KeyFileReader) throws {
        let blocks = try blocks(of: pem)
        reader.holdsCertificates = blocks.contains { $0.label.hasSuffix("CERTIFICATE") || $0.label == "PKCS7" }
        for block in blocks where block.label.hasSuffix("PRIVATE KEY") {
            try DERKey.checkSize(block.der)
            switch block.label {
            case "PRIVATE KEY": try reader.addKey(pkcs8: try BoundedBER.parse(block.der[...]))
            case "ENCRYPTED PRIVATE KEY": try reader.addKey(encrypted: try BoundedBER.parse(block.der[...]))
            case "RSA PRIVATE KEY": try DERKey.readRSA(try TraditionalPEM.plain(block, &reader), into: &reader)
            case "EC PRIVATE KEY": try DERKey.readEC(try TraditionalPEM.plain(block, &reader), into: &reader)
            default:
                let problem = IdentityError(
                    .unsupportedAlgorithm,
                    "The PEM file holds a block \(PEMBlock.shown(block.label)), which is not supported.")
                try reader.add(
                    .init(
                        algorithm: PEMBlock.shown(block.label), label: nil, localKeyID: nil, problem: problem,
                        privateKey: nil))
            }
        }
        for certificate in try CertificateBundle.certificates(in: blocks) { reader.add(certificate) }
    }
}
