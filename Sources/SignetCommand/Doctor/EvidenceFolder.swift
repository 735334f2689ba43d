#if CommandLine
import Foundation
import SignetDoctor
import SignetWSDL

/// The folder of an evidence bundle, which only its owner can read.
struct EvidenceFolder {
    let path: String

    /// - Throws: ``CommandError`` when something that is no empty folder has this path.
    func check() throws(CommandError) {
        guard FileManager.default.fileExists(atPath: path) else { return }
        guard let content = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw CommandError("“\(path)” is not a readable folder. Name another with --save-evidence.")
        }
        guard content.isEmpty else {
            throw CommandError(
                "The folder “\(path)” is not empty. Name an empty one, or a new one, with --save-evidence.")
        }
    }

    func write(_ bundle: EvidenceBundle) throws(CommandError) {
        try check()
        let isMade = mkdir(path, 0o700) == 0
        guard isMade || errno == EEXIST && chmod(path, 0o700) == 0 else {
            throw CommandError("The folder “\(path)” cannot be made: \(String(cString: strerror(errno))).")
        }
        for file in bundle.files {
            let isJSON = file.name.hasSuffix(".json")
            let text = isJSON ? TerminalText.json(file.content) : TerminalText.block(file.content)
            try KeyOutput.write(Array(text.utf8), to: "\(path)/\(file.name)", replaces: false)
        }
    }
}
#endif
