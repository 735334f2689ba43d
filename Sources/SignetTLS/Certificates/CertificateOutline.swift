import SwiftASN1

/// The subject, issuer and validity of a certificate that breaks its own format. They are only shown, and never
/// trusted.
struct CertificateOutline: Sendable {
    private(set) var issuer: DistinguishedName?
    private(set) var subject: DistinguishedName?
    private(set) var notBefore: Int64?
    private(set) var notAfter: Int64?

    /// Reads the fields in order and stops at the first that is malformed.
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
