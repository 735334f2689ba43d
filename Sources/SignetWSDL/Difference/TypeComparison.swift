/// Compares elements and types of two schemas, each pair once for each direction.
struct TypeComparison {
    let old: SchemaSet
    let new: SchemaSet
    private var oldGroups: GroupContents
    private var newGroups: GroupContents
    private(set) var changes: [ContractChange] = []
    private var reported: Set<ContractChange> = []
    private var compared: Set<Pair> = []
    /// Anonymous types already compared: through groups they may contain themselves.
    private var comparedAnonymous: Set<AnonymousPair> = []
    /// Simple types that allow the same values in both versions.
    private var sameTexts: Set<NamePair> = []
    /// Named types that are still to be compared, so that no chain of types needs deep recursion.
    private var pending: ArraySlice<(pair: Pair, path: [String])> = []
    /// The types derived from each, by name.
    private let oldDerived: [QName: [QName]]
    private let newDerived: [QName: [QName]]

    private struct Pair: Hashable {
        var old: QName
        var new: QName
        var direction: MessageDirection
        /// Whether the names are those of elements.
        var isElement = false
    }

    private struct NamePair: Hashable {
        var old: QName
        var new: QName
    }

    private struct AnonymousPair: Hashable {
        var old: SourceLocation
        var new: SourceLocation
        var direction: MessageDirection
    }

    /// Longer paths are cut: a chain of types may be as long as the document.
    private static let longestPath = 40

    init(_ old: SchemaSet, _ new: SchemaSet) {
        self.old = old
        self.new = new
        oldGroups = GroupContents(old)
        newGroups = GroupContents(new)
        oldDerived = old.derivedTypes
        newDerived = new.derivedTypes
    }

    mutating func report(_ path: [String], _ message: String, isBreaking: Bool) {
        let change = ContractChange(path: path, message: message, isBreaking: isBreaking)
        if reported.insert(change).inserted { changes.append(change) }
    }

    private mutating func report(
        _ path: [String], _ message: String, _ change: ValueChange, _ direction: MessageDirection
    ) {
        if change != .none { report(path, message, isBreaking: direction.isBreaking(change)) }
    }

    /// Compares two declarations of an element with the same name, and every type that they refer to.
    mutating func compareAll(
        _ first: ElementDeclaration, _ second: ElementDeclaration, _ direction: MessageDirection, _ path: [String]
    ) {
        compare(first, second, direction, path)
        finish()
    }

    mutating func compareAll(
        _ first: TypeReference, _ second: TypeReference, _ direction: MessageDirection, _ path: [String]
    ) {
        compare(first, second, direction, path)
        finish()
    }

    private mutating func finish() {
        while let (pair, path) = pending.popFirst() {
            if pair.isElement {
                if let before = old.elements[pair.old], let after = new.elements[pair.new] {
                    compare(before, after, pair.direction, path)
                }
                continue
            }
            compareDerived(pair.old, pair.new, pair.direction, path)
            compareContent(.named(pair.old), .named(pair.new), pair.direction, path)
        }
    }

    private mutating func compare(
        _ first: ElementDeclaration, _ second: ElementDeclaration, _ direction: MessageDirection, _ path: [String]
    ) {
        if first.isNillable != second.isNillable {
            let message = second.isNillable ? "it may be nil now" : "it may not be nil any more"
            report(path, message, second.isNillable ? .wider : .narrower, direction)
        }
        if first.preset != second.preset {
            // A default is what the reader assumes; a fixed value is the only allowed value.
            let isFixed = [first.preset, second.preset].contains { if case .fixed = $0 { true } else { false } }
            report(path, "its default or fixed value changed", isBreaking: isFixed)
        }
        compare(first.type, second.type, direction, path)
    }

    private mutating func compare(
        _ first: TypeReference, _ second: TypeReference, _ direction: MessageDirection, _ path: [String]
    ) {
        guard case .named(let a) = first, case .named(let b) = second else {
            if case .anonymous(.complex(let a)) = first, case .anonymous(.complex(let b)) = second {
                let pair = AnonymousPair(old: a.location, new: b.location, direction: direction)
                guard comparedAnonymous.insert(pair).inserted else { return }
            }
            compareContent(first, second, direction, path)
            return
        }
        postpone(Pair(old: a, new: b, direction: direction), path)
    }

    private mutating func postpone(_ pair: Pair, _ path: [String]) {
        guard compared.insert(pair).inserted else { return }
        pending.append((pair, path.count > Self.longestPath ? path.prefix(2) + ["…", pair.old.localName] : path))
    }

