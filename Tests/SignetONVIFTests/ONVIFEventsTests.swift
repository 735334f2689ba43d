import HTTPTypes
import SignetONVIF
import SignetSOAP
import Synchronization
import Testing

@Suite struct ONVIFEventsTests {
    /// Answers by the operation that a message names, and remembers what was asked.
    private final class Device: ClientTransport {
        private let answer: @Sendable (_ operation: String, _ before: Int) throws -> (status: Int, body: String)
        private let hold: @Sendable (_ operation: String, _ before: Int, Deadlines) async throws -> Void
        private let seen = Mutex<[(operation: String, text: String)]>([])
        var operations: [String] { seen.withLock { $0.map(\.operation) } }
        func texts(_ operation: String) -> [String] {
            seen.withLock { calls in calls.filter { $0.operation == operation }.map(\.text) }
        }

        /// - Parameters:
        ///   - hold: waits before an answer.
        ///   - answer: its second argument is how often the operation was called before.
        init(
            hold: @escaping @Sendable (String, Int, Deadlines) async throws -> Void = { _, _, _ in },
            _ answer: @escaping @Sendable (String, Int) throws -> (status: Int, body: String)
        ) {
            self.hold = hold
            self.answer = answer
        }

        func send(_ request: ClientRequest) async throws -> ClientResponse {
            let text = String(decoding: try await request.body.collected(limit: 1 << 20), as: UTF8.self)
            let names = [
                "GetServices", "CreatePullPointSubscription", "PullMessages", "Renew", "SetSynchronizationPoint",
                "Unsubscribe",
            ]
            let operation = names.first { text.contains(":\($0)>") || text.contains(":\($0)/>") } ?? "?"
            let before = seen.withLock { calls in
                defer { calls.append((operation, text)) }
                return calls.count { $0.operation == operation }
            }
            try Task.checkCancellation()
            try await hold(operation, before, request.deadlines)
            let (status, body) = try operation == "GetServices" ? ONVIFEventsTests.services : answer(operation, before)
            var response = ClientResponse(
                status: .init(code: status),
                body: Array(
                    """
                    <s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:tev="http://www.onvif.org/ver10/events/wsdl" \
                    xmlns:tt="http://www.onvif.org/ver10/schema" xmlns:wsnt="http://docs.oasis-open.org/wsn/b-2" \
                    xmlns:wsa="http://www.w3.org/2005/08/addressing" xmlns:tns1="http://www.onvif.org/ver10/topics">\
                    <s:Body>\(body)</s:Body></s:Envelope>
                    """.utf8))
            response.fields[.contentType] = "application/soap+xml; charset=utf-8"
            return response
        }

        func shutdown() async throws {}

        func connected() async throws -> ONVIFDevice {
            let caller = ServiceCaller(
                endpoint: try Endpoint("http://192.168.0.10" + ONVIFDevice.servicePath), transport: self)
            return try await ONVIFDevice.connect(caller, nil)
        }
    }

    private static let services = (
        200,
        """
        <d:GetServicesResponse xmlns:d="http://www.onvif.org/ver10/device/wsdl"><d:Service>\
        <d:Namespace>http://www.onvif.org/ver10/events/wsdl</d:Namespace><d:XAddr>http://10.0.0.7/onvif/events</d:XAddr>\
        </d:Service></d:GetServicesResponse>
        """
    )

    private static func subscribed(
        for seconds: Int = 60, _ address: String = "http://10.0.0.7/pull/1", parameters: String = ""
    ) -> (Int, String) {
        (
            200,
            """
            <tev:CreatePullPointSubscriptionResponse><tev:SubscriptionReference><wsa:Address>\(address)</wsa:Address>\(parameters)\
            </tev:SubscriptionReference><wsnt:CurrentTime>2001-01-01T00:00:00Z</wsnt:CurrentTime>\
            <wsnt:TerminationTime>2001-01-01T00:\(seconds / 60 < 10 ? "0" : "")\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)Z\
            </wsnt:TerminationTime></tev:CreatePullPointSubscriptionResponse>
            """
        )
    }

    /// - Parameter seconds: what the subscription has left, below ten; nil when the device does not say it.
    private static func pulled(_ notifications: String, left seconds: Int? = nil) -> (Int, String) {
        let times = seconds.map {
            "<tev:CurrentTime>2001-01-01T00:00:00Z</tev:CurrentTime><tev:TerminationTime>2001-01-01T00:00:0\($0)Z</tev:TerminationTime>"
        }
        return (200, "<tev:PullMessagesResponse>\(times ?? "")\(notifications)</tev:PullMessagesResponse>")
    }

