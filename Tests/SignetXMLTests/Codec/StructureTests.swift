import Testing

@_spi(Generated) @testable import SignetXML

/// What the generator writes for a type with every kind of field.
struct Reading: XMLStructure {
    var id: Int64
    var name: String
    var taken: XSDDate?
    var note: Nillable<String>?
    var value: [Double]
    var inner: Inner?
    var last: String?
    var source: String?

    init(
        id: Int64, name: String, taken: XSDDate? = nil, note: Nillable<String>? = nil, value: [Double] = [],
        inner: Inner? = nil,
        last: String? = nil, source: String? = nil
    ) {
        self.id = id
        self.name = name
        self.taken = taken
        self.note = note
        self.value = value
        self.inner = inner
        self.last = last
        self.source = source
    }

    init(_decoding: Void) { self.init(id: ._placeholder, name: ._placeholder) }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            ["urn:readings", ""], elements: "id name taken? note? value* inner? 1:last", attributes: "source?")
        fields.field(&x.id)
        fields.field(&x.name)
        fields.field(&x.taken)
        fields.field(&x.note)
        fields.field(&x.value)
        fields.field(&x.inner)
        fields.nillableField(&x.last)
        fields.field(&x.source)
    }
}

/// Simple content with a required attribute.
struct Inner: XMLStructure {
    var value: XSDDecimal
    var unit: String

    init(value: XSDDecimal, unit: String) {
        self.value = value
        self.unit = unit
    }

    init(_decoding: Void) { self.init(value: ._placeholder, unit: ._placeholder) }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:readings"], attributes: "unit", text: true)
        fields.field(&x.unit)
        fields.field(&x.value)
    }
}

@Suite struct StructureTests {
    @Test func anElementThatIsNilHasNoValue() throws {
        let document = Array(
            "<r xmlns='urn:readings' xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:nil='true'/>".utf8)
        func read(_ tolerance: XMLTolerance) throws(XMLError) -> [XMLDeviation] {
            try XMLReader.read(document) { (reader) throws(XMLError) in
                reader.tolerance = tolerance
                try reader.root()
                _ = try reader.structure(Reading.self)
                return reader.deviations
            }
        }
        let error = #expect(throws: XMLError.self) { try read(.standard) }
        #expect(error?.message.contains("nil") == true)
        #expect(try read(.lenient).first?.code == .unexpectedNil)
        #expect(throws: Never.self) { try XMLFragment(parsing: document).structure(XMLAny.self) }
    }

    func decode(_ document: String) throws(XMLError) -> Reading {
        try XMLReader.read(Array(document.utf8)) { (reader) throws(XMLError) in
            try reader.root()
            let value = try reader.structure(Reading.self)
            try reader.finish()
            return value
        }
    }

    func encode(_ value: Reading) throws(XMLError) -> String {
        var writer = XMLWriter()
        writer.element(XMLName("urn:readings", "r"), value)
        return String(decoding: try writer.finish(), as: UTF8.self)
    }

    let full = Reading(
        id: -7, name: "a<b>&\"c\"", taken: XSDDate.init("2026-02-28"), note: .null, value: [1.5, -0.25, .infinity],
        inner: Inner(value: 12, unit: "kg"), last: nil, source: "x\ny")

