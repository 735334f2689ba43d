import Testing

@_spi(Generated) @testable import SignetXML

private enum Colour: XMLEnumeration {
    case red
    case unrecognized(String)

    init(rawValue: String) { self = rawValue == "red" ? .red : .unrecognized(rawValue) }

    var rawValue: String {
        switch self {
        case .red: "red"
        case .unrecognized(let value): value
        }
    }
}

/// A property of a type in each way in which it may stand, and as an attribute.
private struct Ways<Value: XMLValue>: XMLStructure {
    var one: Value = ._placeholder
    var optional: Value?
    var nillable: Value?
    var both: Nillable<Value>?
    var many: [Value] = []
    var attribute: Value = ._placeholder
    var optionalAttribute: Value?

    init(_decoding: Void) {}

    init(_ value: Value) {
        one = value
        optional = value
        nillable = value
        both = .value(value)
        many = [value, value, value]
        attribute = value
        optionalAttribute = value
    }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            ["urn:plain"], elements: "a eightOdd? moreThanSixteenBytes both? moreThanTwentyFourBytesLong*",
            attributes: "a moreThanSixteenBytes?")
        fields.value(&x.one)
        fields.optionalValue(&x.optional)
        fields.nillableValue(&x.nillable)
        fields.optionalNillableValue(&x.both)
        fields.values(&x.many)
        fields.value(&x.attribute)
        fields.optionalValue(&x.optionalAttribute)
    }
}

/// Elements that are written in one go must be the bytes that the code writes which writes all others.
@Suite struct PlainWritingTests {
    private static let root = XMLName("urn:plain", "r")

    /// What is written, or what is wrong with it.
    private func outcome<Value: XMLValue>(_ value: Ways<Value>, _ prefix: String, isPlain: Bool) -> String {
        var writer = XMLWriter()
        // Nothing is told of these types; but the writer does not know before it has looked.
        writer.writesTypes = !isPlain
        writer.element(Self.root, value, declaring: [(prefix, Self.root.namespace)])
        do throws(XMLError) {
            return String(decoding: try writer.finish(), as: UTF8.self)
        } catch { return "\(error)" }
    }

    private func compare<Value: XMLValue>(_ values: [Value], prefixes: [String] = ["p"]) {
        for prefix in prefixes {
            for value in values {
                var ways = Ways(value)
                #expect(outcome(ways, prefix, isPlain: true) == outcome(ways, prefix, isPlain: false), "\(value)")
                ways.optional = nil
                ways.nillable = nil
                ways.both = .null
                ways.many = []
                ways.optionalAttribute = nil
                #expect(outcome(ways, prefix, isPlain: true) == outcome(ways, prefix, isPlain: false), "\(value)")
                ways.both = nil
                #expect(outcome(ways, prefix, isPlain: true) == outcome(ways, prefix, isPlain: false), "\(value)")
            }
        }
    }

    private static let texts: [String] = {
        // Each byte that is written otherwise at each place of a word, and behind it.
        let marks = [
            "<", ">", "&", "\"", "\r", "\n", "\t", "\u{0}", "\u{1F}", "\u{FFFE}", "\u{FFFF}", "\u{FFFD}", "é", "🙂",
        ]
        var texts: [String] = []
        for mark in marks {
            for before in 0..<18 {
                for behind in [0, 1, 7, 8, 9] {
                    texts.append(
                        String(repeating: "x", count: before) + mark + String(repeating: "y", count: behind))
                }
            }
        }
        texts += (0..<40).map { String(repeating: "z", count: $0) }
        texts += ["<<<<<<<<<<<<<<<<", "a&b&c&d&e&f&g&h&", "]]>", "Nach dem Frühstück & vor dem Spaziergang"]
        return texts
    }()

    @Test func strings() { compare(Self.texts, prefixes: ["p", "prefx", "prefix", "aPrefixThatIsLong"]) }

    @Test func stringsThatGrowTheMemory() {
        compare((4000...4100).map { String(repeating: "x", count: $0) })
        compare((4000...4100).map { String(repeating: "x", count: $0) + "&" })
    }

    @Test func enumerations() { compare(Self.texts.map(Colour.init(rawValue:)) + [.red]) }

    @Test func tokens() { compare(Self.texts.compactMap(XSDToken.init) + Self.texts.compactMap(XSDToken.init)) }

    @Test func booleans() { compare([true, false]) }

    private static let integers: [Int64] = {
        var integers: [Int64] = [.min, .min + 1, .max, 0]
        var power: Int64 = 1
        for digit in 0..<19 {
            integers += [power - 1, power, power + 1, power / 7 * 5]
            if digit < 18 { power *= 10 }
        }
        return integers + integers.map { 0 &- $0 } + (0..<1000) + (9_990..<10_010) + (99_999_000..<100_001_000)
    }()

    @Test func integersOf64Bits() {
        compare(Self.integers)
        for value in Self.integers {
            #expect(outcome(Ways(value), "p", isPlain: true).contains("<p:a>\(value)</p:a>"))
        }
    }

    @Test func integersOf32Bits() { compare(Self.integers.compactMap(Int32.init(exactly:))) }
    @Test func integersOfAnySize() { compare(Self.integers.map { XSDInteger($0) }) }
    @Test func decimals() { compare(["0", "-0.5", "123456789012345678901234567890.25"].compactMap { XSDDecimal($0) }) }
    @Test func doubles() { compare([0, -1.5, .infinity, .nan, 1e300]) }

