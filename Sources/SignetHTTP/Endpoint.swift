/// The address of a service: an origin and a path on it, read strictly from a URL (RFC 3986, RFC 9110 §4.2).
///
/// A URL with user information or a fragment is refused: a password in a URL ends up in logs.
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// Scheme, host and port. Identities, credentials and connections belong to the origin, whatever the path.
    public let origin: Origin
    /// The path with its query, always beginning with `/`.
    public let path: String

    package init(origin: Origin, path: String) {
        self.origin = origin
        self.path = path
    }

    /// Reads an absolute `http` or `https` URL.
    ///
    /// - Throws: ``EndpointError`` that names the wrong part.
    public init(_ url: String) throws(EndpointError) {
        // User information may be a password. It is checked first, so that no other error message repeats it.
        if url.utf8.contains(UInt8(ascii: "@")) {
            throw EndpointError(
                url: "…", message: "it has an “@”: give a user name and password apart, and write “%40” in a path")
        }
        let bytes = Array(url.utf8)
        guard let separator = url.range(of3: "://") else {
            throw EndpointError(url: url, message: "it has no scheme; write https://host/path")
        }
        guard let scheme = Origin.Scheme(rawValue: url[..<separator.lowerBound].lowercased()) else {
            throw EndpointError(url: url, message: "only http and https are supported")
        }
        if let problem = InternationalHost.problem(in: url[separator.upperBound...]) {
            throw EndpointError(url: url, message: problem)
        }
        if bytes.contains(where: { $0 <= 0x20 || $0 >= 0x7F || "\"<>\\^`{|}".utf8.contains($0) }) {
            throw EndpointError(url: url, message: "it holds a character that must be percent-encoded")
        }
        let rest = url[separator.upperBound...]
        if rest.contains("#") { throw EndpointError(url: url, message: "it has a fragment, which is never sent") }
        let authorityEnd = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = rest[..<authorityEnd]
        let (host, port) = try Self.split(authority, of: url, scheme: scheme)
        origin = Origin(scheme: scheme, host: host, port: port)
        let tail = rest[authorityEnd...]
        path = tail.isEmpty ? "/" : tail.hasPrefix("?") ? "/\(tail)" : String(tail)
    }

    private static func split(
        _ authority: Substring, of url: String, scheme: Origin.Scheme
    ) throws(EndpointError) -> (String, Int) {
        var host: Substring
        var portText: Substring?
        if authority.hasPrefix("[") {
            guard let close = authority.firstIndex(of: "]") else {
                throw EndpointError(url: url, message: "its IPv6 address has no closing bracket")
            }
            host = authority[authority.index(after: authority.startIndex)..<close]
            let after = authority[authority.index(after: close)...]
            if after.hasPrefix(":") {
                portText = after.dropFirst()
            } else if !after.isEmpty {
                throw EndpointError(url: url, message: "there is text after the IPv6 address")
            }
            guard host.contains(":"), host.utf8.allSatisfy({ $0.isHexDigit || $0 == 0x3A || $0 == 0x2E }) else {
                throw EndpointError(url: url, message: "its IPv6 address is malformed")
            }
        } else {
            let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count <= 2 else { throw EndpointError(url: url, message: "an IPv6 address needs brackets") }
            host = parts.first ?? ""
            portText = parts.count == 2 ? parts[1] : nil
            if host.hasSuffix(".") { host = host.dropLast() }
            let isName = host.utf8.allSatisfy {
                $0.isHexDigit || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F
            }
            guard isName, !host.hasPrefix("."), !host.contains("..") else {
                throw EndpointError(url: url, message: "its host name is malformed")
            }
        }
        if host.isEmpty { throw EndpointError(url: url, message: "it names no host") }
        var port = scheme.defaultPort
        if let portText, !portText.isEmpty {
            guard portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(portText),
                (1...65535).contains(number)
            else { throw EndpointError(url: url, message: "its port is not a number from 1 to 65535") }
            port = number
        }
        return (host.lowercased(), port)
    }

    /// The whole address. Do not log it: its query may contain a secret.
    public var url: String { "\(origin)\(path)" }

    /// The address without the values in its query, which may be secret.
    public var description: String { Self.withoutQueryValues(url) }

    /// A URL, or a reference to one, with “…” for each value in its query.
    package static func withoutQueryValues(_ url: String) -> String {
        guard let start = url.firstIndex(of: "?") else { return url }
        let parts = url[url.index(after: start)...].split(separator: "&", omittingEmptySubsequences: false)
        let names = parts.map { part in part.firstIndex(of: "=").map { "\(part[...$0])…" } ?? "…" }
        return "\(url[...start])\(names.joined(separator: "&"))"
    }
}

/// A URL that cannot be the address of a service.
public struct EndpointError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The URL as given; “…” when it might contain a password.
    public let url: String
    /// What is wrong and what to write instead: a part of a sentence, without a full stop.
    public let message: String

    package init(url: String, message: String) {
        self.url = url
        self.message = message
    }

    public var description: String { "The address “\(Endpoint.withoutQueryValues(url))” cannot be used: \(message)." }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x46).contains(self) || (0x61...0x66).contains(self)
    }
}

extension String {
    /// The first occurrence of a three-character separator, without Foundation.
    fileprivate func range(of3 separator: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(separator) { return start..<index(start, offsetBy: separator.count) }
            start = index(after: start)
        }
        return nil
    }
}
