#if Server
import SignetAuthentication
import SignetCredentials
import SignetTLS

/// The files of a server's identity, which are read again while the server runs.
struct IdentityFiles: Sendable {
    let identity: String
    /// Nil when the key is in ``identity``.
    let key: String?
    private let password: SecretBytes?
    private let passwordFile: String?

    /// - Parameters:
    ///   - password: nil for none, or for that in `passwordFile`.
    init(identity: String, key: String?, password: String?, passwordFile: String?) throws {
        guard password == nil || passwordFile == nil else {
            throw ConfigurationValues.error(
                ServerConfiguration.password, "and tls.passwordFile are both given; leave one of them out")
        }
        self.identity = identity
        self.key = key
        self.password = password.map { SecretBytes($0) }
        self.passwordFile = passwordFile
    }

    func read() throws -> Identity {
        let password =
            try password
            ?? passwordFile.map { path in
                let content = try ConfigurationValues.content(
                    of: path, ServerConfiguration.passwordFile, isSecret: true)
                // Editors end the only line with a line break.
                return SecretBytes(content.trimmingLineBreak())
            }
        let text = password?.text
        let content = try ConfigurationValues.content(
            of: identity, ServerConfiguration.identity, isSecret: key == nil)
        do {
            guard let key else { return try KeyFile(content, password: text).identity() }
            let keyContent = try ConfigurationValues.content(of: key, ServerConfiguration.key, isSecret: true)
            return try Identity(pem: content, privateKey: keyContent, password: text)
        } catch let error as IdentityError {
            throw ConfigurationValues.error(
                ServerConfiguration.identity, "names “\(identity.printable)”, which cannot be used: \(error.message)")
        }
    }
}

extension [UInt8] {
    fileprivate func trimmingLineBreak() -> [UInt8] {
        var rest = self[...]
        if rest.last == UInt8(ascii: "\n") { rest.removeLast() }
        if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
        return Array(rest)
    }
}
#endif
