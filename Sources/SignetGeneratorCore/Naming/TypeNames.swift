import SignetWSDL

/// The Swift name of every bound type.
struct TypeNames {
    private var names: [TypeKey: String] = [:]
    private var protocols: [TypeKey: String] = [:]
    /// The types whose configured name another type has, so that they got a number.
    private(set) var refused: Set<TypeKey> = []
    /// The preferred names of types without a configured name.
    private(set) var wanted: [TypeKey: String] = [:]
    private let namespaces: SwiftNamespaces
    /// The enum in whose extension the code uses the names; nil for the service's own namespace.
    private var home: String?

    /// Names are given in the order of the keys, so that they do not depend on the order of the documents.
    init(_ schema: BoundSchema, in namespaces: SwiftNamespaces, options: GeneratorOptions = .init()) {
        self.namespaces = namespaces
        let reserved = Set(namespaces.reserved)
        var owners: [String: String] = [:]
        var tables: [String?: NameTable] = [:]
        func take(_ candidates: [String], in container: String?) -> String {
            tables[
                container,
                default: NameTable(reserved: reserved, foldsCase: true, isReserved: SwiftName.isReservedType)
            ].take(candidates)
        }
        var words: [String: String] = [:]
        func word(for key: TypeKey) -> String {
            if let known = words[key.name.namespace] { return known }
            let word = SwiftName.type(namespace: key.name.namespace)
            words[key.name.namespace] = word
            return word
        }
        // Elements of the messages themselves keep their names, whatever the schemas import.
        let homes = Set(schema.messages.keys.map(\.name.namespace))
        func rank(_ key: TypeKey) -> Int { 2 * key.path.count + (homes.contains(key.name.namespace) ? 0 : 1) }
        let ranked = schema.types.keys.map { (key: $0, rank: rank($0)) }
        let keys = ranked.sorted { $0.rank == $1.rank ? $0.key < $1.key : $0.rank < $1.rank }.map(\.key)
        // Configured names take precedence over derived names.
        var served: Set<QName> = []
        for key in keys {
            guard let name = Self.chosen(key, options) else { continue }
            let tried = [name] + candidates(for: key, name, word(for: key), isForeign: false)
            let given = take(tried, in: namespaces.container(of: key))
            names[key] = given
            // An element and its type often have the same name; then the configured name applies to both, and one keeps
            // its suffix.
            if given == name {
                served.insert(key.name)
            } else if !served.contains(key.name) || !tried.contains(given) {
                refused.insert(key)
            }
        }
        for key in keys where names[key] == nil {
            // Two schemas may have a type with the same name: the second one's name includes its namespace.
            let plain = SwiftName.type(key.name.localName).lowercased()
            let isForeign = owners[plain].map { $0 != key.name.namespace } ?? false
            if key.path.isEmpty && owners[plain] == nil { owners[plain] = key.name.namespace }
            let candidates = candidates(
                for: key, SwiftName.type(key.name.localName), word(for: key), isForeign: isForeign)
            wanted[key] = candidates.first
            names[key] = take(candidates, in: namespaces.container(of: key))
        }
        for key in keys where schema.types[key]?.isBase == true {
            protocols[key] = take(["\(ownName(of: key))Protocol"], in: namespaces.container(of: key))
        }
    }

    static func chosen(_ key: TypeKey, _ options: GeneratorOptions) -> String? {
        guard key.path.isEmpty, let name = options.override(of: key.name, in: options.names) else { return nil }
        // A name in lower case is for an operation. A later check refuses names that the library reserves.
        return SwiftName.type(name) == name || SwiftName.isReservedType(name) ? name : nil
    }

