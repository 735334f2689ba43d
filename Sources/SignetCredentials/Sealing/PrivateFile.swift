#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Files and folders that only their owner may access. They are created so from the first moment, and refused when they
/// are not.
package enum PrivateFile {
    /// The permissions of other users, as bits that a file's mode must not have.
    static let groupAndOthers: mode_t = 0o077

    /// Creates the folder with mode 0700, or checks the existing one.
    package static func makeFolder(_ path: String) throws(CredentialStoreError) {
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw failure("make the folder", path) }
        try checkFolder(path)
    }

    package static func checkFolder(_ path: String) throws(CredentialStoreError) {
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else {
            throw errno == ELOOP || errno == ENOTDIR
                ? unsafe(path, "is a symbolic link or no folder") : failure("open", path)
        }
        defer { close(folder) }
        try check(folder, kind: S_IFDIR, path, absent: groupAndOthers)
    }

    /// Checks a file that may not exist, without opening it: closing any descriptor of a file that SQLite has open
    /// would release this process's locks on it. The file cannot be exchanged in between, since only its owner can
    /// access the folder.
    ///
    /// - Returns: its size; nil when it does not exist.
    package static func check(_ path: String) throws(CredentialStoreError) -> Int? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw failure("examine", path)
        }
        if status.st_mode & S_IFMT == S_IFLNK { throw unsafe(path, "is a symbolic link") }
        try check(status, kind: S_IFREG, path, absent: groupAndOthers)
        return Int(status.st_size)
    }

    /// Creates an empty file with mode 0600 that did not exist before.
    ///
    /// - Returns: whether it was created; false when the name is taken.
    package static func create(_ path: String, _ content: [UInt8] = []) throws(CredentialStoreError) -> Bool {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            if errno == EEXIST { return false }
            throw failure("make", path)
        }
        defer { close(file) }
        let written = unsafe content.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
        guard written == content.count, fsync(file) == 0 else {
            let error = failure("write", path)
            unsafe unlink(path)
            throw error
        }
        do { try sync(folder(of: path)) } catch {
            unsafe unlink(path)
            throw error
        }
        return true
    }

    /// The content of a small file.
    ///
    /// - Parameter absent: bits that its mode must not have.
    /// - Parameter isRootAllowed: whether it may belong to the superuser.
    static func read(
        _ path: String, maximum: Int, absent: mode_t = groupAndOthers, isRootAllowed: Bool = false
    ) throws(CredentialStoreError) -> SecretBytes? {
        guard let file = try openExisting(path) else { return nil }
        defer { close(file) }
        _ = try check(file, kind: S_IFREG, path, absent: absent, isRootAllowed: isRootAllowed)
        var buffer = [UInt8](repeating: 0, count: maximum + 1)
        defer { buffer.resetBytes() }
        var count = 0
        while count < buffer.count {
            let part = unsafe buffer.withUnsafeMutableBytes { bytes in
                #if canImport(Darwin)
                Darwin.read(file, bytes.baseAddress.map { $0 + count }, bytes.count - count)
                #elseif canImport(Glibc)
                unsafe Glibc.read(file, bytes.baseAddress.map { unsafe $0 + count }, bytes.count - count)
                #elseif canImport(Musl)
                Musl.read(file, bytes.baseAddress.map { $0 + count }, bytes.count - count)
                #endif
            }
            if part < 0, errno == EINTR { continue }
            guard part >= 0 else { throw failure("read", path) }
            if part == 0 { break }
            count += part
        }
        guard count <= maximum else {
            throw .init(.inputOutput, "The file “\(path)” is longer than \(maximum) bytes. Name the right one.")
        }
        return SecretBytes(buffer.prefix(count))
    }

    /// Runs `body`, which creates files in a folder under names of ``UnfinishedFiles``.
    package static func sharing<Result>(_ folder: String, _ body: () throws -> Result) throws -> Result {
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", folder) }
        defer { close(descriptor) }
        UnfinishedFiles.share(descriptor)
        return try body()
    }

    /// Gives a complete file its name; an existing file with that name stays.
    package static func publish(_ temporary: String, as path: String, in folder: String) throws(CredentialStoreError) {
        if unsafe link(temporary, path) != 0, errno != EEXIST { throw failure("name", path) }
        unsafe unlink(temporary)
        try sync(folder)
    }

    /// Makes sure that the names in a folder survive a loss of power.
    private static func sync(_ folder: String) throws(CredentialStoreError) {
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync", folder) }
    }

    package static func remove(_ path: String) { unsafe unlink(path) }

    /// Whether two paths lead to one folder.
    package static func isSameFolder(_ one: String, _ other: String) -> Bool {
        var (left, right) = (stat(), stat())
        return unsafe stat(one, &left) == 0 && stat(other, &right) == 0 && left.st_dev == right.st_dev
            && left.st_ino == right.st_ino
    }

    /// The folder of a path.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func openExisting(_ path: String) throws(CredentialStoreError) -> Int32? {
        // O_NONBLOCK: a pipe in place of a file must not block the call.
        let file = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        if file >= 0 { return file }
        if errno == ENOENT { return nil }
        throw errno == ELOOP ? unsafe(path, "is a symbolic link") : failure("open", path)
    }

    @discardableResult
    private static func check(
        _ descriptor: Int32, kind: mode_t, _ path: String, absent: mode_t, isRootAllowed: Bool = false
    ) throws(CredentialStoreError) -> stat {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure("examine", path) }
        try check(status, kind: kind, path, absent: absent, isRootAllowed: isRootAllowed)
        return status
    }

    private static func check(
        _ status: stat, kind: mode_t, _ path: String, absent: mode_t, isRootAllowed: Bool = false
    ) throws(CredentialStoreError) {
        guard status.st_mode & S_IFMT == kind else { throw unsafe(path, "is of the wrong kind") }
        guard status.st_uid == geteuid() || (isRootAllowed && status.st_uid == 0) else {
            throw unsafe(path, "belongs to another user")
        }
        guard status.st_mode & absent == 0 else {
            throw unsafe(path, "can be reached by others (mode \(String(status.st_mode & 0o777, radix: 8)))")
        }
    }

    private static func unsafe(_ path: String, _ what: String) -> CredentialStoreError {
        .init(
            .unsafePermissions,
            """
            “\(path)” \(what) and is not used. If no other user can have read or changed it, correct its owner and mode \
            (folder 0700, files 0600); otherwise replace the secrets that it protects.
            """)
    }

    package static func failure(_ action: String, _ path: String) -> CredentialStoreError {
        let code = errno
        return .init(
            code == ENOSPC ? .full : .inputOutput,
            unsafe "The operating system did not \(action) “\(path)”: \(String(cString: strerror(code))).")
    }
}

extension [UInt8] {
    /// Overwrites a former secret.
    package mutating func resetBytes() {
        unsafe withUnsafeMutableBytes { bytes in _ = unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0) }
    }
}

/// The identity of the file behind a name.
package struct FileIdentity: Sendable, Equatable {
    private let device: UInt64
    private let number: UInt64

    package init(_ path: String) throws(CredentialStoreError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw PrivateFile.failure("examine", path) }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
