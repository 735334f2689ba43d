import SwiftASN1

/// The name that a certificate is requested for (RFC 5280 §4.1.2.6).
///
/// It is written as in RFC 4514, the most specific part first: `CN=device 7, OU=Plant 3, O=Bank, C=DE`. Known types are
/// `CN`, `O`, `OU`, `C`, `L`, `ST`, `STREET`, `DC`, `UID`, `SN`, `GN`, `title`, `serialNumber` and `emailAddress`, in letters
/// of either case; others are written as object identifiers (`2.5.4.65=…`). `+` joins attributes of one part, and `\`
/// comes before `, + " \ < > ; = #` and blanks that belong to a value, or before two hexadecimal digits.
public struct SubjectName: Sendable, Hashable {
    private struct Attribute: Sendable, Hashable {
        let type: AttributeType
        let value: String
    }

    /// As written: the most specific part first.
    private let parts: [[Attribute]]

    /// The largest number of attributes.
    private static let maximumAttributes = 64
    /// The largest length of one value, in bytes of UTF-8 (RFC 5280 §A.1 allows fewer for most types).
    private static let maximumValueBytes = 1024

    /// A name that has only a common name.
    ///
    /// - Throws: ``IdentityError`` with `invalidRequest` for a name that is empty or longer than 64 characters.
    public init(commonName: String) throws(IdentityError) {
        parts = [[try Self.attribute("CN", commonName)]]
    }

    /// - Parameter text: as in RFC 4514; empty for no name, which servers that take the names from elsewhere allow.
    /// - Throws: ``IdentityError`` with `invalidRequest`.
    public init(_ text: String) throws(IdentityError) {
        var reader = Reader(text)
        var parts: [[Attribute]] = []
        var count = 0
        while !reader.isAtEnd || !parts.isEmpty {
            var part: [Attribute] = []
            repeat {
                count += 1
                guard count <= Self.maximumAttributes else {
                    throw Self.invalid(text, "it has more than \(Self.maximumAttributes) attributes")
                }
                guard let (type, value) = reader.attribute() else {
                    throw Self.invalid(text, "an attribute is not written as TYPE=value")
                }
                part.append(try Self.attribute(type, value))
            } while reader.skip(UInt8(ascii: "+"))
            parts.append(part)
            guard reader.skip(UInt8(ascii: ",")) else { break }
        }
        guard reader.isAtEnd else { throw Self.invalid(text, "a character after a value needs a \\ before it") }
        self.parts = parts
    }

    private static func attribute(_ type: String, _ value: String) throws(IdentityError) -> Attribute {
        guard let known = AttributeType(type) else {
            throw invalid(type, "this type is not known; write its object identifier, such as 2.5.4.3")
        }
        guard !value.isEmpty, value.utf8.count <= maximumValueBytes else {
            throw invalid(type, "its value must have 1 to \(maximumValueBytes) bytes")
        }
        if let problem = known.problem(with: value) { throw invalid("\(type)=\(value)", problem) }
        return Attribute(type: known, value: value)
    }

    private static func invalid(_ text: String, _ reason: String) -> IdentityError {
        IdentityError(.invalidRequest, "“\(DistinguishedName.printable(text))” cannot be a subject: \(reason).")
    }

    /// Whether a certificate has this subject. Names are compared as RFC 5280 §7.1 says: the case of letters and the
    /// number of blanks do not count.
    public func isSubject(of certificate: EncodedCertificate) -> Bool {
        guard let content = certificate.content,
            let bytes = try? DER.bytes({ try serialize(into: &$0) }),
            let node = try? DER.parse(bytes), let name = try? DistinguishedName(node)
        else { return false }
        return content.subject == name
    }

    /// The Name in DER (RFC 5280 §4.1.2.4).
    func serialize(into coder: inout DER.Serializer) throws {
        try coder.appendSequence { coder in
            // The encoding begins with the least specific part.
            for part in parts.reversed() {
                let attributes = try part.map { attribute in
                    try DER.bytes { coder in
                        try coder.appendSequence { coder in
                            try coder.serialize(attribute.type.identifier)
                            coder.appendPrimitiveNode(identifier: attribute.type.stringType) {
                                $0.append(contentsOf: attribute.value.utf8)
                            }
                        }
                    }
                }
                coder.appendConstructedNode(identifier: .set) { coder in
                    // DER orders the elements of a SET OF by their encodings (X.690 §11.6).
                    for attribute in attributes.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                        coder.serializeRawBytes(attribute)
                    }
                }
            }
        }
    }
}

