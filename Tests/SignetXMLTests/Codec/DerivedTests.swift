@_spi(Generated) import SignetXML
import Testing

// What the generator writes for an abstract type, one derived from it, and one derived from that.

private protocol VehicleProtocol: XMLDerivable {
    var wheels: Int32 { get set }
}

private protocol CarProtocol: VehicleProtocol {
    var doors: Int32? { get set }
}

private struct Car: CarProtocol {
    var wheels: Int32 = 0
    var doors: Int32?
    static let xmlType = XMLName("urn:v", "Car")
    init(_decoding: Void) {}
    init(wheels: Int32, doors: Int32? = nil) { (self.wheels, self.doors) = (wheels, doors) }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:v"], elements: "wheels doors?")
        fields.field(&x.wheels)
        fields.field(&x.doors)
    }
}

private struct Taxi: CarProtocol {
    var wheels: Int32 = 0
    var doors: Int32?
    var number: String?
    static let xmlType = XMLName("urn:t", "Taxi")
    init(_decoding: Void) {}
    init(wheels: Int32, number: String) { (self.wheels, self.number) = (wheels, number) }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:v", "urn:t"], elements: "wheels doors?", attributes: "number?")
        fields.field(&x.wheels)
        fields.field(&x.doors)
        fields.field(&x.number)
    }
}

private struct Other: XMLDerivable {
    static let xmlType = XMLName("urn:v", "Other")
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([])
    }
}

private let types = XMLTypeRegistry([Car.self, Taxi.self, Other.self])

private struct Garage: XMLStructure {
    var main: any VehicleProtocol {
        get { _main.value }
        set { _main.value = newValue }
    }
    private var _main: XMLDerived<any VehicleProtocol>
    var spare: (any CarProtocol)? {
        get { _spare.value }
        set { _spare.value = newValue }
    }
    private var _spare: XMLDerived<(any CarProtocol)?>
    var all: [any VehicleProtocol] {
        get { _all.value }
        set { _all.value = newValue }
    }
    private var _all: XMLDerived<[any VehicleProtocol]>
    var note: Nillable<any VehicleProtocol>? {
        get { _note.value }
        set { _note.value = newValue }
    }
    private var _note: XMLDerived<Nillable<any VehicleProtocol>?>
    var pick: Pick?

    enum Pick: XMLChoice {
        case vehicle(XMLDerived<any VehicleProtocol>)
        case cars(XMLDerived<[any CarProtocol]>)
        static let xmlTable = XMLTable(choice: ["urn:v"], elements: "vehicle cars*")

        static func decode(_ index: Int, from reader: inout XMLReader) -> Pick? {
            switch index {
            case 0: reader.branchDerived(Self.vehicle, nil, types)
            case 1: reader.branchDerived(Self.cars, Car.self, types)
            default: nil
            }
        }

        func encode(to writer: inout XMLWriter) {
            switch self {
            case .vehicle(let value): writer.derived(0, value, nil)
            case .cars(let value): writer.derived(1, value, Car.self)
            }
        }

        static var _placeholder: Pick { .cars(XMLDerived([])) }
    }

    init(
        main: any VehicleProtocol, spare: (any CarProtocol)? = nil, all: [any VehicleProtocol] = [],
        note: Nillable<any VehicleProtocol>? = nil, pick: Pick? = nil
    ) {
        _main = XMLDerived(main)
        _spare = XMLDerived(spare)
        _all = XMLDerived(all)
        _note = XMLDerived(note)
        self.pick = pick
    }

    init(_decoding: Void) { self.init(main: Car(_decoding: ())) }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:v"], elements: "main spare? all* note? {0}?", groups: [Pick.xmlTable])
        fields.derived(&x._main, nil, types)
        fields.derived(&x._spare, Car.self, types)
        fields.derived(&x._all, nil, types)
        fields.derived(&x._note, nil, types)
        fields.field(&x.pick)
    }
}

/// A message that is of a derived type itself.
private struct Message: XMLStructure {
    var value: any CarProtocol {
        get { _value.value }
        set { _value.value = newValue }
    }
    private var _value: XMLDerived<any CarProtocol>
    init(value: any CarProtocol) { _value = XMLDerived(value) }
    init(_decoding: Void) { self.init(value: Car(_decoding: ())) }
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.whole()
        fields.derived(&x._value, Car.self, types)
    }
}

@Suite struct DerivedTests {
    private let name = XMLName("urn:v", "g")

