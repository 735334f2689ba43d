@_spi(Generated) import SignetXML
import Testing

/// What the generator writes for `(a, (b | c | (d, e?)+ | f*), (g, h?)*, i?)` with a wildcard at the end.
private struct Model: XMLStructure {
    var a: Int32 = 0
    var pick: Pick = ._placeholder
    var pair: [Pair] = []
    var i: String?
    var rest: [XMLFragment] = []

    init(_decoding: Void) {}
    init(a: Int32, pick: Pick, pair: [Pair] = [], i: String? = nil) {
        (self.a, self.pick, self.pair, self.i) = (a, pick, pair, i)
    }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:groups"], elements: "a {0} {1}* i? #other:0*", groups: [Pick.xmlTable, Pair.xmlTable])
        fields.field(&x.a)
        fields.field(&x.pick)
        fields.group(&x.pair)
        fields.field(&x.i)
        fields.field(&x.rest)
    }
}

private indirect enum Pick: XMLChoice {
    case b(Int32)
    case c(String?)
    case steps([Step])
    case f([Int32])
    case inner(Inner2)
    case model(Model)

    static let xmlTable = XMLTable(
        choice: ["urn:groups"], elements: "b c {0}* f* {1} model", groups: [Step.xmlTable, Inner2.xmlTable])

    static func decode(_ index: Int, from reader: inout XMLReader) -> Pick? {
        switch index {
        case 0: reader.branch(Self.b)
        case 1: reader.branch(Self.c)
        case 2: reader.branchGroup(Self.steps)
        case 3: reader.branch(Self.f)
        case 4: reader.branchGroup(Self.inner)
        case 5: reader.branch(Self.model)
        default: nil
        }
    }

    func encode(to writer: inout XMLWriter) {
        switch self {
        case .b(let value): writer.field(0, value)
        case .c(let value): writer.nillableField(1, value)
        case .steps(let value): writer.group(2, value)
        case .f(let value): writer.field(3, value)
        case .inner(let value): writer.field(4, value)
        case .model(let value): writer.field(5, value)
        }
    }

    static var _placeholder: Pick { .b(0) }
}

private enum Inner2: XMLChoice {
    case x(String)
    case y(Double)

    static let xmlTable = XMLTable(choice: ["urn:groups"], elements: "x y")

    static func decode(_ index: Int, from reader: inout XMLReader) -> Inner2? {
        switch index {
        case 0: reader.branch(Self.x)
        case 1: reader.branch(Self.y)
        default: nil
        }
    }

    func encode(to writer: inout XMLWriter) {
        switch self {
        case .x(let value): writer.field(0, value)
        case .y(let value): writer.field(1, value)
        }
    }

    static var _placeholder: Inner2 { .x("") }
}

private struct Step: XMLStructure {
    var d: Int32 = 0
    var e: String?

    init(_decoding: Void) {}
    init(d: Int32, e: String? = nil) { (self.d, self.e) = (d, e) }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:groups"], elements: "d e?")
        fields.field(&x.d)
        fields.field(&x.e)
    }
}

private struct Pair: XMLStructure {
    var g: Int32 = 0
    var h: Int32?

    init(_decoding: Void) {}
    init(g: Int32, h: Int32? = nil) { (self.g, self.h) = (g, h) }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:groups"], elements: "g h?")
        fields.field(&x.g)
        fields.field(&x.h)
    }
}

/// What the generator writes for `((low, high?) | high | (width, high?))`: one element in several alternatives.
private struct Interval: XMLStructure {
    var choice = Bounds._placeholder

    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:groups"], elements: "{0}", groups: [Bounds.xmlTable])
        fields.field(&x.choice)
    }
}

private enum Bounds: XMLChoice {
    case low(LowBound)
    case high(String)
    case width(WidthBound)

    static let xmlTable = XMLTable(
        choice: ["urn:groups"], elements: "{0} high {1}", groups: [LowBound.xmlTable, WidthBound.xmlTable])

    static func decode(_ index: Int, from reader: inout XMLReader) -> Bounds? {
        switch index {
        case 0: reader.branchGroup(Self.low)
        case 1: reader.branch(Self.high)
        case 2: reader.branchGroup(Self.width)
        default: nil
        }
    }

    func encode(to writer: inout XMLWriter) {
        switch self {
        case .low(let value): writer.group(0, value)
        case .high(let value): writer.field(1, value)
        case .width(let value): writer.group(2, value)
        }
    }

    static var _placeholder: Bounds { .high("") }
}

private struct LowBound: XMLStructure {
    var low = ""
    var high: String?

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:groups"], elements: "low high?")
        fields.field(&x.low)
        fields.field(&x.high)
    }
}

