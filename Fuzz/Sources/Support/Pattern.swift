/// A regular expression over bytes, matched by its definition: slow, but easy to verify.
///
/// It knows literal characters, `\` before one, `[a-z_]`, `(…)`, `|`, `?`, `*`, `+`, `{n}`, `{n,}` and `{n,m}`.
indirect enum Pattern: Sendable {
    case one([ClosedRange<UInt8>])
    case sequence([Pattern])
    case choice([Pattern])
    case repeated(Pattern, atLeast: Int, atMost: Int)

    init(_ text: String) {
        var rest = Array(text.utf8)[...]
        self = Self.choice(&rest)
        require(rest.isEmpty, "“\(text)” is no pattern")
    }

    func matches(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return ends([0], bytes).contains(bytes.count)
    }

    /// The places where a match can end that begins at one of `starts`.
    private func ends(_ starts: Set<Int>, _ bytes: [UInt8]) -> Set<Int> {
        if starts.isEmpty { return [] }
        switch self {
        case .one(let ranges):
            return Set(
                starts.filter { start in
                    start < bytes.count && ranges.contains { $0.contains(bytes[start]) }
                }.map { $0 + 1 })
        case .sequence(let parts): return parts.reduce(starts) { $1.ends($0, bytes) }
        case .choice(let branches): return branches.reduce(into: []) { $0.formUnion($1.ends(starts, bytes)) }
        case .repeated(let part, let least, let most):
            var found: Set<Int> = least == 0 ? starts : []
            var reached = starts
            var count = 0
            while count < most, !reached.isEmpty {
                reached = part.ends(reached, bytes)
                count += 1
                if count < least { continue }
                reached.subtract(found)
                found.formUnion(reached)
            }
            return found
        }
    }

    // MARK: Reading a pattern

    private static func choice(_ rest: inout ArraySlice<UInt8>) -> Pattern {
        var branches = [sequence(&rest)]
        while take("|", &rest) { branches.append(sequence(&rest)) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private static func sequence(_ rest: inout ArraySlice<UInt8>) -> Pattern {
        var parts: [Pattern] = []
        while let next = rest.first, next != UInt8(ascii: "|"), next != UInt8(ascii: ")") {
            parts.append(quantified(one(&rest), &rest))
        }
        return .sequence(parts)
    }

    private static func one(_ rest: inout ArraySlice<UInt8>) -> Pattern {
        if take("(", &rest) {
            let inner = choice(&rest)
            require(take(")", &rest), "a pattern has no “)”")
            return inner
        }
        guard take("[", &rest) else {
            _ = take("\\", &rest)
            let byte = rest.removeFirst()
            return .one([byte...byte])
        }
        var ranges: [ClosedRange<UInt8>] = []
        while !take("]", &rest) {
            let low = rest.removeFirst()
            // At the end of the set, a hyphen is an ordinary character.
            if rest.count > 1, rest.first == UInt8(ascii: "-"), rest.dropFirst().first != UInt8(ascii: "]") {
                rest.removeFirst()
                ranges.append(low...rest.removeFirst())
            } else {
                ranges.append(low...low)
            }
        }
        return .one(ranges)
    }

    private static func quantified(_ part: Pattern, _ rest: inout ArraySlice<UInt8>) -> Pattern {
        if take("?", &rest) { return .repeated(part, atLeast: 0, atMost: 1) }
        if take("*", &rest) { return .repeated(part, atLeast: 0, atMost: .max) }
        if take("+", &rest) { return .repeated(part, atLeast: 1, atMost: .max) }
        guard take("{", &rest) else { return part }
        let least = number(&rest)
        let most = take(",", &rest) ? (rest.first == UInt8(ascii: "}") ? .max : number(&rest)) : least
        require(take("}", &rest), "a pattern has no “}”")
        return .repeated(part, atLeast: least, atMost: most)
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> Int {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest.dropFirst(digits.count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func take(_ character: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }
}
