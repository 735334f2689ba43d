#if CommandLine
import Foundation

/// Writes a file that may hold a key: other users can never read it, and an existing file is not replaced without
/// consent.
enum KeyOutput {
    static let usualAdvice = "Name another file, or replace it with --force."

    /// - Parameters:
    ///   - replaces: whether an existing file may be replaced, which happens atomically.
    ///   - advice: what to do when there is a file that must not be replaced.
    /// - Throws: ``CommandError``; then nothing was changed.
    static func write(
        _ bytes: [UInt8], to path: String, replaces: Bool,
        advice: String = usualAdvice
    ) throws(CommandError) {
        // The temporary file is in the same folder, so that the last step is a rename.
        let target = replaces ? "\(path).\(UUID().uuidString)" : path
        // The mode is set at creation: a file that is created first and restricted later would be readable in between.
        let file = open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw errno == EEXIST
                ? CommandError("“\(path)” is there already. \(advice)")
                : failure("made", path)
        }
        do {
            defer { close(file) }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw undo(target, failure("written", path)) }
                rest = rest.dropFirst(count)
            }
            guard fsync(file) == 0 else { throw undo(target, failure("written", path)) }
        }
        guard !replaces || rename(target, path) == 0 else { throw undo(target, failure("replaced", path)) }
    }

    private static func undo(_ target: String, _ error: CommandError) -> CommandError {
        unlink(target)
        return error
    }

    private static func failure(_ action: String, _ path: String) -> CommandError {
        CommandError("“\(path)” cannot be \(action): \(String(cString: strerror(errno))).")
    }
}
#endif
