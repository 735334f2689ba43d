public import SignetTLS
import Synchronization

/// An identity that an administrator or another program keeps and replaces: that of a managed app on Apple's systems, or files
/// that an agent writes (systemd, cert-manager, certmonger).
///
/// ```swift
/// let managed = ManagedIdentity.files(certificates: "/run/agent/tls.crt", privateKey: "/run/agent/tls.key")
/// service.identity = managed.source
/// for await event in managed.events { logger.info("identity", metadata: ["event": "\(event)"]) }  // where it matters
/// ```
///
/// New connections show the identity that is there when they are opened; those that are open end as they would have. While what
/// is there cannot be used, such as a file that is half written, connections show the identity that was there before.
public final class ManagedIdentity: Sendable {
    /// What has happened.
    public enum Event: Sendable, CustomStringConvertible {
        /// Another identity is there than before; also the first one.
        case changed(Identity)
        /// What is there cannot be used; the identity that was there before is used still. The same reason is told once.
        case failed(any Error)

        public var description: String {
            switch self {
            case .changed(let identity): "changed: \(identity)"
            case .failed(let error): "failed: \(error)"
            }
        }
    }

    private let feed: any IdentityFeed
    private let last = Mutex<Identity?>(nil)

    init(_ feed: any IdentityFeed) { self.feed = feed }

    /// What connections show.
    ///
    /// It throws the reason when no usable identity has been there since the program began.
    public var source: IdentitySource {
        IdentitySource(description: feed.name) { [self] in
            do { return try await look() } catch {
                try Task.checkCancellation()
                guard let kept = last.withLock({ $0 }) else { throw error }
                return kept
            }
        }
    }

    private func look() async throws -> Identity {
        let identity = try await feed.identity()
        last.withLock { $0 = identity }
        return identity
    }

    /// What happens from the first question on, until the task is cancelled or the system tells of no more changes. Each use
    /// has all events, beginning with the identity that is there.
    public var events: Events { Events(identity: self) }

    /// The events of a ``ManagedIdentity``.
    public struct Events: AsyncSequence, Sendable {
        public typealias Element = Event
        public typealias Failure = Never
        fileprivate let identity: ManagedIdentity

        public func makeAsyncIterator() -> Iterator { Iterator(identity) }

        /// Looks when the system or the clock says that something may have changed.
        public struct Iterator: AsyncIteratorProtocol {
            private let identity: ManagedIdentity
            private var changes: AsyncStream<Void>.Iterator
            private var known: EncodedCertificate?
            private var reason: String?

            fileprivate init(_ identity: ManagedIdentity) {
                self.identity = identity
                changes = identity.feed.changes().makeAsyncIterator()
            }

            public mutating func next() async -> Event? {
                while await changes.next() != nil, !Task.isCancelled {
                    do {
                        let found = try await identity.look()
                        reason = nil
                        guard found.leaf != known else { continue }
                        known = found.leaf
                        return .changed(found)
                    } catch {
                        guard !Task.isCancelled else { return nil }
                        guard "\(error)" != reason else { continue }
                        reason = "\(error)"
                        return .failed(error)
                    }
                }
                return nil
            }
        }
    }
}

extension ManagedIdentity: CustomStringConvertible, CustomReflectable {
    public var description: String { "ManagedIdentity(\(feed.name))" }
    public var customMirror: Mirror { Mirror(self, children: ["name": feed.name]) }
}

/// A place whose identity others replace.
protocol IdentityFeed: Sendable {
    /// Names the place in reports; without a secret.
    var name: String { get }
    /// The identity that is there now.
    func identity() async throws -> Identity
    /// Tells when the identity may have changed, for the first time at once. It ends with the task that reads it.
    func changes() -> AsyncStream<Void>
}
