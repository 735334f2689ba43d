#if Server
import Configuration
import Foundation
import SignetAuthentication
import SignetWSDL
import Yams

/// A configuration in YAML: sections with keys in them.
struct ConfigurationFile {
    private(set) var values: [AbsoluteConfigKey: ConfigValue] = [:]
    /// The lines of the keys.
    private(set) var lines: [String: Int] = [:]
    private let name: String

    /// - Throws: ``ServerConfigurationError`` for a file that cannot be read, and for names and values that no key has.
    init(_ path: String) throws {
        name = path.printable
        let bytes: [UInt8]
        do { bytes = try OperatorFile.read(path, isSecret: false) } catch {
            throw ServerConfigurationError("The configuration \(name) \(error.description).")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ServerConfigurationError("\(name) is not UTF-8.")
        }
        let document: Node?
        do { document = try Yams.compose(yaml: text) } catch { throw Self.error(error, name) }
        guard let document, !Self.isNothing(document) else { return }
        guard case .mapping(let sections) = document else {
            throw problem(
                document,
                "there are no keys: a configuration has sections with keys in them, as “server:” and below it “  port: 8443”"
            )
        }
        for (section, content) in sections { try take(section, content) }
    }

    private mutating func take(_ section: Node, _ content: Node) throws {
        let title = section.scalar?.string ?? ""
        guard ServerConfiguration.keys.contains(where: { $0.section == title }) else {
            if let key = ServerConfiguration.keys.first(where: { $0.name == title }) {
                throw problem(section, "write “\(key.name.dropFirst(key.section.count + 1)):” below “\(key.section):”")
            }
            let known = Set(ServerConfiguration.keys.map(\.section))
            throw problem(
                section, "“\(title.printable)” is no section\(ServerConfiguration.proposal(for: title, among: known))")
        }
        // A section of comments only.
        if Self.isNothing(content) { return }
        guard case .mapping(let entries) = content else {
            throw problem(content, "the section \(title) has no keys: write them below it, as “  name: value”")
        }
        for (entry, value) in entries {
            let name = "\(title).\(entry.scalar?.string ?? "")"
            guard let key = ServerConfiguration.keys.first(where: { $0.name == name }) else {
                let known = Set(ServerConfiguration.keys.map(\.name))
                throw problem(
                    entry, "“\(name.printable)” is no key\(ServerConfiguration.proposal(for: name, among: known))")
            }
            guard !key.isSecret else {
                throw problem(
                    entry,
                    "\(name) is a secret, which others may read here; put it into a file of its own (tls.passwordFile), or into \(key.variable) in the environment"
                )
            }
            values[AbsoluteConfigKey(.init(name))] = ConfigValue(try checked(value, key), isSecret: false)
            lines[name] = entry.mark?.line
        }
    }

    private func checked(_ value: Node, _ key: ServerConfigurationKey) throws -> ConfigContent {
        if key.kind == .list {
            guard case .sequence(let items) = value else {
                throw problem(value, "\(key.name) is no list; write [\"…\", \"…\"], also for one value")
            }
            return .stringArray(
                try items.map { item in
                    guard case .scalar(let scalar) = item else {
                        throw problem(item, "\(key.name) has a value that is no text")
                    }
                    return scalar.string
                })
        }
        guard case .scalar(let scalar) = value else {
            throw problem(value, "\(key.name) has several values, and needs one")
        }
        guard !Self.isNothing(value) else {
            throw problem(value, "\(key.name) has no value; give it one, or leave it out")
        }
        guard let content = key.kind.content(of: scalar.string) else {
            throw problem(value, "\(key.name) is “\(scalar.string.printable)”, which is no \(key.kind.words)")
        }
        return content
    }

    // MARK: Errors

    private func problem(_ node: Node, _ text: String) -> ServerConfigurationError {
        ServerConfigurationError("\(node.mark.map { "\(name), line \($0.line)" } ?? name): \(text).")
    }

    /// The parser's own description shows lines of the file, which may be secret.
    private static func error(_ error: any Error, _ name: String) -> ServerConfigurationError {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            ServerConfigurationError("\(name), line \(mark.line): this is not YAML: \(problem.printable).")
        case .duplicatedKeysInMapping(_, let context):
            ServerConfigurationError("\(name), line \(context.mark.line): a name stands here more than once.")
        default: ServerConfigurationError("\(name) is not YAML.")
        }
    }

    private static func isNothing(_ node: Node) -> Bool {
        guard case .scalar(let scalar) = node, scalar.style == .plain || scalar.style == .any else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }
}

extension ServerConfigurationKey {
    /// The part of its name before the dot.
    var section: String { String(name.prefix { $0 != "." }) }
}

extension ServerConfigurationKey.Kind {
    /// The value that a text stands for; nil when it stands for none of this kind.
    func content(of text: String) -> ConfigContent? {
        switch self {
        case .text, .path: text.isEmpty ? nil : .string(text)
        case .number: Int(text).map(ConfigContent.int)
        case .seconds: Double(text).map(ConfigContent.double)
        case .flag: Bool(text).map(ConfigContent.bool)
        case .list: nil
        }
    }

    /// What a value is, for errors.
    var words: String {
        switch self {
        case .text, .path: "text"
        case .number: "whole number"
        case .seconds: "number of seconds"
        case .flag: "true or false"
        case .list: "list"
        }
    }
}

extension ServerConfiguration {
    /// The end of a sentence that says of a name that it is not known.
    static func proposal(for name: String, among known: Set<String>) -> String {
        NearMatch.find(name, among: known.sorted(), within: max(2, name.count / 4)).map { "; “\($0)” is one" }
            ?? "; --list-keys lists them"
    }
}
#endif
