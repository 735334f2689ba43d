package import SignetWSDL

/// The access level of the generated declarations.
package enum AccessLevel: String, Sendable, Hashable, CaseIterable {
    case `public`, package, `internal`

    /// The modifier before a declaration, with a space; empty for `internal`.
    var modifier: String { self == .internal ? "" : "\(rawValue) " }
}

/// The derived types that get Swift declarations.
package enum DerivedTypes: Sendable, Hashable {
    /// All derived types of the schemas.
    case all
    /// The derived types to which a declaration refers directly.
    case named
    /// The listed types, `Type` or `{namespace}Type`, and the derived types to which a declaration refers directly.
    case listed([String])

    /// Reads `all`, `named`, or names of types separated by commas.
    package init(_ text: String) {
        switch text {
        case "all": self = .all
        case "named": self = .named
        default: self = .listed(text.split(separator: ",").map(String.init))
        }
    }
}

/// The options of the generator. Nil means that the option is not set, so that one set of options can override another.
package struct GeneratorOptions: Sendable, Hashable {
    /// The access level of generated declarations; a configuration without it means internal.
    package var access: AccessLevel?
    /// Modules that the generated files import beside the library.
    package var imports: [ModuleImport]?
    /// The operations to generate, by their names in the WSDL; nil for all of them.
    package var operations: [String]?
    /// The service to generate, by its name in the WSDL; required when the WSDL has several.
    package var service: String?
    /// The port that decides the version of SOAP and how messages are bound, by its name in the WSDL; nil for the first
    /// one of SOAP 1.1 or, without one, of SOAP 1.2 or, without one, of HTTP without SOAP.
    package var port: String?
    /// The name of the Swift namespace; nil to derive it from the service's name.
    package var namespace: String?
    /// Swift names of XML namespaces: the types of such a namespace are put into an enum of that name.
    package var namespaces: [String: String]?
    /// Swift names by names of the WSDL: `Type` or `{namespace}Type`, `Type.element`, `Type.value`, and an operation's.
    package var names: [String: String]?
    /// Swift types, declared elsewhere, by names of schema types: `Type` or `{namespace}Type`.
    package var types: [String: String]?
    /// The derived types that get declarations; nil for all.
    package var derived: DerivedTypes?
    /// Whether it is an error when a component is left out, or bound to XMLAny because the schema cannot be followed;
    /// nil means no.
    package var strict: Bool?
    /// The number of files for the types; nil for four.
    package var shards: Int?
    /// The highest folder that imports may lead to; nil for the folder of the WSDL.
    package var root: String?
    /// The places where a configuration names components of the WSDL.
    package var places: [Mention: SourceLocation] = [:]

    /// A name of the WSDL under a key of a configuration.
    package struct Mention: Sendable, Hashable {
        package var key: String
        package var name: String

        package init(_ key: String, _ name: String) { (self.key, self.name) = (key, name) }
    }

    package init() {}

    /// The place to report for a name of the WSDL: that in the configuration, or else `place`.
    func place(of name: String, under key: String, else place: SourceLocation) -> SourceLocation {
        places[Mention(key, name)] ?? place
    }

    /// The Swift namespace for a requested name; the name itself when it is valid.
    package static func namespace(for name: String) -> String { TypeNames.namespace(name) }

    /// These options; options that are not set take the other's values.
    package func overriding(_ other: GeneratorOptions) -> GeneratorOptions {
        var result = self
        result.access = access ?? other.access
        result.imports = imports ?? other.imports
        result.operations = operations ?? other.operations
        result.service = service ?? other.service
        result.port = port ?? other.port
        result.namespace = namespace ?? other.namespace
        result.namespaces = namespaces ?? other.namespaces
        result.names = names ?? other.names
        result.types = types ?? other.types
        result.derived = derived ?? other.derived
        result.strict = strict ?? other.strict
        result.shards = shards ?? other.shards
        // A place counts only when the option written there does.
        let said: [String: Bool] = [
            "operations": operations != nil, "service": service != nil, "port": port != nil, "names": names != nil,
            "types": types != nil, "namespaces": namespaces != nil, "derived": derived != nil,
        ]
        result.places.merge(other.places.filter { said[$0.key.key] != true }) { own, _ in own }
        result.root = root ?? other.root
        return result
    }
}

extension GeneratorOptions {
    /// Warns of types under `derived` that do not exist, or have no base: they would have no effect.
    private func reportUnknownDerivedTypes(_ definitions: WSDLDefinitions, _ diagnostics: inout Diagnostics) {
        guard case .listed(let wanted) = derived else { return }
        let derived = definitions.schema.types.keys.filter { name in
            if case .complex(let type)? = definitions.schema.types[name] { type.base != nil } else { false }
        }
        let known = Set(derived.flatMap { [$0.localName, "{\($0.namespace)}\($0.localName)"] })
        for name in wanted where !known.contains(name) {
            let hint = NearMatch.hint(Self.localName(name), among: Set(derived.map(\.localName)).sorted())
            diagnostics.error(
                "‘derived’ has ‘\(name)’, but no type of this WSDL that is called so is derived from another one\(hint)",
                at: place(of: name, under: "derived", else: definitions.location))
        }
    }

