import SignetWSDL

/// The second stage: follows the messages' elements through the schemas and binds every type on the way.
struct TypeBinder {
    /// For how many more missing names a suggestion is searched.
    private var hintsLeft = 50
    let schema: SchemaSet
    var result = BoundSchema()
    /// The errors that prevent a type from being bound, by type.
    var failures: [TypeKey: [Diagnostic]] = [:]
    /// Warnings and notes about types.
    var remarks: [(key: TypeKey, diagnostic: Diagnostic)] = []
    /// Types whose content cannot be typed, with the reason; their values are kept as written.
    var loose: [TypeKey: Diagnostic] = [:]
    /// The types that refer to a type.
    var users: [TypeKey: Set<TypeKey>] = [:]
    private var waiting: ArraySlice<(TypeKey, ComplexType)> = []
    private var entered: Set<TypeKey> = []
    /// The types derived directly from a type, sorted.
    let derived: [QName: [QName]]
    let options: GeneratorOptions
    /// The derived types that get declarations; nil for all.
    let listedTypes: Set<String>?
    /// Types that fields refer to, so that values of derived types may occur.
    var mentioned: Set<TypeKey> = []
    /// Groups that are being bound, the innermost last.
    var openGroups: [QName] = []
    /// The place of an anonymous type's declaration, by its key: two types may want the same key.
    var places: [TypeKey: SourceLocation] = [:]
    /// Simple types that are being bound.
    var openSimple: Set<QName> = []
    /// The depth of named types whose rules are being computed.
    var openRules = 0
    /// The work done for all types together; see ``spend(_:)``.
    private var work = 0
    private let workLimit: Int
    /// The last number given to anonymous types with the same key.
    private var lastNumbers: [TypeKey: Int] = [:]
    /// The keys with a number.
    private var numbered: [NumberedPlace: TypeKey] = [:]
    /// The number of required elements of groups.
    var groupNeeds: [QName: Int] = [:]
    /// The bindings of named simple types.
    var boundSimple: [QName: BoundReference] = [:]
    /// The bindings of named simple types, ignoring white space.
    var boundValues: [QName: BoundReference] = [:]
    /// The derivation steps of simple types.
    var steps: [SimpleStep] = []
    /// The most derived steps of named types.
    var knownSteps: [QName: Int] = [:]
    /// The rules of named simple types.
    var knownRules: [RuleKey: [String]] = [:]
    var knownStepRules: [RulePlace: [String]] = [:]
    /// The lexical form that the patterns of a step and those below require.
    var knownForms: [Int: String?] = [:]
    /// The size of the rules of all fields together, in bytes.
    var ruleBytes = 0
    var mostRuleBytes: Int
    /// The error that stopped the binding because the rules became too large; otherwise nil.
    var tooManyRules: Diagnostic?
    /// The type whose parts are being bound.
    var current = TypeKey(root: .element, name: QName("", ""))

    private struct NumberedPlace: Hashable {
        var key: TypeKey
        var location: SourceLocation
    }

    init(schema: SchemaSet, options: GeneratorOptions = .init()) {
        self.schema = schema
        self.options = options
        workLimit = schema.workLimit
        mostRuleBytes = 16 * workLimit
        listedTypes = if case .listed(let names) = options.derived { Set(names) } else { nil }
        derived = Self.derived(in: schema)
    }

    /// Binds all types that the operations need. Nil after an error, which is among the diagnostics.
    ///
    /// An operation that cannot be bound is left out, unless `wanted` names it or no other operation remains.
    static func bind(
        _ operations: inout [SelectedOperation], wanted: [String]?, _ schema: SchemaSet,
        _ options: GeneratorOptions = .init(), _ diagnostics: inout Diagnostics
    ) -> BoundSchema? {
        while true {
            var binder = TypeBinder(schema: schema, options: options)
            for operation in operations {
                for message in operation.messages { binder.bindMessage(message, of: operation) }
            }
            while let (key, type) = binder.waiting.popFirst(), !binder.isExhausted {
                binder.current = key
                binder.bind(type, key)
            }
            binder.findVariants()
            guard !binder.isExhausted else {
                diagnostics.add(binder.exhaustion(operations.first?.location))
                return nil
            }
            let reached = binder.reachable()
            if wanted == nil, !options.isStrict, binder.leaveOut(&operations, reached, &diagnostics) { continue }
            binder.report(operations, reached, &diagnostics)
            binder.keep(reached)
            binder.allowNil(in: operations)
            return diagnostics.hasErrors ? nil : binder.result
        }
    }

