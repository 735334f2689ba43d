#if Server
import SignetSOAP

/// Checks the settings, and computes the limits that follow from them.
extension SOAPServer.Settings {
    private static let usualRequestBytes = 16 << 20
    private static let usualSpooledBytes = 1 << 30
    static let usualCallsPerConnection = 100

    /// - Throws: ``SOAPServerError`` with `invalidConfiguration` for settings that are invalid for every service.
    func check(isSecure: Bool) throws(SOAPServerError) {
        guard (0...65535).contains(port) else {
            throw SOAPServerError(.invalidConfiguration, "\(port) is not a port; choose one from 0 to 65535.")
        }
        if let unixSocketPath {
            try check(unixSocketPath: unixSocketPath)
        }
        let numbers = [
            maximumRequestBytes, maximumSpooledBytes, maximumConnections, maximumUnprovenConnectionsPerAddress,
            maximumCallsPerConnection, maximumBackgroundCalls, minimumArrivalRate,
        ]
        let waits = [idle, requestArrival, answerDelivery, firstHeadArrival, health?.timeLimit]
        guard numbers.allSatisfy({ $0.map { $0 > 0 } ?? true }), waits.allSatisfy({ $0.map { $0 > .zero } ?? true })
        else {
            throw SOAPServerError(
                .invalidConfiguration, "The limits of size, number and time in the settings must be above zero.")
        }
        if maximumCallsPerConnection != Self.usualCallsPerConnection, !allowsHTTP2 || !isSecure {
            throw SOAPServerError(
                .invalidConfiguration,
                "The setting maximumCallsPerConnection has no effect, because the server does not speak HTTP/2; leave it out, or allow HTTP/2 over TLS."
            )
        }
        if let firstHeadArrival, firstHeadArrival > idle {
            throw SOAPServerError(
                .invalidConfiguration,
                "The setting firstHeadArrival (\(firstHeadArrival)) has no effect, because idle (\(idle)) ends connections before; lower it, or raise idle."
            )
        }
    }

    /// The paths of health checks.
    var healthPaths: [String] { health.map { [$0.livePath, $0.readyPath] } ?? [] }

    /// - Parameter paths: those of the services.
    /// - Throws: ``SOAPServerError`` with `invalidConfiguration` for paths that are one too many.
    func check(paths: [String]) throws(SOAPServerError) {
        guard !paths.isEmpty else {
            throw SOAPServerError(.invalidConfiguration, "The server has no service; give it one at least.")
        }
        let all = paths + healthPaths
        for (place, path) in all.enumerated() {
            guard path.hasPrefix("/"), !path.contains("?") else {
                throw SOAPServerError(
                    .invalidConfiguration, "The path “\(path)” of health checks must begin with / and hold no query.")
            }
            guard !all[..<place].contains(path) else {
                throw SOAPServerError(
                    .invalidConfiguration,
                    "The path “\(path)” is given twice; each service and each health check has a path of its own.")
            }
        }
    }

    /// The disk space for attachments, which the services share; nil when no service takes attachments.
    ///
    /// - Throws: ``SOAPServerError`` with `invalidConfiguration` for settings that would have no effect.
    func spool(of services: [HostedService]) throws(SOAPServerError) -> SpoolBudget? {
        let ceilings = services.filter(\.dispatcher.takesAttachments).map {
            $0.maximumRequestBytes ?? maximumRequestBytes ?? $0.dispatcher.attachments.limits.totalBytes
        }
        guard let ceiling = ceilings.max() else {
            guard maximumSpooledBytes == nil else {
                throw SOAPServerError(
                    .invalidConfiguration,
                    "maximumSpooledBytes has no effect, because no service takes attachments; leave it out, or set a dispatcher's takesAttachments."
                )
            }
            return nil
        }
        if let maximumSpooledBytes, maximumSpooledBytes < ceiling {
            throw SOAPServerError(
                .invalidConfiguration,
                "maximumSpooledBytes (\(maximumSpooledBytes)) is less than one request may have (\(ceiling) bytes, maximumRequestBytes); raise one or lower the other."
            )
        }
        return SpoolBudget(limit: maximumSpooledBytes ?? max(Self.usualSpooledBytes, ceiling))
    }

    /// The limits for the requests of a service.
    ///
    /// - Parameters:
    ///   - maximum: the largest size of a request to this service; nil for the server's.
    ///   - spool: the disk space for attachments.
    /// - Throws: ``SOAPServerError`` with `invalidConfiguration` for settings that would have no effect.
    func bounds(
        of dispatcher: ServiceDispatcher, maximum: Int?, _ spool: SpoolBudget?
    ) throws(SOAPServerError) -> RequestBounds {
        let limits = dispatcher.attachments.limits
        let maximum = maximum ?? maximumRequestBytes
        guard dispatcher.takesAttachments else {
            if dispatcher.attachments.isOnlyForAttachments {
                throw SOAPServerError(
                    .invalidConfiguration,
                    "The service \(dispatcher.name) takes no attachments, so that its settings for attachments have no effect; leave them out, or set the dispatcher's takesAttachments."
                )
            }
            return RequestBounds(bytes: maximum ?? Self.usualRequestBytes, takesAttachments: false)
        }
        let ceiling = maximum ?? limits.totalBytes
        if !limits.hasUsualTotal, limits.totalBytes > ceiling {
            throw SOAPServerError(
                .invalidConfiguration,
                "AttachmentLimits.totalBytes (\(limits.totalBytes)) has no effect, because maximumRequestBytes (\(ceiling)) is less; raise one or lower the other."
            )
        }
        return RequestBounds(bytes: ceiling, spool: spool)
    }
}
#endif
