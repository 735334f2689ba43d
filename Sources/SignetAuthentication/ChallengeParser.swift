/// Reads the list of challenges in one field line, exactly by the grammar of RFC 9110 §11.2, §11.3 and §5.6.1:
///
///     challenge  = auth-scheme [ 1*SP ( token68 / #auth-param ) ]
///     auth-param = token BWS "=" BWS ( token / quoted-string )
///     token68    = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="
///
/// A comma separates parameters as well as challenges. A token after a comma is a parameter if `=` follows it, and a
/// scheme otherwise.
struct ChallengeParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func read(into challenges: inout [Challenge]) throws(ChallengeSyntaxError) {
        var current: Challenge?
        var isFirst = true
        while true {
            // RFC 9110 §5.6.1.2: empty list elements must be ignored.
            let separators = skipSeparators()
            guard position < bytes.count else { break }
            guard isFirst || separators > 0 else { throw error("a comma is missing") }
            isFirst = false
            let start = position
            let word = try token()
            skipWhitespace()
            if current?.token68 == nil, current != nil, peek == UInt8(ascii: "=") {
                position = start
                try parameter(of: &current)
                continue
            }
            if let finished = current { try append(finished, to: &challenges) }
            position = start + word.utf8.count
            current = Challenge(scheme: word)
            if try spaces() { try content(of: &current) }
        }
        if let finished = current { try append(finished, to: &challenges) }
    }

    /// The content after a scheme and a space: a token68, a first parameter, or nothing before the next comma.
    private mutating func content(of challenge: inout Challenge?) throws(ChallengeSyntaxError) {
        guard let first = peek, first != UInt8(ascii: ",") else { return }
        let start = position
        while let byte = peek, byte.isToken68 { position += 1 }
        let end = position
        while peek == UInt8(ascii: "=") { position += 1 }
        let token68 = bytes[start..<position]
        skipWhitespace()
        if end > start, peek == nil || peek == UInt8(ascii: ",") {
            challenge?.token68 = String(decoding: token68, as: UTF8.self)
            return
        }
        position = start
        try parameter(of: &challenge)
    }

    private mutating func parameter(of challenge: inout Challenge?) throws(ChallengeSyntaxError) {
        let start = position
        let name = try token().lowercased()
        skipWhitespace()
        guard peek == UInt8(ascii: "=") else { throw error("“=” is missing after a parameter's name") }
        position += 1
        skipWhitespace()
        let value = peek == UInt8(ascii: "\"") ? try quotedString() : try token()
        skipWhitespace()
        guard peek == nil || peek == UInt8(ascii: ",") else { throw error("there is text after a parameter") }
        guard challenge?[name] == nil else {
            throw .init(offset: start, what: "the parameter “\(name)” is given twice")
        }
        guard (challenge?.parameters.count ?? 0) < Challenge.Limit.parameters else {
            throw error("a challenge has more than \(Challenge.Limit.parameters) parameters")
        }
        challenge?.parameters.append(.init(name: name, value: value))
    }

    private func append(_ challenge: Challenge, to challenges: inout [Challenge]) throws(ChallengeSyntaxError) {
        guard challenges.count < Challenge.Limit.challenges else {
            throw error("there are more than \(Challenge.Limit.challenges) challenges, which is the limit")
        }
        challenges.append(challenge)
    }

    // MARK: Lexical units

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func token() throws(ChallengeSyntaxError) -> String {
        let start = position
        while let byte = peek, byte.isTokenCharacter { position += 1 }
        guard position > start else { throw error("a token is expected") }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// RFC 9110 §5.6.4; a backslash escapes the next character.
    private mutating func quotedString() throws(ChallengeSyntaxError) -> String {
        position += 1
        var value: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                return String(decoding: value, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = peek, escaped.isQuotable else { throw error("a backslash escapes no character") }
                position += 1
                value.append(escaped)
            case _ where byte.isQuotable:
                value.append(byte)
            default:
                throw error("a quoted string contains a control character")
            }
        }
        throw error("a quoted string has no end")
    }

    private mutating func skipWhitespace() {
        while let byte = peek, byte == 0x20 || byte == 0x09 { position += 1 }
    }

    /// Skips commas and white space; returns the number of commas.
    private mutating func skipSeparators() -> Int {
        var commas = 0
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == UInt8(ascii: ",") {
            if byte == UInt8(ascii: ",") { commas += 1 }
            position += 1
        }
        return commas
    }

    /// The 1*SP after a scheme. False when the challenge ends there.
    private mutating func spaces() throws(ChallengeSyntaxError) -> Bool {
        guard let byte = peek, byte != UInt8(ascii: ",") else { return false }
        guard byte == 0x20 || byte == 0x09 else { throw error("a space is expected behind a scheme") }
        skipWhitespace()
        return true
    }

    private func error(_ what: String) -> ChallengeSyntaxError { .init(offset: position, what: what) }
}

extension UInt8 {
    var isAlphanumeric: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    /// RFC 9110 §5.6.2.
    fileprivate var isTokenCharacter: Bool { isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }

    var isToken68: Bool { isAlphanumeric || "-._~+/".utf8.contains(self) }

    /// The characters of a quoted string, also after a backslash: HTAB, SP, VCHAR, obs-text.
    fileprivate var isQuotable: Bool { self == 0x09 || (self >= 0x20 && self != 0x7F) }
}
