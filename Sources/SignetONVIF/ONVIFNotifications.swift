/// The notifications of a subscription, one after the other, each once: at most one loop can go over them at a time.
///
/// ``ONVIFDevice/withNotifications(matching:lasting:waiting:messageLimit:toleratedFailures:onGap:isolation:_:)`` makes
/// it.
public struct ONVIFNotifications: AsyncSequence, Sendable {
    let point: ONVIFPullPoint

    /// The iterator over notifications.
    public struct Iterator: AsyncIteratorProtocol {
        let point: ONVIFPullPoint

        /// The next notification; nil when the subscription has ended, or an error was thrown before.
        public func next() async throws -> ONVIFNotification? { try await point.next() }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(point: point) }
}

/// Events may have been lost.
public struct ONVIFEventGap: Sendable {
    /// Whether the client has subscribed anew, because the device no longer knew the subscription or would not go on
    /// with it. Otherwise an answer with notifications may have been lost on its way.
    public let isResubscribed: Bool
    /// Whether the device has agreed to report the present state of all properties. Some devices do not know
    /// `SetSynchronizationPoint`.
    public let isSynchronized: Bool
    /// Why.
    public let cause: any Error
}

extension ONVIFDevice {
    /// Subscribes to events of the device, and unsubscribes when `body` has returned (ONVIF Core Specification 26.06
    /// §9.1).
    ///
    /// ```swift
    /// try await device.withNotifications(matching: .init(subtrees: [.onvif("RuleEngine")])) { notifications in
    ///     for try await notification in notifications { print(notification, notification.data["IsMotion"] ?? "-") }
    /// }
    /// ```
    ///
    /// The client asks for the next notifications when the program has taken those that it has: it waits at the device
    /// until there are some. A program that takes longer than `lasting` between two notifications lets the
    /// subscription of a device without `Renew` end.
    ///
    /// **Renewal.** `PullMessages` keeps a subscription alive (§9.1.1). When less than half of its time is left all the
    /// same, and it would end during the next `PullMessages`, the client renews it (`Renew`) before. When the device has
    /// ended it, the client subscribes anew, and calls `onGap`.
    ///
    /// **Failures.** What passes, such as a lost connection, is repeated with waits that grow from 1 s to 30 s, and so
    /// is a subscription that ends soon after it was made; after `toleratedFailures` in a row the loop throws the
    /// error. A refusal of the credentials is thrown at once. An answer may have at most 4 MiB, and no more
    /// notifications than were asked for, or 1,024 if that is more.
    ///
    /// **Address.** The device chooses the address of the subscription; ``addressing`` decides what of it is called.
    ///
    /// - Parameters:
    ///   - filter: the events to report; nil for all.
    ///   - lasting: for how long a subscription is to last without a call of the client; 1 s or more. The device may
    ///     choose another time.
    ///   - waiting: for how long an answer may wait for an event, from 1 s to 60 s, which every device supports; at
    ///     most half of `lasting` is used. It is added to the deadlines `read` and `total` of calls.
    ///   - messageLimit: the largest number of notifications in one answer, from 1 to 10,000.
    ///   - toleratedFailures: the number of failures in a row after which the loop ends with an error.
    ///   - onGap: called between two notifications when events may have been lost. The client has asked the device to
    ///     report the present state of all properties (`SetSynchronizationPoint`, §9.5), and repeated that as it repeats
    ///     other calls; ``ONVIFEventGap/isSynchronized`` says whether the device agreed. Notifications of other events
    ///     are not repeated.
    ///   - isolation: the actor on which `body` runs, the caller's unless given.
    ///   - body: goes over the notifications. When it returns or throws, the client unsubscribes; that takes 5 s at
    ///     most, also when the task was cancelled.
    /// - Throws: the errors of `body`, and of the loop in it: those of calls, and ``ONVIFError``: `noSuchService`,
    ///   `unusableAddress`, `unusableOption`, `unusableEvents`.
    public func withNotifications<Value>(
        matching filter: ONVIFEventFilter? = nil, lasting: Duration = .seconds(60),
        waiting: Duration = .seconds(20), messageLimit: Int = 100, toleratedFailures: Int = 8,
        onGap: @escaping @Sendable (ONVIFEventGap) async -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation, _ body: (ONVIFNotifications) async throws -> Value
    ) async throws -> Value {
        try await withNotifications(
            by: ONVIFEventSettings(
                filter: filter, lasting: lasting, waiting: waiting, messageLimit: messageLimit,
                toleratedFailures: toleratedFailures, onGap: onGap), body)
    }

    package func withNotifications<Value>(
        by settings: ONVIFEventSettings, isolation: isolated (any Actor)? = #isolation,
        _ body: (ONVIFNotifications) async throws -> Value
    ) async throws -> Value {
        try settings.check()
        let point = ONVIFPullPoint(self, try caller(for: ONVIFEventOperation.events), settings)
        let result: Result<Value, any Error>
        do {
            try await point.begin()
            result = .success(try await body(ONVIFNotifications(point: point)))
        } catch {
            result = .failure(error)
        }
        await point.end()
        return try result.get()
    }
}

/// How a subscription is made and kept.
package struct ONVIFEventSettings: Sendable {
    package var filter: ONVIFEventFilter?
    package var lasting: Duration
    package var waiting: Duration
    package var messageLimit: Int
    package var toleratedFailures: Int
    package var onGap: @Sendable (ONVIFEventGap) async -> Void
    /// The first wait after a failure.
    package var interval: Duration = .seconds(1)
    /// The longest pause after an answer without notifications that came at once. Events are late by no more than
    /// this at devices that never wait.
    package var longestPause: Duration = .seconds(2)
    /// How long notifications that have arrived may wait for a renewal.
    package var renewing: Duration = .seconds(5)
    /// How long the client tries to unsubscribe.
    package var unsubscribing: Duration = .seconds(5)

    package init(
        filter: ONVIFEventFilter? = nil, lasting: Duration = .seconds(60), waiting: Duration = .seconds(20),
        messageLimit: Int = 100, toleratedFailures: Int = 8,
        onGap: @escaping @Sendable (ONVIFEventGap) async -> Void = { _ in }
    ) {
        self.filter = filter
        self.lasting = lasting
        self.waiting = waiting
        self.messageLimit = messageLimit
        self.toleratedFailures = toleratedFailures
        self.onGap = onGap
    }

    func check() throws(ONVIFError) {
        let rules: [(option: String, isKept: Bool, rule: String)] = [
            (
                "matching", filter.map { ($0.topics + $0.subtrees).allSatisfy { !$0.path.isEmpty } } ?? true,
                "topics with names"
            ),
            ("lasting", (.seconds(1) ... .seconds(366 * 86_400)).contains(lasting), "from 1 s to 366 days"),
            ("waiting", (.seconds(1) ... .seconds(60)).contains(waiting), "from 1 s to 60 s"),
            ("messageLimit", (1...10_000).contains(messageLimit), "from 1 to 10,000"),
            ("toleratedFailures", (0...1_000).contains(toleratedFailures), "from 0 to 1,000"),
        ]
        if let broken = rules.first(where: { !$0.isKept }) {
            throw ONVIFError(
                .unusableOption,
                "The option \(broken.option) of a subscription is out of its bounds: set it to \(broken.rule).")
        }
    }
}
