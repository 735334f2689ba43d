import SignetWSDL

/// The second stage: follows the messages' elements through the schemas and binds every type on the way.
struct TypeBinder {
    /// For how many absent names it is said what may have been meant.
    private var hintsLeft = 50
    let schema: SchemaSet
    var result = BoundSchema()
    /// What prevents a type from being bound, by type.
    var failures: [TypeKey: [Diagnostic]] = [:]
    /// What else there is to say about a type.
    var remarks: [(key: TypeKey, diagnostic: Diagnostic)] = []
    /// Types whose content cannot be typed, with the reason; values of them are kept as they are written.
    var loose: [TypeKey: Diagnostic] = [:]
    /// Which types mention a type.
    var users: [TypeKey: Set<TypeKey>] = [:]
    private var waiting: ArraySlice<(TypeKey, ComplexType)> = []
    private var entered: Set<TypeKey> = []
    /// The types derived from a type, one step away, sorted.
    let derived: [QName: [QName]]
    let options: GeneratorOptions
    /// The derived types that are made; nil for all.
    let listedTypes: Set<String>?
    /// Types in whose place a derived one may stand.
    var mentioned: Set<TypeKey> = []
    /// Groups that are being bound, the innermost last.
    var openGroups: [QName] = []
    /// Where an anonymous type is declared, by its key: two may ask for one.
    var places: [TypeKey: SourceLocation] = [:]
    /// Simple types that are being bound.
    var openSimple: Set<QName> = []
    /// How many named types lead to the one whose rules are looked for.
    var openRules = 0
    /// How much has been followed for all types together, and how much may be; see ``spend(_:)``.
    private var work = 0
    private let workLimit: Int
    /// The last number of anonymous types that were asked for by one key.
    private var lastNumbers: [TypeKey: Int] = [:]
    /// Those that got a number.
    private var numbered: [NumberedPlace: TypeKey] = [:]
    /// How many elements groups need.
    var groupNeeds: [QName: Int] = [:]
    /// What named simple types are bound to.
    var boundSimple: [QName: BoundReference] = [:]
    /// What named simple types are bound to, white space left aside.
    var boundValues: [QName: BoundReference] = [:]
    /// The steps by which simple types are derived.
    var steps: [SimpleStep] = []
    /// The outermost steps of named types.
    var knownSteps: [QName: Int] = [:]
    /// What named simple types demand of their values.
    var knownRules: [RuleKey: [String]] = [:]
    var knownStepRules: [RulePlace: [String]] = [:]
    /// How the patterns of a step and those below want values written.
    var knownForms: [Int: String?] = [:]
    /// What the rules of all fields say together, in bytes, and how much they may say.
    var ruleBytes = 0
    var mostRuleBytes: Int
    /// Why nothing more is bound: the rules became too many.
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

    /// Binds all that the operations need. Nil after an error, which is among the diagnostics.
    ///
    /// An operation that cannot be bound is left out, unless it is one of those `wanted` by name or no other is left.
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
            binder.relate()
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

    /// Whether no more is followed.
    var isExhausted: Bool { work > workLimit || tooManyRules != nil }

    /// Counts what is followed: particles, attributes, steps of derivation, elements and types that stand for others.
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

