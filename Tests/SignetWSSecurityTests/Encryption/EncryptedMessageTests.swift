import SignetCredentials
import SignetHTTP
import SignetSOAP
import SignetSignature
import SignetTLS
import SignetXML
import Synchronization
import TestSupport
import Testing

@testable import SignetWSSecurity

/// Calls whose messages are signed and encrypted in both directions, and what becomes of messages that an attacker has changed.
@Suite struct EncryptedMessageTests {
    /// An identity for each kind of key that can decrypt; making RSA keys takes long.
    private static let identities = Task {
        var identities: [KeyPair.Kind: Identity] = [:]
        for kind in kinds {
            identities[kind] = try await KeyPair.generate(kind).selfSignedIdentity(
                subject: .init(commonName: "\(kind)"), notBefore: 0, notAfter: 1 << 32)
        }
        return identities
    }
    private static let kinds: [KeyPair.Kind] = [.rsa(bits: 2048), .p256, .p384, .p521]

    private static func identity(_ kind: KeyPair.Kind) async throws -> Identity {
        try #require(try await identities.value[kind])
    }

    private static let dispatcher = ServiceDispatcher(
        name: "Echo", versions: [.soap11, .soap12],
        routes: [
            Echo.operation.route { input, context in
                try XMLAny(text: "\(context.peer.user ?? "a client") says \(input.text)")
            }
        ])

    /// A client and a service that sign, and encrypt for each other.
    private struct Pair {
        var header: SecurityHeader
        var verifier: SignedMessageVerifier

        init(_ client: Identity, _ server: Identity) throws {
            header = SecurityHeader(lifetime: .seconds(60))
            header.signature = try SignatureProfile(client)
            header.encryption = try EncryptionProfile(for: server.leaf)
            var answers = SignaturePolicy(signers: [server.leaf])
            answers.decryption = DecryptionPolicy([client])
            header.answers = answers
            var policy = SignaturePolicy(signers: [client.leaf])
            policy.decryption = DecryptionPolicy([server])
            verifier = SignedMessageVerifier(policy, replayCache: MemoryReplayCache())
            verifier.signature = try SignatureProfile(server)
            verifier.answerEncryption = .aes256GCM
        }

        init(_ client: KeyPair.Kind, _ server: KeyPair.Kind) async throws {
            try self.init(await EncryptedMessageTests.identity(client), await EncryptedMessageTests.identity(server))
        }

        /// What the service answers, and what was sent and received for it.
        func exchange(
            _ version: SOAPVersion = .soap11, text: String = "hello",
            change: @escaping @Sendable (String) -> String = { $0 }
        ) async throws -> (answer: Result<String, any Error>, request: String, response: String) {
            let wire = Wire(EncryptedMessageTests.dispatcher.verified(by: verifier), change)
            var caller = ServiceCaller(endpoint: try Endpoint("https://localhost/"), transport: wire)
            caller.version = version
            caller.headerProviders = [header]
            let answer: Result<String, any Error>
            do { answer = .success(try await caller.call(Echo.operation, XMLAny(text: text)).text) } catch {
                answer = .failure(error)
            }
            return wire.messages.withLock { (answer, $0.request, $0.response) }
        }
    }

    private final class Wire: ClientTransport {
        let service: InProcessTransport
        let change: @Sendable (String) -> String
        let messages = Mutex<(request: String, response: String)>(("", ""))

        init(_ dispatcher: ServiceDispatcher, _ change: @escaping @Sendable (String) -> String) {
            service = InProcessTransport(dispatcher)
            self.change = change
        }

        func send(_ request: ClientRequest) async throws -> ClientResponse {
            var request = request
            let text = change(String(decoding: request.body.bytes ?? [], as: UTF8.self))
            request.body = HTTPBody(Array(text.utf8))
            let response = try await service.send(request)
            messages.withLock { $0 = (text, String(decoding: response.body, as: UTF8.self)) }
            return response
        }

        func shutdown() async throws {}
    }

    // MARK: Calls

    @Test(arguments: kinds, kinds)
    func bothEndsEncrypt(_ client: KeyPair.Kind, _ server: KeyPair.Kind) async throws {
        let pair = try await Pair(client, server)
        for version in [SOAPVersion.soap11, .soap12] {
            let exchange = try await pair.exchange(version, text: "a secret")
            #expect(try exchange.answer.get() == "a client says a secret", "\(exchange)")
            #expect(!exchange.request.contains("secret") && !exchange.response.contains("secret"))
            #expect(!exchange.request.contains("DigestValue") && !exchange.response.contains("DigestValue"))
            #expect(exchange.request.contains("EncryptedKey") && exchange.response.contains("EncryptedKey"))
        }
    }

