/// Credentials for one nonce of a server, and how often they were used with it (RFC 7616 §3.4). It is a value: its
/// owner must store it after each use.
package struct DigestKey: Sendable {
    package let challenge: DigestChallenge
    private let account: Credentials.Account
    private var cnonce: String
    private let protection: DigestChallenge.Protection?
    /// H(A1) of §3.4.2.
    private let secret: String
    /// The nonce of `nextnonce` (§3.5), which replaces the challenge's.
    private var nonce: String
    private var count: UInt32 = 0

    /// - Parameter cnonce: a value that the server cannot choose, with at least 64 random bits.
    package init(_ account: Credentials.Account, for challenge: DigestChallenge, cnonce: String) {
        self.challenge = challenge
        self.account = account
        self.cnonce = cnonce
        nonce = challenge.nonce
        // The content is covered only when the server accepts nothing else: the whole content must be available before
        // the first byte is sent.
        protection =
            challenge.protections.contains(.auth) ? .auth : challenge.protections.contains(.authInt) ? .authInt : nil
        let algorithm = challenge.algorithm
        let long = algorithm.hash("\(account.user):\(challenge.realm):\(account.password)")
        secret = challenge.isSession ? algorithm.hash("\(long):\(challenge.nonce):\(cnonce)") : long
    }

    /// Whether responses depend on the content of a request.
    package var coversContent: Bool { protection == .authInt }

    /// The value of an `Authorization` or `Proxy-Authorization` field, and the expected answer of the server.
    package mutating func authorization(for request: AuthenticationRequest) -> (field: String, expectation: Expectation)
    {
        // After about four thousand million uses the count begins again, and the server names another nonce.
        count &+= 1
        let number = Self.hexadecimal(count)
        let algorithm = challenge.algorithm
        let response = digest(method: request.method, target: request.target, content: request.content?() ?? [], number)
        var parts: [String] = []
        if challenge.hashesUser {
            parts.append("username=\(algorithm.hash("\(account.user):\(challenge.realm)").quotedString)")
        } else if account.user.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            parts.append("username=\(account.user.quotedString)")
        } else {
            parts.append("username*=UTF-8''\(Self.extended(account.user))")
        }
        parts.append("realm=\(challenge.realm.quotedString)")
        parts.append("nonce=\(nonce.quotedString)")
        parts.append("uri=\(request.target.quotedString)")
        parts.append("response=\(response.quotedString)")
        parts.append("algorithm=\(algorithm.rawValue)\(challenge.isSession ? "-sess" : "")")
        if let protection {
            parts.append("qop=\(protection.rawValue)")
            parts.append("nc=\(number)")
            parts.append("cnonce=\(cnonce.quotedString)")
        } else if challenge.isSession {
            parts.append("cnonce=\(cnonce.quotedString)")
        }
        if let opaque = challenge.opaque { parts.append("opaque=\(opaque.quotedString)") }
        if challenge.hashesUser { parts.append("userhash=true") }
        let expectation = Expectation(key: self, target: request.target, number: number)
        return ("Digest \(parts.joined(separator: ", "))", expectation)
    }

    /// The answer of a server that knows the password too (§3.5).
    package struct Expectation: Sendable {
        fileprivate let key: DigestKey
        fileprivate let target: String
        fileprivate let number: String

        /// How often the nonce of the challenge was used, including this time; nil for a nonce that was named later.
        var uses: Int? { key.nonce == key.challenge.nonce ? Int(key.count) : nil }

        /// The nonce of the proof.
        var nonce: String { key.nonce }

        /// Whether the server has proved with `rspauth` that it knows the password; nil when it sends none.
        package func isProved(by information: AuthenticationInformation, content: [UInt8]) -> Bool? {
            guard let claimed = information["rspauth"], key.protection != nil else { return nil }
            if let cnonce = information["cnonce"], cnonce != key.cnonce { return false }
            if let count = information["nc"], count.lowercased() != number { return false }
            let expected = key.digest(method: "", target: target, content: content, number)
            return ConstantTime.equal(claimed.lowercased(), expected)
        }
    }

    /// Continues with another nonce that the server has named (`nextnonce`).
    ///
    /// - Parameter cnonce: a new one, since a server may name a nonce again that was already counted.
    package mutating func use(nonce: String, cnonce: String) {
        guard nonce != self.nonce else { return }
        self.nonce = nonce
        self.cnonce = cnonce
        count = 0
    }

    // MARK: The calculation

    private func digest(
        method: String, target: String, content: @autoclosure () -> [UInt8], _ number: String
    ) -> String {
        DigestResponse(
            challenge.algorithm, secret: secret, nonce: nonce, protection: protection, count: number, cnonce: cnonce
        ).value(method: method, target: target, content: content())
    }

    private static func hexadecimal(_ number: UInt32) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    /// RFC 8187 §3.2.1.
    private static func extended(_ text: String) -> String {
        text.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            let isPlain =
                byte < 0x80 && (character.isLetter || character.isNumber || "!#$&+-.^_`|~".contains(character))
            return isPlain ? String(character) : "%" + String(byte, radix: 16, uppercase: true).leftPadded
        }.joined()
    }
}

extension DigestKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "a key of “\(challenge.realm.printable)”" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension DigestKey.Expectation: CustomStringConvertible, CustomReflectable {
    package var description: String { "what a server must answer" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension String {
    fileprivate var leftPadded: String { utf8.count < 2 ? "0\(self)" : self }
}
