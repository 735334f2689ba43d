/// Who may see the generated declarations.
package enum AccessLevel: String, Sendable, Hashable, CaseIterable {
    case `public`, package, `internal`

    /// What stands before a declaration.
    var modifier: String { self == .internal ? "" : "\(rawValue) " }
}

/// What to make of a WSDL.
package struct GeneratorOptions: Sendable {
    package var access = AccessLevel.public
    /// The operations to make, by their names in the WSDL; nil for all of them.
    package var operations: [String]?
    /// The service to make, by its name in the WSDL; needed where there are several.
    package var service: String?
    /// The name of the Swift namespace; nil to make it from the service's name.
    package var namespace: String?

    package init() {}
}
