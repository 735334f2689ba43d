import Foundation
import SignetDynamic
import Synchronization
import Testing

extension ProgramTests {
    /// `signet console` without a browser: what its page asks it, by curl.
    @Suite struct ConsoleProgramTests {
        private struct Console {
            let address: String
            let shell: Program

            /// - Returns: the status, and the answer.
            func ask(_ path: String, _ body: DynamicValue? = nil, _ options: [String] = []) async throws -> (
                status: String, answer: DynamicValue
            ) {
                var arguments = ["curl", "-sS", "-w", "\n%{http_code}", "\(address)api/\(path)"] + options
                if let body {
                    let file = try shell.write(body.json(), to: "\(UUID().uuidString).json")
                    arguments += ["-H", "Content-Type: application/json", "--data-binary", "@\(file)"]
                }
                let outcome = try await shell.run("/usr/bin/env", arguments)
                let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
                return (
                    String(lines.last ?? ""),
                    (try? DynamicValue(json: lines.dropLast().joined(separator: "\n"))) ?? .null
                )
            }
        }

        private func with(
            _ options: [String], _ body: @escaping @Sendable (Console) async throws -> Void
        ) async throws -> Program.Outcome {
            let (program, shell) = (try Program(), try Program())
            defer {
                program.removeFiles()
                shell.removeFiles()
            }
            let log = try program.write("", to: "address")
            let arguments = ["-c", "exec \"$0\" \"$@\" >\(log)", try Program.path(), "console"] + options
            return try await program.run("/bin/sh", arguments) { process in
                defer { kill(process, SIGTERM) }
                while true {
                    let text = try String(contentsOfFile: log, encoding: .utf8)
                    if let match = text.firstMatch(
                        of: #/Open (http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/) in a browser/#)
                    {
                        return try await body(Console(address: String(match.1), shell: shell))
                    }
                    guard kill(process, 0) == 0 else { return }
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
        }

        @Test func aPageAsksForEverything() async throws {
            let outcome = try await with([Program.wsdl]) { console in
                let service = try await console.ask("service").answer
                #expect(service["file"] == "WebEase.wsdl")
                let names = (0..<5).compactMap { service["ports"]?[0]?["operations"]?[$0]?["name"]?.text }
                #expect(names.contains("LogEntryQuery") && names.count == 5)
                #expect(service["chosen"] == ["identity": "none", "credentials": "none"])
                for name in names {
                    let operation = try await console.ask("operation?port=0&name=\(name)").answer
                    let sample = try #require(operation["sample"])
                    let request: DynamicValue = ["port": "0", "operation": .string(name), "value": sample]
                    let preview = try await console.ask("preview", request).answer
                    let xml = try #require(preview["xml"])
                    #expect(preview["command"]?.text?.contains("signet call") == true)
                    // The message is read back into the same value.
                    let read = try await console.ask("read", ["port": "0", "xml": xml]).answer
                    #expect(
                        read["operation"]?.text == name && read["value"] == sample && read["problems"] == .array([]))
                }
            }
            #expect(outcome.status == 0 || outcome.status == 15, "\(outcome)")
        }

        @Test func whatIsWrongIsSaid() async throws {
            let files = try Program()
            defer { files.removeFiles() }
            let pipe = files.folder.appending(path: "pipe").path(percentEncoded: false)
            #expect(mkfifo(pipe, 0o600) == 0)
            _ = try await with([Program.wsdl, "--endpoint", "http://127.0.0.1:9/"]) { console in
                let query: DynamicValue = ["port": "0", "operation": "LogEntryQuery"]
                let cases: [(String, DynamicValue?, String)] = [
                    ("operation?port=0&name=Nothing", nil, "there is no operation ‘Nothing’"),
                    ("operation?port=7&name=LogEntryQuery", nil, "There is no such port."),
                    ("preview", ["port": "0", "operation": "LogEntryQuery", "value": ["patient": 1]], "patient"),
                    ("read", ["port": "0", "xml": "<a/>"], "the message cannot be read"),
                    ("read", ["port": "0", "xml": "no markup"], "the message cannot be read"),
                    ("identity", ["path": "/nowhere/device.p12"], "/nowhere/device.p12"),
                    ("identity", .object([]), "Name the file of the identity"),
                    ("credentials", ["kind": "account", "user": "a:b", "password": "x"], "no colon"),
                    ("credentials", ["kind": "bearer", "token": ""], "The token is empty"),
                    ("import", ["name": "a.json", "content": "e30="], "a.json"),
                    ("import", ["name": "a.json", "content": "{}"], "base64"),
                    ("identity", ["path": .string(pipe)], "is no file"),
                    ("identity", ["path": "device.p12"], "whole path"),
                    ("call", query.with("endpoint", "ftp://x"), "ftp://x"),
                    ("call", query.with("identity", "17"), "Load the page again"),
                ]
                for (path, body, text) in cases {
                    let (status, answer) = try await console.ask(path, body)
                    #expect(
                        status == "422" && answer["error"]?.text?.contains(text) == true, "\(path): \(answer.json())")
                }
                #expect(try await console.ask("nothing").status == "404")
                #expect(try await console.ask("call").status == "404")
                // A call that comes to nothing is an entry of the history.
                let entry = try await console.ask("call", query.with("value", ["patientId": "P"])).answer
                #expect(entry["outcome"] == "failed")
                #expect(entry["failure"]?["lines"]?[0]?.text?.contains("refuses connections on port 9") == true)
                #expect(try await console.ask("history").answer["entries"]?[0]?["id"] == entry["id"])
                #expect(try await console.ask("history/clear", .object([])).status == "200")
                #expect(try await console.ask("history").answer["entries"] == .array([]))
            }
        }

        @Test func requestsOfACollectionAreNotChosenByThemselves() async throws {
            let project = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../SignetCollectionsTests/Files/WebEase-soapui-project.xml").standardized
            _ = try await with([Program.wsdl, "--import", project.path(percentEncoded: false)]) { console in
                let service = try await console.ask("service").answer
                #expect(service["identities"]?[1] != nil && service["chosen"]?["identity"] == "none")
                let collection = try #require(service["collections"]?[0])
                #expect(collection["kind"] == "SoapUI" && collection["requests"]?[0]?["operation"] == "LogEntryQuery")
                // The same file brings nothing new.
                let again: DynamicValue = [
                    "name": "again.xml", "content": .string(try Data(contentsOf: project).base64EncodedString()),
                ]
                #expect(try await console.ask("import", again).status == "200")
                let after = try await console.ask("service").answer
                #expect(after["collections"]?[1] != nil && after["credentials"] == service["credentials"])
            }
        }

        @Test func aMessageIsReadWhateverItsDeclarationSays() async throws {
            _ = try await with([Program.wsdl]) { console in
                let xml = """
                    <?xml version="1.0" encoding="ISO-8859-1"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Header>
                    <x xmlns="urn:x" s:mustUnderstand="1"/></s:Header><s:Body><LogEntryQuery xmlns="urn:signet:example:webease:types">
                    <patientId>Jürgen</patientId></LogEntryQuery></s:Body></s:Envelope>
                    """
                let read = try await console.ask("read", ["port": "0", "xml": .string(xml)]).answer
                #expect(read["value"]?["patientId"] == "Jürgen", "\(read.json())")
            }
        }

        @Test func aSignalEndsACallThatRuns() async throws {
            // The other side of the connection is silent.
            let silent = try Program()
            defer { silent.removeFiles() }
            let port = try silent.write("", to: "port")
            let server = """
                import socket, sys, time
                s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
                open(sys.argv[1], "w").write(str(s.getsockname()[1])); time.sleep(60)
                """
            _ = try await silent.run("/usr/bin/python3", ["-c", server, port]) { peer in
                defer { kill(peer, SIGKILL) }
                var number = ""
                while number.isEmpty {
                    try await Task.sleep(for: .milliseconds(20))
                    number = try String(contentsOfFile: port, encoding: .utf8)
                }
                let clock = ContinuousClock()
                let end = Mutex(clock.now)
                let call = Mutex<Task<String, any Error>?>(nil)
                let outcome = try await with([Program.wsdl, "--endpoint", "http://127.0.0.1:\(number)/"]) { console in
                    let request: DynamicValue = [
                        "port": "0", "operation": "LogEntryQuery", "value": ["patientId": "P"],
                    ]
                    // It goes on when this closure returns, and the signal comes.
                    let asked = Task { try await console.ask("call", request).status }
                    call.withLock { $0 = asked }
                    try await Task.sleep(for: .milliseconds(500))
                    end.withLock { $0 = clock.now }
                }
                _ = try await call.withLock { $0 }?.value
                let waited = end.withLock { $0.duration(to: clock.now) }
                #expect(outcome.status == 0, "\(outcome)")
                // The call itself has 30 seconds.
                #expect(waited < .seconds(15), "\(waited)")
            }
        }

        @Test func othersGetNothing() async throws {
            _ = try await with([Program.wsdl]) { console in
                let body: DynamicValue = .object([])
                for (options, expected) in [
                    (["-H", "Host: evil.example"], "421"), (["-H", "Origin: http://evil.example"], "403"),
                    (["-H", "Sec-Fetch-Site: cross-site"], "403"),
                ] {
                    #expect(try await console.ask("service", nil, options).status == expected)
                    #expect(try await console.ask("call", body, options).status == expected)
                }
                let other = Console(address: String(console.address.dropLast(2)) + "x/", shell: console.shell)
                #expect(try await other.ask("service").status == "404")
                #expect(try await console.ask("service", nil, ["-X", "DELETE"]).status == "405")
                let page = try await console.shell.run("/usr/bin/env", ["curl", "-sSi", console.address])
                #expect(page.output.contains("default-src 'none'") && page.output.contains("no-store"))
                #expect(page.output.contains("Referrer-Policy: no-referrer"))
            }
        }

        @Test func wrongUsageIsSaid() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let project = try program.write("{", to: "project.json")
            for (status, options, text) in [
                (2, ["--listen", "0.0.0.0:80"], "serves this machine only"),
                (2, ["--listen", "example.org:80"], "serves this machine only"), (2, ["--soap", "1.2"], "--port-name"),
                (2, ["--header-blocks", "a"], "the page has a form"), (1, ["--import", project], "project.json"),
                (1, ["--import", "/nowhere"], "/nowhere"), (1, ["--service", "Other"], "WebEasePort of WebEase"),
                (1, ["--endpoint", "http://localhost/", "--ca", "a.pem"], "--ca is about TLS"),
                (2, ["--wss-user", "a"], "--wss-password-file"),
            ] as [(Int32, [String], String)] {
                let outcome = try await program.run(Program.path(), ["console", Program.wsdl] + options)
                #expect(outcome.status == status && outcome.error.contains(text), "\(options): \(outcome)")
            }
        }
    }
}

extension DynamicValue {
    fileprivate func with(_ name: String, _ value: DynamicValue) -> DynamicValue {
        guard case .object(let members) = self else { return self }
        return .object(members + [Member(name, value)])
    }
}
