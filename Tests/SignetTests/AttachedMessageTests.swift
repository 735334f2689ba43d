import HTTPTypes
import ReferenceServices
import Signet
import Synchronization
import Testing

@Suite struct AttachedMessageTests {
    private struct Keeper: Archive.Service {
        func store(_ input: Archive.Store, _ context: OperationContext) async throws -> Archive.StoreResponse {
            .init(
                bytes: Int64(try input.content.bytes().count),
                previewBytes: Int64(input.preview.map(\.bytes.count).reduce(0, +)),
                sum: Int64(context.attachments.count))
        }

        func fetch(_ input: Archive.Fetch, _ context: OperationContext) async throws -> Archive.FetchResponse {
            let content = [UInt8](repeating: 7, count: Int(clamping: input.bytes))
            return .init(preview: [XSDBase64Binary(content)], content: MessageAttachment(content))
        }

        func forward(_ input: Archive.Forward, _ context: OperationContext) async throws -> Archive.ForwardResponse {
            for attachment in context.attachments { context.answerAttachments.append(attachment) }
            return .init(parts: Int32(context.attachments.count))
        }
    }

    /// Keeps what was sent, and may answer in place of the service.
    private final class Wire: ClientTransport {
        let service: InProcessTransport
        let answer: (contentType: String, body: String)?
        let sent = Mutex<[String]>([])

        init(_ dispatcher: ServiceDispatcher, answer: (contentType: String, body: String)? = nil) {
            service = InProcessTransport(dispatcher)
            self.answer = answer
        }

        func send(_ request: ClientRequest) async throws -> ClientResponse {
            sent.withLock { $0.append(request.fields[.contentType] ?? "") }
            guard let answer else { return try await service.send(request) }
            return ClientResponse(
                status: .ok, fields: [.contentType: answer.contentType], body: Array(answer.body.utf8))
        }

        func shutdown() async throws {}
    }

    private func client(
        _ mtom: AttachmentSettings.MTOM = .never, answer: (contentType: String, body: String)? = nil,
        _ change: (inout ServiceDispatcher) -> Void = { _ in }
    ) throws -> (Archive.Client, Wire) {
        var dispatcher = Archive.dispatcher(Keeper())
        change(&dispatcher)
        let wire = Wire(dispatcher, answer: answer)
        var caller = ServiceCaller(endpoint: try Endpoint("https://archive.example/"), transport: wire)
        caller.attachments.mtom = mtom
        return (Archive.Client(caller), wire)
    }

    @Test func valuesAreAttachedOnlyWhenAsked() async throws {
        let (plain, wire) = try client()
        let input = Archive.Store(
            name: "n", preview: [XSDBase64Binary([1, 2, 3]), XSDBase64Binary(.init(repeating: 0, count: 2000))],
            content: MessageAttachment([4, 5], contentType: "text/plain"))
        #expect(try await plain.store(input) == .init(bytes: 2, previewBytes: 2003, sum: 0))
        let (packed, packedWire) = try client(.always())
        // The second preview is large enough, and an attachment always is.
        #expect(try await packed.store(input) == .init(bytes: 2, previewBytes: 2003, sum: 2))
        let (all, _) = try client(.always(from: 0))
        #expect(try await all.store(input).sum == 3)
        #expect(wire.sent.withLock { $0 } == ["text/xml; charset=utf-8"])
        #expect(packedWire.sent.withLock { $0 }.first?.hasPrefix("multipart/related; ") == true)
    }

    @Test func theServerAnswersMTOMRequestsWithMTOM() async throws {
        let fetch = Archive.Fetch(name: "n", bytes: 1024)
        let (plain, _) = try client()
        let answer = try await plain.caller.answer(to: Archive.Operations.fetch, fetch)
        #expect(answer.attachments.isEmpty)
        #expect(try answer.output.content.bytes().count == 1024)
        let (packed, _) = try client(.always())
        #expect(try await packed.caller.answer(to: Archive.Operations.fetch, fetch).attachments.count == 2)
        let (small, _) = try client(.always()) { $0.attachments.mtom = .ifRequested(from: 1025) }
        #expect(try await small.caller.answer(to: Archive.Operations.fetch, fetch).attachments.count == 1)
        let (never, _) = try client(.always()) { $0.attachments.mtom = .never }
        #expect(try await never.caller.answer(to: Archive.Operations.fetch, fetch).attachments.isEmpty)
        let (always, _) = try client { $0.attachments.mtom = .always() }
        let unasked = try await always.caller.answer(to: Archive.Operations.fetch, fetch)
        #expect(unasked.attachments.count == 2)
        #expect(unasked.output.preview.first?.bytes.count == 1024)
    }

