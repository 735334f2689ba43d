#if os(Linux)
import Foundation
import ReferenceServices
import Signet
import SignetServer
import Synchronization
import Testing

/// Content that is larger than the memory that client and service may take for it, there and back.
@Suite struct LargeAttachmentTests {
    /// Keeps one document as it came.
    private final class Keeper: Archive.Service {
        let kept = Mutex<MessageAttachment?>(nil)

        func store(_ input: Archive.Store, _ context: OperationContext) async throws -> Archive.StoreResponse {
            kept.withLock { $0 = input.content }
            return .init(bytes: Int64(input.content.count ?? 0), previewBytes: 0, sum: 0)
        }

        func fetch(_ input: Archive.Fetch, _ context: OperationContext) async throws -> Archive.FetchResponse {
            guard let kept = kept.withLock({ $0 }) else { throw SOAPFault.client("Nothing is kept.") }
            return .init(content: kept)
        }

        func forward(_ input: Archive.Forward, _ context: OperationContext) async throws -> Archive.ForwardResponse {
            throw SOAPFault.client("Nothing is forwarded.")
        }
    }

    /// A value of `/proc/self/status`, in bytes.
    private static func status(_ name: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name) })
        let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first
        return try #require(kilobytes.flatMap { Int($0) }) << 10
    }

    /// `SIGNET_ATTACHMENT_BYTES` makes it larger: 1073741824 is a gigabyte.
    private static let count =
        ProcessInfo.processInfo.environment["SIGNET_ATTACHMENT_BYTES"].flatMap { Int($0) } ?? 128 << 20

    @Test func memoryDoesNotGrowWithContent() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (sent, received) = (folder.appending(path: "sent"), folder.appending(path: "received"))
        // A hole with something at both ends takes no room on the disk.
        #expect(FileManager.default.createFile(atPath: sent.path, contents: Data("begin".utf8)))
        let handle = try FileHandle(forWritingTo: sent)
        try handle.seek(toOffset: UInt64(Self.count - 3))
        try handle.write(contentsOf: Data("end".utf8))
        try handle.close()

        var limits = AttachmentLimits()
        limits.totalBytes = Self.count + (1 << 20)
        limits.temporaryFolder = folder.path(percentEncoded: false)
        var settings = SOAPServer.Settings()
        settings.port = 0
        settings.maximumRequestBytes = limits.totalBytes
        var dispatcher = Archive.dispatcher(Keeper())
        dispatcher.attachments.limits = limits
        let server = try SOAPServer.withoutTLS(dispatcher, path: "/", settings: settings)
        let port = try await server.start()
        var configuration = try ServiceConfiguration("http://127.0.0.1:\(port)/")
        configuration.attachments.mtom = .always()
        configuration.attachments.limits = limits
        configuration.deadlines.total = .seconds(600)
        let client = Archive.Client(configuration)
        do {
            // Whatever is made once is there.
            _ = try await client.store(.init(name: "small", content: MessageAttachment([1, 2, 3])))
            _ = try await client.fetch(.init(name: "small", bytes: 0))

            // 5: the peak is counted anew, from what is resident now (proc_pid_clear_refs(5)).
            try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
            let before = try Self.status("VmRSS:")
            let stored = try await client.store(
                .init(name: "large", content: MessageAttachment(file: sent.path(percentEncoded: false))))
            let fetched = try await client.fetch(.init(name: "large", bytes: 0))
            try await fetched.content.save(to: received.path(percentEncoded: false))
            let growth = try Self.status("VmHWM:") - before
            #expect(stored.bytes == Int64(Self.count))
            #expect(fetched.content.count == Self.count)
            #expect(growth < 32 << 20, "\(growth >> 20) MiB for \(Self.count >> 20)")

            let copy = try FileHandle(forReadingFrom: received)
            defer { try? copy.close() }
            #expect(try copy.seekToEnd() == UInt64(Self.count))
            try copy.seek(toOffset: 0)
            #expect(try copy.read(upToCount: 5) == Data("begin".utf8))
            try copy.seek(toOffset: UInt64(Self.count - 3))
            #expect(try copy.readToEnd() == Data("end".utf8))
        } catch {
            try? await client.caller.transport.shutdown()
            await server.shutdown()
            throw error
        }
        try await client.caller.transport.shutdown()
        await server.shutdown()
    }
}
#endif
