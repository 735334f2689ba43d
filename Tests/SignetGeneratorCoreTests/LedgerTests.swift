import Foundation
import ReferenceServices
import SignetSOAP
import Testing

/// Runs what is generated for RPC style, SOAP's encoding and bodies of other shapes.
@Suite struct LedgerTests {
    struct Book: Ledger.Service {
        func post(_ input: Ledger.Post, _ context: OperationContext) async throws -> Ledger.PostResponse {
            let key = try context.header(Ledger.Headers.key)
            return .init(number: Int32(key?.value.count ?? 0), balance: input.entry.cents)
        }

        func summarise(_ input: Ledger.Summarise, _ context: OperationContext) async throws -> Ledger.SummariseResponse
        {
            guard let accounts = input.accounts else { return .init() }
            if accounts.items.first == "closed" {
                let detail = Ledger.Closed(since: XSDDate.init("2026-01-01") ?? ._placeholder)
                throw DeclaredFault(detail, code: .client, reason: "It is closed.")
            }
            let entries = accounts.items.map { $0.map { Ledger.Entry(text: $0, cents: 1, tags: .init(["a", nil])) } }
            return .init(
                return: .init(
                    entries: .init(entries), table: .init([1, 2, 3, 4, nil, 6], dimensions: [2, 3]),
                    rows: .init([.init([1]), .init([2, 3])]), remark: input.deep ? nil : "shallow",
                    marks: .init([
                        .value(Ledger.Stamp(by: "a", ink: "blue")), .null, .value(Ledger.Mark(by: "b")),
                    ])))
        }

        func balance(_ input: Ledger.Balance, _ context: OperationContext) async throws -> Ledger.BalanceResponse {
            .init(cents: 1)
        }

        func balance2(_ input: Ledger.BalanceOn, _ context: OperationContext) async throws -> Ledger.BalanceResponse {
            .init(cents: Int64(input.day.year))
        }

        func ping(_ input: Ledger.Ping, _ context: OperationContext) async throws -> Ledger.PingResponse { .init() }

        func write(_ input: Ledger.Entry, _ context: OperationContext) async throws -> Ledger.WriteResponse {
            if input.cents < 0 { throw SOAPFault.client("negative") }
            return .init(value: "wrote \(input.text)")
        }

        func lock(_ input: Ledger.Account, _ context: OperationContext) async throws -> Ledger.Done { .init() }

        func unlock(_ input: Ledger.Account, _ context: OperationContext) async throws -> Ledger.Done {
            throw SOAPFault.client("unlock was called")
        }

        func transfer(_ input: Ledger.Transfer, _ context: OperationContext) async throws -> Ledger.Done {
            guard input.from == "a", input.to == "b", input.amount.cents == 5 else { throw SOAPFault.client("lost") }
            return .init()
        }

        func note(_ input: Ledger.Note, _ context: OperationContext) async throws -> Ledger.NoteResponse {
            if let name = try context.header(Ledger.Headers.renamed) {
                throw DeclaredFault(name, code: .client, reason: "It has another name.")
            }
            if let opened = try context.header(Ledger.Headers.opened) {
                throw DeclaredFault(opened, code: .client, reason: "It is open.")
            }
            return .init(event: input.event)
        }
    }

    private func client(_ answer: String? = nil) throws -> Ledger.Client {
        let transport: any ClientTransport =
            answer.map { Canned(body: Array($0.utf8)) } ?? InProcessTransport(Ledger.dispatcher(Book()))
        let address = try #require(Ledger.Ports.ledger.address)
        return Ledger.Client(ServiceCaller(endpoint: try Endpoint(address), transport: transport))
    }

    struct Canned: ClientTransport {
        let body: [UInt8]
        func send(_ request: ClientRequest) async throws -> ClientResponse {
            var response = ClientResponse(status: .ok, body: body)
            response.fields[.contentType] = "text/xml"
            return response
        }
        func shutdown() async throws {}
    }

    /// The body of what would be sent, without its tags.
    private func body<Input, Output>(_ operation: ServiceOperation<Input, Output>, _ input: Input) throws -> String {
        let text = String(decoding: try client().caller.envelope(for: operation, input), as: UTF8.self)
        let start = try #require(text.range(of: "<soap:Body")), end = try #require(text.range(of: "</soap:Envelope>"))
        return String(text[start.lowerBound..<end.lowerBound])
    }

    // MARK: Wire forms

