import Foundation
public import SignetTLS

/// Keeps each identity as a PKCS#12 file, encrypted with one password, in a folder that only its owner can enter.
///
/// The folder is created with mode 0700 and each file with 0600, from the first moment. A folder or file with looser
/// permissions, of another owner, or that is a symbolic link is refused and never repaired: another user may have read
/// it. A file is replaced in one step, so that a crash leaves either the old identity or the new one.
///
/// The encryption protects a stolen disk only as well as the password does; do not keep the password beside the store.
public actor DirectoryIdentityStore: IdentityStore, CustomStringConvertible, CustomReflectable {
    /// The longest label, in bytes of UTF-8; file systems allow 255 bytes for the name made from it.
    public static let maximumLabelBytes = 120

    private let folder: PrivateFolder
    private let password: String
    /// Files that were decrypted before: decrypting takes three slow key derivations, and a client asks before every
    /// call.
    private var opened: [String: (file: [UInt8], identity: Identity)] = [:]

    /// Opens the folder at `path`, or creates it; the folder that contains it must exist.
    ///
    /// - Throws: ``IdentityStoreError`` with `unsafePermissions`, `inputOutput`, or `weakPassword` for an empty one.
    public init(path: String, password: String) throws {
        guard !password.isEmpty else {
            throw IdentityStoreError(
                .weakPassword, "An empty password does not seal the store “\(path)”. Give one that cannot be guessed.")
        }
        folder = try PrivateFolder(path: path)
        self.password = password
    }

    public func identity(label: String) throws -> Identity? {
        let name = try Self.fileName(label)
        // The file is read each time, so that a replaced, removed or exposed file is noticed.
        guard let bytes = try folder.contents(of: name) else {
            opened[name] = nil
            return nil
        }
        if let known = opened[name], known.file == bytes { return known.identity }
        let identity = try Identity(pkcs12: bytes, password: password)
        opened[name] = (bytes, identity)
        return identity
    }

    public func store(_ identity: Identity, label: String) throws {
        let name = try Self.fileName(label)
        try folder.replace(name, with: try identity.pkcs12(password: password, label: label))
    }

    public func remove(label: String) throws {
        let name = try Self.fileName(label)
        opened[name] = nil
        try folder.remove(name)
    }

    public func labels() throws -> [String] { try folder.names().compactMap(Self.label).sorted() }

    public nonisolated func exclusively<Value: Sendable>(
        label: String, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await ExclusiveUse.ofFile("\(folder.path)/.lock-\(try Self.fileName(label))", body)
    }

    public nonisolated var description: String { "DirectoryIdentityStore(\(folder.path))" }
    public nonisolated var customMirror: Mirror { Mirror(self, children: ["path": folder.path]) }

    private static let suffix = ".p12"

    /// The file name for a label: its bytes in hexadecimal, which no file system folds, forbids or takes for a path.
    private static func fileName(_ label: String) throws -> String {
        let bytes = Array(label.utf8)
        guard (1...maximumLabelBytes).contains(bytes.count) else {
            throw IdentityStoreError(
                .invalidLabel,
                "A label has 1 to \(maximumLabelBytes) bytes; this one has \(bytes.count). Choose a shorter one.")
        }
        return Text.hexadecimal(bytes) + suffix
    }

    private static func label(_ fileName: String) -> String? {
        guard fileName.hasSuffix(suffix), let bytes = Text.bytes(hexadecimal: String(fileName.dropLast(suffix.count)))
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
