public import SignetSOAP

/// What an event is about: the path of names that leads to a topic in a tree of topics (WS-Topics 1.3 §8.2).
public struct ONVIFTopic: Sendable, Hashable, CustomStringConvertible {
    /// The namespace of the topics that ONVIF defines, for which devices write the prefix `tns1`.
    public static let namespace = "http://www.onvif.org/ver10/topics"

    /// The names from the root to the topic. A name that has no prefix of its own is in no namespace. Empty when a
    /// device names no topic, or writes something else in its place.
    public let path: [XSDQName]

    /// Makes a topic from its names, the root first.
    public init(_ path: [XSDQName]) { self.path = path }

    /// A topic that ONVIF defines: `.onvif("RuleEngine/CellMotionDetector/Motion")`.
    ///
    /// - Parameter path: the names with a slash between each two; the root is in the namespace of ONVIF, the others are
    ///   in none. A text that is no such path makes an empty topic, which a filter refuses.
    public static func onvif(_ path: String) -> ONVIFTopic {
        ONVIFTopic(parsing: path) { prefix in prefix.isEmpty ? "" : nil }.rooted(in: namespace)
    }

    /// Reads the content of an element `Topic`. A name whose prefix is not declared is taken as it is.
    init(_ fragment: XMLFragment) {
        let text = fragment.text
        self = fragment.read { reader in Self(parsing: text) { reader.namespaceURI(forPrefix: $0) } }
    }

    /// Topics have a handful of names.
    private static let maximumSteps = 64

    private init(parsing text: String, resolving: (String) -> String?) {
        var steps = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            .split(separator: "/", maxSplits: Self.maximumSteps + 2, omittingEmptySubsequences: false)
        // Devices end topics with a slash, or with the end of a filter.
        while let last = steps.last, last.isEmpty || last == "." { steps.removeLast() }
        guard steps.count <= Self.maximumSteps else {
            path = []
            return
        }
        let names = steps.compactMap { step in
            let parts = step.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            // A default namespace is not that of a name without a prefix (WS-Topics 1.3 §8.1).
            guard parts.count == 2 else { return XSDQName(namespaceURI: "", localName: String(step)) }
            let uri = resolving(parts[0])
            return XSDQName(namespaceURI: uri ?? "", localName: parts[1], prefix: uri == nil ? "" : parts[0])
        }
        // Without one of its names it would be another topic.
        path = names.count == steps.count ? names : []
    }

    private func rooted(in namespace: String) -> ONVIFTopic {
        guard let root = path.first,
            let name = XSDQName(namespaceURI: namespace, localName: root.localName, prefix: "tns1")
        else { return self }
        return ONVIFTopic([name] + path.dropFirst())
    }

    /// Whether this topic is `ancestor`, or is below it.
    public func isWithin(_ ancestor: ONVIFTopic) -> Bool { path.starts(with: ancestor.path) }

    /// The names without their namespaces: `RuleEngine/CellMotionDetector/Motion`.
    public var description: String { path.map(\.localName).joined(separator: "/") }
}

/// Which events a device is to report. Without a filter it reports all (ONVIF Core Specification 26.06 §9.1.1).
public struct ONVIFEventFilter: Sendable, Hashable {
    /// The topics whose events are reported.
    public var topics: [ONVIFTopic]
    /// The topics whose events are reported together with those of all topics below them.
    public var subtrees: [ONVIFTopic]
    /// A condition on the items of an event (§9.4.4), for example
    /// `boolean(//tt:SimpleItem[@Name="Rule" and @Value="Door"])`. The prefix `tt` is declared. Not every device knows
    /// such conditions; one that does not refuses the subscription.
    public var content: String?

    /// An event must have one of the topics, unless none is given, and meet the condition.
    public init(topics: [ONVIFTopic] = [], subtrees: [ONVIFTopic] = [], content: String? = nil) {
        self.topics = topics
        self.subtrees = subtrees
        self.content = content
    }
}

extension ONVIFEventFilter {
    private static let topicDialect = "http://www.onvif.org/ver10/tev/topicExpression/ConcreteSet"
    private static let contentDialect = "http://www.onvif.org/ver10/tev/messageContentFilter/ItemFilter"

    /// The content of an element `Filter`; nil when everything is reported.
    ///
    /// - Throws: `XMLError` for names and texts that XML cannot represent.
    func element() throws(XMLError) -> XMLAny? {
        let paths = topics.map { ($0, "") } + subtrees.map { ($0, "//.") }
        var children: [XMLFragment] = []
        if !paths.isEmpty {
            children.append(
                try Self.fragment("TopicExpression", Self.topicDialect) { writer in
                    for (index, (topic, ending)) in paths.enumerated() {
                        if index > 0 { writer.text("|") }
                        for (step, name) in topic.path.enumerated() {
                            if step > 0 { writer.text("/") }
                            name.writeLexical(to: &writer)
                        }
                        writer.text(ending)
                    }
                } names: {
                    paths.flatMap { $0.0.path }
                })
        }
        if let content {
            children.append(
                try Self.fragment("MessageContent", Self.contentDialect) { writer in
                    _ = writer.prefix(declaring: ONVIFOperation.schema, wished: "tt")
                    writer.text(content)
                } names: {
                    []
                })
        }
        return children.isEmpty ? nil : XMLAny(children: children)
    }

    private static func fragment(
        _ name: String, _ dialect: String, _ write: (inout XMLWriter) -> Void, names: () -> [XSDQName]
    ) throws(XMLError) -> XMLFragment {
        let name = XMLName(ONVIFEventOperation.notification, name)
        return try XMLFragment { writer in
            writer.startElement(name) { $0.attribute(XMLName(.none, "Dialect"), dialect) }
            // A prefix can be declared only before any text follows the start tag.
            for name in names() where !name.namespaceURI.isEmpty {
                _ = writer.prefix(declaring: name.namespaceURI, wished: name.prefix)
            }
            write(&writer)
            writer.endElement(name)
        }
    }
}
