import Foundation
import SignetDynamic
import SignetWSDL
import Testing

@Suite struct ChoiceOfPortTests {
    private func service(_ services: String, service: String? = nil, port: String? = nil) throws -> DynamicService {
        let wsdl = """
            <definitions name="D" targetNamespace="urn:w" xmlns="\(Namespaces.wsdl)" xmlns:w="urn:w" xmlns:a="\(Namespaces.soap11)"
                xmlns:b="\(Namespaces.soap12)" xmlns:h="\(Namespaces.http)">
            <portType name="P"/><portType name="Q"/>
            <binding name="B11" type="w:P"><a:binding transport="http://schemas.xmlsoap.org/soap/http"/></binding>
            <binding name="B12" type="w:P"><b:binding transport="http://schemas.xmlsoap.org/soap/http"/></binding>
            <binding name="Get" type="w:P"><h:binding verb="GET"/></binding>
            <binding name="Put" type="w:P"><h:binding verb="PUT"/></binding>
            <binding name="Other" type="w:Q"><a:binding transport="http://schemas.xmlsoap.org/soap/http"/></binding>
            \(services)</definitions>
            """
        return try DynamicService(
            try WSDLLoader { _ in nil }.load(Array(wsdl.utf8), path: "t.wsdl"), service: service, port: port)
    }

    private func refusal(_ services: String, service: String? = nil, port: String? = nil) -> DynamicError? {
        #expect(throws: DynamicError.self) { try self.service(services, service: service, port: port) }
    }

    private func one(_ name: String, _ bindings: String...) -> String {
        "<service name=\"\(name)\">\(bindings.map { "<port name=\"To\($0)\" binding=\"w:\($0)\"/>" }.joined())</service>"
    }

    /// As for generated code.
    @Test func theFirstPortOfSOAP11IsTaken() throws {
        #expect(try service(one("S", "Get", "B12", "B11")).port.name == "ToB11")
        #expect(try service(one("S", "Get", "B12")).port.name == "ToB12")
        #expect(try service(one("S", "Get", "B12", "B11"), port: "ToB12").port.name == "ToB12")
        #expect(try service(one("S", "Get") + one("T", "B11")).name == "T")
        #expect(try service(one("S", "B11") + one("T", "B11"), port: "ToB11", service: "T").name == "T")
    }

    private func service(_ services: String, port: String, service: String) throws -> DynamicService {
        try self.service(services, service: service, port: port)
    }

    @Test func aPortWithoutSOAPIsTakenWhenNamedOrAlone() throws {
        #expect(try service(one("S", "Get")).port.name == "ToGet")
        #expect(try service(one("S", "Get", "B11"), port: "ToGet").version == nil)
        #expect(try service(one("S", "Get") + one("T", "B11"), port: "ToGet").name == "S")
    }

    @Test func theErrorListsTheServicesAndPorts() {
        let services = refusal(one("S", "B11") + one("T", "B12"))
        #expect(services?.code == .unknownService)
        #expect(services?.message.contains("‘S’ and ‘T’") == true)
        let ports = refusal(one("S", "B11", "Other"))
        #expect(ports?.message.contains("‘ToB11’ and ‘ToOther’") == true)
        #expect(refusal(one("S", "B11"), service: "X")?.message.contains("‘S’") == true)
        #expect(refusal(one("S", "B11"), port: "X")?.message.contains("‘ToB11’") == true)
    }

    @Test func unusablePortsAreRefusedWithTheReason() {
        #expect(refusal(one("S", "Put"))?.code == .notSupported)
        #expect(refusal(one("S", "Put"))?.message.contains("‘PUT’, not GET or POST") == true)
        #expect(refusal(one("S", "Gone"))?.message.contains("not there") == true)
        #expect(refusal(one("S"))?.code == .unknownService)
    }

    @Test func aWSDLWithoutServiceOffersItsBindings() throws {
        let chosen = try service("", service: "Q")
        #expect(chosen.port.name == "Other")
        #expect(chosen.port.address == nil)
    }

    @Test func filesThatCannotBeReadAreRefused() {
        let error = #expect(throws: DynamicError.self) { try DynamicService(contentsOfFile: "/nowhere/none.wsdl") }
        #expect(error?.code == .unreadableWSDL)
        #expect(error?.cause is WSDLError)
    }
}
