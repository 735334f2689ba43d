import SignetTLS
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ManagedIdentity {
    /// Files in PEM that an agent writes, as cert-manager and certmonger do.
    ///
    /// A file is read when its device, inode, size or time of change differs: each time that a connection asks, and every
    /// `interval` for ``events``. An agent that replaces one file before the other makes files that do not fit for a moment: while
    /// there is no identity yet, and for ``events``, they are read again for three seconds.
    ///
    /// - Parameters:
    ///   - certificates: the path of the certificate and its chain.
    ///   - privateKey: the path of the key; nil when it is in the same file.
    ///   - password: decrypts the key; nil for a key that is not encrypted.
    ///   - interval: how often the files are looked at for ``events``; what is below a second is a second.
    public static func files(
        certificates: String, privateKey: String? = nil, password: SecretBytes? = nil,
        interval: Duration = .seconds(60)
    ) -> ManagedIdentity {
        ManagedIdentity(
            IdentityFiles(.pem(certificates: certificates, privateKey: privateKey), password, interval: interval))
    }

    /// A file in PKCS#12 that an agent writes, as ``files(certificates:privateKey:password:interval:)``.
    ///
    /// - Parameters:
    ///   - pkcs12: the path of the file.
    ///   - password: decrypts it.
    ///   - interval: how often the file is looked at for ``events``; what is below a second is a second.
    public static func file(
        pkcs12: String, password: SecretBytes? = nil, interval: Duration = .seconds(60)
    ) -> ManagedIdentity {
        ManagedIdentity(IdentityFiles(.pkcs12(pkcs12), password, interval: interval))
    }
}

/// Reads an identity from files, again only when they have changed.
struct IdentityFiles: IdentityFeed {
    enum Form: Sendable {
        /// The key is in the same file when its path is nil.
        case pem(certificates: String, privateKey: String?)
        case pkcs12(String)
    }

    private struct Read {
        var marks: [FileMark]
        /// An error is kept, too: to open PKCS#12 takes long, also with a wrong password.
        var result: Result<Identity, any Error>
    }

    private let form: Form
    private let password: SecretBytes?
    private let interval: Duration
    /// Waits; tests do it faster.
    private let sleep: @Sendable (Duration) async throws -> Void
    private let queue = BlockingQueue("IdentityFiles")
    private let last = LastRead()

    private final class LastRead: Sendable {
        let read = Mutex<Read?>(nil)
    }

    init(
        _ form: Form, _ password: SecretBytes?, interval: Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        (self.form, self.password, self.interval, self.sleep) = (form, password, max(interval, .seconds(1)), sleep)
    }

    var name: String {
        switch form {
        case .pem(let certificates, nil): "identity in “\(certificates)”"
        case .pem(let certificates, let key?): "identity in “\(certificates)” and “\(key)”"
        case .pkcs12(let path): "identity in “\(path)”"
        }
    }

    func changes() -> AsyncStream<Void> {
        let isFirst = Mutex(true)
        return AsyncStream {
            let pauses = !isFirst.withLock { first in
                defer { first = false }
                return first
            }
            if pauses { try? await sleep(interval) }
            return Task.isCancelled ? nil : ()
        }
    }

    func identity(isPatient: Bool) async throws -> Identity {
        var failure: any Error = CancellationError()
        for attempt in 0..<(isPatient ? 4 : 1) {
            if attempt > 0 { try await sleep(.seconds(1)) }
            do { return try await queue.run(readOnce) } catch let error where !(error is CancellationError) {
                failure = error
            }
        }
        throw failure
    }

    private func passwordText() throws -> String? {
        guard let password else { return nil }
        guard let text = password.text else {
            throw IdentityStoreError(.inputOutput, "The password of the \(name) is not UTF-8.")
        }
        return text
    }

    private func readOnce() throws -> Identity {
        switch form {
        case .pkcs12(let path):
            let file = try FileContents(path)
            return try kept([file.mark]) { () throws in
                try Identity(pkcs12: try file.bytes(), password: try passwordText())
            }
        case .pem(let path, let keyPath):
            let certificates = try FileContents(path)
            guard let keyPath else {
                return try kept([certificates.mark]) { () throws in
                    let bytes = try certificates.bytes()
                    return try Identity(pem: bytes, privateKey: bytes, password: try passwordText())
                }
            }
            let key = try FileContents(keyPath)
            return try kept([certificates.mark, key.mark]) { () throws in
                try Identity(
                    pem: try certificates.bytes(), privateKey: try key.bytes(), password: try passwordText())
            }
        }
    }

    private func kept(_ marks: [FileMark], or make: () throws -> Identity) throws -> Identity {
        if let read = last.read.withLock({ $0 }), read.marks == marks { return try read.result.get() }
        let result: Result<Identity, any Error>
        // Other errors are those of reading, which may succeed the next time.
        do { result = .success(try make()) } catch let error as IdentityError { result = .failure(error) }
        // A file that is being written may change again without another time.
        let now = Int64(time(nil))
        let isSettled = marks.allSatisfy {
            !(0..<2).contains(now.subtractingReportingOverflow($0.seconds).partialValue)
        }
        last.read.withLock { $0 = isSettled ? Read(marks: marks, result: result) : nil }
        return try result.get()
    }
}

/// What changes when a file is written or replaced.
private struct FileMark: Equatable {
    var device, file: UInt64
    /// Of the last change of the file, whatever its own times say.
    var size, seconds, nanoseconds: Int64
}

/// A file that is open for reading.
private final class FileContents {
    private static let maximumBytes = 4 << 20
    private let path: String
    private let descriptor: Int32
    let mark: FileMark

    /// - Throws: ``IdentityStoreError`` with `inputOutput`.
    init(_ path: String) throws {
        self.path = path
        // O_NONBLOCK: a pipe in place of a file must not block the call.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.failure("open", path) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            let error = Self.failure("examine", path)
            close(descriptor)
            throw error
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw IdentityStoreError(
                .inputOutput, "“\(path)” is a folder or a pipe. Name the file with the certificates or the key.")
        }
        #if canImport(Darwin)
        let time = status.st_ctimespec
        #else
        let time = status.st_ctim
        #endif
        mark = FileMark(
            device: UInt64(truncatingIfNeeded: status.st_dev), file: UInt64(truncatingIfNeeded: status.st_ino),
            size: Int64(status.st_size), seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    deinit { close(descriptor) }

    func bytes() throws -> [UInt8] {
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count == 0 { return result }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw Self.failure("read", path)
            }
            result += buffer.prefix(count)
            guard result.count <= Self.maximumBytes else {
                throw IdentityStoreError(.inputOutput, "The file “\(path)” is too large to be an identity.")
            }
        }
    }

    private static func failure(_ action: String, _ path: String) -> IdentityStoreError {
        let reason = unsafe String(cString: strerror(errno))
        return IdentityStoreError(.inputOutput, "The operating system did not \(action) “\(path)”: \(reason).")
    }
}
