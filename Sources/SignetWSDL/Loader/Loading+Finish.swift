extension Loading {
    /// What can be done only when all documents are read.
    mutating func finish() throws(WSDLError) {
        for redefinition in redefinitions.reversed() { try apply(redefinition) }
        let missing = try addStandardSchemas()
        for (document, error) in absent {
            if !document.isSchema || missing.contains(document.namespace) { throw error }
            definitions.diagnostics.append(error.remark("nothing needs it, but"))
        }
        try refuseOutside()
    }

    /// Adds the schemas that everybody knows and that these documents refer to without bringing them.
    ///
    /// - Returns: the namespaces of names that nothing declares.
    private mutating func addStandardSchemas() throws(WSDLError) -> Set<String> {
        isStandard = true
        defer { isStandard = false }
        var added: Set<String> = []
        while true {
            let missing = definitions.undeclaredNamespaces
            let next = missing.filter { StandardSchemas.knows($0) && !added.contains($0) }.sorted()
            if next.isEmpty { return missing }
            for namespace in next {
                added.insert(namespace)
                if let root = try StandardSchemas.schema(of: namespace) { try readSchema(root) }
            }
        }
    }

    /// One error for all imports that leave the root, which names a root that is enough for them.
    private func refuseOutside() throws(WSDLError) {
        guard let (first, _) = outside.first else { return }
        // The folders all hold the present root, so that one holds the others.
        let roots = outside.compactMap(\.root)
        let highest = roots.count == outside.count ? roots.min { $0.utf8.count < $1.utf8.count } : nil
        let others = outside.count > 1 ? " (and \(outside.count - 1) more)" : ""
        let advice =
            highest.map { "allow the folder that holds both with --root \($0)" } ?? "allow a higher one with --root"
        throw WSDLError(
            .importRefused,
            "‘\(first.reference)’\(others) lies outside the folder that may be read; if you trust these documents, \(advice).",
            at: first.location)
    }
}
