/// Which versions of TLS are spoken: 1.2 (RFC 5246), 1.3 (RFC 8446), or both.
///
/// Older versions are not offered at all (RFC 8996).
public struct TLSVersionRange: Sendable, Hashable, CustomStringConvertible {
    /// A version of TLS. Its raw value is the number that stands for it in a hello (RFC 8446 §4.2.1).
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

    /// The oldest version that is spoken.
    public var minimum: Version
    /// The newest version that is spoken. Less than ``minimum`` is an error where the range is used.
    public var maximum: Version

    /// The versions from `minimum` to `maximum`, both included.
    public init(minimum: Version = .tls12, maximum: Version = .tls13) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// TLS 1.2 and TLS 1.3.
    public static let all = TLSVersionRange()

    /// Whether there is no version in it, because ``minimum`` is above ``maximum``.
    public var isEmpty: Bool { minimum > maximum }

    public var description: String { minimum == maximum ? "\(minimum)" : "\(minimum) to \(maximum)" }
}
