/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110 §11.3), or the credentials of an
/// `Authorization` field, which have the same syntax (§11.4).
package struct Challenge: Sendable, Hashable {
    package struct Parameter: Sendable, Hashable {
        /// In lower case.
        package let name: String
        package let value: String
    }

    /// The scheme as written; compare it without regard to case.
    package let scheme: String
    package var token68: String?
    package var parameters: [Parameter] = []

    package init(scheme: String) { self.scheme = scheme }

    package func isScheme(_ name: String) -> Bool { scheme.lowercased() == name.lowercased() }

    /// The value of a parameter; its name is given in lower case.
    package subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Limits for reading. A peer that sends challenges has not proved anything yet.
    package enum Limit {
        package static let bytes = 16 << 10
        package static let challenges = 64
        package static let parameters = 32
    }

    /// The schemes that the lines of one field name, in order; empty when they cannot be read.
    package static func schemes(_ lines: [String]) -> [String] { (try? read(lines))?.map(\.scheme) ?? [] }

    /// Reads every challenge of all lines of one field, in order. Unknown schemes are kept.
    package static func read(_ lines: [String]) throws(ChallengeSyntaxError) -> [Challenge] {
        var challenges: [Challenge] = []
        var total = 0
        for line in lines {
            let bytes = Array(line.utf8)
            total += bytes.count
            guard total <= Limit.bytes else {
                throw .init(offset: 0, what: "the challenges exceed \(Limit.bytes) bytes")
            }
            var parser = ChallengeParser(bytes)
            try parser.read(into: &challenges)
        }
        return challenges
    }
}

/// Where a challenge breaks the grammar. The error does not repeat the field's text, which may contain credentials.
package struct ChallengeSyntaxError: Error, Sendable, Hashable {
    package let offset: Int
    package let what: String
}
