import SignetWSDL
import Testing

/// Names of ports (WSDL 1.1 §2.6).
@Suite struct PortNameTests {
    private func service(_ ports: String) throws -> (service: Service?, diagnostics: [String]) {
        let definitions = try load(
            wsdl(
                """
                <portType name="a/P"/><binding name="a/B" type="w:a/P"><soap:binding transport="\(Namespaces.soapOverHTTP)"/></binding>
                <service name="a/S">\(ports)</service>
                """))
        return (definitions.services.first, definitions.diagnostics.map(\.description))
    }

    @Test func mayHaveSlashes() throws {
        let (service, diagnostics) = try service("<port name=\"a/b.c/Port\" binding=\"w:a/B\"/>")
        #expect(service?.ports.map(\.name) == ["a/b.c/Port"])
        #expect(service?.ports.map(\.binding) == [QName("urn:w", "a/B")])
        #expect(diagnostics.isEmpty)
    }

    /// The operation is there like the port that binds it.
    @Test func operationNamesMayHaveSlashes() throws {
        let definitions = try load(
            wsdl(
                """
                <message name="M"/><portType name="P"><operation name="a/b"><input message="w:M"/></operation></portType>
                <binding name="B" type="w:P"><soap:binding transport="\(Namespaces.soapOverHTTP)"/><operation name="a/b"/>
                <operation name="a//b"/></binding>
                """))
        #expect(definitions.portTypes.values.flatMap(\.operations).map(\.name) == ["a/b"])
        #expect(definitions.bindings.values.flatMap(\.operations).map(\.name) == ["a/b"])
        #expect(definitions.diagnostics.count == 1)
        #expect(definitions.omissions.map(\.location.line) == [4], "\(definitions.diagnostics)")
    }

    @Test func duplicatePortNamesAreReported() throws {
        let (service, diagnostics) = try service(
            "<port name=\"P\" binding=\"w:a/B\"/><port name=\"Q\" binding=\"w:a/B\"/><port name=\"P\" binding=\"w:a/B\"/>"
        )
        #expect(service?.ports.map(\.name) == ["P", "Q", "P"])
        #expect(diagnostics.count == 1)
        #expect(diagnostics.first?.contains("the service ‘a/S’ has another port ‘P’ before this one") == true)
    }

    /// What is wrong with one port leaves out that port alone.
    @Test(arguments: [
        "name=\"a b\" binding=\"w:a/B\"", "binding=\"w:a/B\"", "name=\"Q\"", "name=\"Q\" binding=\"none:B\"",
        "name=\"a//b\" binding=\"w:a/B\"", "name=\"/a\" binding=\"w:a/B\"", "name=\"a:b\" binding=\"w:a/B\"",
    ])
    func aDefectivePortIsLeftOutAlone(port: String) throws {
        let (service, diagnostics) = try service("<port \(port)/><port name=\"Good\" binding=\"w:a/B\"/>")
        #expect(service?.ports.map(\.name) == ["Good"])
        #expect(diagnostics.count { $0.contains("a port of the service ‘a/S’ is left out") } == 1, "\(diagnostics)")
    }
}
