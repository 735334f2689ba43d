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
        while let next = loading.pending.popFirst() {
            let content: [UInt8]?
            do { content = try resolve(next.path) } catch {
                throw WSDLError(
                    .importNotFound, "the imported file ‘\(displayFolder)\(next.path)’ cannot be read: \(error).",
                    at: next.location, cause: error)
            }
            guard let content else {
                throw WSDLError(
                    .importNotFound,
                    "the imported file ‘\(displayFolder)\(next.path)’ is not there; put it beside the WSDL.",
                    at: next.location)
            }
            try add(content, path: next.path, wanted: next, importedAt: next.location, &loading)
        }
        return loading.definitions
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
    var path: String
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
        switch ImportTarget(location, from: path) {
        case .file(let file):
            let request = Self.request(file, isSchema: isSchema, including: including)
            guard requested.insert(request).inserted else { return }
            pending.append(
                PendingDocument(path: file, location: node.location, isSchema: isSchema, includingNamespace: including))
        case .address:
            // What the namespace `xml` declares is known.
            if namespace == Namespaces.xml { return }
            definitions.schema.unreadImports.append(
                .init(namespace: namespace, address: location, location: node.location))
            definitions.diagnostics.append(
                Diagnostic(
                    .warning,
                    "‘\(location)’ is not read, because nothing is fetched from a network; if it is needed, save it beside "
                        + "the WSDL and name the file here.", at: node.location))
        case .refused:
            throw WSDLError(
                .importRefused,
                "‘\(location)’ lies outside the folder that may be read; place the file inside, or choose a higher folder "
                    + "as root (--root).", at: node.location)
        }
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
