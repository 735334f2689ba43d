/// The versions of TLS that may be used: 1.2 (RFC 5246), 1.3 (RFC 8446), or both.
///
/// Older versions are never offered (RFC 8996).
public struct TLSVersionRange: Sendable, Hashable, CustomStringConvertible {
    /// A version of TLS. Its raw value is its number in a hello message (RFC 8446 §4.2.1).
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Version: Int, Sendable, Hashable, Comparable, CaseIterable, CustomStringConvertible {
        /// TLS 1.2 (RFC 5246).
        case tls12 = 0x0303
        /// TLS 1.3 (RFC 8446).
        case tls13 = 0x0304

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

        public var description: String {
            switch self {
            case .tls12: "TLS 1.2"
            case .tls13: "TLS 1.3"
            }
        }
    }

    /// The oldest version that may be used.
    public var minimum: Version
    /// The newest version that may be used. If it is older than ``minimum``, the use of the range throws an error.
    public var maximum: Version

    /// The versions from `minimum` to `maximum`, both included.
    public init(minimum: Version = .tls12, maximum: Version = .tls13) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// TLS 1.2 and TLS 1.3.
    public static let all = TLSVersionRange()

    /// Whether the range contains no version, because ``minimum`` is above ``maximum``.
    public var isEmpty: Bool { minimum > maximum }

    public var description: String { minimum == maximum ? "\(minimum)" : "\(minimum) to \(maximum)" }
}
