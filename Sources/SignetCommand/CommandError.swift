#if CommandLine
/// What the user gave cannot be used. It holds no secret.
struct CommandError: Error, Hashable, CustomStringConvertible {
    /// What is wrong, and what to do next.
    var message: String

    init(_ message: String) { self.message = message }

    var description: String { message }
}
#endif
