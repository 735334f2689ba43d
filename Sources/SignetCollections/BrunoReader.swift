import SignetDynamic

/// Reads an exported collection of Bruno, or one of its requests.
struct BrunoReader {
    private var builder = CollectionBuilder(.braces)

    /// What a request inherits from the folders around it.
    private struct Surroundings {
        var folder: [String] = []
        var variables = Variables()
        var authorization: DynamicValue?

        mutating func enter(_ settings: DynamicValue?) {
            variables.add(.init(pairs: settings?["vars"]?["req"]?.pairs("name") ?? []))
            if let own = settings?["auth"], let mode = own.text("mode"), mode != "inherit" { authorization = own }
        }
    }

    static func read(
        _ collection: DynamicValue, _ items: [DynamicValue], name: String
    ) throws(CollectionError) -> RequestCollection {
        var reader = BrunoReader()
        var surroundings = Surroundings()
        surroundings.enter(collection["root"]?["request"])
        reader.addEnvironment(of: collection, to: &surroundings)
        try reader.read(items, in: surroundings)
        return reader.builder.collection(.bruno, name: collection.text("name") ?? name)
    }

    static func read(_ document: BruDocument, name: String) throws(CollectionError) -> RequestCollection {
        guard let item = document.item else {
            throw CollectionError(
                .notSupported,
                "this file of Bruno has settings and no request, in a block such as ‘post {’; choose the file of a request."
            )
        }
        var reader = BrunoReader()
        try reader.read([item], in: Surroundings())
        return reader.builder.collection(.bruno, name: item.text("name") ?? name)
    }

    /// Bruno asks which environment counts; a file does not say it. The variables of an environment take precedence over
    /// those of the collection.
    private mutating func addEnvironment(of collection: DynamicValue, to surroundings: inout Surroundings) {
        let all = collection["environments"]?.items ?? []
        guard let chosen = all.first else { return }
        // A secret variable is exported without its value.
        let pairs = chosen["variables"]?.pairs("name").filter { !$0.value.isEmpty } ?? []
        surroundings.variables.add(.init(pairs: pairs))
        if all.count > 1 {
            builder.warn(
                "Variables have their values in the environment “\((chosen.text("name") ?? "").shown)”, the first of \(all.count)."
            )
        }
    }

    private mutating func read(_ items: [DynamicValue], in surroundings: Surroundings) throws(CollectionError) {
        for item in items {
            let name = item.text("name") ?? "Request"
            var inner = surroundings
            if case .array(let items) = item["items"] {
                inner.folder.append(name)
                inner.enter(item["root"]?["request"])
                try read(items, in: inner)
            } else if let request = item["request"] {
                inner.enter(request)
                try add(request, name: name, inner)
            }
        }
    }

    private mutating func add(
        _ request: DynamicValue, name: String, _ surroundings: Surroundings
    ) throws(CollectionError) {
        var draft = RequestCollection.Request(name: name, folder: surroundings.folder)
        draft.endpoint = request.text("url")
        if let body = request["body"], let mode = body.text("mode"), mode == "xml" || mode == "text" {
            draft.content = body.text(mode)
        }
        for field in request["headers"]?.pairs("name") ?? [] { draft.take(field: field.name, field.value) }
        if let authorization = surroundings.authorization { authorize(&draft, authorization) }
        try builder.add(draft, surroundings.variables)
    }

    private mutating func authorize(_ draft: inout RequestCollection.Request, _ authorization: DynamicValue) {
        guard let mode = authorization.text("mode"), mode != "none" else { return }
        guard ["basic", "digest", "ntlm"].contains(mode) else {
            return builder.warn("Requests prove who sends them by “\(mode.shown)”, which is not taken over.")
        }
        draft.user = authorization[mode]?.text("username")
        draft.password = authorization[mode]?.text("password")
    }
}
