import Foundation
import Signet
import SignetCredentials
import SignetNIOTransport
import SignetServer
import SignetWSSecurity
import Synchronization
import TestSupport
import Testing

/// Tokens of a security token service, and what services make of them: both are written in Python, with pysaml2 and xmlsec1.
@Suite(.serialized, .timeLimit(.minutes(15))) struct TokenServicePeerTests {
    private struct Line: Decodable {
        let bytes: String?
        let proof: String?
        let signed: [String]?
    }

    private static let name = XMLName("urn:signet:example:echo", "Echo")
    private static let echo = ServiceOperation<XMLAny, XMLAny>(
        name: "Echo", soapAction: "urn:echo", version: .soap11, input: name, output: name)

    private let openssl: OpenSSL
    private let ports: (service: Int, party: Int)

    init() async throws {
        openssl = try OpenSSL()
        ports = (try Port.free(), try Port.free())
        let made = try await PeerProcess.output(
            of: .init(
                program: "/usr/bin/python3",
                arguments: [PeerFile.url("saml_tokens.py").path(percentEncoded: false), openssl.folder.path]))
        try #require(made.status == 0, "\(made.error)")
    }

    // MARK: Both services

    private var party: String { "https://localhost:\(ports.party)/records" }

    private func identity(_ name: String) throws -> Identity {
        try Identity(pem: openssl.bytes("\(name).pem"), privateKey: openssl.bytes("\(name).key"))
    }

    private func run<Value: Sendable>(
        issuing modes: [String] = [], accepting options: [String] = [], in realm: KerberosRealm? = nil,
        during body: () async throws -> Value
    ) async throws -> Value {
        let service = modes.flatMap { $0.hasPrefix("--") ? [$0] : $0.contains("=") ? [] : ["--mode", $0] }
        var environment = realm?.environment ?? [:]
        environment["KRB5_KTNAME"] = realm?.keyTable
        return try await PeerProcess.python(
            "token_service.py", by: "/usr/bin/python3", in: openssl.folder, port: ports.service, service,
            environment: environment
        ) { () async throws in
            try await PeerProcess.python(
                "relying_party.py", by: "/usr/bin/python3", in: openssl.folder, port: ports.party, options,
                during: body)
        }
    }

    private func caller(_ url: String, showing identity: Identity? = nil) throws -> ServiceCaller {
        var configuration = try ServiceConfiguration(url)
        configuration.trust = .anchors(try openssl.bundle("ca"))
        configuration.identity = identity.map { .fixed($0) }
        configuration.deadlines = .patient
        return ServiceCaller(configuration)
    }

    /// How the token service learns who asks.
    enum Proof: String, CaseIterable { case username, digest, certificate, signature }

    private func tokenService(_ path: String, _ proof: Proof, _ version: SOAPVersion = .soap12) throws -> ServiceCaller
    {
        var caller = try caller(
            "https://localhost:\(ports.service)/\(path)/\(proof)",
            showing: proof == .certificate ? try identity("client") : nil)
        caller.version = version
        var security = SecurityHeader(lifetime: .seconds(300))
        switch proof {
        case .username: security.usernameToken = .init(.text, user: "clerk", password: "wäy in")
        case .digest: security.usernameToken = .init(.digest, user: "clerk", password: "wäy in")
        case .signature: security.signature = try SignatureProfile(try identity("client"))
        case .certificate: return caller
        }
        caller.headerProviders = [AddressingHeader(), security]
        return caller
    }

    /// The token service learns by HTTP who asks.
    private func tokenService(_ path: String, _ policy: AuthenticationPolicy) throws -> ServiceCaller {
        var configuration = try ServiceConfiguration("https://localhost:\(ports.service)/\(path)")
        configuration.trust = .anchors(try openssl.bundle("ca"))
        configuration.authentication = policy
        configuration.deadlines = .patient
        return ServiceCaller(configuration)
    }

    private static func tickets(_ credentials: Credentials = .ticket) -> AuthenticationPolicy {
        var policy = AuthenticationPolicy(credentials: .fixed(credentials))
        policy.schemes = [.negotiate]
        policy.kerberos = Kerberos()
        return policy
    }

    private struct Asked: Decodable {
        let path: String
        let user: String?
        let by: String?
        /// Whether a request that HTTP refused had credentials.
        let sent: Bool?
    }

    /// What came to the token service.
    private var asked: [Asked] {
        get throws {
            try openssl.bytes("token_service.log").split(separator: 10)
                .map { try JSONDecoder().decode(Asked.self, from: Data($0)) }
        }
    }

    private func client(_ tokens: IssuedTokens, _ change: (inout SecurityHeader) -> Void = { _ in }) throws
        -> ServiceCaller
    {
        var caller = try caller(party)
        var security = SecurityHeader(lifetime: .seconds(300))
        security.issuedTokens = tokens
        change(&security)
        caller.headerProviders = [security]
        return caller
    }

    private func call(_ client: ServiceCaller, _ text: String = "hello") async throws -> String {
        let input = XMLAny(children: [try XMLFragment(XMLName("urn:signet:example:echo", "text"), text: text)])
        return try await client.call(Self.echo, input).children.first?.text ?? ""
    }

    private func lastLine() throws -> Line {
        let text = try openssl.bytes("relying_party.log")
        let line = try #require(text.split(separator: 10).last)
        return try JSONDecoder().decode(Line.self, from: Data(line))
    }

    private func count() async throws -> Int {
        let curl = try await PeerProcess.output(
            of: .init(
                program: "curl",
                arguments: [
                    "-sS", "--cacert", openssl.folder.appending(path: "ca.pem").path,
                    "https://localhost:\(ports.service)/count",
                ]))
        let counts = try JSONDecoder().decode([String: Int].self, from: Data(curl.output.utf8))
        return counts.values.reduce(0, +)
    }

    // MARK: Tokens

    struct Case: CustomTestStringConvertible, Sendable {
        var style: String
        var version: WSTrustVersion
        var type: TokenType
        var proof: Proof
        var holder: String?
        var testDescription: String {
            "\(style) \(version) \(type == .saml20 ? "2.0" : "1.1") \(proof) \(holder ?? "bearer")"
        }
    }

    static let cases: [Case] = ["cxf", "adfs", "vsphere"].flatMap { style in
        [TokenType.saml20, .saml11].flatMap { type in
            [nil, "client", "client-ec"].enumerated().map { number, holder in
                // Each way to ask is there with each version.
                let proof = Proof.allCases[(number + (type == .saml11 ? 2 : 0) + (style == "adfs" ? 1 : 0)) % 4]
                let version: WSTrustVersion = style == "adfs" || number == 2 && style == "cxf" ? .v2005 : .v13
                return Case(style: style, version: version, type: type, proof: proof, holder: holder)
            }
        }
    }

    /// What the service gets is what the token service has signed, byte for byte, but for namespaces that were declared outside.
    @Test func tokensOfManyServicesAreCarriedAsTheyAre() async throws {
        try await run { () async throws in
            for item in Self.cases {
                let comment = Comment(rawValue: item.testDescription)
                let holder = try item.holder.map { try identity($0) }
                var request = TokenRequest(for: party, type: item.type, key: holder.map { .holder($0) } ?? .bearer)
                request.claims = [.init("http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress")]
                request.version = item.version
                request.lifetime = .seconds(600)
                let path = "\(item.style)/\(item.version == .v2005 ? "2005" : "13")"
                let tokens = IssuedTokens(
                    from: try tokenService(path, item.proof, item.holder == "client" ? .soap11 : .soap12), request)
                let token = try await tokens.token()
                #expect(token.type == item.type, comment)
                #expect(token.assertion?.attributes.isEmpty == false, comment)
                for signsToken in [false, true] where holder != nil || !signsToken {
                    let client = try client(tokens) { security in
                        guard signsToken, let holder else { return }
                        security.signature = try? SignatureProfile(holder)
                        security.signature?.parts.insert(.signingToken)
                    }
                    #expect(try await call(client) == "hello", comment)
                    let line = try lastLine()
                    #expect(line.bytes == (item.style == "vsphere" ? "declared" : "exact"), comment)
                    #expect(line.proof == (holder == nil ? nil : "signature"), comment)
                }
            }
        }
    }

    /// The token service knows the client by a ticket of a real realm, and issues in the user's name.
    @Test func ticketsOfKerberosGetTokens() async throws {
        try await KerberosRealm.run { realm async throws in
            try await realm.log(in: "clerk", password: "way in")
            try await run(in: realm) { () async throws in
                for (path, version) in [
                    ("cxf/13", WSTrustVersion.v13), ("adfs/2005", .v2005), ("vsphere/13", .v13),
                ] {
                    for name in [nil, "client"] {
                        let holder = try name.map { try identity($0) }
                        var request = TokenRequest(for: party, key: holder.map { .holder($0) } ?? .bearer)
                        request.version = version
                        let tokens = IssuedTokens(
                            from: try tokenService("\(path)/kerberos", Self.tickets()), request)
                        #expect(try await tokens.token().assertion?.subject == "clerk@EXAMPLE.TEST")
                        #expect(try await call(try client(tokens)) == "hello")
                        #expect(try lastLine().proof == (holder == nil ? nil : "signature"))
                    }
                }
                let issued = try asked.filter { $0.sent == nil }
                #expect(issued.count == 6)
                #expect(Set(issued.map(\.user)) == ["clerk@EXAMPLE.TEST"])
                #expect(Set(issued.map(\.by)) == ["kerberos"])
            }
            try await realm.logOut()
        }
    }

    /// The next ticket may be right, so that the same tokens go on, without a restart of the program.
    @Test func aTicketThatIsMissingOrRefusedMayBeRightLater() async throws {
        try await KerberosRealm.run { realm async throws in
            try await realm.logOut()
            try await run(in: realm) { () async throws in
                let tokens = IssuedTokens(
                    from: try tokenService("cxf/kerberos", Self.tickets()), TokenRequest(for: party))
                let client = try client(tokens)
                let missing = await #expect(throws: AuthenticationError.self) { () async throws in
                    try await call(client)
                }
                #expect(missing?.code == .noTicket)
                try await realm.log(in: "clerk", password: "way in")
                // The service cannot read any ticket without its key.
                let away = realm.keyTable + ".away"
                try FileManager.default.moveItem(atPath: realm.keyTable, toPath: away)
                let refused = await #expect(throws: AuthenticationError.self) { () async throws in
                    try await call(client)
                }
                #expect(refused?.code == .credentialsRefused)
                try FileManager.default.moveItem(atPath: away, toPath: realm.keyTable)
                #expect(try await call(client) == "hello")
                #expect(try await call(client) == "hello")
                #expect(try asked.count { $0.user != nil } == 1)
            }
            try await realm.logOut()
        }
    }

    /// HTTP authentication remembers what was refused, and takes other credentials when its source has them.
    @Test func aPasswordForHTTPIsSentOnceUntilThereIsAnother() async throws {
        try await run { () async throws in
            let password = Mutex("SECRET")
            let source = CredentialSource.asking { _ in
                .account(user: "clerk", password: password.withLock { $0 })
            }
            let tokens = IssuedTokens(
                from: try tokenService("cxf/basic", AuthenticationPolicy(credentials: source)),
                TokenRequest(for: party))
            let client = try client(tokens)
            for _ in 0..<3 {
                let error = await #expect(throws: AuthenticationError.self) { () async throws in
                    try await call(client)
                }
                #expect(error?.code == .credentialsRefused)
                #expect(error.map { "\($0)".contains("SECRET") } == false)
            }
            #expect(try asked.count { $0.sent == true } == 1)
            password.withLock { $0 = "wäy in" }
            #expect(try await call(client) == "hello")
        }
    }

    @Test func anEncryptedTokenIsPassedOnUntouched() async throws {
        try await run { () async throws in
            let tokens = IssuedTokens(
                from: try tokenService("cxf/encrypted", .username), TokenRequest(for: party))
            #expect(try await tokens.token().assertion == nil)
            #expect(try await call(try client(tokens)) == "hello")
        }
    }

    /// Refusals are faults with the status 500, or 401.
    @Test(arguments: [false, true]) func oneTokenServesManyCalls(isUnauthorized: Bool) async throws {
        try await run(accepting: isUnauthorized ? ["--unauthorized"] : []) { () async throws in
            let tokens = IssuedTokens(from: try tokenService("cxf", .username), TokenRequest(for: party))
            let before = try await count()
            let client = try client(tokens)
            try await withThrowingTaskGroup { group in
                for number in 0..<1000 {
                    group.addTask { () async throws in
                        let answer = try await call(client, "\(number)")
                        #expect(answer == "\(number)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await count() - before == 1)
            // The service forgets what was issued so far.
            _ = try await PeerProcess.output(
                of: .init(
                    program: "curl",
                    arguments: [
                        "-sS", "-X", "POST", "--cacert", openssl.folder.appending(path: "ca.pem").path,
                        "https://localhost:\(ports.service)/revoke",
                    ]))
            for _ in 0..<3 { #expect(try await call(client) == "hello") }
            #expect(try await count() - before == 2)
        }
    }

    @Test func aTokenThatIsRefusedTwiceEndsTheCall() async throws {
        try await run(accepting: ["--audience", "https://other.example/"]) { () async throws in
            let tokens = IssuedTokens(from: try tokenService("cxf", .username), TokenRequest(for: party))
            let before = try await count()
            let client = try client(tokens)
            let fault = await #expect(throws: SOAPFault.self) { () async throws in try await call(client) }
            #expect(fault?.code == .invalidSecurityToken)
            let asked = try await count() - before
            #expect(asked == 2)
            // A token that the program gave has no other in its place, and stays.
            let fixed = try self.client(IssuedTokens(try await tokens.token()))
            for _ in 0..<2 { await #expect(throws: SOAPFault.self) { () async throws in try await call(fixed) } }
        }
    }

    /// The token service counts a request that it refuses, too.
    @Test(arguments: ["trustfault", "unauthorized"]) func aWrongPasswordIsSentOnce(mode: String) async throws {
        try await run { () async throws in
            var service = try tokenService("cxf/\(mode)", .username)
            let wrong = SecurityHeader(.init(.text, user: "clerk", password: "SECRET"), lifetime: .seconds(300))
            service.headerProviders = [wrong]
            let tokens = IssuedTokens(from: service, TokenRequest(for: party))
            let client = try client(tokens)
            for _ in 0..<3 {
                let error = await #expect(throws: WSSecurityError.self) { () async throws in try await call(client) }
                #expect(error?.code == .noToken)
                #expect(error?.message.contains("FailedAuthentication") == true)
                #expect(error?.message.contains("SECRET") == false)
            }
            let log = String(decoding: try openssl.bytes("token_service.log"), as: UTF8.self)
            #expect(log.split(separator: "\n").count == 1)
        }
    }

    @Test(arguments: [
        ("cxf/nolifetime", nil), ("cxf/hugelifetime", nil), ("cxf/two", nil), ("cxf/othertype", nil),
        ("adfs/2005/two", nil),
        ("cxf/twotokens", nil), ("cxf/expired", WSSecurityError.Code.unusableToken), ("cxf/html", .noToken),
        ("cxf/empty", .noToken), ("cxf/busy", .noToken),
    ]) func answersOfManyKinds(path: String, code: WSSecurityError.Code?) async throws {
        try await run { () async throws in
            var request = TokenRequest(for: party)
            if path.contains("2005") { request.version = .v2005 }
            let tokens = IssuedTokens(from: try tokenService(path, .username), request)
            do {
                let token = try await tokens.token()
                #expect(code == nil)
                if path.contains("othertype") { #expect(token.type != .saml20) }
            } catch let error as WSSecurityError {
                #expect(error.code == code, "\(error)")
            }
        }
    }

    // MARK: The command

    private func signet(_ arguments: String...) async throws -> SignetProgram.Outcome {
        try await PeerProcess.output(
            of: .init(
                program: try SignetProgram.path(),
                arguments: arguments + ["--ca", openssl.folder.appending(path: "ca.pem").path],
                environment: ["TOKEN_PASSWORD": "wäy in"]))
    }

    private func echo(_ options: [String] = []) async throws -> SignetProgram.Outcome {
        let arguments = [
            "call", PeerFile.url("records.wsdl").path, "Echo", "--endpoint", party, "--set", "text=hello", "--ca",
            openssl.folder.appending(path: "ca.pem").path,
        ]
        return try await PeerProcess.output(
            of: .init(program: try SignetProgram.path(), arguments: arguments + options))
    }

    /// Tokens are kept in files that other users cannot read, and sent by another command.
    @Test func theCommandGetsTokensAndSendsThem() async throws {
        let files = try IdentityFiles()
        let key = files.path("client.pem")
        try files.write(
            String(decoding: try openssl.bytes("client.pem") + openssl.bytes("client.key"), as: UTF8.self),
            as: "client.pem")
        try await run { () async throws in
            let service = "https://localhost:\(ports.service)"
            let bearer = try await signet(
                "token", "\(service)/adfs/2005/username", "--ws-trust", "2005", "--for", party, "--wss-user", "clerk",
                "--wss-text", "--wss-password-env", "TOKEN_PASSWORD", "--claim", "urn:claims/role", "--lifetime", "600",
                "--output", files.path("bearer"), "--json")
            #expect(bearer.status == 0, "\(bearer)")
            #expect(try JSONSchema.departures(of: bearer.output, from: "token") == "")
            let said = try JSON(bearer.output)
            #expect(said["assertion"]["subject"].text == "clerk")
            #expect(said["assertion"]["attributes"][0]["values"][0].text == "clerk")
            #expect(said["assertion"]["audiences"][0][0].text == party)
            let mode = try FileManager.default.attributesOfItem(atPath: files.path("bearer"))[.posixPermissions]
            #expect(mode as? Int == 0o600)
            let holder = try await signet(
                "token", "\(service)/vsphere/signature", "--for", party, "--holder-of-key", "--wss-identity", key,
                "--output", files.path("holder"), "--verbose")
            #expect(holder.status == 0, "\(holder)")
            #expect(holder.output.contains("the holder of the key"))
            let encrypted = try await signet(
                "token", "\(service)/cxf/certificate/encrypted", "--for", party, "--holder-of-key", "--identity", key,
                "--output", files.path("encrypted"))
            #expect(encrypted.status == 0, "\(encrypted)")
            let text = try String(contentsOf: files.folder.appending(path: "encrypted"), encoding: .utf8)
            for secret in ["EncryptedData", "CipherValue"] {
                #expect(text.contains(secret))
                #expect(!"\(encrypted)\(holder)".contains(secret))
            }

            for (file, more) in [("bearer", []), ("holder", ["--wss-identity", key])] {
                let answer = try await echo(["--wss-token", files.path(file)] + more)
                #expect(answer.status == 0, "\(file) \(more): \(answer)")
                #expect(answer.output.contains("hello"))
                // Otherwise the message could be moved under another assertion of the holder.
                #expect(try lastLine().signed?.contains("Assertion") == (file == "holder" ? true : nil))
            }
            for file in ["holder", "encrypted"] {
                let refused = try await echo(["--wss-token", files.path(file)])
                #expect(refused.status == 1)
                #expect(refused.error.contains("--wss-identity"), "\(refused.error)")
            }
            // A file that is no token needs no key.
            let other = try await echo(["--wss-token", PeerFile.url("records.wsdl").path])
            #expect(other.status == 1 && !other.error.contains("--wss-identity"), "\(other)")
            let without = try await echo()
            #expect(without.status == 1)
            #expect(without.error.contains("--wss-token"), "\(without.error)")
        }
    }

    @Test func theCommandSaysWhyThereIsNoToken() async throws {
        let files = try IdentityFiles()
        try await run { () async throws in
            let service = "https://localhost:\(ports.service)/cxf/username"
            let user = ["--wss-user", "clerk", "--wss-password-env", "TOKEN_PASSWORD"]
            let cases: [(arguments: [String], status: Int32, words: String)] = [
                ([service, "--wss-user", "guest", "--wss-password-env", "TOKEN_PASSWORD"], 1, "FailedAuthentication"),
                ([service, "--type", "jwt"] + user, 1, "BadRequest"),
                (["\(service)/html"] + user, 1, "issued no token"), ([service], 1, "FailedAuthentication"),
                (["https://localhost:1/"] + user, 1, "port 1"), (["localhost"] + user, 2, "address"),
                ([service, "--type", "saml3"], 2, "saml2"), ([service, "--holder-of-key"], 2, "--wss-identity"),
                ([service, "--lifetime", "0"], 2, "--lifetime"), ([service, "--force"], 2, "--output"),
                ([service, "--ws-trust", "1.5"], 2, "--ws-trust"), ([service, "--timeout", "-1"], 2, "--timeout"),
                ([service, "--output", files.folder.path], 1, "is there already"),
                ([service, "--identity", "nowhere"], 1, "nowhere"), ([service, "--for", ""], 2, "--for"),
            ]
            for (arguments, status, words) in cases {
                let outcome = try await PeerProcess.output(
                    of: .init(
                        program: try SignetProgram.path(),
                        arguments: ["token", "--ca", openssl.folder.appending(path: "ca.pem").path] + arguments,
                        environment: ["TOKEN_PASSWORD": "wäy in"]))
                #expect(outcome.status == status, "\(arguments): \(outcome)")
                #expect(outcome.error.contains(words), "\(arguments): \(outcome.error)")
                #expect(outcome.output.isEmpty, "\(arguments)")
                #expect(!outcome.error.contains("wäy in"))
            }
        }
    }

    @Test func tokensAreUsedWithoutTheService() async throws {
        try await run { () async throws in
            let holder = try identity("client")
            let request = TokenRequest(for: party, key: .holder(holder))
            let token = try await IssuedTokens(from: try tokenService("vsphere", .certificate), request).token()
            let kept = try IssuedToken(importing: try token.exported(), holder: holder)
            #expect(kept.content.bytes == token.content.bytes)
            #expect(kept.expires == token.expires)
            #expect(kept.type == token.type)
            #expect(try await call(try client(IssuedTokens(kept))) == "hello")
            let exported = try token.exported()
            for other in [nil, try identity("other")] {
                let error = #expect(throws: WSSecurityError.self) {
                    try IssuedToken(importing: exported, holder: other)
                }
                #expect(error?.code == .unusableToken)
            }
        }
    }
}