    private mutating func compareContent(
        _ first: TypeReference, _ second: TypeReference, _ direction: MessageDirection, _ path: [String]
    ) {
        switch (complex(first, old), complex(second, new)) {
        case (let a?, let b?): compare(a, b, direction, path)
        case (nil, nil): compareText(first, second, direction, path)
        case (.some, nil): report(path, "it held elements or attributes and holds text", isBreaking: true)
        case (nil, .some(let type)):
            if case .simple = type.content {
                compareText(first, second, direction, path)
                for (name, attribute) in ComplexContent(type, &newGroups).attributes where attribute.isRequired {
                    report(path, "the attribute ‘\(name.localName)’ is new and required", .narrower, direction)
                }
            } else {
                report(path, "it held text and holds elements", isBreaking: !isAny(first))
            }
        }
    }

    /// Many types may restrict one long enumeration without a change: the enumeration is compared once.
    private mutating func compareText(
        _ first: TypeReference, _ second: TypeReference, _ direction: MessageDirection, _ path: [String]
    ) {
        let (a, b) = (old.skippingTrivialSteps(first), new.skippingTrivialSteps(second))
        guard case .named(let before) = a, case .named(let after) = b else {
            return compare(SimpleContent(a, old), SimpleContent(b, new), direction, path)
        }
        let pair = NamePair(old: before, new: after)
        if sameTexts.contains(pair) { return }
        let (content, other) = (SimpleContent(a, old), SimpleContent(b, new))
        if content.parts.isEmpty, other.parts.isEmpty, !content.isTruncated, !other.isTruncated,
            content.changes(to: other).isEmpty
        {
            sameTexts.insert(pair)
        } else {
            compare(content, other, direction, path)
        }
    }

    private mutating func compare(
        _ first: SimpleContent, _ second: SimpleContent, _ direction: MessageDirection, _ path: [String]
    ) {
        if first.isTruncated || second.isTruncated {
            let most = SimpleContent.maximumSteps
            report(path, "not all was compared: its type is derived in more than \(most) steps", isBreaking: true)
        }
        for (text, change) in first.changes(to: second) { report(path, text, change, direction) }
        guard first.shown == second.shown else { return }
        for (a, b) in zip(first.parts, second.parts) { compare(a, b, direction, path) }
    }

    private func isAny(_ type: TypeReference) -> Bool {
        switch type {
        case .unspecified, .named(.anyType): true
        default: false
        }
    }

    private func complex(_ type: TypeReference, _ schema: SchemaSet) -> ComplexType? {
        switch type {
        case .named(let name): if case .complex(let type) = schema.types[name] { type } else { nil }
        case .anonymous(.complex(let type)): type
        case .anonymous(.simple), .unspecified: nil
        }
    }

    private mutating func compare(
        _ first: ComplexType, _ second: ComplexType, _ direction: MessageDirection, _ path: [String]
    ) {
        let (before, after) = (ComplexContent(first, &oldGroups), ComplexContent(second, &newGroups))
        if oldGroups.isTruncated || newGroups.isTruncated {
            return report(
                [], "not all was compared: groups, bases and derived types multiply too much", isBreaking: true)
        }
        if before.isText, after.isText {
            let text = SimpleContent(.anonymous(.complex(first)), old)
            compare(text, SimpleContent(.anonymous(.complex(second)), new), direction, path)
        }
        let gone = Dictionary(grouping: before.order.filter { after.children[$0] == nil }, by: \.localName)
        let come = Dictionary(grouping: after.order.filter { before.children[$0] == nil }, by: \.localName)
        for name in before.order {
            guard let child = before.children[name] else { continue }
            let place = path + [name.localName]
            guard let now = after.children[name] else {
                if let other = come[name.localName]?.first {
                    report(
                        place, "its namespace was ‘\(name.namespace)’ and is ‘\(other.namespace)’", isBreaking: true)
                } else {
                    // Callers that read the element no longer find it; callers that write it send an unknown element.
                    let breaks = direction == .toService || (child.minimum > 0 && !child.isAlternative)
                    report(place, "it is gone", isBreaking: breaks)
                }
                continue
            }
            compareOccurrence(child, now, direction, place)
            if child.isGlobal, now.isGlobal {
                postpone(Pair(old: name, new: name, direction: direction, isElement: true), place)
            } else {
                compare(child.declaration, now.declaration, direction, place)
            }
        }
        for name in after.order where before.children[name] == nil {
            guard let child = after.children[name], gone[name.localName] == nil else { continue }
            let place = path + [name.localName]
            if child.minimum > 0 {
                report(place, "it is new and required", isBreaking: direction == .toService)
            } else if child.isAlternative {
                report(place, "it is a new alternative", isBreaking: direction == .toCaller)
            } else {
                report(place, "it is new and optional", isBreaking: false)
            }
        }
        compareOrder(before, after, direction, path)
        compareAttributes(before, after, direction, path)
        compareRest(before, after, direction, path)
    }

