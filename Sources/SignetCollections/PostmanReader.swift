import SignetDynamic

/// Reads a collection of Postman, version 2.0 or 2.1.
struct PostmanReader {
    private var builder = CollectionBuilder(.braces)

    /// What a request inherits from the folders around it.
    private struct Surroundings {
        var folder: [String] = []
        var variables = Variables()
        var authorization: DynamicValue?

        mutating func enter(_ element: DynamicValue) {
            variables.add(.init(pairs: element["variable"]?.pairs("key", "id") ?? []))
            if let own = element["auth"], own != .null { authorization = own }
        }
    }

    static func read(
        _ collection: DynamicValue, _ items: [DynamicValue], name: String
    ) throws(CollectionError) -> RequestCollection {
        var reader = PostmanReader()
        var surroundings = Surroundings()
        surroundings.enter(collection)
        try reader.read(items, in: surroundings)
        return reader.builder.collection(.postman, name: collection["info"]?.text("name") ?? name)
    }

    private mutating func read(_ items: [DynamicValue], in surroundings: Surroundings) throws(CollectionError) {
        for item in items {
            let name = item.text("name") ?? "Request"
            var inner = surroundings
            inner.enter(item)
            if case .array(let items) = item["item"] {
                inner.folder.append(name)
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
        // A request may be no more than its address.
        draft.endpoint = request.text ?? request["url"]?.text ?? request["url"]?.text("raw")
        let body = request["body"]
        if body?["disabled"] != .bool(true), body?["mode"]?.text == "raw" { draft.content = body?.text("raw") }
        for field in request["header"]?.pairs("key") ?? [] { draft.take(field: field.name, field.value) }
        if case .string(let lines) = request["header"] {
            for line in lines.unicodeScalars.split(whereSeparator: { $0 == "\n" || $0 == "\r" }) {
                let parts = line.split(separator: ":", maxSplits: 1)
                if let name = parts.first, let value = parts.dropFirst().first {
                    draft.take(field: String(name).trimmedOfSpace, String(value).trimmedOfSpace)
                }
            }
        }
        if let authorization = surroundings.authorization { authorize(&draft, authorization) }
        try builder.add(draft, surroundings.variables)
    }

    private mutating func authorize(_ draft: inout RequestCollection.Request, _ authorization: DynamicValue) {
        guard let type = authorization.text("type"), type != "noauth" else { return }
        guard ["basic", "digest", "ntlm"].contains(type) else {
            return builder.warn("Requests prove who sends them by “\(type.shown)”, which is not taken over.")
        }
        // Version 2.0 has an object, version 2.1 an array of keys and values.
        let account = authorization[type]
        func value(_ key: String) -> String? {
            account?.text(key) ?? account?.items.first { $0["key"]?.text == key }?.text("value")
        }
        draft.user = value("username")
        draft.password = value("password")
    }
}
