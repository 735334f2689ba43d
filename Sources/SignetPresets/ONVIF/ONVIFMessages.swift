import SignetSOAP

// Of the messages of the device management service only what is needed here; the rest of an answer is passed over.

/// The operations that find out about a device (ONVIF Core Specification 26.06 §8.3.6, §8.1.2.2, §8.1.2.4).
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
    static let xmlTable = XMLTable([ONVIFDevice.namespace])
    mutating func decodeField(_ index: Int, from reader: inout XMLReader) {}
    func encodeContent(to writer: inout XMLWriter) {}
}

struct ONVIFTimeAnswer: XMLStructure {
    var clock = ONVIFClock(_decoding: ())

    init(_decoding: Void) {}
    static let xmlTable = XMLTable([ONVIFDevice.namespace], elements: "SystemDateAndTime")

    mutating func decodeField(_ index: Int, from reader: inout XMLReader) {
        if index == 0 { reader.structure(&clock) }
    }

    func encodeContent(to writer: inout XMLWriter) { writer.structure(0, clock) }
}

struct ONVIFClock: XMLStructure {
    /// “A device shall provide the UTCDateTime information.” (§8.3.6) Those before 2.0 need not.
    var utc: ONVIFDateTime?

    init(_decoding: Void) {}
    static let xmlTable = XMLTable([ONVIFOperation.schema], elements: "UTCDateTime?")

    mutating func decodeField(_ index: Int, from reader: inout XMLReader) {
        if index == 0 { reader.optionalStructure(&utc) }
    }

    func encodeContent(to writer: inout XMLWriter) { writer.optionalStructure(0, utc) }
}

struct ONVIFDateTime: XMLStructure {
    /// Hour, minute and second.
    var time = ONVIFNumbers<ONVIFTimeNames>(_decoding: ())
    /// Year, month and day.
    var date = ONVIFNumbers<ONVIFDateNames>(_decoding: ())

    init(_decoding: Void) {}
    static let xmlTable = XMLTable([ONVIFOperation.schema], elements: "Time Date", unordered: true)

    mutating func decodeField(_ index: Int, from reader: inout XMLReader) {
        switch index {
        case 0: reader.structure(&time)
        case 1: reader.structure(&date)
        default: break
        }
    }

    func encodeContent(to writer: inout XMLWriter) {
        writer.structure(0, time)
        writer.structure(1, date)
    }

    /// Nil when it is no time. A leap second, up to 61 by the schema, is taken for the one before.
    var value: XSDDateTime? {
        XSDDateTime(
            year: Int(date.first), month: Int(date.second), day: Int(date.third), hour: Int(time.first),
            minute: Int(time.second), second: (60...61).contains(time.third) ? 59 : Int(time.third))
    }

    var description: String {
        "\(date.first)-\(date.second)-\(date.third) \(time.first):\(time.second):\(time.third) UTC"
    }
}

/// What three numbers of a date or a time are called.
protocol ONVIFNumberNames: Sendable, Hashable {
    static var table: XMLTable { get }
}

enum ONVIFTimeNames: ONVIFNumberNames {
    static let table = XMLTable([ONVIFOperation.schema], elements: "Hour Minute Second", unordered: true)
}

enum ONVIFDateNames: ONVIFNumberNames {
    static let table = XMLTable([ONVIFOperation.schema], elements: "Year Month Day", unordered: true)
}

struct ONVIFNumbers<Names: ONVIFNumberNames>: XMLStructure {
    var first: Int32 = 0
    var second: Int32 = 0
    var third: Int32 = 0

    init(_decoding: Void) {}
    static var xmlTable: XMLTable { Names.table }

    mutating func decodeField(_ index: Int, from reader: inout XMLReader) {
        switch index {
        case 0: reader.value(&first)
        case 1: reader.value(&second)
        case 2: reader.value(&third)
        default: break
        }
    }

    func encodeContent(to writer: inout XMLWriter) {
        writer.value(0, first)
        writer.value(1, second)
        writer.value(2, third)
    }
}

// MARK: GetServices

struct ONVIFServicesQuery: XMLStructure {
    var includeCapability = false

    init() {}
    init(_decoding: Void) {}
    static let xmlTable = XMLTable([ONVIFDevice.namespace], elements: "IncludeCapability")

    mutating func decodeField(_ index: Int, from reader: inout XMLReader) {
        if index == 0 { reader.value(&includeCapability) }
    }

    func encodeContent(to writer: inout XMLWriter) { writer.value(0, includeCapability) }
}

struct ONVIFServicesAnswer: XMLStructure {
    var services: [ONVIFService] = []

    init(_decoding: Void) {}
    static let xmlTable = XMLTable([ONVIFDevice.namespace], elements: "Service*")

    mutating func decodeField(_ index: Int, from reader: inout XMLReader) {
        if index == 0 { reader.structures(&services) }
    }

