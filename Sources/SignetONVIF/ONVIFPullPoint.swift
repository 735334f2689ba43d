import SignetSOAP

/// A subscription at a device, which is renewed, and made anew when it is lost.
actor ONVIFPullPoint {
    /// Notifications of one answer that are accepted although fewer were asked for.
    private static let mostNotifications = 1_024
    private static let mostBytes = 4 << 20

    private let device: ONVIFDevice
    private let settings: ONVIFEventSettings
    /// Calls the event service.
    private let events: ServiceCaller
    /// Calls the pull point; nil before there is one.
    private var manager: ServiceCaller?
    private let clock = ContinuousClock()
    private let polling: Polling

    /// When the subscription ends, by our clock; nil when the device has not said it.
    private var ending: ContinuousClock.Instant?
    private var beginning: ContinuousClock.Instant
    /// How long the device was to keep the subscription without a call, when it was made or renewed.
    private var granted: Duration
    /// How long a renewal is to last: no longer than the device granted when the subscription was made.
    private var renewal: Duration
    /// False for devices that do not know `Renew`, at which `PullMessages` alone keeps a subscription alive.
    private var canRenew = true
    /// Whether `Renew` has failed since the last answer to `PullMessages`.
    private var hasFailedToRenew = false
    private var waiting: Duration
    private var messageLimit: Int
    /// How often the device may still ask for less.
    private var loweringsLeft = 4

    /// Notifications that the program has not taken yet, the next one last.
    private var rest: [ONVIFNotification] = []
    /// Why an answer may have been lost.
    private var lostAnswer: (any Error)?
    /// Subscriptions in a row that were lost soon after they were made.
    private var losses = 0
    /// Answers in a row that had no notifications and came at once.
    private var haste = 0
    private var isBusy = false
    private var isOver = false

    /// - Parameter events: calls the event service of the device.
    init(_ device: ONVIFDevice, _ events: ServiceCaller, _ settings: ONVIFEventSettings) {
        self.device = device
        self.settings = settings
        var events = events
        events.maximumResponseBytes = min(events.maximumResponseBytes, Self.mostBytes)
        events.maximumStreamedBytes = min(events.maximumStreamedBytes, Int64(Self.mostBytes))
        if !events.headerProviders.contains(where: { $0 is AddressingHeader }) {
            // “Both device and client shall support [WS-Addressing] for event services.” (§9)
            events.headerProviders.append(AddressingHeader())
        }
        self.events = events
        var polling = Polling(every: settings.interval, upTo: settings.interval * 30, deadline: .seconds(366 * 86_400))
        polling.toleratedFailures = settings.toleratedFailures
        self.polling = polling
        beginning = clock.now
        granted = settings.lasting
        renewal = settings.lasting
        waiting = max(.seconds(1), min(settings.waiting, settings.lasting / 2))
        messageLimit = settings.messageLimit
    }

    /// Makes the first subscription. It is not tried again: the program learns at once that the device is not there.
    func begin() async throws { try await subscribe() }

    /// Ends the subscription, in a short time whatever happens. A device ends those of which it hears nothing.
    func end() async {
        isOver = true
        rest = []
        await unsubscribe()
    }

    // MARK: Notifications

    func next() async throws -> ONVIFNotification? {
        guard !isOver else { return nil }
        guard !isBusy else {
            throw ONVIFError(
                .unusableOption,
                "Two loops go over the notifications of \(device) at the same time: use one, or make two subscriptions."
            )
        }
        isBusy = true
        defer { isBusy = false }
        do {
            if !rest.isEmpty {
                // The program may be slow. If this fails, the next PullMessages shows it.
                if !hasFailedToRenew { try? await renewIfDue(within: settings.renewing) }
                try checkCancellation()
            }
            while rest.isEmpty {
                try checkCancellation()
                do { try await fill() } catch let error where ONVIFEventFailure.isLoss(error) {
                    try await resubscribe(after: error)
                }
            }
            return isOver ? nil : rest.popLast()
        } catch {
            isOver = true
            throw error
        }
    }

    /// Takes one answer with notifications, or without.
    private func fill() async throws {
        try await pause()
        try await renewIfDue()
        let start = clock.now
        let answer = try await polling.run({ try await self.pull() }, state: { _ in .done })
        note(answer.lifetime)
        hasFailedToRenew = false
        let most = max(Self.mostNotifications, messageLimit)
        var notifications: [ONVIFNotification] = []
        for element in answer.elements {
            notifications += ONVIFNotification.all(in: element, most: most + 1)
            guard notifications.count <= most else {
                throw ONVIFError(
                    .unusableEvents,
                    "An answer of \(device) has more than \(most) notifications, and \(messageLimit) were asked for: narrow the filter, or correct the device."
                )
            }
        }
        // “The device shall not return a response with zero messages prior to reaching the Timeout.” (§9.1.2) Some do.
        let isHasty = notifications.isEmpty && clock.now - start < .seconds(1)
        haste = isHasty ? min(haste + 1, 16) : 0
        if let cause = lostAnswer {
            lostAnswer = nil
            try await reportGap(isResubscribed: false, cause)
        }
        rest = notifications.reversed()
    }

    private func pull() async throws -> ONVIFPullAnswer {
        guard !isOver, var caller = manager else { throw TransportError.cancelled() }
        // A subscription that has outlived its end is kept alive by PullMessages.
        let known = remaining.flatMap { $0 > .zero ? $0 * 3 / 4 : nil }
        let wait = max(.seconds(1), min(waiting, known ?? waiting))
        // The device answers only after this time when there are no events.
        caller.deadlines.read += wait
        caller.deadlines.total += wait
        let start = clock.now
        do {
            return try await caller.call(
                ONVIFEventOperation.pull,
                .init(timeout: wait.wholeSecondsText, messageLimit: Int32(clamping: messageLimit)))
        } catch let fault as DeclaredFault<ONVIFPullLimits> where lower(to: fault.detail) {
            return try await pull()
        } catch {
            if ONVIFEventFailure.mayHaveTakenEvents(error) { lostAnswer = error }
            // Some devices close the connection in place of an answer without events. That no event was in it is not known.
            if ONVIFEventFailure.isEndOfWait(error), clock.now - start >= wait * 4 / 5 { return ONVIFPullAnswer() }
            throw error
        }
    }

    /// Waits for less, or for fewer notifications; false when the limits of a device change nothing, or too often.
    private func lower(to limits: ONVIFPullLimits) -> Bool {
        guard loweringsLeft > 0 else { return false }
        loweringsLeft -= 1
        let before = (waiting, messageLimit)
        if let text = limits.maxTimeout, let longest = XSDDuration(text)?.exactDuration {
            waiting = max(.seconds(1), min(waiting, longest))
        }
        if let most = limits.maxMessageLimit { messageLimit = max(1, min(messageLimit, Int(most))) }
        return before != (waiting, messageLimit)
    }

    private func pause() async throws {
        guard haste > 0 else { return }
        try await sleep(min(settings.longestPause, settings.longestPause * (1 << min(haste, 4)) / 16))
    }

    // MARK: Subscriptions

    private func subscribe() async throws {
        try checkCancellation()
        let filter: XMLAny?
        do { filter = try settings.filter?.element() } catch {
            throw ONVIFError(.unusableOption, "The filter of a subscription cannot be written: \(error)", cause: error)
        }
        var query = ONVIFSubscribeQuery(filter: filter, initialTerminationTime: settings.lasting.wholeSecondsText)
        let answer: ONVIFSubscribeAnswer
        do { answer = try await events.call(ONVIFEventOperation.subscribe, query) } catch let error
            where ONVIFEventFailure.fault(of: error, isNamed: "UnacceptableInitialTerminationTimeFault")
        {
            query.initialTerminationTime = nil
            answer = try await events.call(ONVIFEventOperation.subscribe, query)
        }
        manager = try manager(at: EndpointReference(answer.reference))
        if isOver {
            // The program left while the device made the subscription, when there was none to end.
            await unsubscribe()
            throw TransportError.cancelled()
        }
        beginning = clock.now
        granted = answer.lifetime ?? settings.lasting
        renewal = min(settings.lasting, granted)
        (ending, lostAnswer) = (nil, nil)
        (canRenew, hasFailedToRenew) = (true, false)
        note(answer.lifetime)
    }

    /// Calls the pull point at its address, with the header blocks that the device wants back.
    private func manager(at reference: EndpointReference) throws -> ServiceCaller {
        var caller = events
        do {
            caller.endpoint = try device.addressing.endpoint(
                of: reference.address, reachedAt: device.caller.endpoint)
        } catch {
            throw ONVIFError(
                .unusableAddress,
                "The address that \(device) reports for a subscription cannot be used: \(error.description)",
                cause: error)
        }
        var header = events.headerProviders.lazy.compactMap { $0 as? AddressingHeader }.first ?? AddressingHeader()
        header.reference = reference
        header.to = reference.address
        caller.headerProviders.removeAll { $0 is AddressingHeader }
        caller.headerProviders.append(header)
        return caller
    }

    /// How long the subscription has left; nil when that is not known, or when `PullMessages` alone prolongs it.
    private var remaining: Duration? { canRenew ? ending.map { $0 - clock.now } : nil }

    /// - Parameter lifetime: nil when an answer does not say it; what is known then stays.
    private func note(_ lifetime: Duration?) { if let lifetime { ending = clock.now + lifetime } }

    /// Renews a subscription that would end during the next `PullMessages`.
    ///
    /// - Parameter longest: a deadline for the call; nil for the usual one.
    /// - Throws: a refusal of the credentials, and what says that the subscription is no longer there.
    private func renewIfDue(within longest: Duration? = nil) async throws {
        guard var caller = manager, let remaining, remaining * 3 / 4 < waiting, remaining < granted / 2 else { return }
        if let longest { caller.deadlines.total = min(caller.deadlines.total, longest) }
        do {
            let answer = try await caller.call(
                ONVIFEventOperation.renew, .init(terminationTime: renewal.wholeSecondsText))
            granted = answer.lifetime ?? renewal
            note(granted)
        } catch {
            hasFailedToRenew = true
            try checkCancellation()
            // Devices need not know Renew at a pull point, “By default the pull point keep alive is controlled via the
            // PullMessages operation” (§9.1.1).
            canRenew = !ONVIFEventFailure.isUnsupported(error)
            // Another failure shows again at the next PullMessages.
            guard canRenew, ONVIFRefusal.isOne(error) || ONVIFEventFailure.isUnknownResource(error) else { return }
            throw error
        }
    }

    private func resubscribe(after error: any Error) async throws {
        var cause = error
        let usual = max(settings.interval, min(granted, .seconds(60)) / 2)
        if clock.now - beginning >= usual { losses = 0 }
        while true {
            losses += 1
            guard losses <= settings.toleratedFailures else { throw cause }
            if losses > 1 { try await sleep(settings.interval * (1 << min(losses - 2, 5))) }
            try checkCancellation()
            // The device keeps only a few of them.
            if !ONVIFEventFailure.isUnknownResource(cause) { await unsubscribe() }
            manager = nil
            do {
                try await polling.run({ try await self.subscribe() }, state: { _ in .done })
                break
            } catch let error where ONVIFEventFailure.isLoss(error) { cause = error }
        }
        try await reportGap(isResubscribed: true, error)
    }

    private func reportGap(isResubscribed: Bool, _ cause: any Error) async throws {
        var isSynchronized = true
        do { try await polling.run({ try await self.synchronize() }, state: { _ in .done }) } catch {
            // The program is told of the gap also where the device cannot repeat what was lost.
            isSynchronized = false
        }
        try checkCancellation()
        await settings.onGap(.init(isResubscribed: isResubscribed, isSynchronized: isSynchronized, cause: cause))
    }

    private func synchronize() async throws {
        guard !isOver, let manager else { throw TransportError.cancelled() }
        _ = try await manager.call(ONVIFEventOperation.synchronize, .init())
    }

    private func unsubscribe() async {
        guard let caller = manager else { return }
        let longest = settings.unsubscribing
        // A child task would be cancelled together with this one, and the device would keep the subscription.
        await Task {
            await withTaskGroup { group in
                group.addTask { _ = try? await caller.call(ONVIFEventOperation.unsubscribe, .init()) }
                group.addTask { try? await Task.sleep(for: longest) }
                await group.next()
                group.cancelAll()
            }
        }.value
    }

    // MARK: Time

    private func sleep(_ duration: Duration) async throws {
        do { try await clock.sleep(for: duration) } catch { throw TransportError.cancelled() }
    }

    private func checkCancellation() throws {
        if Task.isCancelled || isOver { throw TransportError.cancelled() }
    }
}