    /// The candidate names, the best one first, derived from the component's name; `word` stands for the namespace.
    private func candidates(for key: TypeKey, _ own: String, _ word: String, isForeign: Bool) -> [String] {
        guard let last = key.path.last else {
            let suffix =
                switch key.root {
                case .type, .attribute: "Type"
                case .element, .message: "Message"
                case .group: "Group"
                case .substitution: "Choice"
                }
            let suffixed = own + suffix
            // In a script without case, a property would hide its own type.
            if key.root == .substitution || SwiftName.member(own) == own { return [suffixed, suffixed + word] }
            return key.root == .type && isForeign
                ? [own, own + word, suffixed + word] : [own, suffixed, suffixed + word]
        }
        // An anonymous type inside another one; the global component itself may have no type.
        let outer =
            names[TypeKey(root: key.root, name: key.name, path: key.path.dropLast())]
            ?? SwiftName.type(([key.name.localName] + key.path.dropLast()).joined(separator: " "))
        let own = outer + SwiftName.type(last)
        let suffixed = key.root == .element || key.root == .message ? "\(own)Message" : "\(own)Type"
        return SwiftName.member(own) == own ? [suffixed] : [own, suffixed, suffixed + word]
    }

    /// The name of the service's namespace.
    var service: String { namespaces.service }

    /// The name in the declaration.
    func ownName(of key: TypeKey) -> String { names[key] ?? SwiftName.type(key.name.localName) }

    /// The name of the protocol of the types derived from a base, in its declaration.
    func ownProtocol(of key: TypeKey) -> String { protocols[key] ?? "\(ownName(of: key))Protocol" }

    /// The name of the type for code elsewhere.
    func name(of key: TypeKey) -> String {
        namespaces.reference(to: ownName(of: key), in: namespaces.container(of: key), from: home)
    }

    func protocolName(of key: TypeKey) -> String {
        namespaces.reference(to: ownProtocol(of: key), in: namespaces.container(of: key), from: home)
    }

    /// The name of a type for code outside of the service's namespace.
    func qualifiedName(of key: TypeKey) -> String {
        namespaces.qualified(ownName(of: key), in: namespaces.container(of: key))
    }

    /// The same for the protocol of the types derived from a base.
    func qualifiedProtocol(of key: TypeKey) -> String {
        namespaces.qualified(ownProtocol(of: key), in: namespaces.container(of: key))
    }

    /// The names for use inside a type.
    func inside(_ key: TypeKey) -> TypeNames {
        var result = self
        result.home = namespaces.container(of: key)
        return result
    }

    func name(of reference: BoundReference) -> String {
        switch reference {
        case .builtIn(let type): type.swiftName
        case .declared(let key): name(of: key)
        case .list(let item): "XSDList<\(name(of: item))>"
        case .external(let name, _): name
        }
    }

    /// The Swift namespace for a name. It must not hide a declaration that the code inside it uses.
    static func namespace(_ name: String) -> String {
        var table = NameTable(isReserved: SwiftName.isReservedType)
        return table.take(SwiftName.type(name), "\(SwiftName.type(name))Service")
    }
}

extension SwiftName {
    /// A word for an XML namespace: the last meaningful part of its name, such as `Billing` of
    /// `http://example.com/2019/billing/v2`, followed by the version.
    static func type(namespace: String) -> String {
        let parts = namespace.split { $0 == "/" || $0 == ":" || $0 == "#" || $0 == "?" }
        func saysSomething(_ part: Substring) -> Bool {
            let letters = part.filter(\.isLetter)
            let word = letters.lowercased()
            return letters.count > 1 && !Self.empty.contains(word)
        }
        guard let place = parts.lastIndex(where: saysSomething) else { return "Other" }
        let version = parts[(place + 1)...].first { $0.contains(where: \.isNumber) } ?? ""
        let word = parts[place].split(separator: ".").last { saysSomething($0) } ?? parts[place]
        return type("\(word) \(version)")
    }

    /// Words that do not distinguish namespaces.
    private static let empty: Set<String> = [
        "com", "http", "https", "ns", "org", "schema", "schemas", "type", "types", "urn", "wsdl", "www", "xsd",
    ]
}
