private import Synchronization

/// Recognizes elements, attributes and fields with secrets by their names. Their content appears in no description of a
/// value, no log, no error message and no output of a command.
///
/// There is one list for the whole program, because descriptions do not depend on their caller. Passwords, tokens, keys
/// and similar names are on it; the program adds further names before its first call:
///
/// ```swift
/// SecretName.add("IBAN", "taxNumber")
/// ```
public enum SecretName {
    /// Marks that count anywhere in a name; in lower case, without separators.
    private static let marks = [
        "password", "passwd", "passphrase", "passcode", "secret", "token", "credential", "privatekey", "apikey",
        "authorization", "cookie", "sessionid", "pkcs12",
    ]
    /// Short marks that count only as a whole word of a name.
    private static let words: Set<String> = [
        "pin", "pwd", "otp", "pfx", "cvv", "cvc", "sid", "tan", "identity", "kennwort",
    ]

    /// A name that the program has added.
    private struct Own {
        let squashed: String
        let words: [String]
    }

    private static let own = Mutex<[Own]>([])

    /// Adds names. Each counts alone and as whole words of longer names, whatever case and separators they are written
    /// in: `taxNumber` hides the content of `TaxNumber`, `tax-number` and `customerTaxNumber`. A name without a letter
    /// or digit has no effect. An added name stays until the program ends.
    public static func add(_ names: String...) {
        let added = names.map { Own(squashed: squashed($0), words: parts(of: $0)) }.filter { !$0.squashed.isEmpty }
        own.withLock { own in
            own += added.filter { name in !own.contains { $0.squashed == name.squashed && $0.words == name.words } }
        }
    }

    /// Whether a name such as `userPassword`, `new-pin` or `APIKey` marks a secret.
    package static func matches(_ name: String) -> Bool {
        let squashed = squashed(name)
        if marks.contains(where: squashed.contains) { return true }
        let parts = parts(of: name)
        if parts.contains(where: words.contains) { return true }
        let own = own.withLock { $0 }
        return own.contains { $0.squashed == squashed || !$0.words.isEmpty && parts.firstRange(of: $0.words) != nil }
    }

    private static func squashed(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }

    /// The words of a name in camel case or with separators, in lower case: `PINCode` has two.
    private static func parts(of name: String) -> [String] {
        let characters = Array(name)
        var parts: [String] = []
        var current = ""
        for (index, character) in characters.enumerated() {
            let previous = index > 0 ? characters[index - 1] : " "
            let isNextLower = index + 1 < characters.count && characters[index + 1].isLowercase
            let begins = character.isUppercase && (previous.isLowercase || previous.isUppercase && isNextLower)
            if !character.isLetter || begins {
                if !current.isEmpty { parts.append(current.lowercased()) }
                current = ""
            }
            if character.isLetter { current.append(character) }
        }
        if !current.isEmpty { parts.append(current.lowercased()) }
        return parts
    }
}
