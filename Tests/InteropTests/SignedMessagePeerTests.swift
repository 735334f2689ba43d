import Foundation
import Signet
import SignetCredentials
import SignetDynamic
import SignetServer
import SignetSignature
import SignetTesting
import SignetWSSecurity
import Synchronization
import TestSupport
import Testing

/// Messages that we sign, as WSS4J, zeep and gSOAP verify them, and encrypt, as WSS4J decrypts them; and theirs, as our client and our
/// service open them.
@Suite(.serialized) struct SignedMessagePeerTests {
    private static let name = XMLName("urn:signet:example:echo", "Echo")
    private static let operation = ServiceOperation<XMLAny, XMLAny>(
        name: "Echo", soapAction: "urn:echo", version: .soap11, input: name, output: name)

    private let openssl: OpenSSL
    private let identity: Identity

    init() throws {
        openssl = try OpenSSL()
        // WSS4J names a certificate by its subject key identifier, which openssl adds.
        try openssl.makeSelfSigned("peer", algorithm: "rsa:2048")
        try openssl("pkcs12 -export -name peer -inkey peer.key -in peer.pem -out peer.p12 -passout pass:secret")
        identity = try Identity(pem: openssl.bytes("peer.pem"), privateKey: openssl.bytes("peer.key"))
    }

    private func file(_ name: String) -> String { openssl.folder.appending(path: name).path(percentEncoded: false) }

    /// Keeps the request, and answers with what `answer` makes of it.
    private final class Exchange: ClientTransport {
        let request = Mutex<[UInt8]>([])
        let answer: @Sendable () async throws -> [UInt8]

        init(_ answer: @escaping @Sendable () async throws -> [UInt8]) { self.answer = answer }

        func send(_ request: ClientRequest) async throws -> ClientResponse {
            self.request.withLock { $0 = request.body.bytes ?? [] }
            var response = ClientResponse(status: .ok)
            response.fields[.contentType] = request.fields[.contentType]
            response.body = try await answer()
            return response
        }

        func shutdown() async throws {}
    }

    /// How messages are encrypted.
    private struct Encryption {
        var content: ContentEncryption
        var key: KeyEncryption
        var reference = CertificateReference.thumbprint

        /// How WSS4J names both.
        var identifiers: [String] {
            let cipher = "\(content)".dropFirst(3).lowercased()
            let base =
                content.isAuthenticated ? "http://www.w3.org/2009/xmlenc11#aes" : "http://www.w3.org/2001/04/xmlenc#aes"
            return [
                "\(base)\(cipher.dropLast(3))-\(cipher.suffix(3))",
                key == .rsaOAEP
                    ? "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p" : "http://www.w3.org/2009/xmlenc11#rsa-oaep",
            ]
        }
    }

    private func policy(_ encryption: Encryption?) -> SignaturePolicy {
        var policy = SignaturePolicy(signers: [identity.leaf])
        if let encryption {
            policy.decryption = DecryptionPolicy([identity])
            policy.decryption?.acceptsCBC = !encryption.content.isAuthenticated
        }
        return policy
    }

    private func caller(
        _ transport: some ClientTransport, _ version: SOAPVersion, _ encryption: Encryption? = nil
    ) throws -> ServiceCaller {
        var header = SecurityHeader(lifetime: .seconds(60))
        header.signature = try SignatureProfile(identity)
        header.answers = policy(encryption)
        if let encryption {
            var profile = try EncryptionProfile(for: identity.leaf)
            (profile.content, profile.key, profile.reference) = (
                encryption.content, encryption.key, encryption.reference
            )
            profile.encryptsSignature = encryption.content.isAuthenticated
            header.encryption = profile
        }
        var caller = ServiceCaller(endpoint: try Endpoint("https://localhost/"), transport: transport)
        caller.version = version
        caller.headerProviders = [header]
        return caller
    }

    private func envelope(_ version: SOAPVersion) -> String {
        """
        <s:Envelope xmlns:s="\(version.namespace)" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><s:Header/>\
        <s:Body><e:Echo xmlns:e="urn:signet:example:echo">from a peer</e:Echo></s:Body></s:Envelope>
        """
    }

    /// A program that signs and verifies.
    private struct Peer {
        var name: String
        var forms: [String]
        var verify: (_ envelope: String) async throws -> (status: Int32, output: String, error: String)
        var sign: (_ envelope: String, _ form: String) async throws -> (status: Int32, output: String, error: String)
    }