extension SubjectName: CustomStringConvertible {
    /// The name as in RFC 4514.
    public var description: String {
        parts.map { part in
            part.map { "\($0.type.name)=\(DistinguishedName.printable($0.value))" }.joined(separator: "+")
        }.joined(separator: ", ")
    }
}

/// The type of an attribute of a name.
private struct AttributeType: Sendable, Hashable {
    let name: String
    let identifier: ASN1ObjectIdentifier

    private static let known: [(name: String, identifier: ASN1ObjectIdentifier)] = [
        ("CN", [2, 5, 4, 3]), ("SN", [2, 5, 4, 4]), ("serialNumber", [2, 5, 4, 5]), ("C", [2, 5, 4, 6]),
        ("L", [2, 5, 4, 7]), ("ST", [2, 5, 4, 8]), ("STREET", [2, 5, 4, 9]), ("O", [2, 5, 4, 10]),
        ("OU", [2, 5, 4, 11]), ("title", [2, 5, 4, 12]), ("GN", [2, 5, 4, 42]),
        ("UID", [0, 9, 2342, 19_200_300, 100, 1, 1]), ("DC", [0, 9, 2342, 19_200_300, 100, 1, 25]),
        ("emailAddress", [1, 2, 840, 113_549, 1, 9, 1]),
    ]

    init?(_ text: String) {
        if let known = Self.known.first(where: { $0.name.lowercased() == text.lowercased() }) {
            (name, identifier) = known
            return
        }
        guard let identifier = ASN1ObjectIdentifier(dotted: text) else { return nil }
        self.identifier = identifier
        name = text
    }

    /// RFC 5280 §A.1 fixes the string types of some attributes.
    var stringType: ASN1Identifier {
        switch name {
        case "C", "serialNumber": .printableString
        case "DC", "emailAddress": .ia5String
        default: .utf8String
        }
    }

    func problem(with value: String) -> String? {
        if name == "CN", value.unicodeScalars.count > 64 { return "a common name has at most 64 characters" }
        if name == "C", value.utf8.count != 2 { return "a country has two letters (ISO 3166)" }
        switch stringType {
        case .printableString where !value.utf8.allSatisfy(Self.isPrintable):
            return "it may have letters, digits, blanks and ' ( ) + , - . / : = ? only"
        case .ia5String where !value.utf8.allSatisfy({ $0 < 0x80 }): return "it may have ASCII characters only"
        default: return nil
        }
    }

    private static func isPrintable(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: " '()+,-./:=?".utf8.contains(byte)
        }
    }
}

/// Reads the parts of a name in the form of RFC 4514 §3.
private struct Reader {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = Array(text.utf8)[...] }

    var isAtEnd: Bool { rest.allSatisfy { $0 == UInt8(ascii: " ") } }

    mutating func skip(_ character: UInt8) -> Bool {
        skipBlanks()
        guard rest.first == character else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func skipBlanks() { rest = rest.drop { $0 == UInt8(ascii: " ") } }

    /// Nil when what follows is no attribute.
    mutating func attribute() -> (type: String, value: String)? {
        skipBlanks()
        let type = rest.prefix { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == UInt8(ascii: ".")
        }
        rest = rest.dropFirst(type.count)
        guard !type.isEmpty, skip(UInt8(ascii: "=")) else { return nil }
        skipBlanks()
        return value().map { (String(decoding: type, as: UTF8.self), $0) }
    }

    private mutating func value() -> String? {
        // Values in hexadecimal, of types without a string form, are not needed in requests.
        guard rest.first != UInt8(ascii: "#") else { return nil }
        var bytes: [UInt8] = []
        /// The length without blanks at the end that are not escaped.
        var length = 0
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: ","), UInt8(ascii: "+"):
                return String(validating: bytes.prefix(length), as: UTF8.self)
            case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: ";"), 0: return nil
            case UInt8(ascii: "\\"):
                rest = rest.dropFirst()
                guard let escaped = escaped() else { return nil }
                bytes.append(escaped)
                length = bytes.count
            default:
                rest = rest.dropFirst()
                bytes.append(byte)
                if byte != UInt8(ascii: " ") { length = bytes.count }
            }
        }
        return String(validating: bytes.prefix(length), as: UTF8.self)
    }

    /// What stands behind a `\`.
    private mutating func escaped() -> UInt8? {
        guard let first = rest.first else { return nil }
        if " \"#+,;<=>\\".utf8.contains(first) {
            rest = rest.dropFirst()
            return first
        }
        let digits = rest.prefix(2)
        guard digits.count == 2, let byte = Text.bytes(hexadecimal: String(decoding: digits, as: UTF8.self))?.first
        else { return nil }
        rest = rest.dropFirst(2)
        return byte
    }
}
