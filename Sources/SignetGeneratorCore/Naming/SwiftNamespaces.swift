import SignetWSDL

/// The Swift namespace of a service, and the enums inside it that hold the types of XML namespaces.
struct SwiftNamespaces {
    let service: String
    /// The enums that are not empty, sorted.
    let plans: [NamespacePlan]
    private let containers: [String: String]

    var names: [String] { plans.map(\.name) }

    /// Names that a nested type must not hide.
    var reserved: [String] { plans.isEmpty ? [] : names + [service] }

    /// - Parameter names: the enums' names by the names of the XML namespaces.
    init(service: String, names: [String: String], _ schema: BoundSchema) {
        self.service = service
        let used = Set(schema.types.keys.map(\.name.namespace))
        containers = names.filter { used.contains($0.key) }
        let uris = Dictionary(grouping: containers.keys) { names[$0] ?? "" }
        plans = uris.map { NamespacePlan(name: $0.key, uris: $0.value.sorted()) }.sorted { $0.name < $1.name }
    }

    /// Warns of names for XML namespaces that no schema has.
    static func check(_ options: GeneratorOptions, _ definitions: WSDLDefinitions, _ diagnostics: inout Diagnostics) {
        let names = options.namespaces ?? [:]
        let schema = definitions.schema
        let present = Set(schema.types.keys.map(\.namespace)).union(schema.elements.keys.map(\.namespace))
        for (uri, name) in names.sorted(by: { $0.key < $1.key }) where !present.contains(uri) {
            let all = present.sorted().quotedList(limit: 10)
            diagnostics.warning(
                "‘\(name)’ is to hold the types of ‘\(uri)’, but this WSDL has nothing in that namespace; it has \(all).",
                at: options.place(of: uri, under: "namespaces", else: definitions.location))
        }
    }

    func container(of key: TypeKey) -> String? { containers[key.name.namespace] }

    /// The reference to a type in one enum from code in another enum or in the service's own namespace.
    func reference(to type: String, in container: String?, from home: String?) -> String {
        if container == home { return type }
        // An extension of an enum does not see the declarations around the enum.
        return home == nil
            ? [container, type].compactMap { $0 }.joined(separator: ".") : qualified(type, in: container)
    }

    /// The name of a type for code outside of the service's namespace.
    func qualified(_ type: String, in container: String?) -> String {
        [service, container, type].compactMap { $0 }.joined(separator: ".")
    }
}
