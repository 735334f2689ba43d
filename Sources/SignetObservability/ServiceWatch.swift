#if Observability
public import SignetHTTP
public import SignetSOAP
public import SignetTLS
import Synchronization

/// Tells what an operator should know, from what the calls of clients report: certificates and pins that are about to
/// expire, a renewed certificate, a refusal.
///
/// ```swift
/// let watch = ServiceWatch()
/// service.calls.report(to: watch, trust: service.trust)
/// let events = watch.events()  // from now on
/// Task { for await event in events { logger.warning("\(event)") } }
/// ```
///
/// One value may watch any number of clients. It keeps what it knows for the 256 origins that were called last, and
/// nothing while no stream is being read.
public final class ServiceWatch: Sendable {
    /// How early an event comes, and how often it comes again.
    public struct Settings: Sendable, Hashable {
        /// How long before its end the certificate of the client is reported; the default is 14 days.
        public var clientCertificates = Duration.seconds(14 * 86_400)
        /// How long before its end the certificate of a server or a proxy is reported; the default is 14 days. Choose
        /// less for servers whose certificates are never valid for longer.
        public var serverCertificates = Duration.seconds(14 * 86_400)
        /// How long before their end pins are reported; the default is 14 days.
        public var pins = Duration.seconds(14 * 86_400)
        /// After which time the same event is told again, if calls still report it; the default is a day.
        public var reminder = Duration.seconds(86_400)

        /// The defaults.
        public init() {}
    }

    private struct Reader {
        var ledger: EventLedger
        let continuation: AsyncStream<ServiceEvent>.Continuation
    }

    private struct Readers {
        var all: [Int: Reader] = [:]
        var count = 0
    }

    private let settings: Settings
    private let readers = Mutex(Readers())
    /// Seconds since 1970.
    private let now: @Sendable () -> Int64

    /// A watch that no client reports to yet; see `CallSettings/report(to:trust:)`.
    public convenience init(_ settings: Settings = Settings()) { self.init(settings, now: { .now }) }

    init(_ settings: Settings, now: @escaping @Sendable () -> Int64) {
        self.settings = settings
        self.now = now
    }

    deinit { for reader in readers.withLock({ Array($0.all.values) }) { reader.continuation.finish() } }

    /// The events of exchanges that end from now on, for one reader, until its task ends or the watch and all clients that
    /// report to it are gone.
    ///
    /// Each event is told once while it stays the same, and again after ``Settings/reminder``. A refusal is also told again
    /// when a call was accepted in between, once an hour at most. A reader that is too slow misses old events: the newest
    /// 64 wait for it.
    public func events() -> AsyncStream<ServiceEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ServiceEvent.self, bufferingPolicy: .bufferingNewest(64))
        let number = readers.withLock { readers in
            readers.count += 1
            readers.all[readers.count] = Reader(ledger: EventLedger(settings), continuation: continuation)
            return readers.count
        }
        continuation.onTermination = { [weak self] _ in
            self?.readers.withLock { readers in
                readers.all[number] = nil
            }
        }
        return stream
    }

    /// Judges an exchange. A client does it for each of its exchanges after `CallSettings/report(to:trust:)`.
    ///
    /// - Parameters:
    ///   - exchange: an exchange that has ended.
    ///   - trust: the policy of the connection, for the expiry of its pins; nil when it has none.
    public func record(_ exchange: ExchangeOutcome, trust: TrustPolicy? = nil) {
        let told = readers.withLock { readers in
            guard !readers.all.isEmpty else { return [(AsyncStream<ServiceEvent>.Continuation, [ServiceEvent])]() }
            let expiry = trust?.pinExpiry(of: exchange.endpoint.origin.host)
            let now = now()
            return readers.all.keys.compactMap { number in
                guard let events = readers.all[number]?.ledger.events(of: exchange, pinExpiry: expiry, at: now),
                    !events.isEmpty, let continuation = readers.all[number]?.continuation
                else { return nil }
                return (continuation, events)
            }
        }
        for (continuation, events) in told { for event in events { continuation.yield(event) } }
    }
}

extension CallSettings {
    /// Has a watch judge every exchange of a client. A closure that is already in `onExchange` is called before.
    ///
    /// ```swift
    /// service.calls.report(to: watch, trust: service.trust)
    /// ```
    ///
    /// Set `onExchange` before: an assignment takes the watch away.
    ///
    /// - Parameters:
    ///   - watch: judges the exchanges.
    ///   - trust: the policy by which the client trusts servers, for the expiry of its pins; nil when it has none.
    public mutating func report(to watch: ServiceWatch, trust: TrustPolicy? = nil) {
        let trust = trust.flatMap { $0.hasPins ? $0 : nil }
        onExchange = { [present = onExchange] exchange in
            present?(exchange)
            watch.record(exchange, trust: trust)
        }
    }
}
#endif
