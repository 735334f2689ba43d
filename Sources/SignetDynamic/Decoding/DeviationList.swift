import SignetSOAP
import SignetWSDL

/// Lists where a message departs from its schema, in the same form as generated code.
struct DeviationList {
    /// The greatest number of deviations that are kept.
    static let most = 1000

    /// Where the content of the outermost element begins in the message; nil when that is unknown.
    let base: ContentPlace?
    /// Where that content begins in the text that was read.
    let start: XMLTree.Place
    /// The elements from below the outermost one to the one being read.
    var path: [String] = []
    private(set) var all: [XMLDeviation] = []

    init(of tree: XMLTree, at base: ContentPlace?) {
        self.base = base
        start = tree.place
    }

    /// - Parameter step: the attribute, or the element inside, that the deviation concerns.
    mutating func add(_ code: XMLDeviation.Code, _ place: XMLTree.Place, _ message: String, at step: String?) {
        guard all.count < Self.most else { return }
        let names = (base.map { [$0.path] } ?? []) + path + (step.map { [$0] } ?? [])
        let isFirstLine = place.line == start.line
        all.append(
            XMLDeviation(
                code: code, path: names.joined(separator: "/"), line: (base?.line ?? 1) + place.line - start.line,
                column: isFirstLine ? (base?.column ?? 1) + place.column - start.column : place.column,
                message: message))
    }
}

extension Decoder {
    /// The deviations together with those of the message around, in the order of the message; 1,000 at most.
    func deviations(with others: [XMLDeviation]) -> [XMLDeviation] {
        let all = (others + (deviations?.all ?? [])).sorted { ($0.line, $0.column) < ($1.line, $1.column) }
        return Array(all.prefix(DeviationList.most))
    }

    func isSecret(_ step: String?) -> Bool {
        let outer = deviations?.base.map { $0.path.split(separator: "/").map(String.init) } ?? []
        let names = outer + (deviations?.path ?? []) + (step.map { [$0] } ?? [])
        return names.contains(where: SecretName.matches)
    }

    mutating func note(_ code: XMLDeviation.Code, _ tree: XMLTree, _ message: String, at step: String? = nil) {
        deviations?.add(code, tree.place, message, at: step)
    }

    mutating func noteElements(_ tree: XMLTree) {
        note(.invalidValue, tree, "an element stands where a simple value is expected.")
    }

    mutating func noteNil(_ tree: XMLTree, _ declaration: ElementDeclaration, isOptional: Bool) {
        guard !declaration.isNillable, !isEncoded, !declaration.isUntyped else { return }
        if isOptional {
            note(.nilForAbsent, tree, "an element is nil (xsi:nil) that might be absent, but is not nillable.")
        } else {
            note(.unexpectedNil, tree, "an element is nil (xsi:nil) that the WSDL does not declare nillable.")
        }
    }

    /// Notes the content of an element that states that it is nil, and must therefore be empty.
    mutating func noteNilContent(_ tree: XMLTree) {
        guard tree.hasText || !tree.elements.isEmpty else { return }
        note(.unexpectedNil, tree, "an element is nil (xsi:nil) and has content all the same, which is left out.")
    }

    /// Notes an `xsi:type` that cannot stand where the element is declared (XML Schema Part 1 §3.3.4).
    mutating func noteType(_ tree: XMLTree, _ declaration: ElementDeclaration) {
        guard deviations != nil, let said = tree.attribute(XMLTree.typeName) else { return }
        guard let name = tree.resolve(said) else {
            return note(
                .unknownType, tree, "the type “\(said.prefix(80))” of xsi:type has a prefix that nothing declares.")
        }
        let place: String
        switch declaration.type {
        case .unspecified: return
        case .named(let base):
            // Types that the encoding itself names, such as Struct, say nothing about the type of the schema.
            let isGeneric = isEncoded && Namespaces.soapEncodings.contains(name.namespace)
            if isGeneric, BuiltIn.named(QName(Namespaces.schema, name.localName)) == nil { return }
            if types.isDerived(name, from: base) { return }
            place = "where \(types.text(of: base)) is declared"
        case .anonymous:
            // In SOAP's encoding such a type may have any name.
            if isEncoded { return }
            place = "here, where a type without a name is declared"
        }
        note(.unknownType, tree, "the type “\(types.text(of: name))” of xsi:type may not stand \(place).")
    }

