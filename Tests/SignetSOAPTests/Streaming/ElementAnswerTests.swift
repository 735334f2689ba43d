import HTTPTypes
import Synchronization
import Testing

@testable import SignetSOAP

@Suite(.timeLimit(.minutes(10))) struct ElementAnswerTests {
    static let path = [Journal.report, Journal.entry]
    static let lost = TransportError(.connectionClosed, "Lost.", mayHaveBeenProcessed: true)

    static func text(
        _ entries: [Journal.Entry], header: String = "", behind: String = "", _ version: SOAPVersion = .soap11
    ) -> String {
        """
        <?xml version="1.0"?><s:Envelope xmlns:s="\(version.namespace)" xmlns:j="urn:journal">\(header)\
        <s:Body><j:Report><j:title>all</j:title>\(entries.markup)<j:total>7</j:total></j:Report>\(behind)</s:Body></s:Envelope>
        """
    }

    private static func content(_ entries: [Journal.Entry], header: String = "") -> [UInt8] {
        Array(text(entries, header: header).utf8)
    }

    /// Makes a call and gives what was handed over, and how it ended.
    private func call(
        _ transport: PiecewiseTransport, elementBytes: Int = 1 << 20, path: [XMLName] = path,
        to operation: ServiceOperation<Journal.Report, Journal.Report> = Journal.query,
        _ change: (inout ServiceCaller) throws -> Void = { _ in }
    ) async throws -> (taken: [Journal.Entry], answer: Result<ServiceAnswer<Journal.Report>, any Error>) {
        var caller = try ServiceCaller(transport)
        try change(&caller)
        var taken: [Journal.Entry] = []
        do {
            let answer = try await caller.answer(
                to: operation, Journal.Report(title: "q"), each: path, of: Journal.Entry.self,
                elementBytes: elementBytes
            ) { taken.append($0) }
            return (taken, .success(answer))
        } catch {
            return (taken, .failure(error))
        }
    }

    // MARK: Bad input

    @Test(arguments: [Int.min, -1, 0, 1]) func aTooSmallElementLimitIsAnError(elementBytes: Int) async throws {
        let (taken, result) = try await call(
            PiecewiseTransport(Self.text(Journal.entries(3))), elementBytes: elementBytes)
        #expect(taken.isEmpty)
        let error = try #require(throws: ServiceError.self) { try result.get() }
        #expect((error.cause as? XMLError)?.code == .elementTooLarge)
    }

    @Test(arguments: [Int.min, -1, 0, 1]) func aTooSmallDocumentLimitIsAnError(documentBytes: Int) async throws {
        let (taken, result) = try await call(PiecewiseTransport(Self.text(Journal.entries(3)))) {
            $0.xmlLimits.documentBytes = documentBytes
            $0.xmlLimits.textBytes = documentBytes
        }
        #expect(taken.isEmpty)
        #expect(throws: ServiceError.self) { try result.get() }
    }

    @Test func theLargestBoundMeansNoLimit() async throws {
        let (taken, result) = try await call(PiecewiseTransport(Self.text(Journal.entries(3))), elementBytes: .max)
        #expect(taken.count == 3)
        _ = try result.get()
    }

    /// Nothing of these is an answer, in pieces of any size.
    @Test(
        arguments: [
            "<html><body><j:Report xmlns:j=\"urn:journal\"><j:entry/></j:Report></body></html>",
            "<!DOCTYPE a [<!ENTITY e \"x\">]>" + text(Journal.entries(2)).dropFirst(21),
            text(Journal.entries(2)).replacing("<s:Body>", with: "<s:Body>\u{1}"),
            text(Journal.entries(2)).replacing("<s:Body>", with: "<s:Body>" + String(repeating: "<a>", count: 10_000)),
            text(Journal.entries(2)).replacing("s:Envelope", with: "s:Envelop"),
            text(Journal.entries(2)).replacing("j:Report", with: "s:Fault"),
            "\u{FEFF}", " ", "<",
        ], [1, 4096])
    func invalidAnswersHandOverNoElements(text: String, pieceBytes: Int) async throws {
        let (taken, result) = try await call(PiecewiseTransport(text, pieceBytes: pieceBytes))
        #expect(taken.isEmpty)
        #expect(throws: (any Error).self) { try result.get() }
    }

    /// Elements at another place are not those at the path.
    @Test func elementsInHeaderBlocksAreNotHandedOver() async throws {
        let header = "<s:Header><j:Report><j:entry>x</j:entry></j:Report></s:Header>"
        let (taken, result) = try await call(PiecewiseTransport(Self.text(Journal.entries(2), header: header)))
        #expect(taken.count == 2)
        #expect(try result.get().headerBlocks.count == 1)
    }

    // MARK: What is handed over

    @Test(arguments: [1, 7, 100, 100_000]) func elementsComeInOrderHoweverTheAnswerIsCut(pieceBytes: Int) async throws {
        let entries = Journal.entries(300)
        let header = "<s:Header><h:a xmlns:h=\"urn:h\">x</h:a></s:Header>"
        let transport = PiecewiseTransport(Self.text(entries, header: header), pieceBytes: pieceBytes)
        let (taken, result) = try await call(transport)
        let answer = try result.get()
        #expect(taken == entries)
        #expect(answer.output == Journal.Report(title: "all", total: 7))
        #expect(answer.headerBlocks.map(\.localName) == ["a"])
        #expect(transport.requests.count == 1)
    }

    @Test func elementsOfASimpleTypeAreHandedOverToo() async throws {
        let transport = PiecewiseTransport(Self.text(Journal.entries(3)))
        let caller = try ServiceCaller(transport)
        var totals: [Int32] = []
        let answer = try await caller.answer(
            to: Journal.query, .init(title: "q"), each: [Journal.report, XMLName(Journal.namespace, "total")],
            of: Int32.self
        ) { totals.append($0) }
        #expect(totals == [7])
        #expect(answer.output == Journal.Report(title: "all", entry: Journal.entries(3)))
    }

    @Test func anAnswerWithoutElementsHasItsWholeOutput() async throws {
        let (taken, result) = try await call(PiecewiseTransport(Self.text([])))
        #expect(taken.isEmpty)
        #expect(try result.get().output == Journal.Report(title: "all", total: 7))
    }

    @Test func theClosureKeepsTheIsolationOfItsCaller() async throws {
        let counter = Counter()
        try await counter.count(try ServiceCaller(PiecewiseTransport(Self.text(Journal.entries(200)))))
        #expect(await counter.sum == 199 * 200 / 2)
    }

    private actor Counter {
        var sum = 0
        func count(_ caller: ServiceCaller) async throws {
            _ = try await caller.answer(
                to: Journal.query, .init(title: "q"), each: ElementAnswerTests.path, of: Journal.Entry.self
            ) { sum += Int($0.amount) }
        }
    }

    @Test func thePeerIsHeldUp() async throws {
        let entries = Journal.entries(100)
        // Every piece ends an element.
        let transport = PiecewiseTransport(Self.text(entries), pieceBytes: 60)
        let caller = try ServiceCaller(transport)
        var most = 0
        var bytes = 0
        _ = try await caller.answer(
            to: Journal.query, .init(title: "q"), each: Self.path, of: Journal.Entry.self
        ) { entry in
            for _ in 0..<20 { await Task.yield() }
            most = max(most, transport.taken * 60 - bytes)
            bytes += [entry].markup.utf8.count
        }
        // The envelope, and what was read of it, waits and is being taken.
        #expect(most < 600)
    }

    @Test func anAnswerInMemoryIsHandedOverToo() async throws {
        let entries = Journal.entries(5)
        let transport = PiecewiseTransport(.init(content: Self.content(entries), isWhole: true))
        let (taken, result) = try await call(transport)
        #expect(taken == entries)
        #expect(try result.get().output == Journal.Report(title: "all", total: 7))
    }

    @Test func anAnswerWithPartsIsHandedOverOnceComplete() async throws {
        let entries = Journal.entries(5)
        let text =
            "--b\r\nContent-Type: text/xml\r\n\r\n\(Self.text(entries))\r\n--b\r\nContent-ID: <a>\r\n\r\nxy\r\n--b--\r\n"
        let transport = PiecewiseTransport(
            .init(
                contentType: "multipart/related; boundary=b; type=\"text/xml\"", content: Array(text.utf8),
                pieceBytes: 9))
        let (taken, result) = try await call(transport)
        #expect(taken == entries)
        let answer = try result.get()
        #expect(answer.output.title == "all")
        #expect(answer.attachments.map(\.contentID) == ["a"])
    }

    @Test func anotherLabelIsReadAsForOtherCalls() async throws {
        let transport = PiecewiseTransport(.init(contentType: "text/plain", content: Self.content(Journal.entries(2))))
        let (none, refused) = try await call(transport)
        #expect(none.isEmpty)
        #expect(throws: ServiceError(.notSOAP, "")) { try refused.get() }
        let (taken, read) = try await call(transport) { $0.readsMislabelledAnswers = true }
        #expect(taken.count == 2)
        _ = try read.get()
    }

    @Test func deviationsOfElementsAreListed() async throws {
        let extra = Self.text(Journal.entries(100)).replacing("</j:entry>", with: "<j:new/></j:entry>")
        let (taken, result) = try await call(PiecewiseTransport(extra, pieceBytes: 5000)) {
            $0.tolerance = .unknownElement
        }
        #expect(taken.count == 100)
        #expect(try result.get().deviations.map(\.code) == Array(repeating: .unknownElement, count: 100))
    }

    // MARK: Failing calls

    @Test func headerBlocksAreCheckedFirst() async throws {
        let header = "<s:Header><h:a xmlns:h=\"urn:h\" s:mustUnderstand=\"1\">x</h:a></s:Header>"
        let text = Self.text(Journal.entries(3), header: header)
        let (taken, result) = try await call(PiecewiseTransport(text))
        #expect(taken.isEmpty)
        #expect(throws: ServiceError(.headerNotUnderstood, "")) { try result.get() }
        let (all, understood) = try await call(PiecewiseTransport(text)) {
            $0.understoodHeaderBlocks = [XMLName("urn:h", "a")]
        }
        #expect(all.count == 3)
        _ = try understood.get()
    }

    @Test func providersSeeTheAnswerOnceAndFirst() async throws {
        let provider = Provider()
        let transport = PiecewiseTransport(Self.text(Journal.entries(50)))
        let (taken, result) = try await call(transport) { $0.headerProviders = [provider] }
        _ = try result.get()
        #expect(taken.count == 50)
        #expect(provider.seen.withLock { $0 } == 1)
        let refusing = Provider(refuses: true)
        let (none, refused) = try await call(transport) { $0.headerProviders = [refusing] }
        #expect(none.isEmpty)
        #expect(throws: Provider.Refusal.self) { try refused.get() }
        #expect(refusing.seen.withLock { $0 } == 1)
    }

    /// Counts the answers that it is shown.
    private final class Provider: HeaderBlockProvider {
        struct Refusal: Error {}
        let seen = Mutex(0)
        let refuses: Bool
        init(refuses: Bool = false) { self.refuses = refuses }
        func headerBlocks(for attempt: CallAttempt) async throws -> [HeaderBlock] { [] }
        func received(_ answer: AnswerHead) async throws {
            seen.withLock { $0 += 1 }
            if refuses { throw Refusal() }
        }
    }

    private static let fault = "<s:Fault><faultcode>s:Server</faultcode><faultstring>no</faultstring></s:Fault>"

    @Test(arguments: [200, 500]) func aFaultIsAFault(status: Int) async throws {
        let transport = PiecewiseTransport(.init(status: status, content: Array(envelope(Self.fault).utf8)))
        let provider = Provider()
        let (taken, result) = try await call(transport) { $0.headerProviders = [provider] }
        #expect(taken.isEmpty)
        #expect(throws: SOAPFault.self) { try result.get() }
        #expect(provider.seen.withLock { $0 } == 1)
    }

    @Test func aFaultBehindTheElementsEndsTheCall() async throws {
        let text = Self.text(Journal.entries(3), behind: Self.fault)
        let (taken, result) = try await call(PiecewiseTransport(text))
        #expect(taken.count == 3)
        #expect(throws: SOAPFault.self) { try result.get() }
    }

    @Test func failuresHandOverNoElements() async throws {
        let transport = PiecewiseTransport(.init(status: 500, content: Self.content(Journal.entries(3))))
        let (taken, result) = try await call(transport)
        #expect(taken.isEmpty)
        #expect(throws: ServiceError(.refused, "")) { try result.get() }
    }

    @Test func anotherVersionHandsNothingOver() async throws {
        let transport = PiecewiseTransport(Self.text(Journal.entries(3), .soap12))
        let (taken, result) = try await call(transport)
        #expect(taken.isEmpty)
        #expect(throws: ServiceError(.versionMismatch, "")) { try result.get() }
    }

    @Test func anEmptyAnswerIsAnError() async throws {
        let (_, result) = try await call(PiecewiseTransport(PiecewiseTransport.Answer()))
        #expect(throws: ServiceError(.emptyAnswer, "")) { try result.get() }
    }

    @Test func aDefectNamesItsPlaceInTheWholeAnswer() async throws {
        let text = Self.text(Journal.entries(50)).replacing("<j:amount>49<", with: "<j:amount>x<")
        let (taken, result) = try await call(PiecewiseTransport(text))
        #expect(taken.count == 49)
        let error = try #require(throws: ServiceError.self) { try result.get() }
        #expect(error.code == .malformedAnswer)
        #expect((error.cause as? XMLError)?.line == 50)
        #expect(error.answer?.status == 200)
    }

    @Test func aDefectBehindTheElementsNamesItsPlace() async throws {
        let text = Self.text(Journal.entries(50)).replacing("<j:total>7<", with: "<j:total>x<")
        let (taken, result) = try await call(PiecewiseTransport(text))
        #expect(taken.count == 50)
        let error = try #require(throws: ServiceError.self) { try result.get() }
        #expect((error.cause as? XMLError)?.line == 51)
    }

    @Test func aTruncatedAnswerIsAnError() async throws {
        let content = Self.content(Journal.entries(10)).dropLast(20)
        let (taken, result) = try await call(PiecewiseTransport(.init(content: Array(content))))
        #expect(taken.count == 10)
        #expect(throws: ServiceError(.malformedAnswer, "")) { try result.get() }
    }

    @Test func anElementIsBounded() async throws {
        let (taken, result) = try await call(PiecewiseTransport(Self.text(Journal.entries(3))), elementBytes: 20)
        #expect(taken.isEmpty)
        let error = try #require(throws: ServiceError.self) { try result.get() }
        #expect((error.cause as? XMLError)?.code == .elementTooLarge)
    }

    @Test func otherEncodingsAreRefusedWithTheReason() async throws {
        let transport = PiecewiseTransport(
            .init(contentType: "text/xml; charset=iso-8859-1", content: Self.content(Journal.entries(3))))
        let (taken, result) = try await call(transport)
        #expect(taken.isEmpty)
        let error = try #require(throws: ServiceError.self) { try result.get() }
        #expect((error.cause as? XMLError)?.code == .unsupportedEncoding)
    }

    // MARK: How it ends

    @Test func anErrorOfTheClosureEndsTheCall() async throws {
        struct Enough: Error {}
        let transport = PiecewiseTransport(Self.text(Journal.entries(1000)))
        let caller = try ServiceCaller(transport)
        var taken = 0
        await #expect(throws: Enough.self) {
            try await caller.answer(to: Journal.query, .init(title: "q"), each: Self.path, of: Journal.Entry.self) {
                _ in
                taken += 1
                if taken == 5 { throw Enough() }
            }
        }
        #expect(taken == 5)
        #expect(transport.taken < 100)
    }

    @Test func aCancelledTaskTakesNoMore() async throws {
        let caller = try ServiceCaller(PiecewiseTransport(Self.text(Journal.entries(1000))))
        let taken = Mutex(0)
        let task = Task {
            _ = try await caller.answer(
                to: Journal.query, .init(title: "q"), each: Self.path, of: Journal.Entry.self
            ) { _ in
                taken.withLock { $0 += 1 }
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(taken.withLock { $0 } == 1)
    }

    // MARK: Repetition

    private func retry() throws -> RetryMiddleware {
        var settings = RetryMiddleware.Settings()
        settings.idempotentOperations = ["Query"]
        settings.interval = .milliseconds(1)
        settings.maximumInterval = .milliseconds(1)
        return try RetryMiddleware(settings)
    }

    @Test func aCallIsRepeatedUntilSomethingWasHandedOver() async throws {
        let entries = Journal.entries(10)
        let cut = Array(Self.content(entries).prefix(60))
        let transport = PiecewiseTransport(
            .init(failure: Self.lost), .init(content: cut, failure: Self.lost), .init(content: Self.content(entries)))
        let (taken, result) = try await call(transport) { $0.middlewares = [try retry()] }
        _ = try result.get()
        #expect(taken == entries)
        #expect(transport.requests.count == 3)
    }

    @Test func aCallIsNotRepeatedAfterElementsWereTaken() async throws {
        let cut = Array(Self.content(Journal.entries(10)).dropLast(150))
        let transport = PiecewiseTransport(.init(content: cut, failure: Self.lost))
        let (taken, result) = try await call(transport) { $0.middlewares = [try retry()] }
        #expect(!taken.isEmpty)
        let error = try #require(throws: TransportError.self) { try result.get() }
        #expect(error.code == .connectionClosed)
        #expect(transport.requests.count == 1)
    }

    private struct Twice: CallMiddleware, ClientHTTPMiddleware {
        var needsWholeMessages = false
        func intercept<Input: XMLStructure, Output: Sendable>(
            _ call: ServiceCall<Input>, next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
        ) async throws -> ServiceAnswer<Output> {
            #expect(call.canBeRepeated)
            _ = try await next(call)
            #expect(!call.canBeRepeated)
            return try await next(call)
        }
        func intercept(
            _ exchange: ClientExchange, next: @Sendable (ClientExchange) async throws -> ClientResponse
        ) async throws -> ClientResponse {
            #expect(try await next(exchange).body.isEmpty)
            return try await next(exchange)
        }
    }

    @Test func middlewareCannotRepeatAStreamedCall() async throws {
        for change in [{ $0.middlewares = [Twice()] }, { $0.httpMiddlewares = [Twice()] }]
            as [(inout ServiceCaller) -> Void]
        {
            let transport = PiecewiseTransport(Self.text(Journal.entries(3)))
            let (taken, result) = try await call(transport, change)
            #expect(taken.count == 3)
            #expect(throws: ServiceError(.elementsTaken, "")) { try result.get() }
            #expect(transport.requests.count == 1)
        }
    }

    // MARK: Refused before anything is sent

    private struct Signer: HeaderBlockProvider {
        let needsWholeMessages = true
        func headerBlocks(for attempt: CallAttempt) async throws -> [HeaderBlock] { [] }
    }

    @Test func callsThatCannotBeStreamedAreRefused() async throws {
        let transport = PiecewiseTransport(Self.text(Journal.entries(3)))
        let encoded = ServiceOperation<Journal.Report, Journal.Report>(
            name: "Query", soapAction: "", version: .soap11, input: nil, output: Journal.report, isEncoded: true)
        let calls = [
            try await call(transport, path: []), try await call(transport, path: [Journal.report]),
            try await call(transport, path: [Journal.entry, Journal.report]),
            try await call(transport, to: encoded),
            try await call(transport) { $0.headerProviders = [Signer()] },
            try await call(transport) { $0.httpMiddlewares = [Twice(needsWholeMessages: true)] },
        ]
        for (taken, result) in calls {
            #expect(taken.isEmpty)
            #expect(throws: ServiceError(.unstreamable, "")) { try result.get() }
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func theTransportLimitsTheWholeAnswer() async throws {
        let transport = PiecewiseTransport(Self.text([]))
        _ = try await call(transport) { $0.maximumStreamedBytes = 4711 }
        #expect(transport.requests.map(\.maximumStreamedBytes) == [4711])
    }
}
