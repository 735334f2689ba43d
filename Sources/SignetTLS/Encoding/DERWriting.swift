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

    /// A BIT STRING of whole bytes.
    mutating func appendBits(_ bytes: some Sequence<UInt8>) {
        appendPrimitiveNode(identifier: .bitString) { content in
            content.append(0)
            content.append(contentsOf: bytes)
        }
    }

    /// The AlgorithmIdentifier of Ed25519 (RFC 8410 §3): its identifier 1.3.101.112 alone.
    mutating func appendEd25519() { serializeRawBytes([0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70]) }

    mutating func appendNull() { appendPrimitiveNode(identifier: .null) { _ in } }

    mutating func appendAlgorithm(_ identifier: ASN1ObjectIdentifier, _ parameters: Body) throws {
        try appendSequence { coder in
            try coder.serialize(identifier)
            try parameters(&coder)
        }
    }
}

extension [UInt8] {
    /// Random bytes for a key, a salt or an initialisation vector.
    package static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

extension ASN1ObjectIdentifier {
    /// The identifier that a text such as `1.3.6.1.5.5.7.3.2` stands for; nil when it is none (X.660 §7.6).
    init?(dotted text: String) {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt($0) }
        guard (3...32).contains(numbers.count), let first = numbers[0], let second = numbers[1], first <= 2,
            second <= (first == 2 ? UInt(Int32.max) : 39), numbers.allSatisfy({ $0.map { $0 <= Int32.max } ?? false }),
            let identifier = try? ASN1ObjectIdentifier(elements: numbers.compactMap(\.self))
        else { return nil }
        self = identifier
    }
}