    /// - Parameter seconds: what the subscription has left, below ten.
    private static func renewed(for seconds: Int) -> (Int, String) {
        (
            200,
            """
            <wsnt:RenewResponse><wsnt:TerminationTime>2001-01-01T00:00:0\(seconds)Z</wsnt:TerminationTime>\
            <wsnt:CurrentTime>2001-01-01T00:00:00Z</wsnt:CurrentTime></wsnt:RenewResponse>
            """
        )
    }

    private static func notification(_ messages: String, topic: String = "tns1:Device/Trigger/DigitalInput") -> String {
        "<wsnt:NotificationMessage><wsnt:Topic>\(topic)</wsnt:Topic><wsnt:Message>\(messages)</wsnt:Message></wsnt:NotificationMessage>"
    }

    private static let event = notification("<tt:Message/>")

    private static func fault(
        _ subcode: String, reason: String = "No.", detail: String = "", status: Int = 400
    ) -> (Int, String) {
        (
            status,
            """
            <s:Fault><s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value xmlns:x="urn:x">x:\(subcode)</s:Value></s:Subcode></s:Code>\
            <s:Reason><s:Text xml:lang="en">\(reason)</s:Text></s:Reason><s:Detail>\(detail)</s:Detail></s:Fault>
            """
        )
    }

    private static let done: @Sendable (String) -> (Int, String) = { operation in
        operation == "Unsubscribe"
            ? (200, "<wsnt:UnsubscribeResponse/>") : (200, "<tev:SetSynchronizationPointResponse/>")
    }

    private static let quick: ONVIFEventSettings = {
        var settings = ONVIFEventSettings()
        settings.interval = .milliseconds(1)
        settings.longestPause = .milliseconds(1)
        settings.toleratedFailures = 3
        return settings
    }()

    private static func take(
        _ count: Int, from device: ONVIFDevice, _ settings: ONVIFEventSettings = quick
    ) async throws -> [ONVIFNotification] {
        try await device.withNotifications(by: settings) { notifications in
            var all: [ONVIFNotification] = []
            for try await notification in notifications {
                all.append(notification)
                if all.count == count { break }
            }
            return all
        }
    }

    /// Some devices close the connection when the time of a PullMessages is over, in place of an answer without events.
    @Test func connectionsThatEndWithTheWaitAreNoFailures() async throws {
        let device = Device { operation, before, _ in
            if operation == "PullMessages", before < 5 { try await Task.sleep(for: .milliseconds(900)) }
        } _: { operation, before in
            switch operation {
            case "CreatePullPointSubscription": return Self.subscribed()
            case "PullMessages":
                guard before >= 5 else { throw TransportError(.connectionClosed, "The device closed it.") }
                return Self.pulled(Self.event)
            default: return Self.done(operation)
            }
        }
        var settings = Self.quick
        settings.waiting = .seconds(1)
        #expect(try await Self.take(1, from: device.connected(), settings).count == 1)
        #expect(device.texts("PullMessages").count == 6)
    }

    // MARK: Notifications

    @Test(arguments: [
        ("tns1:RuleEngine/CellMotionDetector/Motion/", 3), ("tns1:RuleEngine/CellMotionDetector/Motion//.", 3),
        ("tns1:RuleEngine//Motion", 0), ("/", 0), (".", 0), ("", 0),
        (Array(repeating: "tns1:a", count: 64).joined(separator: "/"), 64),
        (Array(repeating: "tns1:a", count: 200_000).joined(separator: "/"), 0),
    ]) func topicsAreReadAsDevicesWriteThem(text: String, count: Int) async throws {
        let device = Device { operation, _ in
            switch operation {
            case "CreatePullPointSubscription": Self.subscribed()
            case "PullMessages": Self.pulled(Self.notification("<tt:Message/>", topic: text))
            default: Self.done(operation)
            }
        }
        let topic = try #require(try await Self.take(1, from: device.connected()).first).topic
        #expect(topic.path.count == count)
        if text.contains("Detector") { #expect(topic.isWithin(.onvif("RuleEngine/CellMotionDetector/Motion"))) }
    }

    private struct Alarm: XMLStructure {
        var level: Int32 = 0
        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names("urn:vendor", elements: "level")
            fields.field(&x.level)
        }
    }

