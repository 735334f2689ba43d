/// What a request presents to a server in its `Authorization` field.
package enum PresentedCredentials<Value: Sendable & Hashable>: Sendable, Hashable {
    /// There is no such field: answer with the challenge.
    case nothing
    case value(Value)
    /// The field does not contain credentials of the scheme. The text says why, and repeats nothing of it.
    case unusable(String)

    /// Reads the lines of the field.
    ///
    /// - Parameters:
    ///   - scheme: the one scheme that the server takes.
    ///   - read: reads the credentials after the name of the scheme.
    init(_ lines: [String], of scheme: String, _ read: (_ token68: String) -> Self) {
        self.init(lines, of: scheme) { credentials in
            credentials.token68.map(read) ?? .unusable("malformed credentials")
        }
    }

    /// - Parameter read: reads the credentials.
    init(_ lines: [String], of scheme: String, _ read: (Challenge) -> Self) {
        guard let line = lines.first else {
            self = .nothing
            return
        }
        guard lines.count == 1 else {
            self = .unusable("several Authorization fields")
            return
        }
        guard let presented = try? Challenge.read([line]), presented.count == 1, let credentials = presented.first
        else {
            self = .unusable("malformed credentials")
            return
        }
        guard credentials.isScheme(scheme) else {
            self = .unusable("another scheme than \(scheme)")
            return
        }
        self = read(credentials)
    }
}

/// The name of a protection space, in the challenges of a server (RFC 9110 §11.5).
package struct Realm: Sendable, Hashable {
    /// As a quoted string (RFC 9110 §5.6.4).
    let quoted: String

    /// - Throws: ``AuthenticationError`` when the name contains a control character.
    init(_ name: String) throws(AuthenticationError) {
        guard name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .init(.malformedChallenge, "A realm cannot hold control characters; choose another.")
        }
        quoted = name.quotedString
    }
}

extension String {
    /// A quoted string (RFC 9110 §5.6.4). It works on scalars: a quotation mark with a combining accent is one character, and still ends
    /// the text.
    var quotedString: String {
        var result = "\""
        for scalar in unicodeScalars {
            if scalar == "\"" || scalar == "\\" { result.unicodeScalars.append("\\") }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}
