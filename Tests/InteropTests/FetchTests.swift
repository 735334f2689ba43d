import Foundation
import Signet
import SignetTesting
import Testing

/// `signet fetch` from nginx, which demands a client certificate and a password and has a neighbour that must see
/// neither.
@Suite(.serialized) struct FetchTests {
    private struct Site {
        let files: IdentityFiles
        let port: Int
        let other: Int

        /// What reaches the service.
        private func options(_ folder: String) -> [String] {
            [
                "--output", files.path(folder), "--ca", files.path("clients.pem"), "--identity",
                files.path("device.p12"),
                "--identity-password-file", files.path("device.password"), "--user", "app", "--password-file",
                files.path("app.password"), "--header-file", files.path("fields"),
            ]
        }

        func fetch(
            _ arguments: [String] = [], path: String = "ws?wsdl", to folder: String = "bundle"
        ) async throws -> SignetProgram.Outcome {
            try await PeerProcess.output(
                of: .init(
                    program: try SignetProgram.path(),
                    arguments: ["fetch", "https://localhost:\(port)/\(path)"] + options(folder) + arguments))
        }

        func signet(_ arguments: String...) async throws -> SignetProgram.Outcome {
            try await PeerProcess.output(of: .init(program: try SignetProgram.path(), arguments: arguments))
        }

        /// What a server was asked, and what it was shown with it.
        func log(_ name: String) -> [String] {
            let text = (try? String(contentsOfFile: files.path("\(name).log"), encoding: .utf8)) ?? ""
            return text.split(separator: "\n").map(String.init)
        }
    }

    private static let schemas = "http://www.w3.org/2001/XMLSchema"

    private func withSite(_ body: (Site) async throws -> Void) async throws {
        let files = try IdentityFiles()
        let authority = try CertificateAuthority()
        try await files.write(try authority.issueServer(dnsNames: ["localhost"]), as: "server")
        try files.write(authority.bundle.certificates, as: "clients.pem")
        let device = try authority.issueClient(commonName: "device")
        try Data(try device.pkcs12(password: "p", label: nil, iterations: 1000)).write(
            to: files.folder.appending(path: "device.p12"))
        try files.write("p\n", as: "device.password")
        try files.write("secret\n", as: "app.password")
        try files.write("app:{PLAIN}secret\n", as: "passwords")
        try files.write("X-Key: 4711\n", as: "fields")
        let site = Site(files: files, port: try Port.free(), other: try Port.free())
        for folder in ["own", "own/types", "other"] {
            try FileManager.default.createDirectory(
                at: files.folder.appending(path: folder), withIntermediateDirectories: true)
        }
        let namespaces = "xmlns:xs=\"\(Self.schemas)\" xmlns:t=\"urn:t\" xmlns:w=\"urn:w\""
        try files.write(
            """
            <definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
             targetNamespace="urn:w" \(namespaces)><types><xs:schema>
            <xs:import namespace="urn:t" schemaLocation="types/t.xsd?v=1"/>
            <xs:import namespace="urn:o" schemaLocation="https://localhost:\(site.other)/other.xsd"/></xs:schema></types>
            <message name="In"><part name="p" element="t:in"/></message><message name="Out"><part name="p" element="t:out"/></message>
            <portType name="P"><operation name="Do"><input message="w:In"/><output message="w:Out"/></operation></portType>
            <binding name="B" type="w:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
            <operation name="Do"><soap:operation soapAction=""/><input><soap:body use="literal"/></input>
            <output><soap:body use="literal"/></output></operation></binding>
            <service name="Fetched"><port name="A" binding="w:B"><soap:address location="https://localhost/"/></port></service>
            </definitions>
            """, as: "own/ws.wsdl")
        try files.write(
            """
            <xs:schema \(namespaces) targetNamespace="urn:t"><xs:include schemaLocation="../../../more.xsd"/>
            <xs:element name="in" type="xs:string"/></xs:schema>
            """, as: "own/types/t.xsd")
        try files.write(
            "<xs:schema \(namespaces) targetNamespace=\"urn:t\"><xs:element name=\"out\" type=\"xs:int\"/></xs:schema>",
            as: "own/more.xsd")
        try files.write("<xs:schema \(namespaces) targetNamespace=\"urn:o\"/>", as: "other/other.xsd")
        try await Nginx.run("fetch.conf", ["OTHER": "\(site.other)"], in: files, port: site.port) {
            try await body(site)
        }
    }

