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