    // MARK: Work

    /// Whether the limit of work is reached, so that no more types are followed.
    var isExhausted: Bool { work > workLimit || tooManyRules != nil }

    /// Counts work: particles, attributes, derivation steps, substitutes of elements and derived types.
    mutating func spend(_ count: Int = 1) { work = min(work, workLimit) + min(count, workLimit + 1) }

    private func exhaustion(_ location: SourceLocation?) -> Diagnostic {
        if let tooManyRules { return tooManyRules }
        return Diagnostic(
            .error,
            "the types of these operations hold more than \(workLimit) elements, attributes and derived types together: "
                + "their groups, bases and derived types multiply. Make fewer operations, with --operations, or fewer "
                + "derived types, with ‘derived’.", at: location ?? SourceLocation(file: ""))
    }

    // MARK: References

    /// Binds a reference to a type; `anonymous` is the key that an anonymous type gets here.
    mutating func bind(_ reference: TypeReference, anonymous: TypeKey, at location: SourceLocation) -> BoundReference? {
        switch reference {
        case .unspecified: return .builtIn(.any)
        case .anonymous(.simple(let type)): return bind(type, distinct(anonymous, at: type.location))
        case .anonymous(.complex(let type)): return enter(type, distinct(anonymous, at: type.location))
        case .named(let name):
            // The built-in schema of XML Schema declares types of its own.
            if name.namespace == Namespaces.schema, BuiltInType.isKnown(name.localName) || schema.types[name] == nil {
                return bindBuiltIn(name.localName, at: location)
            }
            if let special = bindEncoding(name) { return special }
            switch schema.types[name] {
            case .simple(let type):
                if let external = external(name, isSimple: true) { return external }
                if let known = known(name) { return known }
                let bound = bind(type, TypeKey(root: .type, name: name))
                boundSimple[name] = bound
                return bound
            case .complex(let type): return external(name, isSimple: false) ?? recordReference(name, type)
            case nil:
                fail("the type \(name) is not there\(hint(missingType: name))", at: location)
                return nil
            }
        }
    }

    /// The binding of a simple type: each is bound once, however often it is referenced.
    mutating func known(_ name: QName) -> BoundReference? {
        guard let known = boundSimple[name] else { return nil }
        if let key = known.declaration { users[key, default: []].insert(current) }
        return known
    }

    /// The key for an anonymous type: a new key when another anonymous type with this key is declared elsewhere.
    private mutating func distinct(_ key: TypeKey, at location: SourceLocation) -> TypeKey {
        guard let other = places[key], other != location, let last = key.path.last else {
            places[key] = location
            return key
        }
        let place = NumberedPlace(key: key, location: location)
        if let known = numbered[place] { return known }
        var result = key
        var number = lastNumbers[key] ?? 1
        repeat {
            number += 1
            result.path[result.path.count - 1] = "\(last)\(number)"
        } while places[result].map { $0 != location } == true
        lastNumbers[key] = number
        numbered[place] = result
        places[result] = location
        return result
    }

    /// The Swift type that the configuration names for a schema type; nil when it names none.
    private func external(_ name: QName, isSimple: Bool) -> BoundReference? {
        options.override(of: name, in: options.types).map { .external($0, isSimple: isSimple) }
    }

    mutating func enter(_ type: ComplexType, _ key: TypeKey) -> BoundReference {
        users[key, default: []].insert(current)
        if entered.insert(key).inserted { waiting.append((key, type)) }
        return .declared(key)
    }

    mutating func enter(_ type: BoundType, _ key: TypeKey) -> BoundReference {
        users[key, default: []].insert(current)
        result.types[key] = type
        return .declared(key)
    }

    /// A reference to a type that has its own declaration.
    mutating func enter(_ key: TypeKey) -> BoundReference {
        users[key, default: []].insert(current)
        return .declared(key)
    }

    /// The likely reason why a component is missing, for diagnostics.
    func hint(for namespace: String) -> String {
        guard let missed = schema.unreadImports.first(where: { $0.namespace == namespace }) else { return "" }
        return
            ": the schema ‘\(missed.address)’, imported at \(missed.location), was not read; save it beside the WSDL and "
            + "name the file there"
    }

