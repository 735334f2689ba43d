/// A document that another one imports or includes.
struct PendingDocument {
    /// Its location as written.
    var reference: String
    /// The path of the document that refers to it.
    var document: String
    /// The namespace that the import names; for an include, the namespace of the including schema.
    var namespace: String
    /// The location of the import.
    var location: SourceLocation
    var isSchema: Bool
    var isMain = false
    /// The namespace that an included schema without one takes over (XML Schema Part 1 §4.2.1).
    var includingNamespace: String?

    init(
        _ reference: String, in document: String, namespace: String, at location: SourceLocation, isSchema: Bool,
        including: String? = nil
    ) {
        self.reference = reference
        self.document = document
        self.namespace = namespace
        self.location = location
        self.isSchema = isSchema
        includingNamespace = including
    }

    init(main path: String, isSchema: Bool) {
        self.init(path, in: path, namespace: "", at: SourceLocation(file: path), isSchema: isSchema)
        isMain = true
    }
}

/// The state of one load.
struct Loading {
    var definitions: WSDLDefinitions
    /// The path of the main document.
    let main: String
    var pending: ArraySlice<PendingDocument> = []
    /// The path of the document that is being read.
    var path = ""
    var documents = 0
    var bytes = 0
    /// The XML catalog; nil until it is needed.
    var catalog: Catalog?
    /// Imports of missing files, with the error to throw if their components turn out to be needed.
    var absent: [(document: PendingDocument, error: WSDLError)] = []
    /// Imports that leave the root folder, with the folder that holds both.
    var outside: [(document: PendingDocument, root: String?)] = []
    /// Imported copies of standard schemas elsewhere, which the built-in schemas replace.
    var replaced: [PendingDocument] = []
    /// The changes of each `xs:redefine`, in the order of reading.
    var redefinitions: [Redefinition] = []
    /// How often each name was redefined.
    var retired: [QName: Int] = [:]
    /// Whether a WSDL has components without a namespace, which its schemas may name without importing them.
    var hasUnqualified = false
    /// The places of the `types` elements that were read.
    var typesRead: Set<SourceLocation> = []
    /// Whether built-in standard components are being added, which yield to those of the documents.
    var isStandard = false
    /// Components whose names are defined more than once.
    var definedTwice: Set<ComponentName> = []
    private var visited: Set<Visit> = []
    private var complete: Set<String> = []
    private var absentFiles: Set<String> = []

    /// A schema without a namespace gives different components for each namespace that includes it.
    private struct Visit: Hashable {
        var file: String
        var isSchema: Bool
        var including: String?
    }

    init(definitions: WSDLDefinitions, main: PendingDocument) {
        self.definitions = definitions
        self.main = main.document
        note(visited: main.document, main)
    }

    func isVisited(_ file: String, _ wanted: PendingDocument) -> Bool {
        visited.contains(Visit(file: file, isSchema: wanted.isSchema, including: wanted.includingNamespace))
    }

    mutating func note(visited file: String, _ wanted: PendingDocument) {
        visited.insert(Visit(file: file, isSchema: wanted.isSchema, including: wanted.includingNamespace))
    }

    func known(absent file: String) -> Bool { absentFiles.contains(file) }

    mutating func note(absent file: String) { absentFiles.insert(file) }

    /// Notes a document to be read.
    mutating func request(
        _ location: String, at node: XMLNode, namespace: String, isSchema: Bool, including: String? = nil
    ) {
        // The types of XML Schema are built in; its own schema would define them a second time.
        if isSchema, namespace == Namespaces.schema { return }
        pending.append(
            PendingDocument(
                location, in: path, namespace: namespace, at: node.location, isSchema: isSchema, including: including))
    }

    mutating func leaveUnread(_ document: PendingDocument) {
        definitions.schema.unreadImports.append(
            .init(namespace: document.namespace, address: document.reference, location: document.location))
        definitions.diagnostics.append(
            Diagnostic(
                .warning,
                "‘\(document.reference)’ is not read, because nothing is fetched from a network; if it is needed, save it "
                    + "with ‘signet fetch’, or save it and name the file in a catalog.xml beside the WSDL (OASIS XML "
                    + "Catalogs), or here.", at: document.location))
    }

    /// Reads a schema in a file of its own; one with a namespace is the same for every document that includes or
    /// imports it.
    mutating func readSchemaDocument(_ root: XMLNode, _ wanted: PendingDocument) throws(WSDLError) {
        if root.attribute("targetNamespace") != nil, !complete.insert(path).inserted { return }
        try readSchema(root, including: wanted.includingNamespace)
    }

    /// Reads a component; an error in it leaves out only that component.
    mutating func guarded(
        _ kind: ComponentName.Kind, _ node: XMLNode, _ target: String,
        _ read: (inout Loading) throws(WSDLError) -> Void
    ) throws(WSDLError) {
        do { try read(&self) } catch {
            guard error.code == .invalid || error.code == .undeclaredPrefix else { throw error }
            let name = ComponentName(kind, QName(target, node.attribute("name") ?? ""))
            definitions.diagnostics.append(error.remark("\(name) is left out"))
            if definitions.defects[name] == nil { definitions.defects[name] = error }
        }
    }

    /// Reports that a part of a component is left out.
    mutating func omit(_ remark: Diagnostic) {
        definitions.diagnostics.append(remark)
        definitions.omissions.append(remark)
    }

    /// Adds a component, or reports that another component has the same name.
    mutating func enter<Value: Comparing>(
        _ value: Value, _ name: ComponentName, at location: SourceLocation,
        in table: WritableKeyPath<WSDLDefinitions, [QName: Value]>
    ) {
        guard let present = definitions[keyPath: table][name.name] else {
            definitions[keyPath: table][name.name] = value
            return
        }
        // Reported once: a document that defines a component ten thousand times must not cost ten thousand comparisons.
        guard !isStandard, !definedTwice.contains(name), !value.saysTheSame(as: present) else { return }
        definedTwice.insert(name)
        definitions.diagnostics.append(
            Diagnostic(.warning, "\(name) is defined a second time; the first one counts.", at: location))
    }
}