    @Test func roundTrip() throws {
        let text = try encode(full)
        #expect(
            text
                == "<n1:r xmlns:n1=\"urn:readings\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" source=\"x&#xA;y\"><n1:id>-7</n1:id><n1:name>a&lt;b&gt;&amp;\"c\"</n1:name><n1:taken>2026-02-28</n1:taken><n1:note xsi:nil=\"true\"></n1:note><n1:value>1.5</n1:value><n1:value>-0.25</n1:value><n1:value>INF</n1:value><n1:inner unit=\"kg\">12</n1:inner><last xsi:nil=\"true\"></last></n1:r>"
        )
        #expect(try decode(text) == full)
    }

    /// The same value in spellings that leave the predicted path.
    @Test(arguments: [
        "<r xmlns='urn:readings'><id>1</id><name>n</name><value>2</value><value>3</value><last xmlns=''>l</last></r>",
        "<r xmlns='urn:readings'>\n <id> 1 </id>\n <name><![CDATA[n]]></name>\n <value>2</value>\n <value>3</value>\n <last xmlns=''>l</last>\n</r>",
        "<longprefix:r xmlns:longprefix='urn:readings'><longprefix:id>1</longprefix:id><longprefix:name>n</longprefix:name><longprefix:value>2.0</longprefix:value><longprefix:value>3e0</longprefix:value><last>l</last></longprefix:r>",
        "<r xmlns='urn:readings' xmlns:q='urn:readings'><last xmlns=''>l</last><q:name>n</q:name><value>2</value><q:id>1</q:id><q:value>3</q:value></r>",
        "<r xmlns='urn:readings'><id a='1'>1</id ><new><x/></new><name>&#110;</name><value>2</value><!-- c --><value>3</value><last xmlns=''>l</last></r>",
        "<a:r xmlns:a='urn:readings'><a:id xmlns:a='urn:other'>9</a:id><a:id>1</a:id><a:name>n</a:name><a:value>2</a:value><a:value>3</a:value><last>l</last></a:r>",
    ])
    func spellings(document: String) throws {
        #expect(try decode(document) == Reading(id: 1, name: "n", value: [2, 3], last: "l"))
    }

    @Test(arguments: [
        ("<r xmlns='urn:readings'><id>1</id><last xmlns=''/></r>", XMLError.Code.missing, "name"),
        ("<r xmlns='urn:readings'><id>1</id><name/><inner>1</inner><last xmlns=''/></r>", .missing, "unit"),
        ("<r xmlns='urn:readings'><id>1</id><id>2</id><name/><last xmlns=''/></r>", .duplicate, "id"),
        (
            "<r xmlns='urn:readings'><id>x</id><name/><last xmlns=''/></r>", .invalidValue,
            "“x” is not a value of xs:long"
        ),
        ("<r xmlns='urn:readings'><id>9223372036854775808</id><name/><last xmlns=''/></r>", .invalidValue, "xs:long"),
        ("<r xmlns='urn:readings'><id><x/></id><name/><last xmlns=''/></r>", .unexpected, "simple value"),
        ("<r xmlns='urn:readings'>text<id>1</id><name/><last xmlns=''/></r>", .unexpected, "text"),
        (
            "<r xmlns='urn:readings'><id>1</id><name/><taken>2026-02-30</taken><last xmlns=''/></r>", .invalidValue,
            "xs:date"
        ),
        ("<r xmlns='urn:readings'><id>1</name><name/></r>", .malformed, "id"),
        ("<r xmlns='urn:readings'><id>1</id><name/>", .unexpectedEnd, "ends"),
        (
            "<r xmlns='urn:readings' xmlns:i='http://www.w3.org/2001/XMLSchema-instance'><id i:nil='true'/><name/><last xmlns=''/></r>",
            .invalidValue, "nil"
        ),
        (
            "<r xmlns='urn:readings' xmlns:i='http://www.w3.org/2001/XMLSchema-instance'><id>1</id><name/><note i:nil='1'>x</note><last xmlns=''/></r>",
            .unexpected, "empty"
        ),
    ])
    func refuses(document: String, code: XMLError.Code, words: String) {
        let error = #expect(throws: XMLError.self) { try decode(document) }
        #expect(error?.code == code, "\(String(describing: error))")
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    /// A value that is wrong is shown, a secret that is wrong is not.
    @Test func wrongSecretsAreNotRepeated() {
        for (name, isSecret) in [("amount", false), ("pin", true), ("Passwort-Token", true)] {
            let document = "<\(name)>12a4</\(name)>"
            let error = #expect(throws: XMLError.self) {
                try XMLReader.read(Array(document.utf8)) { (reader) throws(XMLError) in
                    try reader.root()
                    return try reader.value(Int32.self)
                }
            }
            #expect(error?.message.contains("12a4") == !isSecret)
        }
    }

    @Test func nilAndAbsentAreDifferent() throws {
        func note(_ xml: String) throws -> Nillable<String>? {
            try decode(
                "<r xmlns='urn:readings' xmlns:i='http://www.w3.org/2001/XMLSchema-instance'><id>1</id><name/>\(xml)<last xmlns=''/></r>"
            ).note
        }
        #expect(try note("") == nil)
        #expect(try note("<note i:nil='true'/>") == .null)
        #expect(try note("<note i:nil='false'></note>") == "")
        #expect(try note("<note/>") == "")
    }

    @Test func unwritableTextIsRefusedWithItsPath() {
        var value = full
        value.name = "a\u{0}b"
        let error = #expect(throws: XMLError.self) { try encode(value) }
        #expect(error?.code == .unwritable)
        #expect(error?.path == "r/name")
        value.name = "\u{FFFF}"
        #expect(throws: XMLError(.unwritable, "")) { try encode(value) }
    }
}

