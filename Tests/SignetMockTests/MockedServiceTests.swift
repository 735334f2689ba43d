import SignetWSDL
import Testing

@testable import SignetMock

@Suite struct MockedServiceTests {
    private func paths(_ services: String, service: String? = nil, port: String? = nil) throws -> [String] {
        try MockedService.all(try TestService.definitions(services: services), service: service, port: port).map {
            "\($0.service.name)/\($0.service.port.name) \($0.path)"
        }
    }

    private func one(_ name: String, at address: String) -> String {
        "<service name=\"\(name)\">\(TestService.port("A", at: address))</service>"
    }

    @Test(arguments: [
        ("https://a.example/soap?x=1", "/soap"), ("https://a.example", "/"), ("http://a.example/a/b%20c", "/a/b%20c"),
        ("REPLACE_ME", "/S"), ("", "/S"), ("jms:queue", "/S"), ("http://user@a.example/x", "/S"),
    ])
    func thePathIsThatOfTheAddress(address: String, path: String) throws {
        #expect(try paths(one("S", at: address)) == ["S/A \(path)"])
    }

    @Test func eachServiceHasAPathOfItsOwn() throws {
        let same = one("S", at: "http://a/x") + one("T", at: "http://a/x") + one("U", at: "http://a/T")
        #expect(try paths(same) == ["S/A /x", "T/A /T", "U/A /U"])
        #expect(try paths(same, service: "T") == ["T/A /x"])
        let all = try MockedService.all(try TestService.definitions(services: same))
        #expect(all.map(\.ports) == [["A": "/x"], ["A": "/T"], ["A": "/U"]])
    }

    @Test func portsOfOnePortTypeAreOneService() throws {
        let ports = TestService.port("A", at: "http://a/x") + TestService.port("B", at: "http://a/y")
        #expect(try paths("<service name=\"S\">\(ports)</service>") == ["S/A /x"])
        let both = try MockedService.all(
            try TestService.definitions(services: "<service name=\"S\">\(ports)</service>"))
        #expect(both.map(\.otherPaths) == [["/y"]])
        #expect(both.map(\.ports) == [["A": "/x", "B": "/y"]])
        #expect(try paths("<service name=\"S\">\(ports)</service>", service: "S", port: "B") == ["S/B /y"])
    }

    @Test func whatCannotBeAnsweredIsRefused() throws {
        let plain = "<service name=\"S\"><port name=\"H\" binding=\"w:Plain\"/></service>"
        var error = #expect(throws: MockError.self) { try paths(plain) }
        #expect(error?.description.contains("no port with SOAP") == true, "\(error?.description ?? "")")
        error = #expect(throws: MockError.self) { try paths(one("S", at: "http://a/"), service: "Q") }
        #expect(error?.description.contains("there is no service ‘Q’") == true, "\(error?.description ?? "")")
        #expect(throws: (any Error).self) { try paths(one("S", at: "http://a/"), port: "Q") }
        error = #expect(throws: MockError.self) { try MockedService.all(inFile: "/nothing.wsdl") }
        #expect(error?.description.contains("nothing.wsdl") == true)
    }
}
