#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An open file, closed with the last reference. It is read and written at given places, so that any number of readers can share it.
final class AttachmentFile: Sendable {
    private let descriptor: CInt
    /// For messages.
    let path: String
    /// The room that it has on the disk, where that is counted.
    private let room: SpoolBudget.Room?

    private init(_ descriptor: CInt, path: String, _ room: SpoolBudget.Room? = nil) {
        self.descriptor = descriptor
        self.path = path
        self.room = room
    }

    deinit { close(descriptor) }

    /// A file that has lost its name, and that nobody else can open: the operating system removes it with this object, or with the
    /// process.
    ///
    /// - Parameters:
    ///   - folder: nil for `TMPDIR`, or `/tmp`.
    ///   - spool: what its room is taken from; nil for no bound.
    static func temporary(in folder: String?, _ spool: SpoolBudget? = nil) throws(AttachmentError) -> AttachmentFile {
        let folder = unsafe folder ?? getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
        let file = try new(beside: "\(folder.isEmpty ? "/tmp" : folder)/signet", spool.map(SpoolBudget.Room.init))
        unsafe unlink(file.path)
        return file
    }

    /// A new file that is to get a name in the end; see ``move(to:replacing:)``. What makes that impossible is found now.
    ///
    /// - Throws: ``AttachmentError`` with `fileExists` where there is one and `replacing` is false, and `fileFailed`.
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

    /// The system takes a name to end before a NUL: another file would be opened.
    private static func checkCharacters(of path: String) throws(AttachmentError) {
        guard !path.utf8.contains(0) else {
            throw AttachmentError(
                .fileFailed, "“\(path.shownPath)” holds a NUL, which no path can; give another path.")
        }
    }

    /// A new file with a name that none has, which only its owner can open.
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

    /// - Throws: ``AttachmentError`` with `fileFailed`, also for what is no regular file.
    static func reading(_ path: String) throws(AttachmentError) -> AttachmentFile {
        try checkCharacters(of: path)
        // O_NONBLOCK: a pipe put there in place of a file must not make us wait.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure("open", path) }
        let file = AttachmentFile(descriptor, path: path)
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw AttachmentError(.fileFailed, "“\(path.shownPath)” is no regular file; only such can be attached.")
        }
        return file
    }

    /// In bytes.
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

    /// - Throws: ``AttachmentError`` with `fileFailed`, or `spoolFull` where its room is counted and there is no more.
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

    /// Gives the file its right name.
    ///
    /// - Throws: ``AttachmentError`` with `fileExists` where there is one and `replacing` is false.
    func move(to target: String, replacing: Bool) throws(AttachmentError) {
        if !replacing {
            if unsafe link(path, target) == 0 {
                unsafe unlink(path)
                return
            }
            if errno == EEXIST { throw Self.exists(target) }
            // Not all file systems have two names for one file: the name is taken first then.
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
            "There is a file “\(path.shownPath)” already; choose another name, or say that it may be replaced."
        )
    }

    private static func failure(_ what: String, _ path: String) -> AttachmentError {
        let number = errno
        let advice = number == ENOSPC || number == EDQUOT ? ": free some space, or name another folder" : ""
        return AttachmentError(
            .fileFailed, unsafe "Could not \(what) “\(path.shownPath)”: \(String(cString: strerror(number)))\(advice).")
    }
}
