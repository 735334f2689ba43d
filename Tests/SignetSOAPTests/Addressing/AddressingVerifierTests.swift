import GreetingService
import SignetSOAP
import Testing

/// What a service takes, and what its answers and faults carry.
@Suite struct AddressingVerifierTests {
    private static let versions = [AddressingVersion.v10, .submission]
    private static let soapVersions = [SOAPVersion.soap11, .soap12]

    private static let greet = ServiceOperation<Greeting.Greet, Greeting.Greeted>(
        name: "Greet", soapAction: "urn:greet", version: .soap11, input: XMLName("urn:greeting", "Greet"),
        output: XMLName("urn:greeting", "Greeted"),
        faults: [.declared(XMLName("urn:greeting", "NobodyThere"), Greeting.NobodyThere.self, action: "urn:nobody")],
        actions: .init(output: "urn:greeted"))

    private func dispatcher(_ verifier: AddressingVerifier = AddressingVerifier()) -> ServiceDispatcher {
        ServiceDispatcher(
            name: "Greeting", versions: [.soap11, .soap12],
            routes: [
                Self.greet.route { input, _ in
                    switch input.name {
                    case "nobody": throw DeclaredFault(Greeting.NobodyThere(looked: 1), reason: "Nobody.")
                    case "fault": throw SOAPFault.client("No.")
                    case "broken": throw CancellationError()
                    default: return .init(text: input.name)
                    }
                },
                Greeting.wave.route { _, _ in },
            ]
        ).verified(by: verifier)
    }

    private struct Reply {
        var status: Int
        var text: String
        var blocks: [XMLFragment] { text.isEmpty ? [] : (try? headerBlocks(text)) ?? [] }
        func block(_ name: String) -> String? { blocks.first(named: name)?.text }
        func has(_ code: String) -> Bool { text.contains(":\(code)<") }
    }

    /// - Parameter header: in which `N` stands for the namespace.
    private func respond(
        _ header: String, name: String = "n", _ version: AddressingVersion = .v10, soap: SOAPVersion = .soap11,
        action: String? = "urn:greet", body: String? = nil, by verifier: AddressingVerifier = AddressingVerifier()
    ) async -> Reply {
        let header = "<s:Header xmlns:a='N'>\(header)</s:Header>".replacingN(with: version.namespace.uri)
        let message = envelope(body ?? "<g:Greet><g:name>\(name)</g:name></g:Greet>", header: header, soap)
        let answer = await dispatcher(verifier).respond(to: Array(message.utf8), action: action, from: .init())
        return Reply(status: answer.status, text: String(decoding: answer.body.bytes ?? [], as: UTF8.self))
    }

    private static let right = "<a:Action>urn:greet</a:Action><a:MessageID>urn:1</a:MessageID><a:To>http://h/</a:To>"
    private static func replyTo(_ address: String, _ parameters: String = "", as name: String = "ReplyTo") -> String {
        "<a:\(name)><a:Address>\(address)</a:Address><a:ReferenceParameters>\(parameters)</a:ReferenceParameters></a:\(name)>"
    }

