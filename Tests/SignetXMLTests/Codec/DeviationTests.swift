import SignetXML
import Testing

@Suite struct DeviationTests {
    private func read(
        _ content: String, _ tolerance: XMLTolerance
    ) throws(XMLError) -> (value: Reading, deviations: [XMLDeviation]) {
        let document =
            "<r xmlns='urn:readings' xmlns:i='http://www.w3.org/2001/XMLSchema-instance'>\(content)</r>"
        return try XMLReader.read(Array(document.utf8)) { (reader) throws(XMLError) in
            reader.tolerance = tolerance
            try reader.root()
            let value = try reader.structure(Reading.self)
            try reader.finish()
            return (value, reader.deviations)
        }
    }

    private static let codes: [String: XMLTolerance] = [
        "unknownElement": .unknownElement, "unknownAttribute": .unknownAttribute, "missingElement": .missingElement,
        "missingAttribute": .missingAttribute, "order": .order, "duplicate": .duplicate, "namespace": .namespace,
        "invalidValue": .invalidValue, "unexpectedNil": .unexpectedNil, "unexpectedText": .unexpectedText,
        "nilForAbsent": .nilForAbsent,
    ]

    @Test func lenientIsEveryTolerance() {
        let all = Self.codes.values.reduce(into: XMLTolerance.unknownType) { $0.formUnion($1) }
        #expect(all == .lenient && XMLTolerance.lenient.rawValue == (1 << 12) - 1)
        #expect(XMLTolerance.standard.isStrictSubset(of: .lenient) && XMLTolerance.strict.rawValue == 0)
        #expect(MemoryLayout<XMLTolerance>.size == 2)
    }

    static let cases: [(String, [String])] = [
        ("<id>1</id><name>n</name><last xmlns=''/>", []),
        ("<id>1</id><name>n</name><new><x/></new><last xmlns=''/>", ["unknownElement"]),
        ("<id a='1'>1</id><name>n</name><last xmlns=''/>", ["unknownAttribute"]),
        ("<id i:type='x'>1</id><name>n</name><last xmlns=''/>", []),
        ("<id>1</id><name>n</name>", ["missingElement"]),
        ("<id>1</id>", ["missingElement", "missingElement"]),
        ("<id>1</id><name>n</name><inner>1</inner><last xmlns=''/>", ["missingAttribute"]),
        ("<name>n</name><id>1</id><last xmlns=''/>", ["order"]),
        ("<last xmlns=''/><name>n</name><id>1</id>", ["order", "order"]),
        ("<id>1</id><id>2</id><name>n</name><last xmlns=''/>", ["duplicate"]),
        ("<id>1</id><name>n</name><last xmlns=''/><last xmlns=''><x/></last>", ["duplicate"]),
        ("<id>1</id><name xmlns=''>n</name><last xmlns=''/>", ["namespace"]),
        ("<id>1</id><name>n</name><inner xmlns:p='urn:readings' p:unit='m'>1</inner><last xmlns=''/>", ["namespace"]),
        (
            "<id>1</id><name>n</name><inner xmlns:p='urn:readings' p:unit='k' unit='m'>1</inner><last xmlns=''/>",
            ["unknownAttribute"]
        ),
        ("<id>x</id><name>n</name><last xmlns=''/>", ["invalidValue"]),
        ("<id/><name>n</name><last xmlns=''/>", ["invalidValue"]),
        ("<id>1</id><name>n</name><taken>x</taken><value>y</value><last xmlns=''/>", ["invalidValue", "invalidValue"]),
        ("<id>1<x/></id><name>n</name><last xmlns=''/>", ["invalidValue"]),
        ("<id i:nil='1'/><name>n</name><last xmlns=''/>", ["unexpectedNil"]),
        ("<id>1</id><name>n</name><note i:nil='1'>t<x>u</x></note><last xmlns=''/>", ["unexpectedNil"]),
        ("<id>1</id><name>n</name><taken i:nil='1'/><last xmlns=''/>", ["nilForAbsent"]),
        ("<id>1</id><name>n</name><inner i:nil='1'/><last xmlns='' i:nil='1'/>", ["nilForAbsent"]),
        ("<id>1</id><name>n</name><value i:nil='1'/><last xmlns=''/>", ["unexpectedNil"]),
        ("text<id>1</id>t<name>n</name><last xmlns=''/>", ["unexpectedText", "unexpectedText"]),
        // White space is that however it is written (XML Schema 1.0 part 1 §3.4.4, clause 2.3).
        ("&#9;<id>1</id> &#x20;<name>n</name><![CDATA[ \r\n]]><last xmlns=''/>", []),
        ("&#xA0;<id>1</id><name>n</name><![CDATA[&#9;]]><last xmlns=''/>", ["unexpectedText", "unexpectedText"]),
        (
            "<name>n</name>x<id a=''>1</id><id>y</id><inner>z</inner>",
            [
                "unexpectedText", "order", "unknownAttribute", "duplicate", "missingAttribute", "invalidValue",
                "missingElement",
            ]
        ),
    ]

