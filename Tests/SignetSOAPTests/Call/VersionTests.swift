import GreetingService
import HTTPTypes
import SignetSOAP
import Testing

@Suite struct VersionTests {
    func call(_ transport: any ClientTransport, _ version: SOAPVersion?) async throws -> Greeting.Greeted {
        try await ServiceCaller(transport, version: version).call(Greeting.greet, .init(name: "you"))
    }

    @Test(arguments: [
        ("", "application/soap+xml; charset=utf-8"),
        ("urn:greet", "application/soap+xml; charset=utf-8; action=\"urn:greet\""),
        ("a\"b\\c;d", "application/soap+xml; charset=utf-8; action=\"a\\\"b\\\\c;d\""),
    ])
    func requestsFollowTheRulesOfSOAP12(action: String, contentType: String) async throws {
        let operation = ServiceOperation<Greeting.Greet, Greeting.Greeted>(
            name: "Greet", soapAction: action, version: .soap12, input: XMLName("urn:greeting", "Greet"),
            output: XMLName("urn:greeting", "Greeted"), namespaces: ["urn:greeting"])
        let transport = CannedTransport(
            contentType: "application/soap+xml", envelope("<g:Greeted><g:text>hello</g:text></g:Greeted>", .soap12))
        let answer = try await ServiceCaller(transport).call(operation, .init(name: "you"))
        #expect(answer.text == "hello")
        let request = try #require(await transport.requests.first)
        #expect(request.fields[.contentType] == contentType)
        #expect(request.fields[.accept] == "application/soap+xml")
        #expect(!request.fields.contains { $0.name.canonicalName == "soapaction" })
        #expect(
            String(decoding: request.body.bytes ?? [], as: UTF8.self) == """
                <?xml version="1.0" encoding="UTF-8"?><soap:Envelope xmlns:soap="http://www.w3.org/2003/05/soap-envelope" \
                xmlns:m="urn:greeting"><soap:Body><m:Greet><m:name>you</m:name></m:Greet></soap:Body></soap:Envelope>
                """)
    }

    @Test func aClientMayChooseTheVersion() async throws {
        let dispatcher = Greeting.dispatcher { _, context in .init(text: context.version.description) }
        #expect(try await call(InProcessTransport(dispatcher), nil).text == "SOAP 1.1")
        #expect(try await call(InProcessTransport(dispatcher), .soap12).text == "SOAP 1.2")
    }

    /// Each side speaks one version, and not the same.
    @Test(arguments: [(SOAPVersion.soap11, SOAPVersion.soap12), (.soap12, .soap11)])
    func aMismatchIsAFaultThatNamesTheVersions(client: SOAPVersion, server: SOAPVersion) async throws {
        let dispatcher = Greeting.dispatcher(versions: [server])
        let error = await #expect(throws: SOAPFault.self) { try await call(InProcessTransport(dispatcher), client) }
        #expect(error?.code == .versionMismatch)
        #expect(error?.reason == "This service speaks \(server).")
        #expect(error?.supportedVersions == [server])
        // Both answers are in SOAP 1.1 (SOAP 1.2 Part 1 Appendix A).
        let answer = await dispatcher.respond(to: Array(envelope("<g:Greet/>", client).utf8), from: .init())
        #expect(answer.contentType == "text/xml; charset=utf-8")
        #expect(answer.status == 500)
    }

    @Test func anAnswerOfAnotherVersionIsRefused() async throws {
        let answers = [
            (SOAPVersion.soap11, envelope("<g:Greeted><g:text>hello</g:text></g:Greeted>", .soap12), "SOAP 1.2"),
            (.soap12, envelope("<g:Greeted><g:text>hello</g:text></g:Greeted>"), "SOAP 1.1"),
            (.soap12, envelope(""), "SOAP 1.1"), (.soap12, "<Envelope xmlns='urn:e'/>", "“urn:e”"),
        ]
        for (version, answer, other) in answers {
            let error = await #expect(throws: ServiceError.self) { try await call(CannedTransport(answer), version) }
            #expect(error?.code == .versionMismatch)
            #expect(error?.message.contains(other) == true)
            #expect(error?.message.contains("\(version)") == true)
        }
    }

    @Test func anotherFaultOfAnotherVersionIsTheCause() async throws {
        let body = "<s:Fault><faultcode>s:Server</faultcode><faultstring>no</faultstring></s:Fault>"
        let error = await #expect(throws: ServiceError.self) {
            try await call(CannedTransport(status: 500, envelope(body)), .soap12)
        }
        #expect(error?.code == .versionMismatch)
        #expect((error?.cause as? SOAPFault)?.reason == "no")
    }

    @Test func aRefusedMediaTypeIsExplained() async throws {
        let error = await #expect(throws: ServiceError.self) {
            try await call(CannedTransport(status: 415, contentType: nil, ""), .soap12)
        }
        #expect(error?.code == .refused)
        #expect(error?.message.contains("SOAP 1.2") == true)
    }

    @Test func envelopeAndMediaTypeMustAgree() async {
        let answer = await Greeting.dispatcher().respond(
            to: Array(envelope("<g:Greet><g:name/></g:Greet>", .soap12).utf8), declared: .soap11, from: .init())
        #expect(answer.status == 400)
        #expect(String(decoding: answer.body.bytes ?? [], as: UTF8.self).contains("text/xml"))
    }

    @Test(arguments: [
        ("http://www.w3.org/2003/05/soap-encoding", 500), ("urn:e", 500),
        ("http://www.w3.org/2003/05/soap-envelope/encoding/none", 200),
    ])
    func encodingsAreNotSupported(style: String, status: Int) async {
        let body = "<g:Greet s:encodingStyle='\(style)'><g:name/></g:Greet>"
        let answer = await Greeting.dispatcher().respond(to: Array(envelope(body, .soap12).utf8), from: .init())
        #expect(answer.status == status)
        let isFault = String(decoding: answer.body.bytes ?? [], as: UTF8.self).contains("soap:DataEncodingUnknown")
        #expect(isFault == (status == 500))
    }

    @Test func actionsThatCannotBeSentAreRefused() async throws {
        for version in [SOAPVersion.soap11, .soap12] {
            let operation = ServiceOperation<Greeting.Greet, Greeting.Greeted>(
                name: "Greet", soapAction: "urn:a\r\nX-Evil: 1", version: version, input: Greeting.greet.input,
                output: Greeting.greet.output)
            let transport = CannedTransport("")
            let error = await #expect(throws: TransportError.self) {
                try await ServiceCaller(transport).call(operation, .init(name: ""))
            }
            #expect(error?.code == .invalidRequest)
            #expect(await transport.requests.isEmpty)
        }
    }

    @Test func fieldsThatSOAPSetsAreRefused() async throws {
        for name in ["Content-Type", "soapaction"] {
            let transport = CannedTransport("")
            var caller = try ServiceCaller(transport)
            caller.fields[try #require(HTTPField.Name(name))] = "x"
            let error = await #expect(throws: TransportError.self) {
                try await caller.call(Greeting.greet, .init(name: ""))
            }
            #expect(error?.code == .invalidRequest)
            #expect(await transport.requests.isEmpty)
        }
    }

    @Test func otherFieldsAreSentAndNotShown() async throws {
        let transport = CannedTransport(envelope("<g:Greeted><g:text>hello</g:text></g:Greeted>"))
        var caller = try ServiceCaller(transport)
        caller.fields[try #require(HTTPField.Name("X-Api-Key"))] = "hunter2\r\nX-Evil: 1"
        caller.fields[.accept] = "text/xml, */*"
        _ = try await caller.call(Greeting.greet, .init(name: ""))
        let request = try #require(await transport.requests.first)
        #expect(request.fields.contains { $0.name.canonicalName == "x-api-key" && $0.value.hasPrefix("hunter2") })
        #expect(!request.fields.contains { $0.value.contains("\r") || $0.value.contains("\n") })
        #expect(request.fields[.accept] == "text/xml, */*")
        for value in [caller, request] as [any Sendable] {
            var text = "\(value) \(String(reflecting: value))"
            dump(value, to: &text)
            #expect(text.lowercased().contains("x-api-key"))
            #expect(!text.contains("hunter2"))
        }
    }
}
