import ArgumentParser
import Foundation
import SignetSOAP
import Testing

@testable import SignetCommand

@Suite struct AttachmentOptionsTests {
    @Test(arguments: ["image/tiff", " text/plain; charset=utf-8", "application/vnd.example+xml", "a/b;c=\"d e\""])
    func mediaTypesAreTaken(type: String) throws {
        let file = try temporary("scan.bin")
        defer { try? FileManager.default.removeItem(at: URL(filePath: file).deletingLastPathComponent()) }
        let options = try AttachmentOptions.parse(["--attach", "\(file);\(type)"])
        let attachment = try #require(try options.load().first)
        #expect(attachment.contentType == type.trimmingCharacters(in: .whitespaces))
        #expect(attachment.fileName == "scan.bin")
    }

    @Test(arguments: ["", "image", "image/", "/tiff", "bad/type/x", "image /tiff", "text/pl\u{E4}in", "a/b;c=\r\nX: y"])
    func invalidMediaTypesAreRefused(type: String) throws {
        let error = #expect(throws: (any Error).self) { try AttachmentOptions.parse(["--attach", "scan.bin;\(type)"]) }
        #expect(error.map { AttachmentOptions.message(for: $0).contains("is no media type") } == true)
    }

    @Test func answersAreNotSavedIntoAFile() throws {
        let file = try temporary("folder")
        defer { try? FileManager.default.removeItem(at: URL(filePath: file).deletingLastPathComponent()) }
        #expect(throws: (any Error).self) { try AttachmentOptions.parse(["--attachments", file]) }
        #expect(try AttachmentOptions.parse(["--attachments", "\(file)-new"]).attachments == "\(file)-new")
    }

    private func temporary(_ name: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: name)
        try Data("x".utf8).write(to: file)
        return file.path(percentEncoded: false)
    }
}
