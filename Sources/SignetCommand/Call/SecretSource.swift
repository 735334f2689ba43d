#if CommandLine
import Foundation

/// Where a password comes from. Never from an argument: those can be read by everybody on the machine.
struct SecretSource: Sendable, Hashable {
    /// What it is for, as it stands in a question: “the password of device.p12”.
    var purpose: String
    /// The options that give it, as they stand in an error.
    var options: String
    var file: String?
    var environmentVariable: String?

    /// Whether it can be had without asking a person.
    var isGiven: Bool { file != nil || environmentVariable != nil }

    /// The password, from the file, the environment, or else the terminal.
    ///
    /// - Parameter ask: asks a person.
    func read(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        ask: (_ question: String) throws(CommandError) -> String = PasswordPrompt.ask
    ) throws(CommandError) -> String {
        if let file { return try Self.password(in: file) }
        if let environmentVariable {
            guard let value = environment[environmentVariable] else {
                throw CommandError(
                    "The environment has no variable \(environmentVariable), which should hold \(purpose).")
            }
            return value
        }
        do { return try ask(purpose) } catch {
            throw CommandError("\(error.message) Give it with \(options).")
        }
    }

    /// The largest password file read, in bytes.
    private static let maximumBytes = 64 << 10

    /// The one line that a file holds; its line break does not count.
    private static func password(in path: String) throws(CommandError) -> String {
        var text = try BoundedFile.readText(
            path, name: "The password file “\(path)”", maximumBytes: maximumBytes)
        if text.last?.isNewline == true { text.removeLast() }
        guard !text.contains(where: \.isNewline) else {
            throw CommandError("The password file “\(path)” has several lines. Leave the password alone in it.")
        }
        return text
    }
}
#endif
