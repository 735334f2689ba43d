@_spi(Generated) import SignetXML
import Testing

/// What the generator writes for a choice.
enum Identification: XMLChoice {
    case nif(String)
    case other(Document)
    case code(Int32?)
    case inner(Inner?)

    static let xmlTable = XMLTable(choice: ["urn:choice", "urn:readings"], elements: "nif other code 1:inner")
    static var _placeholder: Self { .nif(._placeholder) }

    static func decode(_ index: Int, from reader: inout XMLReader) -> Self? {
        switch index {
        case 0: reader.branch(Self.nif)
        case 1: reader.branch(Self.other)
        case 2: reader.branch(Self.code)
        case 3: reader.branch(Self.inner)
        default: nil
        }
    }

    func encode(to writer: inout XMLWriter) {
        switch self {
        case .nif(let value): writer.field(0, value)
        case .other(let value): writer.field(1, value)
        case .code(let value): writer.nillableField(2, value)
        case .inner(let value): writer.nillableField(3, value)
        }
    }
}

struct Document: XMLStructure {
    var country = ""
    var number = ""

    init(country: String, number: String) { (self.country, self.number) = (country, number) }
    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:choice"], elements: "country number")
        fields.field(&x.country)
        fields.field(&x.number)
    }
}

/// A type with a required, an optional and a repeated choice between ordinary elements.
struct Party: XMLStructure {
    var name: String
    var id: Identification
    var contact: Contact?
    var event: [Event]
    var note: String?

    enum Contact: XMLChoice {
        case mail(String)
        case phone(String)

        static let xmlTable = XMLTable(choice: ["urn:choice"], elements: "mail phone")
        static var _placeholder: Self { .mail(._placeholder) }

        static func decode(_ index: Int, from reader: inout XMLReader) -> Self? {
            index == 0 ? reader.branch(Self.mail) : reader.branch(Self.phone)
        }

        func encode(to writer: inout XMLWriter) {
            switch self {
            case .mail(let value): writer.field(0, value)
            case .phone(let value): writer.field(1, value)
            }
        }
    }

    enum Event: XMLChoice {
        case came(Int32)
        case went(Int32)
        case other(XMLFragment)

        static let xmlTable = XMLTable(choice: ["urn:choice"], elements: "came went #other:0")
        static var _placeholder: Self { .came(._placeholder) }

        static func decode(_ index: Int, from reader: inout XMLReader) -> Self? {
            switch index {
            case 0: reader.branch(Self.came)
            case 1: reader.branch(Self.went)
            default: reader.branch(Self.other)
            }
        }

        func encode(to writer: inout XMLWriter) {
            switch self {
            case .came(let value): writer.field(0, value)
            case .went(let value): writer.field(1, value)
            case .other(let value): writer.wildcard(value)
            }
        }
    }

    init(name: String, id: Identification, contact: Contact? = nil, event: [Event] = [], note: String? = nil) {
        self.name = name
        self.id = id
        self.contact = contact
        self.event = event
        self.note = note
    }

    init(_decoding: Void) { self.init(name: ._placeholder, id: .nif(._placeholder)) }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            ["urn:choice"], elements: "name {0} {1}? {2}* note?",
            groups: [Identification.xmlTable, Contact.xmlTable, Event.xmlTable])
        fields.field(&x.name)
        fields.field(&x.id)
        fields.field(&x.contact)
        fields.field(&x.event)
        fields.field(&x.note)
    }
}

/// Reads a whole document as a structure.
func decode<T: XMLStructure>(
    _ type: T.Type, _ document: String, limits: XMLLimits = .init()
) throws(XMLError) -> T {
    try XMLReader.read(Array(document.utf8), limits: limits) { (reader) throws(XMLError) in
        try reader.root()
        let value = try reader.structure(type)
        try reader.finish()
        return value
    }
}

func decode<T: XMLStructure>(_ document: String) throws(XMLError) -> T { try decode(T.self, document) }

/// Writes a structure as a document.
func encode<T: XMLStructure>(_ value: T, as name: XMLName) throws(XMLError) -> String {
    var writer = XMLWriter()
    writer.element(name, value)
    return String(decoding: try writer.finish(), as: UTF8.self)
}

@Suite struct ChoiceTests {
    func party(_ content: String) throws(XMLError) -> Party {
        try decode(
            "<p xmlns='urn:choice' xmlns:r='urn:readings' xmlns:i='http://www.w3.org/2001/XMLSchema-instance'>\(content)</p>"
        )
    }

