/// The hosts that are reached without a proxy, in the form of the variable `NO_PROXY`.
///
/// There is no standard for it; this is what curl, Go and Python have in common. Entries are separated by commas or
/// white space:
///
/// - `example.com` and `.example.com`: the host and all hosts below it;
/// - `192.0.2.7`, `2001:db8::1` and `[2001:db8::1]`: an address, in any spelling;
/// - `192.0.2.0/24`, `2001:db8::/32`: all addresses of a block (RFC 4632), when the URL contains an address; no name is
///   resolved for this;
/// - any of these followed by `:8443` (an IPv6 address in brackets): only that port;
/// - `*`: all hosts.
public struct ProxyExceptions: Sendable, Hashable, ExpressibleByStringLiteral {
    private enum Pattern: Sendable, Hashable {
        case everything
        case domain(String)
        case block(AddressBlock)
    }

    private struct Entry: Sendable, Hashable {
        let pattern: Pattern
        let port: Int?
    }

    private var entries: [Entry] = []

    /// No exceptions: the proxy is used for every host.
    public init() {}
    public init(stringLiteral value: String) { self.init(value) }

    /// An entry that cannot be read matches no host.
    public init(_ list: String) {
        entries = list.split { $0 == "," || $0.isWhitespace }.compactMap(Self.entry)
    }

    /// Whether an origin is reached without a proxy. No name is resolved for it.
    public func contains(_ origin: Origin) -> Bool {
        let address = AddressBlock.octets(of: origin.host)
        return entries.contains { entry in
            if let port = entry.port, port != origin.port { return false }
            return switch entry.pattern {
            case .everything: true
            case .domain(let name): address == nil && (origin.host == name || origin.host.hasSuffix(".\(name)"))
            case .block(let block): address.map(block.contains) ?? false
            }
        }
    }

    // MARK: Reading

    private static func entry(_ text: Substring) -> Entry? {
        if text == "*" { return Entry(pattern: .everything, port: nil) }
        guard let (host, port) = split(text) else { return nil }
        if let block = AddressBlock(host) { return Entry(pattern: .block(block), port: port) }
        if host.contains("/") { return nil }
        var name = host.lowercased()[...]
        if name.hasPrefix("*.") { name = name.dropFirst() }
        if name.hasPrefix(".") { name = name.dropFirst() }
        if name.hasSuffix(".") { name = name.dropLast() }
        return name.isEmpty ? nil : Entry(pattern: .domain(String(name)), port: port)
    }

    /// Splits off the port. More than one colon without brackets is an IPv6 address.
    private static func split(_ text: Substring) -> (host: Substring, port: Int?)? {
        if text.hasPrefix("["), let close = text.firstIndex(of: "]") {
            let (host, rest) = (text[..<close].dropFirst(), text[text.index(after: close)...])
            if rest.isEmpty { return (host, nil) }
            guard rest.hasPrefix(":"), let port = Int(rest.dropFirst()) else { return nil }
            return (host, port)
        }
        guard let colon = text.firstIndex(of: ":"), text.lastIndex(of: ":") == colon,
            let port = Int(text[text.index(after: colon)...])
        else { return (text, nil) }
        return (text[..<colon], port)
    }
}
