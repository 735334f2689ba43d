import SwiftASN1

/// A name in a certificate (RFC 5280 §4.1.2.4), for showing and for comparing.
struct DistinguishedName: Sendable, Hashable {
    /// One relative distinguished name, brought to the form in which two are compared (RFC 5280 §7.1): letters in
    /// lower case, blanks collapsed, and no difference between the string types that hold the same text.
    private let comparable: [[UInt8]]
    /// `CN=…, O=…`, the most specific part first; empty when the name is.
    let text: String
    let hasEmailAddress: Bool

    init(_ node: ASN1Node) throws {
        var comparable: [[UInt8]] = []
        var shown: [String] = []
        var hasEmailAddress = false
        var names = try NodeReader(node)
        while let set = names.nextIfAny() {
            var attributes = try NodeReader(set, .set)
            var parts: [[UInt8]] = []
            var texts: [String] = []
            while let attribute = attributes.nextIfAny() {
                var fields = try NodeReader(attribute)
                let type = try fields.next().objectIdentifier()
                let value = try fields.next()
                try fields.end()
                let string = Self.string(value)
                hasEmailAddress = hasEmailAddress || type == .NameAttributes.emailAddress
                parts.append(Array("\(type)=".utf8) + (string.map(Self.folded) ?? Array(value.encodedBytes)))
                texts.append("\(Self.shortNames[type] ?? type.description)=\(string.map(Self.printable) ?? "#…")")
            }
            comparable.append(parts.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 + [0] })
            shown.append(texts.joined(separator: "+"))
        }
        self.comparable = comparable
        self.hasEmailAddress = hasEmailAddress
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

    private static func string(_ node: ASN1Node) -> String? {
        guard let bytes = try? node.primitiveBytes() else { return nil }
        switch node.identifier {
        case .utf8String, .printableString, .ia5String, .numericString, .visibleString, .teletexString:
            return String(decoding: bytes, as: UTF8.self)
        case .bmpString where bytes.count.isMultiple(of: 2):
            let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            return String(decoding: units, as: UTF16.self)
        default: return nil
        }
    }

    private static func folded(_ string: String) -> [UInt8] {
        Array(string.lowercased().utf8.split(separator: 0x20).joined(separator: [0x20]))
    }

    /// Names come from strangers: control characters must not reach a terminal or a log line.
    private static func printable(_ string: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in string.unicodeScalars.prefix(256) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
