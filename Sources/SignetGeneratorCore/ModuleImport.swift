/// A module that generated files import.
package struct ModuleImport: Sendable, Hashable {
    /// The access level of the import; nil leaves it to the language mode, as a plain `import` does.
    package var access: AccessLevel?
    package var module: String
    /// The name of the SPI (`@_spi`) that the import includes, or nil.
    var interface: String?

    package init(_ module: String, access: AccessLevel? = nil) {
        self.module = module
        self.access = access
    }

    init(_ module: String, access: AccessLevel?, interface: String) {
        self.init(module, access: access)
        self.interface = interface
    }

    /// Reads `Module` or `public Module`; nil for any other text.
    package init?(parsing text: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard let module = words.last.map(String.init), Self.isIdentifier(module) else { return nil }
        switch words.count {
        case 1: self.init(module)
        case 2:
            guard let access = AccessLevel(rawValue: String(words[0])) else { return nil }
            self.init(module, access: access)
        default: return nil
        }
    }

    private static func isIdentifier(_ name: String) -> Bool {
        let scalars = name.unicodeScalars
        guard !SwiftName.keywords.contains(name), let first = scalars.first, first == "_" || first.properties.isXIDStart
        else { return false }
        return scalars.allSatisfy(\.properties.isXIDContinue)
    }

    /// The lines of the import. They compile whether or not imports are internal by default, also beside a plain import
    /// of the same module in a file written by hand: where imports are public by default, that one and a package import
    /// of the same module are refused together.
    var code: [SwiftCode] {
        let attribute = interface.map { "@_spi(\($0)) " } ?? ""
        return switch access {
        case nil: [.line("\(attribute)import \(module)")]
        case .package:
            [
                .line("#if hasFeature(InternalImportsByDefault)"), .line("    \(attribute)package import \(module)"),
                .line("#else"),
                .line("    \(attribute)import \(module)"), .line("#endif"),
            ]
        case .public, .internal: [.line("\(attribute)\(access?.rawValue ?? "") import \(module)")]
        }
    }
}
