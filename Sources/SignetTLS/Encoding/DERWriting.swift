import SwiftASN1

extension DER {
    /// The bytes that `body` writes.
    static func bytes(_ body: Serializer.Body) rethrows -> [UInt8] {
        var coder = Serializer()
        try body(&coder)
        return coder.serializedBytes
    }
}

extension DER.Serializer {
    typealias Body = (inout DER.Serializer) throws -> Void

    mutating func appendSequence(_ body: Body) rethrows {
        try appendConstructedNode(identifier: .sequence, body)
    }

    mutating func appendOctets(_ bytes: [UInt8]) {
        appendPrimitiveNode(identifier: .octetString) { $0.append(contentsOf: bytes) }
    }

    mutating func appendNull() { appendPrimitiveNode(identifier: .null) { _ in } }

    mutating func appendAlgorithm(_ identifier: ASN1ObjectIdentifier, _ parameters: Body) throws {
        try appendSequence { coder in
            try coder.serialize(identifier)
            try parameters(&coder)
        }
    }
}

extension [UInt8] {
    /// Random bytes for a salt or an initialisation vector.
    static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
