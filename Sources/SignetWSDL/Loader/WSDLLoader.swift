package import SignetXML

/// Loads a WSDL 1.1 document and everything it imports and includes.
///
/// The loader touches neither disk nor network: it asks for files below one folder by their path, and refuses every
/// import that leads out of it.
package struct WSDLLoader {
    /// Bounds on all documents together.
    package struct Limits: Sendable {
        /// Number of documents.
        package var documents = 1024
        /// Bytes of all documents.
        package var bytes = 128 << 20
        /// Bounds on each document.
        package var xml = XMLLimits()

        package init() {
            // Generated WSDLs declare a prefix for each schema on their root.
            xml.namespaces = 1024
        }
    }

    /// Returns the bytes of the file with this path, relative to the root folder; nil when there is no such file.
    package typealias Resolver = (_ path: String) throws -> [UInt8]?

    private let limits: Limits
    private let displayFolder: String
    private let folder: [String]
    private let resolve: Resolver

    /// - Parameters:
    ///   - displayFolder: put before each path in locations.
    ///   - folder: the names of the root folder and those above it, outermost first, so that an import which leaves the
    ///     folder and comes back is understood; empty when they are not known.
    ///   - resolve: called for each imported file once.
    package init(
        limits: Limits = .init(), displayFolder: String = "", folder: [String] = [], resolve: @escaping Resolver
    ) {
        self.limits = limits
        self.displayFolder = displayFolder
        self.folder = folder
        self.resolve = resolve
    }

    /// Loads the document with these bytes; `path` is its path relative to the root folder.
    package func load(_ bytes: [UInt8], path: String) throws(WSDLError) -> WSDLDefinitions {
        try load(bytes, PendingDocument(main: path, isSchema: false))
    }

    /// Loads a schema without a WSDL around it.
    package func loadSchema(_ bytes: [UInt8], path: String) throws(WSDLError) -> WSDLDefinitions {
        try load(bytes, PendingDocument(main: path, isSchema: true))
    }

    private func load(_ bytes: [UInt8], _ main: PendingDocument) throws(WSDLError) -> WSDLDefinitions {
        let place = SourceLocation(file: displayFolder + main.document)
        var loading = Loading(definitions: WSDLDefinitions(location: place), main: main)
        try add(bytes, path: main.document, wanted: main, &loading)
        while let next = loading.pending.popFirst() { try follow(next, &loading) }
        try loading.finish()
        return loading.definitions
    }

    /// Reads what an import or include names.
    private func follow(_ next: PendingDocument, _ loading: inout Loading) throws(WSDLError) {
        let catalog = if let known = loading.catalog { known } else { try self.catalog(for: loading.main) }
        loading.catalog = catalog
        if let file = try catalog.path(for: next.reference, in: next.document) {
            if try visit(file, next, &loading) { return }
            throw notFound(file, next)
        }
        let target = ImportTarget(next.reference, from: next.document, folder: folder)
        if case .file(let file) = target, !catalog.excludes(file, from: next.document),
            try visit(file, next, &loading)
        {
            return
        }
        // Standard schemas are built in; no copy is needed.
        if next.isSchema, StandardSchemas.knows(next.namespace) {
            if case .address = target { loading.replaced.append(next) }
            return
        }
        switch target {
        case .file(let file): loading.absent.append((next, notFound(file, next)))
        case .address: loading.leaveUnread(next)
        case .outside(let root): loading.outside.append((next, root))
        case .refused:
            throw WSDLError(
                .importRefused,
                "‘\(next.reference)’ lies outside the folder that may be read; place the file inside, and name it in a "
                    + "catalog.xml beside the WSDL (OASIS XML Catalogs), or here.", at: next.location)
        }
    }

    /// Reads a file below the root, unless it was read before; false when it is not there.
    private func visit(_ file: String, _ wanted: PendingDocument, _ loading: inout Loading) throws(WSDLError) -> Bool {
        if loading.isVisited(file, wanted) { return true }
        guard !loading.known(absent: file), let content = try read(file, at: wanted.location) else {
            loading.note(absent: file)
            return false
        }
        loading.note(visited: file, wanted)
        try add(content, path: file, wanted: wanted, &loading)
        return true
    }

    private func notFound(_ file: String, _ wanted: PendingDocument) -> WSDLError {
        WSDLError(
            .importNotFound, "the imported file ‘\(displayFolder)\(file)’ is not there; put it beside the WSDL.",
            at: wanted.location)
    }

    private func read(_ path: String, at place: SourceLocation) throws(WSDLError) -> [UInt8]? {
        do { return try resolve(path) } catch {
            throw WSDLError(
                .importNotFound, "the file ‘\(displayFolder)\(path)’ cannot be read: \(error).", at: place, cause: error
            )
        }
    }

    /// The catalogs beside the WSDL and in the root folder; the nearer one counts first.
    private func catalog(for main: String) throws(WSDLError) -> Catalog {
        var catalog = Catalog()
        let folder = main.split(separator: "/").dropLast().joined(separator: "/")
        for path in folder.isEmpty ? [Catalog.fileName] : ["\(folder)/\(Catalog.fileName)", Catalog.fileName] {
            let shown = displayFolder + path
            guard let bytes = try read(path, at: SourceLocation(file: shown)), bytes.count <= limits.bytes else {
                continue
            }
            try catalog.add(bytes, path: path, shown: shown, limits: limits.xml)
        }
        return catalog
    }

    /// Reads one document into the definitions and notes what it imports.
    private func add(_ bytes: [UInt8], path: String, wanted: PendingDocument, _ loading: inout Loading)
        throws(WSDLError)
    {
        loading.documents += 1
        loading.bytes += bytes.count
        if loading.documents > limits.documents || loading.bytes > limits.bytes {
            throw WSDLError(
                .limitExceeded,
                "there are more than \(limits.documents) documents or \(limits.bytes) bytes behind this WSDL.",
                at: wanted.location)
        }
        let shown = displayFolder + path
        let (content, hadSpace) = XMLNode.withoutLeadingSpace(bytes)
        if hadSpace {
            loading.definitions.diagnostics.append(
                Diagnostic(
                    .warning, "white space stands before the XML declaration, which XML 1.0 §2.8 forbids.",
                    at: SourceLocation(file: shown, line: 1, column: 1)))
        }
        let root = try XMLNode.parse(content, file: shown, limits: limits.xml)
        loading.path = path
        if wanted.isMain { loading.definitions.location = root.location }
        let isWSDL = root.isNamed(Namespaces.wsdl, "definitions")
        if isWSDL, !wanted.isSchema {
            try loading.readDefinitions(root, isMain: wanted.isMain)
        } else if isWSDL, !wanted.isMain {
            // Some servers import a schema by the address of the WSDL that contains it.
            for types in root.children(Namespaces.wsdl, "types") { try loading.readTypes(types) }
        } else if root.isNamed(Namespaces.schema, "schema"), wanted.isSchema || !wanted.isMain {
            try loading.readSchemaDocument(root, wanted)
        } else if wanted.isMain, !wanted.isSchema, let metadata = root.metadata {
            try loading.readMetadata(metadata)
        } else {
            let expected = wanted.isSchema ? "an XML Schema 1.0" : "a WSDL 1.1 (definitions)"
            let hint = root.isNamed("http://www.w3.org/ns/wsdl", "description") ? " WSDL 2.0 is not supported." : ""
            throw WSDLError(
                .notWSDL, "the root element is \(root.name), but \(expected) is expected here.\(hint)",
                at: root.location)
        }
    }
}
