import SignetWSDL

/// The fourth stage for a type: a struct with its table, an enum for a choice or a union, or an open enum; and the
/// protocol of the types derived from it.
///
/// A struct has two parts, in two files: its properties, and the code that reads and writes it. The compiled code of
/// properties never unwinds, and needs no entries in the unwind tables as long as no other code in its file does.
struct TypeCode {
    let type: TypePlan
    /// The service's Swift namespace.
    let service: String
    let access: AccessLevel

    var modifier: String { access.modifier }

    /// The declaration of a struct, and that of a protocol, for the service's namespace.
    var declaration: [SwiftCode] {
        var code: [SwiftCode] = []
        if let plan = type.protocolPlan { code += derivation(plan) }
        let body: [SwiftCode]
        switch type.content {
        case .structure(let fields): body = properties(fields)
        case .array(let array): body = arrayCode(array).properties
        case .choice, .enumeration, .union, .none: return code
        }
        if !code.isEmpty { code.append(.blank) }
        return code + documentation(type.documentation) + [.block("\(modifier)struct \(type.name): Sendable", body)]
    }

    /// The declaration of an enum, which is not divided, for the service's namespace.
    var enumeration: [SwiftCode] {
        let declaration: SwiftCode
        switch type.content {
        case .choice(let fields, let isIndirect):
            declaration = .block(
                "\(modifier)\(isIndirect ? "indirect " : "")enum \(type.name): XMLChoice", choice(fields))
        case .enumeration(let cases):
            declaration = .block("\(modifier)enum \(type.name): XMLEnumeration", enumeration(cases))
        case .union(let members): declaration = .block("\(modifier)enum \(type.name): XMLUnion", union(members))
        case .structure, .array, .none: return []
        }
        return documentation(type.documentation) + [declaration]
    }

    /// How a struct is read and written: an extension for the file's top.
    var coding: [SwiftCode] {
        let name = [service, type.container, type.name].compactMap { $0 }.joined(separator: ".")
        switch type.content {
        case .structure(let fields):
            let conformances = type.protocols.isEmpty ? "XMLStructure" : type.protocols.joined(separator: ", ")
            return [.block("extension \(name): \(conformances)", coding(fields))]
        case .array(let array): return [.block("extension \(name): XMLStructure", arrayCode(array).coding)]
        case .choice, .enumeration, .union, .none: return []
        }
    }

    private func arrayCode(_ array: ArrayPlan) -> ArrayCode {
        ArrayCode(array: array, access: access, registry: registry)
    }

    func documentation(_ text: String?) -> [SwiftCode] { text.map { [.documentation($0)] } ?? [] }

    /// The registry of types that `xsi:type` may name.
    private var registry: String { "\(service).xmlTypes" }
    /// The same for code inside the service's namespace, where a type may have the service's name.
    private var innerRegistry: String { type.container == nil ? "xmlTypes" : registry }

    /// The protocol of the types derived from this one.
    private func derivation(_ plan: ProtocolPlan) -> [SwiftCode] {
        let inherited = plan.inherited.isEmpty ? "XMLDerivable" : plan.inherited.joined(separator: ", ")
        let requirements = plan.requirements.map { SwiftCode.line("var \($0.name): \($0.type) { get set }") }
        return [
            .documentation(plan.documentation),
            .block("\(modifier)protocol \(plan.name): \(inherited)", requirements),
        ]
    }

    // MARK: Structures

    private func properties(_ fields: [FieldPlan]) -> [SwiftCode] {
        var code = fields.flatMap { documentation($0.documentation) + access.property($0, $0.propertyType) }
        if !fields.isEmpty { code.append(.blank) }
        let parameters = fields.map { field in
            "\(field.name): \(field.propertyType)" + (field.defaultValue.map { " = \($0)" } ?? "")
        }
        return code + access.initialiser(parameters, assignments(fields))
    }

    /// The statements that store the arguments of the initialiser.
    ///
    /// The compiler checks that all properties of `self` are set, in time that grows at least with the square of their
    /// number: a minute for 800. A structure with many properties assigns them to an empty value instead, which may be
    /// slightly slower when the program runs.
    private func assignments(_ fields: [FieldPlan]) -> [SwiftCode] {
        guard TypePlan.isWide(fields) else { return fields.map { $0.assignment() } }
        var made = "made"
        while fields.contains(where: { $0.name == made }) { made += "_" }
        return [.line("var \(made) = Self(_decoding: ())")] + fields.map { $0.assignment(in: made) }
            + [.line("self = \(made)")]
    }

