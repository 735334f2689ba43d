/// A WSDL whose schema, or whose policies, are a graph: components of one kind that refer to each other, some of them
/// many times.
///
/// What reads it may not follow every way through the graph, of which there may be as many as two to the power of its
/// size.
struct SchemaGraph {
    enum Kind: String, CaseIterable, Sendable {
        case groups, choices, attributeGroups, bases, derivedTypes, texts, restrictions, lists, unions, substitutions,
            types, usedRestrictions, usedAttributes, usedRules, usedTexts, usedValues, usedUnions,
            anonymousTypes, enumeration, pattern, policies, demands, brokenOperations

        /// Whether each node refers to one other at most.
        var hasOneTarget: Bool {
            switch self {
            case .derivedTypes, .substitutions, .usedRestrictions, .usedAttributes, .usedRules, .usedTexts, .usedValues,
                .usedUnions:
                true
            default: false
            }
        }
    }

    enum Shape: Sendable, Equatable {
        /// Each refers to the next one.
        case chain
        /// Each refers to the next one twice, and to the one behind it.
        case ladder
        /// Each refers to the last one.
        case star
        case random(UInt64)
    }

    let kind: Kind
    let shape: Shape
    let size: Int
    private var state: UInt64

    init(_ kind: Kind, _ shape: Shape, size: Int) {
        (self.kind, self.shape, self.size) = (kind, shape, size)
        state = if case .random(let seed) = shape { seed &* 2 &+ 1 } else { 1 }
    }

    /// A number below another one, the same each time that the graph is made.
    private mutating func number(below count: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(truncatingIfNeeded: state >> 33) % max(1, count)
    }

    /// What a node refers to; nodes refer to later ones only.
    private mutating func targets(of node: Int) -> [Int] {
        let rest = size - 1 - node
        guard rest > 0 else { return [] }
        switch shape {
        case .chain: return [node + 1]
        case .ladder: return [node + 1, node + 1, min(node + 2, size - 1)]
        case .star: return [size - 1]
        case .random:
            let span = min(rest, 1 + number(below: 8))
            return (0...number(below: 3)).map { _ in node + 1 + number(below: span) }
        }
    }

    /// The only one that a node can refer to.
    private mutating func target(of node: Int) -> Int? {
        if shape == .ladder { return node + 1 < size ? min(size - 1, node + 1 + node % 2) : nil }
        return targets(of: node).first
    }

    // MARK: The document

    /// The WSDL as a text. Its operations are called `Op0`, `Op1` …; the input of each is an element of that name.
    var wsdl: String {
        let graph = self
        let count = graph.operations
        let operations = (0..<count).map { "Op\($0)" }
        let input = kind == .policies || kind == .demands ? "<wsp:PolicyReference URI='#P0'/>" : ""
        return """
            <w:definitions xmlns:w="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
              xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" xmlns:wsp="http://www.w3.org/ns/ws-policy"
              xmlns:wsu="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"
              xmlns:sp="http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702" targetNamespace="urn:t">
            \(graph.policies)<w:types><xs:schema targetNamespace="urn:t" elementFormDefault="qualified">
            \(graph.schema)</xs:schema></w:types>
            \(operations.map { "<w:message name='\($0)'><w:part name='p' element='t:\($0)'/></w:message>" }.joined())
            <w:portType name="P">
            \(operations.map { "<w:operation name='\($0)'><w:input message='t:\($0)'/></w:operation>" }.joined())
            </w:portType><w:binding name="B" type="t:P"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
            \(operations.map {
                "<w:operation name='\($0)'><s:operation/><w:input>\(input)<s:body use='literal'/></w:input></w:operation>"
            }.joined())
            </w:binding><w:service name="S"><w:port name="One" binding="t:B"><s:address location="https://a.example/"/></w:port>
            </w:service></w:definitions>
            """
    }

    private var operations: Int {
        switch kind {
        case .demands, .brokenOperations: size
        default: 1
        }
    }

    private mutating func nodes(_ make: (_ node: Int, _ graph: inout SchemaGraph) -> String) -> String {
        (0..<size).map { make($0, &self) }.joined(separator: "\n")
    }

    private static func message(_ content: String, _ attributes: String = "") -> String {
        "<xs:element name=\"Op0\"><xs:complexType><xs:sequence>\(content)</xs:sequence>\(attributes)</xs:complexType></xs:element>"
    }