private struct WidthBound: XMLStructure {
    var width = ""
    var high: String?

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:groups"], elements: "width high?")
        fields.field(&x.width)
        fields.field(&x.high)
    }
}

@Suite struct GroupTests {
    private func read(_ content: String) throws(XMLError) -> Model {
        try decode(
            "<m xmlns='urn:groups' xmlns:i='http://www.w3.org/2001/XMLSchema-instance'>\(content)</m>")
    }

    /// What a group lacks may stand under another name inside or outside of it, before or behind.
    @Test(arguments: [
        ("<a>1</a><b>1</b><h>2</h><i>x</i><G>7</G>", false), ("<a>1</a><b>1</b><h>2</h><G>7</G>", false),
        ("<a>1</a><b>1</b><G>7</G><h>2</h><i>x</i>", false), ("<A/><b>1</b>", false), ("<a>1</a><B>1</B>", false),
        ("<a>1</a><B>1</B><i>x</i>", false), ("<a>1</a><b>1</b><h>2</h><i>x</i>", true), ("<a>1</a>", true),
        ("<a>1</a><b>1</b><g>2</g><i>x</i><G>7</G>", true),
    ])
    func aMissingGroupElementBesideUnknownNamesIsAnError(content: String, isTaken: Bool) throws {
        for text in [content, spelt(content)] {
            let document = Array("<m xmlns='urn:groups'>\(text)</m>".utf8)
            do throws(XMLError) {
                try XMLReader.read(document) { (reader) throws(XMLError) in
                    reader.tolerance = .lenient
                    try reader.root()
                    _ = try reader.structure(Model.self)
                }
                #expect(isTaken, "\(text)")
            } catch {
                #expect(!isTaken && error.code == .missing, "\(text): \(error)")
            }
        }
    }

    /// The same content, written so that no start tag is as foreseen.
    private func spelt(_ content: String) -> String {
        content.replacing(">", with: " >").replacing("/ >", with: " />")
    }

    /// An attribute keeps the start tag from being foreseen.
    @Test(arguments: ["", " a=\"1\""]) func theFirstElementSelectsTheAlternative(_ attribute: String) throws {
        func read(_ content: String) throws -> Bounds {
            let text = "<i xmlns=\"urn:groups\">\(content)</i>"
            return try XMLReader.read(Array(text.utf8)) { (reader) throws(XMLError) in
                try reader.root()
                return try reader.structure(Interval.self).choice
            }
        }
        #expect(try read("<high\(attribute)>1</high>") == .high("1"))
        guard case .width(let width) = try read("<width\(attribute)>1</width><high\(attribute)>2</high>") else {
            Issue.record("another alternative")
            return
        }
        #expect(width.width == "1" && width.high == "2")
        guard case .low(let low) = try read("<low\(attribute)>1</low><high\(attribute)>2</high>") else {
            Issue.record("another alternative")
            return
        }
        #expect(low.low == "1" && low.high == "2")
    }

