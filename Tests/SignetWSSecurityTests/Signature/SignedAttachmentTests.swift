import Foundation
import SignetCredentials
import SignetHTTP
import SignetSOAP
import SignetTLS
import SignetTesting
import SignetXML
import Synchronization
import Testing

@testable import SignetWSSecurity

/// Messages whose attachments are signed, and what becomes of those that an attacker has changed.
@Suite struct SignedAttachmentTests {
    private let authority: CertificateAuthority
    private let client: Identity
    private let server: Identity

    init() throws {
        authority = try CertificateAuthority()
        client = try authority.issueClient(commonName: "Clinic")
        server = try authority.issueClient(commonName: "Registry")
    }

    private func verifier() throws -> SignedMessageVerifier {
        var verifier = SignedMessageVerifier(
            SignaturePolicy(signers: [client.leaf]), replayCache: MemoryReplayCache())
        verifier.signature = try SignatureProfile(server)
        return verifier
    }

    private func header() throws -> SecurityHeader {
        var header = SecurityHeader(lifetime: .seconds(60))
        header.signature = try SignatureProfile(client)
        header.answers = SignaturePolicy(signers: [server.leaf])
        return header
    }

    /// Sends the attachments back, and says what they are.
    private static let dispatcher = ServiceDispatcher(
        name: "Echo", versions: [.soap11, .soap12], takesAttachments: true,
        routes: [
            Echo.operation.route { _, context in
                for attachment in context.attachments { context.answerAttachments.append(attachment) }
                let texts = try context.attachments.filter { ($0.count ?? 0) < 100 }.map {
                    "\($0.contentID)=\(String(decoding: try $0.bytes(), as: UTF8.self))"
                }
                return try XMLAny(text: texts.joined(separator: "|").replacing("\r\n", with: "~"))
            }
        ])

    /// Carries messages to a service, and changes them on the way.
    private final class Attacker: ClientTransport {
        let service: InProcessTransport
        let request: @Sendable (String) -> String
        let answer: @Sendable (String) -> String
        let sent = Mutex(0)

        init(
            _ dispatcher: ServiceDispatcher, request: @escaping @Sendable (String) -> String = { $0 },
            answer: @escaping @Sendable (String) -> String = { $0 }
        ) {
            service = InProcessTransport(dispatcher)
            (self.request, self.answer) = (request, answer)
        }

        func send(_ request: ClientRequest) async throws -> ClientResponse {
            sent.withLock { $0 += 1 }
            var request = request
            let bytes = try await request.body.collected(limit: 1 << 24)
            request.body = HTTPBody(Array(self.request(String(decoding: bytes, as: UTF8.self)).utf8))
            request.contentReceiver = nil
            var response = try await service.send(request)
            response.body = Array(answer(String(decoding: response.body, as: UTF8.self)).utf8)
            return response
        }

        func shutdown() async throws {}
    }

    private static let attachments = [
        MessageAttachment(Array("one".utf8), contentID: "1@a", fileName: "one.bin"),
        MessageAttachment(
            Array("a\nb\r\nc\rd".utf8), contentType: "text/plain; charset=utf-8", contentID: "2@a",
            contentLocation: "http://a/2"),
        MessageAttachment(
            Array("<a  c='2' b='1'><!-- x --><b/></a>".utf8), contentType: "application/xhtml+xml", contentID: "3@a"),
    ]

    private func answer(
        _ header: SecurityHeader, _ transport: some ClientTransport, _ attachments: [MessageAttachment],
        _ version: SOAPVersion = .soap11, change: (inout ServiceCaller) -> Void = { _ in }
    ) async throws -> ServiceAnswer<XMLAny> {
        var caller = ServiceCaller(endpoint: try Endpoint("https://localhost/"), transport: transport)
        caller.version = version
        caller.headerProviders = [header]
        change(&caller)
        return try await caller.answer(to: Echo.operation, XMLAny(text: "hello"), attachments: attachments)
    }

