#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An open file, which is closed with the last reference to it. It is read and written at given offsets, so that any
/// number of readers can share it.
final class AttachmentFile: Sendable {
    private let descriptor: CInt
    /// The path, for error messages.
    let path: String
    /// The disk space that the file takes from a budget; nil when its space is not counted.
    private let room: SpoolBudget.Room?

    private init(_ descriptor: CInt, path: String, _ room: SpoolBudget.Room? = nil) {
        self.descriptor = descriptor
        self.path = path
        self.room = room
    }

    deinit { close(descriptor) }

    /// Makes a file without a name, which no other program can open: the operating system removes it with this object,
    /// or with the process.
    ///
    /// - Parameters:
    ///   - folder: nil for `TMPDIR`, or `/tmp`.
    ///   - spool: the budget from which its disk space is taken; nil for no limit.
    static func temporary(in folder: String?, _ spool: SpoolBudget? = nil) throws(AttachmentError) -> AttachmentFile {
        let folder = unsafe folder ?? getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
        let file = try new(beside: "\(folder.isEmpty ? "/tmp" : folder)/signet", spool.map(SpoolBudget.Room.init))
        unsafe unlink(file.path)
        return file
    }

    /// Makes a new file for ``move(to:replacing:)``, and checks now that the path can be its name.
    ///
    /// - Throws: ``AttachmentError`` with `fileExists` when there is a file of that name and `replacing` is false, and
    ///   `fileFailed`.
    static func new(toBecome path: String, replacing: Bool) throws(AttachmentError) -> AttachmentFile {
        guard !path.isEmpty, path.last != "/" else {
            throw AttachmentError(.fileFailed, "“\(path.shownPath)” is not the name of a file; give the path of one.")
        }
        try checkCharacters(of: path)
        var status = stat()
        if unsafe lstat(path, &status) == 0 {
            guard replacing else { throw exists(path) }
            guard status.st_mode & S_IFMT != S_IFDIR else {
                throw AttachmentError(.fileFailed, "“\(path.shownPath)” is a folder; give the path of a file in it.")
            }
        }
        return try new(beside: path)
    }

    /// The system ends a path at a NUL: it would open another file.
    private static func checkCharacters(of path: String) throws(AttachmentError) {
        guard !path.utf8.contains(0) else {
            throw AttachmentError(
                .fileFailed, "“\(path.shownPath)” contains a NUL, which is not allowed in a path; give another path.")
        }
    }

    /// Makes a new file with a unique name, which only its owner can open.
    private static func new(
        beside path: String, _ room: SpoolBudget.Room? = nil
    ) throws(AttachmentError) -> AttachmentFile {
        var folder = path
        while let last = folder.last, last != "/" { folder.removeLast() }
        let name = "\(folder).new-\(ContentID.fresh().prefix(32))"
        let descriptor = unsafe open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("make a file beside", path) }
        return AttachmentFile(descriptor, path: name, room)
    }

    /// - Throws: ``AttachmentError`` with `fileFailed`, also when the path names no regular file.
    static func reading(_ path: String) throws(AttachmentError) -> AttachmentFile {
        try checkCharacters(of: path)
        // O_NONBLOCK: opening a pipe in the place of a file must not block.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure("open", path) }
        let file = AttachmentFile(descriptor, path: path)
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw AttachmentError(.fileFailed, "“\(path.shownPath)” is not a regular file; attach a regular file.")
        }
        return file
    }

    /// The length of the file, in bytes.
    func length() throws(AttachmentError) -> Int {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Self.failure("look at", path) }
        return Int(status.st_size)
    }

    /// - Returns: at most `count` bytes; fewer at the end of the file only.
    func read(at offset: Int, _ count: Int) throws(AttachmentError) -> [UInt8] {
        guard count > 0 else { return [] }
        var failed = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count, let base = buffer.baseAddress {
                let got = unsafe pread(descriptor, base + filled, count - filled, off_t(offset + filled))
                if got < 0, errno == EINTR { continue }
                if got < 0 { failed = true }
                if got <= 0 { return }
                filled += got
            }
        }
        if failed { throw Self.failure("read", path) }
        return bytes
    }

    /// - Throws: ``AttachmentError`` with `fileFailed`, or `spoolFull` when its disk space is counted and the budget is
    ///   used up.
    func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(AttachmentError) {
        try room?.extend(by: bytes.count)
        var rest = bytes
        var place = offset
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(place))
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw Self.failure("write to", path) }
            rest = rest.dropFirst(written)
            place += written
        }
    }

    func sync() throws(AttachmentError) {
        guard fsync(descriptor) == 0 else { throw Self.failure("write to", path) }
    }

    static func remove(_ path: String) { unsafe unlink(path) }

    /// Renames the file to its final name.
    ///
    /// - Throws: ``AttachmentError`` with `fileExists` when there is a file of that name and `replacing` is false.
    func move(to target: String, replacing: Bool) throws(AttachmentError) {
        if !replacing {
            if unsafe link(path, target) == 0 {
                unsafe unlink(path)
                return
            }
            if errno == EEXIST { throw Self.exists(target) }
            // Some file systems do not support two names for one file; the name is then reserved first.
            let claim = unsafe open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard claim >= 0 else { throw errno == EEXIST ? Self.exists(target) : Self.failure("make", target) }
            close(claim)
        }
        guard unsafe rename(path, target) == 0 else {
            let error = Self.failure("make", target)
            if !replacing { unsafe unlink(target) }
            throw error
        }
    }

    static func exists(_ path: String) -> AttachmentError {
        AttachmentError(
            .fileExists,
            "There is a file “\(path.shownPath)” already; choose another name, or allow replacing it."
        )
    }

    private static func failure(_ what: String, _ path: String) -> AttachmentError {
        let number = errno
        let advice = number == ENOSPC || number == EDQUOT ? ": free some space, or name another folder" : ""
        return AttachmentError(
            .fileFailed, unsafe "Could not \(what) “\(path.shownPath)”: \(String(cString: strerror(number)))\(advice).")
    }
}
