import GreetingService
import HTTPTypes
import SignetSOAP
import Testing

@Suite struct AnswerTests {
    func call(_ transport: CannedTransport) async throws -> Greeting.Greeted {
        let caller = ServiceCaller(endpoint: try Endpoint("http://localhost/soap"), transport: transport)
        return try await Greeting.Client(caller).greet(.init(name: "you"))
    }

    @Test func requestsFollowTheRulesOfSOAP() async throws {
        let transport = CannedTransport(envelope("<g:Greeted><g:text>hello</g:text></g:Greeted>"))
        #expect(try await call(transport).text == "hello")
        let request = try #require(await transport.requests.first)
        #expect(request.method == .post)
        #expect(request.fields[.contentType] == "text/xml; charset=utf-8")
        #expect(request.fields.first { $0.name.canonicalName == "soapaction" }?.value == "\"\"")
        #expect(
            String(decoding: request.body.bytes ?? [], as: UTF8.self) == """
                <?xml version="1.0" encoding="UTF-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" \
                xmlns:m="urn:greeting"><soap:Body><m:Greet><m:name>you</m:name></m:Greet></soap:Body></soap:Envelope>
                """)
    }

    /// The charset of the media type is right, whatever the document declares (RFC 7303 §3).
    @Test func answersInOtherEncodings() async throws {
        let greeted = envelope("<g:Greeted><g:text>Jörg</g:text></g:Greeted>")
        let latin1: @Sendable (String) -> [UInt8] = { text in
            text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        }
        let utf16: @Sendable (String) -> [UInt8] = { text in
            text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        }
        for (charset, encode) in [("ISO-8859-1", latin1), ("\"windows-1252\"", latin1), ("utf-16", utf16)] {
            let transport = CannedTransport(contentType: "text/xml; charset=\(charset)", greeted, encode: encode)
            #expect(try await call(transport).text == "Jörg")
        }
        let error = await #expect(throws: ServiceError.self) {
            try await call(CannedTransport(contentType: "text/xml; charset=utf-16", greeted))
        }
        #expect(error?.code == .malformedAnswer)
        #expect((error?.cause as? XMLError)?.code == .unsupportedEncoding)
    }

    /// Pages and plain text are refused by name, and read where the caller says so.
    @Test(arguments: ["text/html", "text/plain; charset=utf-8", "application/octet-stream"])
    func mislabelledMessages(type: String) async throws {
        let greeted = CannedTransport(contentType: type, envelope("<g:Greeted><g:text>secret</g:text></g:Greeted>"))
        let error = await #expect(throws: ServiceError.self) { try await call(greeted) }
        #expect(error?.code == .notSOAP)
        #expect(error?.message.contains("“\(MediaType(type).essence)”") == true, "\(String(describing: error))")
        #expect(error?.message.contains("readsMislabelledAnswers") == true)
        #expect(error?.description.contains("secret") == false)
        func lenient(_ transport: CannedTransport) async throws -> Greeting.Greeted {
            var caller = ServiceCaller(endpoint: try Endpoint("http://localhost/soap"), transport: transport)
            caller.readsMislabelledAnswers = true
            return try await Greeting.Client(caller).greet(.init(name: "you"))
        }
        #expect(try await lenient(greeted).text == "secret")
        let fault = envelope("<s:Fault><faultcode>s:Server</faultcode><faultstring>gone</faultstring></s:Fault>")
        let heard = await #expect(throws: SOAPFault.self) {
            try await lenient(CannedTransport(status: 500, contentType: type, fault))
        }
        #expect(heard?.reason == "gone")
        for page in ["<html><body>Please log in</body></html>", "<!DOCTYPE html><html><br></html>", "{}", "Envelope"] {
            let error = await #expect(throws: ServiceError.self) {
                try await lenient(CannedTransport(contentType: type, page))
            }
            #expect(error?.code == .notSOAP)
            #expect(error?.message.contains("a page or a login") == true)
        }
    }

    /// Whatever else is wrong with an answer, the client reports the fault in it.
    @Test(
        arguments: [
            (413, "text/html", .refused), (200, "text/plain", .notSOAP), (302, "text/xml", .redirected),
            (302, "text/html", .redirected),
        ] as [(Int, String, ServiceError.Code)])
    func otherDefectsDoNotHideAFault(status: Int, type: String, code: ServiceError.Code) async throws {
        let fault = envelope("<s:Fault><faultcode>s:Client</faultcode><faultstring>too much</faultstring></s:Fault>")
        let location = status == 302 ? "https://moved.example/" : nil
        let error = await #expect(throws: ServiceError.self) {
            try await call(CannedTransport(status: status, contentType: type, location: location, fault))
        }
        #expect(error?.code == code)
        let words = " The answer holds a fault: The service answered with the fault Client: too much"
        #expect(error?.message.hasSuffix(words) == true, "\(error?.message ?? "")")
        #expect((error?.cause as? SOAPFault)?.code == .client)
        let page = await #expect(throws: ServiceError.self) {
            try await call(CannedTransport(status: status, contentType: type, location: location, "<html>Fault</html>"))
        }
        #expect(page?.message.contains("fault") == false && page?.cause == nil)
    }

    /// An answer that comes with the status of a failure is not used, and not passed over in silence.
    @Test func anAnswerWithAFailureStatusIsReported() async throws {
        for (body, words) in [
            ("<g:Greeted><g:text>x</g:text></g:Greeted>", "Its body holds “Greeted” and no fault; it was not read"),
            ("<g:Other/>", "Its body holds “Other” and no fault; it was not read"),
        ] {
            let error = await #expect(throws: ServiceError.self) {
                try await call(CannedTransport(status: 500, envelope(body)))
            }
            #expect(error?.code == .refused && error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
        let empty = await #expect(throws: ServiceError.self) {
            try await call(CannedTransport(status: 500, envelope("")))
        }
        #expect(empty?.code == .refused && empty?.message.contains("Its body") == false)
    }

    /// RFC 9110 §10.2.3.
    @Test(
        arguments: [
            ("120", 120), ("0", 0), ("Wed, 21 Oct 2026 07:29:30 GMT", 90), ("Wed, 21 Oct 2026 07:00:00 GMT", 0),
            ("4294967296", nil), ("-1", nil), ("soon", nil), ("", nil),
        ] as [(String, Int?)])
    func refusalsSayWhenToAskAgain(text: String, seconds: Int?) async throws {
        let dated: HTTPFields = [.retryAfter: text, .date: "Wed, 21 Oct 2026 07:28:00 GMT"]
        for (fields, wanted) in [(dated, seconds), ([.retryAfter: text], Int(text).flatMap { _ in seconds })] {
            let error = await #expect(throws: ServiceError.self) {
                try await call(CannedTransport(status: 503, contentType: "text/html", fields: fields, "busy"))
            }
            #expect(error?.answer?.retryAfter == wanted.map { .seconds($0) })
        }
    }

    @Test func faults() async throws {
        let fault = """
            <s:Fault><faultcode>s:Client</faultcode><faultstring>who?</faultstring><faultactor>me</faultactor>\
            <detail><g:Other>1</g:Other></detail></s:Fault>
            """
        for status in [200, 500] {
            let error = await #expect(throws: SOAPFault.self) {
                try await call(CannedTransport(status: status, envelope(fault)))
            }
            #expect(error?.code == .client)
            #expect(error?.reason == "who?")
            #expect(error?.role == "me")
            #expect(error?.detail.map(\.localName) == ["Other"])
            #expect(error?.detail.first?.text == "1")
        }
    }

    @Test(arguments: [
        ("s:Server", SOAPFault.Code.server), ("Client", .client),
        ("g:Mine", .init(namespaceURI: "urn:greeting", localName: "Mine")),
    ])
    func faultCodes(text: String, code: SOAPFault.Code) async {
        let body = "<s:Fault><faultcode>\(text)</faultcode><faultstring/></s:Fault>"
        let error = await #expect(throws: SOAPFault.self) {
            try await call(CannedTransport(status: 500, envelope(body)))
        }
        #expect(error?.code == code)
    }

    @Test func faultCodesMayDeclareTheirOwnPrefix() async {
        let body = """
            <s:Fault><faultcode xmlns:a="urn:axis">a:Server.user</faultcode><faultstring/></s:Fault>
            """
        let error = await #expect(throws: SOAPFault.self) {
            try await call(CannedTransport(status: 500, envelope(body)))
        }
        #expect(error?.code == .init(namespaceURI: "urn:axis", localName: "Server.user"))
    }

    /// Whatever a service puts into the detail, the fault itself comes through.
    @Test(
        arguments: [
            ("item 7", [], "item 7"), ("<g:NobodyThere><g:looked>x</g:looked></g:NobodyThere>", ["NobodyThere"], nil),
            ("a<b/>c", ["b"], "ac"), ("<g:NobodyThere/>", ["NobodyThere"], nil), (" \n ", [], nil),
        ] as [(String, [String], String?)])
    func oddDetailsDoNotHideTheFault(detail: String, elements: [String], text: String?) async {
        let body =
            "<s:Fault><faultcode>s:Server</faultcode><faultstring>no</faultstring><detail>\(detail)</detail></s:Fault>"
        let error = await #expect(throws: SOAPFault.self) {
            try await call(CannedTransport(status: 500, envelope(body)))
        }
        #expect(error?.reason == "no")
        #expect(error?.detail.map(\.localName) == elements)
        #expect(error?.detailText == text)
    }

    /// Each takes far more memory than the bytes it is sent in.
    @Test(arguments: [("detail", "<b/>", "detail"), ("Reason", "<Text/>", "reasons")])
    func partsOfFaultsAreBounded(part: String, piece: String, words: String) async throws {
        func answer(_ count: Int) -> CannedTransport {
            let pieces = String(repeating: piece, count: count)
            return CannedTransport(
                status: 500,
                envelope("<s:Fault><faultcode>s:Server</faultcode><\(part)>\(pieces)</\(part)></s:Fault>"))
        }
        let fault = await #expect(throws: SOAPFault.self) { try await call(answer(256)) }
        #expect((part == "detail" ? fault?.detail.count : fault?.reasons.count) == 256)
        let error = await #expect(throws: ServiceError.self) { try await call(answer(257)) }
        #expect(error?.code == .malformedAnswer)
        #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    }

    /// What comes after the last subcode that is kept is passed over unread.
    @Test func contentAfterTheLastKeptSubcodeIsNotRead() async throws {
        func codes(_ depth: Int) -> String {
            depth == 0
                ? "<s:Subcode><s:Value>unread<b/></s:Value></s:Subcode>"
                : "<s:Subcode><s:Value xmlns:x='urn:x'>x:c\(depth)</s:Value>\(codes(depth - 1))</s:Subcode>"
        }
        let fault = "<s:Fault><s:Code><s:Value>s:Sender</s:Value>\(codes(16))</s:Code></s:Fault>"
        let caller = try ServiceCaller(
            CannedTransport(status: 400, contentType: "application/soap+xml", envelope(fault, .soap12)),
            version: .soap12)
        let error = await #expect(throws: SOAPFault.self) { try await caller.call(Greeting.greet, .init(name: "")) }
        #expect(error?.code == .sender)
        #expect(error?.subcodes.count == 16)
        #expect(error?.subcodes.first == .init(namespaceURI: "urn:x", localName: "c16"))
        #expect(error?.subcodes.last == .init(namespaceURI: "urn:x", localName: "c1"))
    }

    @Test func errorsDoNotRepeatTheContentOfTheAnswer() async {
        let answer = envelope("<g:Greeted><g:password>hunter2</g:password></g:Greeted>")
        let error = await #expect(throws: ServiceError.self) { try await call(CannedTransport(answer)) }
        #expect(error?.code == .malformedAnswer)
        #expect(error?.description.contains("hunter2") == false)
        #expect(error?.answer?.firstBytes.isEmpty == false)
    }

    /// It says no more than the fault.
    @Test func aNilDetailGivesAPlainFault() async {
        let body = """
            <s:Fault><faultcode>s:Server</faultcode><faultstring>gone</faultstring><detail><g:NobodyThere \
            xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true"/></detail></s:Fault>
            """
        let error = await #expect(throws: SOAPFault.self) {
            try await call(CannedTransport(status: 500, envelope(body)))
        }
        #expect(error?.reason == "gone")
    }

    @Test func declaredFaultIsTyped() async {
        let body = """
            <s:Fault><faultcode>s:Server</faultcode><faultstring>gone</faultstring>\
            <detail><x/><g:NobodyThere><g:looked>3</g:looked></g:NobodyThere></detail></s:Fault>
            """
        let error = await #expect(throws: DeclaredFault<Greeting.NobodyThere>.self) {
            try await call(CannedTransport(status: 500, envelope(body)))
        }
        #expect(error?.detail.looked == 3)
        #expect(error?.fault.reason == "gone")
    }

    @Test(
        arguments: [
            (200, "text/html", "<html><body>Please log in</body></html>", ServiceError.Code.notSOAP),
            (200, "application/json", "{}", .notSOAP),
            (200, "text/xml", "", .emptyAnswer),
            (202, nil, "", .emptyAnswer),
            (302, "text/html", "moved", .redirected),
            (503, "text/html", "<h1>later</h1>", .refused),
            (403, nil, "", .refused),
            (200, "text/xml", "<html/>", .notSOAP),
            (503, "text/xml", "<error/>", .refused),
            // An error status is no success, whatever the envelope says.
            (401, "text/xml", envelope("<g:Greeted><g:text>x</g:text></g:Greeted>"), .refused),
            (404, "text/xml", envelope("<g:Greeted/>"), .refused),
            (500, "text/xml", envelope("<g:Other/>"), .refused),
            (503, "text/xml", envelope(""), .refused),
            (500, "text/xml", envelope("", .soap12), .refused),
            (200, "text/xml", "<html><br></html>", .notSOAP),
            (200, "text/xml", "not xml", .malformedAnswer),
            (200, "text/xml", "<!DOCTYPE html><html/>", .malformedAnswer),
            (
                200, "text/xml", "<e:Envelope xmlns:e='http://www.w3.org/2003/05/soap-envelope'><e:Body/></e:Envelope>",
                .versionMismatch
            ),
            (200, "text/xml", "<Envelope><Body/></Envelope>", .versionMismatch),
            (200, "text/xml", envelope(""), .malformedAnswer),
            (200, "text/xml", envelope("<g:Other/>"), .malformedAnswer),
            (200, "text/xml", envelope("<g:Greeted/>"), .malformedAnswer),
            (
                200, "text/xml",
                envelope(
                    "<g:Greeted><g:text>x</g:text></g:Greeted>",
                    header: "<s:Header><x:y xmlns:x='urn:x' s:mustUnderstand='1'/></s:Header>"), .headerNotUnderstood
            ),
        ] as [(Int, String?, String, ServiceError.Code)])
    func whatIsNotAnAnswer(status: Int, contentType: String?, body: String, code: ServiceError.Code) async throws {
        let transport = CannedTransport(
            status: status, contentType: contentType, location: status == 302 ? "https://login.example/" : nil, body)
        let error = await #expect(throws: ServiceError.self) { try await call(transport) }
        #expect(error?.code == code, "\(String(describing: error))")
        let answer = try #require(error?.answer)
        #expect(answer.status == status)
        #expect(answer.contentType == contentType)
        #expect(body.hasPrefix(answer.firstBytes))
        #expect(answer.location == (status == 302 ? "https://login.example/" : nil))
    }

    @Test(
        arguments: [
            (
                503, "text/plain", "upstream connect error\nmore", "30",
                ["status 503", "after 30.0 seconds", "“upstream connect error”"]
            ),
            (503, "text/xml", "no healthy upstream", nil, ["status 503", "not available", "“no healthy upstream”"]),
            (502, "text/xml", "  Bad Gateway\r\n", nil, ["status 502", "in front of the service", "“Bad Gateway”"]),
            (
                502, "text/html", "<html><h1>502 Bad Gateway</h1></html>", nil,
                ["status 502", "in front of the service"]
            ),
            (504, "text/xml", "<html><br></html", nil, ["status 504", "in front of the service"]),
        ] as [(Int, String, String, String?, [String])])
    func theErrorDescribesTheAnswerOfAnIntermediary(
        status: Int, contentType: String, body: String, after: String?, words: [String]
    ) async throws {
        let fields: HTTPFields = after.map { [.retryAfter: $0] } ?? [:]
        let error = await #expect(throws: ServiceError.self) {
            try await call(CannedTransport(status: status, contentType: contentType, fields: fields, body))
        }
        #expect(error?.code == .refused)
        for word in words { #expect(error?.description.contains(word) == true, "\(error?.description ?? "")") }
        #expect(error?.description.contains("cannot be read") == false)
    }

    /// Neither followed nor shown.
    @Test func userInformationInALocationIsRefused() async throws {
        let error = await #expect(throws: ServiceError.self) {
            try await call(CannedTransport(status: 307, location: "https://u:hunter2@h.example/x", ""))
        }
        #expect(error?.code == .redirected && error?.answer?.location == "https://…@h.example/x")
        #expect(error?.description.contains("The user information in it was refused") == true)
        #expect(error?.description.contains("hunter2") == false)
    }

    /// Pages of nginx 1.22, Apache 2.4 and IIS 10.
    @Test(
        arguments: [
            (
                400, "<html>\r\n<head><title>400 No required SSL certificate was sent</title></head>",
                "did not get a client certificate: give"
            ),
            (
                400, "<html>\r\n<head><title>400 The SSL certificate error</title></head>",
                "did not accept the client certificate"
            ),
            (
                403,
                "<p>You don't have permission to access this resource.Reason: Cannot perform Post-Handshake Authentication.<br />",
                "asks for it after the request"
            ),
            (
                403,
                "<h2>HTTP Error 403.7 - Forbidden</h2><h3>The page you are attempting to access requires your browser to have a Secure Sockets Layer (SSL) client certificate that the Web server recognizes.</h3>",
                "did not get a client certificate: give"
            ),
            (
                403, "<h3>Your client certificate is untrusted or invalid.</h3> 403.16",
                "did not accept the client certificate"
            ),
            (
                403, "<h3>Your client certificate has expired or is not yet valid.</h3>",
                "did not accept the client certificate"
            ),
            (403, "<h3>Your client certificate was revoked: 403.13</h3>", "did not accept the client certificate"),
        ]) func refusedCertificatesAreNamed(status: Int, page: String, words: String) async throws
    {
        let padded = String(repeating: "<!-- -->", count: 40) + page
        let error = await #expect(throws: ServiceError.self) {
            try await call(CannedTransport(status: status, contentType: "text/html", padded))
        }
        #expect(error?.code == .refused && error?.message.contains(words) == true, "\(error?.message ?? "")")
        let other = await #expect(throws: ServiceError.self) {
            try await call(CannedTransport(status: 404, contentType: "text/html", padded))
        }
        #expect(other?.message.contains("client certificate") == false)
    }

    @Test func aHeaderForAnotherActorIsIgnored() async throws {
        let header = "<s:Header><x:y xmlns:x='urn:x' s:mustUnderstand='1' s:actor='urn:other'/></s:Header>"
        let transport = CannedTransport(envelope("<g:Greeted><g:text>x</g:text></g:Greeted>", header: header))
        #expect(try await call(transport).text == "x")
    }

    @Test func charactersThatXMLForbidsAreNotSent() async throws {
        let transport = CannedTransport("")
        let caller = ServiceCaller(endpoint: try Endpoint("http://localhost/soap"), transport: transport)
        let error = await #expect(throws: ServiceError.self) {
            try await Greeting.Client(caller).greet(.init(name: "\u{7}"))
        }
        #expect(error?.code == .unwritableInput)
        #expect(error?.message.contains("name") == true)
        #expect(await transport.requests.isEmpty)
    }

    @Test func firstBytesCannotForgeLogLines() async {
        let transport = CannedTransport(
            contentType: "text/plain", "a\r\nb\u{1B}[2J" + String(repeating: "x", count: 500))
        let error = await #expect(throws: ServiceError.self) { try await call(transport) }
        #expect(error?.answer?.firstBytes.hasPrefix("a  b [2Jxxx") == true)
        #expect((error?.answer?.firstBytes.utf8.count ?? 999) <= 200)
    }
}
