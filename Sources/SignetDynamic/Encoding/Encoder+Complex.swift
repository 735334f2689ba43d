import SignetSOAP
import SignetWSDL

extension Encoder {
    mutating func complex(
        _ value: DynamicValue, _ shape: ComplexShape, into tree: inout XMLTree
    ) throws(DynamicError) -> [Piece] {
        switch shape.content {
        case .simple(let simple):
            guard case .object(let members) = value else {
                try attributes([], shape, into: &tree)
                return try text(of: value, simple).map(Piece.text)
            }
            try attributes(members, shape, into: &tree)
            for member in members where member.name.attributeKey == nil && member.name != "#text" {
                throw unknown(member.name, shape)
            }
            guard let text = value["#text"] else {
                throw error(.missing, "the value itself is missing; it belongs under ‘#text’ (\(simple.name)).")
            }
            return try at("#text") { (encoder) throws(DynamicError) in
                try encoder.text(of: text, simple).map(Piece.text)
            }
        case .elements(let model):
            let members: [DynamicValue.Member]
            switch value {
            case .object(let given): members = given
            case .string where shape.isMixed: members = [.init("#text", value)]
            default:
                throw error(.invalidValue, "an object is expected, not \(value.kind); \(expectedKeys(shape)).")
            }
            try attributes(members, shape, into: &tree)
            return try content(members, model, shape)
        }
    }

    // MARK: Attributes

    mutating func attributes(
        _ members: [DynamicValue.Member], _ shape: ComplexShape, into tree: inout XMLTree
    ) throws(DynamicError) {
        var given: [QName: [XMLTree.Text]] = [:]
        var others: [XMLTree.Attribute] = []
        for member in members {
            guard let key = member.name.attributeKey else { continue }
            let declared = shape.attribute(key: key)
            let name = if let declared { declared.name } else { try wildAttribute(key, shape) }
            let text = try at(member.name) { (encoder) throws(DynamicError) in
                guard let type = declared?.type ?? encoder.types.schema.attribute(name)?.type else {
                    return try encoder.untypedText(member.value)
                }
                let simple = try encoder.located { (encoder) throws(DynamicError) in try encoder.types.simple(type) }
                return try encoder.text(of: member.value, simple)
            }
            if declared == nil { others.append(.init(name: name, value: text)) } else { given[name] = text }
        }
        for attribute in shape.attributes {
            if let value = given[attribute.name] {
                tree.attributes.append(.init(name: attribute.name, value: value))
                if case .fixed(let wanted)? = attribute.preset,
                    !Self.isFixed(value, wanted, try types.simple(attribute.type))
                {
                    throw error(
                        .invalidValue, "the value of ‘@\(attribute.name.localName)’ is fixed: ‘\(wanted)’ is expected.")
                }
            } else if attribute.isRequired {
                // An attribute with a fixed value may be omitted.
                guard case .fixed(let value)? = attribute.preset else {
                    throw error(.missing, "the required attribute ‘@\(attribute.name.localName)’ is missing.")
                }
                tree.attributes.append(.init(name: attribute.name, value: [.plain(value)]))
            }
        }
        tree.attributes += others
    }

    /// Whether a value is the one that the schema fixes (XML Schema Part 1 §3.2.4); qualified names cannot be compared,
    /// because the prefixes of the schema are not known.
    static func isFixed(_ value: [XMLTree.Text], _ wanted: String, _ shape: SimpleShape) -> Bool {
        var text = ""
        for piece in value {
            guard case .plain(let plain) = piece else { return true }
            text += plain
        }
        return shape.areEqual(text, wanted) { _, _ in true }
    }

    private func wildAttribute(_ key: String, _ shape: ComplexShape) throws(DynamicError) -> QName {
        let name = ElementKey.name(key) ?? QName("", key)
        guard let wildcard = shape.anyAttribute, wildcard.allows(name.namespace), XMLName.isNCName(name.localName),
            wildcard.processing != .strict || types.schema.attribute(name) != nil
        else { throw unknown("@\(key)", shape) }
        return name
    }