    private func check(_ peer: Peer, _ version: SOAPVersion, _ encryption: Encryption? = nil) async throws {
        try openssl.write(envelope(version), "unsigned.xml")
        for form in peer.forms {
            let (unsigned, ours, theirs) = (file("unsigned.xml"), file("ours.xml"), file("theirs.xml"))
            let signed = try await peer.sign(unsigned, form)
            #expect(signed.status == 0, "\(peer.name), \(form): \(signed.error)")
            try openssl.write(signed.output, "theirs.xml")
            // Our client gets it as an answer.
            let answer = Array(signed.output.utf8)
            let transport = Exchange { answer }
            let output = try await caller(transport, version, encryption).call(
                Self.operation, XMLAny(text: "ours & more"))
            #expect(output.text == "from a peer", "\(peer.name), \(form), \(theirs)")
            // The peer gets our request.
            try openssl.write(transport.request.withLock { $0 }, "ours.xml")
            let verified = try await peer.verify(ours)
            #expect(verified.status == 0, "\(peer.name): \(verified.error)")
            let parts =
                encryption == nil
                ? "Body Timestamp\n"
                : "Body Timestamp, encrypted: Body\(encryption?.content.isAuthenticated == true ? " Signature" : "")\n"
            #expect(peer.name == "zeep" || verified.output == parts, "\(verified)")
            let request = String(decoding: transport.request.withLock { $0 }, as: UTF8.self)
            #expect(request.contains("ours") == (encryption == nil))
            let other =
                request.contains("</xenc:CipherValue></xenc:CipherData></xenc:EncryptedData>")
                ? request.replacing(#/Id="EncryptedData.*<xenc:CipherValue>/#) { "\($0.output)AAAA" }
                : request.replacing("ours", with: "mine")
            try openssl.write(other, "ours.xml")
            #expect(try await peer.verify(ours).status != 0, "\(peer.name) accepts what was changed")
            // Our service gets the peer's request, once.
            let service = ServiceDispatcher(
                name: "Echo", versions: [.soap11, .soap12],
                routes: [
                    Self.operation.route { input, context in
                        try XMLAny(text: "\(context.peer.signerSubject ?? "") says \(input.text)")
                    }
                ]
            ).verified(
                by: SignedMessageVerifier(policy(encryption), replayCache: MemoryReplayCache()))
            for isFirst in [true, false] {
                let text = String(
                    decoding: await service.respond(to: answer, from: .init()).body.bytes ?? [], as: UTF8.self)
                #expect(text.contains("CN=peer says from a peer") == isFirst, "\(peer.name), \(form): \(text)")
                #expect(text.contains("Fault>") != isFirst)
            }
        }
    }

    @Test(arguments: [SOAPVersion.soap11, .soap12]) func wss4j(_ version: SOAPVersion) async throws {
        let java = try await JavaProgram(
            ["wss4j/SignedMessages.java"], libraries: ["wss4j", "xmlsec", "slf4j-api", "slf4j-nop", "commons-logging"])
        defer { java.remove() }
        let store = [file("peer.p12"), "secret"]
        func peer(_ forms: [String], _ encryption: Encryption?) -> Peer {
            Peer(name: "WSS4J", forms: forms) {
                try await PeerProcess.output(of: java.command(["verify", $0] + store))
            } sign: {
                try await PeerProcess.output(
                    of: java.command(["sign", $0] + store + [$1] + (encryption?.identifiers ?? [])))
            }
        }
        try await check(peer(["direct", "path", "issuer", "ski", "thumbprint", "token"], nil), version)
        let encryptions =
            version == .soap11
            ? [
                (["direct", "issuer"], Encryption(content: .aes256GCM, key: .rsaOAEP)),
                (["ski"], Encryption(content: .aes128GCM, key: .rsaOAEP, reference: .certificate)),
            ]
            : [
                (
                    ["issuer", "thumbprint"],
                    Encryption(content: .aes256CBC, key: .rsaOAEP, reference: .subjectKeyIdentifier)
                )
            ]
        for (forms, encryption) in encryptions { try await check(peer(forms, encryption), version, encryption) }
    }

    /// WSS4J signs what it sends over mutual TLS, and verifies the signed answer. The service knows both certificates.
    @Test func wss4jCallsOverMutualTLS() async throws {
        let java = try await JavaProgram(
            ["wss4j/SignedMessages.java"], libraries: ["wss4j", "xmlsec", "slf4j-api", "slf4j-nop", "commons-logging"])
        defer { java.remove() }
        let authority = try CertificateAuthority()
        let files = try IdentityFiles()
        try await files.write(try authority.issueClient(commonName: "device-7"), as: "client")
        try files.write(authority.bundle.certificates, as: "authority.pem")
        var verifier = SignedMessageVerifier(policy(nil), replayCache: MemoryReplayCache())
        verifier.signature = try SignatureProfile(identity)
        let service = ServiceDispatcher(
            name: "Echo", versions: [.soap11],
            routes: [
                Self.operation.route { input, context in
                    let peer = context.peer
                    return try XMLAny(
                        text: "\(peer.certificateSubject ?? "") for \(peer.signerSubject ?? ""): \(input.text)")
                }
            ]
        ).verified(by: verifier)
        try await MutualTLSService.run(service, authority: authority) { url async throws in
            try openssl.write(envelope(.soap11), "unsigned.xml")
            let properties = try await JavaProgram.tls(files, as: "client", authority: "authority.pem")
            func call(_ reference: String, _ store: String) async throws -> (
                status: Int32, output: String, error: String
            ) {
                try await PeerProcess.output(
                    of: java.command(
                        ["call", file("unsigned.xml"), file(store), "secret", reference, url], properties: properties))
            }
            for reference in ["direct", "issuer", "ski", "thumbprint"] {
                let called = try await call(reference, "peer.p12")
                #expect(
                    called.output == "200 CN=device-7 for CN=peer: from a peer\nBody Timestamp\n", "\(called)")
            }
            // A signer whom the service does not know.
            try openssl.makeSelfSigned("other", algorithm: "rsa:2048")
            try openssl(
                "pkcs12 -export -name other -inkey other.key -in other.pem -out other.p12 -passout pass:secret")
            let refused = try await call("direct", "other.p12")
            #expect(refused.output.hasPrefix("500 ") && !refused.output.contains("from a peer"), "\(refused)")
        }
    }

