/// The Basic scheme (RFC 7617), for the client and the server.
package enum BasicScheme {
    package static let name = "Basic"

    /// The value of an `Authorization` field, in UTF-8 whatever the challenge says (§2.1 defines no other charset).
    package static func authorization(
        for account: Credentials.Account, space: ProtectionSpace? = nil
    ) throws(AuthenticationError) -> String {
        if account.user.utf8.contains(UInt8(ascii: ":")) {
            throw .init(
                .invalidCredentials,
                "The Basic scheme cannot carry a user name with a colon (RFC 7617 §2); use another user name.",
                space: space)
        }
        if (account.user + account.password).unicodeScalars.contains(where: \.isControl) {
            throw .init(
                .invalidCredentials,
                "The Basic scheme cannot carry control characters (RFC 7617 §2); look for a line break at the end.",
                space: space)
        }
        return "\(name) \(Base64.encode(Array("\(account.user):\(account.password)".utf8)))"
    }
}

extension Unicode.Scalar {
    /// General category Cc.
    var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
