/// A set of characters in a regular expression of XML Schema (Part 2 §F.1).
struct PatternClass: Sendable {
    /// A part of a set. A character belongs to the set when it belongs to one part.
    enum Part: Sendable {
        case range(ClosedRange<UInt32>)
        /// General categories of Unicode, one bit each.
        case categories(UInt32)
        /// Characters of names, or those that a name may begin with (XML 1.0, productions 4 and 4a).
        case name(isFirst: Bool)
        indirect case not(Part)
        indirect case all([Part])

        func contains(_ scalar: Unicode.Scalar) -> Bool {
            switch self {
            case .range(let range): range.contains(scalar.value)
            case .categories(let mask): mask & PatternCategory.bit(of: scalar) != 0
            case .name(let isFirst):
                scalar == ":" || Self.isName(scalar.value, isFirst)
            case .not(let part): !part.contains(scalar)
            case .all(let parts): parts.contains { $0.contains(scalar) }
            }
        }

        private static func isName(_ value: UInt32, _ isFirst: Bool) -> Bool {
            guard value < 0x80 else { return XMLCharacters.isNameScalar(value, start: isFirst) }
            return XMLCharacters.classes[Int(value)] & (isFirst ? XMLCharacters.nameStart : XMLCharacters.name) != 0
        }
    }

    /// The characters below U+0080, one bit each: nearly all tested characters are among them.
    private var low: (UInt64, UInt64) = (0, 0)
    private let parts: [Part]
    private let isNegated: Bool
    private let subtracted: [PatternClass]

    init(_ parts: [Part], isNegated: Bool = false, without subtracted: PatternClass? = nil) {
        self.parts = parts
        self.isNegated = isNegated
        self.subtracted = subtracted.map { [$0] } ?? []
        for value in UInt8(0)..<128 where holds(Unicode.Scalar(value)) {
            if value < 64 { low.0 |= 1 << UInt64(value) } else { low.1 |= 1 << UInt64(value - 64) }
        }
    }

    /// A set of one character, the most common set.
    init(_ scalar: Unicode.Scalar) {
        let value = scalar.value
        parts = value < 128 ? [] : [.range(value...value)]
        isNegated = false
        subtracted = []
        if value < 64 { low.0 = 1 << UInt64(value) } else if value < 128 { low.1 = 1 << UInt64(value - 64) }
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        let value = scalar.value
        if value < 64 { return low.0 & (1 << UInt64(value)) != 0 }
        if value < 128 { return low.1 & (1 << UInt64(value - 64)) != 0 }
        return holds(scalar)
    }

    private func holds(_ scalar: Unicode.Scalar) -> Bool {
        parts.contains { $0.contains(scalar) } != isNegated && !subtracted.contains { $0.contains(scalar) }
    }
}

/// The general categories of Unicode as `\p{…}` names them (§F.1.1).
enum PatternCategory {
    /// The categories with this name, which has one or two letters.
    static func mask(_ name: String) -> UInt32? {
        let found = all.filter { $0.name == name || (name.utf8.count == 1 && $0.name.hasPrefix(name)) }
        return found.isEmpty ? nil : found.reduce(0) { $0 | 1 << $1.bit }
    }

    static func bit(of scalar: Unicode.Scalar) -> UInt32 { 1 << number(scalar.properties.generalCategory) }

    private static let all: [(name: String, bit: UInt32)] = [
        ("Lu", 0), ("Ll", 1), ("Lt", 2), ("Lm", 3), ("Lo", 4), ("Mn", 5), ("Mc", 6), ("Me", 7), ("Nd", 8), ("Nl", 9),
        ("No", 10), ("Pc", 11), ("Pd", 12), ("Ps", 13), ("Pe", 14), ("Pi", 15), ("Pf", 16), ("Po", 17), ("Zs", 18),
        ("Zl", 19), ("Zp", 20), ("Sm", 21), ("Sc", 22), ("Sk", 23), ("So", 24), ("Cc", 25), ("Cf", 26), ("Co", 27),
        ("Cn", 28),
    ]

    private static func number(_ category: Unicode.GeneralCategory) -> UInt32 {
        switch category {
        case .uppercaseLetter: 0
        case .lowercaseLetter: 1
        case .titlecaseLetter: 2
        case .modifierLetter: 3
        case .otherLetter: 4
        case .nonspacingMark: 5
        case .spacingMark: 6
        case .enclosingMark: 7
        case .decimalNumber: 8
        case .letterNumber: 9
        case .otherNumber: 10
        case .connectorPunctuation: 11
        case .dashPunctuation: 12
        case .openPunctuation: 13
        case .closePunctuation: 14
        case .initialPunctuation: 15
        case .finalPunctuation: 16
        case .otherPunctuation: 17
        case .spaceSeparator: 18
        case .lineSeparator: 19
        case .paragraphSeparator: 20
        case .mathSymbol: 21
        case .currencySymbol: 22
        case .modifierSymbol: 23
        case .otherSymbol: 24
        case .control: 25
        case .format: 26
        case .privateUse: 27
        default: 28
        }
    }
}
