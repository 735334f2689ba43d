import Foundation
import TestSupport
import Testing

@testable import SignetSOAP

/// Messages that Python's `email` package has written, and what it reads in messages of this package.
@Suite struct PythonPartsTests {
    /// Writes messages of random parts: for each a line with its content type, length and number of parts, the message,
    /// and for each part a line with type, identifier, file name and content, all in hexadecimal digits.
    private static let writer = #"""
        import email.message, email.policy, random, sys
        from email import encoders
        out, random = sys.stdout.buffer, random.Random(7)
        def digits(text):
            return (text if isinstance(text, bytes) else text.encode()).hex() or "-"
        for number in range(120):
            policy = email.policy.SMTP if number % 2 else email.policy.default
            message = email.message.EmailMessage(policy=policy)
            message["Content-Type"] = "multipart/related"
            if number % 3 == 0: message.preamble = "This is a message\nin parts."
            if number % 5 == 0: message.epilogue = "\nThe end."
            told = []
            for index in range(random.randrange(1, 6)):
                part = email.message.EmailMessage(policy=policy)
                kind = random.choice(["7bit", "8bit", "quoted-printable", "base64", "octets"])
                name = random.choice(["", "a.txt", "with space.txt", "grün.txt"])
                if kind == "octets":
                    content = bytes(random.randrange(256) for _ in range(random.choice([0, 1, 2, 100, 5000])))
                    part.set_content(content, "application", "octet-stream", cid="<%d.%d@python>" % (number, index))
                else:
                    alphabet = "ab =.\n\t-_" + ("" if kind == "7bit" else "äß€")
                    # Ends of lines are the encoder's to choose.
                    content = "".join(random.choice(alphabet) for _ in range(random.choice([1, 50, 400])))
                    lines = [line.rstrip() for line in content.split("\n")]
                    content = "".join(line[:60] + "\n" for line in lines)
                    part.set_content(content, cte=kind, charset="us-ascii" if kind == "7bit" else "utf-8", cid="<%d.%d@python>" % (number, index))
                    content = content.replace("\n", policy.linesep).encode()
                if name: part.add_header("Content-Disposition", "attachment", filename=name)
                del part["MIME-Version"]
                told.append("%s %s %s %s\n" % (digits(part.get_content_type()), digits(part["Content-ID"].strip("<>")), digits(name), digits(content)))
                message.attach(part)
            data = message.as_bytes()
            header, body = data.split(policy.linesep.encode() * 2, 1)
            kind = str(message["Content-Type"])
            out.write(("%s %d %d\n" % (digits(kind), len(body), len(told))).encode() + body + "".join(told).encode())
        """#

    @Test(.enabled(if: RequiredTool.isExpected("python3"), "python3 is not installed"))
    func messagesOfPythonAreRead() throws {
        let output = try python(Self.writer)
        var rest = output[...]
        func line() throws -> [String] {
            let end = try #require(rest.firstIndex(of: UInt8(ascii: "\n")))
            defer { rest = rest[(end + 1)...] }
            return String(decoding: rest[..<end], as: UTF8.self).split(separator: " ").map(String.init)
        }
        var messages = 0
        while !rest.isEmpty {
            let head = try line()
            let count = try #require(Int(head[1]))
            let parts = try #require(Int(head[2]))
            let message = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            let type = String(decoding: bytes(head[0]), as: UTF8.self)
            let boundary = try #require(try ParameterizedValue(type)["boundary"])
            let read = ReadParts([message], boundary: boundary)
            #expect(read.error == nil)
            #expect(read.parts.count == parts)
            for part in read.parts {
                let told = try line()
                let header = part.header
                #expect(
                    try ParameterizedValue(header.contentType).essence
                        == String(decoding: bytes(told[0]), as: UTF8.self))
                #expect(header.contentID == String(decoding: bytes(told[1]), as: UTF8.self))
                #expect(header.fileName ?? "" == String(decoding: bytes(told[2]), as: UTF8.self))
                // Of text, what counts is the text.
                let isText = header.contentType.hasPrefix("text")
                #expect(plain(part.content, isText) == plain(bytes(told[3]), isText), "\(header)")
            }
            let cut = message.count / 3
            #expect(ReadParts([Array(message[..<cut]), Array(message[cut...])], boundary: boundary) == read)
            messages += 1
        }
        #expect(messages == 120)
    }

    /// Reads a message, and writes a line for each part.
    private static let reader = #"""
        import email, email.policy, sys
        message = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.HTTP)
        print(message.get_content_type(), message.get_param("type"), message.get_param("start-info"), message.defects)
        for part in message.iter_parts():
            print(part["Content-ID"], part["Content-Type"], part.get_filename(), part["Content-Location"], part.defects)
            print(part.get_payload(decode=True).hex() or "-")
        """#

    @Test(.enabled(if: RequiredTool.isExpected("python3"), "python3 is not installed"))
    func pythonReadsMessagesOfSignet() throws {
        let content = (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let message = try MultipartMessage(
            envelope: Array("<e/>".utf8), packaging: .xop, version: .soap12, action: "urn:a\"b",
            attachments: [
                MessageAttachment(content, contentType: "image/png", contentID: "a@b", fileName: "ü \"x\".png"),
                MessageAttachment([], contentID: "c", contentLocation: "http://x/y", fileName: "plain \\ name"),
            ])
        let body = try #require(message.body.bytes)
        let output = try python(Self.reader, Array("Content-Type: \(message.contentType)\r\n\r\n".utf8) + body)
        let start = try #require(try ParameterizedValue(message.contentType)["start"])
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        // Of two names Python takes the first, which is for readers that do not know RFC 2231.
        #expect(
            lines == [
                #"multipart/related application/xop+xml application/soap+xml; action="urn:a\"b" []"#,
                #"\#(start) application/xop+xml; charset="UTF-8"; type="application/soap+xml; action=\"urn:a\\\"b\"" None None []"#,
                hex(Array("<e/>".utf8)), #"<a@b> image/png _ "x".png None []"#, hex(content),
                #"<c> application/octet-stream plain \ name http://x/y []"#, "-",
            ])
    }

    private func plain(_ bytes: [UInt8], _ isText: Bool) -> [UInt8] {
        guard isText else { return bytes }
        var result = bytes.filter { $0 != UInt8(ascii: "\r") }
        // The last line's end may have gone to the boundary.
        while result.last == UInt8(ascii: "\n") { result.removeLast() }
        return result
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func bytes(_ hex: String) -> [UInt8] {
        if hex == "-" { return [] }
        let digits = Array(hex.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap { place in
            digits[place].hexDigit.flatMap { high in digits[place + 1].hexDigit.map { high << 4 | $0 } }
        }
    }

    /// - Returns: nil where there is no Python, which is said.
    private func python(_ script: String, _ input: [UInt8] = []) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-python-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "input")
        try Data(input).write(to: file)
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script]
        process.standardOutput = output
        process.standardInput = try FileHandle(forReadingFrom: file)
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return [UInt8](data)
    }
}
