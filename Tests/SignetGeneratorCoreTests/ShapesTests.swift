import ReferenceServices
import SignetSOAP
import Testing

/// Runs generated code for every kind of value in every shape of property: what is written reads as the same, and is
/// written as the same again.
@Suite struct ShapesTests {
    private static let types = "urn:signet:example:shapes:types"

    private func encode(_ value: some XMLStructure) throws -> String {
        var writer = XMLWriter()
        writer.element(XMLName(Self.types, "r"), value)
        return String(decoding: try writer.finish(), as: UTF8.self)
    }

    private func read<T: XMLStructure>(_ text: String, as type: T.Type = T.self) throws -> T {
        try XMLReader.read(Array(text.utf8)) { (reader) throws(XMLError) in
            try reader.root()
            let value = try reader.structure(T.self)
            try reader.finish()
            return value
        }
    }

    private func decode<T: XMLStructure>(_ content: String, as type: T.Type = T.self) throws -> T {
        try read(
            "<r xmlns=\"\(Self.types)\" xmlns:o=\"urn:o\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">"
                + "\(content)</r>")
    }

    /// Writes, reads, and writes again; returns the text.
    @discardableResult
    private func roundTrip<T: XMLStructure>(_ value: T, _ location: SourceLocation = #_sourceLocation) throws -> String
    {
        let text = try encode(value)
        let again: T = try read(text)
        #expect(again == value, "\(text)", sourceLocation: location)
        #expect(try encode(again) == text, sourceLocation: location)
        return text
    }

    /// How often an element of this name begins.
    private func count(_ name: String, _ text: String) -> Int {
        text.matches(of: /<(?:\w+:)?(\w+)[ >\/]/).count { $0.1 == name }
    }

    // MARK: Six shapes

    private typealias Make<T, Value> = (
        _ one: Value, _ maybe: Value?, _ null: Value?, _ any: Nillable<Value>?, _ list: [Value],
        _ nulls: [Nillable<Value>]
    ) -> T

    /// Writes and reads properties that are present, absent, nil, and lists of none, one and several.
    private func check<T: XMLStructure, Value>(
        _ make: Make<T, Value>, _ a: Value, _ b: Value, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let values: [(value: T, counts: [Int], nils: Int)] = [
            (make(a, b, a, .value(b), [a, b, a], [.value(a), .null, .value(b)]), [1, 1, 1, 1, 3, 3], 1),
            (make(b, nil, nil, nil, [], []), [1, 0, 1, 0, 0, 0], 1),
            (make(a, nil, nil, .null, [b], [.null]), [1, 0, 1, 1, 1, 1], 3),
        ]
        for (index, (value, counts, nils)) in values.enumerated() {
            let text = try roundTrip(value, location)
            let found = ["one", "maybe", "null", "any", "list", "nulls"].map { count($0, text) }
            #expect(found == counts, "\(text)", sourceLocation: location)
            #expect(text.matches(of: /nil="true"/).count == nils, "\(text)", sourceLocation: location)
            for other in values[..<index] { #expect(other.value != value, sourceLocation: location) }
        }
    }

    @Test func everyShapeOfValuesTravels() throws {
        try check(Shapes.Strings.init, " a\tb ", "")
        try check(Shapes.Tokens.init, "a b", "")
        try check(Shapes.Lines.init, " a  b ", "")
        try check(Shapes.Flags.init, true, false)
        try check(Shapes.Shorts.init, Int16.min, 7)
        try check(Shapes.Ints.init, Int32.min, 7)
        try check(Shapes.Longs.init, Int64.max, -7)
        try check(Shapes.Doubles.init, 1.5, -.infinity)
        try check(Shapes.Decimals.init, "12.5", -3)
        try check(Shapes.Integers.init, 123_456_789, -1)
        try check(Shapes.Dates.init, "2026-02-28", "-0044-03-15")
        try check(Shapes.Moments.init, "2026-02-28T12:00:00Z", "2026-02-28T12:00:00.125+02:00")
        try check(Shapes.Blobs.init, XSDBase64Binary([1, 2, 255]), XSDBase64Binary([]))
    }

    @Test func everyShapeOfStructuresTravels() throws {
        try check(Shapes.Points.init, Shapes.Point(x: 1, y: 2), Shapes.Point(x: -1))
        let car = Shapes.Car(wheels: 4, doors: 5), taxi = Shapes.Taxi(wheels: 4, doors: 5, fare: 9)
        try check(Shapes.Cars.init, car, taxi)
        try check(Shapes.Vehicles.init, taxi, car)
    }

    /// XML Schema Part 2 §4.3.6: the spaces of the document are none of the value's.
    @Test func everyShapeOfStringsChangesWhiteSpace() throws {
        let content = ["one", "maybe", "null", "any", "list", "nulls"]
            .map { "<\($0)> \ta \n b</\($0)>" }.joined()
        let tokens: Shapes.Tokens = try decode(content)
        #expect(tokens == .init(one: "a b", maybe: "a b", null: "a b", any: "a b", list: ["a b"], nulls: ["a b"]))
        let line = "  a   b"
        let lines: Shapes.Lines = try decode(content)
        #expect(
            lines == .init(one: line, maybe: line, null: line, any: .value(line), list: [line], nulls: [.value(line)]))
        let text = " \ta \n b"
        let strings: Shapes.Strings = try decode(content)
        #expect(
            strings == .init(one: text, maybe: text, null: text, any: .value(text), list: [text], nulls: [.value(text)])
        )
    }

