/// The key from which all keys of a store are derived: 32 bytes that cannot be guessed.
public struct MasterKey: Sendable, Equatable {
    /// The length of every master key, in bytes.
    public static let byteCount = 32
    package let secret: SecretBytes

    /// - Throws: ``CredentialStoreError`` with `keyUnavailable` unless there are 32 bytes.
    public init(_ secret: SecretBytes) throws {
        guard secret.count == Self.byteCount else {
            throw CredentialStoreError(
                .keyUnavailable,
                "A master key has \(Self.byteCount) bytes; this one has \(secret.count). Make one with MasterKeyFile.create(path:)."
            )
        }
        self.secret = secret
    }

    /// A new key from the system's random generator.
    public static func random() -> MasterKey { MasterKey(random: ()) }

    private init(random: Void) {
        var generator = SystemRandomNumberGenerator()
        secret = SecretBytes((0..<Self.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// Reads a key in the form of a file or variable: 32 bytes, or their hexadecimal or Base64 text with or without a
    /// line end.
    ///
    /// - Parameter source: where it came from, for the error.
    init(encoded: SecretBytes, source: String) throws(CredentialStoreError) {
        guard let bytes = encoded.count == Self.byteCount ? encoded : encoded.text.flatMap(Self.decode),
            bytes.count == Self.byteCount
        else {
            throw .init(
                .keyUnavailable,
                """
                \(source) does not hold a master key: that is \(Self.byteCount) bytes, 64 hexadecimal digits or 44 characters \
                of Base64.
                """)
        }
        secret = bytes
    }
}

extension MasterKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "MasterKey(hidden)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
