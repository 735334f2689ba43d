import Foundation
import Testing

/// The folder of WSDLs made by others, which is not part of this package.
enum Corpus {
    /// A file of the corpus; nil when there is no corpus, which is said, and which is a failure where CI runs the tests.
    static func file(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) -> URL? {
        let environment = ProcessInfo.processInfo.environment
        guard let corpus = environment["SIGNET_CORPUS"], !corpus.isEmpty else {
            if environment["CI"] == "true" {
                Issue.record(
                    "SIGNET_CORPUS is not set, and CI must not leave tests out.", sourceLocation: sourceLocation)
            } else {
                print("SIGNET_CORPUS is not set: \(path) is not there, and what needs it is left out.")
            }
            return nil
        }
        let file = URL(filePath: corpus).appending(path: path)
        guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else {
            Issue.record("SIGNET_CORPUS is \(corpus), but it has no \(path).", sourceLocation: sourceLocation)
            return nil
        }
        return file
    }
}

/// The files in `Peers`.
enum PeerFile {
    static func url(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Peers/\(name)").standardized
    }
}
