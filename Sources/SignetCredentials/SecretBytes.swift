/// A password, token or key. Nothing that prints it shows it, and its bytes are overwritten when the last reference
/// goes away.
///
/// Two secrets are compared in a time that does not depend on where they differ.
public struct SecretBytes: Sendable, Equatable {
    private let storage: Storage

    /// Copies the bytes. The original is not overwritten: its owner must do that.
    public init(_ bytes: some Sequence<UInt8>) { storage = Storage(Array(bytes)) }

    /// The text in UTF-8.
    public init(_ text: String) { self.init(text.utf8) }

    /// The number of bytes. It is not secret.
    public var count: Int { unsafe storage.bytes.count }

    /// A copy of the bytes, which nothing overwrites: do not keep it.
    public var bytes: [UInt8] { unsafe Array(storage.bytes) }

    /// A copy of the text; nil when the bytes are not UTF-8.
    public var text: String? { unsafe String(validating: storage.bytes, as: UTF8.self) }

    /// Lends the bytes. The pointer must not leave `body`.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        unsafe try body(UnsafeRawBufferPointer(storage.bytes))
    }

    public static func == (left: Self, right: Self) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe zip(left.storage.bytes, right.storage.bytes).reduce(0) { $0 | $1.0 ^ $1.1 } == 0
    }

    @safe private final class Storage: Sendable {
        // It is written only by the initialiser and the deinitialiser, when there is no other reference.
        nonisolated(unsafe) let bytes: UnsafeMutableBufferPointer<UInt8>

        init(_ content: [UInt8]) {
            unsafe bytes = .allocate(capacity: content.count)
            _ = unsafe bytes.initialize(from: content)
        }

        deinit {
            unsafe bytes.update(repeating: 0)
            unsafe bytes.deallocate()
        }
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "SecretBytes(hidden)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
