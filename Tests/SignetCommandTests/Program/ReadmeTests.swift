import ArgumentParser
import Foundation
import Testing

@testable import SignetCommand

/// README.md and the manifest that it describes.
private struct Readme {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    let text: String
    let manifest: String

    init() throws {
        text = try Self.content("README.md")
        manifest = try Self.content("Package.swift")
    }

    static func content(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path(percentEncoded: false))
    }

    /// The lines between a heading and the next one.
    func section(_ heading: String) -> [Substring] {
        Array(
            text.split(separator: "\n").drop { $0 != "## \(heading)" }.dropFirst().prefix { !$0.hasPrefix("## ") })
    }

    /// The cells of the rows of a table, without its first two lines.
    func table(_ heading: String) -> [[Substring]] {
        section(heading).filter { $0.hasPrefix("|") }.dropFirst(2).map { $0.split(separator: "|") }
    }

    /// What stands between single backticks.
    static func code(_ cell: Substring) -> [String] { cell.matches(of: /`([^`]+)`/).map { String($0.1) } }
}

/// A feature that is not built, by a word of its line in README.md, and words in the names that would come with it.
private struct Absence: Sendable {
    var feature: String
    var marks: [String]

    static let all = [
        Absence(feature: "Signatures with a shared key", marks: ["SymmetricBinding"])
    ]

    /// The names of all public types of the sources, and the manifest.
    static func names() throws -> String {
        var names = try Readme.content("Package.swift")
        let sources = FileManager.default.enumerator(
            at: Readme.root.appending(path: "Sources"), includingPropertiesForKeys: nil)
        while let file = sources?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /public (?:final )?(?:struct|enum|class|protocol|actor) (\w+)/) {
                names += "\n\(match.1)"
            }
        }
        return names
    }
}

extension ProgramTests {
    /// What README.md says is so.
    @Suite struct ReadmeTests {
        @Test func theReadmeIsShort() throws {
            let lines = try Readme().text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 111, "110 lines, and the end of the last one")
        }

        @Test func theReadmeNamesEveryProduct() throws {
            let readme = try Readme()
            let products = readme.manifest.matches(of: /\.(?:library|executable|plugin)\(name: "([^"]+)", targets:/)
                .map { String($0.1) }
            var named: [String] = []
            var traits: [String] = []
            for row in readme.table("Products") {
                let cell = try #require(row.first)
                let ofTraits = cell.matches(of: /\(trait `([^`]+)`\)/).map { String($0.1) }
                named += Readme.code(cell).filter { !ofTraits.contains($0) }
                traits += ofTraits
            }
            #expect(!products.isEmpty)
            #expect(named.sorted() == products.sorted())
            #expect(!traits.isEmpty)
            for trait in traits {
                #expect(readme.manifest.contains("name: \"\(trait)\", description:"), "there is no trait \(trait)")
            }
        }

        @Test func theReadmeNamesEverySubcommand() throws {
            let row = try #require(try Readme().table("Products").first { $0.first?.hasPrefix(" `signet` ") == true })
            let named = Readme.code(try #require(row.dropFirst().first))
            #expect(named.sorted() == SignetCommand.configuration.subcommands.map { $0._commandName }.sorted())
        }

        @Test func scriptsThatTheReadmeNamesExist() throws {
            let scripts = Set(try Readme().text.matches(of: /scripts\/[a-z-]+/).map { String($0.0) })
            #expect(scripts.isSuperset(of: ["scripts/demo", "scripts/test"]))
            for script in scripts {
                let path = Readme.root.appending(path: script).path(percentEncoded: false)
                #expect(FileManager.default.isExecutableFile(atPath: path), "there is no \(script)")
            }
        }

        @Test func linksOfTheReadmeLeadToFiles() throws {
            let links = try Readme().text.matches(of: /\]\(([^)#]+)(?:#[^)]*)?\)/).map { String($0.1) }
            #expect(links.count > 10)
            for link in links { #expect(Readme.exists(link), "there is no \(link)") }
        }

        /// Each row says what works and links to one article.
        @Test func everyTaskHasAnArticle() throws {
            let rows = try Readme().table("What works today")
            #expect(rows.count >= 10)
            for row in rows {
                let links = try #require(row.last).matches(of: /\]\(Sources\/Signet\/Signet\.docc\/\w+\.md\)/)
                #expect(links.count == 1, "\(row)")
            }
        }

        /// The list of what is not built agrees with the code: a feature leaves it when its types come.
        @Test func listedAbsencesAreAbsentFromTheCode() throws {
            let listed = try Readme().section("What does not work yet").filter { $0.hasPrefix("* ") }
            let names = try Absence.names()
            #expect(names.contains("\nServiceConfiguration"))
            #expect(listed.count == Absence.all.count)
            for absence in Absence.all {
                #expect(listed.contains { $0.contains(absence.feature) }, "\(absence.feature) is not listed")
                for mark in absence.marks {
                    #expect(!names.contains(mark), "\(absence.feature) is listed, but there is \(mark)")
                }
            }
        }
    }
}
