import GreetingService
import SignetSOAP
import Testing

@Suite struct HeaderBlockTests {
    let block = HeaderBlock(XMLName("urn:h", "h"), text: "a&b", mustUnderstand: true)

    @Test(arguments: [SOAPVersion.soap11, .soap12]) func headerBlocksAreSentAndReceived(version: SOAPVersion)
        async throws
    {
        var dispatcher = Greeting.dispatcher { _, context in
            .init(
                text: context.headerBlocks.map {
                    "\($0.namespaceURI) \($0.localName) \($0.fragment.text) \($0.mustUnderstand) \($0.role?.uri ?? "-")"
                }.joined(separator: "; "))
        }
        dispatcher.understoodHeaderBlocks = [XMLName("urn:h", "h")]
        var caller = try ServiceCaller(InProcessTransport(dispatcher), version: version)
        caller.headerBlocks = [block]
        let answer = try await caller.call(
            Greeting.greet, .init(name: ""),
            headerBlocks: [
                HeaderBlock(XMLName("urn:h", "i"), text: "", mustUnderstand: true, role: "urn:other"),
                HeaderBlock(XMLName("urn:h", "j"), text: "", role: .next),
            ])
        #expect(
            answer.text
                == "urn:h h a&b true -; urn:h i  true urn:other; urn:h j  false \(SOAPRole.next)")
    }

    @Test(arguments: [SOAPVersion.soap11, .soap12])
    func anUnknownMandatoryBlockIsAFault(version: SOAPVersion) async throws {
        var caller = try ServiceCaller(InProcessTransport(Greeting.dispatcher()), version: version)
        caller.headerBlocks = [block, HeaderBlock(XMLName("urn:h", "i"), text: "", mustUnderstand: true, role: .next)]
        let fault = await #expect(throws: SOAPFault.self) { try await caller.call(Greeting.greet, .init(name: "")) }
        #expect(fault?.code == .mustUnderstand)
        #expect(fault?.reason.contains("{urn:h}h, {urn:h}i") == true)
        #expect(fault?.notUnderstood.map(\.description) == (version == .soap12 ? ["{urn:h}h", "{urn:h}i"] : []))
    }

    @Test func aServiceMayActInFurtherRoles() async throws {
        var dispatcher = Greeting.dispatcher()
        dispatcher.roles = ["urn:gate"]
        var caller = try ServiceCaller(InProcessTransport(dispatcher))
        caller.headerBlocks = [HeaderBlock(XMLName("urn:h", "h"), text: "", mustUnderstand: true, role: "urn:gate")]
        let fault = await #expect(throws: SOAPFault.self) { try await caller.call(Greeting.greet, .init(name: "")) }
        #expect(fault?.code == .mustUnderstand)
    }

    @Test(arguments: [SOAPVersion.soap11, .soap12]) func typedInBothDirections(version: SOAPVersion) async throws {
        var dispatcher = Greeting.dispatcher { _, context in
            let mood = try context.header(Greeting.mood)
            context.answerHeaderBlocks.append(Greeting.mood.block(.init(text: "still \(mood?.text ?? "none")")))
            return .init(text: "")
        }
        dispatcher.understoodHeaderBlocks = [Greeting.mood.name]
        let caller = try ServiceCaller(InProcessTransport(dispatcher), version: version)
        let answer = try await caller.answer(
            to: Greeting.greet, .init(name: ""),
            headerBlocks: [
                // Not for the service: it must not be taken for its own.
                Greeting.mood.block(.init(text: "foreign"), role: "urn:other"),
                Greeting.mood.block(.init(text: "good"), mustUnderstand: true),
            ])
        #expect(try answer.header(Greeting.mood)?.text == "still good")
        #expect(try answer.header(HeaderElement<Greeting.Greet>(XMLName("urn:mood", "Other"))) == nil)
        #expect(throws: XMLError.self) {
            try answer.header(HeaderElement<Greeting.NobodyThere>(Greeting.mood.name))
        }
    }

    @Test func aBlockThatCannotBeReadIsTheClientsFault() async throws {
        let dispatcher = Greeting.dispatcher { _, context in
            .init(text: try context.header(HeaderElement<Greeting.NobodyThere>(Greeting.mood.name)).debugDescription)
        }
        let caller = try ServiceCaller(InProcessTransport(dispatcher))
        let fault = await #expect(throws: SOAPFault.self) {
            try await caller.call(
                Greeting.greet, .init(name: ""), headerBlocks: [Greeting.mood.block(.init(text: "good"))])
        }
        #expect(fault?.code == .client)
        #expect(fault?.reason.contains("{urn:mood}Mood") == true)
    }

    /// What was received can be sent on, whatever prefixes it uses, and attributes of SOAP are not put there twice.
    @Test(arguments: [SOAPVersion.soap11, .soap12]) func fragments(version: SOAPVersion) async throws {
        let transport = CannedTransport(
            contentType: version.mediaType, envelope("<g:Greeted><g:text/></g:Greeted>", version))
        let own =
            "<soap:a xmlns:soap='urn:soap' xmlns:e='\(version.namespace)' e:mustUnderstand='0' q='soap:x'><soap:b/></soap:a>"
        var caller = try ServiceCaller(transport, version: version)
        caller.headerBlocks = [
            HeaderBlock(try XMLFragment(parsing: own)),
            HeaderBlock(try XMLFragment(parsing: own), mustUnderstand: true, role: .next),
            HeaderBlock(try XMLFragment(parsing: "<c/>"), mustUnderstand: true),
        ]
        _ = try await caller.call(Greeting.greet, .init(name: ""))
        let sent = try XMLFragment(parsing: try #require(await transport.requests.first).body.bytes ?? [])
        let blocks = try #require(sent.children.first(named: "Header")).children
        #expect(blocks.map(\.localName) == ["a", "a", "c"])
        #expect(blocks.map(\.namespaceURI) == ["urn:soap", "urn:soap", ""])
        let flags = blocks.map { $0.attribute("mustUnderstand", namespace: version.namespace) }
        #expect(flags == ["0", "0", version == .soap12 ? "true" : "1"])
        let role = blocks[1].attribute(version == .soap12 ? "role" : "actor", namespace: version.namespace)
        #expect(role?.hasSuffix("/next") == true)
        #expect(blocks.prefix(2).allSatisfy { $0.children.first?.namespaceURI == "urn:soap" })
    }

    @Test func understoodOnTheWayBack() async throws {
        let answer = envelope(
            "<g:Greeted><g:text>x</g:text></g:Greeted>",
            header: "<s:Header><x:y xmlns:x='urn:x' s:mustUnderstand='true'/></s:Header>", .soap12)
        var caller = try ServiceCaller(CannedTransport(contentType: "application/soap+xml", answer), version: .soap12)
        let error = await #expect(throws: ServiceError.self) { try await caller.call(Greeting.greet, .init(name: "")) }
        #expect(error?.code == .headerNotUnderstood)
        #expect(error?.message.contains("{urn:x}y") == true)
        caller.understoodHeaderBlocks = [XMLName("urn:x", "y")]
        let result = try await caller.answer(to: Greeting.greet, .init(name: ""))
        #expect(result.output.text == "x")
        #expect(result.headerBlocks.map(\.localName) == ["y"])
    }

    @Test func blocksWithoutANamespaceAreRefusedInSOAP12() async {
        let request = envelope("<g:Greet><g:name/></g:Greet>", header: "<s:Header><x/></s:Header>", .soap12)
        let answer = await Greeting.dispatcher().respond(to: Array(request.utf8), from: .init())
        #expect(answer.status == 400)
    }

    /// What a peer sends must not come back many times as long.
    @Test func answersToHugeHeadersAreShort() async {
        let uri = String(repeating: "u", count: 1000)
        let blocks = String(repeating: "<x:y s:mustUnderstand='1'/>", count: 200)
        let request = envelope(
            "<g:Greet><g:name/></g:Greet>", header: "<s:Header xmlns:x='\(uri)'>\(blocks)</s:Header>", .soap12)
        let answer = await Greeting.dispatcher().respond(to: Array(request.utf8), from: .init())
        #expect(String(decoding: answer.body.bytes ?? [], as: UTF8.self).contains("MustUnderstand"))
        #expect(answer.body.count ?? .max < 4096)
    }

    /// Each takes far more memory than the bytes it is sent in.
    @Test(arguments: [SOAPVersion.soap11, .soap12]) func theirNumberIsBounded(version: SOAPVersion) async throws {
        func header(_ count: Int) -> String {
            "<s:Header xmlns='urn:h'>\(String(repeating: "<a/>", count: count))</s:Header>"
        }
        func respond(_ count: Int) async -> (status: Int, text: String) {
            let request = envelope("<g:Greet><g:name>x</g:name></g:Greet>", header: header(count), version)
            let answer = await Greeting.dispatcher().respond(to: Array(request.utf8), from: .init())
            return (answer.status, String(decoding: answer.body.bytes ?? [], as: UTF8.self))
        }
        #expect(await respond(256).status == 200)
        let refused = await respond(257)
        #expect(refused.status == (version == .soap12 ? 400 : 500))
        #expect(refused.text.contains("more than 256 header blocks"), "\(refused.text)")

        func call(_ count: Int) async throws -> Int {
            let answer = envelope("<g:Greeted><g:text/></g:Greeted>", header: header(count), version)
            let caller = try ServiceCaller(
                CannedTransport(contentType: version.mediaType, answer), version: version)
            return try await caller.answer(to: Greeting.greet, .init(name: "")).headerBlocks.count
        }
        #expect(try await call(256) == 256)
        let error = await #expect(throws: ServiceError.self) { try await call(257) }
        #expect(error?.code == .malformedAnswer)
    }

    /// What was received is sent on with attributes added, and its namespace not kept either; the attributes' prefixes
    /// must not be those that it gives another meaning.
    @Test(arguments: [
        "<f:a xmlns:f='URI'><f:b/></f:a>", "<a xmlns='URI'><b/></a>",
        "<soap:a xmlns:soap='URI' xmlns:n1='urn:n1'><soap:b n1:x=''/></soap:a>", "<f:a xmlns:f='URI' f:x='1'/>",
    ])
    func namesOfFragmentsAreNotKept(element: String) async throws {
        let uri = "urn:never-named-in-a-fragment-\(element.utf8.count)"
        let fragment = try XMLFragment(parsing: element.replacing("URI", with: uri))
        let transport = CannedTransport(envelope("<g:Greeted><g:text/></g:Greeted>"))
        var caller = try ServiceCaller(transport)
        caller.headerBlocks = [HeaderBlock(fragment, mustUnderstand: true, role: .next)]
        _ = try await caller.call(Greeting.greet, .init(name: ""))
        let sent = try XMLFragment(parsing: try #require(await transport.requests.first).body.bytes ?? [])
        let block = try #require(sent.children.first(named: "Header")?.children.first)
        #expect(block.localName == "a")
        #expect(block.namespaceURI == uri)
        #expect(block.attribute("mustUnderstand", namespace: SOAPVersion.soap11.namespace) == "1")
        #expect(block.attribute("actor", namespace: SOAPVersion.soap11.namespace)?.hasSuffix("/next") == true)
        #expect(block.children.allSatisfy { $0.namespaceURI == uri })
        #expect(block.attributes.count == fragment.attributes.count + 2)
        #expect(XMLNamespace.known(uri) == nil)
    }

    /// A peer that names ever new namespaces must not fill the table that the program keeps for good.
    @Test func namesOfPeersAreNotKept() async throws {
        let uri = "urn:never-named-before"
        let request = envelope(
            "<g:Greet><g:name/></g:Greet>",
            header: "<s:Header><x:y xmlns:x='\(uri)' s:mustUnderstand='1'/></s:Header>", .soap12)
        let answer = await Greeting.dispatcher().respond(to: Array(request.utf8), from: .init())
        #expect(String(decoding: answer.body.bytes ?? [], as: UTF8.self).contains(uri))
        let caller = try ServiceCaller(
            CannedTransport(
                status: 500, contentType: "application/soap+xml",
                String(decoding: answer.body.bytes ?? [], as: UTF8.self)),
            version: .soap12)
        let fault = await #expect(throws: SOAPFault.self) { try await caller.call(Greeting.greet, .init(name: "")) }
        #expect(fault?.notUnderstood.first?.namespaceURI == uri)
        #expect(XMLNamespace.known(uri) == nil)
    }
}
