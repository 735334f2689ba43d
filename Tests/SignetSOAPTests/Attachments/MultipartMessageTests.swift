import Foundation
import SignetHTTP
import Testing

@testable import SignetSOAP

@Suite struct MultipartMessageTests {
    private let envelope = Array("<e/>".utf8)

    private func reread(_ message: MultipartMessage) async throws -> ReceivedMessage {
        let bytes = try await message.body.collected(limit: 1 << 30)
        #expect(message.body.count.map { $0 == bytes.count } ?? true)
        return try ReceivedMessage(bytes, contentType: message.contentType)
    }

    @Test func partsStandInOrder() throws {
        let message = try MultipartMessage(
            envelope: envelope, packaging: .xop, version: .soap11,
            attachments: [
                MessageAttachment([1, 2], contentType: "image/png", contentID: "a@b", fileName: "a.png"),
                MessageAttachment(
                    [], contentType: "text/plain; charset=\"x\"", contentID: "c@d", contentLocation: "http://x/y"),
            ])
        let type = try ParameterizedValue(message.contentType)
        let boundary = try #require(type["boundary"])
        let start = try #require(type["start"])
        #expect(boundary.utf8.count == 34)
        #expect(type["type"] == "application/xop+xml")
        #expect(type["start-info"] == "text/xml")
        #expect(type["action"] == nil)
        let text =
            "--\(boundary)\r\nContent-Type: application/xop+xml; charset=UTF-8; type=\"text/xml\"\r\nContent-Transfer-Encoding: binary\r\nContent-ID: \(start)\r\n\r\n<e/>\r\n--\(boundary)\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <a@b>\r\nContent-Disposition: attachment; filename=\"a.png\"\r\n\r\n\u{1}\u{2}\r\n--\(boundary)\r\nContent-Type: text/plain; charset=\"x\"\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <c@d>\r\nContent-Location: http://x/y\r\n\r\n\r\n--\(boundary)--\r\n"
        #expect(message.body.bytes == Array(text.utf8))
        #expect(message.body.isReplayable)
    }

    @Test(arguments: [nil, "", "urn:a;b=\"c\"\\"]) func theActionOfSOAP12(action: String?) async throws {
        for packaging in [MultipartMessage.Packaging.xop, .attachments] {
            let message = try MultipartMessage(
                envelope: envelope, packaging: packaging, version: .soap12, action: action, attachments: [])
            let received = try await reread(message)
            #expect(received.root == envelope)
            #expect(received.action == action)
            #expect(try ParameterizedValue(message.contentType)["action"] == action)
            #expect(received.isXOP == (packaging == .xop))
            #expect(MediaType(received.rootType).essence == "application/soap+xml")
            #expect(received.charset == "utf-8")
            #expect(received.deviations.isEmpty)
        }
        let older = try MultipartMessage(
            envelope: envelope, packaging: .xop, version: .soap11, action: "urn:a", attachments: [])
        #expect(try await reread(older).action == nil)
    }

    @Test func filesAndStreamsAreWrittenWhileSent() async throws {
        let scratch = try Scratch()
        let large = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
        let file = MessageAttachment(file: try scratch.file("a", large), fileName: "größe \"1\".bin")
        let known = MessageAttachment(HTTPBody(length: 2, isReplayable: true) { try await $0.write([8, 9]) })
        let unknown = MessageAttachment(HTTPBody(length: nil, isReplayable: false) { try await $0.write([7]) })
        func message(_ attachments: [MessageAttachment]) throws -> MultipartMessage {
            try MultipartMessage(
                envelope: envelope, packaging: .attachments, version: .soap11, attachments: attachments)
        }
        let sent = try message([file, known])
        #expect(sent.body.bytes == nil)
        #expect(sent.body.isReplayable)
        #expect(sent.body.count != nil)
        for _ in 0..<2 {
            let received = try await reread(sent)
            #expect(received.root == envelope)
            #expect(try received.attachments.map { try $0.bytes() } == [large, [8, 9]])
            #expect(received.attachments.first?.fileName == "größe \"1\".bin")
            // What has been received can be sent on.
            let forwarded = try await reread(try message(received.attachments))
            #expect(try forwarded.attachments.map { try $0.bytes() } == [large, [8, 9]])
            #expect(forwarded.attachments.map(\.contentID) == received.attachments.map(\.contentID))
        }
        let once = try message([file, unknown])
        #expect(once.body.count == nil)
        #expect(!once.body.isReplayable)
        #expect(try await reread(once).attachments.map(\.count) == [700_000, 1])
    }

