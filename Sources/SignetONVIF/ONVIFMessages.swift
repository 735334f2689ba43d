@_spi(Generated) import SignetSOAP

// These types cover only what is needed here of the messages of the device management service; the rest of an answer is
// skipped.

/// The operations that describe a device (ONVIF Core Specification 26.06 §8.3.6, §8.1.2.2, §8.1.2.4).
enum ONVIFOperation {
    static let getSystemDateAndTime = operation("GetSystemDateAndTime", ONVIFTimeQuery.self, ONVIFTimeAnswer.self)
    static let getServices = operation("GetServices", ONVIFServicesQuery.self, ONVIFServicesAnswer.self)
    static let getCapabilities = operation(
        "GetCapabilities", ONVIFCapabilitiesQuery.self, ONVIFCapabilitiesAnswer.self)

    private static func operation<Input, Output>(
        _ name: String, _: Input.Type, _: Output.Type
    ) -> ServiceOperation<Input, Output> {
        ServiceOperation(
            name: name, soapAction: "\(ONVIFDevice.namespace)/\(name)", version: .soap12,
            input: XMLName(XMLNamespace(ONVIFDevice.namespace), name),
            output: XMLName(XMLNamespace(ONVIFDevice.namespace), "\(name)Response"),
            namespaces: [ONVIFDevice.namespace])
    }

    /// The namespace of the types that services share.
    static let schema = "http://www.onvif.org/ver10/schema"
}

// MARK: GetSystemDateAndTime

struct ONVIFTimeQuery: XMLStructure {
    init() {}
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([ONVIFDevice.namespace])
    }
}

struct ONVIFTimeAnswer: XMLStructure {
    var clock = ONVIFClock(_decoding: ())

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([ONVIFDevice.namespace], elements: "SystemDateAndTime")
        fields.structure(&x.clock)
    }
}

struct ONVIFClock: XMLStructure {
    /// “A device shall provide the UTCDateTime information.” (§8.3.6) Devices before 2.0 may omit it.
    var utc: ONVIFDateTime?

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([ONVIFOperation.schema], elements: "UTCDateTime?")
        fields.optionalStructure(&x.utc)
    }
}

struct ONVIFDateTime: XMLStructure {
    /// Hour, minute and second.
    var time = ONVIFNumbers<ONVIFTimeNames>(_decoding: ())
    /// Year, month and day.
    var date = ONVIFNumbers<ONVIFDateNames>(_decoding: ())

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([ONVIFOperation.schema], elements: "Time Date", unordered: true)
        fields.structure(&x.time)
        fields.structure(&x.date)
    }

    /// The date and time; nil when the numbers are no valid time. A leap second, which the schema allows up to 61,
    /// counts as the second before it.
    var value: XSDDateTime? {
        XSDDateTime(
            year: Int(date.first), month: Int(date.second), day: Int(date.third), hour: Int(time.first),
            minute: Int(time.second), second: (60...61).contains(time.third) ? 59 : Int(time.third))
    }

    var description: String {
        "\(date.first)-\(date.second)-\(date.third) \(time.first):\(time.second):\(time.third) UTC"
    }
}

/// The element names of the three numbers of a date or a time.
protocol ONVIFNumberNames: Sendable, Hashable {
    static var elements: String { get }
}

enum ONVIFTimeNames: ONVIFNumberNames {
    static let elements = "Hour Minute Second"
}

enum ONVIFDateNames: ONVIFNumberNames {
    static let elements = "Year Month Day"
}

struct ONVIFNumbers<Names: ONVIFNumberNames>: XMLStructure {
    var first: Int32 = 0
    var second: Int32 = 0
    var third: Int32 = 0

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([ONVIFOperation.schema], elements: Names.elements, unordered: true)
        fields.value(&x.first)
        fields.value(&x.second)
        fields.value(&x.third)
    }
}

// MARK: GetServices

struct ONVIFServicesQuery: XMLStructure {
    var includeCapability = false

    init() {}
    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([ONVIFDevice.namespace], elements: "IncludeCapability")
        fields.value(&x.includeCapability)
    }
}

