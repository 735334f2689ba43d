#if CommandLine
/// The user's input cannot be used. The message holds no secret.
struct CommandError: Error, Hashable, CustomStringConvertible {
    /// What is wrong, and what to do next.
    var message: String

    init(_ message: String) { self.message = message }

    var description: String { message }
}
#endif
