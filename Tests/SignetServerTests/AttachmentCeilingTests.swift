import Foundation
import GreetingService
import SignetSOAP
import SignetServer
import Testing

/// One ceiling bounds the requests of a service, also those that come in parts, and another all that lies on the disk.
@Suite(.timeLimit(.minutes(5))) struct AttachmentCeilingTests {
    /// Runs a server that counts the bytes of attachments, with a folder of its own for them.
    private func withServer<Value: Sendable>(
        takesAttachments: Bool = true, _ change: (inout SOAPServer.Settings) -> Void = { _ in },
        during body: (_ port: Int, _ folder: String) async throws -> Value
    ) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.path(percentEncoded: false)
        var dispatcher = ServiceDispatcher(
            name: "Greeting", versions: [.soap11], takesAttachments: takesAttachments,
            routes: [
                Greeting.greet.route { _, context in
                    .init(text: "bytes: \(context.attachments.reduce(0) { $0 + ($1.count ?? 0) })")
                }
            ])
        if takesAttachments { dispatcher.attachments.limits.temporaryFolder = path }
        return try await withPlainServer(dispatcher, change) { url in
            try await body(#require(URL(string: url)?.port), path)
        }
    }

    private static let envelope =
        "--B\r\nContent-Type: text/xml\r\nContent-ID: <root@x>\r\n\r\n\(Greeting.envelope("Ada"))"
        + "\r\n--B\r\nContent-Type: image/png\r\nContent-ID: <a@x>\r\n\r\n"
    private static let end = "\r\n--B--\r\n"

    private static func head(_ length: Int?) -> String {
        "POST /soap HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nSOAPAction: \"\"\r\n"
            + "Content-Type: Multipart/Related; boundary=B; type=\"text/xml\"\r\n"
            + (length.map { "Content-Length: \($0)\r\n\r\n" } ?? "Transfer-Encoding: chunked\r\n\r\n")
    }

    /// Sends a message with an attachment in chunks or announced; gives the answer.
    private func post(_ count: Int, isAnnounced: Bool, to port: Int) async throws -> String {
        let file = try Curl()
        let message = Self.envelope + String(repeating: "x", count: count) + Self.end
        let answer = try await file(
            "http://127.0.0.1:\(port)/soap",
            [
                "--header", "Content-Type: multipart/related; boundary=B; type=\"text/xml\"", "--header",
                "SOAPAction: \"\"", "--data-binary", "@\(file.write(Array(message.utf8), "message"))",
            ] + (isAnnounced ? [] : ["--header", "Transfer-Encoding: chunked"]))
        return "\(answer.status) \(answer.body)"
    }

    /// The files in a folder that this process holds open, those included that have lost their names.
    private func openFiles(in folder: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.count {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?.hasPrefix(folder)
                == true
        }
    }

    @Test func aServiceWithoutAttachmentsReadsNothingOfThem() async throws {
        try await withServer(takesAttachments: false) { port, _ async throws in
            let client = try FileHandle.connected(to: port)
            // Nothing but the head: the answer does not wait for more.
            client.offer(Self.head(12 << 20).utf8)
            let answer = try await client.text(to: "Type.\n")
            #expect(answer.hasPrefix("HTTP/1.1 415"), "\(answer)")
            #expect(answer.lowercased().contains("accept: text/xml"))
            #expect(try await post(100, isAnnounced: false, to: port).hasPrefix("415"))
        }
    }

    @Test func theCeilingHoldsForPartsToo() async throws {
        let room = 200_000
        let overhead = Self.envelope.utf8.count + Self.end.utf8.count
        try await withServer({ $0.maximumRequestBytes = room + overhead }) { port, folder async throws in
            for isAnnounced in [true, false] {
                #expect(try await post(room, isAnnounced: isAnnounced, to: port).contains("bytes: \(room)<"))
                #expect(try await post(room + 1, isAnnounced: isAnnounced, to: port).hasPrefix("413"))
            }
            let client = try FileHandle.connected(to: port)
            client.offer(Self.head(room + overhead + 1).utf8)
            #expect(try await client.text(to: "Large.\n").hasPrefix("HTTP/1.1 413"))
            #expect(openFiles(in: folder) == 0)
        }
    }

    @Test(arguments: [(true, 64 << 20), (false, 16 << 20)])
    func servicesWithAttachmentsHaveAHigherDefaultCeiling(_ takesAttachments: Bool, _ ceiling: Int) async throws {
        try await withServer(takesAttachments: takesAttachments) { port, _ async throws in
            for (count, status, end) in [(ceiling + 1, "413", "Large.\n"), (ceiling, "100", "\r\n\r\n")] {
                let client = try FileHandle.connected(to: port)
                let type = takesAttachments ? Self.head(count) : ""
                let head =
                    takesAttachments
                    ? type
                    : "POST /soap HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\nContent-Length: \(count)\r\n\r\n"
                client.offer(head.replacing("\r\n\r\n", with: "\r\nExpect: 100-continue\r\n\r\n").utf8)
                #expect(try await client.text(to: end).hasPrefix("HTTP/1.1 \(status)"))
                // The server would wait for the content.
                try client.close()
            }
        }
    }

    @Test func allRequestsShareTheDisk() async throws {
        try await withServer({
            $0.maximumRequestBytes = 1 << 20
            $0.maximumSpooledBytes = 1 << 20
        }) { port, folder async throws in
            let large = 800_000
            let client = try FileHandle.connected(to: port)
            let message = Self.envelope + String(repeating: "x", count: large)
            client.offer(Self.head(message.utf8.count + Self.end.utf8.count).utf8)
            try client.write(contentsOf: Data(message.utf8))
            while openFiles(in: folder) == 0 { try await Task.sleep(for: .milliseconds(5)) }
            // The first may not have come as a whole yet.
            var answer = ""
            while !answer.hasPrefix("503") { answer = try await post(large, isAnnounced: false, to: port) }
            #expect(try await post(1000, isAnnounced: true, to: port).contains("bytes: 1000<"))
            client.offer(Self.end.utf8)
            #expect(try await client.text(to: "Envelope>").contains("bytes: \(large)<"))
            // The room goes back with the file, just behind the answer.
            while try await !post(large, isAnnounced: false, to: port).contains("bytes: \(large)<") {}
        }
    }

    @Test func settingsWithoutEffectAreErrors() throws {
        func server(
            takesAttachments: Bool, _ limits: AttachmentLimits = .init(), _ change: (inout SOAPServer.Settings) -> Void
        ) throws {
            var settings = SOAPServer.Settings()
            change(&settings)
            var dispatcher = Greeting.dispatcher
            dispatcher.takesAttachments = takesAttachments
            dispatcher.attachments.limits = limits
            _ = try SOAPServer.withoutTLS(dispatcher, settings: settings)
        }
        var limits = AttachmentLimits()
        limits.totalBytes = 1 << 20
        let error = SOAPServerError(.invalidConfiguration, "")
        #expect(throws: error) { try server(takesAttachments: false, limits) { _ in } }
        #expect(throws: error) { try server(takesAttachments: false) { $0.maximumSpooledBytes = 1 << 30 } }
        #expect(throws: error) { try server(takesAttachments: true, limits) { $0.maximumRequestBytes = 1 << 10 } }
        #expect(throws: error) { try server(takesAttachments: true) { $0.maximumSpooledBytes = 1 << 20 } }
        #expect(throws: error) { try server(takesAttachments: true) { $0.maximumSpooledBytes = 0 } }
        try server(takesAttachments: true, limits) { $0.maximumSpooledBytes = 1 << 20 }
        try server(takesAttachments: true) { $0.maximumRequestBytes = 1 << 30 }
    }
}
