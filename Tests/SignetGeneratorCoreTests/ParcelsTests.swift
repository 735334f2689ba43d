import ReferenceServices
import SignetSOAP
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

        func send(_ input: Parcels.Send, _ context: OperationContext) async throws -> Parcels.SendResponse {
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

        func track(_ input: Parcels.Track, _ context: OperationContext) async throws -> Parcels.TrackResponse {
            if let last = input.filter?.sequence.last {
                return .init(
                    choice: .place(
                        .init(place: "\(last.until)", at: try #require(XSDDateTime.init("2026-01-01T00:00:00Z"))))
                )
            }
            throw DeclaredFault(Parcels.Text(content: [.text("no \(input.number)")]), reason: "Unknown.")
        }

        func lost(_ input: Parcels.Lost, _ context: OperationContext) async throws {
            let key = try context.header(Parcels.Headers.session)?.key ?? "nobody"
            lostNumbers.withLock { $0 += input.number.map { "\(key): \($0)" } }
        }
    }

    private func client(_ depot: Depot, _ port: ServicePort) -> Parcels.Client {
        Parcels.Client(inProcess: Parcels.dispatcher(depot)).with { $0.version = port.version }
    }

    private static let ports = [Parcels.Ports.parcelsPort, Parcels.Ports.parcelsPort12]

    private func smallest(_ choice: Parcels.SendChoice = .account(1), to: String = "Ann") throws -> Parcels.Send {
        .init(
            choice: choice, to: Parcels.Person(name: to),
            content: .init(choice: .letter(.init(text: .init(content: [.text("Hello & goodbye")])))))
    }

    // MARK: Content

    @Test(arguments: ports) func everyContentComesBack(port: ServicePort) async throws {
        let date = try #require(XSDDate.init("2026-11-21"))
        var full = try smallest(
            .payer(.init(Parcels.Person(name: "Bea", choice: .phone("1"), born: date, id: 3, title: "Dr"))))
        full.delivery = .on(date)
        full.choice2 = [.stamp("a"), .insured(try #require(XSDDecimal.init("1.50"))), .stamp("b")]
        let letter = Parcels.Letter(
            text: .init(content: [
                .text("one "), .any(try XMLFragment(parsing: "<p:b xmlns:p='urn:p' a='1'>two</p:b>")), .text(" three"),
            ]),
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
        for choice in [Parcels.Delivery.express(true), .none2(.init(Parcels.Person(name: "Dan")))] {
            inputs.append(try smallest())
            inputs[inputs.count - 1].delivery = choice
        }
        let depot = Depot()
        let client = client(depot, port)
        for input in inputs { _ = try await client.send(input) }
        let received = depot.received.withLock { $0 }
        #expect(received.count == inputs.count)
        for (sent, got) in zip(inputs, received) {
            #expect(got.choice == sent.choice)
            #expect(got.delivery == sent.delivery)
            #expect(got.choice2 == sent.choice2)
            #expect(got.anyAttribute == sent.anyAttribute)
            #expect(got.reference == sent.reference && got.to.name == sent.to.name)
        }
        guard case .box(let box) = received[1].content.choice, case .letter(let read) = box.content.choice,
            case .box = box.more.first?.choice
        else {
            Issue.record("\(received[1].content)")
            return
        }
        #expect(read.text.content.count == 3 && read.text.content[0] == .text("one "))
        guard case .any(let fragment) = read.text.content[1] else {
            Issue.record("\(read.text)")
            return
        }
        #expect(fragment.isElement(XMLName("urn:p", "b")))
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

    /// Where a schema allows several derived types, the one that came is there.
    @Test func anAbstractPropertyHoldsTheReceivedType() async throws {
        let answer = Parcels.SendResponse(number: "1", keeper: Parcels.Nobody(name: "Gus", id: 4))
        let received = try #require(try await client(Depot(answer), Parcels.Ports.parcelsPort).send(smallest()).keeper)
        #expect(received as? Parcels.Nobody == .init(name: "Gus", id: 4))
        #expect(received.name == "Gus")
    }

    @Test func repeatedSequencesTravelInOrder() async throws {
        let date = try #require(XSDDate.init("2026-01-01"))
        let until = try #require(XSDDate.init("2026-02-02"))
        let filter = Parcels.TrackFilter(sequence: [.init(from: date, until: date), .init(from: date, until: until)])
        let client = client(Depot(), Parcels.Ports.parcelsPort12)
        let answer = try await client.track(.init(number: "1", filter: filter))
        guard case .place(let place) = answer.choice else {
            Issue.record("\(answer)")
            return
        }
        #expect(place.place == "\(until)")
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
        let client = client(Depot(), port)
        let blocks = [
            Parcels.Headers.session.block(.init(key: "12")), Parcels.Headers.priority.block(.init(value: 40)),
        ]
        let answer = try await client.caller.answer(to: Parcels.Operations.send, try smallest(), headerBlocks: blocks)
        #expect(try answer.header(Parcels.Headers.usage)?.calls == 42)
        #expect(try await client.send(smallest(), headerBlocks: blocks).number == "0")
    }

    @Test(arguments: ports) func faultsAreTyped(port: ServicePort) async throws {
        let client = client(Depot(), port)
        let fault = await #expect(throws: DeclaredFault<Parcels.AddressProblem>.self) {
            try await client.send(smallest(to: "nowhere"))
        }
        #expect(fault?.detail == .init(code: 7, line: "street"))
        let other = await #expect(throws: DeclaredFault<Parcels.Text>.self) {
            try await client.track(.init(number: "5"))
        }
        #expect(other?.detail.content == [.text("no 5")])
    }

    @Test(arguments: ports) func aOneWayOperationArrives(port: ServicePort) async throws {
        let depot = Depot()
        let client = client(depot, port)
        try await client.lost(
            .init(number: ["1", "2"]), headerBlocks: [Parcels.Headers.session.block(.init(key: "k"))])
        #expect(depot.lostNumbers.withLock { $0 } == ["k: 1", "k: 2"])
    }

    @Test func portsHaveAddressAndVersion() {
        #expect(Parcels.Ports.all.map(\.name) == ["ParcelsPort", "ParcelsPort12", "Unaddressed"])
        #expect(Parcels.Ports.all.map(\.version) == [.soap11, .soap12, .soap11])
        #expect(Parcels.Ports.all.map { $0.address == nil } == [false, false, true])
        #expect(Parcels.dispatcher(Depot()).versions == [.soap11, .soap12])
    }
}
