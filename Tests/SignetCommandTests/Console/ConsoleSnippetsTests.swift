#if CommandLine
import Foundation
import SignetDynamic
import SignetWSDL
import Testing

@testable import SignetCommand

@Suite struct ConsoleSnippetsTests {
    private func command(
        _ arguments: [String], chosen: (identity: [String]?, credentials: [String]?) = (nil, nil),
        endpoint: String? = nil,
        headers: DynamicValue = .object([])
    ) throws -> String {
        let definitions = try WSDLLoader.load(file: Program.wsdl)
        let service = try ConsoleService(definitions, file: "a b.wsdl", service: nil, port: nil)
        return ConsoleSnippets.command(
            arguments, wsdl: "a b.wsdl", port: try #require(service.ports.first), operation: "LogEntryDelete",
            endpoint: endpoint, chosen: chosen, input: ["id": 12], headers: headers)
    }

    @Test func theCommandHasTheOptionsOfTheConsole() throws {
        let text = try command([
            "--listen", "127.0.0.1:0", "a b.wsdl", "--import=p.xml", "--ca", "authority.pem", "--identity", "it's.p12",
            "--user", "app", "--password-file", "p",
        ])
        #expect(
            text == """
                signet call 'a b.wsdl' LogEntryDelete --service WebEase --port-name WebEasePort --ca authority.pem \
                --identity 'it'\\''s.p12' --user app --password-file p --json - <<'JSON'
                {
                  "id": 12
                }
                JSON
                """)
    }

    /// A combining mark after an apostrophe makes another character of both, but not for a shell.
    @Test(arguments: ["'", "'\u{301}", "a'\u{200D}b", "'\u{FE0F};touch /tmp/x;'\u{301}", "", "$HOME `id`\n"])
    func aShellReadsOneWord(word: String) async throws {
        let program = try Program()
        defer { program.removeFiles() }
        let outcome = try await program.run(
            "/bin/sh", ["-c", "printf %s \(ConsoleSnippets.quoted(word)) | od -An -tx1 -v"])
        let bytes = outcome.output.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) }
        #expect(bytes == Array(word.utf8), "\(outcome)")
    }

    @Test func optionsAboutWhatIsNotChosenAreLeftOut() throws {
        let text = try command(
            [
                "--", "a b.wsdl", "--identity", "a", "--identity-late", "--user", "u", "--auth", "digest",
                "--allow-plaintext", "--store=s",
            ],
            chosen: ([], ["--user", "v"]))
        #expect(
            text.hasPrefix(
                "signet call 'a b.wsdl' LogEntryDelete --service WebEase --port-name WebEasePort --user v --json -"))
    }

    @Test func whatWasChosenTakesThePlaceOfOptions() throws {
        let text = try command(
            ["a b.wsdl", "--identity", "old.p12", "--identity-password-file", "x", "--user", "app", "--netrc"],
            chosen: (["--identity", "/new.p12"], []), endpoint: "https://test.example/", headers: ["h": 1])
        #expect(
            text.hasPrefix(
                "# Header blocks: put them into headers.json:\n#   {\n#     \"h\": 1\n#   }\nsignet call 'a b.wsdl' LogEntryDelete --service WebEase "
                    + "--port-name WebEasePort --endpoint https://test.example/ --identity /new.p12 --header-blocks headers.json --json - <<'JSON'\n"
            ), "\(text)")
    }
}
#endif
