import Foundation
import Testing

@testable import SignetCommand

@Suite struct SecretSourceTests {
    private func source(file: String? = nil, variable: String? = nil) -> SecretSource {
        SecretSource(
            purpose: "the password of x", options: "--password-file", file: file, environmentVariable: variable)
    }

    /// What is read from a file with this content.
    private func read(_ content: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "signet-secret-\(UUID().uuidString)")
        try Data(content.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try source(file: file.path(percentEncoded: false)).read { _ in
            Issue.record("No person may be asked.")
            return ""
        }
    }

    @Test(arguments: [
        ("secret", "secret"), ("secret\n", "secret"), ("secret\r\n", "secret"), (" s p \n", " s p "), ("", ""),
        ("\n", ""), ("Grüße😀", "Grüße😀"),
    ])
    func aFileHoldsOneLine(content: String, password: String) throws { #expect(try read(content) == password) }

    /// As the editors and the shell of Windows write it.
    @Test func filesOfWindowsAreRead() throws {
        let little: @Sendable (String) -> [UInt8] = { $0.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }
        let files: [[UInt8]] = [
            [0xEF, 0xBB, 0xBF] + Array("Grüße\r\n".utf8), [0xFF, 0xFE] + little("Grüße\r\n"), little("secret\r\n"),
        ]
        for bytes in files {
            let file = FileManager.default.temporaryDirectory.appending(path: "signet-secret-\(UUID().uuidString)")
            try Data(bytes).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let password = try source(file: file.path(percentEncoded: false)).read { _ in "" }
            #expect(password == (bytes.contains(0x74) ? "secret" : "Grüße"))
        }
    }

    @Test func unsuitableFilesAreRefusedWithoutShowingTheirContent() {
        for content in ["first\nsecond", "first\n\n", String(repeating: "first", count: 20_000)] {
            let error = #expect(throws: CommandError.self) { try read(content) }
            #expect(error?.message.contains("first") == false)
        }
        #expect(throws: CommandError.self) { try source(file: "/nonexistent/password").read() }
    }

    #if os(Linux)
    /// What cannot be read is no empty password, although its size is said to be zero.
    @Test(arguments: ["/proc/self/task", "/proc/self/mem"]) func unreadableFilesAreRefused(path: String) {
        #expect(throws: CommandError.self) { try source(file: path).read() }
    }
    #endif

    @Test func theEnvironmentIsAskedBeforeAPerson() throws {
        let password = try source(variable: "P").read(environment: ["P": "from there"]) { _ in "typed" }
        #expect(password == "from there")
        #expect(throws: CommandError.self) { try source(variable: "Q").read(environment: ["P": ""]) { _ in "typed" } }
    }

    @Test func aPersonIsAskedLast() throws {
        #expect(try source().read(environment: [:]) { "\($0)!" } == "the password of x!")
        let error = #expect(throws: CommandError.self) {
            try source().read(environment: [:]) { _ throws(CommandError) in throw CommandError("No terminal.") }
        }
        #expect(error?.message == "No terminal. Give it with --password-file.")
    }
}
