import SwiftASN1

/// An error in an ASN.1 structure. Callers wrap it in an error for the user.
struct EncodingError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Reads the elements of a constructed value in order, in DER and BER alike.
struct NodeReader {
    private var nodes: ASN1NodeCollection.Iterator
    private var lookahead: ASN1Node?

    init(_ node: ASN1Node, _ identifier: ASN1Identifier = .sequence) throws {
        guard node.identifier == identifier else { throw EncodingError("an unexpected ASN.1 tag") }
        try self.init(contentsOf: node)
    }

    /// Reads a constructed value with any tag.
    init(contentsOf node: ASN1Node) throws {
        guard case .constructed(let children) = node.content else {
            throw EncodingError("a value that should hold others")
        }
        nodes = children.makeIterator()
        lookahead = nodes.next()
    }

    mutating func nextIfAny() -> ASN1Node? {
        defer { lookahead = nodes.next() }
        return lookahead
    }

    mutating func next() throws -> ASN1Node {
        guard let node = nextIfAny() else { throw EncodingError("a value is missing") }
        return node
    }

    /// The next value when it has this tag; otherwise nil, and the reader stays where it is.
    mutating func next(ifTagged identifier: ASN1Identifier) -> ASN1Node? {
        lookahead?.identifier == identifier ? nextIfAny() : nil
    }

    mutating func next(ifContext number: UInt) -> ASN1Node? {
        next(ifTagged: ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific))
    }

    func end() throws {
        if lookahead != nil { throw EncodingError("a value too many") }
    }
}

extension ASN1Node {
    /// The number of a context-specific tag.
    var contextTag: UInt? { identifier.tagClass == .contextSpecific ? identifier.tagNumber : nil }

    /// The bytes of a primitive value.
    func primitiveBytes() throws -> ArraySlice<UInt8> {
        guard case .primitive(let bytes) = content else { throw EncodingError("a value that should hold bytes") }
        return bytes
    }

    /// The content of an OCTET STRING under any tag; BER may split it into parts.
    func octets() throws -> ArraySlice<UInt8> {
        try ASN1OctetString(berEncoded: self, withIdentifier: identifier).bytes
    }

    func objectIdentifier() throws -> ASN1ObjectIdentifier { try ASN1ObjectIdentifier(derEncoded: self) }

    func integer() throws -> Int { try Int(derEncoded: self) }

    /// Reads a BOOLEAN. In BER, every value other than zero means true.
    func boolean() throws -> Bool {
        guard identifier == .boolean else { throw EncodingError("a boolean is missing") }
        let bytes = try primitiveBytes()
        guard bytes.count == 1, let byte = bytes.first else { throw EncodingError("a boolean of the wrong length") }
        return byte != 0
    }

    /// The value inside an explicit tag.
    func explicit() throws -> ASN1Node {
        var reader = try NodeReader(contentsOf: self)
        let node = try reader.next()
        try reader.end()
        return node
    }
}

/// `AlgorithmIdentifier` (RFC 5280 §4.1.1.2).
struct AlgorithmIdentifier: Sendable {
    let algorithm: ASN1ObjectIdentifier
    let parameters: ASN1Node?
    let encoded: ArraySlice<UInt8>

    init(_ node: ASN1Node) throws {
        var reader = try NodeReader(node)
        algorithm = try reader.next().objectIdentifier()
        parameters = reader.nextIfAny()
        try reader.end()
        encoded = node.encodedBytes
    }
}
