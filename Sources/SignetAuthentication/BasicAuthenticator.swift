/// The server's side of the Basic scheme (RFC 7617): writes the challenge and reads the client's credentials. The
/// caller decides whether the password is right.
package struct BasicAuthenticator: Sendable, Hashable {
    package typealias Presented = PresentedCredentials<Credentials.Account>

    private let realm: Realm

    /// - Throws: ``AuthenticationError`` when the realm contains a control character.
    package init(realm: String) throws(AuthenticationError) { self.realm = try Realm(realm) }

    /// The value of the `WWW-Authenticate` field of a 401.
    package var challenge: String { "Basic realm=\(realm.quoted), charset=\"UTF-8\"" }

    /// Reads the lines of the `Authorization` field of a request.
    package func read(_ lines: [String]) -> Presented {
        Presented(lines, of: BasicScheme.name) { token in
            guard let bytes = Base64.decode(token) else { return .unusable("credentials that are not base64") }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                return .unusable("credentials that are not UTF-8")
            }
            guard !text.unicodeScalars.contains(where: \.isControl) else {
                return .unusable("credentials with control characters")
            }
            guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
                return .unusable("credentials without a colon")
            }
            return .value(
                .init(
                    user: String(text[..<colon]), password: String(text[text.utf8.index(after: colon)...]), domain: ""))
        }
    }
}