    @Test(arguments: cases) func toleranceDoesNotChangeLists(content: String, codes: [String]) throws {
        let lenient = try read(content, .lenient)
        #expect(lenient.deviations.map(\.code.description) == codes)
        for tolerance in [XMLTolerance.strict, .standard] {
            // Where unknown elements are welcome, one of another namespace is one.
            if tolerance == .standard && codes.contains("namespace") { continue }
            let isTaken = codes.allSatisfy { Self.codes[$0].map(tolerance.contains) == true }
            do throws(XMLError) {
                let (value, deviations) = try read(content, tolerance)
                #expect(isTaken && deviations == lenient.deviations && value == lenient.value)
            } catch {
                #expect(!isTaken && error.deviations == lenient.deviations)
                let first = lenient.deviations.first { !tolerance.contains($0.code.tolerance) }
                #expect(error.offset == first?.offset && error.line == first?.line && error.path == first?.path)
                #expect(error.message == first?.message)
            }
        }
    }

    /// A value that came under another name must not become one of no meaning, whatever is tolerated.
    @Test(arguments: [
        ("<id>1</id><name>n</name><Last xmlns=''>5</Last>", ["unknownElement", "missingElement"]),
        ("<id>1</id><Name>n</Name><last xmlns=''/>", ["missingElement", "unknownElement"]),
        ("<Id>1</Id>", ["unknownElement", "missingElement", "missingElement", "missingElement"]),
        (
            "<id>1</id><name>n</name><inner Unit='m'>1</inner><last xmlns=''/>",
            ["unknownAttribute", "missingAttribute"]
        ),
        (
            "<id>1</id><name>n</name><inner xmlns:p='urn:p' p:unit='m'>1</inner><last xmlns=''/>",
            ["unknownAttribute", "missingAttribute"]
        ),
    ])
    func aMissingElementBesideUnknownNamesIsAnError(content: String, codes: [String]) throws {
        let lenient = #expect(throws: XMLError.self) { try read(content, .lenient) }
        #expect(lenient?.code == .missing)
        #expect(lenient?.message.contains("none is made up") == true)
        #expect(Set(lenient?.deviations.map(\.code.description) ?? []) == Set(codes))
        for tolerance in [XMLTolerance.strict, .standard] {
            let error = #expect(throws: XMLError.self) { try read(content, tolerance) }
            #expect(error?.deviations == lenient?.deviations)
        }
    }

    /// An unknown element elsewhere is no reason to doubt.
    @Test func unknownElementsElsewhereDoNotMatter() throws {
        let nested = "<id>1</id><inner unit='m'><x/></inner>"
        #expect(throws: Never.self) { try read(nested, .lenient) }
        #expect(throws: Never.self) { try read("<id>1</id><name>n</name><inner a='' unit='m'>1</inner>", .lenient) }
    }

    /// The element or the attribute is named, with the place where it begins; of what is absent the end of what lacks
    /// it.
    @Test(arguments: [
        ("<id>x</id><name>n</name><last xmlns=''/>", "1:77 r/id"),
        ("\n<id\n>x</id ><name>n</name><last xmlns=''/>", "2:1 r/id"),
        ("\n<id><![CDATA[x]]></id><name>n</name><last xmlns=''/>", "2:1 r/id"),
        ("\n<id/><name>n</name><last xmlns=''/>", "2:1 r/id"),
        ("<id>1</id><name>n</name>\n <inner unit='m'>x</inner><last xmlns=''/>", "2:2 r/inner"),
        ("<id>1</id><name>n</name>\n<inner>1</inner><last xmlns=''/>", "2:8 r/inner"),
        ("\n<id i:nil='1'/><name>n</name><last xmlns=''/>", "2:1 r/id"),
        ("\n<id>1</id><last xmlns=''/>\n", "3:1 r"),
    ])
    func unreadableElementsAreNamedWithTheirPlace(content: String, place: String) throws {
        let error = #expect(throws: XMLError.self) { try read(content, .standard) }
        let found = error.map { "\($0.line):\($0.column) \($0.path)" }
        #expect(found == place, "\(String(describing: error))")
    }

