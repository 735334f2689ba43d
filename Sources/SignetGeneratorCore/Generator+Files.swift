import SignetWSDL

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Generator {
    /// Reads a WSDL from the disk, makes its files and writes them.
    ///
    /// - Parameters:
    ///   - wsdl: the path of the WSDL.
    ///   - output: the folder to write into; it is created when it does not exist.
    /// - Returns: the written files and the diagnostics; nothing is written after an error.
    package static func run(wsdl: String, output: String, options: GeneratorOptions = .init()) -> Result {
        let result = generate(wsdl: wsdl, options: options)
        guard !result.hasErrors else { return result }
        var written = result
        do {
            let folder = URL(filePath: output, directoryHint: .isDirectory)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for file in result.files {
                let url = folder.appending(path: file.name, directoryHint: .notDirectory)
                let bytes = Data(file.text.utf8)
                // An unchanged file keeps its date, so that the build system does not rebuild it.
                if (try? Data(contentsOf: url)) != bytes { try bytes.write(to: url, options: .atomic) }
            }
        } catch {
            written.files = []
            written.diagnostics.append(
                Diagnostic(
                    .error, "the generated files cannot be written: \(reason(of: error))",
                    at: SourceLocation(file: output)))
        }
        return written
    }

    private static func reason(of error: any Error) -> String {
        switch (error as? CocoaError)?.code {
        case .fileWriteFileExists: "a file stands where the folder should be; name another one."
        case .fileWriteNoPermission: "the permissions of the folder do not allow it."
        case .fileNoSuchFile: "the folder cannot be made there; look at its path."
        case .fileWriteOutOfSpace: "the disk is full."
        default: "\(error)"
        }
    }

    /// Reads a WSDL from the disk and makes its files in memory. Documents that `signet fetch` wrote must be unchanged.
    package static func generate(wsdl: String, options: GeneratorOptions = .init()) -> Result {
        do throws(WSDLError) {
            try BundleManifest.verify(wsdl: wsdl)
            let definitions = try WSDLLoader.load(file: wsdl, root: options.root)
            let url = URL(filePath: wsdl, directoryHint: .notDirectory)
            return generate(
                definitions, base: url.deletingPathExtension().lastPathComponent, source: url.lastPathComponent,
                options: options)
        } catch {
            return Result(files: [], diagnostics: [error.diagnostic])
        }
    }
}
