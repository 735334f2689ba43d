package import HTTPTypes
import Synchronization

/// The cookies that a service has set and that the client returns to it (RFC 6265).
///
/// It is stricter than a browser: a cookie goes back only to the origin that set it, even when its `Domain` attribute
/// would allow more. Cookies are kept in memory only. No description shows a value.
public final class CookieJar: Sendable {
    /// The limit of cookies for one origin; the oldest are removed first (RFC 6265 §6.1).
    package static let maximumCookies = 50
    /// The limit of origins.
    package static let maximumOrigins = 32
    /// The limit of one cookie's name and value together, in bytes; a larger cookie is ignored.
    package static let maximumBytes = 4096

    private let cookies = Mutex<[Origin: [Cookie]]>([:])

    /// An empty jar. It keeps at most 50 cookies for each of at most 32 origins.
    public init() {}

    /// Forgets all cookies.
    public func removeAll() { cookies.withLock { $0 = [:] } }

    /// The number of cookies kept.
    public var count: Int { cookies.withLock { $0.values.reduce(0) { $0 + $1.count } } }

    /// Keeps the cookies that an answer sets (RFC 6265 §5.3).
    ///
    /// - Parameter now: seconds since 1970.
    package func store(_ fields: HTTPFields, from endpoint: Endpoint, now: Int64) {
        let lines = fields[values: .setCookie]
        guard !lines.isEmpty else { return }
        let received = lines.compactMap { Cookie($0, from: endpoint, now: now) }
        cookies.withLock { jar in
            var kept = jar[endpoint.origin] ?? []
            for cookie in received {
                let old = kept.firstIndex { $0.name == cookie.name && $0.path == cookie.path }
                if let old { kept[old] = cookie } else { kept.append(cookie) }
            }
            kept.removeAll { $0.isExpired(at: now) }
            kept.removeFirst(max(0, kept.count - Self.maximumCookies))
            if jar[endpoint.origin] == nil, jar.count >= Self.maximumOrigins, let other = jar.keys.first {
                jar[other] = nil
            }
            jar[endpoint.origin] = kept.isEmpty ? nil : kept
        }
    }

    /// The value of the `Cookie` field for a request; nil when there is no cookie for it (RFC 6265 §5.4).
    ///
    /// - Parameter now: seconds since 1970.
    package func field(for endpoint: Endpoint, now: Int64) -> String? {
        let path = Cookie.path(of: endpoint)
        let fitting = cookies.withLock { $0[endpoint.origin] ?? [] }
            .filter { !$0.isExpired(at: now) && $0.matches(path) }
            .enumerated().sorted {
                // Longer paths first; among equals the older cookie first.
                ($0.element.path.utf8.count, $1.offset) > ($1.element.path.utf8.count, $0.offset)
            }
        return fitting.isEmpty ? nil : fitting.map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
    }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(count) cookies" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
