#if Server
import Configuration
import SignetAuthentication
import SignetTLS

/// Reads the values of keys, and remembers which keys were asked for.
struct ConfigurationValues {
    let origins: ConfigurationOrigins
    private let reader: ConfigReader
    private var used: Set<ServerConfigurationKey> = []

    init(_ reader: ConfigReader, _ origins: ConfigurationOrigins) { (self.reader, self.origins) = (reader, origins) }

    // MARK: Values

    mutating func text(_ key: ServerConfigurationKey) async throws -> String? {
        let text = try await value(key) { [reader] in
            try await reader.fetchString(forKey: .init(key.name), isSecret: key.isSecret)
        }
        guard text != "" else { throw origins.error(key, "has an empty value; give it one, or leave it out") }
        return text
    }

    mutating func number(_ key: ServerConfigurationKey) async throws -> Int? {
        try await value(key) { [reader] in try await reader.fetchInt(forKey: .init(key.name)) }
    }

    /// A number that is above zero.
    mutating func count(_ key: ServerConfigurationKey) async throws -> Int? {
        guard let count = try await number(key) else { return nil }
        guard count > 0 else { throw origins.error(key, "is \(count), and must be above zero") }
        return count
    }

    mutating func seconds(_ key: ServerConfigurationKey) async throws -> Duration? {
        let seconds = try await value(key) { [reader] in try await reader.fetchDouble(forKey: .init(key.name)) }
        guard let seconds else { return nil }
        // The system's clock cannot count much more.
        guard seconds >= 0.001, seconds <= 1_000_000_000 else {
            throw origins.error(key, "must be 0.001 to 1000000000 seconds")
        }
        return .seconds(seconds)
    }

    mutating func flag(_ key: ServerConfigurationKey) async throws -> Bool? {
        try await value(key) { [reader] in try await reader.fetchBool(forKey: .init(key.name)) }
    }

    mutating func list(_ key: ServerConfigurationKey) async throws -> [String]? {
        try await value(key) { [reader] in try await reader.fetchStringArray(forKey: .init(key.name)) }
    }

    /// One of some words.
    mutating func choice<Value>(_ key: ServerConfigurationKey, _ choices: [(String, Value)]) async throws -> Value? {
        guard let word = try await text(key) else { return nil }
        guard let choice = choices.first(where: { $0.0 == word }) else {
            throw origins.error(
                key, "is “\(word.printable)”, which is not one of \(choices.map(\.0).joined(separator: ", "))")
        }
        return choice.1
    }

    private mutating func value<Value>(
        _ key: ServerConfigurationKey, _ read: () async throws -> Value?
    ) async throws -> Value? {
        used.insert(key)
        do { return try await read() } catch let error as CancellationError { throw error } catch {
            // The reader's own error may show the value.
            throw origins.error(key, "is no \(key.kind.words)")
        }
    }

    // MARK: Files

    /// The certificates in the file that a key names.
    mutating func bundle(_ key: ServerConfigurationKey) async throws -> CertificateBundle? {
        guard let path = try await text(key) else { return nil }
        let content = try origins.content(of: path, key, isSecret: false)
        do { return try CertificateBundle(pem: content) } catch {
            throw origins.error(key, "names “\(path.printable)”, which cannot be used: \(error.message)")
        }
    }

    // MARK: Errors

    /// - Throws: ``ServerConfigurationError`` for a value that was not asked for.
    func requireAllUsed() async throws {
        for key in ServerConfiguration.keys where !used.contains(key) {
            let name = ConfigKey(key.name)
            let isGiven =
                key.kind == .list
                ? try? await reader.fetchStringArray(forKey: name) != nil
                : try? await reader.fetchString(forKey: name, isSecret: key.isSecret) != nil
            // A value of another kind is a value too.
            guard isGiven == false else {
                throw origins.error(key, "has no effect: \(Self.condition(of: key) ?? "other values leave none")")
            }
        }
    }

    /// When a key has an effect.
    private static func condition(of key: ServerConfigurationKey) -> String? {
        switch key.section {
        case "clients" where key != ServerConfiguration.certificates:
            "it needs clients.certificates: allowed or required"
        case "clients":
            "it needs tls.identity, or a proxy that ends TLS and hands on certificates (proxy.field)"
        case "proxy":
            "it needs proxy.field\(key == ServerConfiguration.proxyAuthorities ? " and proxy.certificates" : "")"
        case "tls": "it needs tls.identity"
        case "server" where key == ServerConfiguration.http2: "HTTP/2 needs tls.identity"
        case "server" where key == ServerConfiguration.publicAddress: "it needs server.wsdl"
        case "server": "the server listens at server.socket"
        default: nil
        }
    }
}

extension ConfigurationOrigins {
    /// The content of the file that a key names.
    func content(
        of path: String, _ key: ServerConfigurationKey, isSecret: Bool
    ) throws(ServerConfigurationError) -> [UInt8] {
        do { return try OperatorFile.read(path, isSecret: isSecret) } catch {
            throw self.error(key, "names “\(path.printable)”, which \(error.description)")
        }
    }
}
#endif
