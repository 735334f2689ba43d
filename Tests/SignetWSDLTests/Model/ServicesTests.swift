import SignetWSDL
import Testing

/// Which port decides, and which services there are to choose from.
@Suite struct ServicesTests {
    private func definitions(_ services: [(name: String, bindings: [String])]) throws -> WSDLDefinitions {
        let transport = "transport=\"\(Namespaces.soapOverHTTP)\""
        let all = services.map { service in
            let ports = service.bindings.map { "<port name=\"To\($0)\" binding=\"w:\($0)\"/>" }
            return "<service name=\"\(service.name)\">\(ports.joined())</service>"
        }
        return try load(
            wsdl(
                "<portType name=\"P\"/><binding name=\"B11\" type=\"w:P\"><soap:binding \(transport)/></binding>"
                    + "<binding name=\"B12\" type=\"w:P\"><soap12:binding \(transport)/></binding>"
                    + "<binding name=\"Get\" type=\"w:P\"><h:binding xmlns:h=\"\(Namespaces.http)\" verb=\"GET\"/></binding>"
                    + "<binding name=\"Put\" type=\"w:P\"><h:binding xmlns:h=\"\(Namespaces.http)\" verb=\"PUT\"/></binding>"
                    + all.joined()))
    }

    @Test(
        arguments: [
            (["B11", "B12"], nil, "ToB11"), (["Get", "B12", "B11"], nil, "ToB11"), (["Get", "B12"], nil, "ToB12"),
            (["Put", "Get"], nil, "ToGet"), (["B11", "B12"], "ToB12", "ToB12"), (["B11", "Get"], "ToGet", "ToGet"),
            (["B12", "B11"], "None", "ToB11"), (["Put"], nil, nil), ([], nil, nil),
        ] as [([String], String?, String?)])
    func thePrimaryPortIsTheWantedOneOrTheFirstOfSOAP11(bindings: [String], wanted: String?, port: String?) throws {
        let definitions = try definitions([("S", bindings)])
        let service = try #require(definitions.services.first)
        #expect(definitions.primaryPort(of: service, wanted: wanted)?.name == port)
    }

    @Test(
        arguments: [
            (nil, ["S", "T"]), ("ToB12", ["T"]), ("ToGet", ["U"]), ("None", ["S", "T"]),
        ] as [(String?, [String])])
    func aPortThatIsAskedForChoosesItsService(port: String?, services: [String]) throws {
        let definitions = try definitions([("S", ["B11"]), ("T", ["B12"]), ("U", ["Get"])])
        #expect(definitions.candidates(holding: port).map(\.name.localName) == services)
    }
}
