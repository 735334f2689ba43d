#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The hosts that are reached without a proxy, in the form of the variable `NO_PROXY`.
///
/// There is no standard for it; this is what curl, Go and Python have in common. Entries stand apart by commas or white space:
///
/// - `example.com` and `.example.com`: the host and all below it;
/// - `192.0.2.7`, `2001:db8::1` and `[2001:db8::1]`: an address, however it is written;
/// - `192.0.2.0/24`, `2001:db8::/32`: all addresses of a block (RFC 4632), when the URL names one; no name is resolved for it;
/// - any of these with `:8443` behind it (an IPv6 address in brackets): that port only;
/// - `*`: everything.
public struct ProxyExceptions: Sendable, Hashable, ExpressibleByStringLiteral {
    private enum Pattern: Sendable, Hashable {
        case everything
        case domain(String)
        case block([UInt8], bits: Int)
    }

    private struct Entry: Sendable, Hashable {
        let pattern: Pattern
        let port: Int?
    }

    private var entries: [Entry] = []

    public init() {}
    public init(stringLiteral value: String) { self.init(value) }

    /// What cannot be read as an entry is the name of no host and matches nothing.
    public init(_ list: String) {
        entries = list.split { $0 == "," || $0.isWhitespace }.compactMap(Self.entry)
    }

    public func contains(_ origin: Origin) -> Bool {
        let address = Self.address(origin.host)
        return entries.contains { entry in
            if let port = entry.port, port != origin.port { return false }
            return switch entry.pattern {
            case .everything: true
            case .domain(let name): address == nil && (origin.host == name || origin.host.hasSuffix(".\(name)"))
            case .block(let block, let bits): address.map { Self.shares($0, block, bits: bits) } ?? false
            }
        }
    }

    // MARK: Reading

    private static func entry(_ text: Substring) -> Entry? {
        if text == "*" { return Entry(pattern: .everything, port: nil) }
        guard let (host, port) = split(text) else { return nil }
        if let slash = host.firstIndex(of: "/") {
            guard let bytes = address(String(host[..<slash])), let bits = Int(host[host.index(after: slash)...]),
                (0...bytes.count * 8).contains(bits)
            else { return nil }
            return Entry(pattern: .block(bytes, bits: bits), port: port)
        }
        if let bytes = address(String(host)) {
            return Entry(pattern: .block(bytes, bits: bytes.count * 8), port: port)
        }
        var name = host.lowercased()[...]
        if name.hasPrefix("*.") { name = name.dropFirst() }
        if name.hasPrefix(".") { name = name.dropFirst() }
        if name.hasSuffix(".") { name = name.dropLast() }
        return name.isEmpty ? nil : Entry(pattern: .domain(String(name)), port: port)
    }

    /// Takes the port off. More than one colon without brackets is an IPv6 address.
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

    /// The octets of an IP literal. An IPv4 address inside IPv6 (RFC 4291 §2.5.5.2) is the IPv4 address.
    static func address(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard text.utf8.contains(UInt8(ascii: ":")) else {
            return inet_pton(AF_INET, text, &bytes) == 1 ? Array(bytes.prefix(4)) : nil
        }
        guard inet_pton(AF_INET6, text, &bytes) == 1 else { return nil }
        let isMapped = bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return isMapped ? Array(bytes.suffix(4)) : bytes
    }

    private static func shares(_ address: [UInt8], _ block: [UInt8], bits: Int) -> Bool {
        guard address.count == block.count else { return false }
        for (index, (left, right)) in zip(address, block).enumerated() {
            let rest = bits - index * 8
            if rest <= 0 { return true }
            let mask = rest >= 8 ? UInt8.max : ~(UInt8.max >> UInt8(rest))
            if left & mask != right & mask { return false }
        }
        return true
    }
}
