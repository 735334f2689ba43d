import Foundation
import Testing

/// Documents made by others, which are not part of this package.
enum Corpus {
    /// A file or folder of the corpus; nil when there is no corpus, which is said, and which is a failure where CI runs the tests.
    static func path(_ path: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) -> String? {
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
        let file = "\(corpus)/\(path)"
        guard FileManager.default.fileExists(atPath: file) else {
            Issue.record("SIGNET_CORPUS is \(corpus), but it has no \(path).", sourceLocation: sourceLocation)
            return nil
        }
        return file
    }
}
