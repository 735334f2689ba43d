import Foundation
import Signet
import SignetONVIF
import SignetWSSecurity
import Synchronization
import Testing

/// Devices with events that Python plays, good and bad ones. Their clocks are years behind, and the addresses that they
/// report lead nowhere.
@Suite(.serialized) struct ONVIFEventsPeerTests {
    /// A device that is running.
    private struct Peer {
        let device: ONVIFDevice
        let files: IdentityFiles

        func lines(_ name: String) throws -> [String] {
            try String(contentsOfFile: files.path(name), encoding: .utf8).split(separator: "\n").map(String.init)
        }

        /// The calls of an operation, each with a token.
        func calls(_ operation: String) throws -> [String] {
            try lines("calls").filter { $0.hasSuffix(" \(operation) token") }
        }
    }

    /// Notes what the program is told of gaps.
    private final class Gaps: Sendable {
        private let gaps = Mutex<[ONVIFEventGap]>([])
        var all: [ONVIFEventGap] { gaps.withLock { $0 } }
        func note(_ gap: ONVIFEventGap) { gaps.withLock { $0.append(gap) } }
    }

    private func with(_ modes: String..., body: (Peer) async throws -> Void) async throws {
        let port = try Port.free()
        let files = try IdentityFiles()
        for name in ["calls", "queued"] { try files.write("", as: name) }
        let command = PeerProcess.Command(
            program: "python3",
            arguments: [
                PeerFile.url("onvif_events.py").path(percentEncoded: false), "\(port)",
                files.folder.path(percentEncoded: false),
            ] + modes, port: port)
        try await PeerProcess.run(command) {
            let caller = ServiceCaller(
                try ServiceConfiguration("http://127.0.0.1:\(port)" + ONVIFDevice.servicePath))
            let security = SecurityHeader(.init(.digest, user: "admin", password: "kamerä"))
            let result: Result<Void, any Error>
            do {
                result = .success(
                    try await body(.init(device: try await ONVIFDevice.connect(caller, security), files: files)))
            } catch { result = .failure(error) }
            try await caller.transport.shutdown()
            try result.get()
        }
    }

    /// Short waits between attempts.
    private func settings(_ change: (inout ONVIFEventSettings) -> Void = { _ in }) -> ONVIFEventSettings {
        var settings = ONVIFEventSettings()
        settings.interval = .milliseconds(50)
        settings.toleratedFailures = 3
        change(&settings)
        return settings
    }

    /// How long the device is listened to. `scripts/long-checks events` sets it to ten minutes.
    private static let seconds = ProcessInfo.processInfo.environment["SIGNET_EVENTS"].flatMap(Int.init) ?? 7

    @Test(arguments: ["correct", "renewing"]) func nothingIsLost(mode: String) async throws {
        // In the long form the renewals are as far from each other as usual.
        try await with(mode, Self.seconds > 60 ? "60" : "3") { peer in
            let gaps = Gaps()
            var numbers: [Int] = []
            let end = ContinuousClock.now + .seconds(Self.seconds)
            try await peer.device.withNotifications(onGap: { gaps.note($0) }) { notifications in
                for try await notification in notifications {
                    if let number = notification.data.value("Number", as: Int.self), number > 0 {
                        numbers.append(number)
                    }
                    if ContinuousClock.now > end { break }
                }
            }
            let queued = try peer.lines("queued").compactMap { Int($0) }
            print("\(mode): \(numbers.count) events in \(Self.seconds) s, renewals: \(try peer.calls("Renew").count)")
            #expect(numbers == Array(queued.prefix(numbers.count)))
            #expect(numbers.count >= Self.seconds)
            #expect(gaps.all.isEmpty)
            #expect(try peer.calls("CreatePullPointSubscription").count == 1)
            let renewals = try peer.calls("Renew").count
            #expect(mode == "renewing" ? renewals >= max(2, Self.seconds / 60) : renewals <= 2)
            #expect(try peer.lines("calls").last == "/onvif/pull/1 Unsubscribe token")
            #expect(try peer.lines("calls").allSatisfy { !$0.hasPrefix("/onvif/pull") || !$0.hasSuffix(" nothing") })
        }
    }

