#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A folder of small files that only its owner may read. It is opened in such a way that it cannot be exchanged in
/// between.
struct PrivateFolder: Sendable {
    let path: String
    private static let maximumFileBytes = 4 << 20

    init(path: String) throws {
        self.path = path
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw Self.failure("make the folder", path) }
        _ = try withFolder { _ in }
        UnfinishedFiles.removeLeftovers(in: path)
    }

    /// The content of a file; nil when there is none.
    func contents(of name: String) throws -> [UInt8]? {
        try withFolder { folder in
            // O_NONBLOCK: a pipe in place of a file must not block the call.
            let file = unsafe openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
            guard file >= 0 else {
                if errno == ENOENT { return nil }
                throw errno == ELOOP ? Self.unsafe("\(path)/\(name)", "is a symbolic link") : failure("open", name)
            }
            defer { close(file) }
            try Self.check(file, S_IFREG, "\(path)/\(name)")
            var result: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = Self.readOnce(file, &buffer)
                if count == 0 { return result }
                guard count > 0 else { throw failure("read", name) }
                result += buffer.prefix(count)
                guard result.count <= Self.maximumFileBytes else {
                    throw IdentityStoreError(.inputOutput, "The file “\(path)/\(name)” is too large to be an identity.")
                }
            }
        }
    }

    /// Replaces a whole file: new name, sync, rename, sync of the folder.
    func replace(_ name: String, with bytes: [UInt8]) throws {
        try withFolder { folder in
            UnfinishedFiles.share(folder)
            let temporary = UnfinishedFiles.newName()
            let file = unsafe openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw failure("make", temporary) }
            var isDone = false
            defer { if !isDone { unsafe unlinkat(folder, temporary, 0) } }
            do {
                defer { close(file) }
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = Self.writeOnce(file, rest)
                    guard count > 0 else { throw failure("write", temporary) }
                    rest = rest.dropFirst(count)
                }
                guard fsync(file) == 0 else { throw failure("sync", temporary) }
            }
            guard unsafe renameat(folder, temporary, folder, name) == 0 else { throw failure("rename", temporary) }
            isDone = true
            guard fsync(folder) == 0 else { throw Self.failure("sync", path) }
        }
    }

    func remove(_ name: String) throws {
        try withFolder { folder in
            guard unsafe unlinkat(folder, name, 0) == 0 || errno == ENOENT else { throw failure("remove", name) }
            guard fsync(folder) == 0 else { throw Self.failure("sync", path) }
        }
    }

    func names() throws -> [String] {
        try withFolder { folder in
            // The stream closes its descriptor, so it gets a copy.
            let copy = unsafe openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard copy >= 0 else { throw Self.failure("list", path) }
            guard let stream = unsafe fdopendir(copy) else {
                close(copy)
                throw Self.failure("list", path)
            }
            defer { unsafe closedir(stream) }
            var result: [String] = []
            while let entry = unsafe readdir(stream) {
                let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                    unsafe $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
                        unsafe String(cString: $0)
                    }
                }
                if !name.hasPrefix(".") { result.append(name) }
            }
            return result
        }
    }

    private func withFolder<T>(_ body: (Int32) throws -> T) throws -> T {
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else {
            throw errno == ELOOP || errno == ENOTDIR
                ? Self.unsafe(path, "is a symbolic link or no folder") : Self.failure("open", path)
        }
        defer { close(folder) }
        try Self.check(folder, S_IFDIR, path)
        return try body(folder)
    }

    private static func check(_ descriptor: Int32, _ kind: mode_t, _ path: String) throws {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure("examine", path) }
        guard status.st_mode & S_IFMT == kind else { throw unsafe(path, "is of the wrong kind") }
        guard status.st_uid == geteuid() else { throw unsafe(path, "belongs to another user") }
        guard status.st_mode & 0o077 == 0 else {
            throw unsafe(path, "can be reached by others (mode \(String(status.st_mode & 0o777, radix: 8)))")
        }
    }

    private static func unsafe(_ path: String, _ what: String) -> IdentityStoreError {
        IdentityStoreError(
            .unsafePermissions,
            """
            “\(path)” \(what) and is not used. If no other user can have read it, correct its owner and mode \
            (folder 0700, files 0600); otherwise have the identity revoked and replaced.
            """)
    }

    private func failure(_ action: String, _ name: String) -> IdentityStoreError {
        Self.failure(action, "\(path)/\(name)")
    }

    private static func failure(_ action: String, _ path: String) -> IdentityStoreError {
        let reason = unsafe String(cString: strerror(errno))
        return IdentityStoreError(.inputOutput, "The operating system did not \(action) “\(path)”: \(reason).")
    }

    private static func readOnce(_ file: Int32, _ buffer: inout [UInt8]) -> Int {
        unsafe buffer.withUnsafeMutableBytes { bytes in
            while true {
                let count = unsafe read(file, bytes.baseAddress, bytes.count)
                if count >= 0 || errno != EINTR { return count }
            }
        }
    }

    private static func writeOnce(_ file: Int32, _ part: ArraySlice<UInt8>) -> Int {
        unsafe part.withUnsafeBytes { bytes in
            while true {
                let count = unsafe write(file, bytes.baseAddress, bytes.count)
                if count >= 0 || errno != EINTR { return count }
            }
        }
    }
}
