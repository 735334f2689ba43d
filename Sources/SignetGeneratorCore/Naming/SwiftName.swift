/// Makes Swift identifiers from the names of XML.
enum SwiftName {
    /// `LogEntryQuery`, `CheckVat`, `NotFound`, `VATNumber`: for types.
    static func type(_ name: String) -> String {
        let joined = words(name).map(\.inTitleCase).joined()
        // The library reserves all names with this prefix.
        if joined.hasPrefix("XSD") { return "Xsd\(joined.dropFirst(3))" }
        return startsProperly(joined) ? joined : "Value\(joined)"
    }

    /// `logEntryQuery`, `vatNumber`, `id`: for members, not yet escaped.
    static func member(_ name: String) -> String {
        let parts = words(name)
        guard let first = parts.first else { return "value" }
        let rest = parts.dropFirst().map(\.inTitleCase)
        let joined = lowered(first) + rest.joined()
        if !startsProperly(joined) { return "value\(joined)" }
        // These have a special meaning even in backticks.
        return joined == "self" || joined == "Type" || joined == "Protocol" ? "\(joined)Value" : joined
    }

    /// `aB`, `value1`, `minus1`, `empty`: for a value of an enumeration, not yet escaped.
    static func enumerationCase(_ value: String) -> String {
        if value.isEmpty { return "empty" }
        // Without its sign, `-1` would be called like `1`.
        let signs: [Character: String] = ["+": "plus", "-": "minus", "−": "minus"]
        let number = value.dropFirst().drop { " .,".contains($0) }
        guard let sign = value.first.flatMap({ signs[$0] }), let digit = number.first, ("0"..."9").contains(digit)
        else { return member(value) }
        return sign + words(String(number)).map(\.inTitleCase).joined()
    }

    /// Whether a reader knows the value of an enumeration from the name of its case: both have the same letters and
    /// digits, and no two numbers of the value have become one.
    static func tells(_ name: String, _ value: String) -> Bool {
        let parts = words(value)
        let joined = parts.joined().lowercased()
        let joinsNumbers = zip(parts, parts.dropFirst()).contains {
            $0.last?.isNumber == true && $1.first?.isNumber == true
        }
        return !joined.isEmpty && !joinsNumbers && [joined, "value\(joined)"].contains(name.lowercased())
    }

    /// The parts between characters that an identifier cannot contain. A name in capitals with such separators is
    /// lowered, so that `NOT_PROCESSED` does not become `NOTPROCESSED`.
    private static func words(_ name: String) -> [String] {
        let isOneWord = name.utf8.allSatisfy { byte in
            let folded = byte | 0x20
            return (folded >= UInt8(ascii: "a") && folded <= UInt8(ascii: "z"))
                || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
        }
        if isOneWord { return name.isEmpty ? [] : [name] }
        let parts = name.unicodeScalars.split { scalar in
            !(scalar.properties.isIDContinue && scalar != "_")
        }.map { String(String.UnicodeScalarView($0)) }
        let shouts = parts.count > 1 && !name.contains { $0.isLowercase }
        return shouts ? parts.map { $0.lowercased() } : parts
    }

    private static func startsProperly(_ name: String) -> Bool {
        name.unicodeScalars.first?.properties.isIDStart == true
    }

    /// Lowers the capitals at the start, except the one that begins the next word: `VATNumber` becomes `vatNumber`.
    private static func lowered(_ word: String) -> String {
        let capitals = word.prefix { $0.isUppercase }.count
        let rest = word.dropFirst(capitals)
        // `IDs` is a plural; it does not contain a word `Ds`.
        let isWhole = rest.first.map { !$0.isLowercase } ?? true || rest == "s"
        let count = isWhole || capitals == 1 ? capitals : capitals - 1
        return word.prefix(max(count, 0)).lowercased() + word.dropFirst(max(count, 0))
    }

    /// Puts a reserved word into backticks.
    static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// Words that need backticks as names.
    static let keywords: Set<String> = [
        "Any", "Self", "_", "as", "associatedtype", "async", "await", "break", "case", "catch", "class", "continue",
        "default", "defer",
        "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard",
        "if",
        "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
        "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super",
        "switch",
        "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]
}

/// Gives each name once; a later taker of the same name gets a number.
struct NameTable {
    private var taken: Set<String>
    /// The last number of each name that was numbered before.
    private var numbers: [String: Int] = [:]
    /// Whether names that differ only in case count as equal: readers confuse them, and file systems may not
    /// distinguish them.
    private let foldsCase: Bool
    private let isReserved: (String) -> Bool

    init(
        reserved: Set<String> = [], foldsCase: Bool = false, isReserved: @escaping (String) -> Bool = { _ in false }
    ) {
        taken = foldsCase ? Set(reserved.map { $0.lowercased() }) : reserved
        self.foldsCase = foldsCase
        self.isReserved = isReserved
    }

    private mutating func isFree(_ name: String) -> Bool {
        !isReserved(name) && taken.insert(foldsCase ? name.lowercased() : name).inserted
    }

    /// Takes the first free one of the given names, or the last one with a number.
    mutating func take(_ names: String...) -> String { take(names) }

    mutating func take(_ names: [String]) -> String {
        for name in names where isFree(name) { return name }
        let base = names.last ?? "value"
        // A number cannot free a name that is reserved because of its prefix.
        if isReserved("\(base)2") { return take("Value\(base)") }
        var number = numbers[base] ?? 2
        while !isFree("\(base)\(number)") { number += 1 }
        numbers[base] = number + 1
        return "\(base)\(number)"
    }
}

extension StringProtocol {
    /// The text with a capital first letter.
    var inTitleCase: String { prefix(1).uppercased() + dropFirst() }
}
