import SignetSOAP
import SignetXML

extension DynamicValue {
    /// The value with another one in the place of each whose name looks secret, as ``MessageRedaction`` judges names in XML.
    package func replacingSecrets(by replacement: DynamicValue) -> DynamicValue {
        switch self {
        case .object(let members):
            let isNamedSecret = members.contains { member in
                member.isLabel && member.value.text.map(SecretName.matches) == true
            }
            return .object(
                members.map { member in
                    let isSecret = SecretName.matches(member.name) || isNamedSecret && !member.isLabel
                    if member.name == "#xml", let text = member.value.text, Self.holdsSecrets(text) {
                        return Member(member.name, replacement)
                    }
                    return Member(
                        member.name, isSecret ? replacement : member.value.replacingSecrets(by: replacement))
                })
        case .array(let items): return .array(items.map { $0.replacingSecrets(by: replacement) })
        default: return self
        }
    }

    /// The value of an element, without secrets: that of an element whose own name looks secret is replaced unless it is an object.
    package func replacingSecrets(ofElement name: String?, by replacement: DynamicValue) -> DynamicValue {
        let isSecret = name.map { SecretName.matches(String($0.split(separator: "}").last ?? "")) } ?? false
        if case .object = self { return replacingSecrets(by: replacement) }
        return isSecret && self != .null ? replacement : replacingSecrets(by: replacement)
    }

    /// Whether markup that was kept as it is holds values with secret names, or cannot be searched.
    private static func holdsSecrets(_ markup: String) -> Bool {
        let bytes = Array("<x>\(markup)</x>".utf8)
        guard let redacted = try? MessageRedaction.replacingSecrets(bytes, charset: "utf-8") else { return true }
        return !redacted.secrets.isEmpty
    }
}

extension DynamicValue.Member {
    /// Whether it is an attribute that names the value beside it, as in `<item name="password">`.
    fileprivate var isLabel: Bool { ["@name", "@key"].contains(name.lowercased()) }
}
