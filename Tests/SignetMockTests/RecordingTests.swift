import Foundation
import SignetDynamic
import SignetSOAP
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
            let (content, defect, _) = RecordedContent.redacted(bytes, contentType: "text/xml")
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
        let (content, defect, _) = RecordedContent.redacted(Array(text.utf8), contentType: type)
        #expect(content == RecordedContent(contentType: keptType, bytes: Array(kept.utf8)) && defect == nil)
    }

    @Test func anotherEncodingBecomesUTF8() {
        let latin: [UInt8] =
            Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>".utf8) + [0xE4] + Array("</a>".utf8)
        for type in ["text/xml", "text/xml; charset=iso-8859-1"] {
            let (content, defect, _) = RecordedContent.redacted(latin, contentType: type)
            #expect(content.contentType == "text/xml; charset=utf-8" && defect == nil)
            #expect(String(decoding: content.bytes, as: UTF8.self) == "<a>ä</a>")
        }
    }

    @Test func whatIsNoXMLIsLeftOut() {
        for text in ["password=geheim", "<html><p>geheim<br></html>", "{\"token\": \"geheim\"}"] {
            let (content, defect, _) = RecordedContent.redacted(Array(text.utf8), contentType: "text/html")
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

    // MARK: Attachments

    /// A message whose envelope names its parts.
    private func message(
        _ envelope: String, _ parts: [MessageAttachment], _ packaging: MultipartMessage.Packaging = .xop
    ) throws -> (content: RecordedContent, defect: (any Error)?, remark: String?) {
        let message = try MultipartMessage(
            envelope: Array(envelope.utf8), packaging: packaging, version: .soap11, attachments: parts)
        return RecordedContent.redacted(try #require(message.body.bytes), contentType: message.contentType)
    }

    private func included(_ id: String) -> String {
        "<x:Include xmlns:x=\"http://www.w3.org/2004/08/xop/include\" href=\"cid:\(id)\"/>"
    }

    @Test(arguments: [MultipartMessage.Packaging.xop, .attachments])
    func attachmentsAreReadAsTheyWereWritten(packaging: MultipartMessage.Packaging) async throws {
        try await withFolder { folder in
            let parts = [
                MessageAttachment(
                    [0, 255, 13, 10], contentType: "image/png", contentID: "a@b", contentLocation: "urn:a",
                    fileName: "Gr\u{FC}\u{DF}e.png"),
                MessageAttachment([], contentType: "text/plain; charset=utf-8", contentID: "c@d"),
            ]
            let (content, defect, remark) = try message(envelope("<t:a>\(included("a@b"))</t:a>"), parts, packaging)
            #expect(defect == nil && remark == nil)
            #expect(content.parts == .init(packaging: packaging, attachments: parts))
            let recorded = RecordedExchange(action: nil, request: content, status: 200, answer: content)
            let name = try Recording(adding: folder).add(recorded)
            #expect(try Recording.exchanges(in: folder).first?.exchange == recorded)
            let attachment = "\(folder)/\(name)-answer-attachment1"
            let mode = try FileManager.default.attributesOfItem(atPath: attachment)[.posixPermissions]
            #expect(mode as? Int == 0o600)
            let sent = try content.sent()
            let type = try #require(sent.contentType)
            let received = try ReceivedMessage(sent.bytes, contentType: type)
            #expect(received.root == content.bytes && received.attachments == parts)
            #expect(received.isXOP == (packaging == .xop))
        }
    }

    private func part(_ id: String, _ text: String, _ type: String = "application/pdf", at location: String? = nil)
        -> MessageAttachment
    { MessageAttachment(Array(text.utf8), contentType: type, contentID: id, contentLocation: location) }

    @Test(arguments: [
        "<t:password>INCLUDE</t:password>", "<t:password>cid:one%25@x</t:password>",
        "<t:token>\n one%@x </t:token>", "<t:token>&lt;one&#37;@x></t:token>",
        "<t:token>cid:one%25<!-- -->@x</t:token>", "<t:token>cid:one%25<![CDATA[@x]]></t:token>",
        "<t:tokens>cid:two@x cid:one%25@x</t:tokens>", "<t:token href=\"cid:one%25@x\"/>",
        "<t:a><t:credentials><t:user href=\"#p\"/></t:credentials><m id=\"p\" href=\"cid:one%25@x\"/></t:a>",
        "<t:token href=\"http://svc.example/a/one.bin?x=1\"/>", "<t:token>one.bin</t:token>",
        "<t:a><t:password>INCLUDE</t:password><r:Reference xmlns:r=\"urn:r\" URI=\"cid:one%25@x\"/></t:a>",
    ])
    func aPartThatASecretElementNamesIsLeftOut(body: String) throws {
        let body = body.replacing("INCLUDE", with: included("one%25@x"))
        let parts = [part("one%@x", "geheim", at: "http://svc.example/b/one.bin"), part("other@x", "open")]
        let (content, defect, remark) = try message(envelope("<t:Find>\(body)</t:Find>"), parts)
        #expect(defect == nil && remark?.contains("1 of 2") == true)
        #expect(content.parts?.attachments == [parts[1]])
    }

    @Test func aPartInXMLNamesOthers() throws {
        let parts = [
            part("one@x", "geheim"),
            part("doc@x", "<a><pin>\(included("one@x"))</pin><b>open</b></a>", "application/octet-stream"),
        ]
        let content = try message(envelope("<t:Find/>"), parts).content
        let kept = try #require(content.parts?.attachments)
        #expect(try kept.map { try $0.bytes() } == [Array("<a><pin>[redacted]</pin><b>open</b></a>".utf8)])
    }

    @Test(arguments: [
        "text/xml", "text/xml; charset=utf-8; charset=iso-8859-1", "text/xml; charset=utf-8 name=a.xml",
        "text/plain", "application/octet-stream", "text/x-xml", "application/xhtml+xml", "application/pdf",
    ])
    func secretsInXMLAreFoundWhateverItsType(type: String) throws {
        for text in ["<a><password>geheim</password></a>", "\u{FEFF}\n<a><password>geheim</password></a>"] {
            // MultipartMessage writes no types that cannot be read.
            let envelope = envelope("<t:Find/>")
            let raw = """
                --b\r\nContent-Type: text/xml; charset=utf-8\r\n\r\n\(envelope)\r
                --b\r\nContent-Type: \(type)\r\nContent-ID: <one@x>\r\n\r\n\(text)\r
                --b--\r\n
                """
            let (content, defect, _) = RecordedContent.redacted(
                Array(raw.utf8), contentType: "multipart/related; boundary=b; type=\"text/xml\"")
            #expect(defect == nil)
            for part in content.parts?.attachments ?? [] {
                #expect(!String(decoding: try part.bytes(), as: UTF8.self).contains("geheim"))
            }
        }
    }

    @Test func partsThatCannotBeSearchedOrHaveSecretNamesAreLeftOut() throws {
        var named = part("five@x", "geheim")
        named.fileName = "passwords.txt"
        let parts = [
            part("one@x", "<a>geheim<br></a>", "text/html"), part("two@x", "--c\r\n", "multipart/related; boundary=c"),
            part("three@x", "geheim", "application/x-pkcs12"), part("token=four@x", "geheim"), named,
            part("six@x", "beside", "application/pdf; token=geheim", at: "https://svc.example/x?key=geheim"),
        ]
        let (content, _, remark) = try message(envelope("<t:Find/>"), parts)
        #expect(remark?.contains("5 of 6") == true)
        let kept = try #require(content.parts?.attachments.first)
        #expect(kept.contentType == "application/pdf" && kept.contentLocation == "https://svc.example/x?key=%E2%80%A6")
        #expect(content.parts?.attachments.count == 1)
    }

    @Test func fieldsThatCannotBeSentAreChanged() throws {
        let raw = """
            --b\r\nContent-Type: text/xml; charset=iso-8859-1\r\n\r\n\(envelope("<t:Find>AE</t:Find>"))\r
            --b\r\nContent-Type: application/pdf; name="März.pdf"\r\nContent-ID: <one@x>\r
            Content-Location: my file.pdf\r\n\r\nopen\r
            --b--\r\n
            """
        // The envelope is not in UTF-8.
        let bytes = Array(raw.utf8).split(separator: Array("AE".utf8), maxSplits: 1)
        let (content, defect, remark) = RecordedContent.redacted(
            Array(bytes[0]) + [0xE4] + Array(bytes[1]), contentType: "multipart/related; boundary=b; type=\"text/xml\"")
        #expect(defect == nil && remark == nil)
        #expect(String(decoding: content.bytes, as: UTF8.self).contains("<t:Find>ä</t:Find>"))
        let kept = try #require(content.parts?.attachments.first)
        #expect(kept.contentType == "application/pdf" && kept.contentLocation == "my%20file.pdf")
    }

    @Test func theVersionOfTheEnvelopeAndItsActionStay() throws {
        let soap12 = "<s:Envelope xmlns:s=\"http://www.w3.org/2003/05/soap-envelope\"><s:Body/></s:Envelope>"
        for (outer, inner) in [
            ("application/xop+xml\"; start-info=\"application/soap+xml; action=\\\"urn:b\\\"", "application/xop+xml"),
            ("text/xml", "text/xml"),
        ] {
            let raw = "--b\r\nContent-Type: \(inner)\r\n\r\n\(soap12)\r\n--b--\r\n"
            let content = RecordedContent.redacted(
                Array(raw.utf8), contentType: "multipart/related; boundary=b; type=\"\(outer)\""
            ).content
            let action = inner == "text/xml" ? "" : "; action=\"urn:b\""
            #expect(content.contentType == "application/soap+xml; charset=utf-8\(action)")
        }
    }

    @Test func valuesInAnActionAreNotRecorded() {
        let content = RecordedContent.redacted(
            Array("<a/>".utf8), contentType: "application/soap+xml; action=\"http://x/op?token=geheim\""
        ).content
        #expect(content.contentType == "application/soap+xml; charset=utf-8; action=\"http://x/op?token=…\"")
    }

    @Test func otherFilesAreNoExchanges() async throws {
        try await withFolder { folder in
            _ = try Recording(adding: folder).add(exchange(find(1), found("x")))
            for name in [
                "0001-answer-attachment1.json", "0002-request-photo.json", "0003-requestX", "0004-answers.txt",
            ] {
                try Data("x".utf8).write(to: URL(filePath: "\(folder)/\(name)"))
            }
            try Data("x".utf8).write(to: URL(filePath: "\(folder)/0005-answer-attachment12"))
            #expect(try Recording.exchanges(in: folder).map(\.name) == ["0001"])
            #expect(try Recording(adding: folder).add(exchange(find(1), found("x"))) == "0006")
        }
    }

    @Test func partsThatCannotBeReadAreLeftOut() throws {
        let type = "multipart/related; boundary=b; type=\"text/xml\""
        for text in ["geheim", "--b\r\nContent-Type: text/xml\r\n\r\n<a>geheim\r\n--b--\r\n", "--b\r\n\r\n<a/>"] {
            let (content, defect, _) = RecordedContent.redacted(Array(text.utf8), contentType: type)
            #expect(defect != nil && content.parts == nil)
            #expect(!String(decoding: content.bytes, as: UTF8.self).contains("geheim"))
        }
    }

    @Test func requestsAreKnownWithOtherAttachments() async throws {
        let services = try MockedService.all(try TestService.definitions())
        func asked(_ id: String) throws -> RecordedExchange {
            let request = try message(find(1), [MessageAttachment([1], contentID: id)], .attachments).content
            return RecordedExchange(
                action: "urn:find", request: request, status: 200,
                answer: try message(found("with a part"), [MessageAttachment([2], contentID: "part@x")]).content)
        }
        let answers = try await RecordedAnswers([("0001", try asked("first@x"))], for: services)
        #expect(answers.problems == [])
        let taken = answers.take(for: request(1), .soap11, in: 0)
        #expect(text(taken).contains("with a part"))
        #expect(taken?.answer.parts?.attachments.map(\.contentID) == ["part@x"])
    }

    @Test(arguments: [
        (#"{"attachments": 1}"#, "“attachments” is an array"),
        (#"{"file": "a", "attachments": []}"#, "“isXOP” is true or false"),
        (#"{"attachments": [], "isXOP": true}"#, "“file” has the envelope"),
        (#"{"file": "a", "attachments": [{}], "isXOP": true}"#, "has “file” and “contentID”"),
        (
            #"{"file": "a", "attachments": [{"file": "../x", "contentID": "a"}], "isXOP": true}"#,
            "the name of a file in the folder"
        ),
        (
            #"{"file": "a", "attachments": [{"file": "a", "contentID": "a\r\nX: b"}], "isXOP": false}"#,
            "The attachments cannot be sent"
        ),
    ])
    func damagedAttachmentsAreRefused(json: String, why: String) async throws {
        try await withFolder { folder in
            _ = try Recording(adding: folder)
            try Data("<a/>".utf8).write(to: URL(filePath: "\(folder)/a"))
            let exchange = "{\"request\": \(json), \"answer\": {\"status\": 200}}"
            try Data(exchange.utf8).write(to: URL(filePath: "\(folder)/0001.json"))
            let error = #expect(throws: MockError.self) { _ = try Recording.exchanges(in: folder) }
            #expect(error?.description.contains(why) == true, "\(error?.description ?? "")")
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
