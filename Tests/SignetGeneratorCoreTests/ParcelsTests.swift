import ReferenceServices
import SignetSOAP
import SignetTesting
import Synchronization
import Testing

/// Runs generated code: choices, wildcards, derived types, header blocks, a one-way operation, both versions of SOAP.
@Suite struct ParcelsTests {
    static let types = "urn:signet:example:parcels:types"

    final class Depot: Parcels.Service {
        let received = Mutex<[Parcels.Send]>([])
        let lostNumbers = Mutex<[String]>([])
        let answer: Parcels.SendResponse

        init(_ answer: Parcels.SendResponse = .init(number: "0")) { self.answer = answer }

        func send(_ input: Parcels.Send, _ context: ServiceContext) async throws -> Parcels.SendResponse {
            received.withLock { $0.append(input) }
            if input.to.name == "nowhere" {
                throw DeclaredFault(Parcels.AddressProblem(code: 7, line: "street"), code: .client, reason: "Where?")
            }
            if let session = try context.header(Parcels.Headers.session) {
                let priority = try context.header(Parcels.Headers.priority)?.value ?? 0
                context.answerHeaderBlocks.append(
                    Parcels.Headers.usage.block(.init(calls: priority + Int32(session.key.count))))
            }
            return answer
        }

        func track(_ input: Parcels.Track, _ context: ServiceContext) async throws -> XMLAny {
            if let filter = input.filter { return filter }
            throw DeclaredFault(try XMLAny(text: "no \(input.number)"), reason: "Unknown.")
        }

        func lost(_ input: Parcels.Lost, _ context: ServiceContext) async throws {
            let key = try context.header(Parcels.Headers.session)?.key ?? "nobody"
            lostNumbers.withLock { $0 += input.number.map { "\(key): \($0)" } }
        }
    }

