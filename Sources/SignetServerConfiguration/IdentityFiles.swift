#if Server
import SignetAuthentication
import SignetCredentials
import SignetTLS

/// The files of a server's identity, which are read again while the server runs.
struct IdentityFiles: Sendable {
    private let identity: String
    /// Nil when the key is in ``identity``.
    private let key: String?
    private let password: SecretBytes?
    private let passwordFile: String?
    private let origins: ConfigurationOrigins

    /// - Parameters:
    ///   - password: nil for none, or for that in `passwordFile`.
    init(
        identity: String, key: String?, password: String?, passwordFile: String?, _ origins: ConfigurationOrigins
    ) throws {
        guard password == nil || passwordFile == nil else {
            throw origins.error(
                ServerConfiguration.password, "and tls.passwordFile are both given; leave one of them out")
        }
        (self.identity, self.key, self.origins) = (identity, key, origins)
        self.password = password.map { SecretBytes($0) }
        self.passwordFile = passwordFile
    }

    func read() throws -> Identity {
        let password =
            try password
            ?? passwordFile.map { path in
                // Editors end the only line with a line break.
                SecretBytes(
                    try origins.content(of: path, ServerConfiguration.passwordFile, isSecret: true).withoutLineBreak)
            }
        guard let password else { return try read(password: nil) }
        if (try? read(password: nil)) != nil {
            throw origins.error(
                passwordFile == nil ? ServerConfiguration.password : ServerConfiguration.passwordFile,
                "has no effect: the key is not encrypted")
        }
        guard let text = password.text else {
            throw origins.error(ServerConfiguration.passwordFile, "has no password in UTF-8")
        }
        return try read(password: text)
    }

    private func read(password: String?) throws -> Identity {
        let content = try origins.content(of: identity, ServerConfiguration.identity, isSecret: key == nil)
        guard let key else {
            do { return try KeyFile(content, password: password).identity() } catch {
                throw origins.error(
                    ServerConfiguration.identity,
                    "names “\(identity.printable)”, which cannot be used: \(Self.text(error))")
            }
        }
        if let file = try? KeyFile(content), !file.keys.isEmpty {
            throw origins.error(
                ServerConfiguration.key, "has no effect: the file of tls.identity has a key; leave one of them out")
        }
        let keyContent = try origins.content(of: key, ServerConfiguration.key, isSecret: true)
        do { return try Identity(pem: content, privateKey: keyContent, password: password) } catch {
            let problem =
                error.code == .noMatchingCertificate
                ? "does not belong to the certificate in tls.identity, “\(identity.printable)”"
                : "cannot be used with tls.identity, “\(identity.printable)”: \(Self.text(error))"
            throw origins.error(ServerConfiguration.key, "names “\(key.printable)”, which \(problem)")
        }
    }

    private static func text(_ error: IdentityError) -> String {
        error.code == .passwordRequired ? "it is encrypted; name its password by tls.passwordFile" : error.message
    }
}

extension [UInt8] {
    fileprivate var withoutLineBreak: ArraySlice<UInt8> {
        var rest = self[...]
        if rest.last == UInt8(ascii: "\n") { rest.removeLast() }
        if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
        return rest
    }
}
#endif
