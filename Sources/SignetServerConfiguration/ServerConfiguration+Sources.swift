#if Server
import Configuration
public import Foundation
import SignetAuthentication
import SignetWSDL

extension ServerConfiguration {
    /// Reads a file and the environment, whose values take precedence.
    ///
    /// - Parameters:
    ///   - file: a file in YAML with the names of ``keys``, each in its section; nil for the environment alone.
    ///   - environment: the environment variables; see ``ServerConfigurationKey/variable``.
    /// - Throws: ``ServerConfigurationError``, also for names in the file that are no keys, and for variables that are nearly those of a
    ///   key.
    public static func read(
        file: String?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws -> ServerConfiguration {
        try requireKnown(environment)
        let secrets = Set(keys.filter(\.isSecret).map(\.variable))
        let variables = EnvironmentVariablesProvider(
            environmentVariables: environment, secretsSpecifier: .specific(secrets)
        ).prefixKeys(with: "signet")
        var origins = ConfigurationOrigins(variables: Set(environment.keys))
        guard let file else {
            return try await ServerConfiguration(ConfigReader(provider: variables), origins)
        }
        let content = try ConfigurationFile(file)
        (origins.file, origins.lines) = (file, content.lines)
        return try await ServerConfiguration(
            ConfigReader(providers: [variables, InMemoryProvider(name: "file", values: content.values)]), origins)
    }

    /// A variable with a mistake in its name would have no effect.
    private static func requireKnown(_ environment: [String: String]) throws(ServerConfigurationError) {
        let known = Set(keys.map(\.variable))
        let sections = Set(keys.map { "SIGNET_\($0.section.uppercased())_" })
        for name in environment.keys.sorted() where !known.contains(name) {
            let upper = name.uppercased()
            guard upper.hasPrefix("SIGNET_") else { continue }
            // Other programs of Signet have variables too.
            let isNear = NearMatch.find(upper, among: known.sorted(), within: 2) != nil
            guard isNear || sections.contains(where: { upper.hasPrefix($0) }) else { continue }
            throw ServerConfigurationError(
                "The environment variable \(name.printable) belongs to no key\(proposal(for: upper, among: known))."
            )
        }
    }
}
#endif
