#if CommandLine
import Foundation

/// The source of a password. It is never an argument, because all users of the machine can read those.
struct SecretSource: Sendable, Hashable {
    /// The password's purpose, as worded in a question: “the password of device.p12”.
    var purpose: String
    /// The options that give the password, as worded in an error.
    var options: String
    var file: String?
    var environmentVariable: String?

    /// Whether the password is available without a question to the user.
    var isGiven: Bool { file != nil || environmentVariable != nil }

    /// The password, from the file, the environment, or else the terminal.
    ///
    /// - Parameter ask: asks the user.
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

    /// The only line of a file, without its line break.
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
