/// The part of a server that shares one set of credentials: an origin and a realm (RFC 9110 §11.5).
public struct ProtectionSpace: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`, in lower case.
    public let scheme: String
    /// The host in lower case; an IPv6 address stands without brackets.
    public let host: String
    /// The port of the origin or proxy; always given, also when it is the scheme's default.
    public let port: Int
    /// The realm as the server named it. It comes from the server: show it, but do not trust it. Empty while
    /// credentials are sent before any challenge.
    public let realm: String
    /// Whether a proxy asks, and not the server behind it. The two never share credentials.
    public let isProxy: Bool

    /// Scheme and host are converted to lower case.
    ///
    /// - Parameters:
    ///   - scheme: `http` or `https`.
    ///   - host: the host; an IPv6 address stands without brackets.
    ///   - port: the port, also when it is the scheme's default.
    ///   - realm: as the server named it, case-sensitive; empty before any challenge.
    ///   - isProxy: whether a proxy asks.
    public init(scheme: String, host: String, port: Int, realm: String, isProxy: Bool = false) {
        self.scheme = Self.lowercased(scheme)
        self.host = Self.lowercased(host)
        self.port = port
        self.realm = realm
        self.isProxy = isProxy
    }

    /// The same origin with another realm.
    package func with(realm: String) -> Self {
        .init(scheme: scheme, host: host, port: port, realm: realm, isProxy: isProxy)
    }

    /// The path of a target, without its query.
    func path(of target: String) -> String {
        if isProxy { return "" }
        let isEnd = { (byte: UInt8) in byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }
        guard let end = target.utf8.firstIndex(where: isEnd) else { return target }
        return String(target[..<end])
    }

    /// Nearly all texts are already in lower case, and are returned as they are.
    private static func lowercased(_ text: String) -> String {
        text.utf8.allSatisfy { $0 < 0x80 && !(0x41...0x5A).contains($0) } ? text : text.lowercased()
    }

    /// Whether both belong to one origin, whatever the realm.
    package func sharesOrigin(with other: Self) -> Bool { with(realm: "") == other.with(realm: "") }

    /// The peer that asks, for the beginning of a sentence.
    var asker: String { isProxy ? "The proxy" : "The server" }

    /// For users and logs; the realm without unprintable characters.
    public var description: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        let what = isProxy ? "proxy " : ""
        return realm.isEmpty
            ? "\(what)\(scheme)://\(name):\(port)" : "“\(realm.printable)” at \(what)\(scheme)://\(name):\(port)"
    }
}