    private mutating func compareOccurrence(
        _ old: ContentElements.Child, _ new: ContentElements.Child, _ direction: MessageDirection, _ path: [String]
    ) {
        let least: ValueChange = old.minimum == new.minimum ? .none : old.minimum < new.minimum ? .narrower : .wider
        let (a, b) = (old.maximum ?? .max, new.maximum ?? .max)
        let most: ValueChange = a == b ? .none : a > b ? .narrower : .wider
        func shown(_ child: ContentElements.Child) -> String {
            "\(child.minimum)…\(child.maximum.map(String.init) ?? "unbounded")"
        }
        report(path, "it stood \(shown(old)) times and stands \(shown(new)) times", least.and(most), direction)
    }

    private mutating func compareOrder(
        _ old: ComplexContent, _ new: ComplexContent, _ direction: MessageDirection, _ path: [String]
    ) {
        let before = old.order.filter { new.children[$0] != nil }
        let after = new.order.filter { old.children[$0] != nil }
        // Signet's callers tolerate another order in an answer; a service may validate the order of a request.
        if before != after { report(path, "its elements stand in another order", isBreaking: direction == .toService) }
    }

    private mutating func compareAttributes(
        _ old: ComplexContent, _ new: ComplexContent, _ direction: MessageDirection, _ path: [String]
    ) {
        for (name, attribute) in old.attributes.sorted(by: { $0.key < $1.key }) {
            let place = path + ["@\(name.localName)"]
            guard let now = new.attributes[name] else {
                report(place, "it is gone", isBreaking: direction == .toService || attribute.isRequired)
                continue
            }
            if attribute.isRequired != now.isRequired {
                let message = now.isRequired ? "it is required now" : "it may be left out now"
                report(place, message, now.isRequired ? .narrower : .wider, direction)
            }
            if attribute.fixed != now.fixed { report(place, "its fixed value changed", isBreaking: true) }
            compare(attribute.type, now.type, direction, place)
        }
        for (name, attribute) in new.attributes.sorted(by: { $0.key < $1.key }) where old.attributes[name] == nil {
            report(
                path + ["@\(name.localName)"],
                attribute.isRequired ? "it is new and required" : "it is new and optional",
                isBreaking: attribute.isRequired && direction == .toService)
        }
    }

    private mutating func compareRest(
        _ old: ComplexContent, _ new: ComplexContent, _ direction: MessageDirection, _ path: [String]
    ) {
        if old.isText != new.isText {
            report(path, new.isText ? "it holds text now" : "it holds no text any more", isBreaking: true)
        }
        for gone in old.wildcards.subtracting(new.wildcards).sorted() {
            report(path, "it does not let in \(gone) any more", .narrower, direction)
        }
        for come in new.wildcards.subtracting(old.wildcards).sorted() {
            // Readers skip undeclared content.
            report(path, "it lets in \(come)", isBreaking: false)
        }
        if old.isMixed != new.isMixed {
            report(
                path, new.isMixed ? "text may stand between its elements" : "no text may stand between its elements",
                new.isMixed ? .wider : .narrower, direction)
        }
        if old.isAbstract != new.isAbstract {
            report(
                path, new.isAbstract ? "its type is abstract now" : "its type is not abstract any more",
                new.isAbstract ? .narrower : .wider, direction)
        }
    }

    /// Values of derived types may occur where their base is declared.
    private mutating func compareDerived(_ a: QName, _ b: QName, _ direction: MessageDirection, _ path: [String]) {
        let (before, after) = (oldDerived[a] ?? [], newDerived[b] ?? [])
        let (old, new) = (Set(before), Set(after))
        for name in before where !new.contains(name) {
            report(path, "the derived type ‘\(name.localName)’ is gone", .narrower, direction)
        }
        for name in after where !old.contains(name) {
            report(path, "the derived type ‘\(name.localName)’ is new", .wider, direction)
        }
        for name in before where new.contains(name) {
            compare(.named(name), .named(name), direction, path + ["type \(name.localName)"])
        }
    }
}

extension SchemaSet {
    /// The complex types that are derived from each in one step.
    fileprivate var derivedTypes: [QName: [QName]] {
        var derived: [QName: [QName]] = [:]
        for (name, type) in types.sorted(by: { $0.key < $1.key }) {
            guard case .complex(let type) = type else { continue }
            switch type.content {
            case .derived(let base, _, _), .simple(.named(let base), _):
                if case .complex = types[base], !base.isRedefined { derived[base, default: []].append(name) }
            default: break
            }
        }
        return derived
    }
}
