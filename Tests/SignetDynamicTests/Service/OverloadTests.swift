import SignetDynamic
import SignetWSDL
import SignetXML
import Testing

/// What generated code and dynamic calls decide alike: see `OverloadSelectionTests` of the generator for the same WSDL.
@Suite struct OverloadTests {
    private func service(names: [String] = [], bound: Int = 2) throws -> DynamicService {
        let name = { (number: Int) in names.indices.contains(number) ? " name=\"\(names[number])\"" : "" }
        let abstract = [0, 1].map {
            "<operation name=\"Get\"><input\(name($0)) message=\"w:M\($0)\"/><output message=\"w:M0\"/></operation>"
        }
        // Where names tell them apart, the binding has them the other way round.
        let order = Array((0..<bound).map { names.isEmpty ? $0 : bound - 1 - $0 })
        let operations = order.map {
            "<operation name=\"Get\"><s:operation soapAction=\"urn:\($0)\"/><input\(name($0))><s:body use=\"literal\"/></input>"
                + "<output><s:body use=\"literal\"/></output></operation>"
        }
        let wsdl = """
            <definitions targetNamespace="urn:w" xmlns="\(Namespaces.wsdl)" xmlns:w="urn:w" xmlns:s="\(Namespaces.soap11)" \
            xmlns:xs="\(Namespaces.schema)">
            <message name="M0"><part name="number" type="xs:int"/></message>
            <message name="M1"><part name="text" type="xs:string"/></message>
            <portType name="P">\(abstract.joined())</portType><binding name="B" type="w:P">
            <s:binding style="rpc" transport="\(Namespaces.soapOverHTTP)"/>\(operations.joined())</binding>
            <service name="S"><port name="A" binding="w:B"/></service></definitions>
            """
        return try DynamicService(try WSDLLoader { _ in nil }.load(Array(wsdl.utf8), path: "t.wsdl"))
    }

    @Test func overloadsWithoutMessageNamesAreCalledByNamesOfTheirOwn() throws {
        let service = try service()
        #expect(service.operations.map(\.name) == ["Get", "Get2"])
        #expect(service.operations.map(\.soapAction) == ["urn:0", "urn:1"])
        #expect(service.warnings.count { $0.contains("in the order of the portType ‘P’") } == 1, "\(service.warnings)")
        let client = try DynamicClient(service)
        let first = try client.body(of: "Get", ["number": 5])
        let second = try client.body(of: "Get2", ["text": "x"])
        #expect(first.children.map(\.localName) == ["number"] && second.children.map(\.localName) == ["text"])
        #expect([first.localName, second.localName] == ["Get", "Get"])
    }

    @Test func overloadsWithMessageNamesFollowThem() throws {
        let service = try service(names: ["a", "b"])
        #expect(service.operations.map(\.soapAction) == ["urn:1", "urn:0"])
        #expect(service.warnings.isEmpty, "\(service.warnings)")
        let body = try DynamicClient(service).body(of: "Get", ["text": "x"])
        #expect(body.children.map(\.localName) == ["text"])
    }

    @Test func overloadsThatCannotBeToldApartAreRefused() throws {
        let service = try service(bound: 1)
        let reason = try service.operation("Get").reasonNotCallable ?? ""
        #expect(reason.contains("‘Get(M0 → M0)’ and ‘Get(M1 → M0)’"), "\(reason)")
        let error = #expect(throws: DynamicError.self) { try DynamicClient(service).body(of: "Get", ["number": 5]) }
        #expect(error?.code == .notSupported)
    }
}