    /// Binds a mention of a type; `anonymous` is the key that a type without a name gets here.
    mutating func bind(_ reference: TypeReference, anonymous: TypeKey, at location: SourceLocation) -> BoundReference? {
        switch reference {
        case .unspecified: return .builtIn(.any)
        case .anonymous(.simple(let type)): return bind(type, distinct(anonymous, at: type.location))
        case .anonymous(.complex(let type)): return enter(type, distinct(anonymous, at: type.location))
        case .named(let name):
            // The schema of schemas declares types of its own.
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
            case .complex(let type): return external(name, isSimple: false) ?? mention(name, type)
            case nil:
                fail("the type \(name) is not there\(hint(missingType: name))", at: location)
                return nil
            }
        }
    }

    /// What a simple type was bound to: each is looked at once, however often it is named.
    mutating func known(_ name: QName) -> BoundReference? {
        guard let known = boundSimple[name] else { return nil }
        if let key = known.declaration { users[key, default: []].insert(current) }
        return known
    }

    /// The key for an anonymous type: another one where a second type of that name is declared elsewhere.
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

    /// The type that the configuration says is declared elsewhere.
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

    /// A mention of what is bound elsewhere.
    mutating func enter(_ key: TypeKey) -> BoundReference {
        users[key, default: []].insert(current)
        return .declared(key)
    }

    /// Why a component may be absent.
    func hint(for namespace: String) -> String {
        guard let missed = schema.unreadImports.first(where: { $0.namespace == namespace }) else { return "" }
        return
            ": the schema ‘\(missed.address)’, imported at \(missed.location), was not read; save it beside the WSDL and "
            + "name the file there"
    }

    /// Why a type may be absent, or what may have been meant.
    mutating func hint(missingType name: QName) -> String {
        let why = hint(for: name.namespace)
        return why.isEmpty && mayCompare() ? schema.hint(missingType: name) : why
    }

    mutating func hint(missingElement name: QName) -> String {
        let why = hint(for: name.namespace)
        return why.isEmpty && mayCompare() ? schema.hint(missingElement: name) : why
    }

    /// A name is compared with all that are there, which is not to be done for thousands of absent ones.
    private mutating func mayCompare() -> Bool {
        hintsLeft -= 1
        return hintsLeft >= 0
    }

    // MARK: What is left of it

    /// The types that the messages reach, those without typed content among them.
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

    /// Drops what only untyped content holds, and puts its type in the place of the types that have it.
    private mutating func keep(_ reached: Set<TypeKey>) {
        func kept(_ reference: BoundReference) -> BoundReference {
            if case .declared(let key) = reference, loose[key] != nil { return .builtIn(.any) }
            return reference
        }
        result.messages = result.messages.mapValues(kept)
        // What is kept as it was written keeps that it is nil as well.
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

    /// Gives up typing the current type; the first reason is the one that is told.
    mutating func loosen(_ message: String, at location: SourceLocation) {
        if loose[current] == nil { loose[current] = Diagnostic(.warning, message + Self.looseness, at: location) }
    }

    static let looseness = ", which cannot be typed yet; it is bound to XMLAny, which keeps all that arrives."

    /// Names with each defect the operations that meet it, so that they can be left out.
    private func report(
        _ operations: [SelectedOperation], _ reached: Set<TypeKey>, _ diagnostics: inout Diagnostics
    ) {
        let defective = defective(among: reached)
        // Without ‘strict’ the operations that need none of it would be made.
        let needing = Set(self.operations(needing: defective.map(\.key), among: operations).map(\.name))
        let others = Set(operations.map(\.name)).subtracting(needing)
        let isOnlyStrict = options.isStrict && options.operations == nil && !others.isEmpty
        for (key, defects) in defective.prefix(Self.mostTold) {
            let names = self.operations(needing: [key], among: operations).map(\.name)
            for defect in defects {
                let message = "\(defect.message); needed by \(names.quotedList())\(Selector.advice)"
                diagnostics.add(
                    Diagnostic(
                        .error, isOnlyStrict ? message + Diagnostics.strictness : message, at: defect.location))
            }
        }
        if let first = defective.dropFirst(Self.mostTold).first?.value.first {
            let count = defective.count - Self.mostTold
            diagnostics.add(Diagnostic(.error, "\(first.message); so it is with \(count) types.", at: first.location))
        }
        for (key, reason) in loose.sorted(by: { $0.key < $1.key }) where reached.contains(key) {
            diagnostics.leftOut(reason.message, at: reason.location, isError: options.isStrict)
        }
        for (key, diagnostic) in remarks where reached.contains(key) && loose[key] == nil {
            diagnostics.add(diagnostic)
        }
    }
}
