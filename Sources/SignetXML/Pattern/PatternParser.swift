/// A parsed regular expression of XML Schema (Part 2 §F).
indirect enum PatternNode: Sendable {
    case empty
    case one(PatternClass)
    case sequence([PatternNode])
    case choice([PatternNode])
    /// A repetition; `most` is nil for no upper limit.
    case repeated(PatternNode, least: Int, most: Int?)
}

/// Reads a regular expression of XML Schema.
struct PatternParser {
    private let scalars: [Unicode.Scalar]
    private var i = 0
    private var depth = 0
    /// The number of characters and sets read so far.
    private var atoms = 0
    /// The defect and its position.
    private(set) var defect: String?

    /// The greatest nesting depth of parentheses and subtractions.
    private static var deepest: Int { 100 }
    /// The greatest number of characters and sets; each needs at least one state, unless it may occur zero times.
    private static var mostAtoms: Int { 2 * XSDPattern.mostStates }

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    mutating func parse() -> PatternNode? {
        let node = expression()
        if i < scalars.count { fail("“\(scalars[i])” has no meaning here") }
        return defect == nil ? node : nil
    }

    private mutating func fail(_ message: String) {
        if defect == nil { defect = "\(message), at character \(i + 1)" }
    }

    private var next: Unicode.Scalar? { i < scalars.count && defect == nil ? scalars[i] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        i += 1
        return true
    }

    // MARK: Structure