    // MARK: Calls

    @Test(arguments: [SOAPVersion.soap11, .soap12], [false, true])
    func bothEndsSignAttachments(_ version: SOAPVersion, confirms: Bool) async throws {
        var (header, verifier) = (try header(), try verifier())
        header.requiresConfirmation = confirms
        verifier.confirmsSignatures = confirms
        let service = InProcessTransport(Self.dispatcher.verified(by: verifier))
        let answer = try await answer(header, service, Self.attachments, version)
        let xml = #"<a b="1" c="2"><b></b></a>"#
        #expect(answer.output.text == "1@a=one|2@a=a~b~c~d|3@a=\(xml)")
        #expect(answer.attachments.map(\.contentID) == ["1@a", "2@a", "3@a"])
        #expect(
            try answer.attachments.map { String(decoding: try $0.bytes(), as: UTF8.self) } == [
                "one", "a\r\nb\r\nc\r\nd", xml,
            ])
        // No signature covers them.
        #expect(answer.attachments.allSatisfy { $0.fileName == nil && $0.contentLocation == nil })
        // Messages without attachments go as before.
        #expect(try await self.answer(header, service, [], version).output.text.isEmpty)
    }

    @Test func aLargeFileIsSigned() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let content = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        let file = folder.appending(path: "scan.bin")
        try Data(content).write(to: file)
        let service = InProcessTransport(Self.dispatcher.verified(by: try verifier()))
        let answer = try await answer(header(), service, [MessageAttachment(file: file.path, contentID: "scan@a")])
        #expect(try answer.attachments.map { try $0.bytes() } == [content])
    }

    // MARK: Attacks

    /// What an attacker does to the request, each beside the same message unchanged.
    private static let changes: [(String, @Sendable (String) -> String)] = [
        ("a changed byte", { $0.replacing("\r\n\r\none\r\n", with: "\r\n\r\ntwo\r\n") }),
        ("a changed text", { $0.replacing("c\rd", with: "c\re") }),
        ("a changed document", { $0.replacing("c='2'", with: "c='3'") }),
        ("another identifier", { $0.replacing("<1@a>", with: "<4@a>") }),
        ("the identifier in another form", { $0.replacing("<1@a>", with: "<%31@a>") }),
        (
            "exchanged attachments",
            { $0.replacing("<1@a>", with: "<x>").replacing("<3@a>", with: "<1@a>").replacing("<x>", with: "<3@a>") }
        ),
        ("a removed attachment", { removing("1@a", from: $0) }),
        ("an attachment more", { adding("4@a", to: $0) }),
        ("a second one with the same identifier", { adding("1@a", to: $0) }),
        ("a second one with the identifier in another form", { adding("%31@a", to: $0) }),
        ("no attachments", { removing("1@a", from: removing("2@a", from: removing("3@a", from: $0))) }),
        (
            "another type, in which the same bytes have another form",
            { $0.replacing("application/xhtml+xml", with: "image/png") }
        ),
        ("a type of a document for what is none", { $0.replacing("application/octet-stream", with: "text/xml") }),
        ("another digest", { $0.replacing("<ds:Reference URI=\"cid:1@a\">", with: "<ds:Reference URI=\"cid:3@a\">") }),
        (
            "a reference without its transform",
            {
                $0.replacing(
                    "http://docs.oasis-open.org/wss/oasis-wss-SwAProfile-1.1#Attachment-Content-Signature-Transform",
                    with: "http://www.w3.org/2001/10/xml-exc-c14n#")
            }
        ),
    ]

    private static func parts(of message: String) -> (boundary: String, parts: [String]) {
        let boundary = String(message.prefix { $0 != "\r\n" })
        return (boundary, message.components(separatedBy: boundary))
    }

    private static func removing(_ identifier: String, from message: String) -> String {
        let (boundary, parts) = parts(of: message)
        return parts.filter { !$0.contains("Content-ID: <\(identifier)>") }.joined(separator: boundary)
    }

    private static func adding(_ identifier: String, to message: String) -> String {
        var (boundary, parts) = parts(of: message)
        parts.insert(
            "\r\nContent-Type: application/octet-stream\r\nContent-ID: <\(identifier)>\r\n\r\none\r\n",
            at: parts.count - 1)
        return parts.joined(separator: boundary)
    }

    @Test(arguments: changes.indices) func aChangedRequestIsRefused(_ index: Int) async throws {
        let (name, change) = Self.changes[index]
        let attacker = Attacker(Self.dispatcher.verified(by: try verifier())) {
            let changed = change($0)
            #expect(changed != $0, "\(name)")
            return changed
        }
        let error = await #expect(throws: (any Error).self, "\(name)") {
            try await answer(header(), attacker, Self.attachments)
        }
        // The fault of a request that is refused is not signed.
        let text = error.map { "\($0)" } ?? ""
        #expect(
            (error as? ServiceError)?.code == .unverifiedFault && !text.contains("Internal error"), "\(name): \(text)")
        let unchanged = Attacker(Self.dispatcher.verified(by: try verifier()))
        _ = try await answer(header(), unchanged, Self.attachments)
    }

    @Test(arguments: changes.indices.prefix(11)) func aChangedAnswerIsRefused(_ index: Int) async throws {
        let (name, change) = Self.changes[index]
        let attacker = Attacker(Self.dispatcher.verified(by: try verifier()), answer: change)
        var attachments = Self.attachments
        attachments[2] = MessageAttachment(Array("<a b='1' c='2'/>".utf8), contentType: "image/png", contentID: "3@a")
        attachments[1] = MessageAttachment(Array("c\rd".utf8), contentID: "2@a")
        let error = await #expect(throws: (any Error).self, "\(name)") {
            try await answer(header(), attacker, attachments)
        }
        // A message with two parts of one name is refused before its signature is read.
        let isUnread = (error as? ServiceError)?.code == .malformedAnswer && name.hasSuffix("same identifier")
        #expect(
            (error as? WSSecurityError)?.code == .invalidAnswer || isUnread, "\(name): \(String(describing: error))")
    }

    /// An attacker can name another media type; what is read is then what was signed all the same.
    @Test func lineEndsAreThoseThatWereSigned() async throws {
        let attacker = Attacker(Self.dispatcher.verified(by: try verifier())) {
            $0.replacing("application/octet-stream", with: "text/plain").replacing("a\r\nb", with: "a\nb")
        }
        let given = [MessageAttachment(Array("a\r\nb".utf8), contentID: "1@a")]
        #expect(try await answer(header(), attacker, given).output.text == "1@a=a~b")
    }

    /// A receiver keeps no more in other forms than a document may have.
    @Test func formsAreBoundedTogether() async throws {
        var verifier = try verifier()
        let given = (0..<3).map {
            MessageAttachment(Array(repeating: 97, count: 8_000), contentType: "text/plain", contentID: "\($0)@a")
        }
        let service = { InProcessTransport(Self.dispatcher.verified(by: verifier)) }
        #expect(try await answer(header(), service(), given).attachments.count == 3)
        verifier.policy.limits.documentBytes = 20_000
        await #expect(throws: ServiceError.self) { try await answer(header(), service(), given) }
        #expect(try await answer(header(), service(), Array(given.prefix(1))).attachments.count == 1)
    }

    /// Two messages that differ in their attachments alone are two.
    @Test func attachmentsCountForReplays() async throws {
        let envelope = """
            <s:Envelope xmlns:s="\(SOAPVersion.soap11.namespace)"><s:Header><w:Security xmlns:w="\(SecurityName.extensions)" \
            xmlns:u="\(SecurityName.utility)"><u:Timestamp u:Id="t"><u:Created>2026-11-22T20:15:00Z</u:Created></u:Timestamp></w:Security>\
            </s:Header><s:Body u:Id="b" xmlns:u="\(SecurityName.utility)"/></s:Envelope>
            """
        var policy = SignaturePolicy(signers: [client.leaf])
        policy.freshness = Freshness(maximumAge: .seconds(1 << 40), maximumClockLead: .seconds(1 << 40))
        var digests: [[UInt8]] = []
        for content in ["one", "two", "one"] {
            var message = SOAPMessage(
                Array(envelope.utf8), attachments: [MessageAttachment(Array(content.utf8), contentID: "1@a")])
            message.envelope = try await SignatureProfile(client).sign(message, role: nil).envelope
            digests.append(try policy.open(message, now: .seconds((client.leaf.notBefore ?? 0) + 60)).digest)
        }
        #expect(digests[0] != digests[1] && digests[0] == digests[2])
    }

    /// What comes beside an answer without an envelope is not passed on.
    @Test func theAcceptanceOfAOneWayMessageHasNoAttachments() async throws {
        final class Seen: CallMiddleware {
            let attachments = Mutex<Int?>(nil)

            func intercept<Input: XMLStructure, Output: Sendable>(
                _ call: ServiceCall<Input>, next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
            ) async throws -> ServiceAnswer<Output> {
                let answer = try await next(call)
                attachments.withLock { $0 = answer.attachments.count }
                return answer
            }
        }
        struct Acceptance: ClientTransport {
            func send(_ request: ClientRequest) async throws -> ClientResponse {
                var response = ClientResponse(status: .accepted)
                response.fields[.contentType] = "multipart/related; boundary=b; type=\"text/xml\""
                response.body = Array(
                    "--b\r\nContent-Type: text/xml\r\n\r\n\r\n--b\r\nContent-ID: <1@a>\r\n\r\none\r\n--b--\r\n".utf8)
                return response
            }
            func shutdown() async throws {}
        }
        let operation = OneWayOperation<XMLAny>(
            name: "Notify", soapAction: "", version: .soap11, input: XMLName("urn:echo", "Notify"))
        for (answers, count) in [(nil, 1), (SignaturePolicy(signers: [server.leaf]), 0)] {
            let seen = Seen()
            var caller = ServiceCaller(endpoint: try Endpoint("https://localhost/"), transport: Acceptance())
            var header = try header()
            header.answers = answers
            caller.headerProviders = [header]
            caller.middlewares = [seen]
            try await caller.send(operation, XMLAny(text: "hello"))
            #expect(seen.attachments.withLock { $0 } == count)
        }
    }

    /// Where the attachments may be unsigned, they arrive as they are.
    @Test func thePolicySaysWhetherAttachmentsAreSigned() async throws {
        var (header, verifier) = (try header(), try verifier())
        verifier.signature = nil
        header.answers = nil
        func text(_ attachments: [MessageAttachment]) async throws -> String {
            let service = Attacker(Self.dispatcher.verified(by: verifier), request: { Self.adding("4@a", to: $0) })
            return try await answer(header, service, attachments).output.text
        }
        await #expect(throws: SOAPFault.self) { try await text(Self.attachments) }
        verifier.policy.unsigned = [.attachments]
        await #expect(throws: SOAPFault.self) { try await text(Self.attachments) }
        verifier.policy.signed = [.body, .timestamp]
        #expect(try await text([Self.attachments[0]]) == "1@a=one|4@a=one")
        verifier.policy.unsigned = []
        await #expect(throws: SOAPFault.self) { try await text(Self.attachments) }
        // A message without attachments is none of that.
        let service = InProcessTransport(Self.dispatcher.verified(by: verifier))
        #expect(try await answer(header, service, []).output.text.isEmpty)
    }

    // MARK: What cannot be sent

    @Test func whatCannotBeSignedIsNotSent() async throws {
        let attacker = Attacker(Self.dispatcher.verified(by: try verifier()))
        var unsigned = try header()
        unsigned.signature?.parts.remove(.attachments)
        var encrypted = try header()
        encrypted.encryption = try EncryptionProfile(
            for: try await KeyPair.generate(.rsa(bits: 2048)).selfSignedIdentity(
                subject: .init(commonName: "Bank"), notBefore: 0, notAfter: 1 << 32
            ).leaf)
        var small = try header()
        small.signature?.limits.documentBytes = 20_000
        let text = { (id: String) in
            MessageAttachment(Array(repeating: 97, count: 8_000), contentType: "text/plain", contentID: id)
        }
        let stream = MessageAttachment(HTTPBody(length: nil, isReplayable: true) { try await $0.write([1]) })
        let cases: [(SecurityHeader, [MessageAttachment], WSSecurityError.Code, String)] = [
            (unsigned, Self.attachments, .cannotSign, "add attachments to parts"),
            (encrypted, Self.attachments, .cannotEncrypt, "cannot be encrypted"),
            (try header(), [stream], .cannotSign, "stream"),
            (try header(), [MessageAttachment(file: "/nowhere/a")], .cannotSign, "/nowhere/a"),
            (
                try header(), [.init([97, 0], contentType: "text/csv; charset=UTF-16LE")], .cannotSign,
                "send it in UTF-8"
            ),
            (
                try header(), [.init(Array("<a/>".utf8), contentType: "text/xml; charset=iso-8859-1")], .cannotSign,
                "send it in UTF-8"
            ),
            (
                try header(), [.init(Array("<!DOCTYPE a><a/>".utf8), contentType: "image/svg+xml")], .cannotSign,
                "canonical"
            ),
            (small, Array(repeating: (), count: 3).indices.map { text("\($0)@a") }, .cannotSign, "more than the limit"),
            (try header(), [.init(Array("<a".utf8), contentType: "text/xml")], .cannotSign, "canonical form"),
            (
                try header(), (0..<31).map { MessageAttachment([1], contentID: "\($0)@a") }, .cannotSign,
                "33 parts to sign; 32 are the limit"
            ),
            (
                try header(), (0..<33).map { MessageAttachment(file: "/nowhere", contentID: "\($0)@a") }, .cannotSign,
                "33 parts to sign; 32 are the limit"
            ),
        ]
        for (header, attachments, code, text) in cases {
            let error = await #expect(throws: WSSecurityError.self) { try await answer(header, attacker, attachments) }
            #expect(error?.code == code && error?.message.contains(text) == true, "\(String(describing: error))")
        }
        let mtom = await #expect(throws: ServiceError.self) {
            try await answer(header(), attacker, []) { $0.attachments.mtom = .always() }
        }
        #expect(mtom?.code == .unwritableInput && mtom?.message.contains("MTOM") == true)
        #expect(attacker.sent.withLock { $0 } == 0)
    }

    /// The answer of a service that encrypts cannot have attachments either.
    @Test func anEncryptedAnswerHasNoAttachments() async throws {
        let both = try await KeyPair.generate(.rsa(bits: 2048)).selfSignedIdentity(
            subject: .init(commonName: "Clinic"), notBefore: 0, notAfter: 1 << 32)
        var (header, verifier) = (try header(), try verifier())
        header.signature = try SignatureProfile(both)
        header.answers?.decryption = DecryptionPolicy([both])
        verifier.policy = SignaturePolicy(signers: [both.leaf])
        verifier.answerEncryption = .aes256GCM
        let service = InProcessTransport(Self.dispatcher.verified(by: verifier))
        let error = await #expect(throws: ServiceError.self) { try await answer(header, service, Self.attachments) }
        #expect(error?.code == .unverifiedFault && "\(error.map { "\($0)" } ?? "")".contains("Internal error"))
        #expect(try await answer(header, service, []).output.text.isEmpty)
    }
}
