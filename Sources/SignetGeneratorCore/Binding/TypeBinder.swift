import SignetWSDL

/// The second stage: follows the messages' elements through the schemas and binds every type on the way.
struct TypeBinder {
    let schema: SchemaSet
    var result = BoundSchema()
    /// What prevents a type from being bound, by type.
    var failures: [TypeKey: [Diagnostic]] = [:]
    var warnings = Diagnostics()
    /// Which types mention a type.
    private var users: [TypeKey: Set<TypeKey>] = [:]
    private var waiting: ArraySlice<(TypeKey, ComplexType)> = []
    private var entered: Set<TypeKey> = []
    /// The type whose parts are being bound.
    var current = TypeKey(root: .element, name: QName("", ""))

    init(schema: SchemaSet) { self.schema = schema }

    /// Binds all that the operations need. Nil after an error, which is among the diagnostics.
    static func bind(
        _ operations: [SelectedOperation], _ schema: SchemaSet, _ diagnostics: inout Diagnostics
    ) -> BoundSchema? {
        var binder = TypeBinder(schema: schema)
        for operation in operations {
            for element in [operation.input, operation.output] + operation.faults {
                binder.bindMessage(element, of: operation)
            }
        }
        while let (key, type) = binder.waiting.popFirst() {
            binder.current = key
            binder.bind(type, key)
        }
        binder.report(operations, &diagnostics)
        return diagnostics.hasErrors ? nil : binder.result
    }

    // MARK: Messages

    /// A message is always a structure: an element of a simple type gets one with a single property.
    private mutating func bindMessage(_ name: QName, of operation: SelectedOperation) {
        guard result.messages[name] == nil else { return }
        let own = TypeKey(root: .element, name: name)
        current = own
        guard let element = schema.elements[name] else {
            result.messages[name] = own
            fail("the element \(name) is not there\(hint(for: name.namespace))", at: operation.location)
            return
        }
        guard !element.isAbstract else {
            result.messages[name] = own
            fail("the element ‘\(name.localName)’ is abstract, which is not supported yet", at: element.location)
            return
        }
        guard let reference = bind(element.type, anonymous: own, at: element.location) else {
            result.messages[name] = own
            return
        }
        if case .declared(let key) = reference, result.types[key].map({ $0.isEnumeration }) != true {
            result.messages[name] = key
            return
        }
        // An enumeration without a name of its own keeps the element's; the structure stands around it.
        let key = reference == .declared(own) ? own.nested("message") : own
        let text = BoundField(
            name: QName("", "value"), kind: .text, type: reference, occurrence: .required, preset: element.preset,
            location: element.location)
        result.types[key] = BoundType(
            content: .structure([text]), documentation: element.documentation, location: element.location)
        result.messages[name] = key
    }

    // MARK: References

    /// Binds a mention of a type; `anonymous` is the key that a type without a name gets here.
    mutating func bind(_ reference: TypeReference, anonymous: TypeKey, at location: SourceLocation) -> BoundReference? {
        switch reference {
        case .unspecified:
            fail("it may hold anything (xs:anyType), which is not supported yet", at: location)
            return nil
        case .anonymous(.simple(let type)): return bind(type, anonymous)
        case .anonymous(.complex(let type)): return enter(type, anonymous)
        case .named(let name):
            if name.namespace == Namespaces.schema { return bindBuiltIn(name.localName, at: location) }
            let key = TypeKey(root: .type, name: name)
            if let place = schema.redefined[name] {
                fail("the type ‘\(name.localName)’ is redefined, which is not supported yet", at: place)
                return nil
            }
            switch schema.types[name] {
            case .simple(let type): return bind(type, key)
            case .complex(let type): return enter(type, key)
            case nil:
                fail("the type \(name) is not there\(hint(for: name.namespace))", at: location)
                return nil
            }
        }
    }

    private mutating func enter(_ type: ComplexType, _ key: TypeKey) -> BoundReference {
        users[key, default: []].insert(current)
        if entered.insert(key).inserted { waiting.append((key, type)) }
        return .declared(key)
    }

    mutating func enter(_ type: BoundType, _ key: TypeKey) -> BoundReference {
        users[key, default: []].insert(current)
        result.types[key] = type
        return .declared(key)
    }

    /// Why a component may be absent.
    func hint(for namespace: String) -> String {
        guard let missed = schema.unreadImports.first(where: { $0.namespace == namespace }) else { return "" }
        return
            ": the schema ‘\(missed.address)’, imported at \(missed.location), was not read; save it beside the WSDL and "
            + "name the file there"
    }

    // MARK: Defects

    mutating func fail(_ message: String, at location: SourceLocation) {
        failures[current, default: []].append(Diagnostic(.error, message, at: location))
    }

    /// Names with each defect the operations that meet it, so that they can be left out.
    private func report(_ operations: [SelectedOperation], _ diagnostics: inout Diagnostics) {
        for (key, defects) in failures.sorted(by: { $0.key < $1.key }) {
            var affected: Set<TypeKey> = [key]
            var open = [key]
            while let next = open.popLast() {
                for user in users[next] ?? [] where affected.insert(user).inserted { open.append(user) }
            }
            let names = operations.filter { operation in
                ([operation.input, operation.output] + operation.faults).contains { element in
                    affected.contains(TypeKey(root: .element, name: element))
                        || result.messages[element].map(affected.contains) == true
                }
            }.map(\.name)
            for defect in defects {
                let advice = "; needed by \(names.quotedList()), which can be left out with --operations."
                diagnostics.add(Diagnostic(.error, defect.message + advice, at: defect.location))
            }
        }
        for warning in warnings.all { diagnostics.add(warning) }
    }
}

extension BoundType {
    var isEnumeration: Bool {
        if case .enumeration = content { return true }
        return false
    }
}