    @Test func aBundleIsFetchedGeneratedFromAndCompared() async throws {
        try await withSite { site in
            let outcome = try await site.fetch()
            #expect(outcome.status == 0, "\(outcome)")
            #expect(outcome.error.contains("--allow-host localhost:\(site.other)"))
            #expect(outcome.output.split(separator: "\n").count == 3)
            // The command sent no request to the other host.
            #expect(site.log("other").isEmpty)
            #expect(site.log("own").filter { $0.contains("|Basic ") && $0.contains("|4711|CN=device") }.count == 3)

            let bundle = site.files.path("bundle")
            let generated = try await site.signet("generate", "\(bundle)/ws.wsdl", "--output", site.files.path("swift"))
            #expect(generated.status == 0, "\(generated)")
            #expect(FileManager.default.fileExists(atPath: site.files.path("swift/ws+Service.swift")))

            #expect(try await site.fetch(["--check"]).status == 0)
            try site.files.write(
                "<xs:schema xmlns:xs=\"\(Self.schemas)\" targetNamespace=\"urn:t\"><xs:element name=\"out\" type=\"xs:date\"/></xs:schema>",
                as: "own/more.xsd")
            let check = try await site.fetch(["--check", "--json"])
            #expect(check.status == 1)
            let change = try JSON(check.output)[0]
            #expect(change["kind"].text == "changed")
            #expect(change["url"].text == "https://localhost:\(site.port)/more.xsd")

            // The change breaks callers, and says where.
            let copy = site.files.path("new")
            let again = try await site.fetch(to: "new")
            #expect(again.status == 0, "\(again)")
            let difference = try await site.signet("diff", "\(bundle)/ws.wsdl", "\(copy)/ws.wsdl")
            #expect(difference.status == 1, "\(difference)")
            #expect(
                difference.output.contains("breaks: operation Do, output, out: its type was int and is date"),
                "\(difference.output)")
        }
    }

    @Test func anAllowedHostSeesNeitherIdentityNorCredentialsNorFields() async throws {
        try await withSite { site in
            let outcome = try await site.fetch(["--allow-host", "localhost:\(site.other)"])
            #expect(outcome.status == 0, "\(outcome)")
            #expect(outcome.error.isEmpty, "\(outcome.error)")
            #expect(site.log("other") == ["/other.xsd|-|-|-"])
            // The same holds when the service redirects the client there.
            let moved = try await site.fetch(
                ["--redirects", "1", "--allow-host", "localhost:\(site.other)"], path: "moved")
            #expect(moved.status == 1)
            #expect(site.log("other") == ["/other.xsd|-|-|-", "/other.xsd|-|-|-"])
        }
    }

    @Test func redirectsAndLimitsEndTheFetch() async throws {
        try await withSite { site in
            let moved = try await site.fetch(path: "moved")
            #expect(moved.status == 1)
            #expect(moved.error.contains("--redirects 1"))
            let refused = try await site.fetch(["--redirects", "1"], path: "moved")
            #expect(refused.status == 1)
            #expect(refused.error.contains("--allow-host"))
            #expect(try await site.fetch(["--maximum-documents", "2"]).error.contains("--maximum-documents"))
            #expect(try await site.fetch(["--maximum-bytes", "900"]).error.contains("--maximum-bytes"))
            #expect(site.log("other").isEmpty)
            #expect(!FileManager.default.fileExists(atPath: site.files.path("bundle")))
        }
    }

    @Test func plainHTTPIsWrongUsage() async throws {
        let outcome = try await PeerProcess.output(
            of: .init(
                program: try SignetProgram.path(),
                arguments: ["fetch", "http://localhost:1/ws", "--output", "/nonexistent"]))
        #expect(outcome.status == 2)
        #expect(outcome.error.contains("--allow-http"))
        let file = try await PeerProcess.output(
            of: .init(
                program: try SignetProgram.path(),
                arguments: ["fetch", "file:///etc/passwd", "--output", "/nonexistent"]))
        #expect(file.status == 2)
    }
}
