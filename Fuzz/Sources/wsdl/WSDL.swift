import Foundation
import SignetGeneratorCore
import SignetWSDL
import Support

/// A third-party WSDL is loaded, and Swift is generated from it. The source must be well-formed for any names and texts
/// in the WSDL; with SIGNET_KEEP_GENERATED, a folder, some of it is kept there for the compiler to parse.
@main enum WSDLTarget {
    static let folder = ProcessInfo.processInfo.environment["SIGNET_KEEP_GENERATED"]
    nonisolated(unsafe) static var made = 0

    static func main() {
        run { start, count in
            var input = Input(start, count)
            // Half of the inputs are whole documents, half choose from the elements of documents.
            let document = input.byte() % 2 == 0 ? input.rest() : SchemaText(&input).document
            WSDLTarget.check(document)
            return 0
        }
    }

    static func check(_ document: [UInt8]) {
        var limits = WSDLLoader.Limits()
        limits.documents = 16
        limits.bytes = 1 << 20
        let loader = WSDLLoader(limits: limits) { _ in nil }
        guard let definitions = try? loader.load(document, path: "fuzzed.wsdl") else { return }
        for service in definitions.servicesOrBindings.prefix(3) {
            var options = GeneratorOptions()
            options.service = service.name.localName
            let result = Generator.generate(definitions, base: "fuzzed", source: "fuzzed.wsdl", options: options)
            for diagnostic in result.diagnostics {
                require(!"\(diagnostic)".contains("\n"), "a diagnostic of several lines")
            }
            for file in result.files { check(file) }
        }
    }

    private static func check(_ file: GeneratedFile) {
        if let defect = SwiftText.defect(of: file.text) { require(false, "\(file.name): \(defect)\n\(file.text)") }
        made += 1
        guard let folder, made % 50 == 1 else { return }
        let name = "\(ProcessInfo.processInfo.processIdentifier)-\(made)-\(file.name)"
        try? Data(file.text.utf8).write(to: URL(filePath: folder).appending(path: name))
    }
}
