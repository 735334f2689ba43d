import Foundation
import GreetingService
import SignetSOAP
import Testing

@testable import SignetServer

/// WSDLs in several documents, as clients get them.
@Suite struct PublishedWSDLTests {
    private let folder: URL
    private let curl: Curl

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "signet-wsdl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder.appending(path: "types"), withIntermediateDirectories: true)
        curl = try Curl()
        for (name, text) in Self.files { try write(text, name) }
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    private func path(_ name: String = "Main.wsdl") -> String {
        folder.appending(path: name).path(percentEncoded: false)
    }

    private static let files = [
        "Main.wsdl": """
        <?xml version="1.0"?>
        <!-- stays -->
        <definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" \
        xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:greeting">
          <import namespace="urn:abstract" location = 'Abstract.wsdl'/>
          <types><xs:schema><xs:import namespace="urn:t" schemaLocation="types/a.xsd"/>
            <xs:import namespace="urn:n" schemaLocation="https://example.org/n.xsd"/></xs:schema></types>
          <service name="S"><port name="P" binding="b"><soap:address x='location="no"' location="http://old/"/></port></service>
        </definitions>
        """,
        "Abstract.wsdl": """
        <definitions xmlns="http://schemas.xmlsoap.org/wsdl/"><import location="Main.wsdl" namespace="urn:greeting"/></definitions>
        """,
        "types/a.xsd": """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:include schemaLocation="b%20c.xsd"/>\
        <xs:annotation><xs:documentation>schemaLocation="x"</xs:documentation></xs:annotation></xs:schema>
        """,
        "types/b c.xsd": """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:redefine schemaLocation="a.xsd"/></xs:schema>
        """,
    ]

    @Test func clientsGetAllDocuments() async throws {
        let address = try Endpoint("https://public.example/greet&co'")
        for (address, prefix) in [(nil, ""), (address, "https://public.example/greet&amp;co&apos;")] {
            let wsdl = try PublishedWSDL(file: path(), address: address)
            var service = HostedService(Greeting.dispatcher, path: "/greet")
            service.wsdl = wsdl
            try await withPlainServer([service]) { url async throws in
                let main = try await curl(url + "/greet?wsdl", [])
                #expect(main.status == 200 && main.fields.contains("text/xml"))
                let source = try #require(Self.files["Main.wsdl"])
                let expected = source.replacing("'Abstract.wsdl'", with: "'\(prefix)?xsd=2'")
                    .replacing("types/a.xsd", with: "\(prefix)?xsd=1")
                    .replacing("\"http://old/\"", with: "\"\(address == nil ? "http://old/" : prefix)\"")
                #expect(main.body == expected)
                #expect(try await curl(url + "/greet?XSD=1", []).body.contains("schemaLocation=\"\(prefix)?xsd=3\""))
                #expect(try await curl(url + "/greet?xsd=2", []).body.contains("location=\"\(prefix)?wsdl\""))
                #expect(try await curl(url + "/greet?xsd=3", []).body.contains("schemaLocation=\"\(prefix)?xsd=1\""))
                for query in ["xsd=0", "xsd=4", "xsd=-1", "xsd=", "xsd=1x", "wsdl=1"] {
                    #expect(try await curl(url + "/greet?\(query)", []).status == 405, "\(query)")
                }
            }
        }
    }

    @Test func portsMayHaveAddressesOfTheirOwn() throws {
        let ports = ["A", "B", "C"].map {
            "<port name='\($0)' binding='b'><soap:address location='http://old/\($0)'/></port>"
        }
        func service(_ name: String) -> String { "<service name='\(name)'>\(ports.joined())</service>" }
        let root =
            "definitions xmlns='http://schemas.xmlsoap.org/wsdl/' xmlns:soap='http://schemas.xmlsoap.org/wsdl/soap12/'"
        try write("<\(root)>\(service("S"))\(service("T"))</definitions>", "ports.wsdl")
        let published = try PublishedWSDL(
            file: path("ports.wsdl"), address: Endpoint("http://new/all"),
            ports: [
                .init(service: "S", port: "A"): Endpoint("http://new/a"),
                .init(service: "T", port: "B"): Endpoint("http://new/b"),
            ], root: nil)
        let text = String(decoding: published.documents.first ?? [], as: UTF8.self)
        let found = text.matches(of: #/location='([^']*)'/#).map { String($0.1) }
        #expect(
            found == [
                "http://new/a", "http://new/all", "http://new/all", "http://new/all", "http://new/b", "http://new/all",
            ])
    }

    /// A folder by another name is the same folder, and a link out of it is a way out.
    @Test func linksAreFollowed() throws {
        let link = folder.deletingLastPathComponent().appending(path: "signet-link-\(UUID().uuidString)")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder)
        defer { try? FileManager.default.removeItem(at: link) }
        try write(
            "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:include schemaLocation='../Main.wsdl'/></xs:schema>",
            "types/b c.xsd")
        let wsdl = try PublishedWSDL(file: link.appending(path: "Main.wsdl").path)
        #expect(wsdl.description == "a WSDL in 4 documents")
        let other = folder.deletingLastPathComponent().appending(path: "signet-other-\(UUID().uuidString).xsd")
        try Data("<a/>".utf8).write(to: other)
        defer { try? FileManager.default.removeItem(at: other) }
        try FileManager.default.removeItem(at: folder.appending(path: "types/a.xsd"))
        try FileManager.default.createSymbolicLink(at: folder.appending(path: "types/a.xsd"), withDestinationURL: other)
        let error = #expect(throws: SOAPServerError.self) { try PublishedWSDL(file: path()) }
        #expect(error?.description.contains("outside of the folder") == true)
    }

    @Test func whatCannotBePublishedIsNamed() throws {
        func message(_ text: String) throws -> String {
            try write(text, "bad.wsdl")
            let error = #expect(throws: SOAPServerError.self) { try PublishedWSDL(file: path("bad.wsdl")) }
            return error?.description ?? ""
        }
        func include(_ location: String) -> String {
            "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:include schemaLocation='\(location)'/></xs:schema>"
        }
        #expect(try message(include("missing.xsd")).contains("“missing.xsd” cannot be read"))
        #expect(
            try message(include("../secret.xsd")).contains(
                "“bad.wsdl” imports “../secret.xsd”, which is outside of the folder"))
        #expect(try message(include("types/../../a.xsd")).contains("outside of the folder"))
        #expect(try message(include("/etc/passwd")).contains("cannot be read"))
        #expect(try message("<a").contains("“bad.wsdl” cannot be published"))
        #expect(try message("<!DOCTYPE a><a/>").contains("cannot be published"))
        #expect(try message("<?xml version='1.0' encoding='ISO-8859-1'?><a>é</a>").contains("not in UTF-8"))
        #expect(try message("").contains("cannot be published"))
        let query = #expect(throws: SOAPServerError.self) {
            try PublishedWSDL(file: path(), address: Endpoint("https://public.example/greet?a=1"))
        }
        #expect(query?.description.contains("has no query") == true)
        // A higher folder may be named.
        try write(include("../Main.wsdl"), "types/up.xsd")
        #expect(throws: SOAPServerError.self) { try PublishedWSDL(file: path("types/up.xsd")) }
        #expect(throws: Never.self) { try PublishedWSDL(file: path("types/up.xsd"), root: folder.path) }
        let error = #expect(throws: SOAPServerError.self) { try PublishedWSDL(file: path("none.wsdl")) }
        #expect(error?.description.contains("“none.wsdl” cannot be read") == true)
    }
}
