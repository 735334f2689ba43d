import SignetGeneratorCore
import SignetWSDL
import Testing

/// What generated code and dynamic calls decide alike: see `OverloadTests` of the dynamic calls for the same WSDL.
@Suite struct OverloadSelectionTests {
    /// - Parameters:
    ///   - bound: how many operations the binding has.
    ///   - parts: the content of the second operation's input.
    private func wsdl(bound: Int = 2, parts: String = "<part name=\"text\" type=\"xs:string\"/>") -> String {
        let abstract = [0, 1].map {
            "<operation name=\"Get\"><input message=\"w:M\($0)\"/><output message=\"w:M0\"/></operation>"
        }
        let operations = (0..<bound).map {
            "<operation name=\"Get\"><s:operation soapAction=\"urn:\($0)\"/><input><s:body use=\"literal\"/></input>"
                + "<output><s:body use=\"literal\"/></output></operation>"
        }
        let bindings = ["B", "C"].map {
            "<binding name=\"\($0)\" type=\"w:P\"><s:binding style=\"rpc\" transport=\"\(Namespaces.soapOverHTTP)\"/>"
                + "\(operations.joined())</binding>"
        }
        return """
            <definitions targetNamespace="urn:w" xmlns="\(Namespaces.wsdl)" xmlns:w="urn:w" xmlns:s="\(Namespaces.soap11)" \
            xmlns:xs="\(Namespaces.schema)">
            <types><xs:schema targetNamespace="urn:w"><xs:element name="id" type="xs:int"/></xs:schema></types>
            <message name="M0"><part name="number" type="xs:int"/></message><message name="M1">\(parts)</message>
            <portType name="P">\(abstract.joined())</portType>\(bindings.joined())
            <service name="S"><port name="A" binding="w:B"/><port name="D" binding="w:C"/></service></definitions>
            """
    }

    @Test func overloadsWithoutMessageNamesAreTakenInOrder() throws {
        let result = try generateDemo(wsdl())
        #expect(result.errors.isEmpty, "\(result.errors)")
        #expect(result.text.contains("func get(") && result.text.contains("func get2("), "\(result.text)")
        #expect(result.text.contains("public var number: Int32") && result.text.contains("public var text: String"))
        let told = result.warnings.map(\.message)
        #expect(told.count { $0.contains("in the order of the portType ‘P’") } == 1, "\(told)")
        // The other port has the same overloads: each is compared with its like.
        #expect(result.text.contains("public static let all = [a, d]\n"), "\(told)")
    }

    @Test func overloadsThatCannotBeToldApartAreRefused() throws {
        let error = try #require(try generateDemo(wsdl(bound: 1)).errors.first)
        #expect(error.message.contains("‘Get(M0 → M0)’ and ‘Get(M1 → M0)’"), "\(error)")
    }

    /// A part that names an element travels as that; two that name the same one cannot be told apart.
    @Test func partsWithElementsAreTakenWhereTheyCanBeToldApart() throws {
        let id = "<part name=\"id\" element=\"w:id\"/>"
        let one = try generateDemo(wsdl(parts: id))
        #expect(one.errors.isEmpty && one.text.contains("public var id: Int32"), "\(one.diagnostics)")
        let both = try generateDemo(wsdl(parts: id + "<part name=\"other\" element=\"w:id\"/>"))
        #expect(
            both.warnings.contains { $0.message.contains("which both travel as the element {urn:w}id") },
            "\(both.diagnostics)")
    }
}