    private var policies: String {
        var graph = self
        guard kind == .policies || kind == .demands else { return "" }
        return graph.nodes { node, graph in
            let references = graph.targets(of: node).map { "<wsp:PolicyReference URI='#P\($0)'/>" }.joined()
            let own = "<sp:\(node % 2 == 0 ? "HttpsToken" : "WssUsernameToken10")/><x:A\(node) xmlns:x='urn:x'/>"
            let inside = node % 3 == 0 ? "<wsp:ExactlyOne>\(references)\(own)</wsp:ExactlyOne>" : references + own
            return "<wsp:Policy wsu:Id='P\(node)'>\(inside)</wsp:Policy>"
        }
    }

    // MARK: Schemas

    private var schema: String {
        var graph = self
        switch kind {
        case .groups, .choices: return graph.groups(kind == .choices ? "choice" : "sequence")
        case .attributeGroups: return graph.attributeGroups()
        case .bases: return Self.message("<xs:element name='v' type='t:T0'/>") + graph.derivation()
        case .derivedTypes: return Self.message("<xs:element name='v' type='t:T\(size - 1)'/>") + graph.derivation()
        case .texts: return Self.message("<xs:element name='v' type='t:T0'/>") + graph.texts()
        case .restrictions, .lists, .unions: return graph.simpleTypes()
        case .substitutions: return graph.substitutions()
        case .types: return graph.types()
        case .usedRestrictions, .usedAttributes, .usedRules, .usedTexts, .usedValues: return graph.usedTypes()
        case .usedUnions: return graph.usedUnions()
        case .anonymousTypes: return graph.anonymousTypes()
        case .enumeration: return graph.enumeration()
        case .pattern: return graph.pattern()
        case .policies: return Self.message("<xs:element name='v' type='xs:int'/>")
        case .demands: return (0..<size).map { "<xs:element name='Op\($0)' type='xs:int'/>" }.joined()
        case .brokenOperations: return (0..<size).map { "<xs:element name='Op\($0)' type='t:Gone\($0)'/>" }.joined()
        }
    }

    private mutating func groups(_ compositor: String) -> String {
        Self.message("<xs:group ref='t:G0'/>")
            + nodes { node, graph in
                let inside = graph.targets(of: node).map { "<xs:group ref='t:G\($0)' minOccurs='0'/>" }.joined()
                return
                    "<xs:group name='G\(node)'><xs:\(compositor)><xs:element name='e\(node)' type='xs:int'/>\(inside)"
                    + "</xs:\(compositor)></xs:group>"
            }
    }

    private mutating func attributeGroups() -> String {
        Self.message("<xs:element name='v' type='xs:int'/>", "<xs:attributeGroup ref='t:A0'/>")
            + nodes { node, graph in
                let inside = graph.targets(of: node).map { "<xs:attributeGroup ref='t:A\($0)'/>" }.joined()
                return
                    "<xs:attributeGroup name='A\(node)'><xs:attribute name='a\(node)' type='xs:int'/>\(inside)</xs:attributeGroup>"
            }
    }

    private mutating func derivation() -> String {
        nodes { node, graph in
            let own =
                "<xs:sequence><xs:element name='e\(node)' type='xs:int'/></xs:sequence><xs:attribute name='a\(node)' type='xs:int'/>"
            guard let base = graph.target(of: node) else {
                return "<xs:complexType name='T\(node)'>\(own)</xs:complexType>"
            }
            return
                "<xs:complexType name='T\(node)'><xs:complexContent><xs:extension base='t:T\(base)'>\(own)</xs:extension>"
                + "</xs:complexContent></xs:complexType>"
        }
    }

    private mutating func texts() -> String {
        nodes { node, graph in
            let base = graph.target(of: node).map { "t:T\($0)" } ?? "xs:int"
            return "<xs:complexType name='T\(node)'><xs:simpleContent><xs:extension base='\(base)'>"
                + "<xs:attribute name='a\(node)' type='xs:int'/></xs:extension></xs:simpleContent></xs:complexType>"
        }
    }

    private mutating func simpleTypes() -> String {
        let kind = kind
        return Self.message("<xs:element name='v' type='t:S0'/>")
            + nodes { node, graph in
                let content: String
                switch kind {
                case .restrictions:
                    let base = graph.target(of: node).map { "t:S\($0)" } ?? "xs:string"
                    content =
                        "<xs:restriction base='\(base)'><xs:maxLength value='\(100_000 + node)'/><xs:pattern value='[a-z]*'/></xs:restriction>"
                case .lists:
                    let item = graph.target(of: node).map { "t:S\($0)" } ?? "xs:int"
                    content = "<xs:list itemType='\(item)'/>"
                default:
                    let members = graph.targets(of: node).map { "t:S\($0)" }.joined(separator: " ")
                    content =
                        "<xs:union memberTypes='xs:date \(members)'><xs:simpleType><xs:restriction base='xs:string'>"
                        + "<xs:enumeration value='v\(node)'/></xs:restriction></xs:simpleType></xs:union>"
                }
                return "<xs:simpleType name='S\(node)'>\(content)</xs:simpleType>"
            }
    }

