import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import SignetSOAP

@Suite(.timeLimit(.minutes(10))) struct ServiceStreamTests {
    private static let path = [XMLName(Journal.namespace, "Query"), Journal.entry]

    private static func sequence<Element: Sendable>(_ elements: [Element]) -> AsyncStream<Element> {
        AsyncStream { continuation in
            for element in elements { continuation.yield(element) }
            continuation.finish()
        }
    }

    /// A caller of a service that gives back what it gets.
    private func caller<Value: XMLStructure>(_ operation: ServiceOperation<Value, Value>) throws -> ServiceCaller {
        try ServiceCaller(
            InProcessTransport(
                ServiceDispatcher(name: "Echo", versions: [.soap11], routes: [operation.route { input, _ in input }])))
    }

    private static let echo = ServiceOperation<Journal.Report, Journal.Report>(
        name: "Query", soapAction: "urn:query", version: .soap11, input: path[0], output: path[0],
        namespaces: [Journal.namespace])

    // MARK: What is sent once

    /// A sequence that waits, and ends quietly when its task is cancelled: what was sent so far is no message.
    @Test func aCancelledStreamIsNoShorterMessage() async throws {
        let (elements, source) = AsyncStream<Journal.Entry>.makeStream()
        source.yield(Journal.Entry("a", 1))
        let stream = ServiceStream.elements(elements, at: Self.path)
        let transport = PiecewiseTransport(ElementAnswerTests.text([]))
        let task = Task {
            _ = try await ServiceCaller(transport).answer(to: Journal.query, .init(title: "t"), sending: stream)
        }
        while transport.requests.isEmpty { await Task.yield() }
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        #expect(transport.sent.isEmpty)
    }

    @Test func twoCallsCannotShareAStream() async throws {
        for _ in 0..<20 {
            let stream = ServiceStream.elements(Self.sequence(Journal.entries(2000)), at: Self.path)
            let transport = PiecewiseTransport(ElementAnswerTests.text([]))
            let caller = try ServiceCaller(transport)
            let results = await withTaskGroup(of: Result<Void, any Error>.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        do {
                            _ = try await caller.answer(to: Journal.query, .init(title: "t"), sending: stream)
                            return .success(())
                        } catch { return .failure(error) }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.count { (try? $0.get()) != nil } == 1)
            #expect(transport.sent.count == 1)
            #expect(transport.sent.first?.count { $0 == UInt8(ascii: "&") } == 2000)
        }
    }

    /// What is no regular file is an error before anything is sent.
    @Test(arguments: ["/nonexistent", "/", "/dev/null", "", "/etc/passwd\0.xml"]) func aFileThatCannotBeRead(
        file: String
    ) {
        #expect(throws: AttachmentError.self) { try ServiceStream.base64(file: file, at: Self.path) }
    }

    // MARK: Elements

    @Test(arguments: [0, 3]) func elementsFollowThoseOfTheInput(given: Int) async throws {
        let entries = Journal.entries(given + 5000)
        let input = Journal.Report(title: "t", entry: Array(entries[..<given]), total: 7)
        let answer = try await caller(Self.echo).answer(
            to: Self.echo, input, sending: .elements(Self.sequence(Array(entries[given...])), at: Self.path))
        #expect(answer.output == Journal.Report(title: "t", entry: entries, total: 7))
        // Nothing was out of its order.
        #expect(answer.deviations.isEmpty)
    }

    @Test func streamedElementsGiveTheSameDocumentAsTheInput() async throws {
        let entries = Journal.entries(3)
        let transport = PiecewiseTransport(ElementAnswerTests.text([]))
        let caller = try ServiceCaller(transport)
        _ = try await caller.answer(
            to: Journal.query, .init(title: "t", total: 7),
            sending: .elements(Self.sequence(entries), at: Self.path))
        _ = try await caller.answer(to: Journal.query, .init(title: "t", entry: entries, total: 7))
        #expect(transport.sent.count == 2)
        #expect(transport.sent.first == transport.sent.last)
        #expect(transport.requests.map(\.body.count) == [nil, transport.sent.last?.count])
    }

    @Test func namespacesAreDeclaredWhereTheyAreNeeded() async throws {
        let operation: ServiceOperation<Journal.Remarks, Journal.Remarks> = Journal.operation("Remarks")
        let remarks = [Journal.Remark(text: .value("a")), Journal.Remark(text: .null), Journal.Remark(text: nil)]
        let path = [XMLName(Journal.namespace, "Remarks"), XMLName(Journal.namespace, "remark")]
        let answer = try await caller(operation).answer(
            to: operation, .init(), sending: .elements(Self.sequence(remarks), at: path))
        #expect(answer.output.remark == remarks)
    }

    @Test func belowElementsOfTheInputTheFirstOneShowsThePlace() async throws {
        let operation: ServiceOperation<Journal.Bundle, Journal.Bundle> = Journal.operation("Bundle")
        let path = [XMLName(Journal.namespace, "Bundle"), XMLName(Journal.namespace, "report"), Journal.entry]
        let entries = Journal.entries(4)
        let caller = try caller(operation)
        await #expect(throws: ServiceError(.unstreamable, "")) {
            try await caller.answer(
                to: operation, .init(report: .init(title: "t")), sending: .elements(Self.sequence(entries), at: path))
        }
        let answer = try await caller.answer(
            to: operation, .init(report: .init(title: "t", entry: [entries[0]], total: 1)),
            sending: .elements(Self.sequence(Array(entries[1...])), at: path))
        #expect(answer.output.report == Journal.Report(title: "t", entry: entries, total: 1))
    }

    @Test func elementsGoOutInPiecesThatAreWorthSending() async throws {
        let transport = CountingTransport()
        let entries = Journal.entries(5000)
        _ = try? await ServiceCaller(transport).answer(
            to: Journal.query, .init(title: "t"), sending: .elements(Self.sequence(entries), at: Self.path))
        let sizes = transport.sizes.withLock { $0 }
        #expect(sizes.count > 3)
        #expect(sizes.dropLast().allSatisfy { ((64 << 10)..<(66 << 10)).contains($0) })
    }

    private final class CountingTransport: ClientTransport {
        let sizes = Mutex<[Int]>([])
        func send(_ request: ClientRequest) async throws -> ClientResponse {
            guard case .stream(let stream) = request.body.content else { return ClientResponse(status: .ok) }
            try await stream.run { bytes in self.sizes.withLock { $0.append(bytes.count) } }
            return ClientResponse(status: .ok)
        }
        func shutdown() async throws {}
    }

    @Test func elementsGoOutAndComeBackInOneCall() async throws {
        let entries = Journal.entries(2000)
        var taken: [Journal.Entry] = []
        let answer = try await caller(Self.echo).answer(
            to: Self.echo, .init(title: "t"), each: Self.path, of: Journal.Entry.self,
            sending: .elements(at: Self.path) { Self.sequence(entries) }
        ) { taken.append($0) }
        #expect(taken == entries)
        #expect(answer.output == Journal.Report(title: "t"))
    }

    @Test func oneWayMessagesAreStreamedToo() async throws {
        let name = XMLName(Journal.namespace, "Tell")
        let tell = OneWayOperation<Journal.Report>(
            name: "Tell", soapAction: "urn:tell", version: .soap11, input: name, namespaces: [Journal.namespace])
        let transport = PiecewiseTransport(PiecewiseTransport.Answer(status: 202))
        try await ServiceCaller(transport).send(
            tell, .init(title: "t"), sending: .elements(Self.sequence(Journal.entries(2)), at: [name, Journal.entry]))
        let text = String(decoding: transport.sent[0], as: UTF8.self)
        #expect(text.components(separatedBy: "entry>").count == 5)
    }

    // MARK: Ends

    @Test func anUnwritableElementEndsTheCall() async throws {
        let transport = PiecewiseTransport(ElementAnswerTests.text([]))
        let error = await #expect(throws: TransportError.self) {
            try await ServiceCaller(transport).answer(
                to: Journal.query, .init(title: "t"),
                sending: .elements(Self.sequence([Journal.Entry("\u{0}", 1)]), at: Self.path))
        }
        #expect(error?.code == .contentFailed)
        #expect(error?.cause is XMLError)
    }

    @Test func anErrorOfTheSequenceEndsTheCall() async throws {
        struct Broken: Error {}
        let broken = AsyncThrowingStream<Journal.Entry, any Error> { $0.finish(throwing: Broken()) }
        let transport = PiecewiseTransport(ElementAnswerTests.text([]))
        let error = await #expect(throws: TransportError.self) {
            try await ServiceCaller(transport).answer(
                to: Journal.query, .init(title: "t"), sending: .elements(broken, at: Self.path))
        }
        #expect(error?.cause is Broken)
    }

    private func retrying(_ transport: PiecewiseTransport) throws -> ServiceCaller {
        var settings = RetryMiddleware.Settings()
        settings.interval = .milliseconds(1)
        settings.maximumInterval = .milliseconds(1)
        settings.idempotentOperations = ["Query"]
        var caller = try ServiceCaller(transport)
        caller.middlewares = [try RetryMiddleware(settings)]
        return caller
    }

    @Test func onlyRepeatableSequencesAreSentAgain() async throws {
        let content = Array(ElementAnswerTests.text([]).utf8)
        let entries = Journal.entries(3)
        let once = PiecewiseTransport(.init(failure: ElementAnswerTests.lost), .init(content: content))
        let error = await #expect(throws: TransportError.self) {
            try await retrying(once).answer(
                to: Journal.query, .init(title: "t"), sending: .elements(Self.sequence(entries), at: Self.path))
        }
        #expect(error?.code == .connectionClosed)
        #expect(once.requests.count == 1)
        let twice = PiecewiseTransport(.init(failure: ElementAnswerTests.lost), .init(content: content))
        _ = try await retrying(twice).answer(
            to: Journal.query, .init(title: "t"), sending: .elements(at: Self.path) { Self.sequence(entries) })
        #expect(twice.sent.count == 2)
        #expect(twice.sent.first == twice.sent.last)
    }

    private struct Signer: HeaderBlockProvider {
        let needsWholeMessages = true
        func headerBlocks(for attempt: CallAttempt) async throws -> [HeaderBlock] { [] }
    }

    @Test func callsThatCannotBeStreamedAreRefused() async throws {
        let transport = PiecewiseTransport(ElementAnswerTests.text([]))
        let stream = ServiceStream.elements(at: Self.path) { Self.sequence(Journal.entries(1)) }
        var (mtom, signing) = (try ServiceCaller(transport), try ServiceCaller(transport))
        mtom.attachments.mtom = .always()
        signing.headerProviders = [Signer()]
        for caller in [mtom, signing] {
            await #expect(throws: ServiceError(.unstreamable, "")) {
                try await caller.answer(to: Journal.query, .init(title: "t"), sending: stream)
            }
        }
        for path in [[], [Journal.entry], [Self.path[0]]] as [[XMLName]] {
            await #expect(throws: ServiceError(.unstreamable, "")) {
                try await ServiceCaller(transport).answer(
                    to: Journal.query, .init(title: "t"),
                    sending: .elements(at: path) { Self.sequence(Journal.entries(1)) })
            }
        }
        #expect(transport.requests.isEmpty)
    }

    // MARK: Content

    private static let upload: ServiceOperation<Journal.Upload, Journal.Upload> = Journal.operation("Upload")
    private static let content = [XMLName(Journal.namespace, "Upload"), XMLName(Journal.namespace, "content")]

    @Test(arguments: [0, 1, 2, 3, 48 << 10, 150_001]) func aFileGoesOutInBase64(count: Int) async throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        let file = FileManager.default.temporaryDirectory.appending(path: "signet-\(UUID().uuidString)")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let stream = try ServiceStream.base64(file: file.path(percentEncoded: false), at: Self.content)
        let answer = try await caller(Self.upload).answer(to: Self.upload, .init(name: "n"), sending: stream)
        #expect(answer.output == Journal.Upload(name: "n", content: bytes))
    }

    @Test func piecesOfAnySizeGoOutInBase64() async throws {
        let pieces = [1, 2, 0, 7, 70_000, 1].map { [UInt8](repeating: UInt8($0 & 0xFF), count: $0) }
        let answer = try await caller(Self.upload).answer(
            to: Self.upload, .init(name: "n"), sending: .base64(Self.sequence(pieces), at: Self.content))
        #expect(answer.output.content.bytes == pieces.flatMap { $0 })
    }

    @Test func contentNeedsAnEmptyElement() async throws {
        let stream = ServiceStream.base64(Self.sequence([[1]]), at: Self.content)
        await #expect(throws: ServiceError(.unstreamable, "")) {
            try await caller(Self.upload).answer(
                to: Self.upload, .init(name: "n", content: [1]), sending: stream)
        }
    }
}
