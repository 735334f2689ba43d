import Foundation
import SignetWSDL
import Testing

@testable import SignetGeneratorCore

/// Generated code that is checked in: these tests compare its text, `BehaviourTests` runs it.
@Suite struct GoldenTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    /// `SIGNET_RECORD=1` writes what the generator makes now in the place of what is checked in.
    @Test(arguments: [
        ("Sources/SignetDemo/WebEase.wsdl", "WebEase"),
        ("Tests/ReferenceServices/TaxNumbers/TaxNumbers.wsdl", "TaxNumbers"),
        ("Tests/ReferenceServices/Parcels/Parcels.wsdl", "Parcels"),
        ("Tests/ReferenceServices/Ledger/Ledger.wsdl", "Ledger"),
        ("Tests/ReferenceServices/PlainQueries/PlainQueries.wsdl", "PlainQueries"),
        ("Tests/ReferenceServices/PlainForms/PlainForms.wsdl", "PlainForms"),
        ("Tests/ReferenceServices/Constructs/Constructs.wsdl", "Constructs"),
        ("Tests/ReferenceServices/Shapes/Shapes.wsdl", "Shapes"),
        ("Tests/ReferenceServices/Subscriptions/Subscriptions.wsdl", "Subscriptions"),
        ("Tests/ReferenceServices/Archive/Archive.wsdl", "Archive"),
        ("Tests/ReferenceServices/Census/Census.wsdl", "Census"),
        ("Tests/ReferenceServices/BankCertificates/BankCertificates.wsdl", "BankCertificates"),
    ])
    func generatedTextEqualsTheCheckedInFiles(wsdl: String, folder: String) throws {
        var options = GeneratorOptions()
        options.access = .public
        if folder == "Archive" { options.types = ["Content": "MessageAttachment"] }
        let result = Generator.generate(
            wsdl: Self.root.appending(path: wsdl).path(percentEncoded: false), options: options)
        #expect(!result.hasErrors, "\(result.diagnostics)")
        #expect(result.files.map(\.name) == GeneratedFile.names(for: folder))
        let target = Self.root.appending(path: "Tests/ReferenceServices/\(folder)")
        for file in result.files {
            let url = target.appending(path: file.name)
            if ProcessInfo.processInfo.environment["SIGNET_RECORD"] == "1" { try Data(file.text.utf8).write(to: url) }
            let expected = try String(contentsOf: url, encoding: .utf8)
            // Not compared inside #expect, which would print both texts.
            let isSame = file.text == expected
            #expect(isSame, "\(file.name) differs from what is checked in; look at it and run with SIGNET_RECORD=1.")
        }
    }

    @Test func accessIsAsAskedFor() throws {
        for access in AccessLevel.allCases {
            var options = GeneratorOptions()
            options.access = access
            let wsdl = Self.root.appending(path: "Sources/SignetDemo/WebEase.wsdl").path(percentEncoded: false)
            let text = Generator.generate(wsdl: wsdl, options: options).files.map(\.text).joined()
            #expect(text.contains("public") == (access == .public))
            #expect(text.contains("package") == (access == .package))
            #expect(text.contains("public import SignetSOAP") == (access == .public))
            #expect(text.contains("@_alwaysEmitIntoClient") == (access == .public))
        }
    }

    @Test func onlyTypesOfTheChosenOperationsAreGenerated() throws {
        var options = GeneratorOptions()
        options.operations = ["LogEntryDelete"]
        let wsdl = Self.root.appending(path: "Sources/SignetDemo/WebEase.wsdl").path(percentEncoded: false)
        let result = Generator.generate(wsdl: wsdl, options: options)
        let text = result.files.map(\.text).joined()
        #expect(result.files.count == 9)
        #expect(text.contains("struct LogEntryDelete:"))
        #expect(text.contains("struct EntryNotFound:"))
        #expect(!text.contains("LogEntryQuery"))
        #expect(!text.contains("EntryKind"))
    }

    @Test func nothingIsWrittenAfterAnError() throws {
        var options = GeneratorOptions()
        options.operations = ["Nonexistent"]
        let wsdl = Self.root.appending(path: "Sources/SignetDemo/WebEase.wsdl").path(percentEncoded: false)
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-\(UUID().uuidString)")
        let result = Generator.run(wsdl: wsdl, output: folder.path(percentEncoded: false), options: options)
        #expect(result.hasErrors)
        #expect(result.diagnostics.contains { $0.description.contains("Nonexistent") })
        #expect(!FileManager.default.fileExists(atPath: folder.path(percentEncoded: false)))
    }
}
