public import Foundation

/// Documents made by others, which are not part of this package: `SIGNET_CORPUS` names their folder.
public enum Corpus {
    /// Whether tests that need the corpus run: where there is one, and in CI, which must leave nothing out.
    ///
    /// It is the condition of those tests: `@Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))` has the
    /// runner print why a test is skipped.
    public static var isExpected: Bool { folder != nil || ProcessInfo.processInfo.environment["CI"] == "true" }

    /// The folder of the corpus; nil when there is none.
    private static var folder: String? {
        ProcessInfo.processInfo.environment["SIGNET_CORPUS"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A file or folder of the corpus.
    ///
    /// - Throws: ``MissingFile`` when there is no corpus, or one without it.
    public static func file(_ path: String) throws(MissingFile) -> URL {
        guard let folder else {
            throw MissingFile(description: "SIGNET_CORPUS is not set, and this test needs \(path).")
        }
        let file = URL(filePath: folder).appending(path: path)
        guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else {
            throw MissingFile(description: "SIGNET_CORPUS is \(folder), but it has no \(path).")
        }
        return file
    }

    /// As ``file(_:)``, the path alone.
    public static func path(_ path: String) throws(MissingFile) -> String {
        try file(path).path(percentEncoded: false)
    }

    public struct MissingFile: Error, CustomStringConvertible {
        public let description: String
    }
}
