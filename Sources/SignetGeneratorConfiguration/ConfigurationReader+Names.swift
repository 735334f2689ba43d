import SignetGeneratorCore
import Yams

extension ConfigurationReader {
    /// Swift names by the names of WSDL components.
    mutating func names(_ value: Node) -> [String: String]? {
        map(value, of: .names, example: "‘Address: PostalAddress’") { reader, component, name, mark in
            guard let proper = GeneratorOptions.suggestedName(name, for: component) else { return name }
            reader.fail("‘\(name)’ cannot be a name in Swift here; ‘\(proper)’ could.", at: mark)
            return nil
        }
    }

    /// Swift types declared elsewhere, by the schema types that they replace.
    mutating func types(_ value: Node) -> [String: String]? {
        map(value, of: .types, example: "‘Money: Shared.Money’") { reader, _, name, mark in
            if GeneratorOptions.isTypePath(name) { return name }
            reader.fail("‘\(name)’ is no type in Swift; write its name, or its path as in ‘Shared.Money’.", at: mark)
            return nil
        }
    }

    private mutating func map(
        _ value: Node, of key: Key, example: String,
        _ check: (inout Self, String, String, Mark?) -> String?
    ) -> [String: String]? {
        guard case .mapping(let mapping) = value else {
            fail("‘\(key.rawValue)’ takes names of the WSDL with Swift names, as in \(example).", at: value.mark)
            return nil
        }
        var result: [String: String] = [:]
        for (component, name) in mapping {
            guard let component = component.scalar?.string else {
                fail("a name of the WSDL is a text.", at: component.mark)
                continue
            }
            result[component] = text(name, of: key).flatMap { check(&self, component, $0, name.mark) }
        }
        return result
    }

    mutating func derived(_ value: Node, _ options: inout GeneratorOptions) {
        if case .sequence = value {
            guard let items = list(value, of: .derived, example: "[Customer, Invoice]"), !items.isEmpty else { return }
            for item in items { options.places[.init(Key.derived.rawValue, item.text)] = place(item.mark) }
            options.derived = .listed(items.map(\.text))
            return
        }
        switch text(value, of: .derived) {
        case "all": options.derived = .all
        case "named": options.derived = .named
        case nil: break
        default:
            fail("‘derived’ is all or named, or a list of types as in ‘[Customer, Invoice]’.", at: value.mark)
        }
    }

    /// The maximum number of files for types; more files do not shorten a build.
    private static let mostShards = 64

    mutating func shards(_ value: Node, under name: Node) -> Int? {
        guard let word = text(value, of: .shards) else { return nil }
        // The plugins read this key without a YAML parser, so only one notation is allowed.
        guard name.mark?.column == 1, value.mark?.line == name.mark?.line, value.scalar?.style == .plain,
            name.scalar?.style == .plain
        else {
            fail("‘shards’ is written on a line of its own, from its beginning, as in ‘shards: 8’.", at: name.mark)
            return nil
        }
        if let number = Int(word), (1...Self.mostShards).contains(number), word == "\(number)" { return number }
        fail("‘shards’ is a number from 1 to \(Self.mostShards).", at: value.mark)
        return nil
    }
}
