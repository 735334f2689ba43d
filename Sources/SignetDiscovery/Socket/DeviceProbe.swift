import Synchronization

extension DeviceDiscovery {
    /// Asks for devices. Nothing is sent before the first element is asked for.
    public func probe() -> DeviceProbe { DeviceProbe(self, .probe(types: types, scopes: scopes, matching)) }

    /// Asks for the addresses of one device whose endpoint address is known, for example because it answered a probe
    /// without addresses.
    ///
    /// When a host has answered, the client listens for one second more: the first answer may be an impostor's, and the
    /// device's own then stands beside it.
    ///
    /// - Parameter endpointAddress: the name of the device, such as `urn:uuid:…`.
    /// - Returns: the device; nil when no host has answered in time, or the task was cancelled.
    public func resolve(_ endpointAddress: String) async throws(DiscoveryError) -> DiscoveredDevice? {
        guard endpointAddress.isOneWord, endpointAddress.utf8.count <= DiscoveryText.longest else {
            throw DiscoveryError(
                .unusableSetting,
                "“\(endpointAddress.printable)” is no endpoint address: give a URI of 1 to \(DiscoveryText.longest) bytes, such as urn:uuid:…"
            )
        }
        var found: DiscoveredDevice?
        var iterator = DeviceProbe(self, .resolve(endpointAddress)).makeAsyncIterator()
        while let device = try await iterator.next() {
            if found == nil { iterator.shorten(to: .seconds(1)) }
            found = device
        }
        return found
    }
}

/// The devices that answer a search, as they answer.
///
/// Each loop over it asks anew. A device is an element when it is new, and again when more is known of it, such as
/// another address, an answer of another host, or a newer description (`MetadataVersion`): the element with the same
/// ``DiscoveredDevice/endpointAddress`` then takes the place of the earlier one. The sequence ends when the time is
/// over, or when the task is cancelled. Its sockets are closed then, and when the loop is left early.
public struct DeviceProbe: AsyncSequence, Sendable {
    public typealias Element = DiscoveredDevice
    public typealias Failure = DiscoveryError

    private let discovery: DeviceDiscovery
    private let kind: DiscoveryRequest.Kind
    private let record = Record()

    /// The numbers of the loop that has begun last.
    fileprivate final class Record: Sendable {
        let inbox = Mutex<DiscoverySession.Inbox?>(nil)
    }

    init(_ discovery: DeviceDiscovery, _ kind: DiscoveryRequest.Kind) {
        self.discovery = discovery
        self.kind = kind
    }

    /// How many datagrams have come so far in the loop that has begun last, and what became of them. Read it after the
    /// loop.
    public var tally: DiscoveryTally {
        record.inbox.withLock(\.self)?.collector.withLock { $0.tally } ?? DiscoveryTally()
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(state: .begins(discovery, kind), record: record)
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate enum State {
            case begins(DeviceDiscovery, DiscoveryRequest.Kind)
            case listens(DiscoverySession, AsyncStream<Void>.Iterator)
            case ended
        }

        fileprivate var state: State
        fileprivate let record: Record

        /// - Throws: ``DiscoveryError`` when the question could not be sent; nothing else is thrown.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(DiscoveryError) -> DiscoveredDevice? {
            if case .begins(let discovery, let kind) = state {
                state = .ended
                if Task.isCancelled { return nil }
                guard let session = try await DiscoverySession.begin(discovery, kind) else { return nil }
                record.inbox.withLock { $0 = session.inbox }
                state = .listens(session, session.inbox.signals.makeAsyncIterator())
            }
            guard case .listens(let session, var signals) = state else { return nil }
            while !Task.isCancelled {
                if let device = session.inbox.collector.withLock({ $0.next() }) { return device }
                let isOpen = await signals.next(isolation: actor) != nil
                state = .listens(session, signals)
                if !isOpen { break }
            }
            session.close()
            guard !Task.isCancelled, let last = session.inbox.collector.withLock({ $0.next() }) else {
                state = .ended
                return nil
            }
            // The sockets are closed; what has come is handed out.
            return last
        }

        public mutating func next() async throws(DiscoveryError) -> DiscoveredDevice? {
            try await next(isolation: nil)
        }

        fileprivate func shorten(to time: Duration) {
            if case .listens(let session, _) = state { session.shorten(to: time) }
        }
    }
}
