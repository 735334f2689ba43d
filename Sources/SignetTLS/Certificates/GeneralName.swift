import SwiftASN1

/// A name in a subjectAltName or a name constraint (RFC 5280 §4.2.1.6).
enum GeneralName: Sendable, Hashable {
    /// A dNSName in lower case. It is ASCII; nothing else is checked.
    case dns(String)
    /// Four or sixteen octets in a certificate; twice as many, address and mask, in a constraint.
    case ip([UInt8])
    case directory(DistinguishedName)
    /// An rfc822Name. Nothing is checked; damaged text becomes empty.
    case email(String)
    /// Any other form, by the number of its tag: 0 is otherName, 6 a URI.
    case other(UInt)

    init(_ node: ASN1Node) throws {
        switch node.contextTag {
        case 1: self = .email(String(validating: try node.primitiveBytes(), as: UTF8.self) ?? "")
        case 2:
            let bytes = try node.primitiveBytes()
            guard bytes.allSatisfy({ $0 < 0x80 }) else { throw EncodingError("a DNS name that is not ASCII") }
            self = .dns(String(decoding: bytes, as: UTF8.self).lowercased())
        case 4: self = .directory(try DistinguishedName(try node.explicit()))
        case 7: self = .ip(Array(try node.primitiveBytes()))
        case .some(let number): self = .other(number)
        case nil: throw EncodingError("a general name without a tag")
        }
    }
}

extension GeneralName: CustomStringConvertible {
    /// The name to show. It is escaped, since the peer chooses it.
    var description: String {
        switch self {
        case .dns(let name): DistinguishedName.printable(name)
        case .ip(let bytes): bytes.count == 4 || bytes.count == 16 ? IPAddress.text(bytes) : "a malformed IP address"
        case .directory(let name): name.text
        case .email(let address): DistinguishedName.printable(address)
        case .other: "a name of another form"
        }
    }
}