    @Test(arguments: ContentEncryption.allCases)
    func allAlgorithmsWork(_ content: ContentEncryption) async throws {
        for (kind, keys) in [
            (KeyPair.Kind.rsa(bits: 2048), [KeyEncryption.rsaOAEP, .rsaOAEPSHA256]), (.p256, [.ecdhES]),
        ] {
            for key in keys {
                for reference in [
                    CertificateReference.thumbprint, .certificate,
                ] {
                    var pair = try await Pair(.p256, kind)
                    pair.header.encryption?.content = content
                    pair.header.encryption?.encryptsSignature = content.isAuthenticated
                    pair.header.encryption?.key = key
                    pair.header.encryption?.reference = reference
                    pair.verifier.answerEncryption = content
                    let isAccepted = (try? await pair.exchange().answer.get()) != nil
                    #expect(isAccepted == content.isAuthenticated)
                    pair.header.answers?.decryption?.acceptsCBC = true
                    pair.verifier.policy.decryption?.acceptsCBC = true
                    #expect(try await pair.exchange().answer.get() == "a client says hello")
                }
            }
        }
    }

    /// A password is encrypted too, and so can cross plain HTTP.
    @Test func aUsernameTokenIsEncrypted() async throws {
        var pair = try await Pair(.p256, .rsa(bits: 2048))
        pair.header.usernameToken = UsernameToken(.text, user: "ada", password: "pass-phrase")
        pair.header.signature?.parts.insert(.usernameToken)
        pair.header.encryption?.parts = [.body, .usernameToken]
        pair.verifier.policy.signed.insert(.usernameToken)
        pair.verifier.policy.decryption?.encrypted.insert(.usernameToken)
        let exchange = try await pair.exchange()
        #expect(try exchange.answer.get() == "a client says hello", "\(exchange)")
        #expect(!exchange.request.contains("pass-phrase") && !exchange.request.contains("ada<"))
        // The service demands it.
        pair.header.encryption?.parts = [.body]
        await #expect(throws: ServiceError.self) { try await pair.exchange().answer.get() }
    }

    /// An empty body, and one with comments, references and prefixes from outside, come out as they were.
    @Test func contentStaysAsItWas() async throws {
        let server = try await Self.identity(.p256)
        let soap = SOAPVersion.soap11.namespace
        for body in [
            "<s:Body/>", "<s:Body></s:Body>", "<s:Body >text &amp; <a:b x='&lt;'/> <![CDATA[<]]></s:Body>",
            "<s:Body\n a='>'><a:b xmlns:a='urn:other'/></s:Body>", "<s:Body> <a:b/> </s:Body>",
        ] {
            let message = """
                <s:Envelope xmlns:s="\(soap)" xmlns:a="urn:a"><s:Header><w:Security xmlns:w="\(SecurityName.extensions)"/></s:Header>\(body)</s:Envelope>
                """
            let encrypted = try EncryptionProfile(for: server.leaf).encrypt(Array(message.utf8), role: nil)
            let envelope = try SecuredEnvelope(encrypted, roles: [], limits: XMLLimits())
            let decrypted = try DecryptedMessage(
                encrypted, envelope, DecryptionPolicy([server]), limits: XMLLimits())
            let expected = body == "<s:Body/>" ? "<s:Body></s:Body>" : body
            #expect(String(decoding: decrypted.envelope, as: UTF8.self).hasSuffix(expected + "</s:Envelope>"))
            #expect(!decrypted.hasDecoy)
        }
    }

    // MARK: Settings

