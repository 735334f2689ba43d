import Foundation
import HTTPTypes
import Signet
import SignetWSDL
import Synchronization
import Testing

@testable import SignetCommand

/// A web whose pages are in memory, and which remembers what it was asked.
private final class Web: Sendable {
    struct Request: Hashable {
        var address: String
        var party: String
    }

    let pages: [String: ClientResponse]
    private let log = Mutex<[Request]>([])

    init(_ pages: [String: ClientResponse]) { self.pages = pages }

    convenience init(_ pages: [String: String]) {
        self.init(pages.mapValues { ClientResponse(status: .ok, body: Array($0.utf8)) })
    }

    var requests: [Request] { log.withLock { $0 } }

    func fetch(
        _ start: String = "https://a.example/ws?wsdl", _ change: (inout FetchRules) -> Void = { _ in }
    ) async throws -> Fetcher.Outcome {
        var rules = FetchRules(start: try Endpoint(start))
        change(&rules)
        return try await Fetcher(rules: rules) { endpoint, party, maximum in
            self.log.withLock { $0.append(Request(address: endpoint.url, party: "\(party)")) }
            let page = self.pages[endpoint.url] ?? ClientResponse(status: .notFound)
            if page.body.count > maximum { throw TransportError(.responseTooLarge, "too large") }
            return page
        }.run()
    }
}

private func wsdl(_ content: String = "") -> String {
    "<definitions xmlns=\"\(Namespaces.wsdl)\" xmlns:xs=\"\(Namespaces.schema)\" targetNamespace=\"urn:w\">\(content)</definitions>"
}

private func importing(_ locations: String...) -> String {
    let imports = locations.enumerated().map { number, location in
        "<xs:import namespace=\"urn:\(number)\" schemaLocation=\"\(location)\"/>"
    }
    return wsdl("<types><xs:schema>\(imports.joined())</xs:schema></types>")
}

private func schema(_ content: String = "", namespace: String = "urn:0") -> String {
    "<xs:schema xmlns:xs=\"\(Namespaces.schema)\" targetNamespace=\"\(namespace)\">\(content)</xs:schema>"
}

@Suite struct FetcherTests {
    @Test func importsAreFollowedAtTheServiceItself() async throws {
        let web = Web([
            "https://a.example/ws?wsdl": importing("?xsd=1", "sub/two.xsd", "https://A.example:443/three.xsd#x"),
            "https://a.example/ws?xsd=1": schema(
                "<xs:include schemaLocation=\"ws?xsd=1\"/><xs:include schemaLocation=\"?xsd=2\"/>"),
            "https://a.example/ws?xsd=2": schema(),
            "https://a.example/sub/two.xsd": schema(
                "<xs:include schemaLocation=\"../up%20er.xsd\"/><xs:include schemaLocation=\"in ner.xsd\"/>"),
            "https://a.example/up%20er.xsd": schema(), "https://a.example/sub/in%20ner.xsd": schema(),
            "https://a.example/three.xsd": schema(),
        ])
        let outcome = try await web.fetch()
        #expect(outcome.documents.count == 7)
        #expect(outcome.omissions.isEmpty)
        #expect(Set(web.requests).count == web.requests.count)
        #expect(web.requests.allSatisfy { $0.party == "service" })
    }

    @Test func anotherHostIsNotAskedWithoutPermission() async throws {
        let addresses = [
            "https://b.example/x.xsd", "//b.example/y.xsd", "https://a.example:8443/z.xsd",
            "https://a.example.b.example/x.xsd",
            "https://a.example@b.example/x.xsd", "http://a.example/x.xsd", "https://b.example\\@a.example/x.xsd",
        ]
        for address in addresses {
            let web = Web(["https://a.example/ws?wsdl": importing(address)])
            let outcome = try await web.fetch()
            #expect(web.requests.map(\.address) == ["https://a.example/ws?wsdl"], "\(address)")
            #expect(outcome.omissions.count == 1, "\(address)")
        }
    }

