import SignetXML
import Testing

/// Random documents, written and read, mean the same afterwards. A failure names the seed, which makes the same
/// document.
@Suite struct RoundTripTests {
    static let cases = 1000

    init() {
        // The program knows some of the namespaces.
        for uri in RandomTree.uris.prefix(4) { _ = XMLNamespace(uri) }
    }

    @Test func spellingsMeanTheSame() throws {
        print("Random spellings: seeds 1 to \(Self.cases).")
        for seed in 1...Self.cases {
            var random = RandomTree(seed: seed)
            let tree = random.tree()
            let document = random.spell(tree)
            let read = try #require(try? Tree(Array(document.utf8)), "seed \(seed)")
            #expect(tree.difference(from: read) == nil, "seed \(seed)")
        }
    }

    @Test func writtenTreesAreReadAgain() throws {
        print("Random trees written: seeds 1 to \(Self.cases).")
        for seed in 1...Self.cases {
            var random = RandomTree(seed: seed)
            let tree = random.tree()
            let prefixes = [("p", "urn:random:1"), ("q", "urn:random:3?a=1;b='2'"), ("n1", "urn:unknown:2")]
            var writer = XMLWriter(prefixes: seed % 2 == 0 ? prefixes : [])
            write(tree, to: &writer, &random)
            let bytes = try writer.finish()
            #expect(tree.difference(from: try Tree(bytes)) == nil, "seed \(seed)")
        }
    }

    @Test func indentationChangesOnlyElementContent() throws {
        for seed in 1...Self.cases {
            var random = RandomTree(seed: seed)
            let tree = random.tree()
            var writer = XMLWriter(indentation: seed % 2 == 0 ? .spaces(2) : .tab)
            if seed % 3 == 0 { writer.declaration() }
            write(tree, to: &writer, &random)
            let bytes = try writer.finish()
            let read = try Tree(bytes)
            #expect(tree.difference(from: read.without(spaceOf: tree)) == nil, "seed \(seed)")
        }
    }

    @Test func keptPiecesMeanTheSame() throws {
        for seed in 1...Self.cases {
            var random = RandomTree(seed: seed)
            let tree = random.tree()
            let document = random.spell(tree)
            let fragment = try XMLFragment(parsing: document)
            let kept = try fragment.read { (reader) throws(XMLError) in try Tree(&reader) }
            #expect(tree.difference(from: kept) == nil, "seed \(seed)")

            // Every child, kept and put elsewhere, among prefixes that mean something else.
            var writer = XMLWriter(prefixes: [("a", "urn:other")], indentation: seed % 2 == 0 ? .spaces(1) : nil)
            let root = XMLName("urn:root", "root")
            writer.startElement(root, declaring: [("b", XMLNamespace("urn:b")), ("n2", XMLNamespace("urn:random:1"))])
            for child in fragment.children { writer.wildcard(child) }
            let holder = XMLName(random.pick(["", "urn:random:1", "urn:other"]), "holder")
            writer.element(holder, fragment.content)
            writer.endElement(root)
            let read = try Tree(writer.finish())
            for (child, childRead) in zip(tree.elements, read.elements) {
                #expect(child.difference(from: childRead) == nil, "seed \(seed)")
            }
            #expect(read.elements.count == tree.elements.count + 1)
            var expected = tree
            expected.name = Tree.Name(uri: holder.namespace.uri, local: "holder")
            let last = try #require(read.elements.last)
            #expect(expected.difference(from: last) == nil, "seed \(seed)")
        }
    }
}

/// Writes a tree in one of the ways there are: by names, by attributes without numbers, by kept pieces.
func write(_ tree: Tree, to writer: inout XMLWriter, _ random: inout RandomTree) {
    // An element in a namespace that the program does not know can only be copied.
    let isForeign = tree.name.uri.hasPrefix("urn:unknown")
    if isForeign || random.next(8) == 0, let fragment = try? XMLFragment(parsing: random.spell(tree)) {
        return writer.wildcard(fragment)
    }
    let name = XMLName(tree.name.uri, tree.name.local)
    var declaring: [(prefix: String, namespace: XMLNamespace)] = []
    if random.next(4) == 0 {
        declaring.append(
            (random.pick(["a", "b", "n1", "n2"]), XMLNamespace(random.pick(["urn:random:1", "urn:random:2"]))))
    }
    let isAny = random.next(2) == 0
    writer.startElement(name, declaring: declaring) { writer in
        var foreign: [XMLAnyAttribute] = []
        for (name, value) in tree.attributes.sorted(by: { ($0.key.uri, $0.key.local) < ($1.key.uri, $1.key.local) }) {
            if isAny || name.uri.hasPrefix("urn:unknown") {
                foreign.append(XMLAnyAttribute(namespaceURI: name.uri, localName: name.local, value: value))
            } else {
                writer.attribute(XMLName(name.uri, name.local), value)
            }
        }
        writer.anyAttributes(foreign)
    }
    for node in tree.content {
        switch node {
        case .text(let text): writer.text(text)
        case .element(let element): write(element, to: &writer, &random)
        }
    }
    writer.endElement(name)
}