/// A type whose table is prepared only while its first message is being read.
private struct Late: XMLStructure {
    var inner: LateInner?
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:late"], elements: "inner?")
        fields.field(&x.inner)
    }
}

private struct LateInner: XMLStructure {
    var value = ""
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:later"], elements: "value", attributes: "")
        fields.field(&x.value)
    }
}

@Suite struct FirstUseTests {
    @Test func namespacesNamedWhileReadingAreRecognised() throws {
        let document = "<r xmlns='urn:late' xmlns:l='urn:later'><inner><l:value>x</l:value></inner></r>"
        let value = try XMLReader.read(Array(document.utf8)) { (reader) throws(XMLError) in
            try reader.root()
            return try reader.structure(Late.self)
        }
        #expect(value.inner?.value == "x")
    }
}

/// Hands over what is not stored in it.
private struct Computed: XMLStructure {
    var letters: [String] = ["x"]
    var first: String {
        get { letters.joined() }
        set { letters = [newValue] }
    }
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:c", elements: "first")
        fields.field(&x.first)
    }
}

/// Hands over an item of an array, which is not stored in the value either.
private struct Element: XMLStructure {
    var letters: [String] = ["x"]
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:c", elements: "first")
        fields.field(&x.letters[0])
    }
}

/// Hands over less than its table names.
private struct Short: XMLStructure {
    var first = "x"
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:c", elements: "first second?")
        fields.field(&x.first)
    }
}

/// Says no names.
private struct Nameless: XMLStructure {
    var first = "x"
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) { fields.field(&x.first) }
}

/// Hands a list over where its table has an attribute.
private struct Listed: XMLStructure {
    var letters: [String] = ["x"]
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:c"], attributes: "first")
        fields.field(&x.letters)
    }
}

/// Hands the attributes of any name over before the text.
private struct Disordered: XMLStructure {
    var text = ""
    var others: [XMLAnyAttribute] = []
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:c"], text: true, anyAttribute: true)
        fields.field(&x.others)
        fields.field(&x.text)
    }
}

/// Hands over a property whose value is made when it is first asked for.
private struct Lazy: XMLStructure {
    lazy var first = "x"
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:c", elements: "first")
        fields.field(&x.first)
    }
}

private struct WillSet: XMLStructure {
    var first = "x" { willSet { _ = newValue } }
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:c", elements: "first")
        fields.field(&x.first)
    }
}

/// Its observer asks for the old value, so that the new one is made beside it.
private struct DidSet: XMLStructure {
    var count: Int32 = 0
    var first = "x" { didSet { if oldValue != first { count += 1 } } }
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:c", elements: "count? first")
        fields.field(&x.count)
        fields.field(&x.first)
    }
}

/// Keeps the value elsewhere than in a property of its own type.
@propertyWrapper private struct Trimmed: Sendable {
    private var text: [Character] = []
    var wrappedValue: String {
        get { String(text) }
        set { text = Array(newValue) }
    }
}

private struct Wrapped: XMLStructure {
    @Trimmed var first: String
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:c", elements: "first")
        fields.field(&x.first)
    }
}

private final class Shelf: @unchecked Sendable {
    // Unchecked: no test changes it on two threads.
    var first = "x"
}

private struct Shelved: XMLStructure {
    let shelf = Shelf()
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:c", elements: "first")
        fields.field(&x.shelf.first)
    }
}

private struct Twice: XMLStructure {
    var second = ""
    var first = "x"
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:c"], elements: "first", attributes: "other")
        fields.field(&x.first)
        fields.field(&x.first)
    }
}

/// Hands over a structure, and a part of it.
private struct Nested: XMLStructure {
    var inner = Late(_decoding: ())
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:c", elements: "inner? part?")
        fields.field(&x.inner)
        fields.field(&x.inner.inner)
    }
}

/// A global variable is no part of a value.
private struct Global: XMLStructure {
    nonisolated(unsafe) static var first = "x"
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:c", elements: "first")
        fields.field(&first)
    }
}