    @Test(arguments: [
        ("<a>1</a><b>2</b>", Model(a: 1, pick: .b(2))),
        ("<a>1</a><c i:nil='true'></c>", Model(a: 1, pick: .c(nil))),
        ("<a>1</a><c></c><i>z</i>", Model(a: 1, pick: .c(""), i: "z")),
        ("<a>1</a><d>2</d>", Model(a: 1, pick: .steps([Step(d: 2)]))),
        (
            "<a>1</a><d>2</d><e>x</e><d>3</d><d>4</d><e>y</e><i>z</i>",
            Model(a: 1, pick: .steps([Step(d: 2, e: "x"), Step(d: 3), Step(d: 4, e: "y")]), i: "z")
        ),
        ("<a>1</a><f>2</f><f>3</f><g>4</g>", Model(a: 1, pick: .f([2, 3]), pair: [Pair(g: 4)])),
        (
            "<a>1</a><y>2.5</y><g>1</g><h>2</h><g>3</g><g>4</g><h>5</h>",
            Model(a: 1, pick: .inner(.y(2.5)), pair: [Pair(g: 1, h: 2), Pair(g: 3), Pair(g: 4, h: 5)])
        ),
        (
            "<a>1</a><model><a>2</a><model><a>3</a><x>q</x><g>6</g></model><g>7</g></model><g>8</g>",
            Model(
                a: 1,
                pick: .model(
                    Model(
                        a: 2, pick: .model(Model(a: 3, pick: .inner(.x("q")), pair: [Pair(g: 6)])), pair: [Pair(g: 7)]
                    )), pair: [Pair(g: 8)])
        ),
    ])
    private func content(xml: String, model: Model) throws {
        #expect(try read(xml) == model)
        #expect(try read(spelt(xml)) == model)
        #expect(
            try read(xml.replacing("></c>", with: "/>").replacing("><", with: ">\n  <").replacing("/>", with: "></c>"))
                == model)
        let text = try encode(model, as: XMLName("urn:groups", "m"))
        #expect(try decode(text) == model)
    }

    @Test(arguments: [
        ("<a>1</a>", XMLError.Code.missing, "one of “b”, “c”, a group"),
        ("<a>1</a><b>1</b><b>2</b>", .duplicate, "where only one of “b”"),
        ("<a>1</a><b>1</b><d>2</d>", .duplicate, "“d” stands where only one"),
        ("<a>1</a><e>x</e>", .missing, "“d”"),
        ("<a>1</a><b>1</b><h>3</h>", .missing, "“g”"),
        ("<a>1</a><b>1</b><g>3</g><h>1</h><h>1</h>", .missing, "“g”"),
        ("<a>1</a><f>1</f><f>x</f>", .invalidValue, "xs:int"),
        ("<a>1</a><b i:nil='true'/>", .invalidValue, "nil"),
        ("<a>1</a><model><a>1</a></model>", .missing, "one of"),
    ])
    func refuses(content: String, code: XMLError.Code, words: String) {
        for content in [content, spelt(content)] {
            let error = #expect(throws: XMLError.self) { try read(content) }
            #expect(error?.code == code, "\(String(describing: error))")
            #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        }
    }

    /// An unknown element does not end a group, and an element out of order finds its place.
    @Test func unknownElementsAndOrder() throws {
        let model = Model(a: 1, pick: .steps([Step(d: 2, e: "x"), Step(d: 3)]), pair: [Pair(g: 4, h: 5)], i: "z")
        #expect(
            try read("<a>1</a><d>2</d><new/><e>x</e><new/><d>3</d><new><d/></new><g>4</g><new/><h>5</h><i>z</i>")
                == model)
        #expect(try read("<i>z</i><g>4</g><h>5</h><d>2</d><e>x</e><d>3</d><a>1</a>") == model)
        let other = try read("<a>1</a><f>1</f><new/><f>2</f><o:x xmlns:o='urn:o'/><o:y xmlns:o='urn:o'/>")
        #expect(other.pick == .f([1, 2]))
        #expect(other.rest.map(\.localName) == ["x", "y"])
    }

    /// Deep content is bounded by the limit of depth, as all content.
    @Test func depthIsBounded() {
        let count = 300
        let document =
            "<m xmlns='urn:groups'>" + String(repeating: "<a>1</a><model>", count: count)
            + String(repeating: "</model>", count: count) + "</m>"
        #expect(throws: XMLError(.tooDeep, "")) { try decode(Model.self, document) }
    }
}

/// `(a, b?, a*)`: a name at two places.
private struct Twice: XMLStructure {
    var first = ""
    var b: String?
    var others: [String] = []

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:twice"], elements: "a b? a*")
        fields.field(&x.first)
        fields.field(&x.b)
        fields.field(&x.others)
    }
}

/// `xs:all` with wildcards around it would not be valid; here each namespace has its own.
private struct Wild: XMLStructure {
    var a: Int32?
    var local: [XMLFragment] = []
    var named: XMLFragment?
    var other: [XMLFragment] = []

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:wild", "", "urn:named"], elements: "a? #in:1* #in:2? #other:0*", unordered: true)
        fields.field(&x.a)
        fields.field(&x.local)
        fields.field(&x.named)
        fields.field(&x.other)
    }
}

@Suite struct PlaceTests {
    @Test(arguments: [("", "a", nil, []), ("", "a", "b", []), ("", "a", nil, ["c"]), ("", "a", "b", ["c", "d"])])
    func aNameAtTwoPlaces(_: String, first: String, b: String?, others: [String]) throws {
        for end in [">", " >"] {
            var document = "<t xmlns='urn:twice'><a\(end)\(first)</a>"
            if let b { document += "<b\(end)\(b)</b>" }
            for other in others { document += "<a\(end)\(other)</a>" }
            let value = try decode(Twice.self, document + "</t>")
            #expect(value.first == first && value.b == b && value.others == others)
        }
    }

    @Test func wildcardsTakeTheirNamespaces() throws {
        let document = """
            <w xmlns='urn:wild' xmlns:n='urn:named' xmlns:o='urn:o'><o:p/><n:q/><r xmlns=''/><n:s/><unknown/><a>1</a>\
            <t xmlns=''/></w>
            """
        let value = try decode(Wild.self, document)
        #expect(value.a == 1)
        #expect(value.local.map(\.localName) == ["r", "t"])
        #expect(value.named?.localName == "q")
        // The first place with room from the present one on takes what fits two.
        #expect(value.other.map(\.localName) == ["p", "s"])
    }
}
