import Foundation
import SignetHTTP
import Testing

@testable import SignetSOAP

/// A folder that goes with the test.
struct Scratch: ~Copyable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "signet-parts-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
        return "\(path)/\(name)"
    }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}

@Suite struct AttachmentTests {
    private func collected(_ attachment: MessageAttachment) async throws -> [UInt8] {
        var all: [UInt8] = []
        for try await piece in attachment.pieces { all += piece }
        return all
    }

    @Test func bytesAndFilesAreRead() async throws {
        let scratch = try Scratch()
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for attachment in [
            MessageAttachment(bytes), MessageAttachment(file: try scratch.file("a", bytes)),
            MessageAttachment(HTTPBody(bytes)),
        ] {
            #expect(attachment.count == bytes.count)
            #expect(attachment.isReplayable)
            #expect(try attachment.bytes() == bytes)
            #expect(try await collected(attachment) == bytes)
            #expect(try await collected(attachment) == bytes)
            let error = #expect(throws: AttachmentError.self) { try attachment.bytes(limit: bytes.count - 1) }
            #expect(error?.code == .tooLarge)
        }
        let empty = MessageAttachment(file: try scratch.file("b", []))
        #expect(try empty.bytes() == [])
        #expect(try await collected(empty) == [])
    }

    @Test func pathsThatAreNoFilesAreRefused() throws {
        let scratch = try Scratch()
        for path in [scratch.path, "\(scratch.path)/nothing", ""] {
            let attachment = MessageAttachment(file: path)
            #expect(attachment.count == nil)
            let error = #expect(throws: AttachmentError.self) { try attachment.bytes() }
            #expect(error?.code == .fileFailed)
        }
    }

    @Test func streamsAreOnlySent() async throws {
        let scratch = try Scratch()
        let attachment = MessageAttachment(
            HTTPBody(length: 3, isReplayable: false) {
                try await $0.write([1])
                try await $0.write([2, 3])
            })
        #expect(attachment.count == 3)
        #expect(!attachment.isReplayable)
        let error = #expect(throws: AttachmentError.self) { try attachment.bytes() }
        #expect(error?.code == .notReadable)
        await #expect(throws: AttachmentError.self) { for try await _ in attachment.pieces {} }
        try await attachment.save(to: "\(scratch.path)/a")
        #expect(try MessageAttachment(file: "\(scratch.path)/a").bytes() == [1, 2, 3])
    }

    @Test func savingReplacesNoFileByDefault() async throws {
        let scratch = try Scratch()
        let attachment = MessageAttachment([1, 2, 3])
        let path = "\(scratch.path)/a"
        try await attachment.save(to: path)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let error = await #expect(throws: AttachmentError.self) { try await MessageAttachment([4]).save(to: path) }
        #expect(error?.code == .fileExists)
        #expect(try MessageAttachment(file: path).bytes() == [1, 2, 3])
        try await MessageAttachment([4]).save(to: path, replacing: true)
        #expect(try MessageAttachment(file: path).bytes() == [4])
        // A link that leads nowhere is there too.
        try FileManager.default.createSymbolicLink(atPath: "\(scratch.path)/link", withDestinationPath: "nowhere")
        let link = await #expect(throws: AttachmentError.self) {
            try await attachment.save(to: "\(scratch.path)/link")
        }
        #expect(link?.code == .fileExists)
        #expect(scratch.names == ["a", "link"])
    }

    @Test func aFailedSaveLeavesNoFile() async throws {
        struct Broken: Error {}
        let scratch = try Scratch()
        let broken = MessageAttachment(
            HTTPBody(length: nil, isReplayable: true) {
                try await $0.write([1])
                throw Broken()
            })
        await #expect(throws: TransportError.self) { try await broken.save(to: "\(scratch.path)/a") }
        #expect(scratch.names == [])
        let lost = await #expect(throws: AttachmentError.self) {
            try await MessageAttachment([1]).save(to: "\(scratch.path)/no/a")
        }
        #expect(lost?.code == .fileFailed)
        let path = scratch.path
        // Cancelled before it begins.
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await MessageAttachment([1, 2]).save(to: "\(path)/a")
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(scratch.names == [])
    }

    @Test func descriptionsShowNoContent() {
        let attachment = MessageAttachment(Array("secret".utf8), contentType: "text/plain", contentID: "a\n")
        var dumped = ""
        dump(attachment, to: &dumped)
        for text in ["\(attachment)", attachment.debugDescription, dumped, String(reflecting: [attachment])] {
            #expect(!text.contains("secret") && !text.contains("115"))
        }
        #expect("\(attachment)" == "MessageAttachment a? (text/plain, 6 bytes)")
    }

    @Test(arguments: [
        ("a@b", "cid:a@b"), ("http://tempuri.org/0", "cid:http%3A%2F%2Ftempuri.org%2F0"), ("a+b%", "cid:a%2Bb%25"),
        ("é", "cid:%C3%A9"), ("<a b>", "cid:%3Ca%20b%3E"),
    ])
    func urlsNameIdentifiers(id: String, url: String) {
        let attachment = MessageAttachment([], contentID: id)
        #expect(attachment.url == url)
        #expect(attachment.isNamed(by: url))
        #expect(attachment.isNamed(by: "CID" + url.dropFirst(3)))
        #expect(attachment.isNamed(by: "cid:" + id))
        #expect(!attachment.isNamed(by: id))
        #expect(!attachment.isNamed(by: url + "x"))
    }

    @Test func badURLsNameNoAttachment() {
        for url in ["", "cid:", "cid", "cid:%", "cid:%4", "cid:%GG", "cid:%FF", "xcid:a"] {
            #expect(!MessageAttachment([], contentID: "a").isNamed(by: url))
        }
        #expect(MessageAttachment([], contentLocation: "http://x/a").isNamed(by: "http://x/a"))
    }

    @Test func freshIdentifiersDiffer() {
        let ids = Set((0..<1000).map { _ in MessageAttachment([]).contentID })
        #expect(ids.count == 1000)
        #expect(!ids.contains { !($0.utf8.count == 39 && $0.hasSuffix("@signet")) })
    }
}