    @Test func settingsThatHaveNoEffectAreErrors() async throws {
        func code(_ pair: Pair) async throws -> WSSecurityError.Code? {
            guard case .failure(let error) = try await pair.exchange().answer else { return nil }
            return (error as? WSSecurityError)?.code
        }
        var pair = try await Pair(.p256, .rsa(bits: 2048))
        pair.header.encryption?.key = .ecdhES
        #expect(try await code(pair) == .cannotEncrypt)
        pair.header.encryption?.key = .rsaOAEP
        pair.header.encryption?.parts = [.timestamp]
        #expect(try await code(pair) == .cannotEncrypt)
        pair.header.encryption?.parts = []
        #expect(try await code(pair) == .cannotEncrypt)
        pair.header.encryption?.parts = [.usernameToken]
        #expect(try await code(pair) == .cannotEncrypt)
        pair.header.encryption?.parts = [.body]
        pair.header.encryption?.content = .aes256CBC
        #expect(try await code(pair) == .cannotEncrypt)
        pair = try await Pair(.p256, .rsa(bits: 2048))
        // A certificate without the extension.
        pair.header.encryption?.reference = .subjectKeyIdentifier
        #expect(try await code(pair) == .cannotEncrypt)
        pair = try await Pair(.p256, .rsa(bits: 2048))
        pair.header.answers?.decryption = DecryptionPolicy([])
        #expect(try await code(pair) == .cannotDecrypt)
        let signer = try await KeyPair.generate(.ed25519).selfSignedIdentity(
            subject: .init(commonName: "signer"), notBefore: 0, notAfter: 1 << 32)
        pair.header.answers?.decryption = DecryptionPolicy([signer])
        #expect(try await code(pair) == .cannotDecrypt)
        pair.header.answers?.decryption = DecryptionPolicy([try await Self.identity(.p256)])
        pair.header.answers?.decryption?.encrypted = [.timestamp]
        #expect(try await code(pair) == .cannotDecrypt)
        #expect(throws: WSSecurityError(.cannotEncrypt, "")) { try EncryptionProfile(for: signer.leaf) }
        // The key of the client only signs, so that no answer can be encrypted for it.
        let server = try await Self.identity(.p256)
        pair = try await Pair(.p256, .p256)
        pair.header.signature = try SignatureProfile(signer)
        pair.verifier.policy = SignaturePolicy(signers: [signer.leaf])
        pair.verifier.policy.decryption = DecryptionPolicy([server])
        let exchange = try await pair.exchange()
        #expect(exchange.response.contains("Fault>") && !exchange.response.contains("hello"), "\(exchange)")
        pair = try await Pair(.p256, .p256)
        pair.verifier.signature = nil
        #expect(try await pair.exchange().response.contains("Fault>"))
    }

    @Test func whatMustBeEncryptedMayNotComeInTheClear() async throws {
        var pair = try await Pair(.p256, .p256)
        let encryption = pair.header.encryption
        pair.header.encryption = nil
        #expect(try await pair.exchange().response.contains("FailedCheck"))
        pair.verifier.policy.decryption?.encrypted = []
        #expect(try await pair.exchange().answer.get() == "a client says hello")
        // The answer as well.
        pair.verifier.answerEncryption = nil
        await #expect(throws: WSSecurityError(.invalidAnswer, "")) { try await pair.exchange().answer.get() }
        pair.header.encryption = encryption
        pair.verifier.policy.decryption = nil
        #expect(try await pair.exchange().response.contains("SecurityTokenUnavailable"))
        pair.verifier.policy.decryption = DecryptionPolicy([try await Self.identity(.p384)])
        #expect(try await pair.exchange().response.contains("SecurityTokenUnavailable"))
    }

    /// Why a message is refused; nil when it is not.
    private func reason(_ message: String, _ policy: SignaturePolicy) -> String? {
        do {
            _ = try policy.open(SOAPMessage(Array(message.utf8)), now: .systemTime)
            return nil
        } catch { return (error as? SecurityDefect)?.reason ?? "\(error)" }
    }

    // MARK: Attacks

