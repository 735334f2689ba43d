#if Observability
import SignetAuthentication
import SignetHTTP
import SignetTLS

/// Decides which events an exchange means, and which of them were told before.
struct EventLedger: Sendable {
    /// Bounds of memory: origins, and for each of them subjects of client certificates and events.
    static let maximumOrigins = 256
    static let maximumSubjects = 64
    static let maximumEvents = 64
    /// After which time a refusal that was interrupted by accepted calls is told again, in seconds.
    private static let interruption: Int64 = 3_600

    private struct Entry {
        /// When it was used last, in seconds since 1970.
        var used: Int64 = 0
        /// When each event was told last.
        var told: [ServiceEvent: Int64] = [:]
        /// The failures that accepted calls have followed.
        var interrupted: Set<ServiceEvent> = []
        /// The latest end of the certificates that the client has shown, by subject.
        var clientEnds: [String: Int64] = [:]

        /// Whether to tell an event now; then it counts as told.
        mutating func isDue(_ event: ServiceEvent, after reminder: Int64, at now: Int64) -> Bool {
            // A time in the future means that the clock was set back.
            let wait = interrupted.contains(event) ? min(reminder, EventLedger.interruption) : reminder
            if let last = told[event], last <= now, now - last < wait { return false }
            told.makeRoom(for: event, EventLedger.maximumEvents, by: \.self)
            told[event] = now
            interrupted.remove(event)
            interrupted.formIntersection(told.keys)
            return true
        }
    }

    private let settings: ServiceWatch.Settings
    private var entries: [Origin: Entry] = [:]

    init(_ settings: ServiceWatch.Settings = .init()) { self.settings = settings }

    /// The events to tell now.
    ///
    /// - Parameters:
    ///   - exchange: an exchange that has ended.
    ///   - pinExpiry: when the pins for its origin expire, in seconds since 1970; nil if they do not.
    ///   - now: seconds since 1970.
    mutating func events(of exchange: ExchangeOutcome, pinExpiry: Int64? = nil, at now: Int64) -> [ServiceEvent] {
        let server = exchange.endpoint.origin
        entries.makeRoom(for: server, Self.maximumOrigins, by: \.used)
        var entry = entries[server] ?? Entry()
        entry.used = now
        var found: [ServiceEvent] = []
        let connection = exchange.report.connection
        for (owner, tls) in [(ServiceEvent.Owner.server, connection.tls), (.proxy, connection.proxyTLS)] {
            guard let tls else { continue }
            found += events(of: tls, owner, server, at: now)
        }
        if let tls = connection.tls { found += clientEvents(of: tls, server, &entry, at: now) }
        if let end = pinExpiry, isWithin(settings.pins, end, now) { found.append(.pinsExpire(at: end, server: server)) }
        if let failure = Self.failure(of: exchange, server) {
            found.append(failure)
        } else if exchange.error == nil {
            entry.interrupted.formUnion(entry.told.keys.filter(\.isFailure))
        }
        found = found.filter { entry.isDue($0, after: settings.reminder.components.seconds, at: now) }
        entries[server] = entry
        return found
    }

    private func events(
        of tls: ExchangeReport.TLS, _ owner: ServiceEvent.Owner, _ server: Origin, at now: Int64
    ) -> [ServiceEvent] {
        var events: [ServiceEvent] = []
        if let end = tls.notAfter, isWithin(settings.serverCertificates, end, now) {
            let subject = tls.certificationPath.first ?? ""
            events.append(.certificateExpires(owner, subject: subject, at: end, server: server))
        }
        events += tls.pinMismatches.map { .pinsDoNotMatch(owner, message: $0, server: server) }
        if let reason = tls.exception { events.append(.trustedByException(owner, reason: reason, server: server)) }
        return events
    }

    private func clientEvents(
        of tls: ExchangeReport.TLS, _ server: Origin, _ entry: inout Entry, at now: Int64
    ) -> [ServiceEvent] {
        guard let subject = tls.clientCertificate, let end = tls.clientCertificateNotAfter else { return [] }
        let before = entry.clientEnds[subject]
        // A connection that was opened before the renewal still reports the old certificate.
        if let before, end < before { return [] }
        entry.clientEnds.makeRoom(for: subject, Self.maximumSubjects, by: \.self)
        entry.clientEnds[subject] = end
        var events: [ServiceEvent] = []
        if let before, end > before { events.append(.certificateRenewed(subject: subject, until: end, server: server)) }
        if isWithin(settings.clientCertificates, end, now) {
            events.append(.certificateExpires(.client, subject: subject, at: end, server: server))
        }
        return events
    }

    private func isWithin(_ margin: Duration, _ end: Int64, _ now: Int64) -> Bool {
        let (left, overflow) = end.subtractingReportingOverflow(now)
        return overflow ? end < now : left <= margin.components.seconds
    }

    private static func failure(of exchange: ExchangeOutcome, _ server: Origin) -> ServiceEvent? {
        switch exchange.result {
        case .success(let status):
            [401, 403, 407].contains(status.code) ? .refused(.status(status.code), server: server) : nil
        case .failure(let error as TrustError): .notTrusted(error.code, server: server)
        case .failure(let error as AuthenticationError):
            .refused(error.space?.isProxy == true ? .proxy(error.code) : .server(error.code), server: server)
        case .failure(let error as TransportError): failure(of: error, server)
        case .failure: nil
        }
    }

    private static func failure(of error: TransportError, _ server: Origin) -> ServiceEvent? {
        if let cause = error.cause as? TrustError { return .notTrusted(cause.code, server: server) }
        return switch error.code {
        case .clientCertificateRequired: .refused(.clientCertificateRequired, server: server)
        case .clientCertificateRefused: .refused(.clientCertificateRefused, server: server)
        case .proxyRefused: .refused(.proxyRefused, server: server)
        case .unusableIdentity: .identityUnusable(server: server)
        default: nil
        }
    }
}

extension Dictionary {
    /// Forgets the lowest entry if there is no room for another key.
    fileprivate mutating func makeRoom(for key: Key, _ limit: Int, by order: (Value) -> Int64) {
        guard self[key] == nil, count >= limit, let lowest = self.min(by: { order($0.value) < order($1.value) }) else {
            return
        }
        self[lowest.key] = nil
    }
}
#endif
