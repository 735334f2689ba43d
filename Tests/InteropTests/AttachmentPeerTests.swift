import Foundation
import ReferenceServices
import Signet
import SignetServer
import Testing

/// Binary content beside envelopes: to and from gSOAP, zeep, and Python's email package.
@Suite(.serialized) struct AttachmentPeerTests {
    private static let wsdl = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../ReferenceServices/Archive/Archive.wsdl").standardized

    /// What a peer's program says of its calls.
    private struct Report: Decodable, Equatable {
        struct Part: Decodable, Equatable {
            var id: String
            var type: String
            var bytes: Int
            var name: String?
        }

        struct Forwarded: Decodable, Equatable {
            var root: String
            var parts: [Part]
        }

        var bytes: Int
        var previewBytes: Int?
        var sum: Int
        var sent: Int
        var fetched: Int
        var fetchedSum: Int
        var isBeside: Bool?
        var previews: Int
        var parts: Int?
        var receipts: [Part]?
        var types: [String]?
        var forwarded: [Forwarded]?
    }

    private static func sum(_ bytes: [UInt8]) -> Int { bytes.reduce(0) { ($0 * 31 + Int($1)) % 1_000_003 } }
    private static func content(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 * 7 % 256) } }

    /// Does what the peers' servers do.
    private struct Keeper: Archive.Service {
        func store(_ input: Archive.Store, _ context: OperationContext) async throws -> Archive.StoreResponse {
            let content = try input.content.bytes()
            return .init(
                bytes: Int64(content.count), previewBytes: Int64(input.preview.map(\.bytes.count).reduce(0, +)),
                sum: Int64(AttachmentPeerTests.sum(content)))
        }

        func fetch(_ input: Archive.Fetch, _ context: OperationContext) async throws -> Archive.FetchResponse {
            guard let count = Int(exactly: input.bytes), 0...(1 << 20) ~= count else { throw SOAPFault.client("No.") }
            return .init(
                preview: [XSDBase64Binary([1, 2, 3])],
                content: MessageAttachment(AttachmentPeerTests.content(count), contentType: "application/pdf"))
        }

        func forward(_ input: Archive.Forward, _ context: OperationContext) async throws -> Archive.ForwardResponse {
            for attachment in context.attachments { context.answerAttachments.append(attachment) }
            context.answerAttachments.append(
                MessageAttachment(Array(input.to.utf8), contentType: "text/plain", contentID: "receipt@archive"))
            return .init(parts: Int32(context.attachments.count))
        }
    }

    private func serving<Value>(
        always: Bool = false, _ body: (_ port: Int) async throws -> Value
    ) async throws -> Value {
        var settings = SOAPServer.Settings()
        settings.port = 0
        var dispatcher = Archive.dispatcher(Keeper())
        if always { dispatcher.attachments.mtom = .always(from: 0) }
        let server = try SOAPServer.withoutTLS(dispatcher, path: "/archive", settings: settings)
        let port = try await server.start()
        do {
            let value = try await body(port)
            await server.shutdown()
            return value
        } catch {
            await server.shutdown()
            throw error
        }
    }

    private func client(_ port: Int, _ mtom: AttachmentSettings.MTOM = .never) throws -> Archive.Client {
        var configuration = try ServiceConfiguration("http://127.0.0.1:\(port)/archive")
        configuration.attachments.mtom = mtom
        return Archive.Client(configuration)
    }

    @Test(arguments: [0, 10, 1024, 300_000]) func gSOAPExchangesAttachments(count: Int) async throws {
        let peer = try await GSOAPPeer(.archive, wsdl: Self.wsdl)
        let content = Self.content(count)
        try await peer.run("archive_server") { port in
            for mtom in [AttachmentSettings.MTOM.always(), .always(from: 0), .never] {
                let client = try client(port, mtom)
                let stored = try await client.store(
                    .init(
                        name: "Brief", preview: [XSDBase64Binary(content), XSDBase64Binary([1])],
                        content: MessageAttachment(content, contentType: "application/pdf")))
                #expect(stored.bytes == Int64(count))
                #expect(stored.previewBytes == Int64(count + 1))
                #expect(stored.sum == Int64(Self.sum(content)))
                let answer = try await client.caller.answer(
                    to: Archive.Operations.fetch, .init(name: "Brief", bytes: Int64(count)))
                #expect(try answer.output.content.bytes() == content)
                #expect(answer.output.content.contentType == "application/pdf")
                #expect(answer.output.preview.map(\.bytes) == [[0, 7, 14]])
                #expect(answer.attachments.count == 2)
                try await client.caller.transport.shutdown()
            }
        }
    }

    @Test func gSOAPForwardsParts() async throws {
        let peer = try await GSOAPPeer(.archive, wsdl: Self.wsdl)
        try await peer.run("archive_server") { port in
            let client = try client(port)
            let letter = MessageAttachment(Self.content(100_000), contentType: "image/tiff", contentID: "letter@signet")
            let note = MessageAttachment(Array("Grüße".utf8), contentType: "text/plain; charset=utf-8")
            let answer = try await client.caller.answer(
                to: Archive.Operations.forward, .init(to: "registry"), attachments: [letter, note])
            #expect(answer.output.parts == 2)
            #expect(answer.attachments.map(\.contentID) == ["letter@signet", note.contentID, "receipt@archive"])
            #expect(answer.attachments.first?.contentType == "image/tiff")
            #expect(
                try answer.attachments.map { try $0.bytes() } == [
                    Self.content(100_000), Array("Grüße".utf8), Array("registry".utf8),
                ])
            try await client.caller.transport.shutdown()
        }
    }

    @Test func theCommandSendsAndSavesAttachments() async throws {
        let peer = try await GSOAPPeer(.archive, wsdl: Self.wsdl)
        try await peer.run("archive_server") { port in
            let signet = try SignetProgram(Self.wsdl, options: ["--endpoint", "http://127.0.0.1:\(port)/archive"])
            let folder = signet.files.folder.appending(path: "received")
            func saved(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.appending(path: name))) }

            let stored = try await signet.answer("Store", json: #"{"name": "Brief", "content": "AAEC"}"#, ["--mtom"])
            #expect(stored["bytes"].number == 3)
            let fetched = try await signet.answer(
                "Fetch", ["--set", "name=Brief", "--set", "bytes=5", "--mtom", "--attachments", folder.path])
            #expect(fetched["content"].text == Data(Self.content(5)).base64EncodedString())
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(try files.map(saved) == [Self.content(3), Self.content(5)])
            #expect(files.last?.hasPrefix("2-") == true, "\(files)")
            try FileManager.default.removeItem(at: folder)

            try signet.files.write("Grüße", as: "letter.txt")
            let forward = [
                "--set", "to=registry", "--attach", "\(signet.files.path("letter.txt"));text/plain; charset=utf-8",
                "--attachments", folder.path,
            ]
            #expect(try await signet.answer("Forward", forward)["parts"].number == 1)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(names.count == 2)
            #expect(try names.map(saved) == [Array("Grüße".utf8), Array("registry".utf8)])

            // What is there is not overwritten, and the answer is not lost for that.
            let again = try await signet.call("Forward", forward)
            #expect(again.status == 1)
            #expect(try JSON(again.output)["parts"].number == 1)
            #expect(again.error.contains("received/\(names.last ?? "?")”"), "\(again.error)")
        }
    }

    @Test(arguments: ["mtom", "plain"], [0, 5, 200_000]) func gSOAPIsServed(form: String, count: Int) async throws {
        let peer = try await GSOAPPeer(.archive, wsdl: Self.wsdl)
        // gSOAP asks with MTOM only where it has something to put beside.
        let report = try await serving(always: form == "mtom") { port in
            try await whatIsSaid(
                by: peer.program("archive_client"), [form, "http://127.0.0.1:\(port)/archive", "\(count)"])
        }
        #expect(report.bytes == count)
        #expect(report.previewBytes == count)
        #expect(report.sum == report.sent)
        #expect(report.fetched == count)
        #expect(report.fetchedSum == report.sent)
        #expect(report.isBeside == (form == "mtom"))
        #expect(report.parts == 2)
        let parts = report.receipts
        #expect(parts?.map(\.id) == ["<letter@archive>", "<note@archive>", "<receipt@archive>"])
        #expect(parts?.map(\.bytes) == [count, 4, 8])
    }

    @Test(arguments: [false, true]) func zeepAndPythonAreServed(always: Bool) async throws {
        let report = try await serving(always: always) { port in
            try await whatIsSaid(by: Tool.python, Self.python("http://127.0.0.1:\(port)/archive", 70001))
        }
        #expect(report.bytes == 70001)
        #expect(report.sum == report.sent)
        #expect(report.fetched == 70001)
        #expect(report.fetchedSum == report.sent)
        #expect(report.previews == 1)
        #expect(report.types == Array(repeating: always ? "multipart/related" : "text/xml", count: 2))
        let forwarded = try #require(report.forwarded)
        #expect(forwarded.count == 3)
        for answer in forwarded {
            // Python reads the name that is there for readers that know ASCII alone.
            #expect(answer.root == (always ? "application/xop+xml" : "text/xml"))
            #expect(
                answer.parts == [
                    .init(
                        id: "<letter@python>", type: "application/pdf", bytes: 70001, name: "Brief an die Beh_rde.pdf"),
                    .init(id: "<receipt@archive>", type: "text/plain", bytes: 8),
                ])
        }
    }

    private static func python(_ url: String, _ count: Int) -> [String] {
        [
            PeerFile.url("archive_client.py").path(percentEncoded: false), wsdl.path(percentEncoded: false), url,
            "\(count)",
        ]
    }

    /// What a client says.
    private func whatIsSaid(by program: String, _ arguments: [String]) async throws -> Report {
        let result = try await PeerProcess.output(of: .init(program: program, arguments: arguments))
        guard result.status == 0 else { throw PeerProcess.Failure(description: "\(program): \(result.error)") }
        var report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
        // The envelope is a part of a name that is new each time.
        report.receipts?.removeAll { $0.id.contains("root") || $0.type.contains("xml") }
        return report
    }

    @Test(arguments: ["mtom", "plain", "python"])
    func aClientCannotTellARecordingFromTheService(form: String) async throws {
        let peer = try await GSOAPPeer(.archive, wsdl: Self.wsdl)
        let files = try IdentityFiles()
        let port = try Port.free()
        func signet(_ arguments: [String], during body: () async throws -> Void) async throws {
            try await PeerProcess.run(
                .init(
                    program: try SignetProgram.path(), arguments: arguments + ["--listen", "127.0.0.1:\(port)"],
                    port: port), during: body)
        }
        func ask() async throws -> Report {
            let url = "http://127.0.0.1:\(port)/archive"
            return form == "python"
                ? try await whatIsSaid(by: Tool.python, Self.python(url, 70001))
                : try await whatIsSaid(by: peer.program("archive_client"), [form, url, "200000"])
        }
        var first: Report?
        try await serving(always: form == "mtom") { service in
            try await signet(
                ["record", "http://127.0.0.1:\(service)/archive", "--into", files.path("recording")]
            ) { () async throws in first = try await ask() }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: files.path("recording"))
        #expect(names.filter { $0.contains("-attachment") }.count >= 4, "\(names)")
        try await signet(
            ["mock", Self.wsdl.path(percentEncoded: false), "--recorded", files.path("recording")]
        ) { () async throws in #expect(try await ask() == first) }
    }
}
