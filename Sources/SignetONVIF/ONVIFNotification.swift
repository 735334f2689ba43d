public import SignetSOAP

/// What a device reports about an event: when it happened, what it is about, which part of the device it concerns, and
/// what is the case (ONVIF Core Specification 26.06 §9.4).
///
/// Names and values are those of the device, which may hold personal data: a description shows only the topic, the
/// operation and the time.
public struct ONVIFNotification: Sendable, Hashable {
    /// What happened to a property (§9.4.2).
    public enum Operation: String, Sendable, Hashable {
        /// The property was created, or the device reports its present state.
        case initialized = "Initialized"
        case changed = "Changed"
        case deleted = "Deleted"
    }

    /// What the event is about.
    public let topic: ONVIFTopic
    /// The device, or the service of it, that reports the event; nil when it does not say so, or not validly. Do not
    /// call the address without a check: see ``ONVIFAddressing``.
    public let producer: EndpointReference?
    /// What happened to the property; nil when the event is not that of a property.
    public let operation: Operation?
    /// When it happened, in UTC, by the clock of the device; nil when the device does not say so, or not validly.
    public let time: XSDDateTime?
    /// Which part of the device the event concerns.
    public let source: ONVIFItems
    /// What tells apart properties of the same source, such as the number of a tracked object.
    public let key: ONVIFItems
    /// What is the case.
    public let data: ONVIFItems
    /// The element `tt:Message`, or the element that the device sends in its place; the items are then empty.
    public let message: XMLFragment
    /// The whole element `wsnt:NotificationMessage`. Several notifications come from it if it holds several messages.
    public let element: XMLFragment

    /// Reads the content of the message as a type of the program, for example one that the generator made of a schema
    /// of the manufacturer.
    ///
    /// - Throws: `XMLError` when the message is not what the type declares.
    public func decode<T: XMLFielded>(as type: T.Type = T.self) throws(XMLError) -> T {
        try message.structure(type)
    }
}

extension ONVIFNotification: CustomStringConvertible, CustomReflectable {
    public var description: String {
        ["\(topic)", operation?.rawValue, time?.description].compactMap(\.self).joined(separator: " ")
    }
    public var customMirror: Mirror { Mirror(self, children: ["topic": topic, "time": time as Any]) }
}

/// Items of a notification by their names. The name of an item occurs once (§9.4.1); of several, the first counts.
public struct ONVIFItems: Sendable, Hashable {
    /// The texts of the elements `SimpleItem`.
    public let simple: [String: String]
    /// The elements inside the elements `ElementItem`, whose `structure(_:)` reads them as types of the program.
    public let elements: [String: XMLFragment]

    /// The text of a simple item; nil when there is none of this name.
    public subscript(_ name: String) -> String? { simple[name] }

    /// The value of a simple item, such as `data.value("IsMotion", as: Bool.self)`; nil when there is none of this
    /// name, or its text is no value of the type.
    public func value<T: XMLValue>(_ name: String, as type: T.Type = T.self) -> T? {
        guard let text = simple[name] else { return nil }
        return try? XMLFragment(XMLName(.none, "Value"), text: text).value(type)
    }
}

extension ONVIFItems: CustomStringConvertible, CustomReflectable {
    /// The names only.
    public var description: String { (simple.keys.sorted() + elements.keys.sorted()).joined(separator: ", ") }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ONVIFNotification {
    private static let schema = XMLNamespace(ONVIFOperation.schema)

    /// The notifications in an element `wsnt:NotificationMessage`: one for each message, up to `most`. What cannot be
    /// read of one is nil or empty.
    static func all(in element: XMLFragment, most: Int) -> [ONVIFNotification] {
        let children = element.children
        func child(_ name: String) -> XMLFragment? {
            children.first(named: name, namespace: ONVIFEventOperation.notification)
        }
        let topic = child("Topic").map { ONVIFTopic($0) } ?? ONVIFTopic([])
        let producer = child("ProducerReference").flatMap { try? EndpointReference($0) }
        return (child("Message")?.children ?? []).prefix(most).map { message in
            let parts = message.isElement(XMLName(schema, "Message")) ? message.children : []
            return ONVIFNotification(
                topic: topic, producer: producer,
                operation: message.attribute("PropertyOperation").flatMap(Operation.init),
                time: message.attribute("UtcTime").flatMap { XSDDateTime($0) },
                source: ONVIFItems(parts.first(named: "Source", namespace: schema)),
                key: ONVIFItems(parts.first(named: "Key", namespace: schema)),
                data: ONVIFItems(parts.first(named: "Data", namespace: schema)), message: message, element: element)
        }
    }
}

extension ONVIFItems {
    fileprivate init(_ list: XMLFragment?) {
        var (simple, elements): ([String: String], [String: XMLFragment]) = ([:], [:])
        for item in list?.children ?? [] where item.namespaceURI == ONVIFOperation.schema {
            guard let name = item.attribute("Name") else { continue }
            switch item.localName {
            case "SimpleItem" where simple[name] == nil: simple[name] = item.attribute("Value") ?? ""
            case "ElementItem" where elements[name] == nil: elements[name] = item.children.first
            default: continue
            }
        }
        self.init(simple: simple, elements: elements)
    }
}