    // MARK: What stands in the content of another element

    @Test func everyCaseOfChoicesTravels() throws {
        let car = Shapes.Car(wheels: 4, doors: 5)
        let elements: [Shapes.AlternativesChoice3] = [
            .whole(1), .null(nil), .null(2), .token("a b"), .line(" a  b"), .point(.init(x: 1)), .nullPoint(nil),
            .nullPoint(.init(x: 1, y: 2)), .vehicle(XMLDerived(car)), .nullVehicle(XMLDerived(nil)),
            .nullVehicle(XMLDerived(car)), .from(.init(from: 1, to: 2)), .left(1), .right(2),
        ]
        try roundTrip(Shapes.Alternatives(choice: .a(1)))
        try roundTrip(Shapes.Alternatives(choice: .b(""), choice2: .d("x"), choice3: elements))
        let fragment = try XMLFragment(parsing: Array("<o:x xmlns:o='urn:o'>1</o:x>".utf8))
        let lasts: [Shapes.AlternativesChoice4] = [
            .ints([1]), .ints([1, 2]), .nulls([.value(1), .null]), .points([.init(x: 1), .init(x: 2)]),
            .nullPoints([.null, .value(.init(x: 1))]), .vehicles(XMLDerived([.value(car), .null])), .any(fragment),
            .up([.up(1), .down(2), .up(3)]),
        ]
        for last in lasts {
            let text = try roundTrip(Shapes.Alternatives(choice: .a(1), choice2: .c(2), choice4: last))
            #expect(try read(text, as: Shapes.Alternatives.self).choice4 == last)
        }
    }

    @Test func fragmentsRoundTrip() throws {
        let shortest: Shapes.Fragments = try decode("<o:a/><first>1</first><second>2</second>")
        #expect(shortest.any.localName == "a" && shortest.any2 == nil && shortest.any3.isEmpty)
        try roundTrip(shortest)
        let longest: Shapes.Fragments = try decode("<o:a/><first>1</first><o:b>x</o:b><second>2</second><o:c/><o:d/>")
        #expect(longest.any2?.text == "x" && longest.any3.map(\.localName) == ["c", "d"])
        try roundTrip(longest)
    }

    @Test func wildcardAttributesRoundTrip() throws {
        let value: Shapes.Attributes = try read("<r xmlns:o='urn:o' flag='1' o:a='x' o:b=''/>")
        #expect(value.flag == true && value.anyAttribute.map(\.localName) == ["a", "b"])
        try roundTrip(value)
        try roundTrip(Shapes.Attributes())
    }

    @Test func groupsRoundTrip() throws {
        try roundTrip(Shapes.Groups(from: 1, to: 2))
        let text = try roundTrip(
            Shapes.Groups(
                from: 1, to: 2, size: .init(width: 3, height: 4),
                stamp: [.init(by: "a", at: "2026-01-01"), .init(by: "b", at: "2026-01-02")]))
        #expect(count("width", text) == 1 && count("by", text) == 2)
    }

    @Test func boxedValuesRoundTrip() throws {
        let leaf = Shapes.Node(label: "leaf")
        #expect(try roundTrip(leaf).contains("nil=\"true\""))
        try roundTrip(Shapes.Node(label: "a", any: .null))
        let full = Shapes.Node(
            label: "a", maybe: leaf, null: leaf, any: .value(leaf), branch: .init(twig: "b", node: leaf))
        let text = try roundTrip(full)
        #expect(count("label", text) == 5)
        var other = full
        other.branch?.node.label = "x"
        #expect(other != full)
    }

    @Test func allShapesFitInOneMessage() throws {
        try roundTrip(Shapes.Keep())
        try roundTrip(
            Shapes.Keep(
                flags: .init(one: true), points: .init(one: .init(x: 1)), groups: .init(from: 1, to: 2),
                node: .init(label: "a", maybe: .init(label: "b"))))
    }
}
