package import SignetXML

/// Loads a WSDL 1.1 document and whatever it imports and includes.
///
/// The loader touches neither disk nor network: it asks for files below one folder by their path, and refuses every import
/// that leads out of it.
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

    /// Gives the bytes of the file with this path, relative to the root folder; nil when there is none.
    package typealias Resolver = (_ path: String) throws -> [UInt8]?

    private let limits: Limits
    private let displayFolder: String
    private let resolve: Resolver

    /// - Parameters:
    ///   - displayFolder: put before each path in locations.
    ///   - resolve: called for each imported file once.
    package init(limits: Limits = .init(), displayFolder: String = "", resolve: @escaping Resolver) {
        self.limits = limits
        self.displayFolder = displayFolder
        self.resolve = resolve
    }

    /// Loads the document with these bytes; `path` is its path relative to the root folder.
    package func load(_ bytes: [UInt8], path: String) throws(WSDLError) -> WSDLDefinitions {
        let main = SourceLocation(file: displayFolder + path)
        var loading = Loading(definitions: WSDLDefinitions(location: main), main: path)
        try add(bytes, path: path, wanted: nil, importedAt: main, &loading)
        var catalog: Catalog?
        while let next = loading.pending.popFirst() {
            switch next.source {
            case .file(let file):
                guard let content = try read(file, at: next.location) else {
                    throw WSDLError(
                        .importNotFound,
                        "the imported file ‘\(displayFolder)\(file)’ is not there; put it beside the WSDL.",
                        at: next.location)
                }
                try add(content, path: file, wanted: next, importedAt: next.location, &loading)
            case .address(let address):
                if catalog == nil { catalog = try self.catalog(for: path) }
                if let file = try catalog?.path(for: address) {
                    loading.request(file, for: next)
                } else {
                    loading.leaveUnread(address, next)
                }
            }
        }
        return loading.definitions
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
    private func add(
        _ bytes: [UInt8], path: String, wanted: PendingDocument?, importedAt place: SourceLocation,
        _ loading: inout Loading
    ) throws(WSDLError) {
        loading.documents += 1
        loading.bytes += bytes.count
        if loading.documents > limits.documents || loading.bytes > limits.bytes {
            throw WSDLError(
                .limitExceeded,
                "there are more than \(limits.documents) documents or \(limits.bytes) bytes behind this WSDL.",
                at: place)
        }
        let root = try XMLNode.parse(bytes, file: displayFolder + path, limits: limits.xml)
        loading.path = path
        if root.isNamed(Namespaces.wsdl, "definitions"), wanted?.isSchema != true {
            if wanted == nil { loading.definitions.location = root.location }
            try loading.readDefinitions(root, isMain: wanted == nil)
        } else if root.isNamed(Namespaces.schema, "schema"), wanted != nil {
            try loading.readSchemaDocument(root, including: wanted?.includingNamespace)
        } else {
            let expected = wanted?.isSchema == true ? "an XML Schema 1.0" : "a WSDL 1.1 (definitions)"
            throw WSDLError(
                .notWSDL, "the root element is \(root.name), but \(expected) is expected here.", at: root.location)
        }
    }
}

/// A document that another one imports or includes.
struct PendingDocument {
    enum Source {
        /// A path relative to the root folder.
        case file(String)
        /// An address, for which a catalog may know a file.
        case address(String)
    }

    var source: Source
    /// The namespace that the import says it brings.
    var namespace: String
    /// Where it is imported.
    var location: SourceLocation
    var isSchema: Bool
    /// The namespace that an included schema without one takes over (XML Schema Part 1 §4.2.1).
    var includingNamespace: String?
}

/// The state of one load.
struct Loading {
    var definitions: WSDLDefinitions
    var pending: ArraySlice<PendingDocument> = []
    /// The path of the document that is being read.
    var path = ""
    var documents = 0
    var bytes = 0
    private var requested: Set<[String]>
    private var complete: Set<String> = []

    init(definitions: WSDLDefinitions, main: String) {
        self.definitions = definitions
        requested = [Self.request(main, isSchema: false, including: nil)]
    }

    private static func request(_ file: String, isSchema: Bool, including: String?) -> [String] {
        [file, isSchema ? "schema" : "definitions", including ?? ""]
    }

    /// Notes a document to be read, unless it was noted before.
    mutating func request(
        _ location: String, at node: XMLNode, namespace: String, isSchema: Bool, including: String? = nil
    ) throws(WSDLError) {
        let document = PendingDocument(
            source: .address(location), namespace: namespace, location: node.location, isSchema: isSchema,
            includingNamespace: including)
        switch ImportTarget(location, from: path) {
        case .file(let file): request(file, for: document)
        case .address:
            // What the namespace `xml` declares is known.
            if namespace == Namespaces.xml { return }
            pending.append(document)
        case .refused:
            throw WSDLError(
                .importRefused,
                "‘\(location)’ lies outside the folder that may be read; place the file inside, or choose a higher folder "
                    + "as root (--root).", at: node.location)
        }
    }

    mutating func request(_ file: String, for document: PendingDocument) {
        let request = Self.request(file, isSchema: document.isSchema, including: document.includingNamespace)
        guard requested.insert(request).inserted else { return }
        var document = document
        document.source = .file(file)
        pending.append(document)
    }

    mutating func leaveUnread(_ address: String, _ document: PendingDocument) {
        definitions.schema.unreadImports.append(
            .init(namespace: document.namespace, address: address, location: document.location))
        definitions.diagnostics.append(
            Diagnostic(
                .warning,
                "‘\(address)’ is not read, because nothing is fetched from a network; if it is needed, save it and name "
                    + "the file in a catalog.xml beside the WSDL (OASIS XML Catalogs), or here.", at: document.location)
        )
    }

    /// Reads a schema in a file of its own; one with a namespace is the same whoever includes or imports it.
    mutating func readSchemaDocument(_ root: XMLNode, including: String?) throws(WSDLError) {
        if root.attribute("targetNamespace") != nil, !complete.insert(path).inserted { return }
        try readSchema(root, including: including)
    }

    /// Enters a component, or reports that the name is taken by another one.
    mutating func enter<Value>(
        _ value: Value, _ name: QName, _ kind: String, at location: SourceLocation,
        in table: WritableKeyPath<WSDLDefinitions, [QName: Value]>
    ) {
        if definitions[keyPath: table][name] == nil {
            definitions[keyPath: table][name] = value
        } else {
            definitions.diagnostics.append(
                Diagnostic(
                    .warning, "the \(kind) ‘\(name.localName)’ is defined a second time; the first one counts.",
                    at: location))
        }
    }
}
