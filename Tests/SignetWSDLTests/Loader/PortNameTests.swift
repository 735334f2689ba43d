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

    /// What is wrong with one port leaves out that port alone.
    @Test(arguments: [
        "name=\"a b\" binding=\"w:a/B\"", "binding=\"w:a/B\"", "name=\"Q\"", "name=\"Q\" binding=\"none:B\"",
        "name=\"a//b\" binding=\"w:a/B\"", "name=\"/a\" binding=\"w:a/B\"", "name=\"a:b\" binding=\"w:a/B\"",
    ])
    func oneThatIsWrongLeavesTheOthers(port: String) throws {
        let (service, diagnostics) = try service("<port \(port)/><port name=\"Good\" binding=\"w:a/B\"/>")
        #expect(service?.ports.map(\.name) == ["Good"])
        #expect(diagnostics.count { $0.contains("a port of the service ‘a/S’ is left out") } == 1, "\(diagnostics)")
    }
}
