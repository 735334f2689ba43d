#if CommandLine
import SignetDynamic

/// One `--set`: a path into the input, and the value to put there.
///
///     path  = step *( "." step )
///     step  = name *( "[" [ number ] "]" )
///     name  = the local name of an element, "@" with that of an attribute, or "#text"
///
/// `a.b=text` sets a text, which the schema's type parses; `a.b:=JSON` sets any JSON value. `a[0].b` is part of the
/// first `a`; `a[]` appends a new one. A backslash makes the following character an ordinary one.
struct InputAssignment: Sendable, Hashable {
    enum Step: Sendable, Hashable {
        case name(String)
        /// Counted from zero.
        case index(Int)
        /// A new item after the last one.
        case append
    }

    /// The maximum number of steps of one path.
    static let maximumSteps = 64

    var path: [Step]
    var value: DynamicValue
    /// Whether the value is JSON, which may replace a value that has parts.
    var isJSON: Bool
    /// The path as written.
    var text: String

    /// - Throws: ``CommandError`` for an argument that is not an assignment.
    init(_ argument: String) throws(CommandError) {
        guard let separator = argument.firstIndex(of: "=") else {
            // The argument may be a secret whose path the user forgot, so the error does not repeat it.
            throw CommandError("an argument has no “=”; write path=value, for example patient.id=4711.")
        }
        var path = argument[..<separator]
        let value = String(argument[argument.index(after: separator)...])
        isJSON = path.last == ":"
        if isJSON { path = path.dropLast() }
        text = String(path)
        self.path = try Self.steps(of: path)
        if isJSON {
            do { self.value = try DynamicValue(json: value) } catch {
                throw CommandError("behind “\(path):=”: \(error)")
            }
        } else {
            self.value = .string(value)
        }
    }

    /// A text at a path.
    ///
    /// - Throws: ``CommandError`` for what is no path.
    init(at path: String, text value: String) throws(CommandError) {
        (self.path, self.value, isJSON, text) = (try Self.steps(of: path), .string(value), false, path)
    }

    /// Reads a path.
    static func steps(of path: some StringProtocol) throws(CommandError) -> [Step] {
        try PathReader(Substring(path)).steps()
    }

    /// Whether the path appends an item, so that each use means another place.
    var appends: Bool { path.contains(.append) }
}

/// Reads a path from left to right.
private struct PathReader {
    private let whole: Substring
    private var rest: Substring

    init(_ path: Substring) {
        whole = path
        rest = path
    }

    private func problem(_ what: String) -> CommandError { CommandError("the path “\(whole)” \(what).") }

    func steps() throws(CommandError) -> [InputAssignment.Step] {
        var reader = self
        var steps: [InputAssignment.Step] = []
        repeat {
            steps.append(.name(try reader.name()))
            while reader.rest.first == "[" { steps.append(try reader.subscript()) }
            guard steps.count <= InputAssignment.maximumSteps else {
                throw problem("has more than \(InputAssignment.maximumSteps) steps")
            }
        } while try reader.skipDot()
        return steps
    }

    private mutating func name() throws(CommandError) -> String {
        var name = ""
        while let character = rest.first, character != ".", character != "[" {
            rest.removeFirst()
            if character == "\\" {
                guard let next = rest.popFirst() else { throw problem("ends with a backslash") }
                name.append(next)
            } else if character.isWhitespace || character == "]" {
                throw problem("holds “\(character)”, which is in no name")
            } else {
                name.append(character)
            }
        }
        guard !name.isEmpty, name != "@" else { throw problem("lacks a name") }
        return name
    }

    private mutating func `subscript`() throws(CommandError) -> InputAssignment.Step {
        rest.removeFirst()
        guard let end = rest.firstIndex(of: "]") else { throw problem("has a “[” that nothing closes") }
        let digits = rest[..<end]
        rest = rest[rest.index(after: end)...]
        if digits.isEmpty { return .append }
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let index = Int(digits) else {
            throw problem("has “[\(digits)]”; between the brackets stands a number, counted from 0, or nothing")
        }
        return .index(index)
    }

    /// Whether another step follows.
    private mutating func skipDot() throws(CommandError) -> Bool {
        guard let next = rest.popFirst() else { return false }
        guard next == "." else { throw problem("needs a “.” behind “]”") }
        return true
    }
}
#endif
