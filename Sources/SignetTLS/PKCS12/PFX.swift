import SwiftASN1

/// What a PFX (PKCS#12 file, RFC 7292) holds, after its integrity was proved and its content decrypted.
struct PFX {
    /// The bag attributes that are used: who belongs to whom, and what people call it.
    struct Attributes {
        var friendlyName: String?
        var localKeyID: ArraySlice<UInt8>?
    }

    /// A megabyte more than any file with a key and its chain has.
    static let maximumBytes = 4 << 20
    static let maximumBags = 128
    private static let maximumDepth = 4

    private(set) var keys: [(key: PrivateKey, attributes: Attributes)] = []
    private(set) var certificates: [(certificate: EncodedCertificate, attributes: Attributes)] = []
    private var password: PFXPassword
    private var bagCount = 0

    /// - Throws: ``IdentityError`` with `wrongPassword`, `damaged`, `unsupportedAlgorithm` or `tooLarge`.
    init(_ bytes: [UInt8], password: String) throws(IdentityError) {
        guard bytes.count <= Self.maximumBytes else {
            throw IdentityError(
                .tooLarge, "The PKCS#12 file has \(bytes.count) bytes; at most \(Self.maximumBytes) are read.")
        }
        if bytes.starts(with: "-----BEGIN".utf8) {
            throw IdentityError(.damaged, "The file is PEM, not PKCS#12. Use Identity(pem:privateKey:).")
        }
        self.password = PFXPassword(password)
        do {
            try read(try BER.parse(bytes))
        } catch let error as IdentityError {
            throw error
        } catch let problem as AlgorithmProblem {
            switch problem {
            case .malformed: throw IdentityError(.damaged, "The PKCS#12 file holds \(problem).", cause: problem)
            case .weak, .unsupported:
                throw IdentityError(.unsupportedAlgorithm, "The PKCS#12 file holds \(problem).", cause: problem)
            }
        } catch {
            // The cause stays behind: errors of the decoder may quote decrypted bytes.
            throw IdentityError(
                .damaged,
                "The PKCS#12 file is damaged, or it is no PKCS#12 file. Export it again and compare the sizes.")
        }
    }

    private mutating func read(_ node: ASN1Node) throws {
        var fields = try NodeReader(node)
        guard try fields.next().integer() == 3 else { throw EncodingError("a version other than 3") }
        let content = try Self.content(of: try fields.next(), type: .PKCS12.data).octets()
        guard let macData = fields.nextIfAny() else {
            throw IdentityError(
                .damaged,
                """
                The PKCS#12 file has no integrity check (MAC), so nobody can tell whether it was altered. Export it \
                again without -nomac.
                """)
        }
        try fields.end()
        // Nothing is decrypted, or even looked at, before the MAC says that the owner of the password wrote it.
        guard try PFXMac(macData).isValid(for: content, password: &password) else {
            throw IdentityError(
                .wrongPassword,
                "The password does not open the PKCS#12 file, or the file was altered. Check the password.")
        }
        var safes = try NodeReader(try BER.parse(content))
        while let safe = safes.nextIfAny() { try readSafe(safe) }
    }

    private static func content(of node: ASN1Node, type: ASN1ObjectIdentifier) throws -> ASN1Node {
        var fields = try NodeReader(node)
        let found = try fields.next().objectIdentifier()
        guard found == type else {
            throw IdentityError(
                .unsupportedAlgorithm,
                "The PKCS#12 file is protected by \(found) instead of a password. Export it again with a password.")
        }
        return try fields.next().explicit()
    }

    private mutating func readSafe(_ node: ASN1Node) throws {
        var fields = try NodeReader(node)
        guard try fields.next().objectIdentifier() == .PKCS12.encryptedData else {
            return try readBags(try BER.parse(try Self.content(of: node, type: .PKCS12.data).octets()), depth: 0)
        }
        var encrypted = try NodeReader(try fields.next().explicit())
        _ = try encrypted.next().integer()
        var info = try NodeReader(try encrypted.next())
        _ = try info.next().objectIdentifier()
        let algorithm = try AlgorithmIdentifier(try info.next())
        guard let bytes = try info.next(ifContext: 0)?.octets() else { throw EncodingError("nothing encrypted") }
        try readBags(try BER.parse(try PBES2.decrypt(bytes, algorithm, password: &password)), depth: 0)
    }

    private mutating func readBags(_ node: ASN1Node, depth: Int) throws {
        guard depth <= Self.maximumDepth else { throw EncodingError("bags nested too deeply") }
        var bags = try NodeReader(node)
        while let bag = bags.nextIfAny() {
            bagCount += 1
            guard bagCount <= Self.maximumBags else {
                throw IdentityError(
                    .tooLarge, "The PKCS#12 file holds more than \(Self.maximumBags) keys and certificates.")
            }
            var fields = try NodeReader(bag)
            let type = try fields.next().objectIdentifier()
            let value = try fields.next().explicit()
            let attributes = try fields.nextIfAny().map(Self.attributes) ?? Attributes()
            switch type {
            case .PKCS12.keyBag: keys.append((try PrivateKey(pkcs8: value.encodedBytes), attributes))
            case .PKCS12.shroudedKeyBag: keys.append((try decryptedKey(value), attributes))
            case .PKCS12.certificateBag: try readCertificate(value, attributes)
            case .PKCS12.safeContentsBag: try readBags(value, depth: depth + 1)
            default: continue  // Revocation lists and other secrets are nobody's identity.
            }
        }
    }

    private mutating func decryptedKey(_ node: ASN1Node) throws -> PrivateKey {
        var fields = try NodeReader(node)
        let algorithm = try AlgorithmIdentifier(try fields.next())
        let plain = try PBES2.decrypt(try fields.next().octets(), algorithm, password: &password)
        return try PrivateKey(pkcs8: plain[...])
    }

    private mutating func readCertificate(_ node: ASN1Node, _ attributes: Attributes) throws {
        var fields = try NodeReader(node)
        guard try fields.next().objectIdentifier() == .PKCS12.x509Certificate else { return }
        let certificate = EncodedCertificate(der: Array(try fields.next().explicit().octets()))
        certificates.append((certificate, attributes))
    }

    private static func attributes(_ node: ASN1Node) throws -> Attributes {
        var result = Attributes()
        var reader = try NodeReader(node, .set)
        while let attribute = reader.nextIfAny() {
            var fields = try NodeReader(attribute)
            let type = try fields.next().objectIdentifier()
            var values = try NodeReader(try fields.next(), .set)
            guard let value = values.nextIfAny() else { continue }
            switch type {
            case .PKCS12.localKeyID: result.localKeyID = try value.octets()
            case .PKCS12.friendlyName: result.friendlyName = Self.string(try value.primitiveBytes())
            default: continue
            }
        }
        return result
    }

    /// BMPString: UTF-16, high byte first.
    private static func string(_ bytes: ArraySlice<UInt8>) -> String {
        var units: [UInt16] = []
        var rest = bytes
        while let high = rest.popFirst(), let low = rest.popFirst() { units.append(UInt16(high) << 8 | UInt16(low)) }
        return String(decoding: units, as: UTF16.self)
    }
}
