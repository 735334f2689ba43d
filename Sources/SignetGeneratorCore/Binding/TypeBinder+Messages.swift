import SignetWSDL

extension TypeBinder {
    /// Binds a message, which is always a structure: a simple type gets a structure with a single property.
    mutating func bindMessage(_ message: SelectedMessage, of operation: SelectedOperation) {
        let own = message.key
        guard result.messages[own] == nil else { return }
        current = own
        result.messages[own] = .declared(own)
        switch message.content {
        case .element:
            guard let element = schema.elements[own.name] else {
                return fail(
                    "the element \(own.name) is not there\(hint(missingElement: own.name))", at: operation.location)
            }
            bindMessage(element, own)
            if element.isNillable { result.nillableMessages.insert(own) }
        case .type(let type):
            bindMessage(.message(own.name, type, at: message.location), own)
        case .parts(let parts):
            bindMessage(.message(own.name, parts.map { accessor($0, message) }, at: message.location), own)
        }
    }

    private mutating func bindMessage(_ element: ElementDeclaration, _ own: TypeKey) {
        guard let reference = bind(element.type, anonymous: own, at: element.location) else { return }
        if isStructure(reference) {
            result.messages[own] = reference
            return
        }
        // An anonymous enumeration takes the element's name; the structure contains it.
        let key = reference == .declared(own) ? own.nested("message") : own
        let text = BoundField(
            name: QName("", "value"), kind: .text, type: reference, occurrence: .required, preset: element.preset,
            location: element.location)
        result.types[key] = BoundType(
            content: .structure([text]), documentation: element.documentation, location: element.location)
        result.messages[own] = .declared(key)
    }

    /// Complex types are not bound yet at their first reference.
    private func isStructure(_ reference: BoundReference) -> Bool {
        switch reference {
        case .builtIn(let type): type == .any
        case .list: false
        case .external(_, let isSimple): !isSimple
        case .declared(let key): result.types[key].map { !$0.isSimple } ?? true
        }
    }

    private func accessor(_ part: SelectedMessage.Part, _ message: SelectedMessage) -> ElementDeclaration.Accessor {
        guard case .type(let type) = part.content else { return part.accessor() }
        return part.accessor(isNillable: message.isEncoded && canBeNil(type))
    }

    /// Any value of SOAP's encoding may be nil (SOAP 1.1 §5.1). Numbers, Booleans and times are excluded: in the
    /// languages of most services they cannot be nil.
    private func canBeNil(_ type: QName) -> Bool {
        type.namespace != Namespaces.schema
            || ["string", "base64Binary", "hexBinary", "anyType"].contains(type.localName)
    }

    /// Makes the values of encoded messages optional: in SOAP's encoding every structure and array may be nil, and so
    /// may their contents (SOAP 1.1 §5.1, §5.4).
    mutating func allowNil(in operations: [SelectedOperation]) {
        var open: [TypeKey] = []
        func reach(_ reference: BoundReference?) {
            if case .declared(let key)? = reference { open.append(key) }
        }
        for message in operations.flatMap(\.messages) where message.isEncoded { reach(result.messages[message.key]) }
        let isObject = { [types = result.types] (reference: BoundReference) in
            guard case .declared(let key) = reference else { return false }
            switch types[key]?.content {
            case .structure, .array: return true
            default: return false
            }
        }
        // A value may have a type derived from the declared one.
        var heirs: [TypeKey: [TypeKey]] = [:]
        for (key, type) in result.types { for base in type.bases { heirs[base, default: []].append(key) } }
        var done: Set<TypeKey> = []
        while let key = open.popLast() {
            guard done.insert(key).inserted, var type = result.types[key] else { continue }
            type.fields = type.fields.map { field in
                var field = field
                if field.kind == .element, field.occurrence == .required, isObject(field.type) {
                    field.isNillable = true
                }
                return field
            }
            result.types[key] = type
            for field in type.fields { reach(field.type) }
            open += heirs[key] ?? []
        }
    }

    // MARK: What cannot be bound

    /// Up to this many types with errors are reported one by one.
    static var maximumReportedTypes: Int { 100 }

    /// The reachable types with errors, sorted.
    func defective(among reached: Set<TypeKey>) -> [(key: TypeKey, value: [Diagnostic])] {
        failures.filter { reached.contains($0.key) && loose[$0.key] == nil }.sorted { $0.key < $1.key }
    }

    /// The operations with a message that reaches any of these types.
    func operations(needing keys: [TypeKey], among operations: [SelectedOperation]) -> [SelectedOperation] {
        var affected = Set(keys)
        var open = keys
        while let next = open.popLast() {
            for user in users[next] ?? [] where loose[user] == nil && affected.insert(user).inserted {
                open.append(user)
            }
        }
        return operations.filter { operation in
            operation.messages.contains { message in
                if affected.contains(message.key) { return true }
                guard case .declared(let key) = result.messages[message.key] else { return false }
                return affected.contains(key)
            }
        }
    }

    /// Removes the operations that cannot be bound; returns false when there are no such operations, or when no
    /// operation would remain.
    func leaveOut(
        _ operations: inout [SelectedOperation], _ reached: Set<TypeKey>, _ diagnostics: inout Diagnostics
    ) -> Bool {
        let defective = defective(among: reached)
        var affected: Set<String> = []
        var warnings: [Diagnostic] = []
        for (key, defects) in defective.prefix(Self.maximumReportedTypes) {
            let needing = self.operations(needing: [key], among: operations)
            let names = needing.map(\.name)
            affected.formUnion(needing.map(\.distinctName))
            warnings += defects.map {
                Diagnostic(
                    .warning, "\($0.message); needed by \(names.quotedList()), which is left out.", at: $0.location)
            }
        }
        let rest = defective.dropFirst(Self.maximumReportedTypes)
        if let first = rest.first?.value.first {
            let needing = self.operations(needing: rest.map(\.key), among: operations)
            let names = needing.map(\.name)
            affected.formUnion(needing.map(\.distinctName))
            warnings.append(
                Diagnostic(
                    .warning,
                    "\(first.message); the same applies to \(rest.count) types, needed by \(names.quotedList()), which is left out.",
                    at: first.location))
        }
        let remaining = operations.filter { !affected.contains($0.distinctName) }
        guard remaining.count < operations.count, !remaining.isEmpty else { return false }
        for warning in warnings { diagnostics.add(warning) }
        operations = remaining
        return true
    }
}
