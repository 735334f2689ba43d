import CorpusFiles
import Foundation
import SignetGeneratorCore
import SignetWSDL
import Testing

/// The generator on the disk, and WSDLs made by others.
@Suite struct FilesTests {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-generator-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder.appending(path: "in"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func importing(_ location: String) -> String {
        makeService(
            schema: "<xs:include schemaLocation=\"\(location)\"/>" + message("<xs:element name=\"a\" type=\"t:T\"/>"))
    }

    private let types =
        "<xs:schema xmlns:xs=\"\(Namespaces.schema)\" targetNamespace=\"urn:t\"><xs:complexType name=\"T\"/></xs:schema>"

    @Test func filesAreWrittenAndUnchangedOnesLeftAlone() throws {
        try withFolder { folder in
            let wsdl = folder.appending(path: "in/demo.wsdl")
            try Data(importing("types.xsd").utf8).write(to: wsdl)
            try Data(types.utf8).write(to: folder.appending(path: "in/types.xsd"))
            let output = folder.appending(path: "out/deep")
            let result = Generator.run(wsdl: wsdl.path, output: output.path)
            #expect(result.diagnostics.isEmpty)
            let names = try FileManager.default.contentsOfDirectory(atPath: output.path)
            #expect(Set(names) == Set(GeneratedFile.names(for: "demo")))
            let file = output.appending(path: "demo+Service.swift")
            let past = Date(timeIntervalSince1970: 1_000_000)
            try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: file.path)
            _ = Generator.run(wsdl: wsdl.path, output: output.path)
            let date = try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
            #expect(date == past)
        }
    }

    /// What `signet fetch` wrote is generated from as it was written, or not at all.
    @Test func aDocumentThatWasFetchedAndChangedIsRefused() throws {
        try withFolder { folder in
            let wsdl = folder.appending(path: "in/demo.wsdl")
            let documents = [("demo.wsdl", importing("types.xsd")), ("types.xsd", types)].map { name, text in
                BundleManifest.Document(
                    url: "https://a.example/\(name)", file: name, bytes: text.utf8.count,
                    sha256: Fingerprint.sha256(of: Array(text.utf8)))
            }
            try Data(importing("types.xsd").utf8).write(to: wsdl)
            try Data(types.utf8).write(to: folder.appending(path: "in/types.xsd"))
            let manifest = BundleManifest(main: "demo.wsdl", documents: documents, notFetched: [])
            try JSONEncoder().encode(manifest).write(to: folder.appending(path: "in/\(BundleManifest.name)"))
            #expect(Generator.generate(wsdl: wsdl.path).diagnostics.isEmpty)
            try Data("\(types) ".utf8).write(to: folder.appending(path: "in/types.xsd"))
            let error = try #require(Generator.generate(wsdl: wsdl.path).errors.first)
            #expect(error.location.file.hasSuffix("types.xsd"))
            #expect(error.message.contains("signet fetch"))
        }
    }

    @Test func unusedNameOptionsAreWarnings() throws {
        var options = GeneratorOptions()
        options.names = ["do": "run", "T.a": "b", "Dont": "Do", "Du.a": "b"]
        options.types = ["{urn:t}T": "Shared.T", "Tt": "Shared.T"]
        let wsdl = makeService(
            schema: "<xs:complexType name=\"T\"/>" + message("<xs:element name=\"a\" type=\"t:T\"/>"))
        let messages = try generateDemo(wsdl, options).warnings.map(\.message)
        #expect(messages.count == 3)
        #expect(zip(messages, ["‘Dont’", "‘Du.a’", "‘Tt’"]).allSatisfy { $0.contains($1) })
    }

