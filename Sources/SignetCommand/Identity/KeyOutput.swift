#if CommandLine
import Foundation

/// Writes a file that may hold a key: nobody else can read it at any moment, and none that is there is lost unasked.
enum KeyOutput {
    /// - Parameter replaces: whether a file that is there may be replaced, which is done in one step.
    /// - Throws: ``CommandError``; then nothing was changed.
    static func write(_ bytes: [UInt8], to path: String, replaces: Bool) throws(CommandError) {
        // A new name in the same folder, so that the last step is a rename.
        let target = replaces ? "\(path).\(UUID().uuidString)" : path
        // The mode is given here: a file that is made first and restricted later was open to others in between.
        let file = open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw errno == EEXIST
                ? CommandError("“\(path)” is there already. Name another file, or replace it with --force.")
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
