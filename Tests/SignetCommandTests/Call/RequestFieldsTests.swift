import Foundation
import HTTPTypes
import Testing

@testable import SignetCommand

@Suite struct RequestFieldsTests {
    @Test func aFieldIsANameAndAValue() throws {
        let field = try RequestFields.argument("X-Trace:  a b: c ")
        #expect(field.name.rawName == "X-Trace")
        #expect(field.value == "a b: c")
        #expect(try RequestFields.field("X-Empty:").value.isEmpty)
    }

    @Test(arguments: [
        "secret", "X Y: 1", ": 1", "X: a\nY: b", "X: a\rY: b", "X: \u{0}", "Content-Type: a", "host: b",
        "SOAPAction: c",
        "Content-Length: 0", "Transfer-Encoding: chunked",
    ])
    func malformedAndReservedFieldsAreRefused(line: String) {
        let error = #expect(throws: CommandError.self) { try RequestFields.field(line) }
        #expect(error?.message.contains("secret") == false, "A value must not be repeated.")
    }

    @Test(arguments: [
        "Authorization: Basic x", "Cookie: a=b", "X-Api-Key: k", "X-Auth-Token: t", "X-Auth: t", "x-preauth: t",
    ])
    func secretsAreNotTakenFromArguments(line: String) throws {
        let error = #expect(throws: CommandError.self) { try RequestFields.argument(line) }
        #expect(error?.message.contains("--header-file") == true)
        #expect(try RequestFields.field(line).value.isEmpty == false)
    }

    @Test func aFileHasAFieldALine() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "signet-fields-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let path = file.path(percentEncoded: false)
        try Data("X-Api-Key: k\n\nX-Other: o\r\n".utf8).write(to: file)
        #expect(try RequestFields.file(path).map(\.value) == ["k", "o"])
        try Data("X-Api-Key: k\nnonsense\n".utf8).write(to: file)
        let error = #expect(throws: CommandError.self) { try RequestFields.file(path) }
        #expect(error?.message.contains("line 2") == true)
        #expect(error?.message.contains("nonsense") == false)
        #expect(throws: CommandError.self) { try RequestFields.file("/nonexistent/fields") }
    }
}
