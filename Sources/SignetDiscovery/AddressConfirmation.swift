public import SignetHTTP
public import SignetTLS

/// What a program knows of a device from elsewhere, such as from a person or its own records, and holds against what
/// hosts have claimed.
public struct AddressConfirmation: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case address(String)
        case host(String)
        case pins([TrustPolicy.Pin])
    }

    let kind: Kind

    /// The program knows the whole address of the device's service. Any host may have claimed it.
    public static func address(_ url: String) -> AddressConfirmation { .init(kind: .address(url)) }
    /// The program knows the IP address of the device. Only addresses at this host count that came in datagrams from it;
    /// `https` comes before `http`.
    ///
    /// The sender's address of a datagram can be forged. The IP address is therefore confirmed, and the scheme, the port
    /// and the path are not: prefer ``address(_:)`` or ``pins(_:)``.
    public static func host(_ ipAddress: String) -> AddressConfirmation { .init(kind: .host(ipAddress)) }
    /// The program knows the key or the certificate of the device. Only `https` addresses count; those at the host that
    /// claimed them come first. The pins prove the device when the client connects, and a single one is allowed. The
    /// first address may be an impostor's, whose connection then fails: try all of
    /// ``DiscoveredDevice/endpoints(confirming:)``.
    public static func pins(_ pins: [TrustPolicy.Pin]) -> AddressConfirmation { .init(kind: .pins(pins)) }
}

/// An address of a device that the program has confirmed.
public struct ConfirmedEndpoint: Sendable, Hashable, CustomStringConvertible {
    /// The address to call.
    public let endpoint: Endpoint
    /// The pins that must hold for the connection; nil when the program has confirmed the address or the host.
    public let pins: TrustPolicy.PinSet?

    /// A policy that trusts what `policy` trusts, and demands the pins in addition to those of `policy`. Use it for every connection to the
    /// endpoint, or an impostor is called: `service.trust = confirmed.narrowing(service.trust)`.
    public func narrowing(_ policy: TrustPolicy) -> TrustPolicy { pins.map(policy.pinned(to:)) ?? policy }

    public var description: String { endpoint.description }
}

extension DiscoveredDevice {
    /// The addresses of the device that the program's own knowledge confirms, in the order in which to call them; at
    /// least one. Others than the first are worth a call when pins confirm them, and the first is an impostor's.
    ///
    /// - Throws: ``DiscoveryError`` with `notConfirmed` when the hosts have claimed no such address, or with
    ///   `unusableAddress` when they have, and it must not be called.
    public func endpoints(confirming confirmation: AddressConfirmation) throws(DiscoveryError) -> [ConfirmedEndpoint] {
        switch confirmation.kind {
        case .address(let url): [try endpoint(at: url)]
        case .host(let host): try endpoints(host: host)
        case .pins(let pins): try endpoints(pins: pins)
        }
    }

    /// The first of ``endpoints(confirming:)``.
    ///
    /// - Throws: the same errors.
    public func endpoint(confirming confirmation: AddressConfirmation) throws(DiscoveryError) -> ConfirmedEndpoint {
        try endpoints(confirming: confirmation)[0]
    }

    private func endpoint(at url: String) throws(DiscoveryError) -> ConfirmedEndpoint {
        let wanted: Endpoint
        do throws(EndpointError) { wanted = try Endpoint(url) } catch {
            throw DiscoveryError(
                .unusableAddress, "The address that confirms the device \(name) cannot be called: \(error.message).",
                cause: error)
        }
        if addresses.contains(where: { $0.claimed == wanted }) { return ConfirmedEndpoint(endpoint: wanted, pins: nil) }
        for address in addresses where (try? Endpoint(address.untrustedText)) == wanted {
            throw unusable(address)
        }
        throw DiscoveryError(
            .notConfirmed,
            "No host claims that the device \(name) has the address “\(wanted.description.printable)”: confirm one of its \(addresses.count) addresses, or call that address without a search."
        )
    }

    private func endpoints(host: String) throws(DiscoveryError) -> [ConfirmedEndpoint] {
        guard let wanted = DiscoveredAddress.octets(ofHost: host) else {
            throw DiscoveryError(
                .notConfirmed,
                "“\(host.printable)” is no IP address, and names are not looked up: confirm the device \(name) by its IP address or by a whole address."
            )
        }
        // An interface that is given has to be the same.
        let zone = host.drop { $0 != "%" }
        let claimed = addresses.filter {
            DiscoveredAddress.octets(ofHost: $0.answeringHost) == wanted && $0.answeringHost.hasSuffix(zone)
        }
        let own = claimed.filter(\.isAtAnsweringHost).compactMap(\.claimed)
        let secure = own.filter { $0.origin.scheme == .https }
        let ordered = secure + own.filter { $0.origin.scheme != .https }
        if !ordered.isEmpty { return ordered.map { ConfirmedEndpoint(endpoint: $0, pins: nil) } }
        if let address = claimed.first(where: { $0.problem != nil }) { throw unusable(address) }
        throw DiscoveryError(
            .notConfirmed,
            claimed.isEmpty
                ? "The search has no address of the device \(name) from the host \(host.printable)\(hasFurtherHosts ? ", and has left out the answers of further hosts" : ""): make sure that it is the host of the device, and ask it alone."
                : "The host \(host.printable) claims addresses of the device \(name) at other hosts only: confirm a whole address."
        )
    }

    private func endpoints(pins: [TrustPolicy.Pin]) throws(DiscoveryError) -> [ConfirmedEndpoint] {
        guard !pins.isEmpty else {
            throw DiscoveryError(.notConfirmed, "No pin is given to confirm the device \(name): give at least one.")
        }
        let secure = addresses.filter { $0.scheme == .https }
        let ordered = secure.filter(\.isAtAnsweringHost) + secure.filter { !$0.isAtAnsweringHost }
        guard !ordered.isEmpty else {
            throw DiscoveryError(
                .notConfirmed,
                "The device \(name) has no https address, and a pin proves nothing over plain HTTP: confirm its host or a whole address."
            )
        }
        var seen: Set<Endpoint> = []
        return ordered.compactMap(\.claimed).filter { seen.insert($0).inserted }.map { endpoint in
            var set = TrustPolicy.PinSet(pins, host: endpoint.origin.host)
            // A device has one key; when it changes, the program has to confirm the device again.
            set.allowsSinglePin = true
            set.isAdditional = true
            return ConfirmedEndpoint(endpoint: endpoint, pins: set)
        }
    }

    private func unusable(_ address: DiscoveredAddress) -> DiscoveryError {
        DiscoveryError(
            .unusableAddress,
            "The address “\(address.untrustedText.printable)” that \(address.answeringHost) claims for the device \(name) must not be called: \(address.problem ?? "it is malformed"). Correct the settings of the device, or call an address that you know."
        )
    }

    private var name: String { "“\(endpointAddress.printable)”" }
}
