#if Server
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Reads files that an operator names.
enum OperatorFile {
    /// Why a file cannot be used; the end of a sentence about it.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The largest file that is read, in bytes.
    private static let maximumBytes = 16 << 20

    /// - Parameters:
    ///   - path: relative to the working directory of the process.
    ///   - isSecret: whether other users must not be able to read the file, nor those of its group to change it.
    static func read(_ path: String, isSecret: Bool) throws(Failure) -> [UInt8] {
        // Without waiting: a pipe without a writer would hold the program.
        let file = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw Failure(description: reason(errno)) }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw Failure(description: reason(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(
                description: status.st_mode & S_IFMT == S_IFDIR
                    ? "is a folder; name a file in it" : "is no file but a pipe or a device")
        }
        if isSecret {
            guard status.st_mode & 0o027 == 0 else {
                throw Failure(
                    description:
                        "can be read by other users of this machine, or changed by its group; run chmod 600, or 640 for a group that may read it"
                )
            }
            guard status.st_uid == 0 || status.st_uid == geteuid() else {
                throw Failure(
                    description:
                        "belongs to another user, who can change it; it must belong to the server's user or to root")
            }
        }
        guard status.st_size > 0 else { throw Failure(description: "is empty") }
        guard status.st_size <= maximumBytes else {
            throw Failure(description: "has more than \(maximumBytes >> 20) MiB")
        }
        var content: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while content.count <= maximumBytes {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe Self.read(file, $0.baseAddress, $0.count) }
            guard count >= 0 else {
                if errno == EINTR { continue }
                throw Failure(description: reason(errno))
            }
            if count == 0 { break }
            content += piece.prefix(count)
        }
        return content
    }

    private static func read(_ file: Int32, _ place: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        #if canImport(Darwin)
        unsafe Darwin.read(file, place, count)
        #elseif canImport(Glibc)
        unsafe Glibc.read(file, place, count)
        #elseif canImport(Musl)
        unsafe Musl.read(file, place, count)
        #endif
    }

    private static func reason(_ code: Int32) -> String {
        switch code {
        case ENOENT, ENOTDIR: "is not there"
        case EACCES, EPERM: "cannot be read by the user of this program"
        default: "cannot be read (error \(code))"
        }
    }
}
#endif
