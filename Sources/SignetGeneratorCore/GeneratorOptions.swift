/// Who may see the generated declarations.
package enum AccessLevel: String, Sendable, Hashable, CaseIterable {
    case `public`, package, `internal`

    /// What stands before a declaration.
    var modifier: String { self == .internal ? "" : "\(rawValue) " }
}

/// What to make of a WSDL. Nil says nothing, so that options can be laid over others.
package struct GeneratorOptions: Sendable, Hashable {
    /// Nil for public.
    package var access: AccessLevel?
    /// Modules that the generated files import beside the library.
    package var imports: [ModuleImport]?
    /// The operations to make, by their names in the WSDL; nil for all of them.
    package var operations: [String]?
    /// The service to make, by its name in the WSDL; needed where there are several.
    package var service: String?
    /// The port that decides the version of SOAP and how messages are bound, by its name in the WSDL; nil for the first one
    /// of SOAP 1.1 or, without one, of SOAP 1.2.
    package var port: String?
    /// The name of the Swift namespace; nil to make it from the service's name.
    package var namespace: String?
    /// Swift names of XML namespaces: the types of such a namespace are put into an enum of that name.
    package var namespaces: [String: String]?
    /// The highest folder that imports may lead to; nil for the folder of the WSDL.
    package var root: String?

    package init() {}

    /// The name that a Swift namespace gets when this one is asked for; the same one if it is fit.
    package static func namespace(for name: String) -> String { TypeNames.namespace(name) }

    /// These options, and the other ones where these say nothing.
    package func overriding(_ other: GeneratorOptions) -> GeneratorOptions {
        var result = self
        result.access = access ?? other.access
        result.imports = imports ?? other.imports
        result.operations = operations ?? other.operations
        result.service = service ?? other.service
        result.port = port ?? other.port
        result.namespace = namespace ?? other.namespace
        result.namespaces = namespaces ?? other.namespaces
        result.root = root ?? other.root
        return result
    }
}
