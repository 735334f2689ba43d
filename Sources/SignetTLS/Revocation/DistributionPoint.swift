import SwiftASN1

/// A place of revocation lists, in a certificate (RFC 5280 §4.2.1.13).
struct DistributionPoint: Sendable, Hashable {
    /// Certificates in use have one or two.
    static let maximumPoints = 16
    static let maximumNames = 32

    /// The names of the place in DER, of any form.
    private(set) var names: [ArraySlice<UInt8>] = []
    /// The addresses among them that can be asked over HTTP.
    var addresses: [String] = []
    /// Whether its lists are only for some reasons of revocation, so that they prove no certificate good.
    private(set) var isForSomeReasons = false
    /// Whether its lists are those of another authority than the issuer of the certificate.
    private(set) var hasOtherIssuer = false

    init(_ node: ASN1Node) throws {
        var fields = try NodeReader(node)
        if let name = fields.next(ifContext: 0) {
            let nodes = try Self.names(name)
            names = nodes.map(\.encodedBytes)
            addresses = nodes.compactMap(RevocationAddress.http)
        }
        isForSomeReasons = fields.next(ifContext: 1) != nil
        hasOtherIssuer = fields.next(ifContext: 2) != nil
        try fields.end()
    }

    /// The full names of a `DistributionPointName`; none when it is relative to the issuer's name, a form that is not
    /// in use.
    static func names(_ node: ASN1Node) throws -> [ASN1Node] {
        let choice = try node.explicit()
        guard choice.contextTag == 0 else { return [] }
        var reader = try NodeReader(contentsOf: choice)
        var result: [ASN1Node] = []
        while let name = reader.nextIfAny() {
            guard result.count < maximumNames else { throw EncodingError("a place of more than \(maximumNames) names") }
            result.append(name)
        }
        return result
    }
}

/// What a revocation list is for, by its issuingDistributionPoint (RFC 5280 §5.2.5).
struct ListScope: Sendable, Hashable {
    /// Which certificates a list is for.
    enum Certificates: Sendable { case all, endEntities, authorities, neither }

    private(set) var certificates = Certificates.all
    /// The names of its place in DER; nil when the list is for all places.
    private(set) var names: [ArraySlice<UInt8>]?
    /// Whether it is for some reasons of revocation only.
    private(set) var isForSomeReasons = false
    /// Whether other authorities' certificates may be on it.
    private(set) var isIndirect = false

    /// A list without the extension is for all certificates of its issuer.
    init() {}

    init(_ node: ASN1Node) throws {
        var fields = try NodeReader(node)
        names = try fields.next(ifContext: 0).map { try DistributionPoint.names($0).map(\.encodedBytes) }
        let endEntities = try Self.flag(fields.next(ifContext: 1))
        let authorities = try Self.flag(fields.next(ifContext: 2))
        isForSomeReasons = fields.next(ifContext: 3) != nil
        isIndirect = try Self.flag(fields.next(ifContext: 4))
        let attributes = try Self.flag(fields.next(ifContext: 5))
        try fields.end()
        switch (endEntities, authorities, attributes) {
        case (false, false, false): certificates = .all
        case (true, false, false): certificates = .endEntities
        case (false, true, false): certificates = .authorities
        default: certificates = .neither
        }
    }

    private static func flag(_ node: ASN1Node?) throws -> Bool {
        guard let node else { return false }
        let bytes = try node.primitiveBytes()
        guard bytes.count == 1, let byte = bytes.first else { throw EncodingError("a boolean of the wrong length") }
        return byte != 0
    }

    func includes(authority: Bool) -> Bool {
        switch certificates {
        case .all: true
        case .endEntities: !authority
        case .authorities: authority
        case .neither: false
        }
    }

    /// Whether a certificate that names `point` may be looked up in the list (RFC 5280 §6.3.3 b 2 i).
    func includes(_ point: DistributionPoint) -> Bool {
        names?.contains(where: point.names.contains) ?? true
    }
}
