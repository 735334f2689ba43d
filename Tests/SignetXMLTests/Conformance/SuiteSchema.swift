import SignetXML

/// What the judgement of values needs of a schema of the suite.
struct SuiteSchema {
    struct Unsupported: Error, CustomStringConvertible { var description: String }

    private static let namespace = "http://www.w3.org/2001/XMLSchema"
    private static let instance = "http://www.w3.org/2001/XMLSchema-instance"
    private let root: SuiteElement

    init(_ root: SuiteElement) throws {
        self.root = root
        for child in root.children where ["import", "include", "redefine"].contains(child.name) {
            throw Unsupported(description: "the schema has \(child.name)")
        }
    }

    /// All regular expressions in the schema.
    var patterns: [String] {
        func patterns(_ element: SuiteElement) -> [String] {
            (element.name == "pattern" ? [element.attributes["value"] ?? ""] : []) + element.children.flatMap(patterns)
        }
        return patterns(root)
    }

    // MARK: Types

    private func top(_ kind: String, _ name: String) -> SuiteElement? {
        root.children.first { $0.name == kind && $0.attributes["name"] == name }
    }

    private func simpleType(named name: (uri: String, name: String)) throws -> SuiteType {
        if name.uri == Self.namespace {
            if let type = XSDBuiltInType(rawValue: name.name) { return .builtIn(type) }
            return .anything
        }
        guard let type = top("simpleType", name.name) else { throw Unsupported(description: "a type is absent") }
        return try simpleType(type)
    }

    /// The type that a `simpleType` element defines.
    private func simpleType(_ definition: SuiteElement) throws -> SuiteType {
        for child in definition.children {
            let inner = try child.children(named: "simpleType").map(simpleType)
            switch child.name {
            case "restriction":
                let base = try child.qualifiedName("base").map(simpleType(named:)) ?? inner.first ?? .anything
                return .restriction(of: base, facets: child.children)
            case "list":
                return .list(try child.qualifiedName("itemType").map(simpleType(named:)) ?? inner.first ?? .anything)
            case "union":
                let names = child.attributes["memberTypes"]?.split(separator: " ").map(String.init) ?? []
                let named = try names.map { name in
                    var holder = child
                    holder.attributes["name"] = name
                    return try holder.qualifiedName("name").map(simpleType(named:)) ?? .anything
                }
                return .union(named + inner)
            default: continue
            }
        }
        return .anything
    }

    /// Elements and attributes that a complex type declares, wherever in its content.
    private struct Content {
        var elements: [SuiteElement] = []
        var attributes: [SuiteElement] = []
        var text: SuiteType?
    }

    private func content(_ part: SuiteElement, into content: inout Content) throws {
        for child in part.children {
            switch child.name {
            case "element": content.elements.append(child)
            case "attribute": content.attributes.append(child)
            case "simpleContent":
                for derivation in child.children where derivation.name != "annotation" {
                    try self.content(derivation, into: &content)
                    let base = try derivation.qualifiedName("base").map { name -> SuiteType in
                        guard let complex = top("complexType", name.name), name.uri != Self.namespace else {
                            return try simpleType(named: name)
                        }
                        var inherited = Content()
                        try self.content(complex, into: &inherited)
                        content.attributes += inherited.attributes
                        return inherited.text ?? .anything
                    }
                    content.text = .restriction(of: base ?? .anything, facets: derivation.children)
                }
            case "complexContent", "extension", "restriction", "sequence", "choice", "all":
                if let base = child.qualifiedName("base"), let complex = top("complexType", base.name) {
                    try self.content(complex, into: &content)
                }
                try self.content(child, into: &content)
            default: continue
            }
        }
    }

    // MARK: Instances

    /// What became of the values of an instance.
    struct Verdict {
        /// The built-in types of the values met.
        var types: [XSDBuiltInType] = []
        /// The built-in type of a value that was refused, and the value; nil when all were accepted.
        var refused: (type: XSDBuiltInType?, text: String)?
        /// How many values were judged.
        var count = 0
    }

    func judge(_ instance: SuiteElement) throws -> Verdict {
        guard let declaration = top("element", instance.name) else {
            throw Unsupported(description: "the root element is not declared")
        }
        var verdict = Verdict()
        try judge(instance, declaration, &verdict)
        return verdict
    }

    private func judge(_ element: SuiteElement, _ declaration: SuiteElement, _ verdict: inout Verdict) throws {
        if let reference = declaration.qualifiedName("ref") {
            guard let target = top("element", reference.name) else { return }
            return try judge(element, target, &verdict)
        }
        if element.attributes["{\(Self.instance)}nil"] == "true" { return }
        let name = element.qualifiedName("{\(Self.instance)}type") ?? declaration.qualifiedName("type")
        let complex: SuiteElement?
        if let name, name.uri != Self.namespace, let type = top("complexType", name.name) {
            complex = type
        } else {
            complex = name == nil ? declaration.children(named: "complexType").first : nil
        }
        guard let complex else {
            return judge(element.text, element.scope, try simpleType(ofDeclaration: declaration, name), &verdict)
        }
        var content = Content()
        try self.content(complex, into: &content)
        for (name, value) in element.attributes {
            // A wildcard or a reference leads to what stands at the top.
            let local = content.attributes.first { $0.attributes["name"] == name }
            guard let attribute = local ?? top("attribute", name) else { continue }
            let type = try simpleType(ofDeclaration: attribute, attribute.qualifiedName("type"))
            judge(value, element.scope, type, &verdict)
        }
        if let type = content.text { judge(element.text, element.scope, type, &verdict) }
        for child in element.children {
            let declaration = content.elements.first {
                ($0.attributes["name"] ?? $0.qualifiedName("ref")?.name) == child.name
            }
            if let declaration = declaration ?? top("element", child.name) { try judge(child, declaration, &verdict) }
        }
    }

    private func simpleType(ofDeclaration declaration: SuiteElement, _ name: (uri: String, name: String)?) throws
        -> SuiteType
    {
        if let name { return try simpleType(named: name) }
        return try declaration.children(named: "simpleType").first.map(simpleType) ?? .anything
    }

    private func judge(_ text: String, _ scope: [String: String], _ type: SuiteType, _ verdict: inout Verdict) {
        if case .anything = type { return }
        verdict.count += 1
        if let builtIn = type.builtIn { verdict.types.append(builtIn) }
        if verdict.refused == nil, !type.accepts(text, scope) { verdict.refused = (type.builtIn, text) }
    }
}
