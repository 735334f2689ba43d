import GreetingService
import SignetSOAP
import Testing

/// Faults on their way through both versions.
@Suite struct FaultTests {
    static let mine = SOAPFault.Code(namespaceURI: "urn:mine?a&b", localName: "Special")
    static let other = SOAPFault.Code(namespaceURI: "urn:other", localName: "MoreSpecial")

    /// What a client gets when the handler throws `fault`, and the answer's text.
    func thrown(_ fault: SOAPFault, _ version: SOAPVersion) async throws -> (
        fault: SOAPFault, status: Int, text: String
    ) {
        let dispatcher = Greeting.dispatcher { _, _ in throw fault }
        let request = envelope("<g:Greet><g:name/></g:Greet>", version)
        let answer = await dispatcher.respond(to: Array(request.utf8), from: .init())
        let caller = try ServiceCaller(InProcessTransport(dispatcher), version: version)
        let error = await #expect(throws: SOAPFault.self) { try await caller.call(Greeting.greet, .init(name: "")) }
        return (try #require(error), answer.status, String(decoding: answer.body.bytes ?? [], as: UTF8.self))
    }

    @Test func theDescriptionStatesAMissingReason() {
        #expect("\(SOAPFault(.server, ""))".hasSuffix("the fault Server and no reason."))
    }

    @Test func faultsAreEqualWhenWhatIsSentIs() throws {
        let fault = SOAPFault.client("no")
        #expect(fault == SOAPFault(.sender, "no"))
        let changes: [(inout SOAPFault) throws -> Void] = [
            { $0.code = .server }, { $0.subcodes = [Self.mine] }, { $0.reasons[0].language = "de" },
            { $0.role = "urn:role" }, { $0.node = "urn:node" }, { $0.detail = [try XMLFragment(parsing: "<a/>")] },
            { $0.detailText = "text" },
            { $0.detailAttributes = [.init(localName: "a", value: "1")] },
            { $0.notUnderstood = [.init(namespaceURI: "urn:x", localName: "a")] }, { $0.supportedVersions = [.soap12] },
        ]
        for (number, change) in changes.enumerated() {
            var other = fault
            try change(&other)
            #expect(other != fault, "change \(number)")
        }
    }

    @Test(arguments: [SOAPVersion.soap11, .soap12]) func comeThrough(version: SOAPVersion) async throws {
        var fault = SOAPFault(
            .client, "a < b", role: "urn:role",
            detail: [try XMLFragment(parsing: "<a xmlns='urn:a' xmlns:x='urn:x' t='x:b'/>")])
        fault.node = "urn:node"
        fault.detailText = "and text"
        let (received, status, _) = try await thrown(fault, version)
        #expect(status == (version == .soap12 ? 400 : 500))
        #expect(received.code == .client)
        #expect(received.subcodes.isEmpty)
        #expect(received.reason == "a < b")
        #expect(received.role == "urn:role")
        #expect(received.node == (version == .soap12 ? "urn:node" : nil))
        #expect(received.detail == fault.detail)
        #expect(received.detailText == "and text")
        #expect(
            "\(received)" == "The service answered with the fault \(version == .soap12 ? "Sender" : "Client"): a < b")
    }

    @Test func severalLanguages() async throws {
        var fault = SOAPFault.server("later")
        fault.reasons += [.init("später", language: "de"), .init("?")]
        let received = try await thrown(fault, .soap12).fault
        #expect(received.reasons.map(\.language) == ["en", "de", "und"])
        #expect(received.reason(in: "de") == "später")
        #expect(try await thrown(fault, .soap11).fault.reasons == [.init("later")])
        fault.reasons = [.init("später", language: "de")]
        #expect(try await thrown(fault, .soap11).fault.reasons == [.init("später", language: "de")])
        fault.reasons = []
        #expect(try await thrown(fault, .soap12).fault.reason == "")
    }

