/// One cookie of one origin, read from a `Set-Cookie` field (RFC 6265 §5.2 and §5.3).
struct Cookie: Sendable {
    let name: String
    let value: String
    let path: String
    /// Seconds since 1970; nil to keep the cookie for as long as the jar exists.
    let expiry: Int64?

    /// Nil when the line contains no cookie that can be kept.
    init?(_ line: String, from endpoint: Endpoint, now: Int64) {
        let parts = line.split(separator: ";", omittingEmptySubsequences: false)
        guard let pair = parts.first, let equals = pair.firstIndex(of: "=") else { return nil }
        name = String(pair[..<equals].trimmedOptionalSpace)
        value = String(pair[pair.index(after: equals)...].trimmedOptionalSpace)
        guard !name.isEmpty, name.utf8.count + value.utf8.count <= CookieJar.maximumBytes,
            (name + value).utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        let attributes = Attributes(parts.dropFirst())
        if let domain = attributes.domain, !Self.domain(domain, covers: endpoint.origin.host) { return nil }
        // Such a cookie would never be sent, since it stays with this origin.
        if attributes.isSecure, endpoint.origin.scheme != .https { return nil }
        guard Self.keepsPromise(of: name, attributes) else { return nil }
        path = attributes.path ?? Self.defaultPath(of: endpoint)
        if let age = attributes.maxAge {
            let (sum, overflow) = now.addingReportingOverflow(age)
            expiry = age <= 0 ? .min : overflow ? nil : sum
        } else {
            expiry = attributes.expires
        }
    }

    func isExpired(at now: Int64) -> Bool { expiry.map { $0 <= now } ?? false }

    /// RFC 6265 §5.1.4.
    func matches(_ requested: String) -> Bool {
        guard requested.hasPrefix(path) else { return false }
        return requested.utf8.count == path.utf8.count || path.hasSuffix("/")
            || requested.utf8.dropFirst(path.utf8.count).first == UInt8(ascii: "/")
    }

    /// The path of a request, without its query.
    static func path(of endpoint: Endpoint) -> String {
        String(endpoint.path.prefix { $0 != "?" })
    }

    /// RFC 6265 §5.1.4.
    private static func defaultPath(of endpoint: Endpoint) -> String {
        let path = path(of: endpoint)
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// RFC 6265 §5.1.3. A domain of one label, such as `com`, covers only a host of that name.
    private static func domain(_ domain: String, covers host: String) -> Bool {
        if domain == host { return true }
        let isAddress = host.contains(":") || host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
        return !isAddress && domain.contains(".") && host.hasSuffix(".\(domain)")
    }

    /// Whether the cookie fulfils what its name promises about how it was set (draft-ietf-httpbis-rfc6265bis §4.1.3).
    private static func keepsPromise(of name: String, _ attributes: Attributes) -> Bool {
        let name = name.lowercased()
        if name.hasPrefix("__host-") {
            return attributes.isSecure && attributes.domain == nil && attributes.path == "/"
        }
        return !name.hasPrefix("__secure-") || attributes.isSecure
    }

    /// The attributes after name and value (RFC 6265 §5.2); of several with one name, the last counts.
    private struct Attributes {
        /// In lower case, without a leading dot.
        var domain: String?
        var path: String?
        var maxAge: Int64?
        var expires: Int64?
        var isSecure = false

        init(_ parts: ArraySlice<Substring>) {
            for part in parts {
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let value = pair.count == 2 ? String(pair[1].trimmedOptionalSpace) : ""
                // rfc6265bis §5.5: a longer one is ignored.
                guard value.utf8.count <= 1024 else { continue }
                switch pair.first?.trimmedOptionalSpace.lowercased() {
                case "domain" where !value.isEmpty:
                    domain = (value.hasPrefix(".") ? String(value.dropFirst()) : value).lowercased()
                case "path": path = value.hasPrefix("/") ? value : nil
                case "max-age": maxAge = Self.seconds(value) ?? maxAge
                case "expires": expires = CookieDate.seconds(value) ?? expires
                case "secure": isSecure = true
                default: break
                }
            }
        }

        /// RFC 6265 §5.2.2. A number that overflows counts as unlimited.
        private static func seconds(_ value: String) -> Int64? {
            let digits = value.hasPrefix("-") ? value.dropFirst() : value[...]
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return value.hasPrefix("-") ? -1 : Int64(digits) ?? .max
        }
    }
}
