import Foundation
import HTTPTypes
import Signet
import SignetTesting
import Testing

/// The project's folder.
private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

private func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
}

/// The names of all files in a folder and the folders in it.
private func files(in folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(folder).path).sorted()
        .map { "\(folder)/\($0)" }
}

/// The text without white space, which the formatter may change, and without imports.
private func squeezed(_ lines: some Sequence<Substring>) -> String {
    lines.filter { !$0.hasPrefix("import ") && !$0.hasPrefix("@testable import ") }
        .flatMap { $0.filter { !$0.isWhitespace } }.map(String.init).joined()
}

/// A block of Swift on a page, and the comment in the line before it.
private struct Block {
    var mark: Substring
    var lines: [Substring] = []
    var isExcerpt: Bool { mark == "<!-- excerpt -->" }
    var isManifest: Bool { mark == "<!-- manifest -->" }
}

private func blocks(_ path: String) throws -> [Block] {
    var blocks: [Block] = []
    var isInside = false
    var before: Substring = ""
    for line in try text(path).split(separator: "\n") {
        if isInside, line == "```" {
            isInside = false
        } else if isInside {
            blocks[blocks.count - 1].lines.append(line)
        } else if line == "```swift" {
            isInside = true
            blocks.append(Block(mark: before))
        }
        before = line
    }
    return blocks
}

@Suite struct DocumentationTests {
    private static let catalogue = "Sources/Signet/Signet.docc"

    private static func pages() throws -> [String] {
        try ["README.md"] + files(in: catalogue).filter { $0.hasSuffix(".md") }
    }

    /// Every block of Swift on a page stands in a file of a test, so that it compiles and cannot drift away from the
    /// library. The code of DynamicCalls is compared line by line where it runs, in GuideTests.
    @Test func codeOnPagesIsCompiled() throws {
        let compiled = try files(in: "Tests").filter {
            $0.hasSuffix("Page.swift") || $0.hasSuffix("/PublicFace.swift") || $0.hasSuffix("/SubscriptionsTests.swift")
                || $0.hasSuffix("/ParcelsServer/Program.swift")
        }.map { try squeezed(text($0).split(separator: "\n")) }
        var count = 0
        for page in try Self.pages() where !page.hasSuffix("/DynamicCalls.md") {
            for block in try blocks(page) where !block.isExcerpt && !block.isManifest {
                count += 1
                let code = squeezed(block.lines)
                #expect(
                    compiled.contains { $0.contains(code) },
                    "\(page) shows code that no test compiles: \(block.lines.first ?? "")")
            }
        }
        #expect(count > 100)
    }

    @Test func excerptsAreGeneratedCode() throws {
        let generated = try Set(
            files(in: "Tests/ReferenceServices").filter { $0.hasSuffix(".swift") }
                .flatMap { try text($0).split(separator: "\n").map { squeezed([$0]) } })
        var count = 0
        for page in try Self.pages() {
            for block in try blocks(page) where block.isExcerpt {
                for line in block.lines {
                    count += 1
                    #expect(generated.contains(squeezed([line])), "\(page): nothing generated says: \(line)")
                }
            }
        }
        #expect(count > 10)
    }

    /// The landing page names every article.
    @Test func everyArticleIsInTheContents() throws {
        let contents = try text("\(Self.catalogue)/Signet.md")
        for page in try Self.pages().dropFirst() {
            let article = page.dropFirst(Self.catalogue.count + 1).dropLast(3)
            #expect(article == "Signet" || contents.contains("- <doc:\(article)>"), "\(article)")
        }
    }

    @Test func filesThatCannotBeReadAreNamed() {
        let error = #expect(throws: FileError.self) { try [UInt8](contentsOfFile: "/nonexistent/device.p12") }
        #expect(error?.description == "The file “/nonexistent/device.p12” cannot be used: there is no such file.")
    }
}

@Suite struct ServiceConfigurationTests {
    @Test(arguments: [
        "", "webease.example", "ftp://webease.example/", "https://", "https:///soap", "https://a b/", "https://host:0/",
        "https://host:65536/", "https://host:x/", "https://host/#fragment", "https://[::1/", "https://[x]/",
        "https://a..b/",
        "https://ä.example/", "https://::1/", "https://host\r\nX: y/",
    ])
    func badAddressesAreRefused(url: String) {
        #expect(throws: EndpointError.self) { try ServiceConfiguration(url) }
    }

    @Test(arguments: [
        "https://user:hunter2@host/", "https://u:hunter2#x@h/", "https://u:hunter2{@h/", "https://u:hunter2/x@h/",
        "ftp://u:hunter2@h/", "u:hunter2@h/x", "https://u:hunter2ä@h/",
    ])
    func aPasswordInAnAddressIsRefusedAndNotRepeated(url: String) {
        let error = #expect(throws: EndpointError.self) { try ServiceConfiguration(url) }
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test func addressesAreRead() throws {
        #expect(try Endpoint("HTTPS://WebEase.Example./a?b=c").url == "https://webease.example/a?b=c")
        #expect(try Endpoint("http://localhost:8080").path == "/")
        #expect(try Endpoint("https://[::1]:8443?x").url == "https://[::1]:8443/?x")
        #expect(try Endpoint("https://host:443/").origin.authority == "host")
    }

    @Test func aPortGivesAddressAndVersion() throws {
        let port = ServicePort(name: "P", address: "https://host/soap", version: .soap12)
        let service = try ServiceConfiguration(port)
        #expect(service.endpoint.description == "https://host/soap")
        #expect(service.version == .soap12)
        #expect(ServiceCaller(service).version == .soap12)
        #expect(try ServiceConfiguration(port, address: "https://other/").endpoint.description == "https://other/")
        let error = #expect(throws: EndpointError.self) {
            try ServiceConfiguration(ServicePort(name: "P", address: nil, version: .soap11))
        }
        #expect(error?.description.contains("“P”") == true)
    }

    @Test func cookiesAreKeptOnlyWhenAsked() throws {
        var service = try ServiceConfiguration("https://host/")
        #expect(ServiceCaller(service).cookies.jar == nil)
        service.cookies = .kept
        #expect(ServiceCaller(service).cookies.jar != nil)
    }

    /// A canary in every place where a configuration holds a secret.
    @Test func descriptionsHoldNoSecret() throws {
        let identity = try CertificateAuthority().issueClient(commonName: "visible")
        var service = try ServiceConfiguration("https://host/")
        service.identity = .fixed(identity)
        service.authentication.credentials = .fixed(.account(user: "visible", password: "hunter2"))
        service.fields[try #require(.init("X-Api-Key"))] = "hunter2"
        service.headerBlocks = [HeaderBlock(XMLName("urn:h", "Token"), text: "hunter2")]
        var text = "\(service) \(String(reflecting: service))"
        dump(service, to: &text)
        dump(ServiceCaller(service), to: &text)
        #expect(text.contains("visible"))
        #expect(!text.contains("hunter2"))
        #expect(!text.contains("PRIVATE"))
    }
}
