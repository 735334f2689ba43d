#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetWSDL

/// The options for attachments, which travel beside the envelope.
struct AttachmentOptions: ParsableArguments {
    @Flag(help: "Send as MTOM, and so ask for an answer with MTOM; values of the input stay in base64.")
    var mtom = false

    @Option(
        help: ArgumentHelp(
            "A file to send beside the envelope; may be repeated. Its media type may stand behind it: scan.tiff;image/tiff.",
            valueName: "file"), completion: .file())
    var attach: [String] = []

    @Option(
        help: ArgumentHelp(
            "Save the answer's attachments into a folder, which is made if it does not exist. No file is overwritten.",
            valueName: "folder"), completion: .directory)
    var attachments: String?

    func validate() throws {
        for argument in attach {
            guard let type = Self.split(argument).type, !ParameterizedValue.isMediaType(type) else { continue }
            throw ValidationError("--attach: “\(type)” is no media type; write it as image/tiff.")
        }
        var isFolder: ObjCBool = false
        if let attachments, FileManager.default.fileExists(atPath: attachments, isDirectory: &isFolder),
            !isFolder.boolValue
        {
            throw ValidationError("--attachments: “\(attachments)” is a file; name a folder.")
        }
    }

    private static func split(_ argument: String) -> (path: String, type: String?) {
        let parts = argument.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
        return (
            String(parts.first ?? ""), parts.dropFirst().first.map { String($0).trimmingCharacters(in: .whitespaces) }
        )
    }

    /// The attachments of the call.
    func load() throws(CommandError) -> [MessageAttachment] {
        try attach.map { (argument) throws(CommandError) in
            let (path, type) = Self.split(argument)
            var isFolder: ObjCBool = false
            guard FileManager.default.isReadableFile(atPath: path),
                FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue
            else {
                throw CommandError(
                    "--attach: “\(path)” is not a readable file. Check its path and its permissions.")
            }
            return MessageAttachment(
                file: path, contentType: type ?? "application/octet-stream",
                fileName: URL(filePath: path).lastPathComponent)
        }
    }

    /// Saves the received attachments; returns a line about each.
    func save(_ received: [MessageAttachment]) async throws -> [String] {
        guard let folder = attachments else {
            return received.enumerated().map { "attachment \($0 + 1): \($1.line); --attachments saves it" }
        }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch { throw CommandError("The folder “\(folder)” cannot be made: \(error.fileReason).") }
        var lines: [String] = []
        for (index, attachment) in received.enumerated() {
            let path = URL(filePath: folder).appending(path: "\(index + 1)-\(attachment.safeFileName)")
                .path(percentEncoded: false)
            try await attachment.save(to: path)
            lines.append("attachment \(index + 1): \(attachment.line), saved as \(path)")
        }
        return lines
    }
}

extension MessageAttachment {
    fileprivate var line: String { "\(contentType), \(count.map { "\($0) bytes" } ?? "length unknown")" }
}
#endif
