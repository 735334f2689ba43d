import Foundation
import Signet
import SignetCredentials
import SignetSOAP
import SignetWSSecurity
import Synchronization
import TestSupport
import Testing

/// Attachments that we sign, as the JDK verifies them, and those that it signs, as our service opens them.
@Suite(.serialized) struct SignedAttachmentPeerTests {
    private static let name = XMLName("urn:signet:example:echo", "Echo")
    private static let operation = ServiceOperation<XMLAny, XMLAny>(
        name: "Echo", soapAction: "urn:echo", version: .soap11, input: name, output: name)
    private static let attachments = [
        MessageAttachment([0, 10, 13, 255], contentID: "scan@clinic"),
        MessageAttachment(
            Array("Grüße\nand\r\nmore\r".utf8), contentType: "text/plain; charset=utf-8", contentID: "a+b&c@clinic"),
        MessageAttachment(
            Array("<?xml version='1.0'?><a c='2'  b='1' xmlns:x='urn:x'><!-- no --><b/></a>".utf8),
            contentType: "application/hl7+xml", contentID: "letter@clinic"),
    ]

    private let openssl: OpenSSL
    private let identity: Identity

    init() throws {
        openssl = try OpenSSL()
        try openssl.makeSelfSigned("peer", algorithm: "rsa:2048")
        try openssl("pkcs12 -export -name peer -inkey peer.key -in peer.pem -out peer.p12 -passout pass:secret")
        identity = try Identity(pem: openssl.bytes("peer.pem"), privateKey: openssl.bytes("peer.key"))
    }

    private func file(_ name: String) -> String { openssl.folder.appending(path: name).path(percentEncoded: false) }

    /// Runs the peer with attachments in files.
    private func run(
        _ command: String, _ envelope: [UInt8], _ arguments: [String], _ attachments: [MessageAttachment]
    ) async throws -> (status: Int32, output: String, error: String) {
        let program = try await JavaProgram(
            ["signature/SignedAttachments.java"], libraries: ["xmlsec", "slf4j-api", "slf4j-nop", "commons-logging"])
        defer { program.remove() }
        try openssl.write(envelope, "envelope.xml")
        var arguments = [command, file("envelope.xml")] + arguments
        for (place, attachment) in attachments.enumerated() {
            try openssl.write(try attachment.bytes(), "attachment\(place)")
            arguments += [String(attachment.url.dropFirst(4)), attachment.contentType, file("attachment\(place)")]
        }
        return try await PeerProcess.output(of: program.command(arguments))
    }

    /// Keeps a request.
    private final class Sink: ClientTransport {
        let request = Mutex<ClientRequest?>(nil)

        func send(_ request: ClientRequest) async throws -> ClientResponse {
            self.request.withLock { $0 = request }
            throw CancellationError()
        }

        func shutdown() async throws {}
    }

    @Test func theJDKVerifiesOurs() async throws {
        let sink = Sink()
        var caller = ServiceCaller(endpoint: try Endpoint("https://localhost/"), transport: sink)
        var header = SecurityHeader(lifetime: .seconds(60))
        header.signature = try SignatureProfile(identity)
        caller.headerProviders = [header]
        await #expect(throws: CancellationError.self) {
            try await caller.call(Self.operation, XMLAny(text: "hello"), attachments: Self.attachments)
        }
        let request = try #require(sink.request.withLock { $0 })
        let message = try ReceivedMessage(
            try await request.body.collected(limit: 1 << 20), contentType: request.fields[.contentType] ?? "")
        let given = [file("peer.pem")]
        let verified = try await run("verify", message.root, given, message.attachments)
        #expect(verified.status == 0, "\(verified.error)")
        let uris = verified.output.split(separator: " ")
        #expect(uris.count == 5 && uris.count { $0.hasPrefix("cid:") } == 3, "\(verified.output)")
        var changed = message.attachments
        changed[2] = MessageAttachment(
            Array("<a b='1' c='3'><b/></a>".utf8), contentType: changed[2].contentType, contentID: changed[2].contentID)
        let refused = try await run("verify", message.root, given, changed)
        #expect(
            refused.status != 0 && refused.error.contains("letter@clinic is not what was signed"), "\(refused.error)")
    }

    @Test func weVerifyTheirs() async throws {
        let seen = Mutex<[[UInt8]]>([])
        let service = ServiceDispatcher(
            name: "Echo", versions: [.soap11], takesAttachments: true,
            routes: [
                Self.operation.route { input, context in
                    let contents = try context.attachments.map { try $0.bytes() }
                    seen.withLock { $0 = contents }
                    return input
                }
            ])
        let verifier = SignedMessageVerifier(
            SignaturePolicy(signers: [identity.leaf]), replayCache: MemoryReplayCache())
        let now = Date().formatted(.iso8601)
        let wss = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-"
        let envelope = """
            <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:w="\(wss)secext-1.0.xsd" \
            xmlns:u="\(wss)utility-1.0.xsd"><s:Header><w:Security s:mustUnderstand="1"><u:Timestamp u:Id="t">\
            <u:Created>\(now)</u:Created></u:Timestamp></w:Security></s:Header><s:Body u:Id="b">\
            <Echo xmlns="urn:signet:example:echo">hello</Echo></s:Body></s:Envelope>
            """
        let signed = try await run("sign", Array(envelope.utf8), [file("peer.p12"), "secret"], Self.attachments)
        #expect(signed.status == 0, "\(signed.error)")
        let transport = InProcessTransport(service.verified(by: verifier))
        func send(_ attachments: [MessageAttachment]) async throws -> ClientResponse {
            let message = try MultipartMessage(
                envelope: Array(signed.output.utf8), packaging: .attachments, version: .soap11, attachments: attachments
            )
            var request = ClientRequest(try Endpoint("https://localhost/"), method: .post, body: message.body)
            request.fields[.contentType] = message.contentType
            return try await transport.send(request)
        }
        var changed = Self.attachments
        changed[0] = MessageAttachment([0, 10, 13, 254], contentID: changed[0].contentID)
        #expect(try await send(changed).status == .internalServerError)
        let accepted = try await send(Self.attachments)
        #expect(accepted.status == .ok, "\(String(decoding: accepted.body, as: UTF8.self))")
        #expect(
            seen.withLock { $0 } == [
                [0, 10, 13, 255], Array("Grüße\r\nand\r\nmore\r\n".utf8), Array(#"<a b="1" c="2"><b></b></a>"#.utf8),
            ])
    }
}