    private func coding(_ fields: [FieldPlan]) -> [SwiftCode] {
        var code: [SwiftCode] = []
        // Only the plan knows the placeholder for a value of a base type.
        if fields.contains(where: { $0.isDerived && $0.occurrence == .required && !$0.isNillable }) {
            code += [.block("\(modifier)init(_decoding: Void)", fields.compactMap(\.placeholderStatement)), .blank]
        }
        if let name = type.xmlName {
            code += [
                .call(
                    "\(modifier)static let xmlType = XMLName(",
                    [name.namespace.swiftLiteral, name.localName.swiftLiteral], ")"),
                .blank,
            ]
        }
        return code + [access.fields(table(fields) + fields.map { $0.fieldStatement(registry) })]
    }

    // MARK: Choices

    private func choice(_ fields: [FieldPlan]) -> [SwiftCode] {
        var code = fields.flatMap { documentation($0.documentation) + [.line("case \($0.name)(\($0.payloadType))")] }
        if type.isMixed {
            code += [.documentation("Text between the elements."), .line("case text(String)")]
        }
        var reading = fields.enumerated().map { number, field -> SwiftCode in
            let branch = "Self.\(field.name)"
            let call =
                switch field.kind {
                case .group, .choice: "branchGroup(\(branch))"
                default:
                    field.isDerived
                        ? "branchDerived(\(branch), \(field.declaredType(isInside: true)), \(innerRegistry))"
                        : "branch\(field.space.suffix)(\(branch))"
                }
            return .line("case \(number): reader.\(call)")
        }
        if type.isMixed { reading.append(.line("case \(fields.count): reader.text(Self.text)")) }
        var writing = fields.enumerated().map { number, field -> SwiftCode in
            .line("case .\(field.name)(let value): writer.\(field.writing(number, "value"))")
        }
        if type.isMixed { writing.append(.line("case .text(let value): writer.text(value)")) }
        return code + [.blank] + table(fields) + [
            .blank, .line("\(modifier)static var _placeholder: Self { \(type.placeholder) }"), .blank,
            .block(
                "\(modifier)static func decode(_ index: Int, from reader: inout XMLReader) -> Self?",
                [.line("switch index {")] + reading + [.line("default: nil"), .line("}")]),
        ] + encoding(writing)
    }

    /// The functions that write the case, divided so that no switch has more cases than the compiler can check for
    /// exhaustiveness.
    private func encoding(_ cases: [SwiftCode]) -> [SwiftCode] {
        let most = 500
        var code: [SwiftCode] = []
        for start in stride(from: 0, to: cases.count, by: most) {
            let number = start / most
            var body = [SwiftCode.line("switch self {")] + cases[start...].prefix(most)
            if start + most < cases.count {
                body.append(.line("default: encode(rest\(number + 1): &writer)"))
            } else if number > 0 {
                body.append(.line("default: break"))
            }
            body.append(.line("}"))
            // No case has the name `encode`.
            let head = number == 0 ? "\(modifier)func encode(to" : "private func encode(rest\(number)"
            code += [.blank, .block("\(head) writer: inout XMLWriter)", body)]
        }
        return code
    }
}

extension AccessLevel {
    /// A property, with its stored property when that differs.
    func property(_ field: FieldPlan, _ type: String) -> [SwiftCode] {
        let head = "\(modifier)var \(field.name): \(type)"
        guard let storageType = field.storageType else { return [.line(head)] }
        return compiledByCallers(
            .block(
                head,
                [.line("get { \(field.storage).value }"), .line("set { \(field.storage).value = newValue }")]
                    // Lists are modified in place.
                    + (field.occurrence == .repeated ? [.line("_modify { yield &\(field.storage).value }")] : []))
        ) + [.line("\(self == .public ? "@usableFromInline " : "")var \(field.storage): \(storageType)")]
    }

    /// The function that passes the properties to the runtime.
    func fields(_ lines: [SwiftCode]) -> SwiftCode {
        .block("\(modifier)static func xmlFields(_ x: inout Self, _ fields: inout XMLFields)", lines)
    }

