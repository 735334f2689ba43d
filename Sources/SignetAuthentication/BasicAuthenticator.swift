/// The server's side of the Basic scheme (RFC 7617): writes the challenge and reads the client's credentials. The
/// caller decides whether the password is right.
package struct BasicAuthenticator: Sendable, Hashable {
    /// The content of a request's `Authorization` field.
    package enum Presented: Sendable, Hashable {
        /// There is no such field: answer with the challenge.
        case nothing
        case account(Credentials.Account)
        /// The field does not contain Basic credentials. The text says why, and repeats nothing of it.
        case unusable(String)
    }

    package let realm: String

    /// - Throws: ``AuthenticationError`` when the realm contains a control character.
    package init(realm: String) throws(AuthenticationError) {
        guard realm.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .init(.malformedChallenge, "A realm cannot hold control characters; choose another.")
        }
        self.realm = realm
    }

    /// The value of the `WWW-Authenticate` field of a 401.
    package var challenge: String {
        var quoted = ""
        for character in realm.unicodeScalars {
            if character == "\"" || character == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(character)
        }
        return "Basic realm=\"\(quoted)\", charset=\"UTF-8\""
    }

    /// Reads the lines of the `Authorization` field of a request.
    package func read(_ lines: [String]) -> Presented {
        guard let line = lines.first else { return .nothing }
        guard lines.count == 1 else { return .unusable("several Authorization fields") }
        let presented: [Challenge]
        do { presented = try Challenge.read([line]) } catch { return .unusable("malformed credentials") }
        guard presented.count == 1, let credentials = presented.first else { return .unusable("malformed credentials") }
        guard credentials.isScheme(BasicScheme.name) else { return .unusable("another scheme than Basic") }
        guard let token = credentials.token68, let bytes = Base64.decode(token) else {
            return .unusable("credentials that are not base64")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return .unusable("credentials that are not UTF-8")
        }
        guard !text.unicodeScalars.contains(where: \.isControl) else {
            return .unusable("credentials with control characters")
        }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return .unusable("credentials without a colon")
        }
        return .account(
            .init(
                user: String(text[..<colon]), password: String(text[text.utf8.index(after: colon)...]), domain: ""))
    }
}