    /// Replaces the value of the encrypted key, or of the encrypted content.
    private static func changing(
        _ element: String, last: Bool = false, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> @Sendable (String) -> String {
        { message in
            let all = message.ranges(of: "<xenc:\(element) ")
            guard let begin = last ? all.last : all.first,
                let start = message.range(of: "<xenc:CipherValue>", in: begin.upperBound),
                let end = message.range(of: "</xenc:CipherValue>", in: start.upperBound),
                let bytes = Text.bytes(base64: message[start.upperBound..<end.lowerBound].utf8)
            else { return "no \(element)" }
            return message.replacingCharacters(
                in: start.upperBound..<end.lowerBound, with: Text.base64(change(bytes)))
        }
    }

    /// Whatever was changed, and however far decryption went, the service answers with the same bytes.
    @Test(arguments: [ContentEncryption.aes256GCM, .aes128CBC])
    func allDefectsLookTheSame(_ content: ContentEncryption) async throws {
        for kind in [KeyPair.Kind.rsa(bits: 2048), .p256] {
            var pair = try await Pair(.p256, kind)
            pair.header.encryption?.content = content
            pair.header.encryption?.encryptsSignature = false
            pair.verifier.policy.decryption?.acceptsCBC = true
            #expect(try await pair.exchange().answer.get() == "a client says hello")
            var answers: Set<String> = []
            if content.isAuthenticated { pair.header.encryption?.encryptsSignature = true }
            let body = Self.changing("EncryptedData", last: true) { $0.dropLast() + [$0[$0.count - 1] ^ 1] }
            let signature: @Sendable (String) -> String = {
                $0.replacing("SignatureValue>", with: "SignatureValue>AAAA", maxReplacements: 1)
            }
            let changes: [@Sendable (String) -> String] = [
                Self.changing("EncryptedKey") { $0.dropLast() + [$0[$0.count - 1] ^ 1] },
                Self.changing("EncryptedKey") { [$0[0] ^ 1] + $0.dropFirst() },
                Self.changing("EncryptedKey") { Array($0.dropLast()) },
                Self.changing("EncryptedKey") { _ in [1] },
                Self.changing("EncryptedData") { $0.dropLast() + [$0[$0.count - 1] ^ 1] },
                Self.changing("EncryptedData") { $0.dropLast(17) + [$0[$0.count - 17] ^ 1] + $0.suffix(16) },
                Self.changing("EncryptedData") { [$0[0] ^ 1] + $0.dropFirst() },
                Self.changing("EncryptedData") { Array($0.dropLast(16)) },
                Self.changing("EncryptedData") { $0 + [0] },
                Self.changing("EncryptedData") { _ in [0] },
                content.isAuthenticated ? body : signature,
            ]
            for change in changes {
                let exchange = try await pair.exchange(change: change)
                #expect(throws: ServiceError.self) { try exchange.answer.get() }
                answers.insert(exchange.response)
            }
            #expect(answers.count == 1 && answers.first?.contains("FailedCheck") == true, "\(answers)")
        }
    }

    /// A sender's key that is no point of the curve, and wrapped keys of every length.
    @Test func agreementsOfEveryShapeLookTheSame() async throws {
        let pair = try await Pair(.p256, .p256)
        let request = try await pair.exchange().request
        let point = try #require(request.firstMatch(of: #/<dsig11:PublicKey>([^<]*)/#))
        let bytes = try #require(Text.bytes(base64: point.output.1.utf8))
        #expect(bytes.count == 65 && reason(request, pair.verifier.policy) == nil)
        let points: [[UInt8]] = [
            [0], [4], [0x04] + [UInt8](repeating: 0, count: 64), [0x04] + [UInt8](repeating: 0xFF, count: 64),
            Array(bytes.dropLast()), bytes + [0], [0x02] + bytes[1..<33], [0x06] + bytes.dropFirst(),
            bytes.dropLast() + [bytes[64] ^ 1], [UInt8](repeating: 4, count: 97),
        ]
        for other in points {
            let message = request.replacing(point.output.1, with: Text.base64(other))
            #expect(reason(message, pair.verifier.policy)?.contains("a part cannot be decrypted") == true, "\(other)")
        }
        let key = try #require(request.firstMatch(of: #/<xenc:CipherValue>([^<]*)/#))
        for count in 1...48 where count != 40 {
            let message = request.replacing(key.output.1, with: Text.base64([UInt8](repeating: 1, count: count)))
            #expect(reason(message, pair.verifier.policy)?.contains("a part cannot be decrypted") == true, "\(count)")
        }
    }

    /// Nothing that is logged has a part of a private key.
    @Test(arguments: [KeyPair.Kind.rsa(bits: 2048), .p256]) func logsHaveNoKeys(_ kind: KeyPair.Kind) async throws {
        let pair = try await Pair(kind, kind)
        let identity = try await Self.identity(kind)
        let pem = String(decoding: try KeyPair(of: identity).pem(password: nil), as: UTF8.self)
        let secret = try #require(Text.bytes(base64: pem.split(separator: "\n").dropFirst().dropLast().joined().utf8))
        let log = LogCollector()
        var dispatcher = Self.dispatcher.verified(by: pair.verifier)
        dispatcher.logger = log.logger
        for change: @Sendable (String) -> String in [
            { $0 }, Self.changing("EncryptedKey") { $0.dropLast() + [$0[$0.count - 1] ^ 1] },
        ] {
            let wire = Wire(dispatcher, change)
            var caller = ServiceCaller(endpoint: try Endpoint("https://localhost/"), transport: wire)
            caller.headerProviders = [pair.header]
            caller.settings.logger = log.logger
            _ = try? await caller.call(Echo.operation, XMLAny(text: "a"))
        }
        #expect(log.text.contains("EncryptedData") && log.text.contains("cannot be decrypted"))
        // The public half stands at the end of a key on a curve, and at the beginning of an RSA key.
        let part = kind == .p256 ? secret[36..<68] : secret.suffix(160)
        let text = log.text
        for step in stride(from: part.startIndex, to: part.endIndex - 11, by: 4) {
            let piece = part[step..<step + 12]
            let decimal = piece.map(String.init).joined(separator: ", ")
            for form in [Text.base64(piece), Text.hexadecimal(piece), decimal] { #expect(!text.contains(form)) }
        }
    }

    /// Only a tag of 16 bytes counts.
    @Test func shortTagsAreRefused() async throws {
        let pair = try await Pair(.p256, .p256)
        #expect(try await pair.exchange(change: Self.changing("EncryptedData") { $0 }).answer.get().contains("hello"))
        for count in 0..<16 {
            let exchange = try await pair.exchange(
                change: Self.changing("EncryptedData") { Array($0.dropLast(16 - count)) })
            #expect(exchange.response.contains("FailedCheck"), "a tag of \(count) bytes")
        }
    }

    /// Each of these differs from an accepted message in one place.
    @Test(arguments: [
        ("<xenc:CipherValue>", "<xenc:CipherReference URI=\"file:///etc/passwd\"/><xenc:CipherValue>"),
        ("<ds:KeyInfo>", "<ds:KeyInfo><xenc:EncryptedKey/>"),
        ("<ds:KeyInfo>", "<ds:KeyInfo><!-- a -->"),
        ("<xenc:DataReference URI=\"#", "<xenc:DataReference URI=\"http://localhost/"),
        ("<xenc:DataReference URI=\"#", "<xenc:DataReference URI=\"#no"),
        ("<xenc:DataReference URI=\"#", "<xenc:DataReference URI=\"#xpointer(id('"),
        ("</xenc:ReferenceList>", "<xenc:KeyReference URI=\"#a\"/></xenc:ReferenceList>"),
        ("xmlenc#rsa-oaep-mgf1p", "xmlenc#rsa-1_5"), ("xmlenc11#aes256-gcm", "xmlenc#tripledes-cbc"),
        ("xmldsig#sha1\"/></xenc:EncryptionMethod>", "xmldsig-more#md5\"/></xenc:EncryptionMethod>"),
        ("xmlenc#Content", "xmlenc#EncryptionProperties"), ("xmlenc#Content", "xmlenc#"),
        ("<xenc:CipherData>", "<xenc:CipherData/><xenc:CipherData>"),
    ])
    func malformedEncryptionIsRefused(_ original: String, _ replacement: String) async throws {
        let pair = try await Pair(.p256, .rsa(bits: 2048))
        #expect(try await pair.exchange().answer.get() == "a client says hello")
        let exchange = try await pair.exchange { $0.replacing(original, with: replacement, maxReplacements: 1) }
        #expect(exchange.request.contains(replacement))
        #expect(throws: ServiceError.self) { try exchange.answer.get() }
        #expect(exchange.response.contains("Fault>"))
    }

    /// Content that would end the element around it is not put there, also when its signature is that of another message.
    @Test(arguments: [
        "</s:Body><s:Body>", "</e:Echo>", "<e:Echo>", "<!--", "<!DOCTYPE a>", "<?xml version='1.0'?>", "]]>",
        "<undeclared:a/>", "&undeclared;", "\u{1}", "<a xmlns:p=''/>",
    ])
    func contentStaysInItsElement(_ content: String) async throws {
        let server = try await Self.identity(.p256)
        let encryptor = try XMLEncryptor(for: server.leaf, .aes256GCM)
        let secret = encryptor.newKey()
        func decrypted(_ content: String, isElement: Bool) throws -> DecryptedMessage {
            let key = try encryptor.encryptedKey(secret, identifier: "k", recipient: "", references: ["d"])
            let data = try encryptor.encryptedData(
                Array(content.utf8), isElement: isElement, with: secret, identifier: "d", keyInfo: "")
            let message = Array(
                """
                <s:Envelope xmlns:s="\(SOAPVersion.soap11.namespace)" xmlns:e="urn:echo"><s:Header>\
                <w:Security xmlns:w="\(SecurityName.extensions)">\(key)</w:Security></s:Header><s:Body>\(data)</s:Body></s:Envelope>
                """.utf8)
            let envelope = try SecuredEnvelope(message, roles: [], limits: XMLLimits())
            return try DecryptedMessage(message, envelope, DecryptionPolicy([server]), limits: XMLLimits())
        }
        #expect(try !decrypted("<e:Echo/>", isElement: true).hasDecoy)
        #expect(try !decrypted("<e:Echo/>a<e:Echo/>", isElement: false).hasDecoy)
        #expect(try decrypted("<e:Echo/><e:Echo/>", isElement: true).hasDecoy)
        #expect(try decrypted("text", isElement: true).hasDecoy)
        for isElement in [true, false] {
            let message = try decrypted(content, isElement: isElement)
            #expect(message.hasDecoy && !String(decoding: message.envelope, as: UTF8.self).contains(content))
        }
    }

    private static var data: Regex<Substring> { #/<xenc:EncryptedData [^>]*#Content.*?<\/xenc:EncryptedData>/# }

    /// An encrypted element that stands elsewhere, or twice, is not decrypted.
    @Test func encryptedElementsHaveTheirPlaces() async throws {
        let pair = try await Pair(.p256, .p256)
        let request = try await pair.exchange().request
        let data = try #require(request.firstMatch(of: Self.data)).output
        let key = try #require(request.firstMatch(of: #/<xenc:EncryptedKey .*?<\/xenc:EncryptedKey>/#)).output
        #expect(reason(request, pair.verifier.policy) == nil)
        for (message, expected) in [
            (
                request.replacing(data, with: "")
                    .replacing("<soap:Header>", with: "<soap:Header><h:H xmlns:h='urn:h'>\(data)</h:H>"),
                "is neither in the Body nor in the Security header block"
            ),
            (request.replacing(data, with: data + data), "it must be exactly one"),
            (
                request.replacing(#/<xenc:ReferenceList>(.*?)<\/xenc:ReferenceList>/#) {
                    "<xenc:ReferenceList>\($0.output.1)\($0.output.1)</xenc:ReferenceList>"
                }, "is to be decrypted twice"
            ),
            (
                request.replacing(
                    key,
                    with: String(repeating: String(key), count: 5)),
                "more than 4 encrypted keys"
            ),
        ] {
            let reason = reason(message, pair.verifier.policy)
            #expect(reason?.contains(expected) == true, "\(reason ?? "accepted")")
        }
    }

    /// Lists of references by themselves, and keys in the encrypted elements, as some programs write them.
    @Test func keysStandInSeveralPlaces() async throws {
        var pair = try await Pair(.p256, .p256)
        pair.header.encryption?.encryptsSignature = false
        let request = try await pair.exchange().request
        let list = try #require(request.firstMatch(of: #/<xenc:ReferenceList>.*?<\/xenc:ReferenceList>/#)).output
        let key = try #require(request.firstMatch(of: #/<xenc:EncryptedKey .*?<\/xenc:EncryptedKey>/#)).output
        let own = "<xenc:ReferenceList xmlns:xenc=\"http://www.w3.org/2001/04/xmlenc#\">" + list.dropFirst(20)
        let beside = request.replacing(list, with: "").replacing(
            "</xenc:EncryptedKey>", with: "</xenc:EncryptedKey>\(own)")
        let inside = request.replacing(key, with: own).replacing(
            #/(<xenc:EncryptedData .*?<ds:KeyInfo[^>]*>).*?<\/ds:KeyInfo>/#
        ) { "\($0.output.1)\(key.replacing(list, with: ""))</ds:KeyInfo>" }
        let unnamed = beside.replacing(#/(<xenc:EncryptedData .*?)<ds:KeyInfo.*?<\/ds:KeyInfo>/#) { "\($0.output.1)" }
        for message in [request, beside, inside, unnamed] {
            #expect(reason(message, pair.verifier.policy) == nil, "\(message)")
        }
        let lost = beside.replacing("<wsse:Reference URI=\"#EncryptedKey", with: "<wsse:Reference URI=\"#Other")
        #expect(reason(lost, pair.verifier.policy)?.contains("names no key") == true)
    }

    /// A Body in the clear beside an encrypted token, whether it has content or not.
    @Test func aBodyInTheClearIsRefused() async throws {
        var pair = try await Pair(.p256, .p256)
        pair.header.usernameToken = UsernameToken(.text, user: "ada", password: "pass-phrase")
        pair.header.encryption?.parts = [.usernameToken]
        let request = try await pair.exchange().request
        #expect(request.contains("<xenc:EncryptedKey ") && request.contains("hello"))
        let empty = request.replacing(#/(<\w+:Body[^<>]*)>.*<\/\w+:Body>/#) { "\($0.output.1)/>" }
        #expect(empty.contains("/></"))
        for message in [request, empty] {
            #expect(reason(message, pair.verifier.policy)?.contains("content of the Body is not encrypted") == true)
        }
        pair.verifier.policy.decryption?.encrypted = []
        #expect(reason(request, pair.verifier.policy) == nil)
        pair.verifier.policy.decryption?.encrypted = [.usernameToken]
        #expect(reason(request, pair.verifier.policy) == nil)
        pair.header.encryption?.parts = [.body]
        let clear = try await pair.exchange().request
        #expect(reason(clear, pair.verifier.policy)?.contains("the UsernameToken is not encrypted") == true)
        // A signature in the clear.
        pair.verifier.policy.decryption?.encrypted = [.body]
        pair.verifier.policy.decryption?.requiresEncryptedSignature = true
        #expect(reason(clear, pair.verifier.policy) == nil)
        pair.header.encryption?.encryptsSignature = false
        let open = try await pair.exchange().request
        #expect(reason(open, pair.verifier.policy)?.contains("the signature is not encrypted") == true)
    }

    /// An old message whose content an attacker has guessed gets the same answer as one with a wrong guess; so does one that is sent again.
    @Test func answersConfirmNoGuess() async throws {
        var pair = try await Pair(.p256, .p256)
        let moment = Duration.systemTime + .seconds(3_600)
        pair.verifier.now = { moment }
        let old = try await pair.exchange()
        let wrong = try await pair.exchange(
            change: Self.changing("EncryptedData") { $0.dropLast() + [$0[$0.count - 1] ^ 1] })
        #expect(old.response.contains("MessageExpired") && old.response == wrong.response)
        // Fresh, and sent twice.
        pair = try await Pair(.p256, .p256)
        let first = try await pair.exchange()
        let message = first.request
        let again = try await pair.exchange { _ in message }
        let changed = try await pair.exchange { _ in
            Self.changing("EncryptedData") { $0.dropLast() + [$0[$0.count - 1] ^ 1] }(message)
        }
        #expect(again.response == changed.response && again.response.contains("FailedCheck"))
    }

    /// Before a key is used, the sender is unknown.
    @Test func timestampsOfStrangersAreSmall() async throws {
        let pair = try await Pair(.p256, .p256)
        let request = try await pair.exchange().request
        let timestamp = try #require(request.firstMatch(of: #/<wsu:Timestamp .*<\/wsu:Timestamp>/#)).output
        for other in [
            timestamp + timestamp.replacing("Id=\"", with: "Id=\"x"),
            timestamp.replacing("</wsu:Timestamp>", with: String(repeating: " ", count: 4096) + "</wsu:Timestamp>"),
        ] {
            let reason = reason(request.replacing(timestamp, with: other), pair.verifier.policy)
            #expect(reason?.contains("second Timestamp") == true, "\(reason ?? "accepted")")
        }
    }

    /// What an attacker has encrypted cannot stand beside what another one has.
    @Test func oneMessageHasOneKey() async throws {
        let pair = try await Pair(.p256, .p256)
        let server = try await Self.identity(.p256)
        let request = try await pair.exchange().request
        let encryptor = try XMLEncryptor(for: server.leaf, .aes256GCM)
        let secret = encryptor.newKey()
        // The key of the victim stays for the signature; the Body has one of the attacker's.
        let body = try #require(request.firstMatch(of: #/<xenc:DataReference URI="#([^"]*)"\/><xenc:DataReference/#))
            .output
        let key = try encryptor.encryptedKey(secret, identifier: "other", recipient: "", references: ["guess"])
        let data = try encryptor.encryptedData(
            Array("<e:Echo xmlns:e=\"urn:echo\"/>".utf8), isElement: false, with: secret, identifier: "guess",
            keyInfo: "")
        let mixed = request.replacing(body.0, with: "<xenc:DataReference")
            .replacing(#/(Body[^<>]*>)<xenc:EncryptedData .*<\/xenc:EncryptedData>/#) { "\($0.output.1)\(data)" }
            .replacing("<xenc:EncryptedKey ", with: key + "<xenc:EncryptedKey ", maxReplacements: 1)
        #expect(reason(request, pair.verifier.policy) == nil)
        #expect(
            reason(mixed, pair.verifier.policy)?.contains("several keys") == true,
            "\(reason(mixed, pair.verifier.policy) ?? "")")
    }

    /// The answer shows no signature of an encrypted request, and no digest shows a password.
    @Test func nothingShowsWhatIsEncrypted() async throws {
        var pair = try await Pair(.p256, .p256)
        pair.header.requiresConfirmation = true
        pair.verifier.confirmsSignatures = true
        let exchange = try await pair.exchange()
        #expect(try exchange.answer.get() == "a client says hello", "\(exchange)")
        #expect(!exchange.response.contains("SignatureConfirmation"))
        for content in [ContentEncryption.aes128CBC, nil] {
            pair.verifier.answerEncryption = content
            #expect(try await pair.exchange().response.contains("Fault>"))
        }
        // Over plain HTTP.
        pair = try await Pair(.p256, .p256)
        pair.header.usernameToken = UsernameToken(.text, user: "ada", password: "pass-phrase")
        pair.header.signature?.parts.insert(.usernameToken)
        pair.header.encryption?.parts = [.body, .usernameToken]
        func call(_ header: SecurityHeader) async throws {
            let wire = Wire(EncryptedMessageTests.dispatcher.verified(by: pair.verifier)) { $0 }
            var caller = ServiceCaller(endpoint: try Endpoint("http://service.example/"), transport: wire)
            caller.headerProviders = [header]
            _ = try await caller.call(Echo.operation, XMLAny(text: "a"))
        }
        pair.verifier.policy.signed.insert(.usernameToken)
        try await call(pair.header)
        pair.header.encryption?.encryptsSignature = false
        await #expect(throws: WSSecurityError(.plaintextRefused, "")) { try await call(pair.header) }
        pair.header.encryption?.encryptsSignature = true
        pair.header.encryption?.parts = [.body]
        await #expect(throws: WSSecurityError(.plaintextRefused, "")) { try await call(pair.header) }
    }

    /// A prefix that is declared again, and one that only the encrypted element declares.
    @Test func contentHasThePrefixesAroundIt() async throws {
        let server = try await Self.identity(.p256)
        let encryptor = try XMLEncryptor(for: server.leaf, .aes256GCM)
        let secret = encryptor.newKey()
        for (content, isReadable) in [("<xenc:a/>", true), ("<own:a/>", false)] {
            let key = try encryptor.encryptedKey(secret, identifier: "k", recipient: "", references: ["d"])
            let data = try encryptor.encryptedData(
                Array(content.utf8), isElement: true, with: secret, identifier: "d", keyInfo: ""
            ).replacing("<xenc:EncryptedData ", with: "<xenc:EncryptedData xmlns:own=\"urn:own\" ")
            let message = Array(
                """
                <s:Envelope xmlns:s="\(SOAPVersion.soap11.namespace)" xmlns:xenc="urn:other"><s:Header>\
                <w:Security xmlns:w="\(SecurityName.extensions)">\(key)</w:Security></s:Header><s:Body>\(data)</s:Body></s:Envelope>
                """.utf8)
            let envelope = try SecuredEnvelope(message, roles: [], limits: XMLLimits())
            let decrypted = try DecryptedMessage(message, envelope, DecryptionPolicy([server]), limits: XMLLimits())
            #expect(decrypted.hasDecoy != isReadable, "\(content)")
        }
    }

    /// A signature over what is encrypted is refused by name, not as a wrong one.
    @Test func anEncryptionBelowTheSignatureIsRefused() async throws {
        let (client, server) = (try await Self.identity(.p256), try await Self.identity(.p384))
        let message = """
            <s:Envelope xmlns:s="\(SOAPVersion.soap11.namespace)"><s:Header><w:Security xmlns:w="\(SecurityName.extensions)"/></s:Header>\
            <s:Body/></s:Envelope>
            """
        let encrypted = try EncryptionProfile(for: server.leaf).encrypt(Array(message.utf8), role: nil)
        var profile = try SignatureProfile(client)
        profile.parts = [.body]
        let signed = String(decoding: try await profile.sign(SOAPMessage(encrypted), role: nil).envelope, as: UTF8.self)
        let key = try #require(signed.firstMatch(of: #/<xenc:EncryptedKey .*?</xenc:EncryptedKey>/#)?.output)
        let moved = signed.replacing(key, with: "").replacing("</w:Security>", with: "\(key)</w:Security>")
        var policy = SignaturePolicy(signers: [client.leaf])
        policy.decryption = DecryptionPolicy([server])
        policy.signed = [.body]
        let defect = #expect(throws: SecurityDefect.self) {
            try policy.open(SOAPMessage(Array(moved.utf8)), now: .seconds(1))
        }
        #expect(defect?.reason.contains("encrypted before it was signed") == true)
        #expect(defect?.code == .unsupportedAlgorithm)
    }
}

extension String {
    fileprivate func range(of text: String, in start: Index? = nil) -> Range<Index>? {
        self[(start ?? startIndex)...].firstRange(of: text)
    }

    fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
        String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
    }
}
