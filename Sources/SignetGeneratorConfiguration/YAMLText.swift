package import Yams

/// Reads the YAML that a user writes.
package enum YAMLText {
    /// Why a text cannot be read.
    package struct Mistake: Error, Sendable {
        package let message: String
        /// Counted from 1; zero when it is not known.
        package let line: Int
        package let column: Int

        init(_ message: String, line: Int, column: Int) {
            (self.message, self.line, self.column) = (message, line, column)
        }

        fileprivate init(_ message: String, at mark: Mark?) {
            self.init(message, line: mark?.line ?? 0, column: mark?.column ?? 0)
        }
    }

    /// The only document of a text; nil when it has only comments. Anchors and keys of several parts are refused.
    package static func document(in text: String) throws(Mistake) -> Node? {
        if let hazard = YAMLHazard(firstIn: text) {
            throw Mistake(hazard.message, line: hazard.line, column: hazard.column)
        }
        do {
            return try Yams.compose(yaml: text).flatMap { $0.isNothing ? nil : $0 }
        } catch { throw explain(error) }
    }

    /// The message of the YAML parser, with its place.
    private static func explain(_ error: any Error) -> Mistake {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            Mistake("this is not YAML: \(problem).", at: mark)
        case .duplicatedKeysInMapping(let names, let context):
            Mistake(
                "\(names.map { "‘\($0)’" }.joined(separator: ", ")) stands here more than once.", at: context.mark)
        case .reader(let problem, _, _, _): Mistake("this is not YAML: \(problem).", at: nil)
        default: Mistake("this is not YAML: \(error).", at: nil)
        }
    }
}

extension Node {
    /// A key without a value, or a document without content.
    package var isNothing: Bool {
        guard case .scalar(let scalar) = self, scalar.style == .plain || scalar.style == .any else { return false }
        return ["", "~", "null"].contains(scalar.string)
    }
}
