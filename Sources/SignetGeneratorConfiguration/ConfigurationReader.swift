import SignetGeneratorCore
import SignetWSDL
import Yams

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads a configuration; it collects every error with its place.
struct ConfigurationReader {
    enum Key: String, CaseIterable {
        case access, imports, operations, service, port, namespace, namespaces, names, types, derived, strict, shards,
            root, wsdls
    }

    let file: String
    let folder: URL
    private(set) var common = GeneratorOptions()
    private(set) var sections: [String: GeneratorOptions] = [:]
    private(set) var diagnostics: [Diagnostic] = []

    init(file: String, folder: URL) {
        self.file = file
        self.folder = folder
    }

    mutating func read(_ text: String) {
        let found: Node?
        do { found = try YAMLText.document(in: text) } catch {
            return fail(error.message, line: error.line, column: error.column)
        }
        // A file with only comments sets no options.
        guard let document = found else { return }
        guard case .mapping(let mapping) = document else {
            return fail("a configuration is a list of keys with values, as in ‘access: internal’.", at: document.mark)
        }
        common = options(mapping, allowed: Key.allCases)
    }

    mutating func fail(_ message: String, at mark: Mark?) {
        fail(message, line: mark?.line ?? 0, column: mark?.column ?? 0)
    }

    private mutating func fail(_ message: String, line: Int, column: Int) {
        let place = SourceLocation(file: file, line: line, column: column)
        diagnostics.append(Diagnostic(.error, message, at: place))
    }

    // MARK: Keys

    private mutating func options(_ mapping: Node.Mapping, allowed: [Key]) -> GeneratorOptions {
        var options = GeneratorOptions()
        for (name, value) in mapping {
            guard let word = name.scalar?.string, let key = Key(rawValue: word), allowed.contains(key) else {
                failUnknown(name, allowed)
                continue
            }
            switch key {
            case .access: options.access = access(value)
            case .imports: options.imports = imports(value)
            case .operations:
                options.operations = list(value, of: key, example: "[Login, Query]")?.map { item in
                    options.places[.init(word, item.text)] = place(item.mark)
                    return item.text
                }
            case .service, .port:
                let name = text(value, of: key)
                if let name { options.places[.init(word, name)] = place(value.mark) }
                if key == .service { options.service = name } else { options.port = name }
            case .namespace: options.namespace = text(value, of: key).flatMap { typeName($0, at: value.mark) }
            case .namespaces: options.namespaces = namespaces(value)
            case .names: options.names = names(value)
            case .types: options.types = types(value)
            case .derived: derived(value, &options)
            case .strict: options.strict = flag(value, of: key)
            case .shards: options.shards = shards(value, under: name)
            case .root: options.root = root(value)
            case .wsdls: readSections(value)
            }
        }
        if case .mapping(let names)? = mapping["names"] { remember(names, .names, &options) }
        if case .mapping(let types)? = mapping["types"] { remember(types, .types, &options) }
        if case .mapping(let uris)? = mapping["namespaces"] { remember(uris, .namespaces, &options) }
        return options
    }

    /// Stores the places of WSDL names, for diagnostics about names that the WSDL does not have.
    private func remember(_ names: Node.Mapping, _ key: Key, _ options: inout GeneratorOptions) {
        for (name, _) in names {
            if let text = name.scalar?.string { options.places[.init(key.rawValue, text)] = place(name.mark) }
        }
    }

    func place(_ mark: Mark?) -> SourceLocation {
        SourceLocation(file: file, line: mark?.line ?? 0, column: mark?.column ?? 0)
    }

    private mutating func failUnknown(_ name: Node, _ allowed: [Key]) {
        let word = name.scalar?.string ?? ""
        let keys = allowed.map(\.rawValue)
        let advice = NearMatch.find(word, among: keys).map { "did you mean ‘\($0)’? The keys are" } ?? "the keys are"
        let place = allowed.contains(.wsdls) ? "" : " for a single WSDL"
        fail("there is no key ‘\(word)’\(place); \(advice) \(keys.joined(separator: ", ")).", at: name.mark)
    }

    private mutating func access(_ value: Node) -> AccessLevel? {
        guard let word = text(value, of: .access) else { return nil }
        if let level = AccessLevel(rawValue: word) { return level }
        let levels = AccessLevel.allCases.map(\.rawValue)
        let advice = NearMatch.find(word, among: levels).map { "; did you mean ‘\($0)’?" } ?? "."
        fail("‘access’ is one of public, package and internal\(advice)", at: value.mark)
        return nil
    }

    private mutating func imports(_ value: Node) -> [ModuleImport]? {
        list(value, of: .imports, example: "[Shared, public Billing]")?.compactMap { item in
            if let module = ModuleImport(parsing: item.text) { return module }
            fail(
                "‘\(item.text)’ is no import: write the name of a module, and before it public, package or internal if you "
                    + "want to.", at: item.mark)
            return nil
        }
    }

    private mutating func namespaces(_ value: Node) -> [String: String]? {
        guard case .mapping(let mapping) = value else {
            fail("‘namespaces’ takes XML namespaces with Swift names, as in ‘\"urn:bills\": Bills’.", at: value.mark)
            return nil
        }
        var names: [String: String] = [:]
        for (uri, name) in mapping {
            guard let uri = uri.scalar?.string else {
                fail("an XML namespace is a text.", at: uri.mark)
                continue
            }
            names[uri] = text(name, of: .namespaces).flatMap { typeName($0, at: name.mark) }
        }
        return names
    }

    private mutating func root(_ value: Node) -> String? {
        guard let path = text(value, of: .root) else { return nil }
        let url = path.hasPrefix("/") ? URL(filePath: path) : folder.appending(path: path)
        let isFolder = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) != nil
        if !isFolder { fail("there is no folder ‘\(path)’ beside this configuration.", at: value.mark) }
        return url.standardizedFileURL.path
    }

    // MARK: Single WSDLs

    private mutating func readSections(_ value: Node) {
        guard case .mapping(let mapping) = value else {
            return fail("‘wsdls’ takes the paths of WSDLs, and for each the keys that it needs.", at: value.mark)
        }
        for (name, value) in mapping {
            guard let path = name.scalar?.string, !path.isEmpty, !path.hasPrefix("/") else {
                fail("a WSDL is named by its path from the folder of this configuration.", at: name.mark)
                continue
            }
            let url = folder.appending(path: path, directoryHint: .notDirectory)
            guard FileManager.default.fileExists(atPath: url.path) else {
                failMissing(path, url, at: name.mark)
                continue
            }
            guard case .mapping(let keys) = value else {
                fail("‘\(path)’ takes the keys that this WSDL needs.", at: value.mark ?? name.mark)
                continue
            }
            let section = options(keys, allowed: Key.allCases.filter { $0 != .wsdls && $0 != .shards })
            if sections.updateValue(section, forKey: url.realPath) != nil {
                fail("the WSDL ‘\(path)’ is named twice.", at: name.mark)
            }
        }
    }

    private mutating func failMissing(_ path: String, _ url: URL, at mark: Mark?) {
        let others = (try? FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)) ?? []
        let wsdls = others.filter { $0.lowercased().hasSuffix(".wsdl") }.sorted()
        let advice = NearMatch.find(url.lastPathComponent, among: wsdls).map { "; did you mean ‘\($0)’?" } ?? "."
        fail("there is no file ‘\(path)’ in the folder of this configuration\(advice)", at: mark)
    }
}