    @Test func anAllowedHostGetsNoCredentialsOfTheService() async throws {
        let web = Web([
            "https://a.example/ws?wsdl": importing("https://b.example/x.xsd"),
            "https://b.example/x.xsd": schema(
                "<xs:include schemaLocation=\"y.xsd\"/><xs:include schemaLocation=\"https://a.example/back.xsd\"/>"
                    + "<xs:include schemaLocation=\"https://c.example/z.xsd\"/>"),
            "https://b.example/y.xsd": schema(), "https://a.example/back.xsd": schema(),
        ])
        let outcome = try await web.fetch { $0.hosts = ["b.example"] }
        #expect(
            web.requests == [
                .init(address: "https://a.example/ws?wsdl", party: "service"),
                .init(address: "https://b.example/x.xsd", party: "other"),
                .init(address: "https://b.example/y.xsd", party: "other"),
                .init(address: "https://a.example/back.xsd", party: "service"),
            ])
        #expect(outcome.omissions.map(\.address) == ["https://c.example/z.xsd"])
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://a.example/x", "urn:x", "gopher://a.example/", "javascript:x", "data:text/xml,x",
    ])
    func otherSchemesAreLeftOut(location: String) async throws {
        let web = Web(["https://a.example/ws?wsdl": importing(location)])
        let outcome = try await web.fetch { $0.allowsHTTP = true }
        #expect(web.requests.count == 1)
        #expect(outcome.omissions.count == 1)
    }

    @Test func plainHTTPNeedsPermission() async throws {
        let web = Web(["http://a.example/": importing("http://a.example/x.xsd"), "http://a.example/x.xsd": schema()])
        await #expect(throws: (any Error).self) { try await web.fetch("http://a.example/") }
        #expect(web.requests.isEmpty)
        #expect(try await web.fetch("http://a.example/") { $0.allowsHTTP = true }.documents.count == 2)
    }

    @Test func theWellKnownXMLSchemaIsNotFetched() async throws {
        let document = wsdl(
            "<types><xs:schema><xs:import namespace=\"\(Namespaces.xml)\" schemaLocation=\"https://www.w3.org/2001/xml.xsd\"/></xs:schema></types>"
        )
        let web = Web(["https://a.example/ws?wsdl": document])
        #expect(try await web.fetch().omissions.isEmpty)
        #expect(web.requests.count == 1)
    }

    @Test(arguments: [
        ("<!DOCTYPE html>\n<html><body><br></body></html>", "a page (HTML)"), ("{\"a\": 1}", "no XML"),
        ("", "empty"), ("<a><b></a>", "</b>"),
    ])
    func theErrorNamesWhatWasReadInsteadOfAWSDL(_ text: String, _ words: String) async throws {
        let error = await #expect(throws: WSDLError.self) { try await Web(["https://a.example/ws?wsdl": text]).fetch() }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(error?.location.file == "https://a.example/ws?wsdl")
    }

    @Test(arguments: [
        ("file:///etc/passwd", "“file:///etc/passwd”, which is no address of a web server"), (nil, "nowhere"),
        ("https://a.example/ws?wsdl", "in a circle"),
    ])
    func anUnusableRedirectIsReportedWithItsTarget(_ location: String?, _ words: String) async throws {
        var answer = ClientResponse(status: .found)
        answer.fields[.location] = location
        let web = Web(["https://a.example/ws?wsdl": answer])
        let error = await #expect(throws: CommandError.self) { try await web.fetch { $0.redirects = 5 } }
        #expect(error.map { "\($0)".contains(words) } == true, "\(error.map { "\($0)" } ?? "")")
    }

    @Test(arguments: [
        (HTTPResponse.Status.unauthorized, "--user"), (.badGateway, "Try again"), (.badRequest, "address"),
    ])
    func aStatusComesWithAdvice(_ status: HTTPResponse.Status, _ words: String) async throws {
        let web = Web(["https://a.example/ws?wsdl": ClientResponse(status: status)])
        let error = await #expect(throws: CommandError.self) { try await web.fetch() }
        #expect(error.map { "\($0)".contains("\(status.code)") && "\($0)".contains(words) } == true)
    }

    @Test func redirectsAreFollowedOnlyWhenAskedFor() async throws {
        func moved(_ target: String) -> ClientResponse {
            ClientResponse(status: .found, fields: [.location: target])
        }
        let web = Web([
            "https://a.example/ws?wsdl": moved("/new/ws.wsdl"),
            "https://a.example/new/ws.wsdl": ClientResponse(
                status: .ok, body: Array(importing("t.xsd", "loop.xsd").utf8)),
            "https://a.example/new/t.xsd": moved("https://b.example/t.xsd"),
            "https://a.example/new/loop.xsd": moved("loop.xsd"),
        ])
        let error = await #expect(throws: CommandError.self) { try await web.fetch() }
        #expect(error?.message.contains("--redirects 1") == true)
        await #expect(throws: CommandError.self) { try await web.fetch { $0.redirects = 5 } }
        #expect(!web.requests.contains { $0.address.contains("b.example") })
        let short = Web([
            "https://a.example/ws?wsdl": moved("/new/ws.wsdl"),
            "https://a.example/new/ws.wsdl": ClientResponse(status: .ok, body: Array(importing("t.xsd").utf8)),
            "https://a.example/new/t.xsd": ClientResponse(status: .ok, body: Array(schema().utf8)),
        ])
        let outcome = try await short.fetch { $0.redirects = 1 }
        #expect(outcome.documents.map(\.aliases.count) == [1, 0])
        #expect(try DocumentBundle(outcome).load().diagnostics.isEmpty)
    }

    @Test func endlessImportsEnd() async throws {
        final class Counter: Sendable { let count = Mutex(0) }
        let counter = Counter()
        var rules = FetchRules(start: try Endpoint("https://a.example/0"))
        rules.documents = 20
        let fetcher = Fetcher(rules: rules) { endpoint, _, _ in
            let number = counter.count.withLock { count in
                count += 1
                return count
            }
            let text =
                number == 1 ? importing("1") : schema("<xs:include schemaLocation=\"\(endpoint.path)/\(number)\"/>")
            return ClientResponse(status: .ok, body: Array(text.utf8))
        }
        let error = await #expect(throws: CommandError.self) { try await fetcher.run() }
        #expect(error?.message.contains("--maximum-documents") == true)
        #expect(counter.count.withLock { $0 } == 20)
    }

    /// What the server does not have was asked for all the same.
    @Test func absentDocumentsCountAsWell() async throws {
        let imports = (0..<40).map { "<xs:import namespace=\"urn:\($0)\" schemaLocation=\"\($0).xsd\"/>" }.joined()
        let web = Web(["https://a.example/ws?wsdl": wsdl("<types><xs:schema>\(imports)</xs:schema></types>")])
        await #expect(throws: CommandError.self) { try await web.fetch { $0.documents = 20 } }
        #expect(web.requests.count == 20)
    }

    @Test func hugeDocumentsAreRefused() async throws {
        let web = Web([
            "https://a.example/ws?wsdl": importing("a.xsd", "b.xsd"),
            "https://a.example/a.xsd": schema(String(repeating: " ", count: 600)),
            "https://a.example/b.xsd": schema(String(repeating: " ", count: 600)),
        ])
        let error = await #expect(throws: CommandError.self) { try await web.fetch { $0.bytes = 1500 } }
        #expect(error?.message.contains("--maximum-bytes") == true)
    }

    @Test func missingImportsAreLeftOutAndOtherFailuresEndTheFetch() async throws {
        let web = Web(["https://a.example/ws?wsdl": importing("gone.xsd")])
        #expect(try await web.fetch().omissions.map(\.reason) == ["the server has no such document"])
        let refused = Web([
            "https://a.example/ws?wsdl": ClientResponse(status: .ok, body: Array(importing("x.xsd").utf8)),
            "https://a.example/x.xsd": ClientResponse(status: .forbidden),
        ])
        await #expect(throws: CommandError.self) { try await refused.fetch() }
        await #expect(throws: (any Error).self) { try await Web([String: String]()).fetch() }
        let page = Web(["https://a.example/ws?wsdl": "<html><body>Log in"])
        await #expect(throws: WSDLError.self) { try await page.fetch() }
    }
}