    /// STR-Transform signs the token in place of the reference that leads to it.
    @Test func wss4jVerifiesASignedToken() async throws {
        let java = try await JavaProgram(
            ["wss4j/SignedMessages.java"], libraries: ["wss4j", "xmlsec", "slf4j-api", "slf4j-nop", "commons-logging"])
        defer { java.remove() }
        var header = SecurityHeader(lifetime: .seconds(60))
        header.signature = try SignatureProfile(identity)
        header.signature?.parts.insert(.signingToken)
        header.signature?.usesTokenTransform = true
        let transport = Exchange { [] }
        var caller = ServiceCaller(endpoint: try Endpoint("https://localhost/"), transport: transport)
        caller.headerProviders = [header]
        let unanswered = caller
        await #expect(throws: (any Error).self) { try await unanswered.call(Self.operation, XMLAny(text: "ours")) }
        let request = transport.request.withLock { String(decoding: $0, as: UTF8.self) }
        #expect(request.contains("#STR-Transform"))
        let other = try #require(request.firstRange(of: "EncodingType=")).lowerBound
        var changed = request
        changed.insert(contentsOf: "Other=\"1\" ", at: other)
        for (message, isAccepted) in [(request, true), (changed, false)] {
            try openssl.write(message, "ours.xml")
            let verified = try await PeerProcess.output(
                of: java.command(["verify", file("ours.xml"), file("peer.p12"), "secret"]))
            #expect((verified.status == 0) == isAccepted, "\(verified)")
        }
    }

    // MARK: Policies

    /// A WSDL that demands signed messages, with the certificate named as `token` says.
    private func demandingPort(_ suite: String, _ token: String, _ parts: String) throws -> ServicePort {
        let include = "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702/IncludeToken"
        func tokens(_ owner: String) -> String {
            """
            <sp:\(owner)><wsp:Policy><sp:X509Token sp:IncludeToken="\(include)/\(token.isEmpty ? "Always" : "Never")"><wsp:Policy>
            \(token.isEmpty ? "" : "<sp:Require\(token)Reference/>")</wsp:Policy></sp:X509Token></wsp:Policy></sp:\(owner)>
            """
        }
        try openssl.write(
            """
            <definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
                xmlns:wsp="http://www.w3.org/ns/ws-policy" xmlns:e="urn:signet:example:echo"
                xmlns:sp="http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702" targetNamespace="urn:signet:example:echo">
              <types><xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:signet:example:echo"
                elementFormDefault="qualified"><xs:element name="Echo" type="xs:string"/></xs:schema></types>
              <message name="M"><part name="p" element="e:Echo"/></message>
              <portType name="T"><operation name="Echo"><input message="e:M"/><output message="e:M"/></operation></portType>
              <binding name="B" type="e:T"><wsp:Policy><sp:AsymmetricBinding><wsp:Policy>
                  \(tokens("InitiatorToken"))\(tokens("RecipientToken"))
                  <sp:AlgorithmSuite><wsp:Policy><sp:\(suite)/></wsp:Policy></sp:AlgorithmSuite><sp:IncludeTimestamp/>
                </wsp:Policy></sp:AsymmetricBinding>\(parts)</wsp:Policy>
                <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
                <operation name="Echo"><soap:operation soapAction="urn:echo"/><input><soap:body use="literal"/></input>
                  <output><soap:body use="literal"/></output></operation>
              </binding>
              <service name="S"><port name="P" binding="e:B"><soap:address location="https://localhost/"/></port></service>
            </definitions>
            """, "policy.wsdl")
        return try DynamicService(contentsOfFile: file("policy.wsdl")).servicePort
    }