/// What an error says about a subscription.
enum ONVIFEventFailure {
    /// Whether the device does not go on with the subscription, so that another has to be made.
    static func isLoss(_ error: any Error) -> Bool {
        if ONVIFRefusal.isOne(error) { return false }
        if error is any FaultAnswer { return true }
        // A device that has forgotten a subscription may have nothing at its address. Statuses of proxies, and those
        // that ask for patience, say nothing about the subscription.
        guard let status = (error as? ServiceError)?.answer?.status else { return false }
        return (400..<600).contains(status) && ![401, 403, 407, 429, 502, 503, 504].contains(status)
    }

    /// Whether the connection ended before the answer was complete.
    static func isEndOfWait(_ error: any Error) -> Bool {
        (error as? TransportError)?.code == .connectionClosed
    }

    /// Whether the device says that it does not know the subscription (WS-BaseNotification 1.3 §6.1.1).
    static func isUnknownResource(_ error: any Error) -> Bool {
        fault(of: error, isNamed: "ResourceUnknownFault")
            || [404, 410].contains((error as? ServiceError)?.answer?.status)
    }

    /// Whether the device says that it does not know an operation. gSOAP, on which many devices are built, says so only
    /// in the reason.
    static func isUnsupported(_ error: any Error) -> Bool {
        guard let fault = (error as? any FaultAnswer)?.fault else {
            return [404, 405, 501].contains((error as? ServiceError)?.answer?.status)
        }
        let names = ["ActionNotSupported", "UnknownAction"]
        return ([fault.code] + fault.subcodes).contains { names.contains($0.localName) }
            || fault.reason.lowercased().contains("not implemented")
    }

    /// Whether an error is this fault of WS-BaseNotification, which stands in the detail. Some devices write it as a
    /// subcode.
    static func fault(of error: any Error, isNamed name: String) -> Bool {
        guard let fault = (error as? any FaultAnswer)?.fault else { return false }
        return fault.detail.contains { $0.localName == name } || fault.subcodes.contains { $0.localName == name }
    }

    /// Whether the device may have sent notifications that did not arrive.
    static func mayHaveTakenEvents(_ error: any Error) -> Bool {
        if let error = error as? TransportError { return error.mayHaveBeenProcessed && error.code != .cancelled }
        return TransientFailure(error)?.mayHaveBeenProcessed ?? false
    }
}
