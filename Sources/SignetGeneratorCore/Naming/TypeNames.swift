import SignetWSDL

/// The Swift name of every bound type.
struct TypeNames {
    private var names: [TypeKey: String] = [:]

    /// Names that generated code uses for something else.
    private static let reserved = Set(BuiltInType.allCases.map(\.rawValue)).union([
        "Any", "Array", "Client", "Int", "Nillable", "Operations", "Optional", "Protocol", "Self", "Sendable",
        "Service",
        "ServiceCaller", "ServiceClient", "ServiceContext", "ServiceDispatcher", "ServiceOperation", "Swift", "Type",
        "Void", "XMLEnumeration", "XMLName", "XMLReader", "XMLStructure", "XMLTable", "XMLWriter",
    ])

    /// Names are given in the order of the keys, so that they do not depend on the order of the documents.
    init(_ schema: BoundSchema) {
        var table = NameTable(reserved: Self.reserved)
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
            let suffixed = key.root == .element ? "\(own)Message" : "\(own)Type"
            // In a script without case a property would hide the type that it has.
            names[key] = SwiftName.member(own) == own ? table.take(suffixed, suffixed) : table.take(own, suffixed)
        }
    }

    func name(of key: TypeKey) -> String { names[key] ?? SwiftName.type(key.name.localName) }

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
