/// How a boolean or a number is written when the patterns of its type (XML Schema Part 2 §4.3.4) exclude its usual
/// form: `10.00` for 10, `007` for 7, `1` for true.
package enum XMLForm: Sendable, Hashable {
    case boolean(true: String, false: String)
    /// The least number of digits before the point and after it: after it for whole numbers, and for numbers with a
    /// fraction.
    case digits(whole: Int, fraction: Int, part: Int)

    /// Reads a form from its ``text``.
    package init?(_ text: String) {
        let words = text.split(separator: "|", omittingEmptySubsequences: false)
        if words.count == 2 {
            self = .boolean(true: String(words[0]), false: String(words[1]))
            return
        }
        let numbers = text.split(separator: ".").compactMap { Int($0) }
        guard numbers.count == 3, numbers.allSatisfy({ (0...Self.most).contains($0) }) else { return nil }
        self = .digits(whole: numbers[0], fraction: numbers[1], part: numbers[2])
    }

    /// The form in a line of a table: `1|0`, or `3.0.2` for numbers.
    package var text: String {
        switch self {
        case .boolean(let yes, let no): "\(yes)|\(no)"
        case .digits(let whole, let fraction, let part): "\(whole).\(fraction).\(part)"
        }
    }

    /// The greatest number of added digits.
    private static let most = 32

    /// The value in this form; nil when the value has this form already, or does not consist of digits, such as `INF`.
    func applied(to bytes: Span<UInt8>) -> [UInt8]? {
        switch self {
        case .boolean(let yes, let no):
            guard let value = Bool(lexical: bytes) else { return nil }
            return Array((value ? yes : no).utf8)
        case .digits(let whole, let fraction, let part):
            var sign: [UInt8] = []
            var digits: [UInt8] = []
            var rest: [UInt8] = []
            var isFraction = false
            for i in 0..<bytes.count {
                switch bytes[i] {
                case UInt8(ascii: "-") where i == 0: sign = [bytes[i]]
                case UInt8(ascii: ".") where !isFraction: isFraction = true
                case 0x30...0x39: if isFraction { rest.append(bytes[i]) } else { digits.append(bytes[i]) }
                default: return nil
                }
            }
            while rest.last == 0x30 { rest.removeLast() }
            let least = rest.isEmpty ? fraction : part
            digits.insert(contentsOf: repeatElement(0x30, count: max(0, whole - digits.count)), at: 0)
            rest += repeatElement(0x30, count: max(0, least - rest.count))
            return sign + digits + (rest.isEmpty ? [] : [UInt8(ascii: ".")] + rest)
        }
    }
}

extension XMLForm {
    /// The form that patterns require of a boolean; nil for the usual one.
    package static func boolean(_ patterns: [XSDPattern]) -> XMLForm? {
        func fit(_ text: String) -> Bool { patterns.allSatisfy { $0.matches(text) } }
        let yes = !fit("true") && fit("1") ? "1" : "true"
        let no = !fit("false") && fit("0") ? "0" : "false"
        return yes == "true" && no == "false" ? nil : .boolean(true: yes, false: no)
    }

    /// The form that patterns require of numbers; nil for the usual one. It is found by trying texts of one repeated
    /// digit, with either sign.
    package static func digits(_ patterns: [XSDPattern], hasFraction: Bool) -> XMLForm? {
        func fit(_ text: String) -> Bool { patterns.allSatisfy { $0.matches(text) } }
        /// The least number of digits before the point for this many after it; nil when no number matches.
        func least(_ fraction: Int) -> Int? {
            (1...12).first { whole in
                "1095".contains { digit in
                    let text = String(repeating: digit, count: whole)
                    let rest = fraction == 0 ? "" : "." + String(repeating: digit, count: fraction)
                    return fit(text + rest) || fit("-" + text + rest)
                }
            }
        }
        let part = hasFraction ? (1...9).first { least($0) != nil } : nil
        let isWholeFit = least(0) != nil
        guard let whole = isWholeFit ? least(0) : part.flatMap(least) else { return nil }
        let fraction = isWholeFit ? 0 : part ?? 0
        // If no number may begin with a zero, a number that is too short is too small.
        let rest = fraction == 0 ? "" : "." + String(repeating: "1", count: fraction)
        let mayBeginWithZero = "1095".contains { digit in
            let text = "0" + String(repeating: digit, count: whole - 1) + rest
            return fit(text) || fit("-" + text)
        }
        let padded = whole > 1 && mayBeginWithZero ? whole : 1
        return padded == 1 && fraction == 0 && (part ?? 1) <= 1
            ? nil : .digits(whole: padded, fraction: fraction, part: part ?? 0)
    }
}

extension XMLWriter {
    /// Rewrites the value written last, which began after `mark`, in its form.
    mutating func reform(_ form: XMLForm, behind mark: UInt8) {
        var from = count
        while from > 0, base[from - 1] != mark { from -= 1 }
        let text = UnsafeBufferPointer(start: base + from, count: count - from)
        guard let changed = form.applied(to: text.span) else { return }
        count = from
        raw(changed)
    }
}
