public import Foundation

/// Documents made by others, which are not part of this package: `SIGNET_CORPUS` names their folder.
public enum Corpus {
    /// A file or folder of the corpus; nil when there is no corpus, which is said.
    ///
    /// - Throws: ``MissingFile`` when there is a corpus without it, and where CI runs the tests, which must leave nothing out.
    public static func file(_ path: String) throws(MissingFile) -> URL? {
        let environment = ProcessInfo.processInfo.environment
        guard let corpus = environment["SIGNET_CORPUS"], !corpus.isEmpty else {
            guard environment["CI"] != "true" else {
                throw MissingFile(description: "SIGNET_CORPUS is not set, and CI must not leave tests out.")
            }
            print("SIGNET_CORPUS is not set: \(path) is not there, and what needs it is left out.")
            return nil
        }
        let file = URL(filePath: corpus).appending(path: path)
        guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else {
            throw MissingFile(description: "SIGNET_CORPUS is \(corpus), but it has no \(path).")
        }
        return file
    }

    /// As ``file(_:)``, the path alone.
    public static func path(_ path: String) throws(MissingFile) -> String? {
        try file(path)?.path(percentEncoded: false)
    }

    public struct MissingFile: Error, CustomStringConvertible {
        public let description: String
    }
}