    private mutating func substitutions() -> String {
        Self.message((0..<size).map { "<xs:element ref='t:e\($0)' minOccurs='0'/>" }.joined())
            + nodes { node, graph in
                let head = graph.target(of: node).map { " substitutionGroup='t:e\($0)'" } ?? ""
                return "<xs:element name='e\(node)' type='xs:int'\(head)/>"
            }
    }

    private mutating func types() -> String {
        Self.message("<xs:element name='v' type='t:T0'/>")
            + nodes { node, graph in
                let inside = graph.targets(of: node).enumerated().map {
                    "<xs:element name='e\($0)' type='t:T\($1)' minOccurs='0'/>"
                }.joined()
                return "<xs:complexType name='T\(node)'><xs:sequence>\(inside)</xs:sequence></xs:complexType>"
            }
    }

    /// Elements of one name with types of their own.
    private mutating func anonymousTypes() -> String {
        Self.message(
            "<xs:choice maxOccurs='unbounded'>"
                + nodes { node, _ in
                    "<xs:sequence><xs:element name='k\(node)' type='xs:int'/><xs:element name='same'><xs:complexType>"
                        + "<xs:attribute name='a\(node)'/></xs:complexType></xs:element></xs:sequence>"
                } + "</xs:choice>")
    }

    /// Simple types restricted one from the other, each of which an element or an attribute is of.
    private mutating func usedTypes() -> String {
        let kind = kind
        let uses = (0..<size).map {
            kind == .usedAttributes
                ? "<xs:attribute name='a\($0)' type='t:S\($0)'/>" : "<xs:element name='e\($0)' type='t:S\($0)'/>"
        }
        let values = (0..<size).map { "<xs:enumeration value='v\($0)'/>" }.joined()
        let message = kind == .usedAttributes ? Self.message("", uses.joined()) : Self.message(uses.joined())
        return message
            + nodes { node, graph in
                let target = graph.target(of: node)
                let base = target.map { "t:S\($0)" } ?? "xs:string"
                switch kind {
                case .usedTexts:
                    return "<xs:complexType name='S\(node)'><xs:simpleContent><xs:extension base='\(base)'/>"
                        + "</xs:simpleContent></xs:complexType>"
                case .usedRules:
                    return "<xs:simpleType name='S\(node)'><xs:restriction base='\(base)'>"
                        + "<xs:maxLength value='\(100_000 + node)'/><xs:pattern value='[a-z]*'/></xs:restriction></xs:simpleType>"
                case .usedValues:
                    return "<xs:simpleType name='S\(node)'><xs:restriction base='\(base)'>"
                        + "\(target == nil ? values : "")</xs:restriction></xs:simpleType>"
                default: return "<xs:simpleType name='S\(node)'><xs:restriction base='\(base)'/></xs:simpleType>"
                }
            }
    }

    /// Elements each with a union of its own around a large one.
    private mutating func usedUnions() -> String {
        let elements = (0..<size).map { node in
            "<xs:element name='e\(node)'><xs:simpleType><xs:union memberTypes='t:U xs:int'/></xs:simpleType></xs:element>"
        }
        let numbers = 0..<min(size, 900)
        let names = numbers.map { "t:V\($0)" }
        let members = numbers.map { number in
            "<xs:simpleType name='V\(number)'><xs:restriction base='xs:string'><xs:enumeration value='v\(number)'/>"
                + "</xs:restriction></xs:simpleType>"
        }
        let union = "<xs:union memberTypes='\(names.joined(separator: " "))'/>"
        return Self.message(elements.joined()) + "<xs:simpleType name='U'>\(union)</xs:simpleType>" + members.joined()
    }

    /// One long enumeration, which as many elements are of.
    private mutating func enumeration() -> String {
        Self.message((0..<size).map { "<xs:element name='e\($0)' type='t:E' minOccurs='0'/>" }.joined())
            + "<xs:simpleType name='E'><xs:restriction base='xs:string'>"
            + nodes { node, _ in "<xs:enumeration value='v\(node)'/>" } + "</xs:restriction></xs:simpleType>"
    }

    private mutating func pattern() -> String {
        let alternatives = (0..<10 * size).map { "\($0)" }.joined(separator: "|")
        return Self.message("<xs:element name='v' type='t:N'/>")
            + "<xs:simpleType name='N'><xs:restriction base='xs:int'><xs:pattern value='\(alternatives)'/></xs:restriction></xs:simpleType>"
    }
}
