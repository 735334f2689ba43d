import Foundation
public import SignetTLS

/// Keeps exceptions in a folder that only its owner can reach, as JSON that people can read.
///
/// A change replaces the file as a whole, so that it is never half written. Two programs that change it in the same moment may
/// lose one of the two changes.
public actor DirectoryTrustExceptions: TrustExceptionStore {
    private static let file = "trust-exceptions.json"
    private let folder: PrivateFolder

    /// - Parameter path: of the folder; it is made if it is not there, and may hold identities too.
    /// - Throws: ``IdentityStoreError`` when it is not the user's own, or others can reach it.
    public init(path: String) throws { folder = try PrivateFolder(path: path) }

    /// - Throws: ``IdentityStoreError`` when there is a file that cannot be read: were it taken for none, a denial would be lost.
    public func exceptions() throws -> [TrustException] {
        guard let bytes = try folder.contents(of: Self.file) else { return [] }
        do { return try JSONDecoder().decode([TrustException].self, from: Data(bytes)) } catch {
            throw IdentityStoreError(
                .damaged,
                "The file “\(folder.path)/\(Self.file)” does not hold exceptions. Mend or remove it; until then no call is made."
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
