import ArgumentParser
import Foundation
import Testing

@testable import SignetCommand

/// What the documentation tells a reader to type.
private struct Page {
    /// A block of lines between fences, with what stands in the line before it.
    struct Block {
        var language: String
        var mark: String
        var lines: [String]
        var text: String { lines.joined(separator: "\n") + "\n" }
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    let name: String
    let blocks: [Block]

    init(_ name: String) throws {
        self.name = name
        var blocks: [Block] = []
        var open: Block?
        var before = ""
        for line in try String(contentsOf: Self.root.appending(path: name), encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            if let block = open {
                if line == "```" {
                    blocks.append(block)
                    open = nil
                } else {
                    open?.lines.append(String(line))
                }
            } else if line.hasPrefix("```") {
                open = Block(language: String(line.dropFirst(3)), mark: before, lines: [])
            }
            if !line.isEmpty { before = String(line) }
        }
        self.blocks = blocks
    }

    static func all() throws -> [Page] {
        let catalogue = "Sources/Signet/Signet.docc"
        let articles = try FileManager.default.contentsOfDirectory(
            atPath: root.appending(path: catalogue).path(percentEncoded: false))
        return try ["README.md", "CONTRIBUTING.md", "Benchmarks/README.md", "Fuzz/README.md", "scripts/README.md"].map(
            Page.init)
            + articles.filter { $0.hasSuffix(".md") }.sorted().map { try Page("\(catalogue)/\($0)") }
    }

    /// The commands of the page, each as its words.
    var commands: [[String]] {
        blocks.filter { $0.language == "sh" }.flatMap { block in
            block.text.replacing("\\\n", with: " ").split(separator: "\n").map(Self.words)
        }.filter { !$0.isEmpty }
    }

    /// The words of a line as a shell takes them, without the comment.
    private static func words(_ line: Substring) -> [String] {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        for character in line {
            switch character {
            case "\"": (isQuoted, word) = (!isQuoted, word ?? "")
            case " " where !isQuoted:
                if let word { words.append(word) }
                word = nil
            case "#" where !isQuoted && word == nil: return words
            default: word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }
}

extension ProgramTests {
    @Suite struct DocumentationTests {
        /// Every command is one that the program takes, with the options that it has.
        @Test func everyCommandIsUnderstood() throws {
            var count = 0
            for page in try Page.all() {
                for words in page.commands where words[0] == "signet" {
                    count += 1
                    do { _ = try SignetCommand.parseAsRoot(Array(words.dropFirst())) } catch {
                        Issue.record(
                            "\(page.name): \(words.joined(separator: " ")): \(SignetCommand.message(for: error))")
                    }
                }
            }
            #expect(count > 15)
        }

        /// What needs neither a server nor a secret is run, in a folder with the files that the pages name.
        @Test func commandsRun() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let wsdl = try Data(contentsOf: URL(filePath: Program.wsdl))
            for name in ["WebEase.wsdl", "released.wsdl", "Invoices.wsdl", "WSDL/ws.wsdl", "Sources/App/WSDL/ws.wsdl"] {
                let file = program.folder.appending(path: name)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try wsdl.write(to: file)
            }
            try program.write("access: internal\n", to: "signet-generator-config.yaml")
            var count = 0
            for page in try Page.all() {
                for words in page.commands {
                    let isRun =
                        words[0] == "signet-generator"
                        || words[0] == "signet" && ["inspect", "generate", "diff"].contains(words[1])
                        || words[0] == "signet" && words.contains("--sample")
                    guard isRun else { continue }
                    count += 1
                    let shell = "cd \"$0\" && exec \"$@\""
                    let outcome = try await program.run(
                        "/bin/sh",
                        ["-c", shell, program.folder.path(percentEncoded: false), try Program.path(words[0])]
                            + words.dropFirst())
                    #expect(outcome.status == 0, "\(page.name): \(words.joined(separator: " ")): \(outcome.error)")
                }
            }
            #expect(count >= 5)
        }

        /// Scripts are there, and have the options that pages name.
        @Test func scriptsAreThere() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            for page in try Page.all() {
                for words in page.commands where words[0].contains("/") && !words[0].hasPrefix("/") {
                    let path = Page.root.appending(path: words[0]).path(percentEncoded: false)
                    guard FileManager.default.isExecutableFile(atPath: path) else {
                        if words[0].hasPrefix("scripts/") || words[0].hasPrefix("Benchmarks/") {
                            Issue.record("\(page.name): there is no \(words[0])")
                        }
                        continue
                    }
                    let help = try await program.run(path, ["--help"])
                    for option in words where option.hasPrefix("--") {
                        #expect(help.output.contains(option), "\(page.name): \(words[0]) has no option \(option)")
                    }
                }
            }
        }

        /// Every manifest is compiled, says its platforms, and names products that there are.
        @Test func manifestsCompile() async throws {
            let own = try String(contentsOf: Page.root.appending(path: "Package.swift"), encoding: .utf8)
            var count = 0
            for page in try Page.all() {
                for block in page.blocks where block.language == "text" || block.language == "swift" {
                    guard block.text.contains(".package(") || block.text.contains("plugins: [") else { continue }
                    #expect(block.mark == "<!-- manifest -->", "\(page.name): a part of a manifest cannot be compiled")
                    let program = try Program()
                    defer { program.removeFiles() }
                    try program.write(block.text, to: "Package.swift")
                    let outcome = try await program.run(
                        "/usr/bin/env",
                        [
                            "swift", "package", "--package-path", program.folder.path(percentEncoded: false),
                            "dump-package",
                        ])
                    #expect(outcome.status == 0, "\(page.name): \(outcome.error)")
                    let manifest = try JSONDecoder().decode(Manifest.self, from: Data(outcome.output.utf8))
                    #expect(!manifest.platforms.isEmpty, "\(page.name)")
                    for match in block.text.matches(of: /\.(?:product|plugin)\(name: "([^"]+)", package: "signet"\)/) {
                        #expect(
                            own.contains("name: \"\(match.1)\", targets:"),
                            "\(page.name): there is no product \(match.1)")
                    }
                    count += 1
                }
            }
            #expect(count >= 2)
        }

        private struct Manifest: Decodable {
            struct Platform: Decodable {}
            var platforms: [Platform]
        }

        @Test func theVersionIsPrinted() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await program.signet("--version")
            #expect(outcome.status == 0)
            #expect(outcome.output.wholeMatch(of: /signet \d+\.\d+\.\d+\n/) != nil, "\(outcome.output)")
        }

        @Test(arguments: ["inspect", "generate"]) func anAddressIsToBeFetchedFirst(command: String) async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let output = command == "generate" ? ["--output", program.folder.path(percentEncoded: false)] : []
            let outcome = try await program.run(
                try Program.path(), [command, "https://service.example/ws?wsdl"] + output)
            #expect(outcome.status == 1)
            #expect(
                outcome.error.contains("signet fetch https://service.example/ws?wsdl --output WSDL"), "\(outcome.error)"
            )
        }
    }
}