    /// What a WSDL demands is made without a further setting, and WSS4J reads it.
    @Test func policiesConfigureTheMessages() async throws {
        let java = try await JavaProgram(
            ["wss4j/SignedMessages.java"], libraries: ["wss4j", "xmlsec", "slf4j-api", "slf4j-nop", "commons-logging"])
        defer { java.remove() }
        let store = [file("peer.p12"), "secret"]
        try openssl.write(envelope(.soap11), "unsigned.xml")
        let signed = "<sp:SignedParts><sp:Body/></sp:SignedParts>"
        let encrypted = "\(signed)<sp:EncryptedParts><sp:Body/></sp:EncryptedParts>"
        for (suite, token, parts, marks) in [
            ("Basic256Sha256", "", signed, ["#rsa-sha256", "X509v3"]),
            ("Basic256", "Thumbprint", signed, ["#rsa-sha1", "ThumbprintSHA1"]),
            ("Basic256", "IssuerSerial", encrypted, ["#rsa-sha1", "aes256-cbc", "rsa-oaep-mgf1p", "X509IssuerName"]),
            ("Basic128Sha256", "KeyIdentifier", encrypted, ["aes128-cbc", "X509SubjectKeyIdentifier"]),
        ] {
            let port = try demandingPort(suite, token, parts)
            let cipher = parts == signed ? [] : Encryption(content: .aes256CBC, key: .rsaOAEP).identifiers
            let answer = try await PeerProcess.output(
                of: java.command(["sign", file("unsigned.xml")] + store + ["direct"] + cipher))
            #expect(answer.status == 0, "\(answer.error)")
            var answers = SignaturePolicy(signers: [identity.leaf])
            answers.acceptsSHA1 = true
            answers.decryption = DecryptionPolicy([identity])
            answers.decryption?.acceptsCBC = true
            answers.decryption?.encrypted = []
            var header = SecurityHeader(
                for: port, identity: identity, answers: answers, encryptingFor: identity.leaf)
            header.allowsSHA1 = true
            let transport = Exchange { Array(answer.output.utf8) }
            var caller = ServiceCaller(endpoint: try Endpoint("https://localhost/"), transport: transport)
            caller.requirements = port.requirements
            caller.headerProviders = [header]
            #expect(try await caller.call(Self.operation, XMLAny(text: "ours & more")).text == "from a peer")
            let request = transport.request.withLock { $0 }
            try openssl.write(request, "ours.xml")
            let verified = try await PeerProcess.output(of: java.command(["verify", file("ours.xml")] + store))
            #expect(verified.status == 0, "\(suite): \(verified.error)")
            #expect(verified.output == "Body Timestamp\(parts == signed ? "" : ", encrypted: Body")\n")
            for mark in marks {
                #expect(String(decoding: request, as: UTF8.self).contains(mark), "\(suite): \(mark)")
            }
        }
    }

