#if Server
import Foundation
import SignetCredentials
import SignetDynamic
import SignetSOAP
import SignetWSDL
import Synchronization

/// A folder of recorded exchanges, each in three files: `0001.json` with what is not in the messages, `0001-request.xml`
/// and `0001-answer.xml`; each attachment is in one more, such as `0001-answer-attachment1`. Only the owner can read them:
/// messages may hold data of persons.
package final class Recording: Sendable {
    private static let maximumFileBytes = 64 << 20
    private static let maximumExchanges = 100_000

    private let folder: String
    private let last: Mutex<Int>

    /// Opens a folder to add exchanges to, and makes it if it does not exist.
    ///
    /// - Throws: ``MockError``.
    package init(adding folder: String) throws(MockError) {
        self.folder = folder
        do { try PrivateFile.makeFolder(folder) } catch {
            throw MockError(
                "The folder “\(folder)” cannot be used: name one that does not exist yet, or that only you can reach (mode 0700)."
            )
        }
        // Also behind what an interrupted recorder has left.
        last = Mutex(try Self.files(in: folder).compactMap { Self.number(of: $0) }.max() ?? 0)
    }

    /// Adds an exchange. The file that names the others comes last, so that a recording that was interrupted can be read.
    ///
    /// - Returns: its name.
    /// - Throws: ``MockError`` when a file cannot be written.
    package func add(_ exchange: RecordedExchange) throws(MockError) -> String {
        guard (200...599).contains(exchange.status) else {
            throw MockError("the status \(exchange.status) cannot be recorded.")
        }
        for content in [exchange.request, exchange.answer] where content.bytes.count > Self.maximumFileBytes {
            throw MockError("a message has more than \(Self.maximumFileBytes >> 20) MB.")
        }
        let number = last.withLock { last in
            last = min(last, Self.maximumExchanges) + 1
            return last
        }
        guard number <= Self.maximumExchanges else {
            throw MockError("“\(folder)” has \(Self.maximumExchanges) exchanges already. Choose another folder.")
        }
        let digits = String(number)
        let name = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        let request = try write(exchange.request, "\(name)-request")
        let answer =
            [DynamicValue.Member("status", .number(String(exchange.status)))]
            + (try write(exchange.answer, "\(name)-answer"))
        var members: [DynamicValue.Member] = [.init("request", .object(request)), .init("answer", .object(answer))]
        if !exchange.secretNames.isEmpty {
            members.append(.init("secretNames", .array(exchange.secretNames.map { .string($0) })))
        }
        if let action = exchange.action { members.insert(.init("action", .string(action)), at: 0) }
        try write(Array("\(DynamicValue.object(members).json(pretty: true))\n".utf8), "\(name).json")
        return name
    }

    /// Writes the files of a message, and returns what is said of them.
    private func write(_ content: RecordedContent, _ name: String) throws(MockError) -> [DynamicValue.Member] {
        var members: [DynamicValue.Member] = []
        if let type = content.contentType { members.append(.init("contentType", .string(type))) }
        if !content.bytes.isEmpty {
            members.append(.init("file", .string("\(name).xml")))
            try write(content.bytes, "\(name).xml")
        }
        guard let parts = content.parts else { return members }
        members.append(.init("isXOP", .bool(parts.packaging == .xop)))
        var attachments: [DynamicValue] = []
        for (number, part) in parts.attachments.enumerated() {
            let file = "\(name)-attachment\(number + 1)"
            let bytes: [UInt8]
            do { bytes = try part.bytes(limit: Self.maximumFileBytes) } catch { throw MockError("\(error)") }
            try write(bytes, file)
            let names = [
                ("file", file), ("contentType", part.contentType), ("contentID", part.contentID),
                ("contentLocation", part.contentLocation), ("fileName", part.fileName),
            ]
            attachments.append(.object(names.compactMap { name, value in value.map { .init(name, .string($0)) } }))
        }
        members.append(.init("attachments", .array(attachments)))
        return members
    }

    private func write(_ bytes: [UInt8], _ name: String) throws(MockError) {
        let isNew: Bool
        do { isNew = try PrivateFile.create("\(folder)/\(name)", bytes) } catch {
            throw MockError("“\(folder)/\(name)” cannot be written: \(error.message)")
        }
        guard isNew else {
            throw MockError(
                "“\(folder)/\(name)” is there already: another recorder writes into the folder. Choose another.")
        }
    }

    // MARK: Reading

    /// The exchanges of a folder, in their order.
    ///
    /// - Throws: ``MockError`` that names the file which cannot be used.
    package static func exchanges(in folder: String) throws(MockError) -> [(name: String, exchange: RecordedExchange)] {
        var found: [(name: String, exchange: RecordedExchange)] = []
        for name in try names(in: folder) {
            do { found.append((name, try exchange(name, in: folder))) } catch {
                throw MockError("\(folder)/\(name).json: \(error)")
            }
        }
        guard !found.isEmpty else {
            throw MockError("There is no recording in “\(folder)”, no file such as 0001.json.")
        }
        return found
    }

    /// The names of the exchanges, in their order.
    private static func names(in folder: String) throws(MockError) -> [String] {
        let names = try files(in: folder).filter { $0.hasSuffix(".json") && number(of: $0) != nil }
        return names.map { String($0.dropLast(5)) }.sorted { (number(of: $0) ?? 0, $0) < (number(of: $1) ?? 0, $1) }
    }

    private static func files(in folder: String) throws(MockError) -> [String] {
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw MockError("There is no folder “\(folder)”.")
        }
        do { return try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
            throw MockError("The folder “\(folder)” cannot be read: \(error.fileReason).")
        }
    }

    /// The number of the exchange that a file such as `0001-answer.xml` belongs to; nil for other files.
    private static func number(of file: String) -> Int? {
        let digits = file.prefix { $0.isASCII && $0.isNumber }
        let rest = file[digits.endIndex...]
        let isOurs = rest.wholeMatch(of: #/\.json|-(request|answer)(\.xml|-attachment[0-9]+)/#) != nil || rest.isEmpty
        guard digits.count >= 4, isOurs, let number = Int(digits), (1...maximumExchanges).contains(number) else {
            return nil
        }
        return number
    }

    private static func exchange(_ name: String, in folder: String) throws -> RecordedExchange {
        let value = try DynamicValue(json: try bytes(of: "\(name).json", in: folder))
        guard let request = value["request"], let answer = value["answer"] else {
            throw MockError("“request” and “answer” are expected.")
        }
        guard case .number(let digits)? = answer["status"], let status = Int(digits), (200...599).contains(status)
        else {
            throw MockError("the status of the answer is a number from 200 to 599.")
        }
        return RecordedExchange(
            action: value["action"]?.text, request: try content(request, in: folder), status: status,
            answer: try content([204, 205, 304].contains(status) ? .object([]) : answer, in: folder),
            secretNames: try secretNames(value["secretNames"]))
    }

    private static func secretNames(_ value: DynamicValue?) throws(MockError) -> [String] {
        guard let value else { return [] }
        guard case .array(let names) = value, names.allSatisfy({ $0.text != nil }) else {
            throw MockError("“secretNames” is an array of names.")
        }
        return names.compactMap(\.text)
    }

    private static func content(_ value: DynamicValue, in folder: String) throws -> RecordedContent {
        var content = RecordedContent(
            contentType: value["contentType"]?.text, bytes: try file(of: value, in: folder) ?? [])
        guard let attachments = value["attachments"] else { return content }
        guard case .array(let items) = attachments else { throw MockError("“attachments” is an array.") }
        guard case .bool(let isXOP)? = value["isXOP"], !content.bytes.isEmpty else {
            throw MockError("Beside “attachments”, “isXOP” is true or false, and “file” has the envelope.")
        }
        let limit = AttachmentLimits().parts - 1
        guard items.count <= limit else { throw MockError("There are more than \(limit) “attachments”.") }
        var room = maximumFileBytes - content.bytes.count
        let parts = try items.map { item in
            guard let bytes = try file(of: item, in: folder), let id = item["contentID"]?.text else {
                throw MockError("Each of “attachments” has “file” and “contentID”.")
            }
            room -= bytes.count
            guard room >= 0 else { throw MockError("A message has more than \(maximumFileBytes >> 20) MB.") }
            return MessageAttachment(
                bytes, contentType: item["contentType"]?.text ?? "application/octet-stream", contentID: id,
                contentLocation: item["contentLocation"]?.text, fileName: item["fileName"]?.text)
        }
        content.parts = RecordedParts(packaging: isXOP ? .xop : .attachments, attachments: parts)
        do { _ = try content.sent() } catch { throw MockError("The attachments cannot be sent: \(error)") }
        return content
    }

    /// The content of the file that a message or a part names; nil when it names no file.
    private static func file(of value: DynamicValue, in folder: String) throws -> [UInt8]? {
        guard let file = value["file"] else { return nil }
        guard let name = file.text, !name.isEmpty, name.utf8.first != UInt8(ascii: "."),
            !name.utf8.contains(UInt8(ascii: "/")),
            !name.utf8.contains(0)
        else {
            throw MockError("“file” is the name of a file in the folder.")
        }
        return try bytes(of: name, in: folder)
    }

    private static func bytes(of name: String, in folder: String) throws -> [UInt8] {
        // A link could lead to any file of the user, whose content the mock would give to clients; a pipe would never end.
        let kind = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.type] as? FileAttributeType
        guard kind == .typeRegular, let file = FileHandle(forReadingAtPath: "\(folder)/\(name)") else {
            throw MockError("“\(name)” cannot be read.")
        }
        defer { try? file.close() }
        let data = try file.read(upToCount: maximumFileBytes + 1) ?? Data()
        guard data.count <= maximumFileBytes else {
            throw MockError("“\(name)” has more than \(maximumFileBytes >> 20) MB.")
        }
        return Array(data)
    }
}
#endif
