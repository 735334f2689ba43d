@_spi(Generated) import SignetSOAP

// Only what is needed here of the messages of the event service; the rest of an answer is skipped.

/// The operations of the event service and of a pull point (ONVIF Core Specification 26.06 §9.1), and those that they
/// take from WS-BaseNotification 1.3 (§6.1).
enum ONVIFEventOperation {
    /// The namespace of the event service.
    static let events = "http://www.onvif.org/ver10/events/wsdl"
    static let notification = XMLNamespace("http://docs.oasis-open.org/wsn/b-2")

    static let subscribe = operation(
        "CreatePullPointSubscription", of: "EventPortType", ONVIFSubscribeQuery.self, ONVIFSubscribeAnswer.self)
    static let pull = operation(
        "PullMessages", of: "PullPointSubscription", ONVIFPullQuery.self, ONVIFPullAnswer.self,
        faults: [.declared(XMLName(XMLNamespace(events), "PullMessagesFaultResponse"), ONVIFPullLimits.self)])
    static let synchronize = operation(
        "SetSynchronizationPoint", of: "PullPointSubscription", ONVIFNothing.self, ONVIFNothing.self)
    static let renew = managerOperation("Renew", ONVIFRenewQuery.self, ONVIFRenewAnswer.self)
    static let unsubscribe = managerOperation("Unsubscribe", ONVIFNothing.self, ONVIFNothing.self)

    private static func operation<Input, Output>(
        _ name: String, of port: String, _: Input.Type, _: Output.Type, faults: [FaultBinding] = []
    ) -> ServiceOperation<Input, Output> {
        ServiceOperation(
            name: name, soapAction: "\(events)/\(port)/\(name)Request", version: .soap12,
            input: XMLName(XMLNamespace(events), name), output: XMLName(XMLNamespace(events), "\(name)Response"),
            faults: faults, namespaces: [events])
    }

    private static func managerOperation<Input, Output>(
        _ name: String, _: Input.Type, _: Output.Type
    ) -> ServiceOperation<Input, Output> {
        ServiceOperation(
            name: name, soapAction: "http://docs.oasis-open.org/wsn/bw-2/SubscriptionManager/\(name)Request",
            version: .soap12, input: XMLName(notification, name), output: XMLName(notification, "\(name)Response"),
            namespaces: [notification.uri])
    }
}

struct ONVIFNothing: XMLStructure {
    init() {}
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([ONVIFEventOperation.events])
    }
}

// MARK: CreatePullPointSubscription

struct ONVIFSubscribeQuery: XMLStructure {
    var filter: XMLAny?
    /// A duration; nil for what the device thinks right.
    var initialTerminationTime: String?

    init(filter: XMLAny?, initialTerminationTime: String?) {
        self.filter = filter
        self.initialTerminationTime = initialTerminationTime
    }
    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([ONVIFEventOperation.events], elements: "Filter? InitialTerminationTime?")
        fields.optionalStructure(&x.filter)
        fields.optionalString(&x.initialTerminationTime)
    }
}

struct ONVIFSubscribeAnswer: XMLStructure {
    var reference = XMLAny()
    private var currentTime: String?
    private var terminationTime: String?

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            [ONVIFEventOperation.events, ONVIFEventOperation.notification.uri],
            elements: "SubscriptionReference 1:CurrentTime? 1:TerminationTime?", unordered: true)
        fields.structure(&x.reference)
        fields.collapsed(&x.currentTime)
        fields.collapsed(&x.terminationTime)
    }

    var lifetime: Duration? { ONVIFLifetime.between(currentTime, terminationTime) }
}

// MARK: PullMessages

struct ONVIFPullQuery: XMLStructure {
    var timeout: String
    var messageLimit: Int32

    init(timeout: String, messageLimit: Int32) {
        self.timeout = timeout
        self.messageLimit = messageLimit
    }
    init(_decoding: Void) { self.init(timeout: "", messageLimit: 0) }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([ONVIFEventOperation.events], elements: "Timeout MessageLimit")
        fields.string(&x.timeout)
        fields.int32(&x.messageLimit)
    }
}

struct ONVIFPullAnswer: XMLStructure {
    private var currentTime: String?
    private var terminationTime: String?
    private var others: [XMLFragment] = []

    /// An answer without notifications.
    init() {}
    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([ONVIFEventOperation.events], elements: "CurrentTime? TerminationTime? #any*")
        fields.collapsed(&x.currentTime)
        fields.collapsed(&x.terminationTime)
        fields.fragments(&x.others)
    }

    var lifetime: Duration? { ONVIFLifetime.between(currentTime, terminationTime) }

    var elements: [XMLFragment] {
        others.filter { $0.isElement(XMLName(ONVIFEventOperation.notification, "NotificationMessage")) }
    }
}

/// The detail of the fault with which a device refuses what `PullMessages` asks for.
struct ONVIFPullLimits: XMLStructure {
    var maxTimeout: String?
    var maxMessageLimit: Int32?

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([ONVIFEventOperation.events], elements: "MaxTimeout? MaxMessageLimit?", unordered: true)
        fields.collapsed(&x.maxTimeout)
        fields.optionalInt32(&x.maxMessageLimit)
    }
}

// MARK: Renew

struct ONVIFRenewQuery: XMLStructure {
    var terminationTime: String

    init(terminationTime: String) { self.terminationTime = terminationTime }
    init(_decoding: Void) { self.init(terminationTime: "") }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([ONVIFEventOperation.notification.uri], elements: "TerminationTime")
        fields.string(&x.terminationTime)
    }
}

struct ONVIFRenewAnswer: XMLStructure {
    private var currentTime: String?
    private var terminationTime: String?

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            [ONVIFEventOperation.notification.uri], elements: "TerminationTime? CurrentTime?", unordered: true)
        fields.collapsed(&x.terminationTime)
        fields.collapsed(&x.currentTime)
    }

    var lifetime: Duration? { ONVIFLifetime.between(currentTime, terminationTime) }
}

/// How long a subscription has left. The device says it by two times of its own clock, which may be wrong: only their
/// difference counts.
enum ONVIFLifetime {
    private static let longest: Int64 = 366 * 86_400

    /// Nil when a time is absent or invalid, or when the subscription would have ended already: some devices report the
    /// same time twice.
    static func between(_ current: String?, _ termination: String?) -> Duration? {
        guard let current = current.flatMap({ XSDDateTime($0) }),
            let termination = termination.flatMap({ XSDDateTime($0) })
        else { return nil }
        let (seconds, overflow) = termination.secondsSinceEpoch.subtractingReportingOverflow(
            current.secondsSinceEpoch)
        return overflow || seconds <= 0 ? nil : .seconds(min(seconds, longest))
    }
}

extension Duration {
    /// The duration as `xs:duration`, in whole seconds, at least one: devices read no fractions.
    var wholeSecondsText: String { "PT\(max(1, components.seconds))S" }
}