    @Test(arguments: versions, soapVersions)
    func answersAndFaultsHaveTheirAction(version: AddressingVersion, soap: SOAPVersion) async {
        let outcomes = [
            ("n", "urn:greeted"), ("nobody", "urn:nobody"), ("fault", version == .v10 ? "soap/fault" : "fault"),
            ("broken", version == .v10 ? "soap/fault" : "fault"),
        ]
        for (name, action) in outcomes {
            let reply = await respond(Self.right, name: name, version, soap: soap)
            #expect(reply.block("RelatesTo") == "urn:1", "\(reply)")
            #expect(reply.block("MessageID")?.hasPrefix("urn:uuid:") == true)
            #expect(reply.block("To") == version.anonymous)
            #expect(
                reply.block("Action") == (action.hasPrefix("urn:") ? action : "\(version.namespace)/\(action)"),
                "\(reply)")
            #expect(reply.blocks.allSatisfy { $0.namespaceURI == version.namespace.uri })
        }
    }

    @Test func theClientAcceptsAnswersOfTheService() async throws {
        for version in Self.versions {
            var caller = try ServiceCaller(InProcessTransport(dispatcher(AddressingVerifier(isRequired: true))))
            var header = AddressingHeader(version)
            (header.mustUnderstand, header.requiresRelatesTo, header.requiresAction) = (true, true, true)
            header.replyTo = EndpointReference(
                version.anonymous, referenceParameters: [try XMLFragment(XMLName("urn:p", "state"), text: "s")])
            caller.headerProviders = [header]
            let answer = try await caller.answer(to: Self.greet, .init(name: "n"))
            #expect(answer.output.text == "n")
            #expect(answer.headerBlocks.last?.fragment.text == "s")
            let fault = await #expect(throws: DeclaredFault<Greeting.NobodyThere>.self) {
                try await caller.call(Self.greet, .init(name: "nobody"))
            }
            #expect(fault?.fault.headerBlocks.last?.fragment.text == "s")
            try await caller.send(Greeting.wave, .init(name: ""))
        }
    }

    @Test func headerBlocksAreOptionalUnlessRequired() async {
        let reply = await respond("")
        #expect(reply.status == 200)
        #expect(reply.blocks.isEmpty)
        let refused = await respond("", by: AddressingVerifier(isRequired: true))
        #expect(refused.has("MessageAddressingHeaderRequired"), "\(refused)")
        let only = await respond(Self.right, .submission, by: AddressingVerifier([.v10], isRequired: true))
        #expect(only.has("MessageAddressingHeaderRequired"), "\(only)")
    }

    private static let defects: [(header: String, codes: [String], old: String)] = [
        (
            right + "<a:Action>urn:greet</a:Action>", ["InvalidAddressingHeader", "InvalidCardinality"],
            "InvalidMessageInformationHeader"
        ),
        (
            right + "<a:MessageID>urn:2</a:MessageID>", ["InvalidAddressingHeader", "InvalidCardinality"],
            "InvalidMessageInformationHeader"
        ),
        (
            right + "<a:To>urn:2</a:To>", ["InvalidAddressingHeader", "InvalidCardinality"],
            "InvalidMessageInformationHeader"
        ),
        ("<a:MessageID>urn:1</a:MessageID>", ["MessageAddressingHeaderRequired"], "MessageInformationHeaderRequired"),
        ("<a:Action>urn:greet</a:Action>", ["MessageAddressingHeaderRequired"], "MessageInformationHeaderRequired"),
        (
            "<a:Action>urn:other</a:Action><a:MessageID>urn:1</a:MessageID>",
            ["InvalidAddressingHeader", "ActionMismatch"], "InvalidMessageInformationHeader"
        ),
        (
            right + replyTo("http://169.254.169.254/"), ["InvalidAddressingHeader", "OnlyAnonymousAddressSupported"],
            "InvalidMessageInformationHeader"
        ),
        (
            right + replyTo("mailto:a@b", as: "FaultTo"), ["InvalidAddressingHeader", "OnlyAnonymousAddressSupported"],
            "InvalidMessageInformationHeader"
        ),
        (
            right + "<a:ReplyTo/>", ["InvalidAddressingHeader", "MissingAddressInEPR"],
            "InvalidMessageInformationHeader"
        ),
        (right + "<a:RelatesTo/>", ["InvalidAddressingHeader"], "InvalidMessageInformationHeader"),
        (
            right + "<a:From><a:Address>\(String(repeating: "x", count: 3000))</a:Address></a:From>",
            ["InvalidAddressingHeader"], "InvalidMessageInformationHeader"
        ),
    ]

    @Test(arguments: defects.indices) func defectiveHeadersAreRefusedWithTheirFaultCode(index: Int) async {
        let defect = Self.defects[index]
        let reply = await respond(defect.header, soap: .soap12)
        #expect(reply.status == 400)
        for code in defect.codes { #expect(reply.has(code), "\(code): \(reply)") }
        #expect(reply.block("Action") == "http://www.w3.org/2005/08/addressing/fault")
        #expect(
            reply.block("RelatesTo")
                == (defect.header.contains("urn:2</a:MessageID") || !defect.header.contains("MessageID")
                    ? nil : "urn:1"))
        #expect(reply.text.contains("ProblemHeaderQName"))
        let old = await respond(defect.header, .submission)
        #expect(old.status == 500)
        #expect(old.has(defect.old), "\(old)")
    }

    @Test func anActionOfAnotherOperationIsNotSupported() async {
        let header = "<a:Action>urn:other</a:Action><a:MessageID>urn:1</a:MessageID>"
        let reply = await respond(header, action: "")
        #expect(reply.has("ActionNotSupported"))
        // SOAP 1.1 keeps the detail of a fault for the body.
        #expect(reply.blocks.first(named: "FaultDetail")?.children.first?.text == "urn:other")
        #expect(!reply.text.contains("detail>"))
    }

    @Test func destinationsAreCheckedWhereTheyAreKnown() async {
        var verifier = AddressingVerifier()
        verifier.addresses = ["http://h/"]
        #expect(await respond(Self.right, by: verifier).status == 200)
        verifier.addresses = ["http://other/"]
        #expect(await respond(Self.right, by: verifier).has("DestinationUnreachable"))
    }

    @Test func parametersOfReplyToComeBack() async throws {
        let parameter = "<p:state xmlns:p='urn:p' xmlns:q='urn:q' type='q:x'><p:deep/></p:state>"
        for (name, isFault) in [("n", false), ("fault", true)] {
            let reply = await respond(Self.right + Self.replyTo(AddressingVersion.v10.anonymous, parameter), name: name)
            let state = try #require(reply.blocks.first(named: "state"), "\(isFault)")
            #expect(state.attribute("IsReferenceParameter", namespace: AddressingVersion.v10.namespace) == "true")
            #expect(state.children.map(\.localName) == ["deep"])
        }
        // FaultTo goes before ReplyTo for faults, and 2004/08 has no mark.
        let both =
            Self.right + Self.replyTo(AddressingVersion.submission.anonymous, parameter)
            + Self.replyTo(AddressingVersion.submission.anonymous, "<p:fault xmlns:p='urn:p'/>", as: "FaultTo")
        let fault = await respond(both, name: "fault", .submission)
        #expect(fault.blocks.filter { $0.namespaceURI == "urn:p" }.map(\.localName) == ["fault"])
        #expect(!fault.text.contains("IsReferenceParameter"))
        #expect(await respond(both, .submission).blocks.last?.localName == "state")
    }

    /// Otherwise a caller could put header blocks into the answer that only the service may write.
    @Test(
        arguments: [
            "<a:RelatesTo>urn:forged</a:RelatesTo>", "<p:x xmlns:p='urn:p' s:mustUnderstand='1'/>",
            "<p:x xmlns:p='urn:p' s:actor='urn:r'/>", "<p:x xmlns:p='urn:p' a:IsReferenceParameter='false'/>",
            "<w:Security xmlns:w='http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd'/>",
            "<d:Signature xmlns:d='http://www.w3.org/2000/09/xmldsig#'/>", "<s:Upgrade/>", "<x/>",
            "<p:x xmlns:p='urn:p'><p:y xml:id='body'/></p:x>",
            "<p:x xmlns:p='urn:p' xmlns:u='http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd'><p:y><p:z u:Id='body'/></p:y></p:x>",
        ], versions) func parametersCannotForgeBlocks(parameter: String, version: AddressingVersion) async
    {
        for name in ["ReplyTo", "FaultTo"] {
            let reply = await respond(
                Self.right + Self.replyTo(version.anonymous, parameter, as: name), version)
            #expect(
                reply.has(version == .v10 ? "InvalidAddressingHeader" : "InvalidMessageInformationHeader"), "\(reply)")
            #expect(!reply.text.contains("forged") && !reply.text.contains("body'"))
        }
    }

    @Test func theServerDoesNotAnswerWhenReplyToIsNone() async {
        let none = AddressingVersion.v10.none ?? ""
        for name in ["n", "fault"] {
            let reply = await respond(Self.right + Self.replyTo(none), name: name)
            #expect(reply.status == 202)
            #expect(reply.text.isEmpty)
        }
        // Only faults.
        let header = Self.right + Self.replyTo(none, as: "FaultTo")
        #expect(await respond(header).status == 200)
        #expect(await respond(header, name: "nobody").status == 202)
        // What is not in order is said nevertheless.
        #expect(await respond(header + "<a:To>x</a:To>").status == 500)
    }

    @Test func oneWayMessagesNeedNoMessageID() async {
        let reply = await respond(
            "<a:Action>urn:wave</a:Action>", action: "urn:wave", body: "<g:Wave><g:name>n</g:name></g:Wave>")
        #expect(reply.status == 202, "\(reply)")
    }

    @Test func twoVersionsInOneMessageAreRefused() async {
        let old = "<o:Action xmlns:o='\(AddressingVersion.submission.namespace)'>urn:greet</o:Action>"
        #expect(await respond(Self.right + old).has("InvalidAddressingHeader"))
    }

    @Test func blocksForOtherActorsAreIgnored() async {
        let reply = await respond(Self.right + "<a:Action s:actor='urn:other'>urn:x</a:Action>")
        #expect(reply.status == 200)
    }

    /// A fault for a body that cannot be read says what it answers, too.
    @Test func badBodiesAreRelated() async {
        let reply = await respond(Self.right, body: "<g:Unknown/>")
        #expect(reply.block("RelatesTo") == "urn:1")
        #expect(reply.text.contains("Unknown"))
    }

    @Test func handlersAddToFaults() async {
        let dispatcher = Greeting.dispatcher { _, context in
            context.faultHeaderBlocks.append(HeaderBlock(XMLName("urn:h", "hint"), text: "later"))
            throw SOAPFault.server("Closed.")
        }
        let answer = await dispatcher.respond(
            to: Array(envelope("<g:Greet><g:name>n</g:name></g:Greet>").utf8), from: .init())
        #expect(String(decoding: answer.body.bytes ?? [], as: UTF8.self).contains(">later<"))
    }
}
