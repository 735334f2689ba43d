import SignetWSDL

/// The Swift name of every bound type.
struct TypeNames {
    private var names: [TypeKey: String] = [:]
    private let namespaces: SwiftNamespaces
    /// The enum in whose extension the names are used; nil for the service's own namespace.
    private var home: String?

    /// Names that generated code uses for something else.
    private static let reserved = Set(BuiltInType.allCases.map(\.rawValue)).union([
        "Any", "Array", "Client", "Hashable", "HeaderBlock", "HeaderElement", "Headers", "Int", "Nillable",
        "OneWayOperation",
        "Operations", "Optional", "Ports", "Protocol", "Self", "Sendable", "Service", "ServiceCaller",
        "ServiceClient", "ServiceContext", "ServiceDispatcher", "ServiceOperation", "ServicePort", "Swift", "Type",
        "Void", "XMLEnumeration", "XMLName", "XMLReader", "XMLStructure", "XMLTable", "XMLWriter",
    ])

    /// Names are given in the order of the keys, so that they do not depend on the order of the documents.
    init(_ schema: BoundSchema, in namespaces: SwiftNamespaces) {
        self.namespaces = namespaces
        let reserved = Self.reserved.union(namespaces.reserved)
        var tables: [String?: NameTable] = [:]
        for key in schema.types.keys.sorted() {
            let outer = names[TypeKey(root: key.root, name: key.name, path: key.path.dropLast())]
            let own: String
            if let last = key.path.last {
                // An anonymous type inside another one; the global component itself need not be a type.
                own =
                    (outer ?? SwiftName.type(([key.name.localName] + key.path.dropLast()).joined(separator: " ")))
                    + SwiftName.type(last)
            } else {
                own = SwiftName.type(key.name.localName)
            }
            let container = namespaces.container(of: key)
            var table = tables[container] ?? NameTable(reserved: reserved)
            let suffixed = key.root == .element || key.root == .message ? "\(own)Message" : "\(own)Type"
            // In a script without case a property would hide the type that it has.
            names[key] = SwiftName.member(own) == own ? table.take(suffixed, suffixed) : table.take(own, suffixed)
            tables[container] = table
        }
    }

    /// The name in the declaration.
    func ownName(of key: TypeKey) -> String { names[key] ?? SwiftName.type(key.name.localName) }

    /// The name by which other code finds the type.
    func name(of key: TypeKey) -> String {
        namespaces.reference(to: ownName(of: key), in: namespaces.container(of: key), from: home)
    }

    /// The names for use inside a type.
    func inside(_ key: TypeKey) -> TypeNames {
        var result = self
        result.home = namespaces.container(of: key)
        return result
    }

    func name(of reference: BoundReference) -> String {
        switch reference {
        case .builtIn(let type): type.rawValue
        case .declared(let key): name(of: key)
        }
    }

    /// The name of the namespace itself must not hide what the code below it uses.
    static func namespace(_ name: String) -> String {
        var table = NameTable(reserved: reserved)
        return table.take(SwiftName.type(name), "\(SwiftName.type(name))Service")
    }
}
