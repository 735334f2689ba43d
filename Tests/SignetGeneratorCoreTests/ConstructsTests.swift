import ReferenceServices
import SignetSOAP
import Testing

/// Runs generated code for every construct of XML Schema 1.0: what is read is written again, and reads as the same.
@Suite struct ConstructsTests {
    private static let types = "urn:signet:example:constructs:types"
    private static let more = "urn:signet:example:constructs:more"

    private func encode(_ value: some XMLStructure) throws -> String {
        var writer = XMLWriter()
        writer.element(
            XMLName("", "e"), value, declaring: [("c", XMLNamespace(Self.types)), ("m", XMLNamespace(Self.more))])
        return String(decoding: try writer.finish(), as: UTF8.self)
    }

    private func decode<T: XMLStructure>(_ content: String, _ attributes: String = "", as type: T.Type = T.self) throws
        -> T
    {
        try read(
            "<e xmlns=\"\(Self.types)\" xmlns:c=\"\(Self.types)\" xmlns:m=\"\(Self.more)\" "
                + "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \(attributes)>\(content)</e>")
    }

    private func read<T: XMLStructure>(_ text: String) throws -> T {
        try XMLReader.read(Array(text.utf8)) { (reader) throws(XMLError) in
            try reader.root()
            let value = try reader.structure(T.self)
            try reader.finish()
            return value
        }
    }

    /// Reads, writes and reads again; gives the value and the text without the root.
    private func roundTrip<T: XMLStructure>(
        _ content: String, _ attributes: String = "", as type: T.Type = T.self
    ) throws -> (value: T, text: String) {
        let value = try decode(content, attributes, as: T.self)
        let text = try encode(value)
        #expect(try read(text) as T == value, "\(text)")
        return (value, text)
    }

    // MARK: Content models

    private static let models = """
        <key>a</key><value>1</value><key>b</key><latitude>1.5</latitude><longitude>2</longitude><note>n</note>\
        <card>c</card><expires>2030-01</expires><plus>1</plus><from>1</from><to>2</to><minus>3</minus><from>3</from>\
        <to>4</to><mail>x@y</mail><key>last</key><o:x xmlns:o="urn:o">1</o:x><m:y/><z xmlns=""/>
        """

    @Test func sequencesAndChoicesNest() throws {
        let (value, text) = try roundTrip(
            Self.models, "at=\"2026-01-01T00:00:00Z\" m:more=\"1\"", as: Constructs.Models.self)
        #expect(value.sequence.map(\.key) == ["a", "b"])
        #expect(value.sequence.map(\.value) == [1, nil])
        #expect(value.sequence2?.longitude == 2)
        #expect(value.note == "n" && value.by == nil)
        guard case .card(let card) = value.choice else { return #expect(Bool(false), "\(value.choice)") }
        #expect(card.card == "c")
        #expect(value.choice2 == [.plus(1), .range(.init(from: 1, to: 2)), .minus(3), .range(.init(from: 3, to: 4))])
        #expect(value.range == nil)
        #expect(value.contact == .mail("x@y"))
        #expect(value.key == "last")
        #expect(value.any != nil)
        #expect(value.any2.count == 2)
        #expect(value.anyAttribute.map(\.localName) == ["more"])
        #expect(text.contains("<c:plus>1</c:plus><c:from>1</c:from>"))
    }

    @Test func alternativesAreValues() throws {
        #expect(
            try roundTrip("<cash>1.50</cash>", as: Constructs.Models.self).value.choice
                == .cash(XSDDecimal.init("1.50")!))
        let vouchers = try roundTrip("<voucher> a  b </voucher><voucher>c</voucher>", as: Constructs.Models.self).value
        #expect(vouchers.choice == .voucher(["a b", "c"]))
        #expect(try roundTrip("<nothing xsi:nil=\"true\"/>", as: Constructs.Models.self).value.choice == .nothing(nil))
        let parts = "<part>1</part><share>2</share><part>3</part><share>4</share>"
        guard case .part(let list) = try roundTrip(parts, as: Constructs.Models.self).value.choice else {
            return #expect(Bool(false))
        }
        #expect(list.map(\.share) == [2, 4])
        #expect(throws: XMLError.self) { try decode("<note>n</note>", as: Constructs.Models.self) }
    }

