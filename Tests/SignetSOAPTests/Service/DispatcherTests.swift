import GreetingService
import SignetSOAP
import Testing

@Suite struct DispatcherTests {
    struct Unexpected: Error, CustomStringConvertible {
        var description: String { "database password hunter2 refused" }
    }

    func respond(
        _ message: String,
        _ handler: @escaping @Sendable (Greeting.Greet, OperationContext) async throws -> Greeting.Greeted = {
            input, _ in
            .init(text: input.name)
        }
    ) async -> (status: Int, text: String) {
        let answer = await Greeting.dispatcher(versions: [.soap11], handler).respond(
            to: Array(message.utf8), from: .init())
        return (answer.status, String(decoding: answer.body.bytes ?? [], as: UTF8.self))
    }

    let request = envelope("<g:Greet><g:name>n</g:name></g:Greet>")

    @Test func answers() async {
        let (status, text) = await respond(request)
        #expect(status == 200)
        #expect(text.contains("<m:Greeted><m:text>n</m:text></m:Greeted>"))
    }

    @Test(arguments: [
        ("", "soap:Client", "cannot be read"),
        ("<a/>", "soap:Client", "no SOAP envelope"),
        (envelope(""), "soap:Client", "empty"),
        (envelope("<g:Unknown/>"), "soap:Client", "no operation"),
        (envelope("<Greet><name/></Greet>"), "soap:Client", "no operation"),
        (envelope("<g:Greet/>"), "soap:Client", "name"),
        ("<!DOCTYPE a>" + envelope("<g:Greet/>"), "soap:Client", "DOCTYPE"),
        ("<e:Envelope xmlns:e='http://www.w3.org/2003/05/soap-envelope'/>", "soap:VersionMismatch", "SOAP 1.1"),
        ("<e:Envelope xmlns:e='http://www.w3.org/2003/05/soap-envelope'><", "soap:VersionMismatch", "SOAP 1.1"),
        ("<e:Envelope xmlns:e='urn:e'/>", "soap:VersionMismatch", "SOAP 1.1"),
        (envelope("<g:Greet/>", header: "<s:Header/><s:Header/>"), "soap:Client", "Header"),
        (envelope("<g:Greet/>", header: "<g:x/>"), "soap:Client", "“x”"),
        (envelope("<g:Greet/>").replacing("s:Body", with: "s:Head"), "soap:Client", "“Head”"),
        (envelope("", header: "<s:Header><g:x s:mustUnderstand='yes'/></s:Header>"), "soap:Client", "mustUnderstand"),
    ])
    func badRequestsGetFaults(message: String, code: String, words: String) async {
        let (status, text) = await respond(message)
        #expect(status == 500)
        #expect(text.contains("<faultcode>\(code)</faultcode>"), "\(text)")
        #expect(text.contains(words), "\(text)")
    }

    @Test func errorsOfAHandlerAreNotShownToTheCaller() async {
        let (status, text) = await respond(request) { _, _ in throw Unexpected() }
        #expect(status == 500)
        #expect(text.contains("<faultstring>Internal error.</faultstring>"))
        #expect(!text.contains("hunter2"))
    }

    /// A service that calls another one does not hand that one's faults on.
    @Test func faultsOfABackendServiceAreNotPassedOn() async throws {
        let behind = "<s:Fault><faultcode>s:Server</faultcode><faultstring>host db7</faultstring></s:Fault>"
        let caller = ServiceCaller(
            endpoint: try Endpoint("http://localhost/"), transport: CannedTransport(status: 500, envelope(behind)))
        let (_, text) = await respond(request) { input, _ in try await Greeting.Client(caller).greet(input) }
        #expect(text.contains("Internal error."))
        #expect(!text.contains("db7"))
    }

    @Test func faultsThatShareATypeAreToldApart() async throws {
        let names = ["First", "Second"].map { XMLName("urn:greeting", $0) }
        let operation = ServiceOperation<Greeting.Greet, Greeting.Greeted>(
            name: "Greet", soapAction: "", version: .soap11, input: XMLName("urn:greeting", "Greet"),
            output: XMLName("urn:greeting", "Greeted"), faults: names.map { .declared($0, Greeting.NobodyThere.self) },
            namespaces: ["urn:greeting"])
        for name in names {
            let dispatcher = ServiceDispatcher(
                name: "Greeting", versions: [.soap11],
                routes: [
                    operation.route { _, _ in
                        throw DeclaredFault(Greeting.NobodyThere(looked: 1), reason: "nobody", element: name)
                    }
                ])
            let caller = try ServiceCaller(InProcessTransport(dispatcher))
            let error = await #expect(throws: DeclaredFault<Greeting.NobodyThere>.self) {
                try await caller.call(operation, .init(name: ""))
            }
            #expect(error?.element == name)
        }
    }

    @Test func declaredFaultsComeBackTyped() async throws {
        let dispatcher = Greeting.dispatcher { _, _ in
            throw DeclaredFault(Greeting.NobodyThere(looked: 5), code: .server, reason: "nobody")
        }
        let error = await #expect(throws: DeclaredFault<Greeting.NobodyThere>.self) {
            try await Greeting.Client(inProcess: dispatcher).greet(.init(name: ""))
        }
        #expect(error?.detail.looked == 5)
        #expect(error?.fault.code == .server)
    }

    @Test func faultsOfOtherKindsKeepTheirCode() async throws {
        let code = SOAPFault.Code(namespaceURI: "urn:mine?a&b", localName: "Special")
        let dispatcher = Greeting.dispatcher { _, _ in throw SOAPFault(code, "a < b", role: "urn:me") }
        let error = await #expect(throws: SOAPFault.self) {
            try await Greeting.Client(inProcess: dispatcher).greet(.init(name: ""))
        }
        #expect(error?.code == code)
        #expect(error?.reason == "a < b")
        #expect(error?.role == "urn:me")
    }
}
