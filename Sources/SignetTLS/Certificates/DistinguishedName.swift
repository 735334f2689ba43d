import SwiftASN1

/// A name in a certificate (RFC 5280 §4.1.2.4), for showing and for comparing.
struct DistinguishedName: Sendable, Hashable {
    /// One relative distinguished name, brought to the form in which two are compared (RFC 5280 §7.1): letters in
    /// lower case, blanks collapsed, and no difference between the string types that hold the same text.
    private let comparable: [[[UInt8]]]
    /// `CN=…, O=…`, the most specific part first, escaped as RFC 4514 §2.4 has it; empty when the name is.
    let text: String
    /// The values of emailAddress, which name constraints concern too (RFC 5280 §4.2.1.10).
    let emailAddresses: [String]

    /// Real ones have fewer than twenty. Each costs more to read than its bytes tell, and strangers choose how many there are.
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

    /// The text of a value; nil when it is none, so that two damaged ones are not taken for the same.
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

    /// Scalars or bytes shown of one value; a longer one ends in an ellipsis.
    private static let maximumShown = 256

    /// A value of a stranger, to be shown. It is escaped as RFC 4514 §2.4 has it, so that one value cannot pass for
    /// several; control and format characters become hexadecimal too, for they must not reach a terminal or a log.
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

    /// A value that is no text (RFC 4514 §2.4).
    private static func hexadecimal(_ value: ASN1Node) -> String {
        let bytes = value.encodedBytes
        return "#\(Text.hexadecimal(bytes.prefix(maximumShown)))\(bytes.count > maximumShown ? "…" : "")"
    }
}