    @Test func aFileMustNotChange() async throws {
        let scratch = try Scratch()
        for changed in [[], [1], [1, 2, 3]] as [[UInt8]] {
            let path = try scratch.file("a", [1, 2])
            let message = try MultipartMessage(
                envelope: envelope, packaging: .xop, version: .soap11, attachments: [MessageAttachment(file: path)])
            _ = try scratch.file("a", changed)
            let error = await #expect(throws: TransportError.self) {
                try await message.body.collected(limit: 1000)
            }
            #expect(error?.code == .contentFailed)
            #expect((error?.cause as? AttachmentError)?.code == .contentChanged)
        }
    }

    @Test func aFileThatGrowsMeanwhileIsNoticed() async throws {
        let scratch = try Scratch()
        let path = try scratch.file("a", [UInt8](repeating: 1, count: 600_000))
        let attachment = MessageAttachment(file: path)
        let writer = try FileHandle(forWritingTo: URL(filePath: path))
        try writer.seekToEnd()
        let error = await #expect(throws: AttachmentError.self) {
            try await attachment.write { _ in try writer.write(contentsOf: [1]) }
        }
        #expect(error?.code == .contentChanged)
    }

    @Test func aMissingFileIsReportedBeforeSending() {
        let error = #expect(throws: AttachmentError.self) {
            try MultipartMessage(
                envelope: envelope, packaging: .xop, version: .soap11,
                attachments: [MessageAttachment(file: "/nowhere/a")])
        }
        #expect(error?.code == .fileFailed)
    }

    @Test func controlCharactersInHeadersAreRefused() {
        let evil = ["a\r\nX: y", "a\nb", "a\rb", "a\0b", "a\u{7F}", "a\u{85}", "a\u{1B}"]
        var attachments: [MessageAttachment] = []
        for text in evil {
            attachments += [
                MessageAttachment([], contentType: text), MessageAttachment([], contentID: text),
                MessageAttachment([], contentLocation: text), MessageAttachment([], fileName: text),
            ]
        }
        attachments += [
            MessageAttachment([], contentType: ""), MessageAttachment([], contentType: "ä/b"),
            MessageAttachment([], contentID: ""),
            MessageAttachment([], contentID: "a b"), MessageAttachment([], contentID: "a>b"),
            MessageAttachment([], contentID: "ä"),
            MessageAttachment([], contentLocation: "a b"), MessageAttachment([], contentLocation: ""),
        ]
        for attachment in attachments {
            let error = #expect(throws: AttachmentError.self) {
                try MultipartMessage(
                    envelope: envelope, packaging: .xop, version: .soap11, attachments: [attachment])
            }
            #expect(error?.code == .unwritable)
            #expect(error?.message.unicodeScalars.contains { $0.value < 0x20 } == false)
        }
        for action in evil + ["ä"] {
            let error = #expect(throws: AttachmentError.self) {
                try MultipartMessage(
                    envelope: envelope, packaging: .xop, version: .soap12, action: action, attachments: [])
            }
            #expect(error?.code == .unwritable)
        }
    }

    @Test func equalIdentifiersAreRefused() {
        let error = #expect(throws: AttachmentError.self) {
            try MultipartMessage(
                envelope: envelope, packaging: .xop, version: .soap11,
                attachments: [MessageAttachment([], contentID: "a"), MessageAttachment([1], contentID: "a")])
        }
        #expect(error?.code == .duplicateID)
    }
}
