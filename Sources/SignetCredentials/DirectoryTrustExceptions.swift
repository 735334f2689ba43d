import Foundation
public import SignetTLS

/// Keeps exceptions as readable JSON in a folder that only its owner can enter.
///
/// A change replaces the whole file, so that it is never half written. When two programs change it at the same moment,
/// one of the changes may be lost.
public actor DirectoryTrustExceptions: TrustExceptionStore {
    private static let file = "trust-exceptions.json"
    private let folder: PrivateFolder

    /// - Parameter path: the folder's path. The folder is created if it does not exist, and may contain identities too.
    /// - Throws: ``IdentityStoreError`` when the folder belongs to another user, or others can enter it.
    public init(path: String) throws { folder = try PrivateFolder(path: path) }

    /// - Throws: ``IdentityStoreError`` when the file cannot be read: ignoring it would lose a denial.
    public func exceptions() throws -> [TrustException] {
        guard let bytes = try folder.contents(of: Self.file) else { return [] }
        do { return try JSONDecoder().decode([TrustException].self, from: Data(bytes)) } catch {
            throw IdentityStoreError(
                .damaged,
                "The file “\(folder.path)/\(Self.file)” does not hold exceptions. Correct or remove it; until then the client makes no call."
            )
        }
    }

    public func record(_ exception: TrustException) throws { try write(try exceptions().recording(exception)) }

    public func revoke(_ exception: TrustException) throws {
        let list = try exceptions()
        if list.contains(exception) { try write(list.filter { $0 != exception }) }
    }

    private func write(_ list: [TrustException]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try folder.replace(Self.file, with: Array(try encoder.encode(list)))
    }
}
