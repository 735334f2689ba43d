/// Which elements and attributes hold secrets, by their names: what stands in them appears in no message and no log.
package enum SecretName {
    /// Marks that count wherever they stand in a name; lower case, separators left out.
    private static let marks = [
        "password", "passwd", "passphrase", "passcode", "secret", "token", "credential", "privatekey", "apikey",
        "authorization", "cookie", "sessionid", "pkcs12",
    ]
    /// Short marks that count only as a whole word of a name.
    private static let words: Set<String> = [
        "pin", "pwd", "otp", "pfx", "cvv", "cvc", "sid", "tan", "identity", "kennwort",
    ]

    /// Whether a name such as `userPassword`, `new-pin` or `APIKey` marks a secret.
    package static func matches(_ name: String) -> Bool {
        let squashed = name.lowercased().filter { $0.isLetter || $0.isNumber }
        return marks.contains { squashed.contains($0) } || parts(of: name).contains { words.contains($0) }
    }

    /// The words of a name in camel case or with separators, in lower case.
    private static func parts(of name: String) -> [String] {
        var parts: [String] = []
        var current = ""
        var wasLower = false
        for character in name {
            if !character.isLetter || (character.isUppercase && wasLower) {
                if !current.isEmpty { parts.append(current.lowercased()) }
                current = ""
            }
            if character.isLetter { current.append(character) }
            wasLower = character.isLowercase
        }
        if !current.isEmpty { parts.append(current.lowercased()) }
        return parts
    }
}
