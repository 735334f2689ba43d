import SwiftASN1

/// What can still be said of a certificate that breaks its own format: whose it is and when it holds. Nothing of it is
/// ever believed; it is for showing only.
struct CertificateOutline: Sendable {
    private(set) var issuer: DistinguishedName?
    private(set) var subject: DistinguishedName?
    private(set) var notBefore: Int64?
    private(set) var notAfter: Int64?

    /// Takes field after field until one is not what it should be.
    init?(der: [UInt8]) {
        guard der.count <= CertificateContent.maximumBytes, var certificate = try? NodeReader(try DER.parse(der)),
            var fields = try? NodeReader(try certificate.next())
        else { return nil }
        _ = fields.next(ifContext: 0)
        guard fields.next(ifTagged: .integer) != nil, fields.next(ifTagged: .sequence) != nil,
            let issuer = try? DistinguishedName(try fields.next())
        else { return nil }
        self.issuer = issuer
        guard var validity = try? NodeReader(try fields.next()) else { return }
        notBefore = try? UnixTime.read(try validity.next())
        notAfter = try? UnixTime.read(try validity.next())
        subject = try? DistinguishedName(try fields.next())
    }
}
