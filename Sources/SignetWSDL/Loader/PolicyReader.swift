import SignetXML

extension Loading {
    /// The policies attached to an element of a WSDL: inside it, or by reference (WS-Policy 1.5 Attachment §3, §4.1).
    mutating func policies(of node: XMLNode) -> [PolicyNode] {
        var nodes: [PolicyNode] = []
        for child in node.children {
            if Namespaces.policies.contains(child.name.namespace) {
                switch child.name.localName {
                case "Policy", "PolicyReference": nodes.append(policy(child))
                default: break
                }
            } else if child.isNamed(Namespaces.oldPolicy, "Policy")
                || child.isNamed(Namespaces.oldPolicy, "PolicyReference")
            {
                // This version uses other names for the same; its requirements are then unknown.
                nodes.append(.all([policy(child)]))
            } else if child.isNamed(Namespaces.addressingBinding, "UsingAddressing") {
                nodes.append(policy(child))
            }
        }
        for namespace in Namespaces.policies {
            let uris = node.attribute(QName(namespace, "PolicyURIs")) ?? ""
            for uri in uris.xmlWords {
                nodes.append(.reference(policyName(String(uri)), node.location))
            }
        }
        return nodes
    }

    /// Reads a policy expression; a named expression is also stored under its name.
    @discardableResult
    mutating func policy(_ node: XMLNode) -> PolicyNode {
        guard Namespaces.policies.contains(node.name.namespace) else { return .assertion(assertion(node)) }
        switch node.name.localName {
        case "PolicyReference": return .reference(policyName(node.attribute("URI") ?? ""), node.location)
        case "ExactlyOne": return .exactlyOne(node.children.map { policy($0) })
        default:
            let expression = PolicyNode.all(node.children.map { policy($0) })
            let id =
                node.attribute(QName(Namespaces.securityUtility, "Id")) ?? node.attribute(QName(Namespaces.xml, "id"))
            if let id { definitions.policies[policyName("#\(id)")] = expression }
            if let name = node.attribute("Name") { definitions.policies[name] = expression }
            return expression
        }
    }

    private mutating func assertion(_ node: XMLNode) -> PolicyAssertion {
        var assertion = PolicyAssertion(
            name: node.name, attributes: [:], isOptional: false, policies: [], parameters: [], location: node.location)
        for attribute in node.attributes {
            if Namespaces.policies.contains(attribute.name.namespace), attribute.name.localName == "Optional" {
                assertion.isOptional = ["true", "1"].contains(attribute.value.trimmedXMLSpace)
            } else if Namespaces.policies.contains(attribute.name.namespace), attribute.name.localName == "Ignorable" {
                assertion.isIgnorable = ["true", "1"].contains(attribute.value.trimmedXMLSpace)
            } else {
                assertion.attributes[attribute.name] = attribute.value.trimmedXMLSpace
            }
        }
        if node.children.isEmpty { assertion.text = node.text.trimmedXMLSpace }
        for child in node.children {
            if Namespaces.policies.contains(child.name.namespace) {
                assertion.policies.append(policy(child))
            } else {
                assertion.parameters.append(self.assertion(child))
            }
        }
        return assertion
    }

    /// A fragment refers to a policy of the same document.
    private func policyName(_ uri: String) -> String {
        if uri.hasPrefix("#") { return path + uri }
        guard let hash = uri.firstIndex(of: "#"), case .file(let file) = ImportTarget(uri, from: path) else {
            return uri
        }
        return file + uri[hash...]
    }
}