    /// A code of one's own is the code of SOAP 1.1, and a subcode in SOAP 1.2.
    @Test func customCodesAreSubcodesInSOAP12() async throws {
        let (first, status, _) = try await thrown(SOAPFault(Self.mine, ""), .soap12)
        #expect(status == 500)
        #expect(first.code == .server)
        #expect(first.subcodes == [Self.mine])
        #expect(try await thrown(SOAPFault(Self.mine, ""), .soap11).fault.code == Self.mine)

        let dotted = SOAPFault.Code(namespaceURI: SOAPVersion.soap11.namespace.uri, localName: "Client.Login")
        let second = try await thrown(SOAPFault(dotted, ""), .soap12)
        #expect(second.status == 400)
        #expect(second.fault.code == .sender)
        #expect(second.fault.subcodes == [dotted])
    }

    @Test func subcodes() async throws {
        let fault = SOAPFault(.client, "", subcodes: [Self.mine, Self.other])
        let (received, _, text) = try await thrown(fault, .soap12)
        #expect(received.code == .client)
        #expect(received.subcodes == [Self.mine, Self.other])
        #expect("\(received)".contains("Sender / Special / MoreSpecial"))
        #expect(
            text.contains(
                """
                <soap:Code><soap:Value>soap:Sender</soap:Value><soap:Subcode>\
                <soap:Value>q:Special</soap:Value><soap:Subcode>\
                <soap:Value>n1:MoreSpecial</soap:Value></soap:Subcode></soap:Subcode></soap:Code>
                """))
        #expect(text.contains(" xmlns:q=\"urn:mine?a&amp;b\" xmlns:n1=\"urn:other\">"))
        #expect(try await thrown(fault, .soap11).fault.code == Self.mine)
    }

    @Test func subcodesAreBounded() async throws {
        let value = "<s:Value xmlns:q='urn:q'>q:x</s:Value>"
        let codes =
            "<s:Code><s:Value>s:Sender</s:Value>" + String(repeating: "<s:Subcode>\(value)", count: 100)
            + String(repeating: "</s:Subcode>", count: 100) + "</s:Code>"
        let body = "<s:Fault>\(codes)<s:Reason><s:Text xml:lang='en'>r</s:Text></s:Reason></s:Fault>"
        let transport = CannedTransport(
            status: 400, contentType: "application/soap+xml", envelope(body, .soap12))
        let error = await #expect(throws: SOAPFault.self) {
            try await ServiceCaller(transport, version: .soap12).call(Greeting.greet, .init(name: ""))
        }
        #expect(error?.code == .sender)
        #expect(error?.subcodes.count == 16)
        #expect(error?.reason == "r")
    }

    /// Faults as services really write them.
    @Test(arguments: [
        (
            "<s:Code><s:Value> s:Receiver\n</s:Value></s:Code><s:Reason><s:Text>r</s:Text></s:Reason>",
            SOAPFault.Code.server
        ),
        ("<s:Code><s:Value>Sender</s:Value></s:Code><s:Reason><s:Text>r</s:Text></s:Reason>", .client),
        ("<faultcode>s:Sender</faultcode><faultstring>r</faultstring>", .client),
        ("<s:Reason><s:Text>r</s:Text></s:Reason>", .server),
        (
            "<s:Code><s:Value>x:Sender</s:Value></s:Code><s:Reason><s:Text>r</s:Text></s:Reason>",
            .init(namespaceURI: "", localName: "x:Sender")
        ),
    ])
    func oddFaults(parts: String, code: SOAPFault.Code) async throws {
        let transport = CannedTransport(
            status: 500, contentType: "application/soap+xml", envelope("<s:Fault>\(parts)</s:Fault>", .soap12))
        let error = await #expect(throws: SOAPFault.self) {
            try await ServiceCaller(transport, version: .soap12).call(Greeting.greet, .init(name: ""))
        }
        #expect(error?.code == code)
        #expect(error?.reason == "r")
    }

    @Test(arguments: [SOAPVersion.soap11, .soap12]) func declaredFaultsAreTyped(version: SOAPVersion) async throws {
        let dispatcher = Greeting.dispatcher { _, _ in
            throw DeclaredFault(Greeting.NobodyThere(looked: 5), reason: "nobody")
        }
        let caller = try ServiceCaller(InProcessTransport(dispatcher), version: version)
        let error = await #expect(throws: DeclaredFault<Greeting.NobodyThere>.self) {
            try await caller.call(Greeting.greet, .init(name: ""))
        }
        #expect(error?.detail.looked == 5)
        #expect(error?.fault.code == .sender)
        #expect(error?.fault.detail.map(\.localName) == ["NobodyThere"])
    }
}
