import Foundation
import SignetDynamic
import SignetWSDL
import Testing

@testable import SignetMock

@Suite struct RecordingTests {
    private func withFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-recording-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await body(folder)
    }

    private func envelope(_ body: String, header: String = "") -> String {
        "<?xml version=\"1.0\"?><s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\" xmlns:t=\"urn:t\" xmlns:a=\"http://www.w3.org/2005/08/addressing\">\(header)<s:Body>\(body)</s:Body></s:Envelope>"
    }

    private func exchange(_ request: String, _ answer: String, status: Int = 200) -> RecordedExchange {
        RecordedExchange(
            action: "urn:find", request: RecordedContent.redacted(Array(request.utf8), contentType: "text/xml").content,
            status: status, answer: RecordedContent.redacted(Array(answer.utf8), contentType: "text/xml").content)
    }

    private func find(_ id: Int, password: String? = nil, header: String = "") -> String {
        envelope(
            "<t:Find><t:id>\(id)</t:id>\(password.map { "<t:password>\($0)</t:password>" } ?? "")</t:Find>",
            header: header)
    }

    private func found(_ text: String) -> String {
        envelope("<t:FindResponse><t:entry><t:id>1</t:id><t:text>\(text)</t:text></t:entry></t:FindResponse>")
    }

    @Test func aRecordingIsReadAsItWasWritten() async throws {
        try await withFolder { folder in
            let recording = try Recording(adding: folder)
            let exchanges = (1...3).map { exchange(find($0), found("text \($0)"), status: 199 + $0) }
            for (number, exchange) in exchanges.enumerated() {
                #expect(try recording.add(exchange) == "000\(number + 1)")
            }
            // A second recorder goes on behind it.
            #expect(
                try Recording(adding: folder).add(
                    RecordedExchange(
                        action: nil, request: .init(contentType: nil, bytes: []), status: 202,
                        answer: .init(contentType: nil, bytes: []))) == "0004")
            let read = try Recording.exchanges(in: folder)
            #expect(read.map(\.name) == ["0001", "0002", "0003", "0004"])
            #expect(Array(read.map(\.exchange).prefix(3)) == exchanges)
            #expect(read[3].exchange.status == 202 && read[3].exchange.answer.bytes.isEmpty)
            let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/0001-request.xml")[.posixPermissions]
            #expect(mode as? Int == 0o600)
        }
    }

    @Test func anInterruptedRecordingGoesOn() async throws {
        try await withFolder { folder in
            _ = try Recording(adding: folder).add(exchange(find(1), found("first")))
            // The recorder ended before it wrote 0002.json.
            try Data("<a/>".utf8).write(to: URL(filePath: "\(folder)/0002-request.xml"))
            for name in ["9223372036854775807.json", "package.json", "0003.json~"] {
                try Data("{}".utf8).write(to: URL(filePath: "\(folder)/\(name)"))
            }
            #expect(try Recording(adding: folder).add(exchange(find(2), found("second"))) == "0003")
            #expect(try Recording.exchanges(in: folder).map(\.name) == ["0001", "0003"])
        }
    }

    @Test func whatCannotBeReadIsNotWritten() async throws {
        try await withFolder { folder in
            let recording = try Recording(adding: folder)
            for status in [0, 199, 600] {
                #expect(throws: MockError.self) { try recording.add(exchange(find(1), found("x"), status: status)) }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        }
    }

    @Test func anOperationWithASecretNameKeepsItsElements() {
        let cases = [
            ("<ChangePassword><user>anna</user><password>geheim</password></ChangePassword>", ["anna"]),
            ("<ChangePassword>geheim</ChangePassword>", []), ("<GetToken>\n <x>geheim</x>geheim</GetToken>", []),
            ("<GetToken><x>1</x><![CDATA[geheim]]></GetToken>", []), ("<GetToken><!-- --><x/>geheim</GetToken>", []),
            (
                "<GetTokenResponse><GetTokenResult>geheim</GetTokenResult><days>3</days></GetTokenResponse>",
                ["<days>3<"]
            ),
            ("<Ask><Token><x>geheim</x></Token></Ask>", ["<Ask>"]),
        ]
        for (body, kept) in cases {
            let content = RecordedContent.redacted(
                Array("<s:Envelope xmlns:s=\"u\"><s:Body>\(body)</s:Body></s:Envelope>".utf8), contentType: "text/xml"
            ).content
            let text = String(decoding: content.bytes, as: UTF8.self)
            #expect(!text.contains("geheim"), "\(text)")
            for word in kept { #expect(text.contains(word), "\(text)") }
        }
    }

    @Test func secretsAreFoundHoweverTheyAreWritten() {
        let cases = [
            "<item name=\"pass&#119;ord\">geheim</item>", "<item Key='pin'>geheim</item>",
            "<a><![CDATA[x]]><pin><![CDATA[geheim]]></pin></a>",
            "<a><password href=\"#i\"/><multiRef id=\"i\">geheim</multiRef></a>",
            "<a><multiRef id=\"i\"><b>geheim</b></multiRef><password href=\"#i\"/></a>", "<a sessionToken='geheim'/>",
        ]
        for text in cases {
            let content = RecordedContent.redacted(Array(text.utf8), contentType: "text/xml").content
            #expect(!String(decoding: content.bytes, as: UTF8.self).contains("geheim"), "\(text)")
        }
        let kept = RecordedContent.redacted(
            Array("<a><password href=\"#i\"/><multiRef id=\"i\">geheim</multiRef></a>".utf8), contentType: "text/xml")
        #expect(String(decoding: kept.content.bytes, as: UTF8.self).contains("href=\"#i\""))
    }

    @Test func namesOfSecretsAreKeptWithTheRecording() async throws {
        try await withFolder { folder in
            var recorded = exchange(find(1), found("x"))
            recorded.secretNames = ["patient", "case number"]
            _ = try Recording(adding: folder).add(recorded)
            #expect(try Recording.exchanges(in: folder).first?.exchange == recorded)
        }
    }

    @Test func servicesWithTheSameOperationsShareARecording() async throws {
        let services = try MockedService.all(
            try TestService.definitions(
                services: "<service name=\"S\">\(TestService.port("A", at: "http://a/x"))</service>"
                    + "<service name=\"T\">\(TestService.port("A", at: "http://a/y"))</service>"))
        let answers = try await RecordedAnswers([("0001", exchange(find(1), found("both")))], for: services)
        for number in 0..<2 { #expect(text(answers.take(for: request(1), .soap11, in: number)).contains("both")) }
    }

    @Test func aByteOrderMarkIsNoReasonToLeaveAMessageOut() {
        for start in ["\u{FEFF}", "\n ", ""] {
            let bytes = Array("\(start)<a>b</a>".utf8)
            let (content, defect) = RecordedContent.redacted(bytes, contentType: "text/xml")
            #expect(content.bytes == bytes && defect == nil)
        }
    }

    @Test func noSecretIsInARecording() async throws {
        try await withFolder { folder in
            let recording = try Recording(adding: folder)
            _ = try recording.add(exchange(find(1, password: "geheim"), envelope("<t:token>geheim</t:token>")))
            for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
                #expect(!text.contains("geheim"), "\(file)")
            }
        }
    }

    @Test(arguments: [
        ("<a>ä</a>", "text/xml; charset=utf-8", "<a>ä</a>", "text/xml; charset=utf-8"),
        ("<a/>", "application/soap+xml; action=\"x\"", "<a/>", "application/soap+xml; action=\"x\""),
    ])
    func aMessageWithoutSecretsStaysAsItIs(text: String, type: String, kept: String, keptType: String) {
        let (content, defect) = RecordedContent.redacted(Array(text.utf8), contentType: type)
        #expect(content == RecordedContent(contentType: keptType, bytes: Array(kept.utf8)) && defect == nil)
    }

    @Test func anotherEncodingBecomesUTF8() {
        let latin: [UInt8] =
            Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>".utf8) + [0xE4] + Array("</a>".utf8)
        for type in ["text/xml", "text/xml; charset=iso-8859-1"] {
            let (content, defect) = RecordedContent.redacted(latin, contentType: type)
            #expect(content.contentType == "text/xml; charset=utf-8" && defect == nil)
            #expect(String(decoding: content.bytes, as: UTF8.self) == "<a>ä</a>")
        }
    }

    @Test func whatIsNoXMLIsLeftOut() {
        for text in ["password=geheim", "<html><p>geheim<br></html>", "{\"token\": \"geheim\"}"] {
            let (content, defect) = RecordedContent.redacted(Array(text.utf8), contentType: "text/html")
            #expect(defect != nil && content.contentType == "text/plain; charset=utf-8")
            #expect(!String(decoding: content.bytes, as: UTF8.self).contains("geheim"))
        }
    }

    @Test(arguments: [
        ("{}", "“request” and “answer” are expected"), ("{", "line 1"),
        (#"{"request": {}, "answer": {"status": 99}}"#, "from 200 to 599"),
        (#"{"request": {"file": "../x"}, "answer": {"status": 200}}"#, "the name of a file in the folder"),
        (#"{"request": {"file": "/etc/passwd"}, "answer": {"status": 200}}"#, "the name of a file in the folder"),
        (#"{"request": {"file": "nothing"}, "answer": {"status": 200}}"#, "“nothing” cannot be read"),
    ])
    func aDamagedRecordingIsRefused(json: String, why: String) async throws {
        try await withFolder { folder in
            _ = try Recording(adding: folder)
            try Data(json.utf8).write(to: URL(filePath: "\(folder)/0001.json"))
            let error = #expect(throws: MockError.self) { _ = try Recording.exchanges(in: folder) }
            #expect(error?.description.contains(why) == true, "\(error?.description ?? "")")
            #expect(error?.description.contains("0001.json") == true)
        }
    }

    @Test func linksAndPipesAreNotRead() async throws {
        for isLink in [true, false] {
            try await withFolder { folder in
                _ = try Recording(adding: folder).add(exchange(find(1), found("x")))
                let answer = "\(folder)/0001-answer.xml"
                try FileManager.default.removeItem(atPath: answer)
                if isLink {
                    try FileManager.default.createSymbolicLink(atPath: answer, withDestinationPath: "/etc/hostname")
                } else {
                    #expect(mkfifo(answer, 0o600) == 0)
                }
                let error = #expect(throws: MockError.self) { _ = try Recording.exchanges(in: folder) }
                #expect(error?.description.contains("“0001-answer.xml” cannot be read") == true)
            }
        }
    }

    @Test func anEmptyFolderIsNoRecording() async throws {
        try await withFolder { folder in
            #expect(throws: MockError.self) { _ = try Recording.exchanges(in: folder) }
            _ = try Recording(adding: folder)
            #expect(throws: MockError.self) { _ = try Recording.exchanges(in: folder) }
        }
    }

    @Test func aRecordingOfAnotherServiceIsRefused() async throws {
        let services = try MockedService.all(try TestService.definitions())
        let error = await #expect(throws: MockError.self) {
            _ = try await RecordedAnswers([("0001", exchange(envelope("<t:Unknown/>"), found("x")))], for: services)
        }
        #expect(error?.description.contains("0001: ") == true, "\(error?.description ?? "")")
    }

    private func request(_ id: Int, password: String? = nil, messageID: String? = nil) -> DynamicRequest {
        let input: [DynamicValue.Member] =
            [.init("id", .number("\(id)"))] + (password.map { [.init("password", .string($0))] } ?? [])
        return DynamicRequest(
            operation: "Find", input: .object(input),
            headers: messageID.map { ["MessageID": .string($0)] } ?? .object([]), deviations: [])
    }

    private func text(_ found: (name: String, status: Int, answer: RecordedContent)?) -> String {
        let answer = found?.answer
        return String(decoding: answer?.bytes ?? [], as: UTF8.self)
    }

    @Test func aRequestIsKnownByOperationAndInput() async throws {
        let services = try MockedService.all(try TestService.definitions())
        let header = "<s:Header><a:MessageID>1</a:MessageID></s:Header>"
        let exchanges = [
            exchange(find(1), found("first")), exchange(find(1), found("second")),
            exchange(find(2, password: "geheim"), found("with password")),
            exchange(
                find(3, header: header),
                envelope(
                    "<t:FindResponse><t:entry><t:id>1</t:id></t:entry></t:FindResponse>",
                    header: "<s:Header><a:RelatesTo>1</a:RelatesTo></s:Header>")
            ),
            exchange(envelope("<t:Unknown/>"), found("never")),
        ]
        let answers = try await RecordedAnswers(
            exchanges.enumerated().map { ("\($0.offset + 1)", $0.element) }, for: services)
        #expect(answers.problems.count == 1)
        #expect(answers.problems.first?.hasPrefix("5: ") == true && answers.problems.first?.contains("Unknown") == true)
        for text in ["first", "second", "second"] {
            #expect(self.text(answers.take(for: request(1), .soap11, in: 0)).contains(">\(text)<"))
        }
        // A secret may be another one.
        #expect(text(answers.take(for: request(2, password: "other"), .soap11, in: 0)).contains("with password"))
        #expect(answers.take(for: request(2), .soap11, in: 0) == nil)
        #expect(answers.take(for: request(4), .soap11, in: 0) == nil)
        #expect(answers.take(for: request(1), .soap12, in: 0) == nil)
        let related = answers.take(for: request(3, messageID: "urn:uuid:2<"), .soap11, in: 0)
        #expect(text(related).contains("<a:RelatesTo>urn:uuid:2&lt;</a:RelatesTo>"))
        #expect(text(related).contains("<?xml version=\"1.0\"?>") && text(related).contains("<t:id>1<"))
    }
}
