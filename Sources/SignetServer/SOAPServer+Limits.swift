#if Server
import SignetSOAP

/// Checks the settings, and computes the limits that follow from them.
extension SOAPServer.Settings {
    private static let usualRequestBytes = 16 << 20
    private static let usualSpooledBytes = 1 << 30

    /// - Throws: ``SOAPServerError`` with `invalidConfiguration` for settings that are invalid for every service.
    func check(isSecure: Bool) throws(SOAPServerError) {
        guard (0...65535).contains(port) else {
            throw SOAPServerError(.invalidConfiguration, "\(port) is not a port; choose one from 0 to 65535.")
        }
        let numbers = [
            maximumRequestBytes, maximumSpooledBytes, maximumConnections, maximumUnprovenConnectionsPerAddress,
            maximumStreamsPerConnection, maximumBackgroundCalls, minimumArrivalRate,
        ]
        let waits = [idle, requestArrival, answerDelivery, firstHeadArrival]
        guard numbers.allSatisfy({ $0.map { $0 > 0 } ?? true }), waits.allSatisfy({ $0.map { $0 > .zero } ?? true })
        else {
            throw SOAPServerError(
                .invalidConfiguration, "The limits of size, number and time in the settings must be above zero.")
        }
        if maximumStreamsPerConnection != nil, !allowsHTTP2 || !isSecure {
            throw SOAPServerError(
                .invalidConfiguration,
                "The setting maximumStreamsPerConnection has no effect, because the server does not speak HTTP/2; leave it out, or allow HTTP/2 over TLS."
            )
        }
        if let firstHeadArrival, firstHeadArrival > idle {
            throw SOAPServerError(
                .invalidConfiguration,
                "The setting firstHeadArrival (\(firstHeadArrival)) has no effect, because idle (\(idle)) ends connections before; lower it, or raise idle."
            )
        }
    }

    /// The limits for the requests of a service.
    ///
    /// - Throws: ``SOAPServerError`` with `invalidConfiguration` for settings that would have no effect.
    func bounds(of dispatcher: ServiceDispatcher) throws(SOAPServerError) -> RequestBounds {
        let limits = dispatcher.attachments.limits
        guard dispatcher.takesAttachments else {
            if dispatcher.attachments.isOnlyForAttachments || maximumSpooledBytes != nil {
                throw SOAPServerError(
                    .invalidConfiguration,
                    "The service \(dispatcher.name) takes no attachments, so that its settings for attachments have no effect; leave them out, or set the dispatcher's takesAttachments."
                )
            }
            return RequestBounds(bytes: maximumRequestBytes ?? Self.usualRequestBytes, takesAttachments: false)
        }
        let ceiling = maximumRequestBytes ?? limits.totalBytes
        if !limits.hasUsualTotal, limits.totalBytes > ceiling {
            throw SOAPServerError(
                .invalidConfiguration,
                "AttachmentLimits.totalBytes (\(limits.totalBytes)) has no effect, because maximumRequestBytes (\(ceiling)) is less; raise one or lower the other."
            )
        }
        if let maximumSpooledBytes, maximumSpooledBytes < ceiling {
            throw SOAPServerError(
                .invalidConfiguration,
                "maximumSpooledBytes (\(maximumSpooledBytes)) is less than one request may have (\(ceiling) bytes, maximumRequestBytes); raise one or lower the other."
            )
        }
        let spooled = maximumSpooledBytes ?? max(Self.usualSpooledBytes, ceiling)
        return RequestBounds(bytes: ceiling, spool: SpoolBudget(limit: spooled))
    }
}
#endif
