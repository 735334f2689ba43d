import SignetXML

extension TypeCode {
    /// An open enum: it keeps values that the WSDL does not name.
    func enumeration(_ cases: [CasePlan]) -> [SwiftCode] {
        var code: [SwiftCode] = cases.flatMap { documentation($0.documentation) + [.line("case \($0.name)")] }
        code += [
            .documentation("A value that the WSDL does not name."), .line("case unrecognized(String)"), .blank,
            // The compile time of a switch that sets `self`, and of one that must be exhaustive, grows at least with
            // the square of the number of cases: a minute for an enumeration of 1,600.
            .block(
                "\(modifier)init(rawValue: String)",
                [
                    .block(
                        "func value() -> Self",
                        [.line("switch rawValue {")]
                            + cases.map { .line("case \($0.value.swiftLiteral): return .\($0.name)") }
                            + [.line("default: return .unrecognized(rawValue)"), .line("}")]),
                    .line("self = value()"),
                ]),
            .blank,
            .block(
                "\(modifier)var rawValue: String",
                [.line("switch self {")]
                    + cases.map { .line("case .\($0.name): return \($0.value.swiftLiteral)") }
                    + [.line("default:"), .line("    if case .unrecognized(let value) = self { return value }")]
                    + [.line("    return \"\""), .line("}")]),
        ]
        if cases.contains(where: { !$0.value.isCollapsed }) {
            code += [
                .blank, .documentation("White space is a part of some values."),
                .line("\(modifier)static var whiteSpace: XSDWhiteSpace { .preserve }"),
            ]
        }
        return code
    }

    /// A case for each member; the first member that can hold a text takes it (XML Schema Part 2 §2.5.1.3).
    func union(_ members: [UnionMemberPlan]) -> [SwiftCode] {
        var code: [SwiftCode] = members.map { .line("case \($0.name)(\($0.type))") }
        code += [.documentation("A text that no member of the union can hold."), .line("case unrecognized(String)")]
        var reading: [SwiftCode] = []
        for (number, member) in members.enumerated() {
            reading.append(
                .line(
                    "\(number == 0 ? "" : "} else ")if let value = XMLUnionMember.read(\(member.type).self, bytes, scope) {"
                ))
            reading.append(.line("    self = .\(member.name)(value)"))
        }
        reading += [.line("} else {"), .line("    self = .unrecognized(XMLUnionMember.text(bytes))"), .line("}")]
        return code + [
            .blank,
            .block("\(modifier)init(lexical bytes: Span<UInt8>, in scope: borrowing XMLReader)", reading), .blank,
            .block(
                "\(modifier)func writeLexical(to writer: inout XMLWriter)",
                [.line("switch self {")]
                    + members.map { .line("case .\($0.name)(let value): value.writeLexical(to: &writer)") }
                    + [.line("case .unrecognized(let value): writer.text(value)"), .line("}")]),
            .blank, .line("\(modifier)static var _placeholder: Self { .unrecognized(\"\") }"),
        ]
    }
}

extension String {
    /// Whether collapsing white space changes nothing (XML Schema Part 2 §4.3.6).
    package var isCollapsed: Bool { collapsedXMLSpace == self }
}
