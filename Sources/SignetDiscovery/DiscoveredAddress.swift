public import SignetHTTP

/// An address that a host claims for a device (one of its XAddrs). It is a claim and not an endpoint: only
/// ``DiscoveredDevice/endpoint(confirming:)`` makes one of it.
public struct DiscoveredAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address as the host claims it; “…” when it might contain a password. Do not call it unless a person or the
    /// program's own records confirm it.
    public let untrustedText: String
    /// The IP address of the host that claims it.
    public let answeringHost: String
    /// `http` or `https`; nil when the address cannot be used.
    public var scheme: Origin.Scheme? { claimed?.origin.scheme }
    /// The host in the address; nil when the address cannot be used.
    public var host: String? { claimed?.origin.host }
    /// The port in the address, or the usual one of the scheme; nil when the address cannot be used.
    public var port: Int? { claimed?.origin.port }
    /// Whether the host in the address is the IP address of the host that claims it. It is false for names, because no
    /// name is looked up.
    public let isAtAnsweringHost: Bool
    /// Why no program should call the address: a part of a sentence, without a full stop; nil when it may be confirmed.
    public let problem: String?

    /// The endpoint that the address stands for; nil when there is a ``problem``.
    let claimed: Endpoint?

    /// - Parameters:
    ///   - text: the address as the host claims it.
    ///   - host: the IP address of the host that claims it.
    init(_ text: String, claimedBy host: String) {
        answeringHost = host
        // User information may be a password.
        untrustedText = text.utf8.contains(UInt8(ascii: "@")) ? "…" : text
        let endpoint: Endpoint
        do throws(EndpointError) { endpoint = try Endpoint(text) } catch {
            (claimed, isAtAnsweringHost, problem) = (nil, false, error.message)
            return
        }
        let (own, there) = (AddressBlock.octets(of: host), AddressBlock.octets(of: endpoint.origin.host))
        let isThere = own != nil && own == there
        isAtAnsweringHost = isThere
        problem = Self.problem(of: endpoint.origin, octets: there, isThere, claimedBy: own)
        claimed = problem == nil ? endpoint : nil
    }

    private static func problem(
        of origin: Origin, octets: [UInt8]?, _ isAtAnsweringHost: Bool, claimedBy host: [UInt8]?
    ) -> String? {
        guard let octets else {
            if origin.isLoopback || origin.host.hasSuffix(".localhost") {
                return "it leads to this machine, and devices have no say about that"
            }
            // Resolvers read `127.1` and `0x7f000001` as addresses of IPv4.
            let last = origin.host.split(separator: ".").last ?? ""
            let isNumber = last.allSatisfy(\.isNumber) || last.lowercased().hasPrefix("0x")
            return isNumber ? "its host is neither a name nor an IP address in the usual form" : nil
        }
        for block in Blocks.unusable where block.contains(octets) {
            return "its host is not the address of one machine"
        }
        // A program that answers on this machine may name an address of this machine.
        for block in Blocks.loopback where block.contains(octets) {
            let isOwn = host.map { host in Blocks.loopback.contains { $0.contains(host) } } ?? false
            return isOwn ? nil : "it leads to this machine, and another host claims it"
        }
        for block in Blocks.linkLocal where block.contains(octets) && !isAtAnsweringHost {
            return "it is a link-local address, and another host claims it"
        }
        return nil
    }

    private enum Blocks {
        static let loopback = blocks("127.0.0.0/8", "::1")
        static let linkLocal = blocks("169.254.0.0/16", "fe80::/10")
        /// “This network”, multicast, reserved and broadcast addresses.
        static let unusable = blocks("0.0.0.0/8", "224.0.0.0/4", "240.0.0.0/4", "::", "ff00::/8")

        private static func blocks(_ texts: String...) -> [AddressBlock] { texts.compactMap { AddressBlock($0) } }
    }

    public var description: String {
        let text = Endpoint.withoutQueryValues(untrustedText).printable
        if let problem { return "\(text) (unusable: \(problem))" }
        return isAtAnsweringHost ? text : "\(text) (not at \(answeringHost), which claims it)"
    }
}
