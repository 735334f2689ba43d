/// What a client does with the cookies of a service. A client that keeps cookies returns each of them to the origin
/// that set it, and to no other (RFC 6265).
public struct CookiePolicy: Sendable, CustomStringConvertible {
    private enum Kind {
        case ignored
        case kept
        case keptIn(CookieJar)
    }
    private let kind: Kind

    /// Cookies are ignored.
    public static let ignored = CookiePolicy(kind: .ignored)
    /// Each caller made with these settings keeps the cookies in memory, in a jar of its own. Clients made from one
    /// another with `with { … }` share the jar.
    public static let kept = CookiePolicy(kind: .kept)
    /// All callers with this policy keep their cookies in `jar`, which the program can empty.
    public static func kept(in jar: CookieJar) -> CookiePolicy { .init(kind: .keptIn(jar)) }

    /// The jar; nil when cookies are ignored, or when each caller has one of its own.
    package var jar: CookieJar? {
        if case .keptIn(let jar) = kind { jar } else { nil }
    }

    /// The policy of one caller, which has its jar.
    var ofOneCaller: CookiePolicy {
        if case .kept = kind { .kept(in: CookieJar()) } else { self }
    }

    public var description: String {
        switch kind {
        case .ignored: "ignored"
        case .kept: "kept"
        case .keptIn(let jar): "kept: \(jar)"
        }
    }
}
