import NIOCore
import NIOPosix

/// From where and to where a question is sent.
struct DiscoveryRoute: Sendable {
    /// The address to which the socket is bound; answers come to it.
    let local: SocketAddress
    let remote: SocketAddress
    /// The interface that multicast leaves by; nil for one host.
    let interface: Int?

    /// How many sockets a search opens at most.
    static let maximum = 32

    /// - Throws: ``DiscoveryError`` when there is no way to the target.
    static func all(to target: DeviceDiscovery.Target) async throws(DiscoveryError) -> [DiscoveryRoute] {
        switch target {
        case .networks(let names): try toNetworks(of: names)
        case .host(let host, let port): try await [toHost(host, port)]
        }
    }

    private static func toNetworks(of names: [String]) throws(DiscoveryError) -> [DiscoveryRoute] {
        let devices: [NIONetworkDevice]
        do { devices = try System.enumerateDevices() } catch {
            throw DiscoveryError(
                .noInterface, "The network interfaces of this machine cannot be listed: \(error)", cause: error)
        }
        let able = devices.filter(\.multicastSupported)
        for name in names where !able.contains(where: { $0.isNamed(name) }) {
            let others = Set(able.map(\.name)).sorted().joined(separator: ", ")
            throw DiscoveryError(
                .noInterface,
                "No network interface “\(name.printable)” can send multicast: name one of these: \(others.isEmpty ? "(there is none)" : others)."
            )
        }
        let chosen = names.isEmpty ? able : able.filter { device in names.contains { device.isNamed($0) } }
        let routes = chosen.compactMap(toNetwork)
        guard !routes.isEmpty else {
            throw DiscoveryError(
                .noInterface,
                "No network interface has an address from which multicast can be sent: connect this machine to the network of the devices, or ask one host."
            )
        }
        return Array(routes.prefix(maximum))
    }

    /// The multicast address of an interface's IPv4 address, or of its link-local IPv6 address; others of IPv6 lead into
    /// the same network.
    private static func toNetwork(of device: NIONetworkDevice) -> DiscoveryRoute? {
        guard var local = device.address else { return nil }
        local.port = 0
        let group: String
        switch local {
        case .v4: group = "239.255.255.250"
        case .v6 where local.ipAddress?.lowercased().hasPrefix("fe80:") == true: group = "ff02::c"
        default: return nil
        }
        guard let remote = try? SocketAddress(ipAddress: group, port: DeviceDiscovery.port) else { return nil }
        return DiscoveryRoute(local: local, remote: remote, interface: device.interfaceIndex)
    }

    private static func toHost(_ host: String, _ port: Int) async throws(DiscoveryError) -> DiscoveryRoute {
        do {
            // The lookup blocks its thread.
            let remote = try await NIOThreadPool.singleton.runIfActive {
                try SocketAddress.makeAddressResolvingHost(host, port: port)
            }
            let any = remote.protocol == .inet6 ? "::" : "0.0.0.0"
            return DiscoveryRoute(local: try SocketAddress(ipAddress: any, port: 0), remote: remote, interface: nil)
        } catch {
            throw DiscoveryError(
                .unknownHost,
                "No address was found for the host “\(host.printable)”: correct its name, or give its IP address.",
                cause: error)
        }
    }
}

extension NIONetworkDevice {
    fileprivate func isNamed(_ text: String) -> Bool { name == text || address?.ipAddress == text }
}
