import SwiftASN1

/// An attribute that an authority demands of requests for certificates (CsrAttrs, RFC 7030 §4.5.2).
package struct RequestAttribute: Sendable {
    /// An object identifier in numbers.
    package let type: String
    /// The values that are object identifiers.
    package private(set) var identifiers: [String] = []
    /// The first value that is a number.
    package private(set) var number: Int?
    /// The extensions among the values, those that have a value themselves.
    package private(set) var extensions: [CertificateSigningRequest.Extension] = []

    /// Servers demand a handful.
    private static let maximumCount = 64
    private static let maximumBytes = 64 << 10

    /// - Throws: ``EncodingError``, `IdentityError` with `tooLarge`, or the decoder's error.
    package static func list(_ bytes: [UInt8]) throws -> [RequestAttribute] {
        guard bytes.count <= maximumBytes else { throw EncodingError("more than \(maximumBytes) bytes") }
        var nodes = try NodeReader(try BoundedBER.parse(bytes[...]))
        var result: [RequestAttribute] = []
        while let node = nodes.nextIfAny() {
            guard result.count < maximumCount else { throw EncodingError("more than \(maximumCount) attributes") }
            result.append(try RequestAttribute(node))
        }
        return result
    }

    private init(_ node: ASN1Node) throws {
        if node.identifier == .objectIdentifier {
            type = "\(try node.objectIdentifier())"
            return
        }
        var fields = try NodeReader(node)
        type = "\(try fields.next().objectIdentifier())"
        var values = try NodeReader(try fields.next(), .set)
        try fields.end()
        while let value = values.nextIfAny() {
            if value.identifier == .objectIdentifier {
                identifiers.append("\(try value.objectIdentifier())")
            } else if value.identifier == .integer {
                if number == nil { number = try? value.integer() }
            } else if value.identifier == .sequence, let found = try? CertificateContent.extensions(value) {
                // An extension without a value leaves the value to the client (RFC 9908 §3.4).
                extensions += found.filter { !$0.value.isEmpty }.map {
                    .init("\($0.identifier)", isCritical: $0.isCritical, value: Array($0.value))
                }
            }
        }
    }
}