    /// The initialiser that takes a value for each property.
    func initialiser(_ parameters: [String], _ assignments: [SwiftCode]) -> [SwiftCode] {
        compiledByCallers(.function("\(modifier)init(", parameters, ")", assignments))
    }

    /// Small public functions are inlinable, so that only their callers compile them: compiling them for each type,
    /// called or not, takes a third longer for all generated code.
    private func compiledByCallers(_ code: SwiftCode) -> [SwiftCode] {
        self == .public ? [.line("@_alwaysEmitIntoClient"), code] : [code]
    }
}

extension FieldPlan {
    /// The statement that stores the argument of the initialiser in a value, or in `self`.
    func assignment(in value: String? = nil) -> SwiftCode {
        guard let wrapper = storageType?.prefix(while: { $0 != "<" }) else {
            return .line("\(value ?? "self").\(name) = \(name)")
        }
        return .line("\(value.map { "\($0)." } ?? "")\(storage) = \(wrapper)(\(name))")
    }

    /// The statement that stores the placeholder of the value until it is read; nil for optional properties, which
    /// start as nil.
    var placeholderStatement: SwiftCode? {
        // The initialiser's parameter would hide an element with this name.
        let storage = storage == "_decoding" ? "self._decoding" : storage
        if isBoxed { return .line("\(storage) = XMLBox()") }
        let value: String
        switch (occurrence, isNillable) {
        case (.repeated, _): value = "[]"
        case (.required, false): value = placeholder
        default:
            guard isDerived else { return nil }
            value = "nil"
        }
        return .line(isDerived ? "\(storage) = XMLDerived(\(value))" : "\(name) = \(value)")
    }

    /// The payload type of a choice's case.
    var payloadType: String {
        if isDerived {
            return "XMLDerived<\(occurrence == .repeated ? propertyType : isNillable ? "(\(type))?" : type)>"
        }
        if occurrence == .repeated { return propertyType }
        return isNillable ? "\(type)?" : type
    }

    /// The argument for the type that the schema names.
    func declaredType(isInside: Bool) -> String {
        guard let declared, !isAbstract else { return "nil" }
        return "\(isInside ? declared.inside : declared.outside).self"
    }

    /// The statement that passes the property to the runtime. Each shape of property has a method of its own, because
    /// overload resolution takes the compiler longer.
    func fieldStatement(_ registry: String) -> SwiftCode {
        let declared = isDerived ? ", \(declaredType(isInside: false)), \(registry)" : ""
        return .line("fields.\(methods.name(shape))(&x.\(storageType == nil ? name : storage)\(declared))")
    }

    /// The shape of the property: how it holds its values.
    private var shape: FieldShape { FieldShape(occurrence, isNillable: isNillable) }

    /// The methods of the runtime's `XMLFields` for the property's type.
    private var methods: FieldMethods {
        switch kind {
        case .anyAttribute: return .anyAttributes
        case .group where content == .structure: return isBoxed ? .boxedGroup : .group
        default: break
        }
        if isDerived { return .derived }
        if isBoxed { return .boxedStructure }
        switch space {
        case .preserved: break
        case .replaced: return .replaced
        case .collapsed: return .collapsed
        }
        // A method without generics compiles faster.
        if let methods = builtIn?.fieldMethods, methods.shapes.contains(shape) { return methods }
        return content.fieldMethods
    }

    /// The writer's method for the value of a choice's case, which is present when it is written, and its arguments.
    func writing(_ number: Int, _ value: String) -> String {
        switch kind {
        case .wildcard: return "wildcard(\(value))"
        case .group where content == .structure: return "group(\(number), \(value))"
        default: break
        }
        let occurrence = occurrence == .optional ? .required : occurrence
        if isDerived {
            // In a list of values, each value may be nil.
            let isNil = isNillable && occurrence == .required
            return
                "\(isNil ? "nillableDerived" : "derived")(\(number), \(value), \(declaredType(isInside: true)))"
        }
        return "\(content.fieldMethods.name(FieldShape(occurrence, isNillable: isNillable)))(\(number), \(value))"
    }

    /// The property behind a boxed or wrapped one.
    var storage: String { "_" + name.filter { $0 != "`" } }
}

extension FieldPlan.Space {
    /// The suffix of the name of a reader's method.
    fileprivate var suffix: String {
        switch self {
        case .preserved: ""
        case .replaced: "Replaced"
        case .collapsed: "Collapsed"
        }
    }
}
