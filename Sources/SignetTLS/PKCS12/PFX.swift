import SwiftASN1

/// Reads a PFX (PKCS#12 file, RFC 7292): checks its integrity, decrypts it, and passes its keys and certificates to the
/// reader.
struct PFX {
    /// More than any file with a key and its chain needs, by at least a megabyte.
    static let maximumBytes = 4 << 20
    /// The largest files are stores of authorities with a few hundred certificates.
    static let maximumBags = 1024
    private static let maximumDepth = 4

    private var bagCount = 0

    /// - Throws: ``IdentityError``, ``UnsupportedAlgorithm``, or the decoder's error for a damaged file.
    static func read(_ bytes: [UInt8], integrity: KeyFile.Integrity, into reader: inout KeyFileReader) throws {
        guard bytes.count <= maximumBytes else {
            throw IdentityError(
                .tooLarge, "The PKCS#12 file has \(bytes.count) bytes; at most \(maximumBytes) are read.")
        }
        var file = PFX()
        try file.read(try BoundedBER.parse(bytes[...]), integrity, &reader)
    }

    private mutating func read(
        _ node: ASN1Node, _ integrity: KeyFile.Integrity, _ reader: inout KeyFileReader
    ) throws {
        var fields = try NodeReader(node)
        guard try fields.next().integer() == 3 else { throw EncodingError("a version other than 3") }
        let content = try Self.content(of: try fields.next(), type: .PKCS12.data).octets()
        if let macData = fields.nextIfAny() {
            let mac = try PFXMac(macData)
            reader.note(mac.description)
            // Nothing is decrypted or parsed before the MAC shows that the file comes from an owner of the password.
            guard try mac.isValid(for: content, password: &reader.password) else {
                throw reader.password.refused("the PKCS#12 file")
            }
        } else if integrity == .required {
            throw IdentityError(
                .noIntegrityCheck,
                """
                The PKCS#12 file has no integrity check (MAC), so that it may have been altered. \
                \(FileAdvice.addMac)
                """)
        }
        try fields.end()
        var safes = try NodeReader(try BoundedBER.parse(content))
        while let safe = safes.nextIfAny() { try readSafe(safe, &reader) }
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

    private mutating func readSafe(_ node: ASN1Node, _ reader: inout KeyFileReader) throws {
        var fields = try NodeReader(node)
        guard try fields.next().objectIdentifier() == .PKCS12.encryptedData else {
            let bytes = try Self.content(of: node, type: .PKCS12.data).octets()
            return try readBags(try BoundedBER.parse(bytes), depth: 0, &reader)
        }
        var encrypted = try NodeReader(try fields.next().explicit())
        _ = try encrypted.next().integer()
        var info = try NodeReader(try encrypted.next())
        _ = try info.next().objectIdentifier()
        let algorithm = try AlgorithmIdentifier(try info.next())
        guard let bytes = try info.next(ifContext: 0)?.octets() else { throw EncodingError("nothing encrypted") }
        let bags = try reader.open(bytes, algorithm, "the certificates in the PKCS#12 file")
        try readBags(bags, depth: 0, &reader)
    }

    private mutating func readBags(_ node: ASN1Node, depth: Int, _ reader: inout KeyFileReader) throws {
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
            let attributes = try fields.nextIfAny().map(BagAttributes.init) ?? BagAttributes()
            switch type {
            case .PKCS12.keyBag: try reader.addKey(pkcs8: value, attributes)
            case .PKCS12.shroudedKeyBag: try reader.addKey(encrypted: value, attributes)
            case .PKCS12.certificateBag:
                var fields = try NodeReader(value)
                guard try fields.next().objectIdentifier() == .PKCS12.x509Certificate else { continue }
                reader.add(EncodedCertificate(der: Array(try fields.next().explicit().octets())), attributes)
            case .PKCS12.safeContentsBag: try readBags(value, depth: depth + 1, &reader)
            default: continue  // Revocation lists and other secrets belong to no identity.
            }
        }
    }
}

/// The bag attributes that are used: the identifier that a key shares with its certificate, and the friendly name.
struct BagAttributes {
    var label: String?
    var localKeyID: [UInt8]?

    init() {}

    /// Attributes of other kinds, and values of the wrong type, are skipped.
    init(_ node: ASN1Node) throws {
        var reader = try NodeReader(node, .set)
        while let attribute = reader.nextIfAny() {
            var fields = try NodeReader(attribute)
            let type = try fields.next().objectIdentifier()
            var values = try NodeReader(try fields.next(), .set)
            guard let value = values.nextIfAny() else { continue }
            switch (type, value.identifier) {
            case (.PKCS12.localKeyID, .octetString): localKeyID = Array(try value.octets())
            case (.PKCS12.friendlyName, .bmpString): label = Self.string(try value.primitiveBytes())
            default: continue
            }
        }
    }

    /// Decodes a BMPString: UTF-16, high byte first.
    private static func string(_ bytes: ArraySlice<UInt8>) -> String {
        var units: [UInt16] = []
        var rest = bytes
        while let high = rest.popFirst(), let low = rest.popFirst() { units.append(UInt16(high) << 8 | UInt16(low)) }
        return String(decoding: units, as: UTF16.self)
    }
}
