import SignetGeneratorCore
import SignetWSDL
import Testing

/// A WSDL with one service; each operation is called like its input element, whose answer is `<name>Response`.
func makeService(
    operations: [String] = ["do"], schema: String, soapOperation: String = "<soap:operation soapAction=\"\"/>",
    style: String = "document", body: String = "<soap:body use=\"literal\"/>",
    attributes: String = "elementFormDefault=\"qualified\""
) -> String {
    let messages = operations.flatMap { [$0, "\($0)Response"] }.map {
        "<message name=\"\($0)\"><part name=\"p\" element=\"t:\($0)\"/></message>"
    }
    let abstract = operations.map {
        "<operation name=\"\($0)\"><input message=\"w:\($0)\"/><output message=\"w:\($0)Response\"/></operation>"
    }
    let bound = operations.map {
        "<operation name=\"\($0)\">\(soapOperation)<input>\(body)</input><output>\(body)</output></operation>"
    }
    return """
        <definitions targetNamespace="urn:w" xmlns="\(Namespaces.wsdl)" xmlns:w="urn:w" xmlns:t="urn:t" \
        xmlns:soap="\(Namespaces.soap11)" xmlns:xs="\(Namespaces.schema)"><types>
        <xs:schema targetNamespace="urn:t" \(attributes)>
        \(schema)
        </xs:schema></types>
        \(messages.joined(separator: "\n"))
        <portType name="P">\(abstract.joined())</portType>
        <binding name="B" type="w:P"><soap:binding style="\(style)" transport="\(Namespaces.soapOverHTTP)"/>
        \(bound.joined(separator: "\n"))</binding>
        <service name="Demo"><port name="A" binding="w:B"><soap:address location="http://localhost/"/></port></service>
        </definitions>
        """
}

/// An element with a sequence of its own, and an empty answer to it.
func message(_ content: String, name: String = "do") -> String {
    "<xs:element name=\"\(name)\"><xs:complexType><xs:sequence>\(content)</xs:sequence></xs:complexType></xs:element>"
        + "<xs:element name=\"\(name)Response\"><xs:complexType/></xs:element>"
}

/// Public Swift unless the options say otherwise.
func generateDemo(_ wsdl: String, _ options: GeneratorOptions = .init()) throws -> Generator.Result {
    var options = options
    options.access = options.access ?? .public
    let definitions = try WSDLLoader { _ in nil }.load(Array(wsdl.utf8), path: "demo.wsdl")
    return Generator.generate(definitions, base: "demo", source: "demo.wsdl", options: options)
}

extension Generator.Result {
    /// The text of all files.
    var text: String { files.map(\.text).joined() }
    var errors: [Diagnostic] { diagnostics.filter { $0.severity == .error } }
    var warnings: [Diagnostic] { diagnostics.filter { $0.severity == .warning } }
}