    /// WSDL 1.1 §3.5: the wrapper is in the namespace of the binding, its children in none.
    @Test func RPCLiteralWrapsUnqualifiedParts() throws {
        #expect(
            try body(Ledger.Operations.post, .init(account: "1", entry: .init(text: "x", cents: 2)))
                == "<soap:Body><m:post><account>1</account><entry><text>x</text><cents>2</cents></entry></m:post></soap:Body>"
        )
    }

    @Test func encodedMessagesNameTheEncodingAndTheTypesOfArrays() throws {
        let text = try body(Ledger.Operations.summarise, .init(accounts: .init(["a", nil]), deep: true))
        #expect(
            text.hasPrefix(
                "<soap:Body><m:summarise soap:encodingStyle=\"http://schemas.xmlsoap.org/soap/encoding/\">"))
        #expect(text.contains("soapenc:arrayType=\"xsd:string[2]\""))
        #expect(text.contains(">a</item><item"))
        #expect(text.contains("xsi:nil=\"true\""))
        #expect(text.contains(">true</deep>"))
    }

    @Test func aBodyMayBeEmptyOrTypedOrHoldSeveralElements() throws {
        #expect(try body(Ledger.Operations.ping, .init()) == "<soap:Body></soap:Body>")
        #expect(
            try body(Ledger.Operations.write, .init(text: "x", cents: 2))
                == "<soap:Body><text>x</text><cents>2</cents></soap:Body>")
        #expect(
            try body(Ledger.Operations.transfer, .init(from: "a", to: "b", amount: .init(text: "x", cents: 5)))
                == "<soap:Body><m:from>a</m:from><m:to>b</m:to><m:amount><text>x</text><cents>5</cents></m:amount></soap:Body>"
        )
    }

    // MARK: Both sides

    @Test func everyShapeTravelsBothWays() async throws {
        let client = try client()
        let key = Ledger.Headers.key.block(.init(value: "four"))
        let posted = try await client.post(.init(account: "1", entry: .init(text: "x", cents: 2)), headerBlocks: [key])
        #expect(posted == .init(number: 4, balance: 2))
        #expect(try await client.write(.init(text: "x", cents: 2)).value == "wrote x")
        #expect(try await client.transfer(.init(from: "a", to: "b", amount: .init(text: "", cents: 5))) == .init())
        #expect(try await client.ping(.init()) == .init())
        await #expect(throws: SOAPFault.self) { try await client.write(.init(text: "x", cents: -1)) }
    }

    @Test func encodedMessagesTravelBothWays() async throws {
        let client = try client()
        let answer = try await client.summarise(.init(accounts: .init(["a", nil]), deep: false))
        let summary = try #require(answer.return)
        #expect(summary.entries?.items.map { $0?.text } == ["a", nil])
        #expect(summary.entries?.items.first??.tags?.items == ["a", nil])
        #expect(summary.table == .init([1, 2, 3, 4, nil, 6], dimensions: [2, 3]))
        #expect(summary.rows?.items.map { $0?.items ?? [] } == [[1], [2, 3]])
        #expect(summary.remark == "shallow")
        let marks = try #require(summary.marks).items
        #expect((marks.first?.value as? Ledger.Stamp)?.ink == "blue")
        #expect(marks.map { $0.value?.by } == ["a", nil, "b"])
        #expect(try await client.summarise(.init(deep: true)).return == nil)
        let fault = await #expect(throws: DeclaredFault<Ledger.Closed>.self) {
            try await client.summarise(.init(accounts: .init(["closed"]), deep: true))
        }
        #expect(fault?.detail.since == XSDDate.init("2026-01-01"))
    }

    /// What may stand for an abstract element travels under its own name (XML Schema Part 1 §3.3.6).
    @Test func membersOfASubstitutionGroupAreMessages() async throws {
        let client = try client()
        let day = try #require(XSDDate.init("1999-01-01"))
        for event in [Ledger.EventChoice.renamed("x"), .opened(.init(since: day))] {
            #expect(try await client.note(.init(event: event)).event == event)
        }
        #expect(
            try body(Ledger.Operations.note, .init(event: .renamed("x")))
                == "<soap:Body><m:renamed>x</m:renamed></soap:Body>")
    }

    @Test func membersOfASubstitutionGroupAreHeaderBlocksAndFaults() async throws {
        let client = try client()
        let renamed = Ledger.Renamed(value: "y")
        let byName = await #expect(throws: DeclaredFault<Ledger.Renamed>.self) {
            try await client.note(
                .init(event: .renamed("x")), headerBlocks: [Ledger.Headers.renamed.block(renamed)])
        }
        #expect(byName?.detail == renamed)
        #expect(byName?.element?.localName == "renamed")
        let opened = Ledger.Closed(since: try #require(XSDDate.init("1999-01-01")))
        let byDay = await #expect(throws: DeclaredFault<Ledger.Closed>.self) {
            try await client.note(.init(event: .renamed("x")), headerBlocks: [Ledger.Headers.opened.block(opened)])
        }
        #expect(byDay?.detail == opened)
        #expect(byDay?.element?.localName == "opened")
    }

    /// The action distinguishes operations that have the same element.
    @Test func operationsOfOneElementAreToldApartByTheirAction() async throws {
        let client = try client()
        #expect(try await client.lock(.init(value: "1")) == .init())
        let fault = await #expect(throws: SOAPFault.self) { try await client.unlock(.init(value: "1")) }
        #expect(fault?.reason == "unlock was called")
        #expect(try await client.balance(.init(account: "1")).cents == 1)
        let day = try #require(XSDDate.init("1999-01-01"))
        #expect(try await client.balance2(.init(account: "1", day: day)).cents == 1999)
    }

    // MARK: Messages of other programs

    private func answer(_ body: String) -> String {
        """
        <e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns:i="http://www.w3.org/2001/XMLSchema-instance" \
        xmlns:c="http://schemas.xmlsoap.org/soap/encoding/" xmlns:x="http://www.w3.org/2001/XMLSchema"><e:Body>\(body)\
        </e:Body></e:Envelope>
        """
    }

    /// As Axis answers: every value apart, the name of the wrapper its own.
    @Test func valuesThatStandApartAreRead() async throws {
        let text = answer(
            """
            <n:anyName xmlns:n="urn:other"><return href="#id0"/></n:anyName>
            <multiRef id="id0" c:root="0" i:type="t:Summary" xmlns:t="urn:example:ledger:types"><remark i:type="x:string">r</remark>
            <rows i:type="c:Array" c:arrayType="x:int[][1]"><x:row href="#id2"/></rows>
            <entries i:type="c:Array" c:arrayType="t:Entry[2]"><m href="#id1"/><m href="#id1"/></entries>
            <table c:arrayType="x:int[2,2]" c:offset="[1,0]"><x:int>3</x:int><x:int>4</x:int></table>
            <marks c:arrayType="t:Mark[1]"><m i:type="t:Stamp"><ink>black</ink><by>b</by></m></marks></multiRef>
            <multiRef id="id1"><cents>7</cents><text>t</text></multiRef><multiRef id="id2" c:arrayType="x:int[1]"><i>9</i></multiRef>
            """)
        let answer = try await client(text).summarise(.init(deep: true))
        let summary = try #require(answer.return)
        #expect(summary.entries?.items == [.init(text: "t", cents: 7), .init(text: "t", cents: 7)])
        #expect(summary.table == .init([nil, nil, 3, 4], dimensions: [2, 2]))
        #expect(summary.rows == .init([.init([9])]))
        #expect((summary.marks?.items.first?.value as? Ledger.Stamp)?.ink == "black")
    }

    /// The accessor of the only value may have any name, also where the value stands apart.
    @Test func theOnlyValueMayHaveAnyName() async throws {
        let text = answer(
            """
            <n:anyName xmlns:n="urn:other"><n:result href="#id0"/></n:anyName>
            <multiRef id="id0" c:root="0" i:type="t:Summary" xmlns:t="urn:example:ledger:types"><remark i:type="x:string">r</remark>
            <rows i:nil="1"/><entries i:nil="1"/><table i:nil="1"/><marks i:nil="1"/></multiRef>
            """)
        var client = try client(text)
        for tolerance in [XMLTolerance.standard, .lenient] {
            client = .init(client.caller.tolerating(tolerance))
            #expect(try await client.summarise(.init(deep: true)).return?.remark == "r")
        }
    }

    @Test func aReferenceWithoutATargetIsAnError() async throws {
        let text = answer("<n:r xmlns:n='urn:o'><return href='#1'/></n:r>")
        let error = await #expect(throws: ServiceError.self) { try await client(text).summarise(.init(deep: true)) }
        #expect(error?.code == .malformedAnswer)
        #expect(error?.message.contains("no value with the id") == true)
    }

    /// Of what a remote procedure answers the name means nothing (SOAP 1.1 §7.1); a document's does.
    @Test func documentAnswersMustHaveTheDeclaredName() async throws {
        for text in ["<n:other xmlns:n='urn:example:ledger'><cents>1</cents></n:other>", "<o><r>1</r></o>"] {
            #expect(try await client(answer(text)).balance(.init(account: "1")).cents == 1)
        }
        let text = answer("<n:other xmlns:n='urn:example:ledger:types'/>")
        let error = await #expect(throws: ServiceError.self) { try await client(text).unlock(.init(value: "1")) }
        #expect(error?.message.contains("“other” where “done”") == true)
    }

    // MARK: Tolerance

    @Test func deviationsAreReportedOrRefusedByTolerance() async throws {
        let text = answer(
            "<n:balanceResponse xmlns:n='urn:example:ledger'><more/><cents>1</cents></n:balanceResponse>")
        var client = try client(text)
        let answer = try await client.caller.answer(to: Ledger.Operations.balance, .init(account: "1"))
        #expect(answer.deviations.map(\.code) == [.unknownElement])
        var caller = client.caller
        caller.tolerance = .strict
        client = Ledger.Client(caller)
        let error = await #expect(throws: ServiceError.self) { try await client.balance(.init(account: "1")) }
        #expect(error?.deviations.map(\.code) == [.unknownElement])
    }

    /// Extents that are not said are those that are written.
    @Test func arraysAreComparedByTheExtentsThatAreWritten() {
        #expect(Ledger.Table([1, 2, 3]) == Ledger.Table([1, 2, 3], dimensions: [3]))
        #expect(Ledger.Table([1, 2, 3]).hashValue == Ledger.Table([1, 2, 3], dimensions: [3]).hashValue)
        #expect(Ledger.Table([1, 2, 3, 4]) != Ledger.Table([1, 2, 3, 4], dimensions: [2, 2]))
    }
}

extension ServiceCaller {
    fileprivate func tolerating(_ tolerance: XMLTolerance) -> ServiceCaller {
        var caller = self
        caller.tolerance = tolerance
        return caller
    }
}
