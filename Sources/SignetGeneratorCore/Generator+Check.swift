import SignetWSDL

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Generator {
    /// Makes the files of a WSDL in memory and compares them with those in a folder.
    ///
    /// - Returns: an error for each file that is missing or differs.
    package static func check(wsdl: String, output: String, options: GeneratorOptions = .init()) -> Result {
        var result = generate(wsdl: wsdl, options: options)
        let folder = URL(filePath: output, directoryHint: .isDirectory)
        for file in result.files {
            let path = folder.appending(path: file.name, directoryHint: .notDirectory).path
            guard let bytes = FileManager.default.contents(atPath: path) else {
                result.diagnostics.append(
                    Diagnostic(.error, "the file is not there; generate it again.", at: SourceLocation(file: path)))
                continue
            }
            if bytes != Data(file.text.utf8) {
                result.diagnostics.append(
                    Diagnostic(
                        .error, "the file is not what the generator makes of ‘\(wsdl)’; generate it again.",
                        at: SourceLocation(file: path)))
            }
        }
        return result
    }
}
