import SignetGeneratorCore
import SignetWSDL
import Yams

extension ConfigurationReader {
    /// Reads a single text value.
    mutating func text(_ value: Node, of key: Key) -> String? {
        guard case .scalar(let scalar) = value else {
            fail("‘\(key.rawValue)’ takes a single value here, not a list or further keys.", at: value.mark)
            return nil
        }
        guard !value.isNothing else {
            fail("‘\(key.rawValue)’ has no value; give it one or leave the key out.", at: value.mark)
            return nil
        }
        return scalar.string
    }

    /// Reads a list of texts; an empty list is an error, because it would leave nothing to generate.
    mutating func list(_ value: Node, of key: Key, example: String) -> [(text: String, mark: Mark?)]? {
        guard case .sequence(let items) = value else {
            fail("‘\(key.rawValue)’ takes a list, as in \(example).", at: value.mark)
            return nil
        }
        if items.isEmpty { fail("‘\(key.rawValue)’ is an empty list; leave the key out.", at: value.mark) }
        return items.compactMap { item in text(item, of: key).map { ($0, item.mark) } }
    }

    mutating func typeName(_ name: String, at mark: Mark?) -> String? {
        let proper = GeneratorOptions.namespace(for: name)
        if proper == name { return name }
        fail("‘\(name)’ cannot be the name of a Swift type here; ‘\(proper)’ could.", at: mark)
        return nil
    }

    mutating func flag(_ value: Node, of key: Key) -> Bool? {
        guard let word = text(value, of: key) else { return nil }
        if word == "true" || word == "false" { return word == "true" }
        fail("‘\(key.rawValue)’ is true or false.", at: value.mark)
        return nil
    }
}