    @Test(arguments: [
        Party(name: "n", id: .nif("1")),
        Party(name: "n", id: .other(Document(country: "ES", number: "2")), contact: .phone("3"), note: "x"),
        Party(name: "n", id: .code(4), contact: .mail("5")),
        Party(name: "n", id: .code(nil)),
        Party(name: "n", id: .inner(nil)),
        Party(name: "n", id: .inner(Inner(value: 6, unit: "kg")), event: [.went(1), .came(2), .came(3), .went(4)]),
    ])
    func roundTrip(party: Party) throws {
        let text = try encode(party, as: XMLName("urn:choice", "p"))
        #expect(try decode(text) == party)
    }

    /// Spellings that leave the predicted path, and orders that a schema allows and one that it does not.
    @Test(arguments: [
        "<name>n</name><other><country>ES</country><number>2</number></other><phone>3</phone><went>1</went><came>2</came>",
        "<name >n</name ><other a=''><country >ES</country><number>2</number></other><phone a=''>3</phone><went a=''>1</went><came a=''>2</came>",
        "\n<name>n</name>\n<phone>3</phone>\n<went>1</went>\n<unknown/>\n<other>\n<country>ES</country><number>2</number></other><came>2</came>",
    ])
    func spellings(content: String) throws {
        let read = try party(content)
        #expect(read.id == .other(Document(country: "ES", number: "2")))
        #expect(read.contact == .phone("3"))
        #expect(read.event == [.went(1), .came(2)])
    }

    @Test func nilBelongsToBranchesThatAllowIt() throws {
        #expect(try party("<name/><code i:nil='true'/>").id == .code(nil))
        #expect(try party("<name/><r:inner i:nil='1'></r:inner>").id == .inner(nil))
        #expect(throws: XMLError(.invalidValue, "")) { try party("<name/><nif i:nil='true'/>") }
        #expect(throws: XMLError(.invalidValue, "")) { try party("<name/><other i:nil='true'/>") }
    }

    @Test(arguments: [
        ("<name/>", XMLError.Code.missing, "one of “nif”, “other”, “code”, “inner” is required"),
        ("<name/><mail>m</mail>", .missing, "one of “nif”"),
        ("<name/><inner unit='kg'>1</inner>", .missing, "one of “nif”"),
        ("<name/><nif>1</nif><code>2</code>", .duplicate, "“code” stands where only one of “nif”"),
        ("<name/><nif>1</nif><mail>m</mail><phone>p</phone>", .duplicate, "“phone” stands where only one of “mail”"),
        ("<name/><nif>1</nif><came>x</came>", .invalidValue, "xs:int"),
        ("<name/><other><country/></other>", .missing, "“number”"),
    ])
    func refuses(content: String, code: XMLError.Code, words: String) {
        let error = #expect(throws: XMLError.self) { try party(content) }
        #expect(error?.code == code, "\(String(describing: error))")
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    @Test func anElementOfAnyNameCanBeABranch() throws {
        let read = try party("<name/><nif>1</nif><came>1</came><r:new>2</r:new><went>3</went>")
        #expect(read.event.count == 3)
        let fragment = if case .other(let fragment) = read.event[1] { fragment } else { XMLFragment?.none }
        #expect(fragment?.isElement(XMLName("urn:readings", "new")) == true)
        #expect(try decode(encode(read, as: XMLName("urn:choice", "p"))) == read)
    }

    /// A choice behind more than sixty-four elements, where the sets of numbers change their form.
    @Test func choicesOfLargeTypesAreEnforced() throws {
        #expect(try decode(Large.self, "<l><y>1</y></l>").choice == .y(1))
        #expect(throws: XMLError(.missing, "")) { try decode(Large.self, "<l><e3/></l>") }
        #expect(throws: XMLError(.duplicate, "")) { try decode(Large.self, "<l><x>1</x><y>1</y></l>") }
    }
}

private struct Large: XMLStructure {
    enum Choice: XMLChoice {
        case x(Int32), y(Int32)

        static let xmlTable = XMLTable(choice: [], elements: "x y")
        static var _placeholder: Self { .x(0) }

        static func decode(_ index: Int, from reader: inout XMLReader) -> Self? {
            index == 0 ? reader.branch(Self.x) : reader.branch(Self.y)
        }

        func encode(to writer: inout XMLWriter) {}
    }

    var element: [String] = []
    var choice = Choice._placeholder

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            [], elements: (0..<70).map { "e\($0)?" }.joined(separator: " ") + " {0}", groups: [Choice.xmlTable])
        fields.field(&x.element)
        for _ in 1..<70 { fields.sameProperty() }
        fields.field(&x.choice)
    }
}