    @Test func whiteSpaceOfAlternativesIsTreated() throws {
        let content = """
            <token> a  b </token><uri> urn:x </uri><uri xsi:nil="true"/><normalized>a\tb</normalized>\
            <parked>1</parked><vehicle xsi:nil="true"/>
            """
        let one = try roundTrip(content, as: Constructs.Payloads.self).value
        #expect(one.choice.prefix(4) == [.token("a b"), .uri("urn:x"), .uri(nil), .normalized("a b")])
        #expect(one.choice.last == .parked(.init(parked: true, vehicle: nil)))
        let tokens = "<tokens> a  b </tokens><tokens xsi:nil=\"1\"/><tokens>c\n</tokens>"
        #expect(
            try roundTrip(tokens, as: Constructs.Payloads.self).value.choice2
                == .tokens([.value("a b"), .null, .value("c")]))
        let normals = "<normals> a\n</normals><normals xsi:nil=\"1\"/>"
        #expect(
            try roundTrip(normals, as: Constructs.Payloads.self).value.choice2 == .normals([.value(" a "), .null]))
        #expect(
            try roundTrip("<lines> a </lines><lines>b</lines>", as: Constructs.Payloads.self).value.choice2
                == .lines(["a", "b"]))
    }

    /// The schema calls a property and a case so.
    @Test func membersNamedDescriptionWork() throws {
        let payloads = try roundTrip("<description>d</description>", as: Constructs.Payloads.self).value
        #expect(payloads.choice == [.description("d")])
        #expect("\(payloads)" == "Payloads(choice: [.description(\"d\")])")
        var taxi: any Constructs.CarProtocol = Constructs.Taxi(wheels: 4, doors: 5, fare: 1)
        taxi.description = "yellow"
        // Outside of #expect, whose overloads prefer a string to an optional one.
        let (yellow, red) = (taxi.description, Constructs.Car(wheels: 4, description: "red", doors: 5).description)
        #expect(yellow == "yellow" && red == "red")
        #expect("\(taxi)" == "Taxi(wheels: 4, description: \"yellow\", doors: 5, fare: 1)")
    }

    @Test func repeatedAlternativesOfDerivedTypesMayBeNil() throws {
        let content = """
            <vehicles xsi:type="c:Car"><wheels>4</wheels><doors>5</doors></vehicles><vehicles xsi:nil="true"/>\
            <vehicles xsi:type="c:Trike" id="t"><wheels>3</wheels></vehicles>
            """
        let (value, text) = try roundTrip(content, as: Constructs.Payloads.self)
        guard case .vehicles(let vehicles)? = value.choice2 else { return #expect(Bool(false), "\(value)") }
        #expect(vehicles.value.map { $0.value?.wheels } == [4, nil, 3])
        #expect(text.contains("<c:vehicles xsi:nil=\"true\"></c:vehicles><c:vehicles xsi:type=\"c:Trike\""))
    }

    @Test func allAllowsAnyOrder() throws {
        let value = try roundTrip("<three>3</three><one>1</one>", as: Constructs.Unordered.self).value
        #expect(value == .init(one: 1, three: 3))
        #expect(throws: XMLError.self) { try decode("<two>3</two><one>1</one>", as: Constructs.Unordered.self) }
    }

    @Test func treesGrowThroughGroups() throws {
        var tree = Constructs.Tree(label: "0")
        for level in 1...20 {
            tree = .init(
                label: "\(level)",
                choice: level % 2 == 0 ? .only(tree) : .left(.init(left: tree, right: .init(label: "r"))))
        }
        #expect(try read(try encode(tree)) == tree)
    }

    // MARK: Derivation

    @Test func anyDerivedTypeStandsForItsBase() throws {
        let content = """
            <first xsi:type="c:Car" id="i"><wheels>4</wheels><doors>5</doors></first>\
            <spare xsi:type="c:Taxi" free="1"><wheels>4</wheels><owner>o</owner><doors>5</doors><fare>1.20</fare></spare>\
            <lost xsi:nil="true"/><gone xsi:nil="true"/>\
            <all xsi:type="m:Truck"><wheels>6</wheels><load xmlns="">7</load></all>\
            <all xsi:type="c:Trike" id="t"><wheels>3</wheels></all>\
            <slot xsi:nil="1"/><slot><wheels>4</wheels><doors>3</doors></slot>\
            <in xsi:type="c:Car"><wheels>4</wheels><doors>1</doors></in>\
            <price currency="EUR" xsi:type="c:TaxedPrice" tax="0.2">9.99</price>
            """
        let (value, text) = try roundTrip(content, as: Constructs.Garage.self)
        #expect(value.first as? Constructs.Car == .init(wheels: 4, doors: 5, id: "i"))
        #expect(value.first.wheels == 4)
        #expect((value.spare as? Constructs.Taxi)?.fare == XSDDecimal.init("1.20"))
        #expect(value.spare?.doors == 5)
        #expect(value.gone == nil)
        #expect(value.all.map(\.wheels) == [6, 3])
        #expect(value.all[0] is Constructs.Truck && value.all[1] is Constructs.Trike)
        #expect(value.slot.count == 2)
        guard case .in(let inside)? = value.choice else { return #expect(Bool(false)) }
        #expect(inside.value is Constructs.Car)
        #expect((value.price as? Constructs.TaxedPrice)?.tax == XSDDecimal.init("0.2"))
        #expect(text.contains("xsi:type=\"c:Taxi\""))
        #expect(text.contains("xsi:type=\"m:Truck\""))
        #expect(text.contains("<c:slot><c:wheels>4</c:wheels><c:doors>3</c:doors></c:slot>"))
    }

    @Test func valuesOfDerivedTypesAreComparedByTypeAndContent() throws {
        let car = Constructs.Car(wheels: 4, doors: 5)
        let taxi = Constructs.Taxi(wheels: 4, doors: 5, fare: XSDDecimal.init("1")!)
        var garage = Constructs.Garage(first: car, gone: taxi)
        let other = garage
        #expect(garage == other && garage.hashValue == other.hashValue)
        garage.first = taxi
        #expect(garage != other)
        garage.first.wheels = 3
        #expect((garage.first as? Constructs.Taxi)?.wheels == 3)
    }

    @Test func anAbstractTypeWithoutAConcreteTypeIsRefused() {
        #expect(throws: XMLError.self) {
            try decode("<first><wheels>4</wheels></first><gone xsi:nil=\"true\"/>", as: Constructs.Garage.self)
        }
        #expect(throws: XMLError.self) {
            try decode("<first xsi:type=\"c:Models\"/><gone xsi:nil=\"true\"/>", as: Constructs.Garage.self)
        }
    }

    @Test func aMessageMayBeOfADerivedType() throws {
        let (value, text) = try roundTrip(
            "<wheels>3</wheels>", "xsi:type=\"c:Trike\" id=\"x\"", as: Constructs.Ride.self)
        #expect(value.value as? Constructs.Trike == .init(wheels: 3, id: "x"))
        #expect(text.contains("xsi:type=\"c:Trike\""))
    }

    @Test func anyTypeExtendedKeepsAll() throws {
        let content = "<first xsi:type=\"c:Car\"><wheels>4</wheels><doors>5</doors></first><gone xsi:nil=\"true\"/>"
        let open = "<open of=\"o\" more=\"m\">one <two a=\"1\"/> three</open>"
        let (value, text) = try roundTrip(content + open, as: Constructs.Garage.self)
        #expect(value.open?.of == "o")
        #expect(value.open?.anyAttribute.count == 1)
        #expect(value.open?.content.count == 3)
        #expect(text.contains(">one <"))
    }

    // MARK: Substitution and mixed content

    @Test func elementsStandForTheirHead() throws {
        let content = """
            <circle><color>red</color><radius>1</radius></circle><square><corner>1 2 3 4</corner></square>\
            <m:remark>r</m:remark><blot xsi:type="c:Polygon"><corner>5</corner></blot><polygon><corner/></polygon>
            """
        let (value, text) = try roundTrip(content, as: Constructs.Drawing.self)
        #expect(value.shape == .circle(.init(color: "red", radius: 1)))
        guard case .square(let square)? = value.polygon else { return #expect(Bool(false)) }
        #expect(square.corner.items == [1, 2, 3, 4])
        #expect(value.choice == .comment(.remark("r")))
        #expect(value.shape2.count == 2)
        #expect(text.contains("<c:square>"))
    }

    @Test func textAndElementsKeepTheirOrder() throws {
        let content =
            "Dear <name>Ann</name>, <bold>very </bold><text>3</text><circle><radius>1</radius></circle> bye<o:x xmlns:o=\"urn:o\"/>"
        let (value, _) = try roundTrip(content, "lang=\"en\"", as: Constructs.Letter.self)
        #expect(value.content.prefix(3) == [.text("Dear "), .name("Ann"), .text(", ")])
        #expect(value.content[3] == .bold(.init(value: "very ")))
        #expect(value.content[4] == .text2(3))
        #expect(value.content.count == 8)
        #expect(value.lang == "en")
    }

    // MARK: Simple types

    @Test func facetsAreCheckedOnDemand() throws {
        let content = """
            <integer>1</integer><list>1</list><few>1 2 3 4 5</few><code>Xab</code><dozen>13</dozen><pair>1</pair>\
            <small currency="EUR">11</small>
            """
        let value = try decode(content, as: Constructs.Values.self)
        let facets = Set(value.violations().map(\.facet))
        #expect(facets.isSuperset(of: ["maxLength", "pattern", "enumeration", "maxInclusive", "occurs"]), "\(facets)")
        let good = "<integer>1</integer><few>1 2</few><code>AB</code><dozen>12</dozen><pair>1</pair><pair>2</pair>"
        #expect(try decode(good, as: Constructs.Values.self).violations().isEmpty)
    }

    @Test func simpleTypesHaveTheirValues() throws {
        let content = """
            <integer>123456789012345678901234567890</integer><positive>1</positive><natural>0</natural>\
            <negative>-1</negative><notPositive>0</notPositive><qualified>m:a</qualified><token> a  b </token><token>c</token>\
            <normalized>a\tb</normalized><line xsi:nil="true"/><simple> s </simple><anything a="1">x<y/></anything>\
            <list>1 2.5</list><few>1</few><names>a b</names><size>12</size><size>small</size><size>2026-01-01 2026-01-02</size>\
            <size>huge</size><word>w</word><code>AB</code><dozen>12</dozen><pair>1</pair><pair>2</pair>\
            <address><city xmlns="">c</city></address><home><street>s</street></home><small currency="EUR">5</small>
            """
        let attributes = "currencies=\"EUR XXX\" size=\"large\" token=\" a  b \" xml:lang=\"sl\""
        let (value, _) = try roundTrip(content, attributes, as: Constructs.Values.self)
        #expect(value.integer == XSDInteger("123456789012345678901234567890"))
        #expect(value.qualified?.namespaceURI == Self.more)
        #expect(value.token == ["a b", "c"])
        #expect(value.normalized == "a b")
        #expect(value.line == .null)
        #expect(value.simple == " s ")
        #expect(value.list?.items == [1, 2.5])
        #expect(value.names?.items == ["a", "b"])
        #expect(value.size.prefix(2) == [.int32(12), .sizeName(.small)])
        #expect(value.size.last == .unrecognized("huge"))
        guard case .list(let dates) = value.size[2] else { return #expect(Bool(false)) }
        #expect(dates.items.count == 2)
        #expect(value.currencies?.items == [.eur, .unrecognized("XXX")])
        #expect(value.sizeAttribute == .sizeName(.large))
        #expect(value.tokenAttribute == "a b")
        #expect(value.lang == "sl")
        #expect(value.count == nil)
        #expect(value.pair == [1, 2])
    }

    @Test func restrictedSimpleContentKeepsItsAttributes() throws {
        let value = try roundTrip("5", "currency=\"EUR\" tax=\"1\"", as: Constructs.RoundPrice.self).value
        #expect(value == .init(currency: .eur, tax: 1, value: 5))
        #expect(value.violations().isEmpty)
        let wrong = Constructs.RoundPrice(currency: .eur, value: XSDDecimal.init("0.5")!)
        #expect(wrong.violations().map(\.facet) == ["fractionDigits", "minInclusive"])
    }

    @Test(arguments: [
        ("<grade>5</grade><grade>A+ F</grade><grade>none</grade>", []),
        ("<grade>6</grade>", ["grade[1] union"]),
        ("<grade>A G</grade><grade>unheard</grade>", ["grade[1] union", "grade[2] union"]),
        ("<grades>1 5</grades>", []),
        ("<grades>1 6</grades>", ["grades maxInclusive"]),
        ("<topic>c:one</topic><topic xmlns:x='urn:signet:example:constructs:more'>x:two</topic>", []),
        ("<topic>m:one</topic>", ["topic[1] enumeration"]),
        ("<topic xmlns:c='urn:signet:example:constructs:more'>c:one</topic>", ["topic[1] enumeration"]),
    ])
    func rulesOfPartsAreChecked(content: String, found: [String]) throws {
        let value = try roundTrip(content, as: Constructs.Rules.self).value
        #expect(value.violations().map { "\($0.path) \($0.facet)" } == found)
        #expect(
            try decode("", "topic=\"m:one\"", as: Constructs.Rules.self).violations().map(\.path) == ["@topic"])
        #expect(try decode("", "topic=\"m:two\"", as: Constructs.Rules.self).violations().isEmpty)
    }

    // MARK: Presets and nil

    @Test func anEmptyElementHasTheValueThatTheSchemaGives() throws {
        let content = """
            <count/><name></name><size><!-- none --></size><size>3</size><size/><price currency="EUR"/><plain/><maybe/>\
            <yes/><words/><yes>0</yes><words> a </words>
            """
        let value = try roundTrip(content, as: Constructs.Presets.self).value
        #expect(value.count == 7)
        #expect(value.name == "a&\nb")
        #expect(value.size == [.sizeName(.small), .int32(3), .sizeName(.small)])
        #expect(value.price as? Constructs.Price == .init(currency: .eur, value: XSDDecimal.init("9.99")!))
        #expect(value.plain == "")
        #expect(value.maybe == .value(1))
        #expect(value.choice == [.yes(true), .words("x y"), .yes(false), .words("a")])
        // White space is a value, and so is nil.
        #expect(throws: XMLError.self) { try decode("<count> </count>", as: Constructs.Presets.self) }
        let other = try decode("<count>1</count><maybe xsi:nil=\"1\"/>", as: Constructs.Presets.self)
        #expect(other == .init(count: 1, maybe: .null))
    }
}