    @Test func aLinkThatLeadsOutOfTheRootIsRefused() throws {
        try withFolder { folder in
            let wsdl = folder.appending(path: "in/demo.wsdl")
            try Data(importing("types.xsd").utf8).write(to: wsdl)
            let secret = folder.appending(path: "secret.xsd")
            try Data(types.utf8).write(to: secret)
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: "in/types.xsd"), withDestinationURL: secret)
            let result = Generator.run(wsdl: wsdl.path, output: folder.appending(path: "out").path)
            #expect(result.errors.first?.message.contains("symbolic link") == true)
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "out").path))
        }
    }

    @Test func aHigherRootAllowsImportsFromParentFolders() throws {
        try withFolder { folder in
            let wsdl = folder.appending(path: "in/demo.wsdl")
            try Data(importing("../types.xsd").utf8).write(to: wsdl)
            try Data(types.utf8).write(to: folder.appending(path: "types.xsd"))
            let error = try #require(Generator.generate(wsdl: wsdl.path).errors.first)
            #expect(error.message.contains("--root"))
            #expect(error.description.hasPrefix("\(wsdl.path):3:"))
            #expect(!Generator.generate(wsdl: wsdl.path, options: rooted(folder.path)).hasErrors)
            #expect(Generator.generate(wsdl: wsdl.path, options: rooted(folder.appending(path: "out").path)).hasErrors)
        }
    }

    @Test func aMissingWSDLIsAnError() {
        let result = Generator.generate(wsdl: "/nowhere/demo.wsdl")
        #expect(result.errors.map(\.description) == ["/nowhere/demo.wsdl: error: there is no such file."])
    }

    private func rooted(_ folder: String) -> GeneratorOptions {
        var options = GeneratorOptions()
        options.root = folder
        return options
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func aRealServiceIsGeneratedCompletely() throws {
        var options = GeneratorOptions()
        options.access = .public
        let result = Generator.generate(
            wsdl: try Corpus.file("wsdl/vies/checkVatService.wsdl").path, options: options)
        #expect(result.diagnostics.isEmpty)
        #expect(result.text.contains("public var traderName: Nillable<String>?"))
        #expect(result.text.contains("public enum MatchCode: XMLEnumeration"))
        #expect(result.text.contains("case value1"))
    }

    /// A tax authority's choices and signature, a device's profile without a service, header blocks in front of
    /// everything.
    @Test(
        .enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"),
        arguments: [
            (
                "aeat-verifactu", "SistemaFacturacion.wsdl", ["sfVerifactu"], [],
                [
                    "case idOtro(IDOtroType)", "var signature: SignatureType?",
                    "let sistemaVerifactuSelloPruebas = ServicePort(",
                ]
            ),
            (
                "onvif-ptz", "ver20/ptz/wsdl/ptz.wsdl", [], [],
                ["versions: [.soap12]", "address: nil", "case presetToken(String)"]
            ),
            (
                "salesforce-partner-48", "partner.wsdl.xml", [], ["login", "query", "create"],
                ["HeaderElement<SessionHeader>(", "elements: \"type fieldsToNull* Id", "LoginFault.self"]
            ),
            ("ews-2007", "Services.wsdl", [], ["GetItem", "FindItem", "CreateItem"], ["case message("]),
        ])
    func realContentModelsAreMade(
        folder: String, wsdl: String, service: [String], operations: [String], lines: [String]
    ) throws {
        let root = try Corpus.file("wsdl/\(folder)")
        var options = rooted(root.path)
        options.service = service.first
        options.operations = operations.isEmpty ? nil : operations
        let result = Generator.generate(wsdl: root.appending(path: wsdl).path, options: options)
        #expect(!result.hasErrors, "\(result.errors)")
        for line in lines {
            let isThere = result.text.contains(line)
            #expect(isThere, "\(line)")
        }
    }

    /// Whatever people write, the answer is files or errors that name a place in a file. It is the longest of all tests, so
    /// that it has parts, which run at the same time.
    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"), arguments: 0..<4)
    func everyWSDLIsMadeOrRefusedWithAPlace(part: Int) throws {
        var made = 0
        let folder = try Corpus.file("wsdl")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".wsdl") }
            .sorted()
        #expect(paths.count > 100)
        for (number, path) in paths.enumerated() where number % 4 == part {
            let root = folder.appending(path: String(path.prefix { $0 != "/" })).path
            let result = Generator.generate(wsdl: folder.appending(path: path).path, options: rooted(root))
            if result.hasErrors {
                #expect(result.files.isEmpty)
                #expect(result.errors.allSatisfy { $0.location.file.hasPrefix(folder.path) }, "\(path)")
            } else {
                made += 1
                #expect(result.files.count == 9)
            }
        }
        #expect(made > 15)
    }
}
