import NIOCore
import NIOPosix
import SignetHTTP

/// From where and to where a question is sent.
struct DiscoveryRoute: Sendable {
    /// The address to which the socket is bound; answers come to it.
    let local: SocketAddress
    let remote: SocketAddress
    /// The interface that multicast leaves by; nil for one host.
    let interface: (name: String, index: Int)?

    /// How many sockets a search opens at most.
    static let maximum = 32

    /// - Parameter time: how long the lookup of a host's name may take.
    /// - Returns: the routes; nil when the task was cancelled.
    /// - Throws: ``DiscoveryError`` when there is no way to the target.
    static func all(
        to target: DeviceDiscovery.Target, within time: Duration
    ) async throws(DiscoveryError) -> [DiscoveryRoute]? {
        switch target {
        case .networks(let names): try toNetworks(of: names)
        case .host(let host, let port): try await toHost(host, port, within: time).map { [$0] }
        }
    }

    /// The host that a datagram over this route came from: its IP address, with the interface when it is link-local.
    func host(sending address: SocketAddress) -> String? {
        guard let ip = address.ipAddress, let octets = AddressBlock.octets(of: ip) else { return nil }
        guard DiscoveredAddress.isLinkLocal(octets) else { return ip }
        if case .v6 = address {
            // The field sin6_scope_id lies at the end of the 28 bytes of a sockaddr_in6 (RFC 3493 §3.3).
            let scope = unsafe address.withSockAddr { pointer, size in
                size < 28 ? 0 : Int(unsafe UnsafeRawPointer(pointer).loadUnaligned(fromByteOffset: 24, as: UInt32.self))
            }
            if scope != 0, scope != interface?.index { return "\(ip)%\(scope)" }
        }
        return interface.map { "\(ip)%\($0.name)" } ?? ip
    }

    /// Whether a program that names an interface like this means the route's.
    func isNamed(_ text: String) -> Bool { interface?.name == text || local.ipAddress == text }

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
                "No network interface “\(name.printable)” can send multicast: name one of these: \(others.isEmpty ? "(this machine has no other)" : others)."
            )
        }
        let routes = able.compactMap(toNetwork).filter { route in
            names.isEmpty || names.contains { route.isNamed($0) }
        }
        for name in names where !routes.contains(where: { $0.isNamed(name) }) {
            throw DiscoveryError(
                .noInterface,
                "The network interface “\(name.printable)” has no address of IPv4 and no link-local address of IPv6, from which the question could be sent: name another one, or leave it out."
            )
        }
        guard !routes.isEmpty else {
            throw DiscoveryError(
                .noInterface,
                "No network interface has an address from which multicast can be sent: connect this machine to the network of the devices, or ask one host."
            )
        }
        return routes
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
        return DiscoveryRoute(local: local, remote: remote, interface: (device.name, device.interfaceIndex))
    }

    /// - Returns: nil when the task was cancelled.
    private static func toHost(
        _ host: String, _ port: Int, within time: Duration
    ) async throws(DiscoveryError) -> DiscoveryRoute? {
        do {
            let remote = try await first(within: time) {
                try SocketAddress.makeAddressResolvingHost(host, port: port)
            }
            let any = remote.protocol == .inet6 ? "::" : "0.0.0.0"
            return DiscoveryRoute(local: try SocketAddress(ipAddress: any, port: 0), remote: remote, interface: nil)
        } catch {
            if Task.isCancelled { return nil }
            throw DiscoveryError(
                .unknownHost,
                "No address was found for the host “\(host.printable)”: correct its name, or give its IP address.",
                cause: error)
        }
    }

    /// What `lookup` returns, unless the time is over or the task is cancelled before. The lookup blocks a thread, and
    /// cannot be ended: its result is dropped then.
    static func first<Value: Sendable>(
        within time: Duration, _ lookup: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        // The first result counts, and the others are ignored.
        let promise = loop.makePromise(of: Value.self)
        NIOThreadPool.singleton.runIfActive(eventLoop: loop, lookup).cascade(to: promise)
        let timer = loop.scheduleTask(in: TimeAmount(time)) {
            promise.fail(ChannelError.connectTimeout(TimeAmount(time)))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            promise.fail(CancellationError())
        }
    }
}

extension NIONetworkDevice {
    fileprivate func isNamed(_ text: String) -> Bool { name == text || address?.ipAddress == text }
}