    /// A service may wait for a request with MTOM, a client cannot.
    @Test func aClientCannotUseMTOMOnRequest() async throws {
        let (client, wire) = try client(.ifRequested())
        let error = await #expect(throws: TransportError.self) {
            try await client.fetch(.init(name: "n", bytes: 1))
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description.contains("attachments.mtom") == true)
        #expect(wire.sent.withLock { $0 }.isEmpty)
    }

    @Test func oneAttachmentAtTwoPlacesIsOnePart() async throws {
        let (client, _) = try client(.always())
        let letter = MessageAttachment([1, 2, 3], contentID: "letter@here")
        let answer = try await client.caller.answer(
            to: Archive.Operations.forward, .init(to: "x"),
            attachments: [letter, MessageAttachment([], contentID: "empty@here")])
        #expect(answer.attachments.map(\.contentID) == ["letter@here", "empty@here"])
        #expect(try answer.attachments.map { try $0.bytes() } == [[1, 2, 3], []])
    }

    @Test func contentFromAFileNeedsMTOM() async throws {
        let (client, wire) = try client()
        let error = await #expect(throws: ServiceError.self) {
            try await client.store(.init(name: "n", content: MessageAttachment(file: "/etc/hostname")))
        }
        #expect(error?.code == .unwritableInput)
        #expect(error?.description.contains("AttachmentSettings.mtom") == true)
        #expect(wire.sent.withLock { $0 }.isEmpty)
    }

    @Test func twoAttachmentsOfOneNameAreNotSent() async throws {
        let (client, wire) = try client()
        await #expect(throws: (any Error).self) {
            try await client.forward(
                .init(to: "x"),
                attachments: [MessageAttachment([1], contentID: "a@b"), MessageAttachment([2], contentID: "a@b")])
        }
        #expect(wire.sent.withLock { $0 }.isEmpty)
    }

    // MARK: Malformed messages

    private static let head =
        "--B\r\nContent-Type: application/xop+xml; type=\"text/xml\"\r\nContent-ID: <root@x>\r\n\r\n"
    private static func envelope(_ content: String) -> String {
        "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body>\(content)</s:Body></s:Envelope>"
    }
    private static func include(_ id: String) -> String {
        "<x:Include xmlns:x='http://www.w3.org/2004/08/xop/include' href='cid:\(id)'/>"
    }
    private static func part(_ id: String, _ content: String) -> String {
        "\r\n--B\r\nContent-Type: image/png\r\nContent-ID: <\(id)>\r\n\r\n\(content)"
    }
    private static let type = "multipart/related; boundary=B; type=\"application/xop+xml\"; start-info=\"text/xml\""

    /// The end of a message behind its envelope, and the words of what is said of it; nil for what is right.
    private static let endings: [(end: String, words: String?)] = [
        (part("a@x", "content") + "\r\n--B--\r\n", nil),
        (part("a@x", "content") + "\r\n--B--", nil),
        (part("a@x", "content"), "ends before its last boundary"),
        (part("a@x", "content") + "\r\n--C--\r\n", "ends before its last boundary"),
        (part("b@x", "content") + "\r\n--B--\r\n", "no part"),
        (part("a@x", "content") + part("a@x", "other") + "\r\n--B--\r\n", "two parts have the content-id"),
        ("\r\n--B\r\nContent-Type image\r\n\r\nx\r\n--B--\r\n", ""),
        ((0..<10_000).map { part("p\($0)@x", "") }.joined() + "\r\n--B--\r\n", "more than 1000 parts"),
    ]

    @Test(arguments: endings.indices) func endingsOfAnswersAreChecked(_ index: Int) async throws {
        let (end, words) = Self.endings[index]
        let body =
            "<fetchResponse xmlns='urn:signet:example:archive:types'><content>\(Self.include("a@x"))</content></fetchResponse>"
        let (client, _) = try client(answer: (Self.type, Self.head + Self.envelope(body) + end))
        guard let words else {
            #expect(try await client.fetch(.init(name: "n", bytes: 0)).content.bytes() == Array("content".utf8))
            return
        }
        let error = await #expect(throws: ServiceError.self) { try await client.fetch(.init(name: "n", bytes: 0)) }
        #expect(error?.code == .malformedAnswer)
        #expect(words.isEmpty || error?.description.lowercased().contains(words) == true, "\(error as Any)")
    }

    @Test(arguments: endings.indices) func endingsOfRequestsAreChecked(_ index: Int) async throws {
        let (end, words) = Self.endings[index]
        let body =
            "<store xmlns='urn:signet:example:archive:types'><name>n</name><content>\(Self.include("a@x"))</content></store>"
        var request = ClientRequest(try Endpoint("https://archive.example/"))
        request.fields[.contentType] = Self.type
        request.body = HTTPBody(Array((Self.head + Self.envelope(body) + end).utf8))
        let transport = InProcessTransport(Archive.dispatcher(Keeper()))
        let response = try await transport.send(request)
        let text = String(decoding: response.body, as: UTF8.self)
        guard let words else {
            #expect(response.status == .ok)
            #expect(text.contains("bytes>7</"))
            return
        }
        guard !words.contains("more than") else {
            // What is too much has no fault, as from a server.
            #expect(response.status == .contentTooLarge)
            #expect(text.isEmpty)
            return
        }
        #expect(response.status == .internalServerError)
        #expect(text.contains("Client</faultcode>"))
        #expect(words.isEmpty || text.lowercased().contains(words))
    }
}