/// Declares its properties in another order than it hands them over in, which is that of the names.
private struct Reordered: XMLStructure {
    var third: Bool?
    var second: [Int32] = []
    var first = ""
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:c", elements: "first second* third?")
        fields.field(&x.first)
        fields.field(&x.second)
        fields.field(&x.third)
    }
}

/// Stored properties that can be handed over although something is attached to them.
private struct Attached: XMLStructure {
    @propertyWrapper struct Plain: Sendable {
        var wrappedValue: String
    }
    @Plain var first: String
    // An observer that does not ask for the old value runs after the property was changed where it is; a reader does
    // not run it.
    var second: Int32 = 0 { didSet { observed = true } }
    var observed = false
    init(_decoding: Void) { first = "" }
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:c", elements: "first second")
        fields.field(&x.first)
        fields.field(&x.second)
    }
}

@Suite struct HandedOverTests {
    private func refusals<T: XMLStructure>(_ type: T.Type) throws -> [String] {
        let name = XMLName("urn:c", "c")
        var messages: [String] = []
        do throws(XMLError) {
            var writer = XMLWriter()
            writer.element(name, T(_decoding: ()))
            _ = try writer.finish()
        } catch { messages.append(error.message) }
        do throws(XMLError) {
            _ = try XMLReader.read(Array("<c xmlns='urn:c'><first>a</first></c>".utf8)) { (reader) throws(XMLError) in
                try reader.root()
                return try reader.structure(type)
            }
        } catch { messages.append(error.message) }
        return messages
    }

    @Test func onlyStoredPropertiesAreTaken() throws {
        for (messages, field) in [
            (try refusals(Computed.self), "field 1 (“first”)"), (try refusals(Element.self), "field 1 (“first”)"),
            (try refusals(Lazy.self), "field 1 (“first”)"), (try refusals(WillSet.self), "field 1 (“first”)"),
            (try refusals(DidSet.self), "field 2 (“first”)"), (try refusals(Wrapped.self), "field 1 (“first”)"),
            (try refusals(Shelved.self), "field 1 (“first”)"), (try refusals(Global.self), "field 1 (“first”)"),
        ] {
            #expect(messages.count == 2)
            #expect(
                messages.allSatisfy {
                    $0.contains(".xmlFields hands over, as \(field), a property of the type String that is not stored")
                        && $0.contains("hand over the stored property that it is kept in")
                }, "\(messages)")
        }
        let messages = try refusals(Short.self)
        #expect(messages.count == 2)
        #expect(messages.allSatisfy { $0.contains("1 fields over and names 2") }, "\(messages)")
    }

    @Test func misplacedFieldsAreReported() throws {
        for (messages, expected) in [
            (try refusals(Nameless.self), "says no names"), (try refusals(Listed.self), "as field 1 (“@first”), "),
            (try refusals(Disordered.self), "as field 1, "),
        ] {
            #expect(messages.count == 2)
            #expect(messages.allSatisfy { $0.contains(expected) }, "\(messages)")
        }
    }

    @Test func eachFieldHasAPropertyOfItsOwn() throws {
        for (messages, words) in [
            (try refusals(Twice.self), "as field 2 (“@other”), what it hands over as field 1 (“first”) too"),
            (try refusals(Nested.self), "as field 2 (“part”), what it hands over as field 1 (“inner”) too"),
        ] {
            #expect(messages.count == 2)
            #expect(messages.allSatisfy { $0.contains(words) }, "\(messages)")
            #expect(messages.allSatisfy { $0.contains("give each a stored property of its own") }, "\(messages)")
        }
    }

    @Test func propertiesMayBeDeclaredInAnyOrder() throws {
        let text = "<c xmlns='urn:c'><first>a</first><second>1</second><second>2</second><third>1</third></c>"
        let value = try read(text, as: Reordered.self)
        #expect(value.first == "a" && value.second == [1, 2] && value.third == true)
        #expect(try read(try written(value), as: Reordered.self) == value)
    }

    @Test func storedPropertiesAreReadAndWritten() throws {
        let value = try read("<c xmlns='urn:c'><first>a</first><second>2</second></c>", as: Attached.self)
        #expect(value.first == "a" && value.second == 2 && !value.observed)
        #expect(try read(try written(value), as: Attached.self) == value)
    }

    private func read<T: XMLStructure>(_ text: String, as type: T.Type) throws -> T {
        try XMLReader.read(Array(text.utf8)) { (reader) throws(XMLError) in
            try reader.root()
            return try reader.structure(type)
        }
    }

    private func written(_ value: some XMLStructure) throws -> String {
        var writer = XMLWriter()
        writer.element(XMLName("urn:c", "c"), value)
        return String(decoding: try writer.finish(), as: UTF8.self)
    }

    @Test func valuesOfTypesThatAreRefusedAreNotEqual() {
        #expect(Short(_decoding: ()) != Short(_decoding: ()))
    }

    @Test func emptyValuesAreMadeOfTheirFields() throws {
        let empty = Placed(_decoding: ())
        #expect(
            empty.text == "" && empty.number == nil && empty.flag == false && empty.list == []
                && empty.next.value == nil)
        #expect(empty.note == nil && empty.inner.text == "" && empty.inner.flag == false && empty.any == [])
        // The first is made before there is a table, all others are copies.
        #expect(Placed.xmlTable.elements.count == 8)
        var other = Placed(_decoding: ())
        #expect(other == empty)
        other.list.append("a")
        other.inner.text = "b"
        #expect(Placed(_decoding: ()) == empty && other != empty)
        let text =
            "<c xmlns='urn:c'><text>a</text><flag>true</flag><next><text>b</text><flag>1</flag></next>"
            + "<inner><text>c</text><flag>0</flag></inner></c>"
        let read = try XMLReader.read(Array(text.utf8)) { (reader) throws(XMLError) in
            try reader.root()
            return try reader.structure(Placed.self)
        }
        #expect(read.text == "a" && read.next.value?.text == "b" && read.inner.text == "c" && read.list.isEmpty)
    }

    @Test func undeclaredStoredPropertiesNeedAnEmptyInitializer() throws {
        for messages in [try refusals(Hidden.self), try refusals(HiddenLast.self), try refusals(HiddenBetween.self)] {
            #expect(messages.count == 2)
            #expect(messages.allSatisfy { $0.contains("write its init(_decoding:)") }, "\(messages)")
        }
    }

    /// All threads find the same tables, also for types whose table has not been requested before.
    @Test func tablesAreMadeOnManyThreads() async {
        func table<T: XMLStructure>(_ type: T.Type) -> Bool { type.xmlTable.elements.count == 2 }
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 {
                group.addTask { table(Crowd<Int8>.self) && table(Crowd<Int16>.self) && table(Crowd<Int32>.self) }
            }
            for await isRight in group { #expect(isRight) }
        }
        #expect(Crowd<Int8>.xmlTable.content == Crowd<Int8>.xmlTable.content)
        #expect(Crowd<Int8>.xmlTable.content != Crowd<Int16>.xmlTable.content)
    }
}