    // MARK: Content

    private mutating func content(
        _ members: [DynamicValue.Member], _ model: Model?, _ shape: ComplexShape
    ) throws(DynamicError) -> [Piece] {
        var pending = PendingMembers(schema: types.schema)
        var items: [Piece] = []
        for member in members where member.name.attributeKey == nil {
            if member.name == "#text", shape.isMixed {
                items += try at("#text") { (encoder) throws(DynamicError) in
                    try encoder.untypedText(member.value).map(Piece.text)
                }
            } else if member.name == "#xml", shape.isMixed {
                guard members.allSatisfy({ $0.name.attributeKey != nil || $0.name == "#xml" }) else {
                    throw error(.invalidValue, "beside ‘#xml’ only attributes may stand.")
                }
                return [.item(.markup(try markup(member.value)))]
            } else if let use = shape.use(key: member.name) {
                let values = try split(member, use)
                if let most = use.maximum, most > 0, values.count > most {
                    let step = values[most].step
                    throw at(error(.invalidValue, ""), step, "this is too much: the schema allows at most \(most).")
                }
                pending.add(use.element.name, values)
            } else {
                let name = try wildElement(member.name, shape)
                pending.addWild(name, Self.items(member))
            }
        }
        if let model { items += try emit(model, &pending, shape) }
        if let step = pending.leftover {
            throw at(
                error(.invalidValue, ""), step,
                "this does not fit with the other keys, or is too much: the schema allows \(outline(shape)).")
        }
        return items
    }

    private func at(_ error: DynamicError, _ step: String, _ message: String) -> DynamicError {
        DynamicError(error.code, message, path: Self.text(of: path + [step]))
    }

    /// The values of one key, one for each element.
    private mutating func split(
        _ member: DynamicValue.Member, _ use: ComplexShape.ElementUse
    ) throws(DynamicError) -> [PendingMembers.Item] {
        guard case .array = member.value, !use.isRepeated else { return Self.items(member) }
        let shape = try located { (encoder) throws(DynamicError) in try encoder.types.shape(of: use.element.type) }
        if case .complex(let complex) = shape, complex.array != nil, encoding != nil {
            return [.init(value: member.value, step: member.name)]
        }
        if case .simple(let simple) = shape, simple.isList { return [.init(value: member.value, step: member.name)] }
        if case .complex(let complex) = shape, case .simple(let simple) = complex.content, simple.isList {
            return [.init(value: member.value, step: member.name)]
        }
        throw at(error(.invalidValue, ""), member.name, "one value is expected, not an array.")
    }

    private static func items(_ member: DynamicValue.Member) -> [PendingMembers.Item] {
        guard case .array(let values) = member.value else { return [.init(value: member.value, step: member.name)] }
        return values.enumerated().map { PendingMembers.Item(value: $1, step: "\(member.name)[\($0)]") }
    }

    /// Makes the elements that a model takes from the waiting values, in the model's order.
    private func emit(
        _ model: Model, _ pending: inout PendingMembers, _ shape: ComplexShape
    ) throws(DynamicError) -> [Piece] {
        var items: [Piece] = []
        var count = 0
        while model.maximum.map({ count < $0 }) ?? true {
            // An optional part is begun only for a waiting value.
            if count >= model.minimum, pending.fit(model).covered == 0 { break }
            let before = pending.taken
            items += try emitOnce(model, &pending, shape)
            count += 1
            if pending.taken == before { break }
        }
        return items
    }

