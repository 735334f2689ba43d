import Foundation
import GreetingService
import HTTPTypes
import SignetSOAP
import Synchronization
import Testing

/// Whatever else is wrong with an answer, the fault in it is heard.
@Suite struct LooseFaultTests {
    private func fault(
        _ body: String, header: String = "", status: Int = 500, _ version: SOAPVersion = .soap11
    ) async throws -> SOAPFault {
        let transport = CannedTransport(
            status: status, contentType: version.mediaType, envelope(body, header: header, version))
        let error = await #expect(throws: SOAPFault.self) {
            try await ServiceCaller(transport, version: version).call(Greeting.greet, .init(name: ""))
        }
        return try #require(error)
    }

    private func parts(_ parts: String) -> String { "<s:Fault>\(parts)</s:Fault>" }

    /// Markup and text that have no place in a fault.
    @Test(arguments: [
        "<faultcode>s:Client</faultcode><faultstring>real reason</faultstring><faultactor><x/></faultactor>",
        "<faultcode>s:Client</faultcode><faultstring><b>real</b> reason</faultstring>",
        "loose<faultcode>s:Client</faultcode> text <faultstring>real reason</faultstring>",
        "<faultcode><v>s:Client</v></faultcode><faultstring>real <i>re<b/>a</i>son</faultstring>",
        "<faultcode xmlns:q='http://schemas.xmlsoap.org/soap/envelope/'><v>q:Client</v></faultcode>real reason",
        "<faultcode>s:Client</faultcode><faultstring a='b'>real reason</faultstring><more>x</more>",
        "<faultcode>s:Client</faultcode><faultstring xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:type='x'>real reason</faultstring>",
    ])
    func misplacedMarkupDoesNotHideTheReason(content: String) async throws {
        for status in [200, 403, 500] {
            let fault = try await fault(parts(content), status: status)
            #expect(fault.code == .client)
            #expect(fault.reason == "real reason")
            #expect(fault.role == nil)
        }
    }

    @Test(arguments: [
        "<s:Code>s:Sender</s:Code><s:Reason>real reason</s:Reason>",
        "<s:Code>x<s:Value><b>s:Sender</b></s:Value></s:Code>y<s:Reason>z<s:Text><b>real</b> reason</s:Text></s:Reason>",
        "<s:Code><s:Value>s:Sender</s:Value></s:Code><s:Reason><s:Text>real reason</s:Text></s:Reason><s:Role><x/></s:Role><s:Node><x/></s:Node>",
    ])
    func misplacedMarkupDoesNotHideTheReasonInSOAP12(content: String) async throws {
        let fault = try await fault(parts(content), .soap12)
        #expect(fault.code == .sender)
        #expect(fault.reason == "real reason")
        #expect(fault.role == nil && fault.node == nil)
    }

    /// A code that is no qualified name is kept whole.
    @Test(arguments: [
        ("http://acme.example/err/77", "", "http://acme.example/err/77"), ("urn:acme:77", "", "urn:acme:77"),
        ("ORA-12899: value too large", "", "ORA-12899: value too large"), ("no: such: order", "", "no: such: order"),
        ("soap:Client", "", "soap:Client"), ("g:not found", "", "g:not found"), ("It broke.", "", "It broke."),
        ("g:Mine", "urn:greeting", "Mine"), ("77", "", "77"), (":x", "", ":x"),
    ])
    func codesThatAreNoNamesAreKeptWhole(text: String, namespace: String, name: String) async throws {
        let first = try await fault(parts("<faultcode>\(text)</faultcode><faultstring>r</faultstring>"))
        #expect(first.code.namespaceURI == namespace && first.code.localName == name)
        #expect("\(first)".contains(name))
        let code = "<s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value>\(text)</s:Value></s:Subcode></s:Code>"
        let second = try await fault(parts("\(code)<s:Reason><s:Text>r</s:Text></s:Reason>"), .soap12)
        #expect(second.subcodes.map(\.localName) == [name])
    }

    /// A fault is not to be used, so that nothing has to be understood before it is heard.
    @Test func aHeaderBlockDoesNotHideAFault() async throws {
        let header = "<s:Header><x:Sec xmlns:x='urn:x' s:mustUnderstand='1'>z</x:Sec></s:Header>"
        let content = "<faultcode>s:Client</faultcode><faultstring>sess</faultstring>"
        let fault = try await fault(parts(content), header: header)
        #expect(fault.reason == "sess")
        #expect(fault.headerBlocks.map(\.localName) == ["Sec"])
        #expect(fault.headerBlocks.first?.mustUnderstand == true)
    }

    /// An answer beside a fault, before or behind it, readable or not.
    @Test(arguments: [
        "<g:Greeted><g:text>x</g:text></g:Greeted>", "<g:Greeted/>", "<g:Greeted><x><y/></x>text</g:Greeted>",
        "<g:Other/>",
    ])
    func anAnswerDoesNotHideAFault(answer: String) async throws {
        let content = parts("<faultcode>s:Client</faultcode><faultstring>second</faultstring>")
        for body in ["\(answer)\(content)", "\(content)\(answer)", "\(answer)\(answer)\(content)"] {
            for status in [200, 500] { #expect(try await fault(body, status: status).reason == "second") }
        }
        let declared = """
            <g:Greeted/><s:Fault><faultcode>s:Client</faultcode><faultstring/>\
            <detail><g:NobodyThere><g:looked>3</g:looked></g:NobodyThere></detail></s:Fault>
            """
        let error = await #expect(throws: DeclaredFault<Greeting.NobodyThere>.self) {
            try await ServiceCaller(CannedTransport(envelope(declared))).call(Greeting.greet, .init(name: ""))
        }
        #expect(error?.detail.looked == 3)
    }

    /// Where the answer is the content of the body itself.
    @Test func contentOfTheBodyDoesNotHideAFault() async throws {
        let operation = ServiceOperation<Greeting.Greet, Greeting.Greeted>(
            name: "Greet", soapAction: "", version: .soap11, input: nil, output: nil)
        let body = "<g:text>x</g:text><s:Fault><faultcode>s:Client</faultcode><faultstring>no</faultstring></s:Fault>"
        let error = await #expect(throws: SOAPFault.self) {
            try await ServiceCaller(CannedTransport(envelope(body))).call(operation, .init(name: ""))
        }
        #expect(error?.reason == "no")
        let answer = try await ServiceCaller(CannedTransport(envelope("<g:text>x</g:text>"))).call(
            operation, .init(name: ""))
        #expect(answer.text == "x")
    }

    /// A fault of the other version's namespace in an envelope of the right one.
    @Test func aFaultOfTheOtherVersionsNamespaceIsOne() async throws {
        let mixed = """
            <f:Fault xmlns:f='http://www.w3.org/2003/05/soap-envelope'><f:Code><f:Value>f:Sender</f:Value></f:Code>\
            <f:Reason><f:Text xml:lang='en'>mixed</f:Text></f:Reason></f:Fault>
            """
        let fault = try await fault(mixed)
        #expect(fault.code == .client && fault.reason == "mixed")
    }

    /// Some forget its namespace. What a remote procedure answers may have any name, and a fault must not become a
    /// value for it.
    @Test(arguments: [
        "<Fault><faultstring>boom</faultstring></Fault>",
        "<Fault xmlns='urn:own'><faultcode>Client</faultcode><faultstring>boom</faultstring></Fault>",
        "<AddResponse><sum>5</sum></AddResponse><Fault><faultstring>boom</faultstring></Fault>",
    ])
    func aFaultWithoutItsNamespaceIsOne(body: String) async throws {
        for (isEncoded, isRPC) in [(false, true), (true, true), (false, false), (true, false)] {
            let operation = ServiceOperation<Greeting.Greet, ProcedureAnswerTests.Sum>(
                name: "Add", soapAction: "", version: .soap11, input: XMLName("urn:t", "Add"),
                output: XMLName("", "AddResponse"), isEncoded: isEncoded, isRPC: isRPC)
            for status in [200, 500] {
                let error = await #expect(throws: SOAPFault.self) {
                    try await ServiceCaller(CannedTransport(status: status, envelope(body))).call(
                        operation, .init(name: ""))
                }
                #expect(error?.reason == "boom")
            }
        }
    }

    /// No code is made up for a fault that has none.
    @Test(arguments: [
        ("", "a fault without a code and without a reason."),
        ("<faultcode/>", "a fault without a code and without a reason."),
        ("<faultstring>boom</faultstring>", "a fault without a code: boom"),
        ("<s:Code/><s:Reason><s:Text>boom</s:Text></s:Reason>", "a fault without a code: boom"),
        ("<faultcode>s:Server</faultcode>", "the fault Server and no reason."),
    ])
    func theDescriptionStatesAMissingCode(content: String, words: String) async throws {
        var fault = try await fault(parts(content))
        #expect("\(fault)" == "The service answered with \(words)")
        #expect(fault.code == .server)
        fault.code = .client
        #expect("\(fault)".hasPrefix("The service answered with the fault Client"))
    }

    /// Any value may be called Fault: one of a foreign namespace that holds nothing of a fault is a value.
    @Test(
        arguments: [
            ("<Fault xmlns='urn:x'><sum xmlns=''>5</sum></Fault>", true),
            ("<Fault><sum>5</sum></Fault>", true),
            ("<Fault a='>'><!-- <faultcode> --><sum>5</sum></Fault>", true),
            ("<AddResponse><sum>5</sum></AddResponse><x:Fault xmlns:x='urn:x'/>", false),
            ("<AddResponse><sum>5</sum></AddResponse><x:Fault xmlns:x='urn:x'><x:Code>7</x:Code></x:Fault>", false),
            ("<AddResponse><sum>5</sum></AddResponse><Fault><a><faultcode/></a></Fault>", false),
            ("<Fault xmlns='urn:x'/><AddResponse><sum>5</sum></AddResponse>", nil),
        ] as [(String, Bool?)])
    func otherElementsNamedFaultAreNoFaults(body: String, isWrapper: Bool?) async throws {
        for (isEncoded, isRPC) in [(false, true), (true, true), (false, false)] {
            let operation = ServiceOperation<Greeting.Greet, ProcedureAnswerTests.Sum>(
                name: "Add", soapAction: "", version: .soap11, input: XMLName("urn:t", "Add"),
                output: XMLName("", "AddResponse"), isEncoded: isEncoded, isRPC: isRPC)
            let caller = try ServiceCaller(CannedTransport(envelope(body)))
            // The name of a document's element counts, as the first one of a body does.
            if isWrapper == nil || isWrapper == true && !isRPC {
                let error = await #expect(throws: ServiceError.self) {
                    try await caller.call(operation, .init(name: ""))
                }
                #expect(error?.code == .malformedAnswer)
            } else {
                #expect(try await caller.call(operation, .init(name: "")).sum == 5)
            }
        }
    }

    /// In SOAP's encoding a reference to nothing, or values that stand apart, hide no fault either.
    @Test(arguments: [
        "%<multiRef id='1'>x</multiRef>", "<AddResponse><sum href='#9'/></AddResponse>%",
        "<AddResponse><sum href='#1'/></AddResponse>%<m id='1'>5</m>",
    ])
    func referencesDoNotHideAFault(body: String) async throws {
        let fault = parts(
            "<faultcode>s:Client</faultcode><faultstring>boom</faultstring><detail><x href='#2'/></detail>")
        let operation = ServiceOperation<Greeting.Greet, ProcedureAnswerTests.Sum>(
            name: "Add", soapAction: "", version: .soap11, input: XMLName("urn:t", "Add"),
            output: XMLName("urn:t", "AddResponse"), isEncoded: true, isRPC: true)
        let error = await #expect(throws: SOAPFault.self) {
            try await ServiceCaller(CannedTransport(envelope(body.replacing("%", with: fault)))).call(
                operation, .init(name: ""))
        }
        #expect(error?.reason == "boom")
    }

    @Test func theErrorQuotesAFaultOfAnotherVersion() async throws {
        let answer = envelope(parts("<faultcode>s:Server</faultcode><faultstring>no luck</faultstring>"))
        let error = await #expect(throws: ServiceError.self) {
            try await ServiceCaller(CannedTransport(status: 500, answer), version: .soap12)
                .call(Greeting.greet, .init(name: ""))
        }
        #expect(error?.message.contains("no luck") == true)
    }

    /// A detail that is nested deeper than the limit costs the detail, and not the fault.
    @Test func aDeepDetailDoesNotHideAFault() async throws {
        let deep = String(repeating: "<d>", count: 300) + String(repeating: "</d>", count: 300)
        let detail = "<detail>\(deep)</detail>"
        let said = "<faultcode>s:Client</faultcode><faultstring>boom</faultstring>"
        for status in [200, 500] {
            for body in [parts(said + detail), "<g:Greeted><g:text>x</g:text></g:Greeted>" + parts(said + detail)] {
                let fault = try await fault(body, status: status)
                #expect(fault.code == .client && fault.reason == "boom" && fault.detail.isEmpty)
                #expect("\(fault)".hasSuffix("Client: boom (Its detail is nested too deeply and was not read.)"))
            }
        }
        // A fault without any content yet cannot be reported.
        await #expect(throws: ServiceError.self) {
            try await ServiceCaller(CannedTransport(status: 500, envelope(parts(detail + said))))
                .call(Greeting.greet, .init(name: ""))
        }
    }

    /// A detail is there as it came, with its attributes.
    @Test(arguments: ["order 77 is locked", "order <b>77</b> is locked", "<b>77</b>", ""])
    func theDetailIsKeptAsItCame(content: String) async throws {
        let text = "<detail xmlns:a=\"urn:a\" a:id=\"7\" level=\"3\">\(content)</detail>"
        let fault = try await fault(parts("<faultcode>s:Client</faultcode><faultstring>x</faultstring>\(text)"))
        let kept = try #require(fault.detailElement)
        #expect(String(decoding: kept.bytes, as: UTF8.self) == text)
        #expect(fault.detailAttributes.value(named: "level") == "3")
        #expect(fault.detailAttributes.value(named: "id", namespace: XMLNamespace("urn:a")) == "7")
        #expect(fault.detail.map(\.text) == (content.contains("<b>") ? ["77"] : []))
    }

    /// An envelope that breaks rules around the fault.
    @Test func defectsElsewhereDoNotHideAFault() async throws {
        let content = parts("<faultcode>s:Client</faultcode><faultstring>real reason</faultstring>")
        let documents = [
            envelope("loose text \(content)"), envelope("\(content) loose text"),
            envelope(content).replacing("</s:Body>", with: "</s:Body><s:More/>"),
            envelope(content).replacing("<s:Body>", with: "<more/><s:Body>"),
            envelope(content).replacing("<s:Body>", with: "text<s:Body>"), envelope(content) + "\nNotice: 7",
            envelope(content, header: "<s:Header><x s:mustUnderstand='maybe'/></s:Header>"),
            envelope("<g:Greeted><a></g:Greeted>").replacing(
                "<g:Greeted><a></g:Greeted>", with: "\(content)<a><b></a>"),
        ]
        for document in documents {
            for status in [200, 500] {
                let transport = CannedTransport(status: status, document)
                let error = await #expect(throws: SOAPFault.self, "\(document)") {
                    try await ServiceCaller(transport).call(Greeting.greet, .init(name: ""))
                }
                #expect(error?.reason == "real reason")
            }
        }
        // What is not whole says nothing.
        let cut = envelope(content).components(separatedBy: "reason").first ?? ""
        await #expect(throws: ServiceError.self) {
            try await ServiceCaller(CannedTransport(status: 500, cut)).call(Greeting.greet, .init(name: ""))
        }
    }

    // MARK: Refusals

    /// A transport's error about a 401, as from a failed authentication.
    private struct Refusal: AnsweredRefusal {
        var message = "The password was refused."
        var cause: (any Error)?
        var answerFields: HTTPFields? = [:]
        var answerContent: [UInt8] = []
    }

    private struct Refusing: ClientTransport {
        var refusal: Refusal
        func send(_ request: ClientRequest) async throws -> ClientResponse { throw refusal }
        func shutdown() async throws {}
    }

    @Test(
        arguments: [
            ("text/xml", "<g:Other/>%", true), (nil, "%", true), ("application/soap+xml", "%", true),
            ("text/html", "%", false), ("text/xml", "<g:Other/>", false), ("text/xml", "<", false),
            ("text/xml", "", false),
        ] as [(String?, String, Bool)])
    func theErrorQuotesTheFaultOfARefusal(contentType: String?, body: String, isSaid: Bool) async throws {
        let fault = parts("<faultcode>s:Client</faultcode><faultstring>The account is locked.</faultstring>")
        let content = body.isEmpty ? "" : envelope(body.replacing("%", with: fault))
        let refusal = Refusal(
            answerFields: contentType.map { [.contentType: $0] } ?? [:], answerContent: Array(content.utf8))
        let error = await #expect(throws: Refusal.self) {
            try await ServiceCaller(Refusing(refusal: refusal)).call(Greeting.greet, .init(name: ""))
        }
        let said = " The service answered with the fault Client: The account is locked."
        #expect(error?.message == "The password was refused.\(isSaid ? said : "")")
        #expect((error?.cause is SOAPFault) == isSaid)
    }

    /// Providers get the refusal, with its fields and fault, and can have the message sent once more.
    @Test(arguments: [(true, false), (false, false), (true, true)])
    func providersSeeARefusal(hasAnswer: Bool, isVerifying: Bool) async throws {
        final class Provider: HeaderBlockProvider {
            let verifiesAnswers: Bool
            init(verifiesAnswers: Bool) { self.verifiesAnswers = verifiesAnswers }
            let heads = Mutex<[AnswerHead]>([])
            func headerBlocks(for attempt: CallAttempt) async throws -> [HeaderBlock] { [] }
            func received(_ answer: AnswerHead) async throws { heads.withLock { $0.append(answer) } }
            func wantsAnotherAttempt(after answer: AnswerHead) async -> Bool { true }
        }
        let fault = envelope(parts("<faultcode>s:Client</faultcode><faultstring>The account is locked.</faultstring>"))
        let fields: HTTPFields = [.contentType: "text/xml", .date: "Mon, 30 Nov 2026 10:00:00 GMT"]
        let refusal = Refusal(answerFields: hasAnswer ? fields : nil, answerContent: Array(fault.utf8))
        let provider = Provider(verifiesAnswers: isVerifying)
        var caller = try ServiceCaller(Refusing(refusal: refusal))
        caller.headerProviders = [provider]
        let client = caller
        let error = await #expect(throws: Refusal.self) { () async throws in
            try await client.call(Greeting.greet, .init(name: ""))
        }
        #expect(error?.message.contains("The account is locked.") == true)
        let heads = provider.heads.withLock { $0 }
        // With a provider that verifies answers, nothing has verified the fault, and nothing is sent again for it.
        #expect(heads.map(\.status) == (hasAnswer ? isVerifying ? [401] : [401, 401] : []))
        #expect((error?.cause is SOAPFault) == !isVerifying)
        let reason = isVerifying ? nil : "The account is locked."
        #expect(heads.allSatisfy { $0.fault?.reason == reason && $0.fields[.date] != nil })
        #expect(Set(heads.map(\.attempt?.number)).count == heads.count)
    }

    @Test func attributesOfADetailAreSent() async throws {
        for version in [SOAPVersion.soap11, .soap12] {
            let dispatcher = Greeting.dispatcher { _, _ in
                var fault = SOAPFault.client("no")
                fault.detailAttributes = [.init(namespaceURI: "urn:a", localName: "id", value: "7 & 8")]
                throw fault
            }
            let request = envelope("<g:Greet><g:name/></g:Greet>", version)
            let answer = await dispatcher.respond(to: Array(request.utf8), from: .init())
            let transport = CannedTransport(
                status: answer.status, contentType: version.mediaType,
                String(decoding: answer.body.bytes ?? [], as: UTF8.self))
            let error = await #expect(throws: SOAPFault.self) {
                try await ServiceCaller(transport, version: version).call(Greeting.greet, .init(name: ""))
            }
            #expect(error?.detailAttributes == [.init(namespaceURI: "urn:a", localName: "id", value: "7 & 8")])
        }
    }
}