    private static let days = [
        "2026-01-09", "0001-12-31Z", "9999-12-31+14:00", "10000-01-01", "-0001-02-28-05:30", "0099-10-10-00:30",
    ]

    @Test func dates() {
        let dates = Self.days.compactMap { XSDDate($0) }
        #expect(dates.count == Self.days.count)
        compare(dates)
    }

    @Test func instants() {
        let texts = Self.days.flatMap { day in
            ["00:00:00", "23:59:59.5", "01:02:03.000000000000000001", "12:34:56.1234567890123456789"].map { time in
                let end = day.dropFirst().firstIndex { "Z+".contains($0) } ?? day.index(day.startIndex, offsetBy: 10)
                return "\(day[..<end])T\(time)\(day[end...])"
            }
        }
        let instants = texts.compactMap { XSDDateTime($0) }
        #expect(instants.count > 12)
        compare(instants)
    }

    @Test func bytes() {
        compare((0..<70).map { count in XSDBase64Binary((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }) })
        compare([XSDBase64Binary([UInt8](repeating: 0xFF, count: 100_000))])
    }

    /// A writer takes over the memory of the one before.
    @Test func memoryIsTakenOver() async {
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for length in stride(from: 0, to: 40_000, by: 997) {
                        let text = String(repeating: Character("\(task)"), count: length)
                        var writer = XMLWriter()
                        writer.element(Self.root, Ways(text), declaring: [("p", Self.root.namespace)])
                        let written = try? writer.finish()
                        #expect(written?.count { $0 == UInt8(ascii: "0") + UInt8(task) } == 9 * length)
                    }
                }
            }
        }
    }

    /// What a document begins with is written once for many.
    @Test func openings() throws {
        let namespaces = [("p", XMLNamespace("urn:plain")), ("q", XMLNamespace("urn:other & more"))]
        let opening = XMLDocumentPrefix(Self.root, declaring: namespaces)
        for text in ["one", "two"] {
            var prepared = XMLWriter(opening)
            var other = XMLWriter()
            other.declaration()
            other.startElement(Self.root, declaring: namespaces)
            for (index, name) in ["a", "b", "c"].enumerated() {
                let uri = ["urn:other & more", "urn:third", ""][index]
                prepared.element(XMLName(uri, name), Ways(text))
                other.element(XMLName(uri, name), Ways(text))
            }
            prepared.endElement(Self.root)
            other.endElement(Self.root)
            #expect(try prepared.finish() == other.finish())
        }
    }

    /// Declarations that no caller has asked for come into the start tag in the end.
    @Test func openingsThatDeclareLess() throws {
        let others: [[(prefix: String, namespace: XMLNamespace)]] = [
            [], [("", XMLNamespace("urn:plain"))],
            [("p", XMLNamespace("urn:other")), ("p", XMLNamespace("urn:plain"))],
        ]
        for namespaces in others {
            var prepared = XMLWriter(XMLDocumentPrefix(Self.root, declaring: namespaces))
            var other = XMLWriter()
            other.declaration()
            other.startElement(Self.root, declaring: namespaces)
            prepared.element(XMLName("urn:third", "a"), Ways("text"))
            other.element(XMLName("urn:third", "a"), Ways("text"))
            prepared.endElement(Self.root)
            other.endElement(Self.root)
            let bytes = try prepared.finish()
            #expect(try bytes == other.finish())
            try XMLReader.read(bytes) { reader throws(XMLError) in
                try reader.root()
                let isRoot = reader.isElement(Self.root)
                #expect(isRoot)
                try reader.skipElement()
                try reader.finish()
            }
        }
    }

    @Test func openingThatCannotBeWritten() {
        for opening in [
            XMLDocumentPrefix(XMLName("urn:plain", "a b")), XMLDocumentPrefix(Self.root, declaring: [("xml", .none)]),
        ] {
            var writer = XMLWriter(opening)
            writer.endElement(Self.root)
            do throws(XMLError) {
                _ = try writer.finish()
                Issue.record("written")
            } catch { #expect(error.code == .unwritable) }
        }
    }

    @Test func pathOfADefect() {
        var writer = XMLWriter(XMLDocumentPrefix(Self.root, declaring: [("p", Self.root.namespace)]))
        writer.startElement(XMLName("", "outer"))
        writer.element(XMLName("urn:plain", "inner"), Ways("\u{1}"))
        do throws(XMLError) {
            _ = try writer.finish()
            Issue.record("written")
        } catch { #expect(error.path == "r/outer/inner/@a") }
    }

    /// A tag that is refused when its element has been entered has its name in the path.
    @Test func theErrorPathNamesARefusedTag() throws {
        let any = XMLAny(try XMLFragment(parsing: "<a xmlns:soap='urn:other' t='soap:x'/>"))
        var writer = XMLWriter()
        writer.startElement(Self.root, declaring: [("soap", XMLNamespace("urn:soap"))])
        writer.segment(into: { _ in }) { $0.element(XMLName("", "x"), any) }
        writer.endElement(Self.root)
        do throws(XMLError) {
            _ = try writer.finish()
            Issue.record("written")
        } catch {
            #expect(error.code == .unwritable)
            #expect(error.path == "r/x")
        }
    }
}
