import SignetXML
import Support

/// An element made from the input, for the writer to write.
struct Node {
    var name: XMLName
    var declared: [(prefix: String, namespace: XMLNamespace)] = []
    var attributes: [(name: XMLName, value: String)] = []
    var children: [Child] = []
    /// Whether it is written in canonical form, and digested.
    var isSegment = false

    enum Child {
        case element(Node)
        case text(String)
    }

    private static let namespaces = ["", "urn:a", "urn:b", "urn:a&<\"'>", "http://www.w3.org/2001/XMLSchema-instance"]
        .map { XMLNamespace($0) }
    private static let names = ["a", "b", "é", "a.-1", "nil", "type", "xmlns1", "n1", "x:y", ""]
    private static let prefixes = ["p", "q", "n1", "n2", "", "xsi", "é"]

    init(_ input: inout Input, depth: Int = 0) {
        let shape = Int(input.byte())
        name = XMLName(Self.namespaces[shape % 5], Self.names[shape / 5 % (shape < 250 ? 8 : 10)])
        for _ in 0..<input.number(below: 4) {
            let choice = Int(input.byte())
            switch choice % 6 {
            case 0 where depth < 12:
                var node = Node(&input, depth: depth + 1)
                node.isSegment = choice / 6 % 4 == 3
                children.append(.element(node))
            case 1:
                declared.append((Self.prefixes[choice / 6 % 7], Self.namespaces[1 + choice / 42 % 4]))
            case 2:
                let name = XMLName(Self.namespaces[choice / 6 % 5], Self.names[choice / 30 % 8])
                if attributes.contains(where: { $0.name == name }) { break }
                attributes.append((name, String(decoding: input.piece(), as: UTF8.self)))
            default: children.append(.text(String(decoding: input.piece(), as: UTF8.self)))
            }
        }
    }

    /// Adds the events that a reader must report for it.
    func events(into trace: inout Trace) {
        trace.append(
            .start(
                uri: name.namespace.uri, name: name.localName,
                attributes: attributes.map {
                    .init(uri: $0.name.namespace.uri, name: $0.name.localName, value: $0.value)
                }))
        for child in children {
            switch child {
            case .element(let node): node.events(into: &trace)
            case .text(let text): trace.append(.text(text))
            }
        }
        trace.append(.end)
    }

    /// Whether XML can carry all of it.
    var isWritable: Bool {
        XMLName.isNCName(name.localName)
            && attributes.allSatisfy { XMLName.isNCName($0.name.localName) && isText($0.value) }
            && children.allSatisfy { child in
                switch child {
                case .element(let node): node.isWritable
                case .text(let text): isText(text)
                }
            }
    }

    func write(to writer: inout XMLWriter, _ digests: inout [[UInt8]]) {
        writer.startElement(name, declaring: declared, attributes: attributes)
        for child in children {
            switch child {
            case .element(let node) where node.isSegment: node.writeSegment(to: &writer, &digests)
            case .element(let node): node.write(to: &writer, &digests)
            case .text(let text): writer.text(text)
            }
        }
        writer.endElement(name)
    }

    /// In the order in which segments begin.
    private func writeSegment(to writer: inout XMLWriter, _ digests: inout [[UInt8]]) {
        let number = digests.count
        digests.append([])
        var digest: [UInt8] = []
        var inner = digests
        writer.segment(into: { digest += $0 }) { write(to: &$0, &inner) }
        digests = inner
        digests[number] = digest
    }
}