    private mutating func expression() -> PatternNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else {
            fail("parentheses are nested too deep")
            return .empty
        }
        var branches = [branch()]
        while take("|") { branches.append(branch()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func branch() -> PatternNode {
        var pieces: [PatternNode] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            let atom = atom(scalar)
            pieces.append(quantified(atom))
        }
        return pieces.count == 1 ? pieces[0] : .sequence(pieces)
    }

    private mutating func atom(_ scalar: Unicode.Scalar) -> PatternNode {
        atoms += 1
        guard atoms <= Self.mostAtoms else {
            fail("the expression is too large: it has more than \(Self.mostAtoms) characters and sets")
            return .empty
        }
        i += 1
        switch scalar {
        case "(":
            let inner = expression()
            if !take(")") { fail("“)” is absent") }
            return inner
        case "[": return .one(classExpression())
        case "\\": return .one(PatternClass([escape()]))
        case ".": return .one(PatternClass([.range(0x0A...0x0A), .range(0x0D...0x0D)], isNegated: true))
        case "?", "*", "+", "{", "}", "]":
            i -= 1
            fail("“\(scalar)” has nothing to follow")
            return .empty
        default: return .one(PatternClass(scalar))
        }
    }

    private mutating func quantified(_ atom: PatternNode) -> PatternNode {
        switch next {
        case "?":
            i += 1
            return .repeated(atom, least: 0, most: 1)
        case "*":
            i += 1
            return .repeated(atom, least: 0, most: nil)
        case "+":
            i += 1
            return .repeated(atom, least: 1, most: nil)
        case "{":
            i += 1
            let least = number()
            var most = least
            if take(",") { most = next == "}" ? nil : number() }
            if !take("}") { fail("“}” is absent") }
            guard let least else {
                fail("a number is absent")
                return .empty
            }
            if let most, most < least { fail("\(most) is less than \(least)") }
            return .repeated(atom, least: least, most: most)
        default: return atom
        }
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let scalar = next, ("0"..."9").contains(scalar) {
            // Limited to more than the states that any expression may have.
            value = min((value ?? 0) * 10 + Int(scalar.value - 0x30), 1 << 30)
            i += 1
        }
        if value == nil { fail("a number is absent") }
        return value
    }

    // MARK: Sets of characters

    private mutating func classExpression() -> PatternClass {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else {
            fail("sets are nested too deep")
            return PatternClass([])
        }
        let isNegated = take("^")
        var parts: [PatternClass.Part] = []
        var without: PatternClass?
        while let scalar = next, scalar != "]" {
            i += 1
            if scalar == "-", next == "[" {
                if parts.isEmpty { fail("there is nothing to subtract from") }
                i += 1
                without = classExpression()
                break
            }
            if scalar == "[" {
                i -= 1
                fail("“[” must be written as “\\[” in a set")
                break
            }
            if scalar == "-", !(parts.isEmpty || next == "]" || subtracts(at: i)) {
                i -= 1
                fail("“-” must be written as “\\-” in a set, but at its start and end")
                break
            }
            let part = scalar == "\\" ? escape() : .range(scalar.value...scalar.value)
            parts.append(range(from: part))
        }
        if parts.isEmpty { fail("a set has no characters") }
        if !take("]") { fail("“]” is absent") }
        return PatternClass(parts, isNegated: isNegated, without: without)
    }

    /// Whether a subtraction begins at this position: `-[`.
    private func subtracts(at place: Int) -> Bool {
        place + 1 < scalars.count && scalars[place] == "-" && scalars[place + 1] == "["
    }

    /// Reads a range such as `a-z`, when `-` and a character follow the first one.
    private mutating func range(from part: PatternClass.Part) -> PatternClass.Part {
        guard case .range(let low) = part, low.count == 1, next == "-", i + 1 < scalars.count,
            scalars[i + 1] != "]", scalars[i + 1] != "["
        else { return part }
        i += 1
        let scalar = scalars[i]
        i += 1
        let end = scalar == "\\" ? escape() : .range(scalar.value...scalar.value)
        guard case .range(let high) = end, high.count == 1, low.lowerBound <= high.lowerBound else {
            fail("a range of characters ends before it begins")
            return part
        }
        return .range(low.lowerBound...high.lowerBound)
    }

    /// Reads the rest of an escape after its backslash.
    private mutating func escape() -> PatternClass.Part {
        guard let scalar = next else {
            fail("the expression ends after “\\”")
            return .all([])
        }
        i += 1
        func one(_ value: UInt32) -> PatternClass.Part { .range(value...value) }
        let space = PatternClass.Part.all([one(0x20), .range(0x09...0x0A), one(0x0D)])
        switch scalar {
        case "n": return one(0x0A)
        case "r": return one(0x0D)
        case "t": return one(0x09)
        case "\\", "|", ".", "?", "*", "+", "(", ")", "{", "}", "-", "[", "]", "^": return one(scalar.value)
        case "s": return space
        case "S": return .not(space)
        case "i": return .name(isFirst: true)
        case "I": return .not(.name(isFirst: true))
        case "c": return .name(isFirst: false)
        case "C": return .not(.name(isFirst: false))
        case "d": return categories("Nd")
        case "D": return .not(categories("Nd"))
        case "w": return .not(categories("P", "Z", "C"))
        case "W": return categories("P", "Z", "C")
        case "p": return property()
        case "P": return .not(property())
        default:
            i -= 1
            fail("“\\\(scalar)” is no escape")
            return .all([])
        }
    }

    private func categories(_ names: String...) -> PatternClass.Part {
        .categories(names.reduce(0) { $0 | (PatternCategory.mask($1) ?? 0) })
    }

    private mutating func property() -> PatternClass.Part {
        guard take("{") else {
            fail("“{” is absent")
            return .all([])
        }
        var name = ""
        while let scalar = next, scalar != "}" {
            name.unicodeScalars.append(scalar)
            i += 1
        }
        if !take("}") { fail("“}” is absent") }
        if let mask = PatternCategory.mask(name) { return .categories(mask) }
        if name.hasPrefix("Is"), let ranges = PatternBlocks.ranges(String(name.dropFirst(2))) {
            return .all(ranges.map { .range($0) })
        }
        fail("nothing has the property “\(name.prefix(80))”")
        return .all([])
    }
}
