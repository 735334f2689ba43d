import SignetWSDL
@_spi(Generated) package import SignetXML

extension TablePlan {
    /// The table that generated code would make.
    package func xmlTable(groups: [XMLTable]) -> XMLTable {
        func words(_ list: [String]) -> String { list.joined(separator: " ") }
        func lines(_ list: [String]) -> String { list.joined(separator: "\n") }
        if isWhole { return .whole }
        return isChoice
            ? XMLTable(
                choice: namespaces, elements: words(elements), groups: groups, mixed: isMixed, types: words(types),
                presets: lines(presets), forms: lines(forms), rules: lines(rules))
            : XMLTable(
                namespaces, elements: words(elements), attributes: words(attributes), groups: groups, text: hasText,
                anyAttribute: hasAnyAttribute, mixed: isMixed, unordered: isUnordered, types: words(types),
                presets: lines(presets), forms: lines(forms), rules: lines(rules))
    }
}

extension ArrayPlan {
    /// The name of an item has no meaning: any element is one (SOAP 1.1 §5.4.2).
    var xmlTable: XMLTable {
        XMLTable(
            [element.namespace, Namespaces.soapEncoding11, Namespaces.soapEncoding12, type.namespace],
            elements: "\(element.localName)* #any*", attributes: dimensions > 1 ? "1:arrayType? 2:arraySize?" : "",
            types: tableTypes)
    }
}