@Suite struct BundleTests {
    @Test func namesAreSafeAndTheBundleLoads() async throws {
        let hostile = [
            "../../../../etc/passwd", "%2e%2e/%2e%2e/x.xsd", "a/..%2f..%2fy.xsd", ".htaccess", "catalog.xml",
            "signet-bundle.json",
            "..%5C..%5Cz.xsd", "CON", "x\u{202E}dsx.xsd", "-rf", "a;rm -rf $HOME", "name%00.xsd", "deep/ws.wsdl",
        ]
        var pages: [String: String] = [:]
        let locations = hostile.enumerated().map { "<xs:import namespace=\"urn:\($0)\" schemaLocation=\"\($1)\"/>" }
        pages["https://a.example/v1/ws.wsdl"] = wsdl("<types><xs:schema>\(locations.joined())</xs:schema></types>")
        for (number, location) in hostile.enumerated() {
            let address = try #require(WebAddress("https://a.example/v1/ws.wsdl")?.resolving(location))
            let (endpoint, _) = try FetchRules(start: Endpoint("https://a.example/")).check(address)
            pages[endpoint.url] = schema("<xs:element name=\"e\(number)\"/>", namespace: "urn:\(number)")
        }
        let bundle = DocumentBundle(try await Web(pages).fetch("https://a.example/v1/ws.wsdl"))
        #expect(bundle.entries.count == hostile.count + 1)
        #expect(Set(bundle.entries.map { $0.file.lowercased() }).count == bundle.entries.count)
        for entry in bundle.entries {
            #expect(
                entry.file.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) },
                "\(entry.file)")
            #expect(!entry.file.hasPrefix(".") && !entry.file.contains(".."))
            #expect(entry.file.hasSuffix(".xsd") || entry.file.hasSuffix(".wsdl"))
        }
        #expect(try bundle.load().schema.elements.count == hostile.count)
    }

    @Test func documentsWithTheSameNameAreToldApart() async throws {
        let web = Web([
            "https://a.example/ws.wsdl": importing("x/t.xsd", "y/t.xsd", "z/ws.wsdl"),
            "https://a.example/x/t.xsd": schema("<xs:include schemaLocation=\"u.xsd\"/>"),
            "https://a.example/y/t.xsd": schema("<xs:include schemaLocation=\"u.xsd\"/>", namespace: "urn:1"),
            "https://a.example/x/u.xsd": schema("<xs:element name=\"x\"/>"),
            "https://a.example/y/u.xsd": schema("<xs:element name=\"y\"/>", namespace: "urn:1"),
            "https://a.example/z/ws.wsdl": schema("<xs:element name=\"z\"/>", namespace: "urn:2"),
        ])
        let bundle = DocumentBundle(try await web.fetch("https://a.example/ws.wsdl"))
        let names = try bundle.load().schema.elements.keys
        #expect(names.sorted() == [QName("urn:0", "x"), QName("urn:1", "y"), QName("urn:2", "z")])
    }

    @Test func aFolderIsWrittenComparedAndReplaced() async throws {
        let program = try Program()
        defer { program.removeFiles() }
        let folder = BundleFolder(path: program.folder.appending(path: "bundle").path(percentEncoded: false))
        func bundle(_ type: String, _ location: String = "t.xsd") async throws -> DocumentBundle {
            DocumentBundle(
                try await Web([
                    "https://a.example/ws?wsdl": importing(location),
                    "https://a.example/\(location)": schema("<xs:element name=\"a\" type=\"xs:\(type)\"/>"),
                ]).fetch())
        }
        let first = try await bundle("int")
        #expect(throws: CommandError.self) { try folder.changes(to: first) }
        try folder.write(first)
        #expect(try folder.changes(to: first).isEmpty)
        let manifest = try BundleManifest(folder: folder.path)
        #expect(manifest == first.manifest)
        let main = "\(folder.path)/ws.wsdl"
        #expect(try WSDLLoader.load(file: main).schema.elements.count == 1)
        try BundleManifest.verify(wsdl: main)
        #expect(try folder.changes(to: await bundle("long")).map(\.kind) == [.changed])
        #expect(try folder.changes(to: await bundle("int", "u.xsd")).map(\.kind) == [.changed, .added, .removed])
        try Array("<changed/>".utf8).withUnsafeBytes { try Data($0).write(to: URL(filePath: main)) }
        #expect(try folder.changes(to: first).map(\.kind) == [.edited])
        try folder.write(try await bundle("int", "u.xsd"))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.count == 4)
        #expect(!names.contains { $0.hasSuffix("-t.xsd") })
    }

    /// A foreign manifest must not decide which files are removed.
    @Test func onlyFetchedFilesAreRemoved() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-bundle-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.path(percentEncoded: false)
        let start = "https://a.example/ws?wsdl"
        let first = DocumentBundle(
            try await Web([start: importing("one.xsd"), "https://a.example/one.xsd": schema()]).fetch())
        try BundleFolder(path: path).write(first)
        let one = folder.appending(path: try #require(first.entries.last?.file))
        try FileManager.default.removeItem(at: one)
        try FileManager.default.createDirectory(at: one, withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: one.appending(path: "file"))
        let second = DocumentBundle(try await Web([start: wsdl()]).fetch())
        try BundleFolder(path: path).write(second)
        #expect(FileManager.default.fileExists(atPath: one.appending(path: "file").path(percentEncoded: false)))
        #expect(try BundleFolder(path: path).changes(to: second).isEmpty)
        try Data("<catalog/>".utf8).write(to: folder.appending(path: DocumentBundle.catalogName))
        #expect(try BundleFolder(path: path).changes(to: second).map(\.file) == [DocumentBundle.catalogName])
        // The fetcher did not write this file, and must not overwrite it, whatever lies beside it.
        let third = DocumentBundle(
            try await Web([start: importing("two.xsd"), "https://a.example/two.xsd": schema()]).fetch())
        let two = folder.appending(path: try #require(third.entries.last?.file))
        try Data("mine".utf8).write(to: two)
        #expect(throws: CommandError.self) { try BundleFolder(path: path).write(third) }
        #expect(try String(contentsOf: two, encoding: .utf8) == "mine")
    }

    @Test func filesOfOthersAreNotOverwritten() async throws {
        let program = try Program()
        defer { program.removeFiles() }
        try program.write("mine", to: "catalog.xml")
        let folder = BundleFolder(path: program.folder.path(percentEncoded: false))
        let bundle = DocumentBundle(try await Web(["https://a.example/ws?wsdl": wsdl()]).fetch())
        #expect(throws: CommandError.self) { try folder.write(bundle) }
        try program.write(
            "{\"version\":1,\"main\":\"x\",\"notFetched\":[],\"documents\":[{\"url\":\"u\",\"file\":\"../x\",\"bytes\":1,\"sha256\":\"\"}]}",
            to: "signet-bundle.json")
        #expect(throws: WSDLError.self) { try folder.write(bundle) }
    }
}
