package import SignetGeneratorCore
package import SignetWSDL

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The content of a `signet-generator-config.yaml`; the article GeneratingCode describes its keys.
package struct ConfigurationFile: Sendable {
    /// The names by which plugins find the file.
    package static let names = ["signet-generator-config.yaml", "signet-generator-config.yml"]
    /// The maximum size; a larger file is a mistake.
    private static let maximumBytes = 1 << 20

    private let folder: URL
    private let common: GeneratorOptions
    /// The options of single WSDLs, by their real paths.
    private let sections: [String: GeneratorOptions]

    /// All errors in a configuration.
    package struct Invalid: Error, Sendable {
        package var diagnostics: [Diagnostic]
    }

    package init(contentsOf path: String) throws(Invalid) {
        let url = URL(filePath: path, directoryHint: .notDirectory).standardizedFileURL
        let text: String
        do {
            let bytes = try Data(contentsOf: url)
            guard bytes.count <= Self.maximumBytes else {
                throw Invalid(path, "the configuration is larger than \(Self.maximumBytes) bytes.")
            }
            guard let decoded = String(validating: bytes, as: UTF8.self) else {
                throw Invalid(path, "the configuration is not UTF-8.")
            }
            text = decoded
        } catch let invalid as Invalid {
            throw invalid
        } catch {
            let isThere = FileManager.default.fileExists(atPath: url.path)
            throw Invalid(path, isThere ? "the configuration cannot be read." : "there is no such file.")
        }
        folder = url.deletingLastPathComponent()
        var reader = ConfigurationReader(file: path, folder: folder)
        reader.read(text)
        guard reader.diagnostics.isEmpty else { throw Invalid(diagnostics: reader.diagnostics) }
        common = reader.common
        sections = reader.sections
    }

    /// The options for a WSDL: its own options take precedence over those for all WSDLs.
    package func options(for wsdl: String) -> GeneratorOptions {
        let path = URL(filePath: wsdl, directoryHint: .notDirectory).realPath
        var options = (sections[path] ?? .init()).overriding(common)
        // The WSDLs of a target lie below its configuration, and may import each other.
        let home = folder.realPath
        if options.root == nil && path.hasPrefix(home == "/" ? home : home + "/") { options.root = folder.path }
        return options
    }
}

extension ConfigurationFile.Invalid {
    fileprivate init(_ path: String, _ message: String) {
        diagnostics = [Diagnostic(.error, message, at: SourceLocation(file: path))]
    }
}

extension URL {
    /// The path without `.`, `..` and symbolic links.
    var realPath: String { standardizedFileURL.resolvingSymlinksInPath().path }
}