    var isStrict: Bool { strict == true }

    /// The method's name for an operation: the configured one, which begins in lower case, or one derived from the
    /// WSDL's name.
    func operationName(_ name: String) -> String {
        let made = SwiftName.member(name)
        guard let chosen = names?[name], SwiftName.member(chosen) == chosen else { return made }
        return chosen
    }

    /// The same for an operation that may share its name with others: without a configured name each gets a distinct
    /// one.
    func operationName(_ operation: SelectedOperation) -> String {
        let name = operationName(operation.name)
        return name == SwiftName.member(operation.name) ? SwiftName.member(operation.distinctName) : name
    }

    /// Explains why a configured name cannot be a Swift name, by naming the proper one; nil when the name is valid.
    package static func suggestedName(_ name: String, for component: String) -> String? {
        // A dot in the name of a namespace does not separate a property.
        let local = localName(component)
        let isMember = local.utf8.contains(UInt8(ascii: ".")) || name.first?.isLowercase == true
        let proper = isMember ? SwiftName.member(name) : SwiftName.type(name)
        return proper == name ? nil : proper
    }

    /// The text after the braces of `{namespace}name`, or the whole text when it has no braces.
    static func localName(_ component: String) -> String {
        let scalars = component.unicodeScalars
        guard scalars.first == "{", let end = scalars.firstIndex(of: "}") else { return component }
        return String(scalars[end...].dropFirst())
    }

    /// The type and the property or case that `Type.member` names: names of XML and values of enumerations may contain
    /// dots. The longest name of a type counts.
    static func member(_ local: String, _ isType: (String) -> Bool) -> (type: String, name: String)? {
        let scalars = local.unicodeScalars
        for dot in scalars.indices.reversed() where scalars[dot] == "." {
            let type = String(scalars[..<dot])
            if isType(type) { return (type, String(scalars[dot...].dropFirst())) }
        }
        return nil
    }

    /// Whether a text is the path of a Swift type, such as `Money` or `Shared.Money`.
    package static func isTypePath(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return !parts.isEmpty && parts.allSatisfy { SwiftName.type(String($0)) == $0 && !$0.isEmpty }
    }

    /// The value in a map for a component, by its expanded name or by its local name.
    func override(of name: QName, member: String? = nil, in map: [String: String]?) -> String? {
        guard let map else { return nil }
        let suffix = member.map { ".\($0)" } ?? ""
        return map["{\(name.namespace)}\(name.localName)\(suffix)"] ?? map["\(name.localName)\(suffix)"]
    }

    /// Warns of configured type names that do not begin with a capital: they would have no effect.
    private func reportMisplacedNames(
        types: Set<String>, _ definitions: WSDLDefinitions, _ diagnostics: inout Diagnostics
    ) {
        for (component, name) in (names ?? [:]).sorted(by: { $0.key < $1.key })
        where types.contains(Self.localName(component)) && SwiftName.type(name) != name
            && !SwiftName.isReservedType(name)
        {
            diagnostics.error(
                "‘names’ calls the type ‘\(component)’ ‘\(name)’; a name for a type begins with a capital, such as ‘\(SwiftName.type(name))’.",
                at: place(of: component, under: "names", else: definitions.location))
        }
    }

    /// Warns of configured names that the WSDL does not have: a misspelled name would have no effect.
    func reportUnknownNames(_ definitions: WSDLDefinitions, _ diagnostics: inout Diagnostics) {
        let schema = definitions.schema
        let types = Set(schema.types.keys.map(\.localName))
        let operations = definitions.bindings.values.flatMap { $0.operations.map(\.name) }
        let named = types.union(schema.elements.keys.map(\.localName)).union(operations)
            .union(operations.map { "\($0)Response" })
        reportUnknownDerivedTypes(definitions, &diagnostics)
        reportMisplacedNames(types: named.subtracting(operations), definitions, &diagnostics)
        for (key, map, known) in [("names", names, named), ("types", self.types, types)] {
            for component in (map ?? [:]).keys.sorted() {
                let local = Self.localName(component)
                // The text after a dot names a property or a case, unless the component's own name contains a dot.
                if known.contains(local) || Self.member(local, known.contains) != nil { continue }
                let owner = local.unicodeScalars.firstIndex(of: ".").map { String(local[..<$0]) }
                diagnostics.warning(
                    "‘\(key)’ has ‘\(component)’, but nothing in this WSDL is called so"
                        + "\(NearMatch.hint(owner ?? local, among: known.sorted())) It has no effect.",
                    at: place(of: component, under: key, else: definitions.location))
            }
        }
    }
}
