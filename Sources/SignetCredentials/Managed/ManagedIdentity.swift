public import SignetTLS
import Synchronization

/// An identity that an administrator or another program keeps and replaces: that of a managed app on Apple's systems, or files
/// that an agent writes (cert-manager, certmonger).
///
/// ```swift
/// let managed = ManagedIdentity.files(certificates: "/run/agent/tls.crt", privateKey: "/run/agent/tls.key")
/// service.identity = managed.source
/// for await event in managed.events { logger.info("identity", metadata: ["event": "\(event)"]) }  // where it matters
/// ```
///
/// New connections show the identity that is there when they are opened; those that are open end as they would have. While what
/// is there cannot be read, such as a file that is half written, connections show the identity that was there before. An identity
/// that the administrator has withdrawn is not shown any more.
public final class ManagedIdentity: Sendable {
    /// What has happened.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Event: Sendable, CustomStringConvertible {
        /// Another identity is there than before; also the first one, and the one that can be read after a failure.
        case changed(Identity)
        /// What is there cannot be read. The same reason is told once.
        case failed(any Error)

        public var description: String {
            switch self {
            case .changed(let identity): "changed: \(identity)"
            case .failed(let error): "failed: \(error)"
            }
        }
    }

    private let feed: any IdentityFeed
    private let state = Mutex(State())

    private struct State {
        var last: Identity?
        /// Answers may come in another order than the questions.
        var asked = 0
        var answered = 0
    }

    init(_ feed: any IdentityFeed) { self.feed = feed }

    /// What connections show.
    ///
    /// It throws the reason when no identity that can be read has been there since the program began, or since the one that was
    /// there was withdrawn.
    public var source: IdentitySource {
        IdentitySource(description: feed.name) { [self] in
            let kept = state.withLock { $0.last }
            do { return try await look(isPatient: kept == nil) } catch {
                try Task.checkCancellation()
                guard let kept, !Self.isWithdrawn(error) else { throw error }
                return kept
            }
        }
    }

    private static func isWithdrawn(_ error: any Error) -> Bool { (error as? IdentityStoreError)?.code == .notFound }

    private func look(isPatient: Bool) async throws -> Identity {
        let question = state.withLock { state in
            state.asked += 1
            return state.asked
        }
        let answer: Result<Identity, any Error>
        do { answer = .success(try await feed.identity(isPatient: isPatient)) } catch { answer = .failure(error) }
        state.withLock { state in
            guard question > state.answered else { return }
            switch answer {
            case .success(let identity): (state.last, state.answered) = (identity, question)
            case .failure(let error) where Self.isWithdrawn(error): (state.last, state.answered) = (nil, question)
            case .failure: break
            }
        }
        return try answer.get()
    }

    /// The events begin with the identity that is there now. They end when the task is cancelled. Each use has all of them.
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
            /// The certificates that were told last.
            private var known: [EncodedCertificate]?
            private var reason: String?

            fileprivate init(_ identity: ManagedIdentity) {
                self.identity = identity
                changes = identity.feed.changes().makeAsyncIterator()
            }

            public mutating func next() async -> Event? {
                while await changes.next() != nil, !Task.isCancelled {
                    do {
                        let found = try await identity.look(isPatient: true)
                        reason = nil
                        guard found.chain != known else { continue }
                        known = found.chain
                        return .changed(found)
                    } catch {
                        guard !Task.isCancelled else { return nil }
                        guard "\(error)" != reason else { continue }
                        reason = "\(error)"
                        known = nil
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
    ///
    /// - Parameter isPatient: whether to wait a moment for what others are about to finish.
    /// - Throws: ``IdentityStoreError`` with `notFound` for an identity that was withdrawn.
    func identity(isPatient: Bool) async throws -> Identity
    /// Tells when the identity may have changed, for the first time at once. It ends with the task that reads it.
    func changes() -> AsyncStream<Void>
}
