import SwiftASN1

/// A list of the certificates that an authority has revoked (RFC 5280 §5), read but not yet believed.
///
/// Its entries stay in the bytes of the list; an index leads to each of them.
package struct CertificateRevocationList: Sendable {
    /// The usual limit of a list, in bytes. It has room for about 300,000 entries.
    package static let usualMaximumBytes = 10 << 20

    /// An entry as it is encoded.
    struct Entry {
        let serialNumber: ArraySlice<UInt8>
        /// A Time.
        let date: DERScanner.Value
        /// The content of an ENUMERATED.
        let reason: ArraySlice<UInt8>?
    }

    static let what = "The revocation list"

    let issuer: DistinguishedName
    let period: UpdatePeriod
    let scope: ListScope
    let signedBytes: ArraySlice<UInt8>
    let signatureAlgorithm: AlgorithmIdentifier
    let signature: ArraySlice<UInt8>
    /// The entries in DER, one after the other.
    private let entries: ArraySlice<UInt8>
    private let index: SerialIndex

    /// The number of revoked certificates.
    package var count: Int { index.count }
    /// How many bytes of memory it keeps, about.
    let size: Int

    /// Reads a list in DER.
    ///
    /// - Parameters:
    ///   - der: the bytes of the list.
    ///   - maximumBytes: a larger list is not read.
    /// - Throws: ``RevocationProblem`` with `tooLarge` or `malformed`; with `unsupported` for a list of changes (delta), a
    ///   list for several authorities (indirect), and an unknown critical extension of the list or of any entry.
    package init(der: [UInt8], maximumBytes: Int = usualMaximumBytes) throws(RevocationProblem) {
        guard der.count <= maximumBytes, der.count < UInt32.max else {
            throw RevocationProblem(
                .tooLarge,
                "\(Self.what) has \(der.count) bytes; at most \(maximumBytes) are read. Allow more, or use OCSP.")
        }
        self = try RevocationProblem.reading(Self.what) { try CertificateRevocationList(reading: der) }
    }

    private init(reading der: [UInt8]) throws {
        var outer = DERScanner(der[...])
        var list = DERScanner(try outer.next(DERScanner.sequence).content)
        try outer.end()
        let signed = try list.next(DERScanner.sequence)
        signedBytes = signed.encoded
        signatureAlgorithm = try AlgorithmIdentifier(try list.next(DERScanner.sequence).tree())
        let bits = try ASN1BitString(derEncoded: try list.next(DERScanner.bitString).tree())
        guard bits.paddingBits == 0 else { throw EncodingError("a signature that is not whole bytes") }
        signature = bits.bytes
        try list.end()

        var fields = DERScanner(signed.content)
        let version = try fields.next(ifTagged: DERScanner.integer)
        if let version, !version.content.elementsEqual([1]) { throw EncodingError("an unknown version") }
        guard try fields.next(DERScanner.sequence).encoded.elementsEqual(signatureAlgorithm.encoded) else {
            throw EncodingError("two different signature algorithms")
        }
        issuer = try DistinguishedName(try fields.next(DERScanner.sequence).tree())
        let thisUpdate = try UnixTime.read(try fields.next().tree())
        let nextUpdate = try Self.time(&fields).map { try UnixTime.read(try $0.tree()) }
        period = try UpdatePeriod(thisUpdate: thisUpdate, nextUpdate: nextUpdate)
        entries = try fields.next(ifTagged: DERScanner.sequence)?.content ?? []
        let extensions = try fields.next(ifTagged: 0xA0)
        try fields.end()
        guard version != nil || extensions == nil else { throw EncodingError("extensions in an old version") }
        scope = try extensions.map { try Self.scope(try $0.tree().explicit()) } ?? ListScope()
        index = try Self.index(of: entries)
        size = der.count + index.bytes
    }

    private static func time(_ fields: inout DERScanner) throws(EncodingError) -> DERScanner.Value? {
        if let time = try fields.next(ifTagged: DERScanner.utcTime) { return time }
        return try fields.next(ifTagged: DERScanner.generalizedTime)
    }

    private static func scope(_ node: ASN1Node) throws -> ListScope {
        let extensions = try CertificateContent.extensions(node)
        if extensions.contains(where: { $0.identifier == .deltaListIndicator }) {
            throw RevocationProblem(
                .unsupported,
                "\(what) has only the changes since another one (deltaCRLIndicator). Name the complete list in the certificates."
            )
        }
        let known: [ASN1ObjectIdentifier] = [.issuingDistributionPoint, .authorityKeyIdentifier]
        if let unknown = extensions.first(where: { $0.isCritical && !known.contains($0.identifier) }) {
            throw RevocationProblem(
                .unsupported,
                "\(what) has the critical extension \(unknown.identifier), which is not understood here.")
        }
        guard let point = extensions.first(where: { $0.identifier == .issuingDistributionPoint }) else {
            return ListScope()
        }
        let scope = try ListScope(try DER.parse(point.value))
        if scope.isIndirect { throw isIndirect }
        return scope
    }

    private static let isIndirect = RevocationProblem(
        .unsupported,
        "\(what) is for certificates of several authorities (indirectCRL), which is not supported. Use OCSP, or a list of each authority."
    )

    /// Reads all entries once: a list of which any part cannot be understood must not be used (RFC 5280 §5.3).
    private static func index(of entries: ArraySlice<UInt8>) throws -> SerialIndex {
        var counter = DERScanner(entries)
        var count = 0
        while !counter.isAtEnd {
            _ = try counter.next(DERScanner.sequence)
            count += 1
        }
        var index = SerialIndex(capacity: count)
        var scanner = DERScanner(entries)
        while !scanner.isAtEnd {
            let value = try scanner.next(DERScanner.sequence)
            let entry = try entry(value)
            guard let position = UInt32(exactly: value.encoded.startIndex - entries.startIndex) else {
                throw EncodingError("too many entries")
            }
            index.add(entry.serialNumber, at: position)
        }
        return index
    }

    private static func entry(_ value: DERScanner.Value) throws -> Entry {
        var fields = DERScanner(value.content)
        let serialNumber = try fields.next(DERScanner.integer).content
        guard !serialNumber.isEmpty else { throw EncodingError("an entry without a serial number") }
        guard let date = try time(&fields) else { throw EncodingError("an entry without a date") }
        var reason: ArraySlice<UInt8>?
        if let extensions = try fields.next(ifTagged: DERScanner.sequence) {
            reason = try self.reason(in: extensions.content)
        }
        try fields.end()
        return Entry(serialNumber: serialNumber, date: date, reason: reason)
    }

    /// The reason among the extensions of an entry (RFC 5280 §5.3).
    private static func reason(in extensions: ArraySlice<UInt8>) throws -> ArraySlice<UInt8>? {
        var reason: ArraySlice<UInt8>?
        var scanner = DERScanner(extensions)
        while !scanner.isAtEnd {
            var parts = DERScanner(try scanner.next(DERScanner.sequence).content)
            let identifier = try parts.next(DERScanner.objectIdentifier).content
            let isCritical = try parts.next(ifTagged: DERScanner.boolean)?.content.contains { $0 != 0 } ?? false
            let value = try parts.next(DERScanner.octetString).content
            try parts.end()
            switch Array(identifier) {
            case EntryExtension.reason:
                var content = DERScanner(value)
                reason = try content.next(DERScanner.enumerated).content
                try content.end()
            case EntryExtension.issuer: throw isIndirect
            case EntryExtension.invalidityDate: break
            default:
                guard isCritical else { break }
                throw RevocationProblem(
                    .unsupported, "\(what) has an entry with a critical extension that is not understood here.")
            }
        }
        return reason
    }

    /// The entry with this serial number; nil when the list has no such entry.
    func entry(for serialNumber: ArraySlice<UInt8>) throws -> Entry? {
        let wanted = SerialIndex.significant(serialNumber)
        func entry(at position: UInt32) throws -> Entry {
            var scanner = DERScanner(entries.dropFirst(Int(position)))
            return try Self.entry(try scanner.next(DERScanner.sequence))
        }
        let found = try index.position(of: serialNumber) { position in
            SerialIndex.significant(try entry(at: position).serialNumber).elementsEqual(wanted)
        }
        return try found.map(entry)
    }

    /// The content of the object identifiers of entry extensions.
    private enum EntryExtension {
        static let reason: [UInt8] = [0x55, 0x1D, 0x15]
        static let invalidityDate: [UInt8] = [0x55, 0x1D, 0x18]
        static let issuer: [UInt8] = [0x55, 0x1D, 0x1D]
    }
}

extension ASN1ObjectIdentifier {
    fileprivate static let deltaListIndicator: Self = [2, 5, 29, 27]
    fileprivate static let issuingDistributionPoint: Self = [2, 5, 29, 28]
}
