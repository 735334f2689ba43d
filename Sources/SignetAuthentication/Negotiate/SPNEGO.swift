import SwiftASN1

/// The messages of SPNEGO (RFC 4178 §4.2) around a mechanism that Signet supports.
enum SPNEGO {
    static let mechanism: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 2]
    /// RFC 4121 §1.
    static let kerberos: ASN1ObjectIdentifier = [1, 2, 840, 113_554, 1, 2, 2]
    /// MS-SPNG §1.9.
    static let ntlm: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 311, 2, 2, 10]
    /// More than a server needs.
    static let maximumBytes = 64 << 10

    /// The first message: the supported mechanism, and its first token (§4.2.1).
    static func initial(_ mechanism: ASN1ObjectIdentifier, token: [UInt8]) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .init(tagWithNumber: 0, tagClass: .application)) { outer in
            try outer.serialize(Self.mechanism)
            try outer.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { inner in
                try inner.appendConstructedNode(identifier: .sequence) { fields in
                    try fields.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) {
                        try $0.serializeSequenceOf([mechanism])
                    }
                    try fields.serialize(explicitlyTaggedWithTagNumber: 2, tagClass: .contextSpecific) {
                        try $0.serialize(ASN1OctetString(contentBytes: token[...]))
                    }
                }
            }
        }
        return serializer.serializedBytes
    }

    /// The list of mechanisms, which the codes of both sides cover, so that an attacker cannot remove one (§4.2.2, §5).
    static func list(_ mechanism: ASN1ObjectIdentifier) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serializeSequenceOf([mechanism])
        return serializer.serializedBytes
    }

    /// A later message of the client (§4.2.2).
    static func response(token: [UInt8], code: [UInt8]? = nil) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(explicitlyTaggedWithTagNumber: 1, tagClass: .contextSpecific) { outer in
            try outer.appendConstructedNode(identifier: .sequence) { fields in
                try fields.serialize(explicitlyTaggedWithTagNumber: 2, tagClass: .contextSpecific) {
                    try $0.serialize(ASN1OctetString(contentBytes: token[...]))
                }
                guard let code else { return }
                try fields.serialize(explicitlyTaggedWithTagNumber: 3, tagClass: .contextSpecific) {
                    try $0.serialize(ASN1OctetString(contentBytes: code[...]))
                }
            }
        }
        return serializer.serializedBytes
    }

    /// A message of the server (§4.2.2).
    struct ServerToken: Sendable, Hashable {
        enum State: Int, Sendable, Hashable {
            case accepted = 0
            case incomplete = 1
            case rejected = 2
            case requestsCode = 3
        }
        var state: State?
        var mechanism: ASN1ObjectIdentifier?
        var token: [UInt8]?
        var code: [UInt8]?

        /// - Throws: ``AuthenticationError`` with `malformedChallenge`.
        init(_ bytes: [UInt8], space: ProtectionSpace) throws(AuthenticationError) {
            do {
                guard bytes.count <= SPNEGO.maximumBytes else {
                    throw ASN1Error.invalidASN1Object(reason: "it is longer than \(SPNEGO.maximumBytes) bytes")
                }
                let root = try DER.parse(bytes)
                self = try DER.explicitlyTagged(root, tagNumber: 1, tagClass: .contextSpecific) { node in
                    try DER.sequence(node, identifier: .sequence) { try Self(fields: &$0) }
                }
            } catch {
                throw .init(
                    .malformedChallenge, "The Negotiate message of \(space) breaks RFC 4178 §4.2.2.", space: space,
                    cause: error)
            }
        }

        private init(fields: inout ASN1NodeCollection.Iterator) throws {
            state = try DER.optionalExplicitlyTagged(&fields, tagNumber: 0, tagClass: .contextSpecific) { node in
                guard node.identifier == .enumerated, case .primitive(let content) = node.content,
                    content.count == 1, let number = content.first, let state = State(rawValue: Int(number))
                else { throw ASN1Error.invalidASN1Object(reason: "the state is not known") }
                return state
            }
            mechanism = try DER.optionalExplicitlyTagged(&fields, tagNumber: 1, tagClass: .contextSpecific) {
                try ASN1ObjectIdentifier(derEncoded: $0)
            }
            token = try DER.optionalExplicitlyTagged(&fields, tagNumber: 2, tagClass: .contextSpecific) {
                Array(try ASN1OctetString(derEncoded: $0).bytes)
            }
            code = try DER.optionalExplicitlyTagged(&fields, tagNumber: 3, tagClass: .contextSpecific) {
                Array(try ASN1OctetString(derEncoded: $0).bytes)
            }
        }
    }
}