private struct Crowd<Value: XMLValue>: XMLStructure {
    var first = Value._placeholder
    var second: [Value] = []
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:c", elements: "first second*")
        fields.field(&x.first)
        fields.field(&x.second)
    }
}

private struct Placed: XMLStructure {
    var text: String
    var number: Int32?
    var flag: Bool
    var list: [String]
    var note: Nillable<String>?
    var next: XMLBox<Inner>
    var inner: Inner
    var any: [XMLFragment]

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:c", elements: "text number? flag list* note? next? inner #any*")
        fields.string(&x.text)
        fields.optionalInt32(&x.number)
        fields.field(&x.flag)
        fields.collapsed(&x.list)
        fields.field(&x.note)
        fields.boxedOptionalStructure(&x.next)
        fields.field(&x.inner)
        fields.field(&x.any)
    }

    struct Inner: XMLStructure {
        var flag: Bool
        var text: String

        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names("urn:c", elements: "text flag")
            fields.field(&x.text)
            fields.field(&x.flag)
        }
    }
}

private struct Hidden: XMLStructure {
    var text: String
    let hidden: [Int]
    var last: String

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:c", elements: "text last")
        fields.field(&x.text)
        fields.field(&x.last)
    }
}

/// Where alignment would leave room anyway.
private struct HiddenBetween: XMLStructure {
    var flag: Bool
    let hidden: Bool?
    var number: Int64

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:c", elements: "flag number")
        fields.bool(&x.flag)
        fields.int64(&x.number)
    }
}

private struct HiddenLast: XMLStructure {
    var text: String
    let hidden: Bool

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:c", elements: "text")
        fields.field(&x.text)
    }
}
