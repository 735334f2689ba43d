import SwiftASN1

extension CertificateSigningRequest.Extension {
    /// Asks a Windows authority for a certificate by the template with this name (MS-WCCE §2.2.2.7.7.1): the name that
    /// administrators see without blanks, such as `WebServer`.
    ///
    /// - Throws: ``IdentityError`` with `invalidRequest` for a name that is empty or longer than 64 characters.
    public static func template(_ name: String) throws(IdentityError) -> Self {
        let units = Array(name.utf16)
        guard (1...64).contains(units.count), units.allSatisfy({ !(0xD800...0xDFFF).contains($0) && $0 >= 0x20 }) else {
            throw IdentityError(
                .invalidRequest,
                "“\(DistinguishedName.printable(name))” cannot name a template: it has 1 to 64 characters.")
        }
        let value = DER.bytes { coder in
            coder.appendPrimitiveNode(identifier: .bmpString) { bytes in
                for unit in units { bytes += [UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit)] }
            }
        }
        return Self("1.3.6.1.4.1.311.20.2", value: value)
    }

    /// Asks a Windows authority for a certificate by the template with this object identifier (MS-WCCE §2.2.2.7.7.2).
    ///
    /// - Parameters:
    ///   - identifier: of the template, such as `1.3.6.1.4.1.311.21.8.…`.
    ///   - major: the version of the template.
    ///   - minor: the minor version; nil when the administrator does not count them.
    /// - Throws: ``IdentityError`` with `invalidRequest`.
    public static func template(
        identifier: String, major: UInt32, minor: UInt32? = nil
    ) throws(IdentityError) -> Self {
        guard let oid = ASN1ObjectIdentifier(dotted: identifier) else {
            throw IdentityError(
                .invalidRequest, "“\(DistinguishedName.printable(identifier))” is no object identifier of a template.")
        }
        let value: [UInt8]
        do {
            value = try DER.bytes { coder in
                try coder.appendSequence { coder in
                    try coder.serialize(oid)
                    try coder.serialize(Int64(major))
                    if let minor { try coder.serialize(Int64(minor)) }
                }
            }
        } catch { throw IdentityError(.invalidRequest, "The template \(identifier) cannot be written.", cause: error) }
        return Self("1.3.6.1.4.1.311.21.7", value: value)
    }
}
