import SignetSOAP
package import SignetWSDL

/// Compares two documents by the meaning that a schema gives them: names without their prefixes, qualified names in
/// values resolved, simple values by their meaning. The order of attributes is ignored, and so is white space between
/// elements where the schema allows no text.
package struct InstanceComparison {
    /// The greatest number of reported differences.
    private static let limit = 10

    private var types: TypeTable
    private var differences: [String] = []

    package init(_ schema: SchemaSet) { types = TypeTable(schema) }

    /// Returns the differences, each with its path; empty when there are none.
    package mutating func differences(
        _ left: [UInt8], _ right: [UInt8], _ declaration: ElementDeclaration
    ) throws -> [String] {
        differences = []
        compare(
            Self.filled(try XMLTree(XMLFragment(parsing: left)), declaration),
            Self.filled(try XMLTree(XMLFragment(parsing: right)), declaration), declaration.type,
            path: declaration.name.localName)
        return differences
    }

    /// An empty element stands for the value of its declaration (XML Schema Part 1 §3.3.4).
    private static func filled(_ tree: XMLTree, _ declaration: ElementDeclaration?) -> XMLTree {
        guard tree.content.isEmpty, !tree.isNil, let preset = declaration?.preset else { return tree }
        var tree = tree
        switch preset {
        case .byDefault(let value), .fixed(let value): tree.content = [.text(.plain(value))]
        }
        return tree
    }

    private mutating func say(_ path: String, _ text: String) {
        if differences.count < Self.limit { differences.append("\(path): \(text)") }
    }

    private mutating func compare(_ left: XMLTree, _ right: XMLTree, _ reference: TypeReference, path: String) {
        guard differences.count < Self.limit else { return }
        if left.name != right.name { return say(path, "\(left.name) became \(right.name)") }
        var reference = reference
        let derived = left.attribute(XMLTree.typeName).flatMap(left.resolve)
        if let derived, (try? types.shape(of: .named(derived))) != nil { reference = .named(derived) }
        let array = types.schema.encodedArray(reference)
        if let array, !left.isNil, !right.isNil { return compareItems(left, right, array, path) }
        let shape = (try? types.shape(of: reference)) ?? .any
        compareAttributes(left, right, shape, reference, path)
        if left.isNil != right.isNil { return say(path, "nil: \(left.isNil) became \(right.isNil)") }
        if left.isNil { return }
        switch shape {
        case .simple(let simple): compareText(left, right, simple, path)
        case .any: compareContent(left, right, nil, isMixed: left.hasText, path)
        case .complex(let complex):
            switch complex.content {
            case .simple(let simple): compareText(left, right, simple, path)
            case .elements: compareContent(left, right, complex, isMixed: complex.isMixed, path)
            }
        }
    }

    // MARK: Arrays

    /// The names of items have no meaning (SOAP 1.1 §5.4.2).
    private mutating func compareItems(_ left: XMLTree, _ right: XMLTree, _ array: EncodedArray, _ path: String) {
        let sizes = [left, right].map(Self.size(of:))
        if sizes[0] != sizes[1] { say(path, "the array \(sizes[0]) became \(sizes[1])") }
        let (before, after) = (left.elements, right.elements)
        if before.count != after.count { say(path, "\(before.count) items became \(after.count)") }
        for (index, (one, other)) in zip(before, after).enumerated() {
            let place = "\(path)/[\(index)]"
            var other = other
            other.name = one.name
            if let inner = array.items {
                compareItems(one, other, inner, place)
            } else {
                compare(one, other, array.declaration.type, path: place)
            }
        }
    }

    /// The value of `arrayType`, with its prefix resolved.
    private static func size(of tree: XMLTree) -> String {
        let text = tree.attribute(EncodedArray.arrayType) ?? ""
        let type = text.prefix { $0 != "[" }
        return "\(tree.resolve(String(type)).map { "\($0)" } ?? String(type))\(text.dropFirst(type.count))"
    }

    // MARK: Attributes

    private mutating func compareAttributes(
        _ left: XMLTree, _ right: XMLTree, _ shape: Shape, _ reference: TypeReference, _ path: String
    ) {
        func named(_ tree: XMLTree) -> [QName: String] {
            var found: [QName: String] = [:]
            for attribute in tree.attributes
            where attribute.name != XMLTree.nilName && attribute.name != XMLTree.typeName {
                found[attribute.name] = tree.attribute(attribute.name) ?? ""
            }
            return found
        }
        // A value may name its declared type or omit it, and a nil value has no type.
        let types = [left, right].map { $0.attribute(XMLTree.typeName).flatMap($0.resolve) }
        if types[0] != types[1], !left.isNil || !right.isNil {
            var declared: QName?
            if case .named(let name) = reference { declared = name }
            for (tree, type) in zip([left, right], types) where type != nil && type != declared {
                say(path, "xsi:type \(type.map { "\($0)" } ?? "") is on one side only (\(tree.name.localName))")
            }
        }
        let (before, after) = (named(left), named(right))
        for (name, value) in before {
            guard let other = after[name] else {
                say(path, "the attribute \(name) is gone")
                continue
            }
            var simple: SimpleShape?
            if case .complex(let complex) = shape, let use = complex.attributes.first(where: { $0.name == name }) {
                simple = try? self.types.simple(use.type)
            }
            if !areEqual(value, other, simple, left, right) {
                say("\(path)/@\(name.localName)", "“\(value)” became “\(other)”")
            }
        }
        for name in after.keys where before[name] == nil { say(path, "the attribute \(name) was added") }
    }

    // MARK: Content

    private mutating func compareContent(
        _ left: XMLTree, _ right: XMLTree, _ shape: ComplexShape?, isMixed: Bool, _ path: String
    ) {
        var (before, after) = (left.elements, right.elements)
        if shape?.isUnordered == true {
            // The order has no meaning (XML Schema Part 1 §3.8.4, `all`).
            before.sort { $0.name < $1.name }
            after.sort { $0.name < $1.name }
        }
        if isMixed {
            let texts = [left, right].map { tree in Self.runs(tree) }
            if texts[0] != texts[1] { say(path, "the text \(texts[0]) became \(texts[1])") }
        } else if right.hasText, !left.hasText {
            say(path, "text was added")
        }
        for (index, pair) in zip(before, after).enumerated() {
            let (one, other) = pair
            let declaration = shape?.use(of: one.name)?.element ?? types.schema.elements[one.name]
            compare(
                Self.filled(one, declaration), Self.filled(other, declaration), declaration?.type ?? .unspecified,
                path: "\(path)/\(one.name.localName)[\(index)]")
        }
        if before.count != after.count {
            let names = [before, after].map { $0.map(\.name.localName).joined(separator: " ") }
            say(path, "the elements “\(names[0])” became “\(names[1])”")
        }
    }

    /// The texts between the elements.
    private static func runs(_ tree: XMLTree) -> [String] {
        var runs = [""]
        for item in tree.content {
            switch item {
            case .text(.plain(let text)): runs[runs.count - 1] += text
            case .element: runs.append("")
            default: break
            }
        }
        return runs
    }

    // MARK: Simple values

    private mutating func compareText(_ left: XMLTree, _ right: XMLTree, _ shape: SimpleShape, _ path: String) {
        if !right.elements.isEmpty { return say(path, "a simple value became elements") }
        if !areEqual(left.text, right.text, shape, left, right) {
            say(path, "“\(left.text)” became “\(right.text)”")
        }
    }

    private func areEqual(
        _ left: String, _ right: String, _ shape: SimpleShape?, _ one: XMLTree, _ other: XMLTree
    ) -> Bool {
        guard let shape else { return left == right }
        return shape.areEqual(left, right) { one.resolve($0) == other.resolve($1) && one.resolve($0) != nil }
    }
}

extension ComplexShape {
    /// Whether the elements may be in any order.
    fileprivate var isUnordered: Bool {
        if case .elements(let model?) = content, case .group(.all, _) = model.term { true } else { false }
    }
}
