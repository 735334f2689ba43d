#if CommandLine
import Foundation
import Signet
import SignetGeneratorConfiguration
import SignetWSDL
import Yams

/// A list of services in YAML, and how the client connects to each of them today.
struct EndpointList {
    /// A value with its place.
    struct Value {
        var text: String
        var place: SourceLocation
    }

    /// One service.
    struct Entry {
        var name: String
        var endpoint: Endpoint
        /// The files of the authorities, by their paths from the working folder.
        var authorities: [Value] = []
        var proxy: Proxy?
        /// The file of the identity that the client uses today.
        var identity: Value?
        var passwordFile: Value?
    }

    enum Key: String, CaseIterable {
        case url, name, ca, proxy, identity
        case passwordFile = "identity-password-file"
    }

    /// A longer list is a mistake.
    private static let maximumEntries = 1_000
    private static let maximumBytes = 1 << 20

    private(set) var entries: [Entry] = []
    private var diagnostics: [Diagnostic] = []
    private let file: String
    private let folder: URL

    /// - Throws: ``CommandError`` with all mistakes, each with its place.
    init(file: String) throws(CommandError) {
        let text = try BoundedFile.readText(file, name: "The list “\(file)”", maximumBytes: Self.maximumBytes)
        self.file = file
        folder = URL(filePath: file).deletingLastPathComponent()
        read(text)
        guard diagnostics.isEmpty else {
            throw CommandError(diagnostics.map { "\($0)" }.joined(separator: "\n"))
        }
    }

    private mutating func read(_ text: String) {
        let document: Node?
        do { document = try YAMLText.document(in: text) } catch {
            return fail(error.message, at: SourceLocation(file: file, line: error.line, column: error.column))
        }
        guard case .sequence(let items)? = document, !items.isEmpty else {
            return fail(
                "this is a list of services, each as in ‘- url: https://api.example/soap’.", at: place(document?.mark))
        }
        guard items.count <= Self.maximumEntries else {
            return fail("the list has more than \(Self.maximumEntries) services.", at: place(items.mark))
        }
        for item in items { if let entry = entry(item) { entries.append(entry) } }
    }

    private mutating func entry(_ item: Node) -> Entry? {
        guard case .mapping(let mapping) = item else {
            fail(
                "a service is written as ‘- url: https://api.example/soap’, with further keys below.",
                at: place(item.mark))
            return nil
        }
        var values: [Key: [Value]] = [:]
        for (name, value) in mapping {
            guard let word = name.scalar?.string, let key = Key(rawValue: word) else {
                failUnknown(name)
                continue
            }
            values[key] = texts(value, of: key)
        }
        guard let url = values[.url]?.first else {
            if mapping[Key.url.rawValue] == nil { fail("this service has no ‘url’.", at: place(item.mark)) }
            return nil
        }
        guard let endpoint = endpoint(url) else { return nil }
        var entry = Entry(name: values[.name]?.first?.text ?? "\(endpoint.origin)", endpoint: endpoint)
        entry.authorities = (values[.ca] ?? []).map(resolved)
        entry.identity = values[.identity]?.first.map(resolved)
        entry.passwordFile = values[.passwordFile]?.first.map(resolved)
        if let word = values[.proxy]?.first {
            do { entry.proxy = try Proxy(word.text) } catch { fail("\(error)", at: word.place) }
        }
        if entry.identity == nil, let password = entry.passwordFile {
            fail("‘\(Key.passwordFile.rawValue)’ is about an identity; give ‘identity’ too.", at: password.place)
        }
        return entry
    }

    private mutating func endpoint(_ url: Value) -> Endpoint? {
        do {
            let endpoint = try Endpoint(url.text)
            if endpoint.origin.scheme == .https { return endpoint }
            fail(
                "a rehearsal is about TLS, but \(endpoint.origin) uses plain HTTP; give an address with https://, or leave this service out.",
                at: url.place)
        } catch { fail("\(error)", at: url.place) }
        return nil
    }

    /// The text of a key; of `ca`, also a list of texts.
    private mutating func texts(_ value: Node, of key: Key) -> [Value] {
        if case .sequence(let items) = value, key == .ca, !items.isEmpty {
            return items.flatMap { item in
                if case .scalar = item { return texts(item, of: key) }
                fail("‘ca’ takes the path of a file, or a list of paths.", at: place(item.mark))
                return []
            }
        }
        guard case .scalar(let scalar) = value, !value.isNothing, !scalar.string.isEmpty else {
            let form = key == .ca ? "the path of a file, or a list of paths" : "a single text"
            fail("‘\(key.rawValue)’ takes \(form); give it, or leave the key out.", at: place(value.mark))
            return []
        }
        return [Value(text: scalar.string, place: place(value.mark))]
    }

    /// A path as seen from the folder of the list.
    private func resolved(_ value: Value) -> Value {
        guard !value.text.hasPrefix("/") else { return value }
        return Value(text: folder.appending(path: value.text).path(percentEncoded: false), place: value.place)
    }

    private mutating func failUnknown(_ name: Node) {
        let word = name.scalar?.string ?? ""
        let keys = Key.allCases.map(\.rawValue)
        let advice = NearMatch.find(word, among: keys).map { "did you mean ‘\($0)’? The keys are" } ?? "the keys are"
        fail("a service has no key ‘\(word)’; \(advice) \(keys.joined(separator: ", ")).", at: place(name.mark))
    }

    private func place(_ mark: Mark?) -> SourceLocation {
        SourceLocation(file: file, line: mark?.line ?? 0, column: mark?.column ?? 0)
    }

    private mutating func fail(_ message: String, at place: SourceLocation) {
        diagnostics.append(Diagnostic(.error, message, at: place))
    }
}
#endif
