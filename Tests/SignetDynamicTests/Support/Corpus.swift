import Foundation
import Testing

/// WSDLs made by others, which are not part of this package, and the one that is.
enum TestWSDL {
    /// A file of the corpus; nil when there is no corpus, which is said, and which is a failure where CI runs the tests.
    static func corpus(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) -> URL? {
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

    static let webEase = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/SignetDemo/WebEase.wsdl").standardized
}
