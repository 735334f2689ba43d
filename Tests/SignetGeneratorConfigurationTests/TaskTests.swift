import Foundation
import SignetGeneratorConfiguration
import SignetGeneratorCore
import SignetWSDL
import Testing

/// From a configuration to files, with the WSDLs of the package that uses the plugins; `scripts/check-plugins` compiles
/// them.
@Suite struct TaskTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../IntegrationTests/PluginConsumer/Sources/Billing").standardizedFileURL

    private func task(_ name: String, output: URL? = nil) -> Generator.Task {
        let output =
            output ?? FileManager.default.temporaryDirectory.appending(path: "signet-task-\(UUID().uuidString)")
        var task = Generator.Task(wsdl: Self.sources.appending(path: name).path, output: output.path)
        task.configuration = Self.sources.appending(path: "signet-generator-config.yaml").path
        return task
    }

    /// Runs a task and removes what it wrote.
    private func run(_ task: Generator.Task) -> Generator.Result {
        defer { try? FileManager.default.removeItem(atPath: task.output) }
        return Generator.run(task)
    }

    @Test func typesOfANamespaceStandInAnEnumOfTheirOwn() throws {
        let result = run(task("Invoices.wsdl"))
        #expect(result.diagnostics.isEmpty)
        let text = result.files.map(\.text).joined()
        #expect(text.contains("    /// The types of `urn:signet:example:postal`.\n    enum Postal {}"))
        #expect(text.contains("extension Invoices.Postal {\n    struct Address: Sendable"))
        #expect(text.contains("extension Invoices.Postal.Address: XMLStructure"))
        // From outside by its path, from its own enum by its name.
        #expect(text.contains("var postal: Postal.Address?"))
        #expect(text.contains("var country: Country\n"))
        #expect(!text.contains("AddressType"))
        #expect(!text.contains("audit"))
    }

    @Test func typesOfAnotherEnumAreNamedByTheirFullPath() throws {
        var task = task("Invoices.wsdl")
        task.options.namespaces = ["urn:signet:example:invoices": "Bills", "urn:signet:example:postal": "Postal"]
        let text = run(task).files.map(\.text).joined()
        #expect(text.contains("var postal: Invoices.Postal.Address?"))
        #expect(text.contains("func issue(_ input: Bills.Issue) async throws -> Bills.IssueResponse"))
        #expect(!text.contains("extension Invoices {"))
        // One name for both is as if there were no enum: the second type needs another name.
        task.options.namespaces = ["urn:signet:example:invoices": "Both", "urn:signet:example:postal": "Both"]
        #expect(run(task).files.map(\.text).joined().contains("struct AddressPostal: Sendable"))
    }

    @Test func aNameForANamespaceMustBeFreeAndItsNamespaceThere() throws {
        var task = task("Invoices.wsdl")
        task.options.namespaces = ["urn:signet:example:postal": "Invoices"]
        #expect(run(task).diagnostics.first?.message.contains("‘namespaces’ names ‘Invoices’") == true)
        #expect(run(task).files.isEmpty)
        task.options.namespaces = ["urn:signet:example:postel": "Postal"]
        let result = run(task)
        #expect(result.diagnostics.first?.message.contains("has nothing in that namespace") == true)
        #expect(result.files.count == 9)
    }

    @Test func importsHaveTheLevelThatIsAskedFor() throws {
        #expect(
            run(task("Invoices.wsdl")).files.allSatisfy {
                $0.text.contains("\n\nimport Shared\n@_spi(Generated) import SignetSOAP\n\n")
                    || $0.text.split(separator: "\n").count == 1
            })
        var task = task("Rates.wsdl")
        task.options.imports = [ModuleImport("Shared", access: .package)]
        let text = try #require(run(task).files.last?.text)
        #expect(text.contains("package enum ExchangeRates {"))
        for (attribute, module) in [("", "Shared"), ("@_spi(Generated) ", "SignetSOAP")] {
            let both = "    \(attribute)package import \(module)\n#else\n    \(attribute)import \(module)\n#endif\n"
            #expect(text.contains("#if hasFeature(InternalImportsByDefault)\n" + both))
        }
        task.options.access = .public
        task.options.imports = [ModuleImport("Zebra", access: .internal)]
        let open = try #require(run(task).files.last?.text)
        #expect(open.contains("\n\n@_spi(Generated) public import SignetSOAP\ninternal import Zebra\n\n"))
    }

    @Test func aCheckFindsMissingAndChangedFiles() throws {
        var task = task("Rates.wsdl")
        let output = URL(filePath: task.output)
        defer { try? FileManager.default.removeItem(at: output) }
        task.onlyChecks = true
        #expect(Generator.run(task).diagnostics.map(\.severity) == Array(repeating: .error, count: 9))
        #expect(!FileManager.default.fileExists(atPath: task.output))
        task.onlyChecks = false
        #expect(Generator.run(task).diagnostics.isEmpty)
        task.onlyChecks = true
        #expect(Generator.run(task).diagnostics.isEmpty)
        let file = output.appending(path: "Rates+Service.swift")
        try Data("// mine\n".utf8).write(to: file)
        #expect(Generator.run(task).diagnostics.map(\.location.file) == [file.path])
        #expect(try String(contentsOf: file, encoding: .utf8) == "// mine\n")
    }

    @Test func aBadConfigurationGeneratesNoFiles() throws {
        var task = task("Rates.wsdl")
        task.configuration = task.wsdl
        let result = run(task)
        #expect(result.files.isEmpty)
        #expect(result.diagnostics.first?.location.file == task.wsdl)
    }
}