    @Test func equalityLooksAtTypeAndValue() {
        let car = Garage(main: Car(wheels: 4))
        #expect(car == Garage(main: Car(wheels: 4)))
        #expect(car.hashValue == Garage(main: Car(wheels: 4)).hashValue)
        #expect(car != Garage(main: Car(wheels: 3)))
        #expect(car != Garage(main: Taxi(wheels: 4, number: "")))
        #expect(car != Garage(main: Car(wheels: 4), note: .null))
        #expect(Garage(main: Car(wheels: 4), note: .value(Car(wheels: 1))) != Garage(main: Car(wheels: 4), note: .null))
        #expect(
            Garage(main: Car(wheels: 4), all: [Car(wheels: 1)]) != Garage(main: Car(wheels: 4), all: [Car(wheels: 2)]))
    }

    @Test(arguments: [
        Garage(main: Car(wheels: 4)),
        Garage(main: Taxi(wheels: 4, number: "7"), spare: Car(wheels: 3, doors: 2)),
        Garage(main: Car(wheels: 4), spare: Taxi(wheels: 1, number: "1")),
        Garage(main: Car(wheels: 4), all: [Taxi(wheels: 1, number: "x"), Car(wheels: 2)], note: .null),
        Garage(main: Car(wheels: 4), note: .value(Taxi(wheels: 1, number: "x"))),
        Garage(main: Car(wheels: 4), pick: .vehicle(XMLDerived(Taxi(wheels: 2, number: "n")))),
        Garage(
            main: Car(wheels: 4),
            pick: .cars(XMLDerived([Taxi(wheels: 2, number: "n"), Car(wheels: 1), Taxi(wheels: 2, number: "m")]))),
    ])
    private func roundTrip(garage: Garage) throws {
        let text = try encode(garage, as: name)
        #expect(try decode(text) == garage, "\(text)")
    }

    @Test func xsiTypeIsWrittenForDerivedTypesOnly() throws {
        let text = try encode(Garage(main: Car(wheels: 4), spare: Car(wheels: 3)), as: name)
        #expect(text.contains("<n1:main xsi:type=\"n1:Car\"><n1:wheels>4"), "\(text)")
        #expect(text.contains("<n1:spare><n1:wheels>3"), "\(text)")
    }

    @Test func aMessageMayBeOfADerivedType() throws {
        let taxi = try encode(Message(value: Taxi(wheels: 4, number: "7")), as: name)
        #expect(
            taxi
                == "<n1:g xmlns:n1=\"urn:v\" xmlns:n2=\"urn:t\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"n2:Taxi\" number=\"7\"><n1:wheels>4</n1:wheels></n1:g>"
        )
        #expect(try decode(taxi) == Message(value: Taxi(wheels: 4, number: "7")))
        let car = try encode(Message(value: Car(wheels: 4)), as: name)
        #expect(car == "<n1:g xmlns:n1=\"urn:v\"><n1:wheels>4</n1:wheels></n1:g>")
        #expect(try decode(car) == Message(value: Car(wheels: 4)))
    }

    private func read(
        _ main: String, _ tolerance: XMLTolerance
    ) throws(XMLError) -> (value: Garage, deviations: [XMLDeviation]) {
        let document = """
            <g xmlns='urn:v' xmlns:t='urn:t' xmlns:i='http://www.w3.org/2001/XMLSchema-instance'>\(main)</g>
            """
        return try XMLReader.read(Array(document.utf8)) { (reader) throws(XMLError) in
            reader.tolerance = tolerance
            try reader.root()
            let value = try reader.structure(Garage.self)
            return (value, reader.deviations)
        }
    }

    @Test(arguments: [
        "<main i:type='Unknown'><wheels>4</wheels></main>",
        "<main i:type='t:Car'><wheels>4</wheels></main>",
        "<main i:type='Other'><wheels>4</wheels></main>",
        "<main i:type='no:Car'><wheels>4</wheels></main>",
        "<main i:type='a b'><wheels>4</wheels></main>",
        "<main><wheels>4</wheels></main>",
    ])
    func unsuitableXSITypesAreRefusedOrReported(main: String) throws {
        #expect(throws: XMLError(.invalidValue, "")) { try self.read(main, .standard) }
        let read = try self.read(main, .lenient)
        #expect(read.deviations.map(\.code).contains(.unknownType))
        #expect(read.value.main.wheels == 0)
        let spare = "<main i:type='Car'><wheels>4</wheels></main>" + main.replacing("main", with: "spare")
        let other = try self.read(spare, .lenient)
        #expect(other.value.spare?.wheels == 4)
        #expect(other.value.spare is Car)
    }

    @Test func nilForAbsentIsNoted() throws {
        let content = "<main i:type='Car'><wheels>4</wheels></main><spare i:nil='1'/><note i:nil='1'/>"
        let read = try self.read(content, .standard)
        #expect(read.deviations.map(\.code) == [.nilForAbsent])
        #expect(read.value == Garage(main: Car(wheels: 4), note: .null))
        #expect(throws: XMLError(.invalidValue, "")) { try self.read(content, .strict) }
    }

    @Test func anythingIsReadAsTheTypeThatItNames() throws {
        let fragment = try XMLFragment(
            parsing: "<x xmlns:q='urn:t' xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:type=' q:Taxi ' "
                + "number='9'><wheels xmlns='urn:v'>4</wheels></x>")
        #expect(try fragment.value(of: types) as? Taxi == Taxi(wheels: 4, number: "9"))
        #expect(try fragment.content.value(of: types) as? Taxi == Taxi(wheels: 4, number: "9"))
        for text in ["<x/>", "<x xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:type='Nothing'><y/></x>"] {
            #expect(try XMLFragment(parsing: text).value(of: types) == nil)
        }
        let wrong = "<x xmlns='urn:v' xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:type='Car'/>"
        #expect(throws: XMLError(.missing, "")) { try XMLFragment(parsing: wrong).value(of: types) }
    }

    @Test func prefixesAreResolvedWhereTheyStand() throws {
        let main = "<main xmlns:q='urn:t' i:type=' q:Taxi ' number='9'><wheels>4</wheels></main>"
        #expect(try read(main, .strict).value.main as? Taxi == Taxi(wheels: 4, number: "9"))
    }
}