struct ONVIFServicesAnswer: XMLStructure {
    var services: [ONVIFService] = []

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([ONVIFDevice.namespace], elements: "Service*")
        fields.structures(&x.services)
    }
}

struct ONVIFService: XMLStructure {
    var namespace = ""
    var address = ""

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([ONVIFDevice.namespace], elements: "Namespace XAddr", unordered: true)
        fields.collapsed(&x.namespace)
        fields.collapsed(&x.address)
    }
}

// MARK: GetCapabilities

struct ONVIFCapabilitiesQuery: XMLStructure {
    var category = "All"

    init() {}
    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([ONVIFDevice.namespace], elements: "Category")
        fields.value(&x.category)
    }
}

struct ONVIFCapabilitiesAnswer: XMLStructure {
    var capabilities = ONVIFCapabilities(_decoding: ())

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([ONVIFDevice.namespace], elements: "Capabilities")
        fields.structure(&x.capabilities)
    }
}

struct ONVIFCapabilities: XMLStructure {
    private var analytics: ONVIFAddress?
    private var device: ONVIFAddress?
    private var events: ONVIFAddress?
    private var imaging: ONVIFAddress?
    private var media: ONVIFAddress?
    private var ptz: ONVIFAddress?
    private var more: ONVIFMoreCapabilities?

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            [ONVIFOperation.schema], elements: "Analytics? Device? Events? Imaging? Media? PTZ? Extension?",
            unordered: true)
        fields.optionalStructure(&x.analytics)
        fields.optionalStructure(&x.device)
        fields.optionalStructure(&x.events)
        fields.optionalStructure(&x.imaging)
        fields.optionalStructure(&x.media)
        fields.optionalStructure(&x.ptz)
        fields.optionalStructure(&x.more)
    }

    /// The services for which the device reports an address.
    var services: [(namespace: String, address: String)] {
        ONVIFAddress.services([
            ("ver20/analytics", analytics), ("ver10/device", device), ("ver10/events", events),
            ("ver20/imaging", imaging), ("ver10/media", media), ("ver20/ptz", ptz),
        ]) + (more?.services ?? [])
    }
}

struct ONVIFMoreCapabilities: XMLStructure {
    private var deviceIO: ONVIFAddress?
    private var display: ONVIFAddress?
    private var recording: ONVIFAddress?
    private var search: ONVIFAddress?
    private var replay: ONVIFAddress?
    private var receiver: ONVIFAddress?
    private var analyticsDevice: ONVIFAddress?

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            [ONVIFOperation.schema],
            elements: "DeviceIO? Display? Recording? Search? Replay? Receiver? AnalyticsDevice?", unordered: true)
        fields.optionalStructure(&x.deviceIO)
        fields.optionalStructure(&x.display)
        fields.optionalStructure(&x.recording)
        fields.optionalStructure(&x.search)
        fields.optionalStructure(&x.replay)
        fields.optionalStructure(&x.receiver)
        fields.optionalStructure(&x.analyticsDevice)
    }

    var services: [(namespace: String, address: String)] {
        ONVIFAddress.services([
            ("ver10/deviceIO", deviceIO), ("ver10/display", display), ("ver10/recording", recording),
            ("ver10/search", search), ("ver10/replay", replay), ("ver10/receiver", receiver),
            ("ver10/analyticsdevice", analyticsDevice),
        ])
    }
}

struct ONVIFAddress: XMLStructure {
    var address = ""

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([ONVIFOperation.schema], elements: "XAddr")
        fields.collapsed(&x.address)
    }

    /// “If this field is empty the device supports analytics but not the rules or module interfaces.” (Annex A)
    static func services(
        _ addresses: [(namespace: String, found: ONVIFAddress?)]
    ) -> [(namespace: String, address: String)] {
        addresses.compactMap { namespace, found in
            guard let found, !found.address.isEmpty else { return nil }
            return ("http://www.onvif.org/\(namespace)/wsdl", found.address)
        }
    }
}
