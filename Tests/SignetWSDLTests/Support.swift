import SignetWSDL

/// Loads documents held in memory: the first is the WSDL, the others are found by their paths.
func load(
    _ text: String, _ files: [String: String] = [:], limits: WSDLLoader.Limits = .init(), path: String = "main.wsdl"
) throws(WSDLError) -> WSDLDefinitions {
    try WSDLLoader(limits: limits) { files[$0].map { Array($0.utf8) } }.load(Array(text.utf8), path: path)
}

/// The error of a load that must fail.
func failure(
    _ text: String, _ files: [String: String] = [:], limits: WSDLLoader.Limits = .init(), path: String = "main.wsdl"
) -> WSDLError? {
    do {
        _ = try load(text, files, limits: limits, path: path)
        return nil
    } catch {
        return error
    }
}

/// A WSDL with this content and the usual prefixes; its first line is the root's start tag.
func wsdl(_ content: String) -> String {
    "<definitions name=\"Test\" targetNamespace=\"urn:w\" xmlns=\"\(Namespaces.wsdl)\" xmlns:w=\"urn:w\" xmlns:t=\"urn:t\" "
        + "xmlns:soap=\"\(Namespaces.soap11)\" xmlns:soap12=\"\(Namespaces.soap12)\" xmlns:xs=\"\(Namespaces.schema)\">\n"
        + content + "\n</definitions>"
}

/// A schema in the namespace `urn:t`; its first line is the root's start tag.
func schema(_ content: String, attributes: String = "targetNamespace=\"urn:t\" elementFormDefault=\"qualified\"")
    -> String
{
    "<xs:schema \(attributes) xmlns:t=\"urn:t\" xmlns:xs=\"\(Namespaces.schema)\">\n\(content)\n</xs:schema>"
}

/// A WSDL with one schema.
func wsdl(schema content: String) -> String { wsdl("<types>\(schema(content))</types>") }