    @Test func aMessageIsReadAsATypeOfTheProgram() async throws {
        let device = Device { operation, _ in
            switch operation {
            case "CreatePullPointSubscription": Self.subscribed()
            case "PullMessages":
                Self.pulled(Self.notification("<v:Alarm xmlns:v=\"urn:vendor\"><v:level>7</v:level></v:Alarm>"))
            default: Self.done(operation)
            }
        }
        let notification = try #require(try await Self.take(1, from: device.connected()).first)
        #expect(try notification.decode(as: Alarm.self).level == 7)
        #expect(throws: XMLError.self) { try notification.decode(as: XSDOnly.self) }
        #expect(notification.data.simple.isEmpty && notification.operation == nil && notification.time == nil)
    }

    private struct XSDOnly: XMLStructure {
        var name = ""
        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names("urn:vendor", elements: "name")
            fields.field(&x.name)
        }
    }

    @Test func severalMessagesAreSeveralNotifications() async throws {
        let messages = """
            <tt:Message UtcTime="2001-01-01T00:00:00.5Z" PropertyOperation="Deleted"><tt:Source><tt:SimpleItem Name="Token" Value="secret"/>\
            <tt:SimpleItem Name="Token" Value="other"/><tt:SimpleItem Value="nameless"/></tt:Source><tt:Key><tt:SimpleItem Name="Id" Value=" 5 "/>\
            </tt:Key></tt:Message><tt:Message UtcTime="yesterday" PropertyOperation="Moved"/>
            """
        let device = Device { operation, _ in
            switch operation {
            case "CreatePullPointSubscription": Self.subscribed()
            case "PullMessages": Self.pulled(Self.notification(messages, topic: " none:A/B/tns1:C "))
            default: Self.done(operation)
            }
        }
        let all = try await Self.take(2, from: device.connected())
        #expect(all.map(\.operation) == [.deleted, nil])
        #expect(all.map { $0.time?.description } == ["2001-01-01T00:00:00.5Z", nil])
        #expect(all.first?.source["Token"] == "secret" && all.first?.source.simple.count == 1)
        #expect(all.first?.key.value("Id", as: Int.self) == 5)
        #expect(all.first?.key.value("Id", as: Bool.self) == nil)
        #expect(all.first?.topic.description == "A/B/C")
        #expect(all.first?.topic.path.map(\.namespaceURI) == ["", "", ONVIFTopic.namespace])
        #expect(!String(reflecting: all).contains("secret") && !"\(all)".contains("secret"))
    }

    // MARK: What is sent

    @Test func aFilterIsWrittenInTheDialectsOfONVIF() async throws {
        let device = Device { operation, _ in
            switch operation {
            case "CreatePullPointSubscription": Self.subscribed()
            default: Self.done(operation)
            }
        }
        let vendor = ONVIFTopic([try #require(XSDQName(namespaceURI: "urn:v", localName: "Own", prefix: "own"))])
        let filter = ONVIFEventFilter(
            topics: [.onvif("Device/Trigger"), vendor], subtrees: [.onvif("RuleEngine")],
            content: "boolean(//tt:SimpleItem[@Name=\"Rule\"])")
        try await device.connected().withNotifications(matching: filter, lasting: .seconds(90)) { _ in }
        let text = try #require(device.texts("CreatePullPointSubscription").first)
        #expect(text.contains(">tns1:Device/Trigger|own:Own|tns1:RuleEngine//.<"))
        #expect(text.contains("Dialect=\"http://www.onvif.org/ver10/tev/topicExpression/ConcreteSet\""))
        #expect(text.contains("Dialect=\"http://www.onvif.org/ver10/tev/messageContentFilter/ItemFilter\""))
        #expect(text.contains("xmlns:tns1=\"\(ONVIFTopic.namespace)\"") && text.contains("xmlns:own=\"urn:v\""))
        #expect(text.contains("xmlns:tt=\"http://www.onvif.org/ver10/schema\""))
        #expect(text.contains(">PT90S<"))
        #expect(device.operations == ["GetServices", "CreatePullPointSubscription", "Unsubscribe"])
    }

    @Test func theAddressOfTheDeviceIsTheDestinationAndItsParametersAreHeaderBlocks() async throws {
        let device = Device { operation, _ in
            switch operation {
            case "CreatePullPointSubscription":
                Self.subscribed(
                    parameters:
                        "<wsa:ReferenceParameters><v:Id xmlns:v=\"urn:v\">8</v:Id></wsa:ReferenceParameters>")
            case "PullMessages": Self.pulled(Self.event)
            default: Self.done(operation)
            }
        }
        _ = try await Self.take(1, from: device.connected())
        for operation in ["PullMessages", "Unsubscribe"] {
            let text = try #require(device.texts(operation).first)
            #expect(text.contains(">http://10.0.0.7/pull/1<"))
            #expect(text.contains("IsReferenceParameter=\"true\"") && text.contains(">8<"))
        }
    }

    // MARK: Failures

    @Test func aSubscriptionThatIsLostAgainAndAgainIsAnError() async throws {
        let device = Device { operation, _ in
            switch operation {
            case "CreatePullPointSubscription": Self.subscribed()
            case "PullMessages": Self.fault("ResourceUnknownFault")
            default: Self.done(operation)
            }
        }
        let gaps = Mutex(0)
        var settings = Self.quick
        settings.onGap = { _ in gaps.withLock { $0 += 1 } }
        let connected = try await device.connected()
        let fault = await #expect(throws: SOAPFault.self) { try await Self.take(1, from: connected, settings) }
        #expect(fault?.subcodes.first?.localName == "ResourceUnknownFault")
        #expect(device.texts("CreatePullPointSubscription").count == 4)
        #expect(gaps.withLock { $0 } == 3)
        // The device does not know them, except the last, of which the client cannot be sure.
        #expect(device.texts("Unsubscribe").count == 1)
    }

    @Test func aFaultThatSaysLittleIsALossToo() async throws {
        let device = Device { operation, before in
            switch operation {
            case "CreatePullPointSubscription": Self.subscribed()
            case "PullMessages": before == 0 ? Self.fault("InvalidArgVal") : Self.pulled(Self.event)
            default: Self.done(operation)
            }
        }
        _ = try await Self.take(1, from: device.connected())
        #expect(
            device.operations.dropFirst() == [
                "CreatePullPointSubscription", "PullMessages", "Unsubscribe", "CreatePullPointSubscription",
                "SetSynchronizationPoint", "PullMessages", "Unsubscribe",
            ])
    }

    @Test(arguments: [401, 403]) func refusalsAreThrownAtOnce(status: Int) async throws {
        let device = Device { operation, _ in
            switch operation {
            case "CreatePullPointSubscription": Self.subscribed()
            case "PullMessages": (status, "")
            default: Self.done(operation)
            }
        }
        let connected = try await device.connected()
        await #expect(throws: ServiceError.self) { try await Self.take(1, from: connected) }
        #expect(device.texts("PullMessages").count == 1)
    }

    @Test func connectionsThatAreNotThereAreTriedAgainAndThenThrown() async throws {
        let device = Device { operation, before in
            switch operation {
            case "CreatePullPointSubscription": return Self.subscribed()
            case "PullMessages":
                if before == 0 { return Self.pulled(Self.event) }
                throw TransportError(.connectionRefused, "Nothing listens.")
            default: return Self.done(operation)
            }
        }
        let connected = try await device.connected()
        let error = await #expect(throws: TransportError.self) { try await Self.take(2, from: connected) }
        #expect(error?.code == .connectionRefused)
        #expect(device.texts("PullMessages").count == 5)
    }

    @Test func aDeviceThatRefusesTheDurationChoosesOne() async throws {
        let device = Device { operation, before in
            switch operation {
            case "CreatePullPointSubscription":
                before == 0
                    ? Self.fault("x", detail: "<wsnt:UnacceptableInitialTerminationTimeFault/>") : Self.subscribed()
            case "PullMessages": Self.pulled(Self.event)
            default: Self.done(operation)
            }
        }
        _ = try await Self.take(1, from: device.connected())
        #expect(
            device.texts("CreatePullPointSubscription").map { $0.contains("InitialTerminationTime") } == [true, false])
    }

    @Test func aDeviceThatLowersItsLimitsForEverIsNotFollowed() async throws {
        let device = Device { operation, before in
            switch operation {
            case "CreatePullPointSubscription": Self.subscribed()
            case "PullMessages":
                Self.fault(
                    "x",
                    detail:
                        "<tev:PullMessagesFaultResponse><tev:MaxMessageLimit>\(99 - before)</tev:MaxMessageLimit></tev:PullMessagesFaultResponse>"
                )
            default: Self.done(operation)
            }
        }
        let connected = try await device.connected()
        await #expect(throws: (any Error).self) { try await Self.take(1, from: connected) }
        #expect(device.texts("PullMessages").count == 8)
    }

    // MARK: Renewal

    /// The device says that the subscription ends in two seconds, and waiting takes longer.
    @Test func renewalComesBeforeTheEnd() async throws {
        let device = Device { operation, before in
            switch operation {
            case "CreatePullPointSubscription": Self.subscribed()
            case "Renew": Self.renewed(for: 9)
            case "PullMessages": before == 0 ? Self.pulled(Self.event, left: 2) : Self.pulled(Self.event)
            default: Self.done(operation)
            }
        }
        _ = try await Self.take(3, from: device.connected())
        #expect(
            device.operations.dropFirst() == [
                "CreatePullPointSubscription", "PullMessages", "Renew", "PullMessages", "PullMessages", "Unsubscribe",
            ])
    }

    @Test func noMoreTimeIsAskedForThanTheDeviceGrants() async throws {
        let device = Device { operation, before in
            switch operation {
            case "CreatePullPointSubscription":
                before == 0
                    ? Self.fault("x", detail: "<wsnt:UnacceptableInitialTerminationTimeFault/>")
                    : Self.subscribed(for: 4)
            // The device counts whole seconds: it may report less than it granted.
            case "Renew": Self.renewed(for: 3)
            case "PullMessages": Self.pulled(Self.event, left: 1)
            default: Self.done(operation)
            }
        }
        _ = try await Self.take(4, from: device.connected())
        #expect(device.texts("Renew").count == 3)
        #expect(device.texts("Renew").allSatisfy { $0.contains(">PT4S<") })
    }

    @Test(arguments: [true, false]) func aRenewalThatFailsOnceIsTriedAgain(isFault: Bool) async throws {
        let device = Device { operation, before in
            switch operation {
            case "CreatePullPointSubscription": Self.subscribed()
            case "Renew":
                before > 0 ? Self.renewed(for: 9) : isFault ? Self.fault("OutOfMemory", status: 500) : (500, "")
            case "PullMessages": Self.pulled(Self.event, left: 2)
            default: Self.done(operation)
            }
        }
        _ = try await Self.take(3, from: device.connected())
        #expect(
            device.operations.dropFirst() == [
                "CreatePullPointSubscription", "PullMessages", "Renew", "PullMessages", "Renew", "PullMessages",
                "Unsubscribe",
            ])
        // The second one must end before the subscription does.
        #expect(device.texts("PullMessages").map { $0.contains(">PT1S<") } == [false, true, false])
    }

    /// A device that has been updated may know it afterwards.
    @Test(arguments: [
        fault("ActionNotSupported"), fault("UnknownAction"),
        fault("x", reason: "Method 'wsnt:Renew' not implemented: method name or namespace not recognized"), (404, ""),
        (405, ""), (501, ""),
    ])
    func anUnknownOperationIsNotTriedAgainInThisSubscription(refusal: (Int, String)) async throws {
        let device = Device { operation, before in
            switch operation {
            case "CreatePullPointSubscription": Self.subscribed()
            case "Renew": refusal
            case "PullMessages": before == 3 ? Self.fault("ResourceUnknownFault") : Self.pulled(Self.event, left: 2)
            default: Self.done(operation)
            }
        }
        _ = try await Self.take(6, from: device.connected())
        #expect(
            device.operations.dropFirst() == [
                "CreatePullPointSubscription", "PullMessages", "Renew", "PullMessages", "PullMessages", "PullMessages",
                "CreatePullPointSubscription", "SetSynchronizationPoint", "PullMessages", "Renew", "PullMessages",
                "PullMessages", "Unsubscribe",
            ])
    }

    @Test func theSameTimeTwiceSaysNothingAboutTheEnd() async throws {
        let events = String(repeating: Self.event, count: 300)
        let device = Device { operation, _ in
            switch operation {
            case "CreatePullPointSubscription": Self.subscribed(for: 0)
            case "Renew": Self.renewed(for: 0)
            case "PullMessages": Self.pulled(events, left: 0)
            default: Self.done(operation)
            }
        }
        _ = try await Self.take(301, from: device.connected())
        #expect(
            device.operations.dropFirst() == [
                "CreatePullPointSubscription", "PullMessages", "PullMessages", "Unsubscribe",
            ])
    }

    @Test func aRenewalThatHangsDoesNotKeepNotificationsBack() async throws {
        let device = Device(hold: { operation, _, deadlines in
            guard operation == "Renew" else { return }
            try await Task.sleep(for: deadlines.total)
            throw TransportError(.deadlineExceeded, "No answer.", mayHaveBeenProcessed: true)
        }) { operation, _ in
            switch operation {
            case "CreatePullPointSubscription": Self.subscribed()
            case "PullMessages": Self.pulled(Self.event + Self.event + Self.event, left: 9)
            default: Self.done(operation)
            }
        }
        var settings = Self.quick
        settings.renewing = .milliseconds(50)
        let start = ContinuousClock.now
        _ = try await Self.take(3, from: device.connected(), settings)
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(
            device.operations.dropFirst() == ["CreatePullPointSubscription", "PullMessages", "Renew", "Unsubscribe"])
    }

    // MARK: Gaps

    /// A proxy that answers 503 may have lost the answer of the device; one that answers 429 has not asked it.
    @Test(arguments: [(502, 1), (503, 1), (504, 1), (429, 0)])
    func statusesThatMayHideAnAnswerAreGaps(status: Int, count: Int) async throws {
        let device = Device { operation, before in
            switch operation {
            case "CreatePullPointSubscription": Self.subscribed()
            case "PullMessages": before == 0 ? (status, "") : Self.pulled(Self.event)
            default: Self.done(operation)
            }
        }
        let gaps = Mutex<[ONVIFEventGap]>([])
        var settings = Self.quick
        settings.onGap = { gap in gaps.withLock { $0.append(gap) } }
        _ = try await Self.take(1, from: device.connected(), settings)
        #expect(gaps.withLock { $0.map(\.isResubscribed) } == Array(repeating: false, count: count))
        #expect(device.texts("SetSynchronizationPoint").count == count)
    }

    @Test(arguments: [(1, 2, true), (9, 4, false)])
    func synchronizationIsRepeated(failures: Int, calls: Int, isSynchronized: Bool) async throws {
        let device = Device { operation, before in
            switch operation {
            case "CreatePullPointSubscription": return Self.subscribed()
            case "PullMessages": return before == 0 ? Self.fault("ResourceUnknownFault") : Self.pulled(Self.event)
            case "SetSynchronizationPoint" where before < failures:
                throw TransportError(.connectionClosed, "Closed.", mayHaveBeenProcessed: true)
            default: return Self.done(operation)
            }
        }
        let gaps = Mutex<[ONVIFEventGap]>([])
        var settings = Self.quick
        settings.onGap = { gap in gaps.withLock { $0.append(gap) } }
        _ = try await Self.take(1, from: device.connected(), settings)
        #expect(gaps.withLock { $0.map(\.isSynchronized) } == [isSynchronized])
        #expect(device.texts("SetSynchronizationPoint").count == calls)
    }

    @Test func aDeviceThatCannotSynchronizeIsAskedOnce() async throws {
        let device = Device { operation, before in
            switch operation {
            case "CreatePullPointSubscription": Self.subscribed()
            case "PullMessages": before == 0 ? Self.fault("ResourceUnknownFault") : Self.pulled(Self.event)
            case "SetSynchronizationPoint": Self.fault("ActionNotSupported")
            default: Self.done(operation)
            }
        }
        let gaps = Mutex<[ONVIFEventGap]>([])
        var settings = Self.quick
        settings.onGap = { gap in gaps.withLock { $0.append(gap) } }
        _ = try await Self.take(1, from: device.connected(), settings)
        #expect(gaps.withLock { $0.map(\.isSynchronized) } == [false])
        #expect(device.texts("SetSynchronizationPoint").count == 1)
    }

    // MARK: The end

    @Test func addressesThatCannotBeUsedAreErrorsWithoutSecrets() async throws {
        let device = Device { operation, _ in
            operation == "CreatePullPointSubscription"
                ? Self.subscribed("rtsp://user:secret@h/x") : Self.done(operation)
        }
        let connected = try await device.connected()
        let error = await #expect(throws: ONVIFError.self) { try await Self.take(1, from: connected) }
        #expect(error?.code == .unusableAddress)
        #expect(error?.description.contains("secret") == false)
    }

    @Test func manyMessagesInOneNotificationAreMany() async throws {
        let device = Device { operation, _ in
            switch operation {
            case "CreatePullPointSubscription": Self.subscribed()
            case "PullMessages":
                Self.pulled(Self.notification(String(repeating: "<tt:Message/>", count: 1_025)))
            default: Self.done(operation)
            }
        }
        let connected = try await device.connected()
        await #expect(throws: ONVIFError(.unusableEvents, "")) { try await Self.take(1, from: connected) }
    }

    @Test func optionsHaveBounds() async throws {
        let device = Device { operation, _ in Self.done(operation) }
        let connected = try await device.connected()
        for settings in [
            ONVIFEventSettings(lasting: .zero), .init(waiting: .seconds(61)), .init(messageLimit: 0),
            .init(toleratedFailures: -1), .init(filter: .init(topics: [.onvif("Rule Engine/x")])),
            .init(filter: .init(subtrees: [.onvif("RuleEngine//x")])), .init(filter: .init(subtrees: [.onvif("")])),
        ] {
            await #expect(throws: ONVIFError(.unusableOption, "")) {
                try await connected.withNotifications(by: settings) { _ in }
            }
        }
        #expect(device.operations == ["GetServices"])
    }

    @Test func aDeviceCannotKeepAClientFromLeaving() async throws {
        let device = Device(hold: { operation, _, _ in
            if operation == "Unsubscribe" { try await Task.sleep(for: .seconds(600)) }
        }) { operation, _ in
            switch operation {
            case "CreatePullPointSubscription": Self.subscribed()
            case "PullMessages": Self.pulled(Self.event)
            default: Self.done(operation)
            }
        }
        var settings = Self.quick
        settings.unsubscribing = .milliseconds(100)
        let start = ContinuousClock.now
        _ = try await Self.take(1, from: device.connected(), settings)
        #expect(device.operations.last == "Unsubscribe")
        #expect(ContinuousClock.now - start < .seconds(300))
    }

    /// A loop in another task is making a new subscription when the scope ends.
    @Test func nothingIsLeftOfASubscriptionThatIsMadeTooLate() async throws {
        let (making, isMaking) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let device = Device(hold: { operation, before, _ in
            guard operation == "CreatePullPointSubscription", before == 1 else { return }
            isMaking.finish()
            for await _ in released {}
        }) { operation, before in
            switch operation {
            case "CreatePullPointSubscription": Self.subscribed("http://10.0.0.7/pull/\(before + 1)")
            case "PullMessages": Self.fault("ResourceUnknownFault")
            default: Self.done(operation)
            }
        }
        let gaps = Mutex(0)
        var settings = Self.quick
        settings.onGap = { _ in gaps.withLock { $0 += 1 } }
        let loop = try await device.connected().withNotifications(by: settings) { notifications in
            let loop = Task { for try await _ in notifications {} }
            for await _ in making {}
            return loop
        }
        release.finish()
        await #expect(throws: TransportError.self) { try await loop.value }
        #expect(
            device.operations.dropFirst() == [
                "CreatePullPointSubscription", "PullMessages", "CreatePullPointSubscription", "Unsubscribe",
            ])
        #expect(device.texts("Unsubscribe").first?.contains(">http://10.0.0.7/pull/2<") == true)
        #expect(gaps.withLock { $0 } == 0)
    }

    @Test func twoLoopsAtATimeAreAnError() async throws {
        let device = Device { operation, _ in
            switch operation {
            case "CreatePullPointSubscription": Self.subscribed()
            // Always empty.
            case "PullMessages": Self.pulled("")
            default: Self.done(operation)
            }
        }
        let connected = try await device.connected()
        let error = await #expect(throws: ONVIFError.self) {
            try await connected.withNotifications(by: Self.quick) { notifications in
                try await withThrowingTaskGroup { group in
                    for _ in 0..<2 { group.addTask { for try await _ in notifications {} } }
                    try await group.next()
                    try await group.waitForAll()
                }
            }
        }
        #expect(error?.code == .unusableOption)
    }

    @Test func theSequenceEndsWithItsScope() async throws {
        let device = Device { operation, _ in
            switch operation {
            case "CreatePullPointSubscription": Self.subscribed()
            case "PullMessages": Self.pulled(Self.event)
            default: Self.done(operation)
            }
        }
        let escaped = try await device.connected().withNotifications { $0 }
        for try await _ in escaped { Issue.record("There is no subscription.") }
        #expect(device.operations.last == "Unsubscribe")
    }
}
