/// The declarations of a document type declaration that change the content of a document: entities, and attributes with
/// their types and default values.
struct DoctypeDeclarations {
    enum Entity {
        /// The range of the replacement text in ``texts``.
        case `internal`(Range<Int>)
        case external
        /// Declared with `NDATA` (XML 1.0 §4.2.2).
        case unparsed
    }

    struct Attribute {
        var name: [UInt8]
        /// Whether the type is another than `CDATA`, so that spaces in values are collapsed (§3.3.3).
        var isTokenized: Bool
        /// The default value, written so that it can stand between quotation marks.
        var value: [UInt8]?
    }

    /// The attributes that are declared for the elements of one name.
    struct AttributeList {
        struct Rule {
            var isTokenized = false
            /// The index of its default value.
            var value: Int?
        }

        /// The attributes that have a default value. Only these are checked at every start tag: each is either present
        /// or counted against the budget, so that attributes without a default cost nothing, however many are declared.
        private(set) var defaults: [(name: [UInt8], value: [UInt8])] = []
        private var rules: [[UInt8]: Rule] = [:]
        /// Whether the declarations can change any start tag.
        private(set) var hasEffect = false

        func rule(for name: UnsafeBufferPointer<UInt8>) -> Rule? { rules[Array(name)] }

        /// Adds an attribute; false when there is one of that name.
        mutating func add(_ attribute: Attribute) -> Bool {
            guard rules[attribute.name] == nil else { return false }
            var rule = Rule(isTokenized: attribute.isTokenized)
            if let value = attribute.value {
                rule.value = defaults.count
                defaults.append((attribute.name, value))
            }
            rules[attribute.name] = rule
            hasEffect = hasEffect || rule.isTokenized || rule.value != nil
            return true
        }
    }

    /// The replacement texts of all internal entities (§4.5).
    var texts: [UInt8] = []
    /// Whether there are external declarations, which are not read.
    var hasExternalSubset = false
    private var entities: [[UInt8]: Entity] = [:]
    private var lists: [[UInt8]: AttributeList] = [:]

    func entity(_ name: UnsafeBufferPointer<UInt8>) -> Entity? { entities[Array(name)] }

    /// The attributes declared for the elements of a name, if they have any effect.
    func attributes(of element: UnsafeBufferPointer<UInt8>) -> AttributeList? {
        guard !lists.isEmpty, let list = lists[Array(element)], list.hasEffect else { return nil }
        return list
    }

    /// Adds an entity; of several with one name the first counts (§4.2). The text of an internal entity must have just
    /// been appended to ``texts``.
    mutating func declare(_ entity: Entity, _ name: [UInt8]) {
        if entities[name] == nil {
            entities[name] = entity
        } else if case .internal(let range) = entity {
            texts.removeSubrange(range)
        }
    }

    /// Adds an attribute; of several with one name the first counts (§3.3). False when the attribute was declared
    /// before.
    mutating func declare(_ attribute: Attribute, of element: [UInt8]) -> Bool {
        lists[element, default: AttributeList()].add(attribute)
    }
}

/// The bytes that entities and default values may still add to a document (``XMLLimits/expandedBytes``).
struct ExpansionBudget {
    let limit: Int
    private var used = 0
    var rest: Int { limit - used }

    init(_ limits: XMLLimits) { limit = limits.expandedBytes }

    /// Charges the cost of a replacement besides its text: memory to record it, and work even when it is empty.
    mutating func takePlace(at offset: Int) throws(XMLError) {
        try take(MemoryLayout<XMLExpansion.Replacement>.stride, at: offset)
    }

    mutating func take(_ count: Int, at offset: Int) throws(XMLError) {
        // Both stay below the limit, which is no more than a number of bytes in memory; otherwise they are refused.
        guard count <= rest else {
            throw XMLError(
                .tooManyEntities,
                "entities and default attributes would add more than \(limit) bytes to the document "
                    + "(XMLLimits.expandedBytes).", offset: offset)
        }
        used += count
    }
}

/// A reference that is being replaced, or the document around all of them.
struct EntityFrame {
    var cursor: MarkupCursor
    /// The range of the replacement text, which identifies the entity; nil for the document and for a literal.
    var text: Range<Int>?
    /// The number of elements that are open where it begins.
    var depth = 0
}

extension DoctypeDeclarations {
    /// Returns the replacement text of an entity that is referred to inside `frames`.
    ///
    /// - Parameter inAttribute: whether the reference is in an attribute's value, where external entities are not
    ///   allowed at all (§3.1).
    func replacement(
        for name: UnsafeBufferPointer<UInt8>, inside frames: [EntityFrame], inAttribute: Bool, limits: XMLLimits,
        budget: inout ExpansionBudget, at offset: Int
    ) throws(XMLError) -> Range<Int> {
        let shown = String(decoding: name.prefix(80), as: UTF8.self)
        switch entity(name) {
        case nil:
            throw XMLError(
                hasExternalSubset ? .doctypeRefused : .malformed,
                "the entity “\(shown)” is not declared inside the document"
                    + (hasExternalSubset ? ", and nothing is fetched" : "") + "; declare it there before it is used.",
                offset: offset)
        case .unparsed:
            throw XMLError(.malformed, "the entity “\(shown)” is not text, and has no place here.", offset: offset)
        case .external:
            throw XMLError(
                inAttribute ? .malformed : .doctypeRefused,
                "the entity “\(shown)” stands outside the document, and nothing is fetched; put its text in the document.",
                offset: offset)
        case .internal(let text):
            if frames.contains(where: { $0.text == text }) && !text.isEmpty {
                throw XMLError(.malformed, "the entity “\(shown)” holds a reference to itself.", offset: offset)
            }
            if frames.count > limits.depth {
                throw XMLError(
                    .tooDeep, "entities are nested deeper than \(limits.depth) (XMLLimits.depth).", offset: offset)
            }
            try budget.take(text.count, at: offset)
            try budget.takePlace(at: offset)
            return text
        }
    }
}
