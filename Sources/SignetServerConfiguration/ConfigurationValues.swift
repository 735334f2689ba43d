#if Server
import Configuration
import Foundation
import SignetAuthentication
import SignetTLS

/// Reads the values of keys, and remembers which keys were asked for.
struct ConfigurationValues {
    private let reader: ConfigReader
    private var used: Set<ServerConfigurationKey> = []
    /// The largest file that is read, in bytes.
    private static let maximumFileBytes = 16 << 20

    init(_ reader: ConfigReader) { self.reader = reader }

    // MARK: Values

    mutating func text(_ key: ServerConfigurationKey) async throws -> String? {
        used.insert(key)
        let text = try await value(key, "text") {
            try await reader.fetchString(forKey: .init(key.name), isSecret: key.isSecret)
        }
        guard text != "" else { throw Self.error(key, "has an empty value; give it one, or leave it out") }
        return text
    }

    mutating func number(_ key: ServerConfigurationKey) async throws -> Int? {
        used.insert(key)
        return try await value(key, "a whole number") { try await reader.fetchInt(forKey: .init(key.name)) }
    }

    mutating func seconds(_ key: ServerConfigurationKey) async throws -> Duration? {
        used.insert(key)
        let seconds = try await value(key, "a number of seconds") {
            try await reader.fetchDouble(forKey: .init(key.name))
        }
        guard let seconds else { return nil }
        // The system's clock cannot count much more.
        guard seconds > 0, seconds <= 1_000_000_000 else {
            throw Self.error(key, "must be above zero, and at most 1000000000 seconds")
        }
        return .seconds(seconds)
    }

    mutating func flag(_ key: ServerConfigurationKey) async throws -> Bool? {
        used.insert(key)
        return try await value(key, "true or false") { try await reader.fetchBool(forKey: .init(key.name)) }
    }

    mutating func list(_ key: ServerConfigurationKey) async throws -> [String]? {
        used.insert(key)
        return try await value(key, "a list") { try await reader.fetchStringArray(forKey: .init(key.name)) }
    }

    /// One of some words.
    mutating func choice<Value>(_ key: ServerConfigurationKey, _ choices: [(String, Value)]) async throws -> Value? {
        guard let word = try await text(key) else { return nil }
        guard let choice = choices.first(where: { $0.0 == word }) else {
            throw Self.error(
                key, "is “\(word.printable)”, which is not one of \(choices.map(\.0).joined(separator: ", "))")
        }
        return choice.1
    }

    private func value<Value>(
        _ key: ServerConfigurationKey, _ kind: String, _ read: () async throws -> Value?
    ) async throws -> Value? {
        do { return try await read() } catch let error as CancellationError { throw error } catch {
            // The reader's own error may show the value.
            throw Self.error(key, "is not \(kind)")
        }
    }

    // MARK: Files

    /// The content of the file that a key names.
    mutating func file(_ key: ServerConfigurationKey, isSecret: Bool = false) async throws -> [UInt8]? {
        try await text(key).map { try Self.content(of: $0, key, isSecret: isSecret) }
    }

    /// - Parameter isSecret: whether only the server may read it.
    static func content(of path: String, _ key: ServerConfigurationKey, isSecret: Bool) throws -> [UInt8] {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw error(key, "names “\(path.printable)”, which cannot be read: check the path and its permissions")
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: resolved(path))
        if isSecret, let mode = attributes?[.posixPermissions] as? Int, mode & 0o007 != 0 {
            throw error(
                key,
                "names “\(path.printable)”, which every user of this machine can open; chmod o= takes their rights away"
            )
        }
        let content: Data?
        do { content = try file.read(upToCount: maximumFileBytes + 1) } catch {
            throw Self.error(key, "names “\(path.printable)”, which is no file that can be read")
        }
        guard let content, !content.isEmpty, content.count <= maximumFileBytes else {
            throw error(key, "names “\(path.printable)”, which is empty or has more than \(maximumFileBytes >> 20) MiB")
        }
        return Array(content)
    }

    private static func resolved(_ path: String) -> String { URL(filePath: path).resolvingSymlinksInPath().path }

    /// The certificates in the file that a key names.
    mutating func bundle(_ key: ServerConfigurationKey) async throws -> CertificateBundle? {
        guard let content = try await file(key) else { return nil }
        do { return try CertificateBundle(pem: content) } catch {
            throw Self.error(key, "names a file that cannot be used: \(error)")
        }
    }

    // MARK: Errors

    static func error(_ key: ServerConfigurationKey, _ problem: String) -> ServerConfigurationError {
        ServerConfigurationError("\(key.name) (\(key.variable) in the environment) \(problem).")
    }

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
                throw Self.error(
                    key, "has no effect beside the other values: \(key.meaning); leave it out, or see its documentation"
                )
            }
        }
    }
}
#endif