    @Test func valuesThatAreRightAreRead() throws {
        let read = try read(
            "<name>n</name><id>x</id><id>2</id>\n <value>1</value><value>y</value><value>3</value>", .lenient)
        #expect(read.value == Reading(id: 0, name: "n", value: [1, 3]))
        let places = read.deviations.map { "\($0.code) \($0.line):\($0.column) \($0.path)" }
        #expect(places.first?.hasPrefix("order 1:") == true)
        #expect(places.contains { $0.hasPrefix("invalidValue 2:18") }, "\(places)")
        #expect(places.last?.hasPrefix("missingElement 2:") == true)
    }

    @Test func anAttributeInTheNamespaceOfItsElementIsTaken() throws {
        let content = "<id>1</id><name>n</name><inner xmlns:p='urn:readings' p:unit='m'>1</inner><last xmlns=''/>"
        #expect(try read(content, .lenient).value.inner == Inner(value: 1, unit: "m"))
    }

    @Test func anotherNamespaceIsUnknownByDefault() throws {
        let content = "<id>1</id><name>n</name><taken xmlns='urn:other'>x</taken><last xmlns=''/>"
        let read = try read(content, .standard)
        #expect(read.deviations.map(\.code) == [.unknownElement])
        #expect(read.value.taken == nil)
    }

    /// An element with an attribute in its own namespace, and one in another.
    private struct Link: XMLStructure {
        var reference: String?
        var language: String?

        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(["urn:readings", "urn:link"], attributes: "0:href? 1:lang?")
            fields.field(&x.reference)
            fields.field(&x.language)
        }
    }

    @Test(arguments: [
        ("href='a'", "a", [XMLDeviation.Code.namespace]), ("href='b' r:href='a'", "a", [.unknownAttribute]),
        ("r:href='a' href='b'", "a", [.unknownAttribute]), ("l:href='b'", nil, [.unknownAttribute]),
        ("lang='b'", nil, [.unknownAttribute]), ("r:lang='b'", nil, [.unknownAttribute]),
    ])
    func anAttributeWithoutTheNamespaceOfItsElementIsTaken(
        attributes: String, expected: String?, codes: [XMLDeviation.Code]
    ) throws {
        let document = "<r:r xmlns:r='urn:readings' xmlns:l='urn:link' \(attributes)/>"
        for tolerance in [XMLTolerance.lenient, .standard] {
            let (value, deviations) = try XMLReader.read(Array(document.utf8)) { (reader) throws(XMLError) in
                reader.tolerance = tolerance
                try reader.root()
                return (try reader.structure(Link.self), reader.deviations)
            }
            // By default it is unknown.
            let isLenient = tolerance == .lenient || !codes.contains(.namespace)
            #expect(value.reference == (isLenient ? expected : nil) && value.language == nil)
            #expect(deviations.map(\.code) == (isLenient ? codes : codes.map { _ in .unknownAttribute }))
        }
    }

    @Test func aThousandDeviationsAreKept() throws {
        let unknown = String(repeating: "<new/>\n", count: 5000)
        let read = try read("<id>1</id><name>n</name><last xmlns=''/>" + unknown, .standard)
        #expect(read.deviations.count == 1000)
        #expect(read.deviations.last?.line == 1000)
        // One that is not tolerated is found behind them too.
        let error = #expect(throws: XMLError.self) { try self.read("<id>1</id>" + unknown, .standard) }
        #expect(error?.code == .missing)
        #expect(error?.deviations.count == 1000)
    }

    @Test func malformedDocumentsAreNeverTolerated() {
        for content in ["<id>1</id", "<id>1</name>", "<id>&x;</id>", "<id a='1' a='2'/>"] {
            #expect(throws: XMLError.self) { try read(content, .lenient) }
        }
    }
}
