#if Server
import Configuration
public import Foundation
import SignetAuthentication
import Yams

extension ServerConfiguration {
    /// Reads a file and the environment, whose values take precedence.
    ///
    /// - Parameters:
    ///   - file: a file in YAML with the names of ``keys``, each in its section; nil for the environment alone.
    ///   - environment: the environment variables; see ``ServerConfigurationKey/variable``.
    /// - Throws: ``ServerConfigurationError``, also for names in the file that are no keys, and for variables with the prefix of a section
    ///   that belong to no key.
    public static func read(
        file: String?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws -> ServerConfiguration {
        try requireKnown(environment)
        let secrets = Set(keys.filter(\.isSecret).map(\.variable))
        let variables = EnvironmentVariablesProvider(
            environmentVariables: environment, secretsSpecifier: .specific(secrets)
        ).prefixKeys(with: "signet")
        guard let file else { return try await ServerConfiguration(ConfigReader(provider: variables)) }
        try requireKnown(file: file)
        let content: FileProvider<YAMLSnapshot>
        do {
            content = try await FileProvider<YAMLSnapshot>(
                config: ConfigReader(provider: InMemoryProvider(values: ["filePath": .init(stringLiteral: file)])))
        } catch {
            throw ServerConfigurationError("\(file.printable) cannot be used: \(error)")
        }
        return try await ServerConfiguration(ConfigReader(providers: [variables, content]))
    }

    // MARK: Unknown names

    /// A variable with a mistake in its name would have no effect.
    private static func requireKnown(_ environment: [String: String]) throws(ServerConfigurationError) {
        let known = Set(keys.map(\.variable))
        let sections = Set(keys.map { "SIGNET_\($0.name.prefix { $0 != "." }.uppercased())_" })
        for name in environment.keys.sorted() where !known.contains(name.uppercased()) {
            guard sections.contains(where: { name.uppercased().hasPrefix($0) }) else { continue }
            throw ServerConfigurationError(
                "The environment variable \(name.printable) belongs to no key\(proposal(for: name.uppercased(), among: known))."
            )
        }
    }

    private static func requireKnown(file: String) throws(ServerConfigurationError) {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw ServerConfigurationError(
                "\(file.printable) cannot be read: check the path of the configuration and its permissions.")
        }
        let document: Node?
        do { document = try Yams.compose(yaml: String(decoding: data, as: UTF8.self)) } catch {
            throw ServerConfigurationError("\(file.printable) is not YAML: \(error)")
        }
        guard case .mapping(let sections) = document else {
            throw ServerConfigurationError(
                "\(file.printable) has no keys: it has sections with keys in them, as in “server:” and below it “  port: 8443”."
            )
        }
        for (section, content) in sections {
            guard case .mapping(let entries) = content else {
                throw unknown(section.scalar?.string ?? "", section, file)
            }
            for (entry, _) in entries {
                let name = "\(section.scalar?.string ?? "").\(entry.scalar?.string ?? "")"
                guard let key = keys.first(where: { $0.name == name }) else { throw unknown(name, entry, file) }
                guard !key.isSecret else {
                    throw ServerConfigurationError(
                        "\(place(entry, file)): \(name) is a secret, which others may read here; put it into a file of its own (tls.passwordFile), or into \(key.variable) in the environment."
                    )
                }
            }
        }
    }

    private static func unknown(_ name: String, _ node: Node, _ file: String) -> ServerConfigurationError {
        ServerConfigurationError(
            "\(place(node, file)): “\(name.printable)” is no key\(proposal(for: name, among: Set(keys.map(\.name)))).")
    }

    private static func place(_ node: Node, _ file: String) -> String {
        node.mark.map { "\(file.printable), line \($0.line)" } ?? file.printable
    }

    /// The known name that is most like a wrong one, for an error.
    private static func proposal(for name: String, among known: Set<String>) -> String {
        let distances = known.map { (name: $0, distance: distance(Array(name.lowercased()), Array($0.lowercased()))) }
        guard let nearest = distances.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }),
            nearest.distance <= max(2, name.count / 4)
        else { return "; --list-keys lists them" }
        return "; “\(nearest.name)” is one"
    }

    /// How many letters have to be put in, taken out or exchanged (Levenshtein).
    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        var row = Array(0...other.count)
        for (index, letter) in one.prefix(200).enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (place, candidate) in other.enumerated() {
                let changed = diagonal + (letter == candidate ? 0 : 1)
                diagonal = row[place + 1]
                row[place + 1] = min(changed, row[place] + 1, row[place + 1] + 1)
            }
        }
        return row.last ?? 0
    }
}
#endif