    /// Notes a text that is not a value of its type.
    ///
    /// - Parameter step: the attribute that has it; nil for the element.
    mutating func note(_ text: String, _ shape: SimpleShape, _ tree: XMLTree, at step: String? = nil) {
        guard deviations != nil else { return }
        let isValue = shape.reads(text, in: tree)
        guard !isValue || checksFacets else { return }
        let defect = isValue ? self.defect(of: text, shape) : nil
        guard !isValue || defect != nil else { return }
        let shown = isSecret(step) ? "what stands here" : "“\(text.prefix(40))\(text.count > 40 ? "…" : "")”"
        note(
            .invalidValue, tree,
            "\(shown) is not a value of \(shape.name)\(defect.map { ": \($0)." } ?? ".")", at: step)
    }

    /// What a facet expects of a text instead; nil when all allow it.
    private mutating func defect(of text: String, _ shape: SimpleShape) -> String? {
        // The prefixes of names are not those of the schema.
        if shape.isQualifiedName { return nil }
        if let defect = shape.defect(of: text) { return defect }
        for alternatives in shape.facets.patterns {
            let value = shape.collapses ? text.collapsedXMLSpace : text
            var isMatched = false
            for pattern in alternatives where !isMatched {
                // One that is no regular expression of XML Schema excludes nothing.
                isMatched = compiled(pattern)?.matches(value) ?? true
            }
            if !isMatched {
                return "a text like \(alternatives.map { "‘\($0.prefix(60))’" }.joined(separator: " or ")) is expected"
            }
        }
        switch shape.variety {
        case .atomic: return nil
        case .list(let item):
            for text in text.xmlWords {
                if let defect = defect(of: text, item) { return defect }
            }
            return nil
        case .union(let members):
            for member in members where defect(of: text, member) == nil { return nil }
            return "a value of \(members.map(\.name).joined(separator: " or ")) is expected"
        }
    }

    private mutating func compiled(_ pattern: String) -> XSDPattern? {
        if let known = patterns[pattern] { return known }
        let made = try? XSDPattern(pattern)
        patterns[pattern] = .some(made)
        return made
    }

    // MARK: Attributes

    /// - Parameter simple: the type of a declared attribute.
    mutating func note(
        _ name: QName, _ text: String, _ simple: SimpleShape?, _ shape: ComplexShape, _ tree: XMLTree
    ) {
        if let simple { return note(text, simple, tree, at: "@\(name.localName)") }
        // SOAP allows its attributes everywhere (SOAP 1.1 §4.1.1, SOAP 1.2 Part 2 §3.1.8).
        guard ![Namespaces.envelope11, Namespaces.envelope12].contains(name.namespace),
            shape.anyAttribute?.allows(name.namespace) != true,
            !shape.attributes.contains(where: { $0.name == name })
        else { return }
        note(.unknownAttribute, tree, "the attribute “\(name.localName.prefix(80))” is not known here.")
    }

    mutating func noteMissingAttributes(_ tree: XMLTree, _ shape: ComplexShape) {
        guard deviations != nil, !tree.isNil else { return }
        for attribute in shape.attributes where attribute.isRequired && tree.attribute(attribute.name) == nil {
            note(.missingAttribute, tree, "the required attribute “\(attribute.name.localName)” is absent.")
        }
    }

    // MARK: Elements

    /// Notes which of the elements inside another are not allowed there, and which are absent.
    mutating func note(_ children: ArraySlice<Child>, _ shape: ComplexShape, _ tree: XMLTree) {
        guard deviations != nil, case .elements(let model) = shape.content else { return }
        let places = model?.places
        var last = 0
        var counts: [QName: Int] = [:]
        for child in children {
            let step = child.tree.name.localName
            guard child.isDeclared else {
                if !shape.wildcards.contains(where: { types.schema.allows(child.tree.name, $0) }) {
                    note(.unknownElement, child.tree, "the element “\(step.prefix(80))” is not known here.", at: step)
                }
                continue
            }
            let name = child.declaration.name
            if name != child.tree.name, !isEncoded {
                note(
                    .namespace, child.tree, "the element “\(step)” is not in the namespace that it should be in.",
                    at: step)
            }
            counts[name, default: 0] += 1
            if let most = shape.use(of: name)?.maximum, counts[name] == most + 1 {
                note(.duplicate, child.tree, "the element “\(step)” stands more than \(most) times.", at: step)
            }
            if let place = places?[name] {
                if place < last {
                    note(.order, child.tree, "the element “\(step)” stands behind one that must follow it.", at: step)
                }
                last = max(last, place)
            }
        }
        for names in model?.missing(among: Set(counts.keys)) ?? [] {
            let text = names.prefix(8).map { "“\($0.localName)”" }.joined(separator: ", ")
            note(
                .missingElement, tree,
                names.count == 1
                    ? "the required element \(text) is absent." : "one of \(text) is required, and none stands here.")
        }
    }
}

extension ElementDeclaration {
    /// Whether the schema does not describe the content.
    fileprivate var isUntyped: Bool {
        if case .unspecified = type { true } else { false }
    }
}
