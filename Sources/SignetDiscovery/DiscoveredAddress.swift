public import SignetHTTP

/// An address that a host claims for a device (one of its XAddrs). It is a claim and not an endpoint: only
/// ``DiscoveredDevice/endpoint(confirming:)`` makes one of it.
public struct DiscoveredAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address as the host claims it; “…” when it might contain a password. Do not call it unless a person or the
    /// program's own records confirm it.
    public let untrustedText: String
    /// The IP address of the host that claims it, with the network interface when it is link-local.
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
    ///   - ownAddresses: the addresses of this machine.
    init(_ text: String, claimedBy host: String, at ownAddresses: Set<[UInt8]> = []) {
        answeringHost = host
        // User information may be a password.
        untrustedText = text.utf8.contains(UInt8(ascii: "@")) ? "…" : text
        let endpoint: Endpoint
        do throws(EndpointError) { endpoint = try Endpoint(text) } catch {
            (claimed, isAtAnsweringHost, problem) = (nil, false, error.message)
            return
        }
        let (claiming, there) = (Self.octets(ofHost: host), AddressBlock.octets(of: endpoint.origin.host))
        let isThere = claiming != nil && claiming == there
        isAtAnsweringHost = isThere
        problem = Self.problem(of: endpoint.origin, octets: there, isThere, claimedBy: claiming, at: ownAddresses)
        claimed = problem == nil ? endpoint : nil
    }

    /// The octets of the address of an answering host, without its interface.
    static func octets(ofHost host: String) -> [UInt8]? {
        AddressBlock.octets(of: String(host.prefix { $0 != "%" }))
    }

    /// Whether an address is unique in one network only.
    static func isLinkLocal(_ octets: [UInt8]) -> Bool { Blocks.linkLocal.contains { $0.contains(octets) } }

    private static func problem(
        of origin: Origin, octets: [UInt8]?, _ isAtAnsweringHost: Bool, claimedBy host: [UInt8]?,
        at ownAddresses: Set<[UInt8]>
    ) -> String? {
        guard let octets else {
            if origin.isLoopback || origin.host.hasSuffix(".localhost") || namesOfLoopback.contains(origin.host) {
                return "it leads to this machine, and devices have no say about that"
            }
            // Resolvers read `127.1` and `0x7f000001` as addresses of IPv4.
            let last = origin.host.split(separator: ".").last ?? ""
            let isNumber = last.allSatisfy(\.isNumber) || last.lowercased().hasPrefix("0x")
            return isNumber ? "its host is neither a name nor an IP address in the usual form" : nil
        }
        func isOwn(_ octets: [UInt8]) -> Bool {
            ownAddresses.contains(octets) || Blocks.loopback.contains { $0.contains(octets) }
        }
        if isLinkLocal(octets) {
            // A URL cannot name the interface, without which no connection can be made (RFC 9844).
            if octets.count == 16 { return "it is a link-local address of IPv6, which leads into no certain network" }
            if !isAtAnsweringHost { return "it is a link-local address, and another host claims it" }
        }
        // A program that answers on this machine may name an address of this machine.
        if isOwn(octets) {
            return host.map(isOwn) == true ? nil : "it leads to this machine, and another host claims it"
        }
        for block in Blocks.unusable where block.contains(octets) {
            return "its host is not the address of one machine"
        }
        return nil
    }

    /// Names that the hosts files of usual systems have for this machine.
    private static let namesOfLoopback: Set<String> = [
        "localhost.localdomain", "localhost4", "localhost4.localdomain4", "localhost6", "localhost6.localdomain6",
        "ip6-localhost", "ip6-loopback",
    ]

    private enum Blocks {
        static let loopback = blocks("127.0.0.0/8", "::1")
        static let linkLocal = blocks("169.254.0.0/16", "fe80::/10")
        /// “This network”, multicast, reserved and broadcast addresses, and the deprecated ones of IPv6 that hold one of
        /// IPv4.
        static let unusable = blocks("0.0.0.0/8", "224.0.0.0/4", "240.0.0.0/4", "::/96", "ff00::/8")

        private static func blocks(_ texts: String...) -> [AddressBlock] { texts.compactMap { AddressBlock($0) } }
    }

    public var description: String {
        let text = Endpoint.withoutQueryValues(untrustedText).printable
        if let problem { return "\(text) (unusable: \(problem))" }
        return isAtAnsweringHost ? text : "\(text) (not at \(answeringHost), which claims it)"
    }
}