    private func client(_ depot: Depot, _ port: ServicePort) throws -> Parcels.Client {
        var caller = ServiceCaller(
            endpoint: try Endpoint(try #require(port.address)),
            transport: InProcessTransport(Parcels.dispatcher(depot)))
        caller.version = port.version
        return Parcels.Client(caller)
    }

    private static let ports = [Parcels.Ports.parcelsPort, Parcels.Ports.parcelsPort12]

    private func smallest(_ choice: Parcels.SendChoice = .account(1), to: String = "Ann") throws -> Parcels.Send {
        .init(
            choice: choice, to: .init(name: to),
            content: .init(choice: .letter(.init(text: try XMLAny(text: "Hello & goodbye")))))
    }

    // MARK: Content

    @Test(arguments: ports) func everyContentComesBack(port: ServicePort) async throws {
        let date = try #require(XSDDate("2026-11-21"))
        var full = try smallest(.payer(.init(name: "Bea", choice: .phone("1"), born: date, id: 3, title: "Dr")))
        full.choice2 = .on(date)
        full.choice3 = [.stamp("a"), .insured(try #require(XSDDecimal("1.50"))), .stamp("b")]
        let letter = Parcels.Letter(
            text: XMLAny(
                try XMLFragment(parsing: "<t xmlns:p='urn:p'>one <p:b a='1'>two</p:b><!-- c --> three</t>")),
            enclosure: .value(try XMLAny(Parcels.Person(name: "Cid")))
        )
        full.content = .init(
            choice: .box(
                .init(
                    content: .init(choice: .letter(letter)),
                    more: [.init(choice: .box(.init(content: .init(choice: .letter(letter)))))])))
        full.reference = "r"
        full.anyAttribute = [.init(namespaceURI: "urn:more", localName: "weight", value: "<5")]
        var inputs = [try smallest(), full, try smallest(.voucher(nil)), try smallest(.voucher("v"))]
        for choice in [Parcels.SendChoice2.express(true), .none2(.init(name: "Dan"))] {
            inputs.append(try smallest())
            inputs[inputs.count - 1].choice2 = choice
        }
        let depot = Depot()
        let client = try client(depot, port)
        for input in inputs { _ = try await client.send(input) }
        let received = depot.received.withLock { $0 }
        #expect(received.count == inputs.count)
        for (sent, got) in zip(inputs, received) {
            #expect(got.choice == sent.choice)
            #expect(got.choice2 == sent.choice2)
            #expect(got.choice3 == sent.choice3)
            #expect(got.anyAttribute == sent.anyAttribute)
            #expect(got.reference == sent.reference && got.to == sent.to)
        }
        guard case .box(let box) = received[1].content.choice, case .letter(let read) = box.content.choice,
            case .box = box.more.first?.choice
        else {
            Issue.record("\(received[1].content)")
            return
        }
        #expect(read.text.text == "one two three")
        #expect(read.text.children.first?.namespaceURI == "urn:p")
        #expect(try read.enclosure?.value?.structure(Parcels.Person.self) == .init(name: "Cid"))
    }

    @Test func derivedTypesHoldTheirBasesFieldsFirst() async throws {
        let extra = try XMLFragment(parsing: "<x:extra xmlns:x='urn:x'>1</x:extra>")
        let driver = Parcels.Driver(
            name: "Eve", choice: .mail("e@example"), choice2: .bicycle("red"), any: [extra, extra], id: 9, title: "Ms")
        let answer = Parcels.SendResponse(
            number: "1", driver: driver, sender: .init(name: "Flo", id: 2), choice: .any(extra))
        let received = try await client(Depot(answer), Parcels.Ports.parcelsPort).send(smallest())
        #expect(received.driver?.choice2 == .bicycle("red"))
        #expect(received.driver?.any.map(\.text) == ["1", "1"])
        #expect(received.sender == answer.sender)
        guard case .any(let fragment)? = received.choice else {
            Issue.record("\(received)")
            return
        }
        #expect(fragment.isElement(XMLName("urn:x", "extra")))
        var writer = XMLWriter()
        writer.element(XMLName("", "e"), driver, declaring: [("p", XMLNamespace(Self.types))])
        let text = String(decoding: try writer.finish(), as: UTF8.self)
        let names = ["p:name", "p:mail", "p:bicycle", "extra"]
        let places = names.compactMap { text.firstRange(of: $0)?.lowerBound }
        #expect(places.count == names.count && places == places.sorted())
    }

    /// Where a schema allows several derived types, the one that came is still there.
    @Test func anAbstractTypeKeepsWhatCame() async throws {
        let keeper = XMLAny(
            try XMLFragment(
                parsing:
                    "<k xmlns='\(Self.types)' xmlns:p='\(Self.types)' xmlns:i='http://www.w3.org/2001/XMLSchema-instance'"
                    + " i:type='p:Nobody' id='4'><name>Gus</name></k>"))
        let answer = Parcels.SendResponse(number: "1", keeper: keeper)
        let received = try #require(try await client(Depot(answer), Parcels.Ports.parcelsPort).send(smallest()).keeper)
        #expect(try received.structure(Parcels.Nobody.self) == .init(name: "Gus", id: 4))
        #expect(received.attribute("type", namespace: .schemaInstance)?.hasSuffix(":Nobody") == true)
    }

    @Test func untypedContentTravelsWhole() async throws {
        let filter = XMLAny(
            try XMLFragment(
                parsing: "<f xmlns='\(Self.types)'><from>2026-01-01</from><until>2026-01-02</until>"
                    + "<from>2026-02-01</from><until>2026-02-02</until></f>"))
        let client = try client(Depot(), Parcels.Ports.parcelsPort12)
        let answer = try await client.track(.init(number: "1", filter: filter))
        #expect(answer.children.map(\.localName) == ["from", "until", "from", "until"])
        #expect(answer.children.allSatisfy { $0.namespaceURI == Self.types })
    }

    @Test(arguments: [
        ("<to><name>A</name></to><content><letter><text/></letter></content>", XMLError.Code.missing),
        (
            "<account>1</account><voucher>2</voucher><to><name>A</name></to><content><letter><text/></letter></content>",
            .duplicate
        ),
        ("<account>1</account><to><name>A</name></to><content/>", .missing),
    ])
    func aChoiceTakesExactlyOne(content: String, code: XMLError.Code) throws {
        let error = #expect(throws: XMLError.self) {
            _ = try XMLFragment(parsing: "<e xmlns='\(Self.types)'>\(content)</e>").structure(Parcels.Send.self)
        }
        #expect(error?.code == code)
    }

    // MARK: Header blocks, faults, one-way

    @Test(arguments: ports) func headerBlocksTravelBothWays(port: ServicePort) async throws {
        let client = try client(Depot(), port)
        let blocks = [
            Parcels.Headers.session.block(.init(key: "12")), Parcels.Headers.priority.block(.init(value: 40)),
        ]
        let answer = try await client.caller.answer(to: Parcels.Operations.send, try smallest(), headerBlocks: blocks)
        #expect(try answer.header(Parcels.Headers.usage)?.calls == 42)
        #expect(try await client.send(smallest(), headerBlocks: blocks).number == "0")
    }

    @Test(arguments: ports) func faultsAreTyped(port: ServicePort) async throws {
        let client = try client(Depot(), port)
        let fault = await #expect(throws: DeclaredFault<Parcels.AddressProblem>.self) {
            try await client.send(smallest(to: "nowhere"))
        }
        #expect(fault?.detail == .init(code: 7, line: "street"))
        let other = await #expect(throws: DeclaredFault<XMLAny>.self) { try await client.track(.init(number: "5")) }
        #expect(other?.detail.text == "no 5")
    }

    @Test(arguments: ports) func aOneWayOperationArrives(port: ServicePort) async throws {
        let depot = Depot()
        let client = try client(depot, port)
        try await client.lost(
            .init(number: ["1", "2"]), headerBlocks: [Parcels.Headers.session.block(.init(key: "k"))])
        #expect(depot.lostNumbers.withLock { $0 } == ["k: 1", "k: 2"])
    }

    @Test func thePortsSayWhereAndHow() {
        #expect(Parcels.Ports.all.map(\.name) == ["ParcelsPort", "ParcelsPort12", "Unaddressed"])
        #expect(Parcels.Ports.all.map(\.version) == [.soap11, .soap12, .soap11])
        #expect(Parcels.Ports.all.map { $0.address == nil } == [false, false, true])
        #expect(Parcels.dispatcher(Depot()).versions == [.soap11, .soap12])
    }
}