    @Test func aNotificationHasAllThatTheDeviceReports() async throws {
        try await with("correct") { peer in
            let filter = ONVIFEventFilter(
                topics: [.onvif("VideoSource/MotionAlarm")], subtrees: [.onvif("RuleEngine")])
            let all = try await peer.device.withNotifications(matching: filter) { notifications in
                var all: [ONVIFNotification] = []
                for try await notification in notifications {
                    all.append(notification)
                    if all.count == 2 { break }
                }
                return all
            }
            #expect(all.map(\.operation) == [.initialized, .changed])
            let one = try #require(all.last)
            #expect(one.topic.isWithin(.onvif("RuleEngine/CellMotionDetector")))
            #expect(one.topic.path.map(\.namespaceURI) == [ONVIFTopic.namespace, "", "urn:example:camera"])
            #expect(one.producer?.address == "urn:camera")
            #expect(one.source["Rule"] == "Door")
            #expect(one.data.value("IsMotion") == true)
            #expect(one.data.elements["Box"]?.attribute("left") == one.data["Number"])
            #expect(try #require(one.time).date.year < 2020)
            #expect(
                try peer.lines("calls").contains(
                    "filter tns1:VideoSource/MotionAlarm|tns1:RuleEngine//. ConcreteSet"))
        }
    }

    @Test func aSubscriptionThatTheDeviceForgetsIsMadeAnew() async throws {
        try await with("dying", "2") { peer in
            let gaps = Gaps()
            var numbers: [Int] = []
            try await peer.device.withNotifications(by: settings { $0.onGap = { gaps.note($0) } }) { notifications in
                for try await notification in notifications {
                    numbers.append(notification.data.value("Number") ?? -1)
                    if gaps.all.count == 2, numbers.last != 0 { break }
                }
            }
            #expect(gaps.all.allSatisfy { $0.isResubscribed && ($0.cause as? SOAPFault)?.reason == "No." })
            #expect(try peer.calls("CreatePullPointSubscription").count == 3)
            #expect(try peer.calls("SetSynchronizationPoint").count == 2)
            #expect(try peer.lines("calls").last == "/onvif/pull/3 Unsubscribe token")
        }
    }

    @Test func aLostAnswerIsAGap() async throws {
        try await with("unstable") { peer in
            let gaps = Gaps()
            var count = 0
            try await peer.device.withNotifications(by: settings { $0.onGap = { gaps.note($0) } }) { notifications in
                for try await _ in notifications {
                    count += 1
                    if gaps.all.count == 2 { break }
                }
            }
            #expect(gaps.all.allSatisfy { !$0.isResubscribed && $0.cause is TransportError })
            #expect(try peer.calls("CreatePullPointSubscription").count == 1)
            #expect(try peer.calls("SetSynchronizationPoint").count == 2)
        }
    }

    @Test(arguments: ["empty", "quiet"]) func endlessEmptyAnswersMakeNoBusyLoop(mode: String) async throws {
        try await with(mode) { peer in
            let error = await #expect(throws: TransportError.self) {
                try await withThrowingTaskGroup { group in
                    group.addTask {
                        try await peer.device.withNotifications { notifications in
                            for try await _ in notifications {}
                        }
                    }
                    group.addTask { try await Task.sleep(for: .seconds(4)) }
                    try await group.next()
                    group.cancelAll()
                    try await group.waitForAll()
                }
            }
            #expect(error?.code == .cancelled)
            // A busy machine may make it fewer.
            let pulls = try peer.calls("PullMessages")
            #expect(mode == "quiet" ? pulls.count == 1 : pulls.count <= 7)
            // Cancellation ends a wait at the device, and does not keep the client from unsubscribing.
            let calls = try peer.lines("calls").filter { $0.hasSuffix(" token") }
            #expect(calls.last == "/onvif/pull/1 Unsubscribe token")
        }
    }

    @Test func noTokenGoesToAnotherHost() async throws {
        let port = try Port.free()
        try await with("elsewhere", "\(port)") { peer in
            // Path and query are the device's, the origin is the one that the program named.
            try await peer.device.withNotifications { notifications in
                for try await _ in notifications { break }
            }
            #expect(try peer.calls("PullMessages").count == 1)
            let careless = try await ONVIFDevice.connect(
                peer.device.caller, nil, addressing: .reported(hosts: []))
            #expect(careless.services.count == 1)
            let error = await #expect(throws: ONVIFError.self) {
                try await careless.withNotifications { _ in }
            }
            #expect(error?.code == .unusableAddress)
        }
    }

    @Test func tooManyNotificationsAreAnError() async throws {
        try await with("huge") { peer in
            await #expect(throws: ONVIFError(.unusableEvents, "")) {
                try await peer.device.withNotifications { notifications in for try await _ in notifications {} }
            }
            let pulls = try peer.calls("PullMessages")
            #expect(pulls.count == 1)
        }
        try await with("fat") { peer in
            let error = await #expect(throws: TransportError.self) {
                try await peer.device.withNotifications { notifications in for try await _ in notifications {} }
            }
            #expect(error?.code == .responseTooLarge)
            let pulls = try peer.calls("PullMessages")
            #expect(pulls.count == 1)
        }
    }

    @Test func theLimitsOfADeviceAreKept() async throws {
        try await with("limited") { peer in
            var count = 0
            try await peer.device.withNotifications { notifications in
                for try await _ in notifications {
                    count += 1
                    if count == 4 { break }
                }
            }
            #expect(try peer.lines("calls").filter { $0.hasSuffix(" PullMessages Limits") }.count == 1)
        }
    }

    @Test func aRefusalIsThrownAtOnce() async throws {
        try await with("forbidden") { peer in
            let fault = await #expect(throws: SOAPFault.self) {
                try await peer.device.withNotifications { notifications in for try await _ in notifications {} }
            }
            #expect(fault?.subcodes.first?.localName == "NotAuthorized")
            let pulls = try peer.calls("PullMessages")
            #expect(pulls.count == 1)
            #expect(fault.map { "\($0)" }?.contains("kamerä") == false)
        }
    }
}