    /// The likely reason why a type is missing, or a suggestion of a similar name.
    mutating func hint(missingType name: QName) -> String {
        let why = hint(for: name.namespace)
        return why.isEmpty && mayCompare() ? schema.hint(missingType: name) : why
    }

    mutating func hint(missingElement name: QName) -> String {
        let why = hint(for: name.namespace)
        return why.isEmpty && mayCompare() ? schema.hint(missingElement: name) : why
    }

    /// Limits the suggestions: each compares a missing name with all names, which is too slow for thousands of missing
    /// names.
    private mutating func mayCompare() -> Bool {
        hintsLeft -= 1
        return hintsLeft >= 0
    }

    // MARK: Reachable types

    /// The types that the messages reach, including those without typed content.
    private func reachable() -> Set<TypeKey> {
        var reached = Set(result.messages.keys)
        var open: [TypeKey] = []
        func reach(_ reference: BoundReference) {
            if let key = reference.declaration { open.append(key) }
        }
        for reference in result.messages.values { reach(reference) }
        var done: Set<TypeKey> = []
        while let key = open.popLast() {
            guard done.insert(key).inserted, loose[key] == nil else { continue }
            for reference in result.types[key]?.references ?? [] { reach(reference) }
            open += result.types[key]?.variants ?? []
        }
        reached.formUnion(done)
        return reached
    }

    /// Removes types that only untyped content reaches, and replaces references to untyped types.
    private mutating func keep(_ reached: Set<TypeKey>) {
        func kept(_ reference: BoundReference) -> BoundReference {
            if case .declared(let key) = reference, loose[key] != nil { return .builtIn(.any) }
            return reference
        }
        result.messages = result.messages.mapValues(kept)
        // Content that is kept as written also keeps `xsi:nil`.
        result.nillableMessages = result.nillableMessages.filter { result.messages[$0] != .builtIn(.any) }
        result.types = result.types.filter { reached.contains($0.key) && loose[$0.key] == nil }.mapValues { type in
            var type = type
            type.fields = type.fields.map { field in
                var field = field
                field.type = kept(field.type)
                return field
            }
            return type
        }
    }

    // MARK: Diagnostics

    mutating func fail(_ message: String, at location: SourceLocation) {
        failures[current, default: []].append(Diagnostic(.error, message, at: location))
    }

    mutating func remark(_ severity: Diagnostic.Severity, _ message: String, at location: SourceLocation) {
        remarks.append((current, Diagnostic(severity, message, at: location)))
    }

    /// Makes the current type untyped; only the first reason is reported.
    mutating func makeUntyped(_ message: String, at location: SourceLocation) {
        if loose[current] == nil { loose[current] = Diagnostic(.warning, message + Self.looseness, at: location) }
    }

    static let looseness = ", which cannot be typed yet; it is bound to XMLAny, which keeps all that arrives."

    /// Reports each error with the operations that need the type, so that the user can leave them out.
    private func report(
        _ operations: [SelectedOperation], _ reached: Set<TypeKey>, _ diagnostics: inout Diagnostics
    ) {
        let defective = defective(among: reached)
        // Without ‘strict’ the generator would make the operations that do not need the type.
        let needing = Set(self.operations(needing: defective.map(\.key), among: operations).map(\.name))
        let others = Set(operations.map(\.name)).subtracting(needing)
        let isOnlyStrict = options.isStrict && options.operations == nil && !others.isEmpty
        for (key, defects) in defective.prefix(Self.maximumReportedTypes) {
            let names = self.operations(needing: [key], among: operations).map(\.name)
            for defect in defects {
                let message = "\(defect.message); needed by \(names.quotedList())\(Selector.advice)"
                diagnostics.add(
                    Diagnostic(
                        .error, isOnlyStrict ? message + Diagnostics.strictness : message, at: defect.location))
            }
        }
        if let first = defective.dropFirst(Self.maximumReportedTypes).first?.value.first {
            let count = defective.count - Self.maximumReportedTypes
            diagnostics.add(
                Diagnostic(.error, "\(first.message); the same applies to \(count) types.", at: first.location))
        }
        for (key, reason) in loose.sorted(by: { $0.key < $1.key }) where reached.contains(key) {
            diagnostics.leftOut(reason.message, at: reason.location, isError: options.isStrict)
        }
        for (key, diagnostic) in remarks where reached.contains(key) && loose[key] == nil {
            diagnostics.add(diagnostic)
        }
    }
}
