#if Server
import SignetAuthentication
import SignetHTTP

/// Limits for clients that have not proved their identity yet.
extension SOAPServer.Settings {
    private static let usualFirstHeadArrival = Duration.seconds(10)

    /// How long a client may take for TLS and the head of its first request.
    var firstHead: Duration { firstHeadArrival ?? min(Self.usualFirstHeadArrival, idle) }

    /// Counts the connections of each address.
    ///
    /// - Throws: ``SOAPServerError`` with `invalidConfiguration`.
    func budget() throws(SOAPServerError) -> PeerBudget {
        let limit = maximumUnprovenConnectionsPerAddress ?? max(1, maximumConnections / 4)
        guard limit <= maximumConnections else {
            throw SOAPServerError(
                .invalidConfiguration,
                "maximumUnprovenConnectionsPerAddress (\(limit)) has no effect, because maximumConnections (\(maximumConnections)) is less; lower it, or raise maximumConnections."
            )
        }
        var exempt: [AddressBlock] = []
        for name in proxies {
            guard let block = AddressBlock(name) else {
                throw SOAPServerError(
                    .invalidConfiguration,
                    "“\(name.printable)” in the setting proxies is no address; write one such as 192.0.2.7 or 2001:db8::7, or a block such as 10.1.0.0/16."
                )
            }
            exempt.append(block)
        }
        if unixSocketPath != nil {
            guard exempt.isEmpty else {
                throw SOAPServerError(
                    .invalidConfiguration,
                    "The setting proxies has no effect, because the server listens at unixSocketPath, where connections have no addresses; leave it out."
                )
            }
            guard usesProxyProtocol || maximumUnprovenConnectionsPerAddress == nil else {
                throw SOAPServerError(
                    .invalidConfiguration,
                    "maximumUnprovenConnectionsPerAddress has no effect, because the server listens at unixSocketPath, where connections have no addresses; leave it out, or let the proxy name its clients (usesProxyProtocol)."
                )
            }
        }
        guard !usesProxyProtocol || !exempt.isEmpty || unixSocketPath != nil else {
            throw SOAPServerError(
                .invalidConfiguration,
                "With usesProxyProtocol the server accepts connections of proxies only, and the setting proxies names none; name their addresses."
            )
        }
        return PeerBudget(limit: limit, exempt: exempt)
    }
}
#endif