    func encodeContent(to writer: inout XMLWriter) { writer.structures(0, services) }
}

struct ONVIFService: XMLStructure {
    var namespace = ""
    var address = ""

    init(_decoding: Void) {}
    static let xmlTable = XMLTable([ONVIFDevice.namespace], elements: "Namespace XAddr", unordered: true)

    mutating func decodeField(_ index: Int, from reader: inout XMLReader) {
        switch index {
        case 0: reader.collapsed(&namespace)
        case 1: reader.collapsed(&address)
        default: break
        }
    }

    func encodeContent(to writer: inout XMLWriter) {
        writer.value(0, namespace)
        writer.value(1, address)
    }
}

// MARK: GetCapabilities

struct ONVIFCapabilitiesQuery: XMLStructure {
    var category = "All"

    init() {}
    init(_decoding: Void) {}
    static let xmlTable = XMLTable([ONVIFDevice.namespace], elements: "Category")

    mutating func decodeField(_ index: Int, from reader: inout XMLReader) {
        if index == 0 { reader.value(&category) }
    }

    func encodeContent(to writer: inout XMLWriter) { writer.value(0, category) }
}

struct ONVIFCapabilitiesAnswer: XMLStructure {
    var capabilities = ONVIFCapabilities(_decoding: ())

    init(_decoding: Void) {}
    static let xmlTable = XMLTable([ONVIFDevice.namespace], elements: "Capabilities")

    mutating func decodeField(_ index: Int, from reader: inout XMLReader) {
        if index == 0 { reader.structure(&capabilities) }
    }

    func encodeContent(to writer: inout XMLWriter) { writer.structure(0, capabilities) }
}

struct ONVIFCapabilities: XMLStructure {
    /// The namespaces of the services, in the order of the elements.
    private static let namespaces = [
        "ver20/analytics", "ver10/device", "ver10/events", "ver20/imaging", "ver10/media", "ver20/ptz",
    ]

    private var addresses = [ONVIFAddress?](repeating: nil, count: namespaces.count)
    private var more: ONVIFMoreCapabilities?

    init(_decoding: Void) {}
    static let xmlTable = XMLTable(
        [ONVIFOperation.schema], elements: "Analytics? Device? Events? Imaging? Media? PTZ? Extension?",
        unordered: true)

    mutating func decodeField(_ index: Int, from reader: inout XMLReader) {
        if addresses.indices.contains(index) {
            reader.optionalStructure(&addresses[index])
        } else {
            reader.optionalStructure(&more)
        }
    }

    func encodeContent(to writer: inout XMLWriter) {
        for (index, address) in addresses.enumerated() { writer.optionalStructure(index, address) }
        writer.optionalStructure(addresses.count, more)
    }

    /// Those that have an address.
    var services: [(namespace: String, address: String)] {
        ONVIFAddress.services(Self.namespaces, addresses) + (more?.services ?? [])
    }
}

struct ONVIFMoreCapabilities: XMLStructure {
    private static let namespaces = [
        "ver10/deviceIO", "ver10/display", "ver10/recording", "ver10/search", "ver10/replay", "ver10/receiver",
        "ver10/analyticsdevice",
    ]

    private var addresses = [ONVIFAddress?](repeating: nil, count: namespaces.count)

    init(_decoding: Void) {}
    static let xmlTable = XMLTable(
        [ONVIFOperation.schema],
        elements: "DeviceIO? Display? Recording? Search? Replay? Receiver? AnalyticsDevice?", unordered: true)

    mutating func decodeField(_ index: Int, from reader: inout XMLReader) {
        if addresses.indices.contains(index) { reader.optionalStructure(&addresses[index]) }
    }

    func encodeContent(to writer: inout XMLWriter) {
        for (index, address) in addresses.enumerated() { writer.optionalStructure(index, address) }
    }

    var services: [(namespace: String, address: String)] { ONVIFAddress.services(Self.namespaces, addresses) }
}

struct ONVIFAddress: XMLStructure {
    var address = ""

    init(_decoding: Void) {}
    static let xmlTable = XMLTable([ONVIFOperation.schema], elements: "XAddr")

    mutating func decodeField(_ index: Int, from reader: inout XMLReader) {
        if index == 0 { reader.collapsed(&address) }
    }

    func encodeContent(to writer: inout XMLWriter) { writer.value(0, address) }

    /// “If this field is empty the device supports analytics but not the rules or module interfaces.” (Annex A)
    static func services(
        _ namespaces: [String], _ addresses: [ONVIFAddress?]
    ) -> [(namespace: String, address: String)] {
        zip(namespaces, addresses).compactMap { namespace, found in
            guard let found, !found.address.isEmpty else { return nil }
            return ("http://www.onvif.org/\(namespace)/wsdl", found.address)
        }
    }
}
