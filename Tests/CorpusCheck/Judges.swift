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

    /// The element that stands for an operation in RPC style.
    package struct Wrapper: Sendable, Codable {
        struct Part: Sendable, Codable {
            var name: String
            var namespace: String
            var type: String
        }

        var namespace: String
        var name: String
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