    private func emitOnce(
        _ model: Model, _ pending: inout PendingMembers, _ shape: ComplexShape
    ) throws(DynamicError) -> [Piece] {
        switch model.term {
        case .element(let alternatives):
            for declaration in alternatives {
                guard let next = pending.take(declaration.name) else { continue }
                return [.element(declaration, next.value, step: next.step)]
            }
            throw missing(alternatives.map(\.name), shape)
        case .wildcard(let wildcard):
            guard let next = pending.take(wildcard) else {
                throw error(.missing, "an element of your own choice is required here (xs:any).")
            }
            return [.element(wild(next.name, wildcard), next.item.value, step: next.item.step)]
        case .group(.choice, let branches):
            guard let best = pending.best(of: branches) else { return [] }
            guard best.fit.covered == 0 else { return try emit(best.model, &pending, shape) }
            if branches.contains(where: \.isEmptiable) { return [] }
            throw missing(branches.flatMap(\.firstNames), shape)
        case .group(_, let parts):
            var items: [Piece] = []
            for part in parts { items += try emit(part, &pending, shape) }
            return items
        }
    }

    private func missing(_ names: [QName], _ shape: ComplexShape) -> DynamicError {
        let keys = names.map { ElementKey.text($0, among: shape.names) }
        return error(
            .missing,
            keys.count == 1
                ? "the required element \(keys.quotedList()) is missing."
                : "one of \(keys.quotedList(limit: 20)) is required.")
    }

    // MARK: Messages

    func unknown(_ key: String, _ shape: ComplexShape) -> DynamicError {
        let isAmbiguous = shape.names.contains { $0.localName == key }
        if isAmbiguous {
            let names = shape.names.filter { $0.localName == key }.map(ElementKey.expandedName)
            return error(.unknownName, "several elements are called ‘\(key)’: write one of \(names.quotedList()).")
        }
        return error(
            .unknownName,
            "there is no ‘\(key)’ here\(NearMatch.hint(key, among: allowedKeys(shape))) \(expectedKeys(shape).capitalisedFirst)."
        )
    }

    private func expectedKeys(_ shape: ComplexShape) -> String {
        let keys = allowedKeys(shape)
        return keys.isEmpty ? "no keys are expected: {}" : "expected keys: \(keys.quotedList(limit: 40))"
    }

    private func allowedKeys(_ shape: ComplexShape) -> [String] {
        var keys = ElementKey.texts(of: shape.names)
        if case .simple = shape.content { keys.append("#text") }
        return keys + ElementKey.texts(of: shape.attributes.map(\.name)).map { "@\($0)" }
    }

    private func outline(_ shape: ComplexShape) -> String {
        guard case .elements(let model?) = shape.content else { return "no element" }
        let text = model.outline(names: shape.names, depth: 0)
        return text.count > 400 ? "\(text.prefix(400))…" : text
    }
}

extension Model {
    /// The elements that can begin the model.
    var firstNames: [QName] {
        switch term {
        case .element(let alternatives): return alternatives.map(\.name)
        case .wildcard: return []
        case .group(.choice, let parts): return parts.flatMap(\.firstNames)
        case .group(_, let parts):
            let needed = parts.first { !$0.isEmptiable } ?? parts.first
            return needed?.firstNames ?? []
        }
    }

    /// The model as a document type declaration would write it, for error messages: `(a, (b | c)?, d*)`. Such a
    /// declaration cannot express numbers of occurrences, which follow in parentheses: `e (at most 3)`.
    func outline(names: [QName], depth: Int) -> String {
        let body: String
        switch term {
        case .element(let alternatives):
            let texts = alternatives.map { ElementKey.text($0.name, among: names) }
            body = texts.count == 1 ? texts.joined() : "(\(texts.joined(separator: " | ")))"
        case .wildcard: body = "any element"
        case .group(let compositor, let parts):
            if depth > 6 { return "…" }
            let separator = compositor == .choice ? " | " : compositor == .all ? " & " : ", "
            body = "(\(parts.map { $0.outline(names: names, depth: depth + 1) }.joined(separator: separator)))"
        }
        switch (minimum, maximum) {
        case (1, 1): return body
        case (0, 1): return "\(body)?"
        case (0, nil): return "\(body)*"
        case (_, nil): return "\(body)+"
        case (0, let most?): return "\(body) (at most \(most))"
        case (let least, let most?): return "\(body) (\(least == most ? "" : "\(least) to ")\(most))"
        }
    }
}

extension String {
    fileprivate var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
