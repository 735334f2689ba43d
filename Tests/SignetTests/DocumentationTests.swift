import Foundation
import HTTPTypes
import Signet
import SignetTesting
import Testing

/// The project's folder.
private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

private func lines(_ path: String) throws -> [String] {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8).split(separator: "\n").map(words)
}

/// Runs of white space do not count: the formatter may align comments in its own way.
private func words(_ line: Substring) -> String { line.split(separator: " ").joined(separator: " ") }

/// A block of code on a page, and whether it is only an excerpt.
private struct Block {
    var lines: [String] = []
    var isExcerpt: Bool
}

private func blocks(_ path: String) throws -> [Block] {
    var blocks: [Block] = []
    var isInside = false
    var isExcerpt = false
    for line in try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8).split(separator: "\n") {
        if isInside, line == "```" {
            isInside = false
            isExcerpt = false
        } else if isInside {
            let line = words(line)
            if !line.hasPrefix("import ") { blocks[blocks.count - 1].lines.append(line) }
        } else if line == "```swift" {
            isInside = true
            blocks.append(Block(isExcerpt: isExcerpt))
        } else if line == "<!-- excerpt -->" {
            isExcerpt = true
        }
    }
    return blocks
}

@Suite struct DocumentationTests {
    @Test(arguments: [
        "Documentation/API.md", "Documentation/Attachments.md", "Documentation/Authentication.md",
        "Documentation/Connections.md",
        "Documentation/Jobs.md", "README.md",
    ]) func codeOnPagesIsCompiled(
        page: String
    ) throws {
        let compiled = try lines("Tests/SignetTests/PublicFace.swift")
        let blocks = try blocks(page).filter { !$0.isExcerpt }
        #expect(!blocks.isEmpty)
        for block in blocks {
            let found = compiled.indices.contains { start in compiled[start...].starts(with: block.lines) }
            #expect(found, "\(page) shows code that no test compiles: \(block.lines.first ?? "")")
        }
    }

    @Test func excerptsAreGeneratedCode() throws {
        let folder = root.appendingPathComponent("Tests/ReferenceServices/WebEase")
        let generated = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .flatMap { try lines("Tests/ReferenceServices/WebEase/\($0)") }
        for block in try blocks("Documentation/API.md") where block.isExcerpt {
            for line in block.lines { #expect(generated.contains(line), "nothing generated says: \(line)") }
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
        #expect(ServiceCaller(service).cookies == nil)
        service.keepsCookies = true
        #expect(ServiceCaller(service).cookies != nil)
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