    @Test func theCommandSignsWhatAWSDLDemands() async throws {
        let parts = "<sp:SignedParts><sp:Body/></sp:SignedParts>"
        _ = try demandingPort("Basic256Sha256", "", parts)
        try openssl.write(openssl.bytes("peer.key") + openssl.bytes("peer.pem"), "both.pem")
        try openssl.makeSelfSigned("other", algorithm: "rsa:2048")
        var verifier = SignedMessageVerifier(policy(nil), replayCache: MemoryReplayCache())
        verifier.signature = try SignatureProfile(identity)
        let dispatcher = ServiceDispatcher(
            name: "Echo", versions: [.soap11], routes: [Self.operation.route { input, _ in input }]
        ).verified(by: verifier)
        var settings = SOAPServer.Settings()
        settings.port = 0
        let server = try SOAPServer.withoutTLS(dispatcher, path: "/soap", settings: settings)
        let url = "http://127.0.0.1:\(try await server.start())/soap"
        let signet = try SignetProgram(
            openssl.folder.appending(path: "policy.wsdl"), options: ["--endpoint", url])
        let signer = ["--wss-identity", file("both.pem")]
        let answer = try await signet.call("Echo", json: "\"ours\"", signer + ["--wss-signer", file("peer.pem")])
        #expect(answer.status == 0 && answer.output.contains("ours"), "\(answer)")
        for (options, word) in [
            ([], "--wss-identity"), (signer, "--wss-signer"),
            (signer + ["--wss-signer", file("other.pem")], "not signed or encrypted as demanded"),
        ] {
            let refused = try await signet.call("Echo", json: "\"ours\"", options)
            #expect(refused.status == 1 && refused.error.contains(word), "\(refused)")
        }
        let ignoring = try await signet.call("Echo", json: "\"ours\"", ["--ignore-policies"])
        #expect(ignoring.status == 1 && ignoring.error.contains("Security"), "\(ignoring)")
        #expect(try await signet.call("Echo", ["--wss-signer", file("peer.pem")]).status == 2)
        await server.shutdown()
    }

    @Test(arguments: [SOAPVersion.soap11, .soap12]) func zeep(_ version: SOAPVersion) async throws {
        let script = PeerFile.url("signature/signed_message.py").path
        let certificate = file("peer.pem")
        let key = file("peer.key")
        try await check(
            Peer(name: "zeep", forms: ["binary", "data"]) {
                try await PeerProcess.output(
                    of: .init(program: Tool.python, arguments: [script, "verify", $0, certificate]))
            } sign: {
                try await PeerProcess.output(
                    of: .init(program: Tool.python, arguments: [script, "sign", $0, key, certificate, $1]))
            }, version)
    }

    /// gSOAP over HTTP on loopback, as a client and as a service. Its plugin 2.8.124 encrypts keys with RSA PKCS#1 v1.5 alone, also when
    /// it is told to use OAEP, and so no encrypted message can be exchanged with it.
    @Test(arguments: [SOAPVersion.soap11, .soap12]) func gSOAP(_ version: SOAPVersion) async throws {
        let peer = try await GSOAPPeer(.usernameToken, wsdl: UsernameTokenPeer.wsdl)
        let program = peer.program("username_token")
        try openssl.write(openssl.bytes("peer.key") + openssl.bytes("peer.pem"), "both.pem")
        let (port, pem) = (try Port.free(), file("both.pem"))
        let text = XMLName("urn:signet:example:echo", "text")
        let input = XMLAny(children: [try XMLFragment(text, text: "ours & more")])
        try await PeerProcess.run(
            .init(program: program, arguments: ["serve", "\(port)", pem, version == .soap11 ? "11" : "12"], port: port)
        ) {
            var configuration = try ServiceConfiguration("http://127.0.0.1:\(port)/")
            configuration.version = version
            configuration.headerProviders = try caller(Exchange { [] }, version).headerProviders
            let output = try await ServiceCaller(configuration).call(Self.operation, input)
            #expect(output.children.first?.text == "ours & more")
            configuration.headerProviders = []
            await #expect(throws: SOAPFault.self) {
                try await ServiceCaller(configuration).call(Self.operation, input)
            }
        }
        var verifier = SignedMessageVerifier(
            SignaturePolicy(signers: [identity.leaf]), replayCache: MemoryReplayCache())
        verifier.signature = try SignatureProfile(identity)
        let dispatcher = ServiceDispatcher(
            name: "Echo", versions: [.soap11, .soap12], routes: [Self.operation.route { input, _ in input }]
        ).verified(by: verifier)
        var settings = SOAPServer.Settings()
        settings.port = 0
        let server = try SOAPServer.withoutTLS(dispatcher, path: "/soap", settings: settings)
        let url = "http://127.0.0.1:\(try await server.start())/soap"
        let outcome = try await PeerProcess.output(
            of: .init(
                program: program,
                arguments: ["call", url, version == .soap11 ? "11" : "12", "-", pem, "signed"]))
        await server.shutdown()
        #expect(outcome.output == "{\"text\": \"from gSOAP\"}\n" && outcome.status == 0, "\(outcome)")
    }
}
