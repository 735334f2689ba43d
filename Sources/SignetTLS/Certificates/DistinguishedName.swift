import SwiftASN1

/// A name in a certificate (RFC 5280 §4.1.2.4), to show and to compare.
struct DistinguishedName: Sendable, Hashable {
    /// The relative distinguished names in the form in which RFC 5280 §7.1 compares them: letters in lower case, runs
    /// of blanks collapsed, and no difference between string types that hold the same text.
    private let comparable: [[[UInt8]]]
    /// `CN=…, O=…`, the most specific part first, escaped as in RFC 4514 §2.4. An empty name gives an empty text.
    let text: String
    /// The values of emailAddress, to which name constraints apply too (RFC 5280 §4.2.1.10).
    let emailAddresses: [String]

    /// Names in use have fewer than twenty. Reading an attribute costs more than its size suggests, and the peer
    /// chooses how many attributes it sends.
    static let maximumAttributes = 64

    init(_ node: ASN1Node) throws {
        var count = 0
        var comparable: [[[UInt8]]] = []
        var shown: [String] = []
        var emailAddresses: [String] = []
        var names = try NodeReader(node)
        while let set = names.nextIfAny() {
            var attributes = try NodeReader(set, .set)
            var parts: [[UInt8]] = []
            var texts: [String] = []
            while let attribute = attributes.nextIfAny() {
                count += 1
                guard count <= Self.maximumAttributes else {
                    throw EncodingError("a name of more than \(Self.maximumAttributes) attributes")
                }
                var fields = try NodeReader(attribute)
                let type = try fields.next().objectIdentifier()
                let value = try fields.next()
                try fields.end()
                let string = Self.string(value)
                if type == .NameAttributes.emailAddress { emailAddresses.append(string ?? "") }
                parts.append(
                    string.map { Array("\(type)=".utf8) + Self.folded($0) }
                        ?? Array("\(type)#".utf8) + value.encodedBytes)
                let shown = string.map(Self.printable) ?? Self.hexadecimal(value)
                texts.append("\(Self.shortNames[type] ?? type.description)=\(shown)")
            }
            guard !parts.isEmpty else { throw EncodingError("a name with an empty part") }
            comparable.append(parts.sorted { $0.lexicographicallyPrecedes($1) })
            shown.append(texts.joined(separator: "+"))
        }
        self.comparable = comparable
        self.emailAddresses = emailAddresses
        text = shown.reversed().joined(separator: ", ")
    }

    var isEmpty: Bool { comparable.isEmpty }

    /// Whether this name begins with all of `constraint` (RFC 5280 §4.2.1.10).
    func isWithin(_ constraint: DistinguishedName) -> Bool { comparable.starts(with: constraint.comparable) }

    static func == (left: Self, right: Self) -> Bool { left.comparable == right.comparable }
    func hash(into hasher: inout Hasher) { hasher.combine(comparable) }

    private static let shortNames: [ASN1ObjectIdentifier: String] = [
        .NameAttributes.commonName: "CN", .NameAttributes.organizationName: "O",
        .NameAttributes.organizationalUnitName: "OU", .NameAttributes.countryName: "C",
        .NameAttributes.localityName: "L", .NameAttributes.stateOrProvinceName: "ST",
        .NameAttributes.serialNumber: "serialNumber", .NameAttributes.domainComponent: "DC",
        .NameAttributes.emailAddress: "emailAddress",
    ]

    /// The text of a value; nil when it is not text, so that two damaged values never compare as equal.
    private static func string(_ node: ASN1Node) -> String? {
        guard let bytes = try? node.primitiveBytes() else { return nil }
        switch node.identifier {
        case .utf8String, .printableString, .ia5String, .numericString, .visibleString, .teletexString:
            return String(validating: bytes, as: UTF8.self)
        case .bmpString where bytes.count.isMultiple(of: 2):
            let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            return String(validating: units, as: UTF16.self)
        default: return nil
        }
    }

    private static func folded(_ string: String) -> [UInt8] {
        Array(string.lowercased().utf8.split(separator: 0x20).joined(separator: [0x20]))
    }

    /// How many scalars or bytes of one value are shown; a longer value ends in an ellipsis.
    private static let maximumShown = 256

    /// The text of a value that a peer chose. It is escaped as in RFC 4514 §2.4, so that one value cannot pass for
    /// several. Control and format characters become hexadecimal too, since they must not reach a terminal or a log.
    static func printable(_ string: String) -> String {
        let scalars = string.unicodeScalars
        let last = scalars.count - 1
        var result = ""
        for (position, scalar) in scalars.prefix(maximumShown).enumerated() {
            switch scalar {
            case ",", "+", "\"", "\\", "<", ">", ";", "=": result += "\\\(scalar)"
            case "#" where position == 0: result += "\\#"
            case " " where position == 0 || position == last: result += "\\ "
            default:
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator:
                    result += String(scalar).utf8.map { "\\" + Text.hexadecimal([$0]).uppercased() }.joined()
                default: result.unicodeScalars.append(scalar)
                }
            }
        }
        return last < maximumShown ? result : result + "…"
    }

    /// A value that is not text, in hexadecimal (RFC 4514 §2.4).
    private static func hexadecimal(_ value: ASN1Node) -> String {
        let bytes = value.encodedBytes
        return "#\(Text.hexadecimal(bytes.prefix(maximumShown)))\(bytes.count > maximumShown ? "…" : "")"
    }
}
