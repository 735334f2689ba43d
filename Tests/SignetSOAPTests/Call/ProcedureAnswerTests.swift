import GreetingService
import SignetSOAP
import Testing

/// The names of what remote procedures answer (SOAP 1.1 §7.1, SOAP 1.2 Part 2 §4.2).
@Suite struct ProcedureAnswerTests {
    struct Sum: XMLStructure {
        var sum: Int32
        init(_decoding: Void) { sum = 0 }
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([""], elements: "sum")
            fields.field(&x.sum)
        }
    }

    struct Quotient: XMLStructure {
        var quotient: Int32
        var rest: Int32
        init(_decoding: Void) { (quotient, rest) = (0, 0) }
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([""], elements: "quotient rest")
            fields.field(&x.quotient)
            fields.field(&x.rest)
        }
    }

    private func answer<Output: XMLStructure>(
        _ body: String, _ type: Output.Type, isEncoded: Bool = false, isRPC: Bool = true,
        _ tolerance: XMLTolerance = .standard, _ version: SOAPVersion = .soap11
    ) async throws -> ServiceAnswer<Output> {
        let operation = ServiceOperation<Greeting.Greet, Output>(
            name: "Add", soapAction: "", version: version, input: XMLName("urn:t", "Add"),
            output: XMLName("urn:t", "AddResponse"), isEncoded: isEncoded, isRPC: isRPC)
        var caller = try ServiceCaller(CannedTransport(contentType: version.mediaType, envelope(body, version)))
        caller.tolerance = tolerance
        return try await caller.answer(to: operation, .init(name: ""))
    }

    static let sums = [
        "<t:AddResponse xmlns:t='urn:t'><sum>5</sum></t:AddResponse>",
        "<t:AddResponse xmlns:t='http://DefaultNamespace'><sum>5</sum></t:AddResponse>",
        "<AddResponse><sum>5</sum></AddResponse>", "<t:Result xmlns:t='urn:u'><sum>5</sum></t:Result>",
        // The accessor of the only value.
        "<t:AddResponse xmlns:t='urn:t'><return>5</return></t:AddResponse>",
        "<t:AddResponse xmlns:t='urn:t'>\n <t:sum>5</t:sum>\n</t:AddResponse>",
        "<AddResponse xmlns='urn:t'><AddReturn a='1'>5</AddReturn></AddResponse>",
        "<t:AddResponse xmlns:t='urn:t'><r:result xmlns:r='http://www.w3.org/2003/05/soap-rpc'>t:s</r:result><t:s>5</t:s></t:AddResponse>",
    ]

    @Test(arguments: sums) func theNameOfASingleValueIsIgnored(body: String) async throws {
        for version in [SOAPVersion.soap11, .soap12] {
            for isEncoded in [false, true] {
                for tolerance in [XMLTolerance.standard, .lenient] {
                    let answer = try await answer(body, Sum.self, isEncoded: isEncoded, tolerance, version)
                    #expect(answer.output.sum == 5)
                }
            }
        }
    }

    /// Of several values the names tell which is which: none is made up in the place of another.
    @Test(arguments: [
        "<sum2>5</sum2><x>6</x>", "<x>6</x><sum2>5</sum2>", "<x/><Sum>5</Sum>",
    ])
    func severalValuesAreMatchedByName(content: String) async throws {
        for tolerance in [XMLTolerance.strict, .standard, .lenient] {
            for isEncoded in [false, true] {
                let error = await #expect(throws: ServiceError.self) {
                    try await answer("<AddResponse>\(content)</AddResponse>", Sum.self, isEncoded: isEncoded, tolerance)
                }
                #expect(error?.code == .malformedAnswer)
            }
        }
        // Their namespaces say nothing.
        for tolerance in [XMLTolerance.strict, .standard] {
            let text = "<t:R xmlns:t='urn:t'><t:quotient>1</t:quotient><t:rest>2</t:rest></t:R>"
            let output = try await answer(text, Quotient.self, tolerance).output
            #expect(output.quotient == 1 && output.rest == 2)
        }
        let two = "<AddResponse><quotient>1</quotient><remainder>2</remainder></AddResponse>"
        for tolerance in [XMLTolerance.standard, .lenient] {
            await #expect(throws: ServiceError.self) { try await answer(two, Quotient.self, tolerance) }
        }
    }

    /// What has the right name counts, whatever stands beside it.
    @Test func theValueWithTheRightNameIsTaken() async throws {
        let answer = try await answer("<AddResponse><x>6</x><sum>5</sum></AddResponse>", Sum.self)
        #expect(answer.output.sum == 5)
        #expect(answer.deviations.map(\.code) == [.unknownElement])
    }

    /// Names are ignored, so that an echoed request is read as an answer, with a deviation.
    @Test func anEchoedRequestIsADeviation() async throws {
        let echo = "<t:Add xmlns:t='urn:t'><sum>5</sum></t:Add>"
        for isEncoded in [false, true] {
            let taken = try await answer(echo, Sum.self, isEncoded: isEncoded)
            #expect(taken.output.sum == 5)
            #expect(
                taken.deviations.map(\.message) == [
                    "the answer is called “Add”, as the request was: did the service send that back?"
                ])
            let error = await #expect(throws: ServiceError.self) {
                try await answer(echo, Sum.self, isEncoded: isEncoded, .strict)
            }
            #expect(error?.code == .malformedAnswer)
        }
        let other = "<t:Add xmlns:t='urn:other'><sum>5</sum></t:Add>"
        #expect(try await answer(other, Sum.self).deviations.isEmpty)
    }

    /// What stands behind the answer is not read, and not passed over in silence.
    @Test func aSecondAnswerIsADeviation() async throws {
        let one = "<t:AddResponse xmlns:t='urn:t'><sum>5</sum></t:AddResponse>"
        let two = one + "<t:AddResponse xmlns:t='urn:t'><sum>6</sum></t:AddResponse>"
        for isRPC in [false, true] {
            #expect(try await answer(one, Sum.self, isRPC: isRPC, .strict).deviations.isEmpty)
            let taken = try await answer(two, Sum.self, isRPC: isRPC)
            #expect(taken.output.sum == 5)
            #expect(
                taken.deviations.map(\.message) == [
                    "the element “AddResponse” stands behind the answer and is not read."
                ])
            #expect(taken.deviations.first?.path == "s:Envelope/s:Body/t:AddResponse")
            let error = await #expect(throws: ServiceError.self) {
                try await answer(two, Sum.self, isRPC: isRPC, .strict)
            }
            #expect(error?.code == .malformedAnswer)
        }
        let shared = "<AddResponse><sum>5</sum></AddResponse><m id='1'>6</m>"
        #expect(try await answer(shared, Sum.self, isEncoded: true).deviations.isEmpty)
    }

    @Test func contentInsideAReferenceIsADeviation() async throws {
        let body = "<AddResponse><sum href='#1'>3</sum></AddResponse><m id='1'>5</m>"
        let taken = try await answer(body, Sum.self, isEncoded: true)
        #expect(taken.output.sum == 5)
        #expect(
            taken.deviations.map(\.message) == [
                "the element refers to a value elsewhere, and what it holds is left out."
            ])
        #expect(taken.deviations.first?.path == "sum")
        let error = await #expect(throws: ServiceError.self) {
            try await answer(body, Sum.self, isEncoded: true, .strict)
        }
        #expect(error?.code == .malformedAnswer)
        let spaced = body.replacing(">3<", with: "> <!-- 3 --> <")
        #expect(try await answer(spaced, Sum.self, isEncoded: true).deviations.isEmpty)
    }

    @Test func anEmptyAnswerHasNoValue() async throws {
        await #expect(throws: ServiceError.self) { try await self.answer("<AddResponse/>", Sum.self) }
    }

    // MARK: Messages that are documents

    /// Documents are matched by name; another namespace is accepted where that is tolerated, with a deviation.
    @Test func documentAnswersAreMatchedByName() async throws {
        let other = "<t:AddResponse xmlns:t='urn:other'><sum>5</sum></t:AddResponse>"
        let error = await #expect(throws: ServiceError.self) { try await answer(other, Sum.self, isRPC: false) }
        #expect(error?.code == .malformedAnswer)
        #expect(
            error?.message
                == "The answer to Add holds “AddResponse” in the namespace “urn:other” where “AddResponse” in the namespace “urn:t” is expected."
        )
        let none = await #expect(throws: ServiceError.self) {
            try await answer("<AddResponse><sum>5</sum></AddResponse>", Sum.self, isRPC: false)
        }
        #expect(none?.message.contains("“AddResponse” in no namespace where") == true)
        let taken = try await answer(other, Sum.self, isRPC: false, [.namespace])
        #expect(taken.output.sum == 5)
        #expect(taken.deviations.map(\.code) == [.namespace])
        for tolerance in [XMLTolerance.strict, .lenient] {
            let error = await #expect(throws: ServiceError.self) {
                try await answer("<Result><sum>5</sum></Result>", Sum.self, isRPC: false, tolerance)
            }
            #expect(error?.message.contains("“Result” where “AddResponse” is expected") == true)
        }
    }

    @Test func servicesTakeAnotherNamespaceWhereThatIsTolerated() async throws {
        let request = Array(envelope("<o:Greet xmlns:o='urn:other'><g:name>x</g:name></o:Greet>").utf8)
        var dispatcher = Greeting.dispatcher()
        let refusal = await dispatcher.respond(to: request, from: .init())
        #expect(refusal.status == 500)
        #expect(
            String(decoding: refusal.body.bytes ?? [], as: UTF8.self).contains(
                "no operation that takes “Greet” in the namespace “urn:other”, but one that takes it in the namespace “urn:greeting”."
            ))
        dispatcher.tolerance.insert(.namespace)
        #expect(await dispatcher.respond(to: request, from: .init()).status == 200)
        let unknown = await dispatcher.respond(to: Array(envelope("<o:Meet xmlns:o='urn:other'/>").utf8), from: .init())
        #expect(String(decoding: unknown.body.bytes ?? [], as: UTF8.self).contains("takes “Meet” in this namespace."))
    }
}
