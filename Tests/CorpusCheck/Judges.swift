import Foundation

/// Two validators made by others, which say whether an instance is valid.
package struct Judges: Sendable {
    /// The Python that has `xmlschema`.
    var python: String
    var script: String

    package init(python: String, script: String) {
        self.python = python
        self.script = script
    }

    /// What one of them says.
    package struct Verdict: Sendable, Codable {
        /// Why it could not read the schemas.
        package var unusable: String?
        /// The instances that it refuses, with the reason.
        package var refused: [String: String]?
    }

    struct Question: Codable {
        var documents: [String]
        var catalog: [String: String]
        var wrappers: [Wrapper]
        var instances: [String]
    }

    /// An element that no schema declares: it stands for an operation in RPC style, or for a part that names a type.
    package struct Wrapper: Sendable, Codable, Hashable {
        struct Part: Sendable, Codable, Hashable {
            /// Of the child element in no namespace; nil for the wrapper itself, and for a global element.
            var name: String?
            /// Of the type; exactly one of this and `element` is there.
            var type: String?
            /// Of the global element.
            var element: String?
            /// That of the type, or of the global element.
            var namespace: String
        }

        var namespace: String
        var name: String
        /// The type of the wrapper itself.
        var type: Part?
        var parts: [Part]
    }

    /// - Parameter work: an empty folder, where the question and the answer are kept.
    func ask(_ question: Question, work: URL) throws -> [String: Verdict] {
        let file = work.appending(path: "question.json")
        try JSONEncoder().encode(question).write(to: file)
        let answer = work.appending(path: "answer.json")
        _ = FileManager.default.createFile(atPath: answer.path, contents: nil)
        let process = Process()
        process.executableURL = URL(filePath: python)
        process.arguments = [script, file.path]
        process.standardOutput = try FileHandle(forWritingTo: answer)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CorpusError("the judges ended with status \(process.terminationStatus)")
        }
        return try JSONDecoder().decode([String: Verdict].self, from: Data(contentsOf: answer))
    }
}
