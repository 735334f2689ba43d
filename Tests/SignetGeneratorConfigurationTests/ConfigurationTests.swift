import Foundation
import SignetGeneratorConfiguration
import SignetGeneratorCore
import SignetWSDL
import Testing

/// Configurations, good and bad.
@Suite struct ConfigurationTests {
    /// A folder with the WSDLs `a.wsdl`, `b.wsdl`, `deep/c.wsdl` and a configuration.
    private struct Place: ~Copyable {
        let folder: URL
        var path: String { folder.appending(path: "signet-generator-config.yaml").path }

        init(_ text: String) throws { try self.init(Data(text.utf8)) }

        init(_ bytes: Data) throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "signet-config-\(UUID().uuidString)")
            try FileManager.default.createDirectory(
                at: folder.appending(path: "deep"), withIntermediateDirectories: true)
            for name in ["a.wsdl", "b.wsdl", "deep/c.wsdl"] { try Data().write(to: folder.appending(path: name)) }
            try bytes.write(to: URL(filePath: path))
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func options(_ wsdl: String) throws -> GeneratorOptions {
            try ConfigurationFile(contentsOf: path).options(for: folder.appending(path: wsdl).path)
        }

        /// What is wrong, with the place but without the folder.
        func mistakes() throws -> [String] {
            do throws(ConfigurationFile.Invalid) {
                _ = try ConfigurationFile(contentsOf: path)
                return []
            } catch {
                return error.diagnostics.map { $0.description.replacing("\(folder.path)/", with: "") }
            }
        }
    }

    @Test func placesAndListsAreKept() throws {
        let place = try Place(
            """
            strict: true
            derived: [Customer, "{urn:a}Invoice"]
            operations: [Login,
              Qery]
            names:
              Adress: PostalAddress
            """)
        let options = try place.options("a.wsdl")
        #expect(options.strict == true)
        #expect(options.derived == .listed(["Customer", "{urn:a}Invoice"]))
        func line(_ key: String, _ name: String) -> Int? { options.places[.init(key, name)]?.line }
        #expect(line("operations", "Login") == 3 && line("operations", "Qery") == 4)
        #expect(line("names", "Adress") == 6 && line("derived", "Customer") == 2)
        #expect(
            try Place("strict: yes").mistakes() == [
                "signet-generator-config.yaml:1:9: error: ‘strict’ is true or false."
            ])
        #expect(try Place("derived: []").mistakes().count == 1)
        let wrong = try Place("derived: nmaed").mistakes()
        #expect(wrong.first?.contains("all or named, or a list") == true, "\(wrong)")
    }

    @Test func everyKeyIsRead() throws {
        let place = try Place(
            """
            access: internal
            imports: [Shared, public Other]
            operations:
              - Login
              - "1"
            service: S
            port: P
            namespace: Billing
            namespaces:
              urn:a: First
              "": Plain
            names:
              Address: PostalAddress
              "{urn:a.b}Address.zip": postcode
              GetIt: fetch
            types: { Money: Shared.Money }
            derived: named
            shards: 8
            root: deep
            """)
        let options = try place.options("a.wsdl")
        #expect(options.access == .internal)
        #expect(options.imports == [ModuleImport("Shared"), ModuleImport("Other", access: .public)])
        #expect(options.operations == ["Login", "1"])
        #expect(options.service == "S")
        #expect(options.port == "P")
        #expect(options.namespace == "Billing")
        #expect(options.namespaces == ["urn:a": "First", "": "Plain"])
        #expect(
            options.names == [
                "Address": "PostalAddress", "{urn:a.b}Address.zip": "postcode", "GetIt": "fetch",
            ])
        #expect(options.types == ["Money": "Shared.Money"])
        #expect(options.derived == .named)
        #expect(options.shards == 8)
        #expect(options.root == place.folder.appending(path: "deep").path)
    }

    @Test func optionsOfOneWSDLOverrideTheGeneralOptions() throws {
        let place = try Place(
            """
            access: package
            imports: [Shared]
            wsdls:
              b.wsdl: { access: public, namespace: Other }
              ./deep/c.wsdl: { imports: [Deep] }
            """)
        #expect(try place.options("a.wsdl").access == .package)
        #expect(try place.options("a.wsdl").namespace == nil)
        #expect(try place.options("b.wsdl").access == .public)
        #expect(try place.options("b.wsdl").imports == [ModuleImport("Shared")])
        #expect(try place.options("deep/../b.wsdl").namespace == "Other")
        #expect(try place.options("deep/c.wsdl").imports == [ModuleImport("Deep")])
        // A file of the same name elsewhere is another one.
        #expect(try place.options("deep/b.wsdl").namespace == nil)
    }

    @Test(arguments: [
        ("names: { A: \"B { } //\" }", "cannot be a name in Swift"), ("names: [A]", "takes names of the WSDL"),
        ("names: { A.b: Upper }", "‘upper’ could"), ("types: { A: \"B<C>\" }", "is no type in Swift"),
        ("derived: some", "all or named"), ("shards: 0", "from 1 to 64"), ("shards: 65", "from 1 to 64"),
        ("shards:\n  3", "a line of its own"), ("{ shards: 3 }", "a line of its own"),
        ("shards: \"3\"", "a line of its own"),
        ("shards: 07", "from 1 to 64"), ("wsdls: { a.wsdl: { shards: 2 } }", "there is no key ‘shards’"),
    ])
    func namesAndNumbersAreChecked(text: String, mistake: String) throws {
        let mistakes = try Place(text).mistakes()
        #expect(mistakes.count == 1 && mistakes.first?.contains(mistake) == true, "\(mistakes)")
    }

    @Test func theCommandLineGoesBeforeTheFile() throws {
        let place = try Place("access: package\nnamespace: Filed")
        var line = GeneratorOptions()
        line.access = .internal
        let options = line.overriding(try place.options("a.wsdl"))
        #expect(options.access == .internal)
        #expect(options.namespace == "Filed")
    }

    @Test(arguments: ["", "# nothing\n", "---\n", "{}", "\u{FEFF}{}"])
    func anEmptyConfigurationGivesTheDefaults(text: String) throws {
        let place = try Place(text)
        var options = try place.options("a.wsdl")
        #expect(options.root == place.folder.path)
        options.root = nil
        #expect(options == GeneratorOptions())
        // The folder of the configuration bounds only what lies in it.
        #expect(try ConfigurationFile(contentsOf: place.path).options(for: "/elsewhere/a.wsdl").root == nil)
    }

    @Test(arguments: [
        (
            "acess: internal",
            "1:1: error: there is no key ‘acess’; did you mean ‘access’? The keys are access, imports,"
        ),
        ("\n  colour: red", "2:3: error: there is no key ‘colour’; the keys are access,"),
        ("[a, b]: c", "1:1: error: there is no key ‘’"),
        ("access: intrenal", "1:9: error: ‘access’ is one of public, package and internal; did you mean ‘internal’?"),
        ("access: [public]", "1:9: error: ‘access’ takes a single value"),
        ("service:", "1:9: error: ‘service’ has no value"),
        ("service: ~", "1:10: error: ‘service’ has no value"),
        ("service: a\nport: b\nservice: c", "1:1: error: ‘service’ stands here more than once."),
        ("operations: Login", "1:13: error: ‘operations’ takes a list, as in [Login, Query]."),
        ("operations: []", "1:13: error: ‘operations’ is an empty list"),
        ("operations: [[a]]", "1:14: error: ‘operations’ takes a single value here"),
        ("imports: [\"import A\"]", "1:11: error: ‘import A’ is no import"),
        ("imports: [A.B]", "1:11: error: ‘A.B’ is no import"),
        ("imports: [class]", "1:11: error: ‘class’ is no import"),
        ("imports: [public]", "1:11: error: ‘public’ is no import"),
        ("imports: [internal Self]", "1:11: error: ‘internal Self’ is no import"),
        ("imports: [_]", "1:11: error: ‘_’ is no import"),
        (
            "namespace: my service",
            "1:12: error: ‘my service’ cannot be the name of a Swift type here; ‘MyService’ could."
        ),
        ("namespace: Client", "1:12: error: ‘Client’ cannot be the name"),
        ("namespaces: [urn:a]", "1:13: error: ‘namespaces’ takes XML namespaces with Swift names"),
        ("namespaces:\n  urn:a: self", "2:10: error: ‘self’ cannot be"),
        ("root: nowhere", "1:7: error: there is no folder ‘nowhere’"),
        ("root: a.wsdl", "1:7: error: there is no folder ‘a.wsdl’"),
        ("wsdls: a.wsdl", "1:8: error: ‘wsdls’ takes the paths of WSDLs"),
        (
            "wsdls:\n  A1.wsdl: {}",
            "2:3: error: there is no file ‘A1.wsdl’ in the folder of this configuration; did you"
        ),
        ("wsdls:\n  /a.wsdl: {}", "2:3: error: a WSDL is named by its path from the folder"),
        ("wsdls:\n  a.wsdl:", "2:10: error: ‘a.wsdl’ takes the keys that this WSDL needs."),
        ("wsdls:\n  a.wsdl: {}\n  ./a.wsdl: {}", "3:3: error: the WSDL ‘./a.wsdl’ is named twice."),
        ("wsdls:\n  a.wsdl:\n    wsdls: {}", "3:5: error: there is no key ‘wsdls’ for a single WSDL;"),
        ("- access", "1:1: error: a configuration is a list of keys with values"),
        ("access: {", "error: this is not YAML: "),
        ("access: &a public\nport: *a", "1:9: error: ‘&a’ would be an anchor, which a configuration may not have;"),
        ("operations: [\"x\",&_1 [y]]", "1:18: error: ‘&_1’ would be an anchor"),
        ("\u{FEFF}&r {}", "error: ‘&r’ would be an anchor"),
        ("access: public\n? [a]\n: b", "2:1: error: ‘?’ would begin a key of several parts"),
        ("namespaces: {?[a]: b}", "1:14: error: ‘?’ would begin a key"),
        ("access: *nowhere", "1:9: error: this is not YAML: found undefined alias."),
        ("a: 1\n---\nb: 2", "error: this is not YAML: but found another document."),
        ("access: \u{1}", "error: this is not YAML: control characters are not allowed."),
    ])
    func aMistakeHasAPlace(text: String, expected: String) throws {
        let place = try Place(text)
        let mistakes = try place.mistakes()
        #expect(mistakes.count == 1)
        let first = try #require(mistakes.first)
        #expect(first.hasPrefix("signet-generator-config.yaml:"))
        #expect(first.contains(expected), "\(first)")
    }

    @Test func allMistakesAreReportedAtOnce() throws {
        let place = try Place("acess: a\nimports: b\nservice:\nwsdls: { x.wsdl: {} }")
        #expect(try place.mistakes().count == 4)
    }

    @Test func depthAndSizeHaveLimits() throws {
        let deep = try Place("access: " + String(repeating: "[", count: 100_000))
        #expect(try deep.mistakes().first?.contains("this is not YAML") == true)
        let large = try Place("# " + String(repeating: "x", count: 1 << 20))
        #expect(try large.mistakes().first?.contains("larger than") == true)
        let binary = try Place(Data([0x61, 0x3A, 0x20, 0xFF]))
        #expect(try binary.mistakes().first?.contains("not UTF-8") == true)
    }

    /// Written out, the last key is longer than any memory.
    @Test(.timeLimit(.minutes(10))) func aliasesThatDoubleAreRefused() throws {
        let doubling = (1...40).map { "- &a\($0) [*a\($0 - 1), *a\($0 - 1)]\n" }.joined()
        let place = try Place("- &a0 [x]\n\(doubling)- ? *a40\n  : y\n")
        #expect(try place.mistakes().count == 1)
        #expect(try place.mistakes().first?.contains("1:3: error: ‘&a0’ would be an anchor") == true)
    }

    /// Each key holds the next one, and the innermost a megabyte.
    @Test(.timeLimit(.minutes(10))) func keysInsideKeysAreRefused() throws {
        let keys = (0..<60_000).map { "k\($0): v" }.joined(separator: ", ")
        let place = try Place(String(repeating: "? ", count: 450) + "{\(keys)}\n")
        #expect(try place.mistakes().first?.contains("1:1: error: ‘?’ would begin a key") == true)
    }

    @Test func anAmpersandInATextIsNoAnchor() throws {
        let place = try Place("service: R & D\nport: a=&b&c\nnamespaces: { \"urn:x?a=1&b=é&c\": Bills }")
        #expect(try place.options("a.wsdl").service == "R & D")
        #expect(try place.options("a.wsdl").port == "a=&b&c")
        #expect(try place.options("a.wsdl").namespaces == ["urn:x?a=1&b=é&c": "Bills"])
    }

    @Test func aMissingFileIsNamed() {
        let error = #expect(throws: ConfigurationFile.Invalid.self) {
            try ConfigurationFile(contentsOf: "/nowhere/config.yaml")
        }
        #expect(error?.diagnostics.map(\.description) == ["/nowhere/config.yaml: error: there is no such file."])
    }

    @Test func theConfigurationOfTheDocumentationIsGood() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Signet/Signet.docc/GeneratingCode.md").standardizedFileURL
        let parts = try String(contentsOf: page, encoding: .utf8).split(separator: "```yaml\n")
        let text = try #require(parts.dropFirst().first?.split(separator: "```").first)
        #expect(parts.count == 2)
        let place = try Place(String(text))
        let old = place.folder.appending(path: "old")
        try FileManager.default.createDirectory(at: old, withIntermediateDirectories: true)
        for file in [place.folder.appending(path: "Invoices.wsdl"), old.appending(path: "Rates.wsdl")] {
            try Data().write(to: file)
        }
        #expect(try place.options("Invoices.wsdl").operations == ["Issue", "Cancel"])
        #expect(try place.options("old/Rates.wsdl").namespace == "OldRates")
        #expect(try place.options("old/Rates.wsdl").namespaces == ["urn:example:postal": "Postal"])
    }
}
