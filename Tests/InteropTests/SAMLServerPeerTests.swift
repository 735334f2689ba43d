import Foundation
import Signet
import SignetCredentials
import SignetNIOTransport
import SignetServer
import SignetWSSecurity
import TestSupport
import Testing

/// Messages with SAML assertions that a program in Python makes, right ones and attacks, as our server judges them.
@Suite(.timeLimit(.minutes(15))) struct SAMLServerPeerTests {
    private struct Case: Decodable {
        let name: String
        let what: String
        let control: String?
        let expect: String
        let subject: String?
        let files: [String]
    }

    private static let name = XMLName("urn:signet:example:echo", "Echo")
    private static let audience = "https://records.example/"
    private static let recipient = "https://records.example/documents"

    /// Answers with the name of the user.
    private static let dispatcher = ServiceDispatcher(
        name: "Echo", versions: [.soap11, .soap12],
        routes: [
            ServiceOperation<XMLAny, XMLAny>(
                name: "Echo", soapAction: "urn:echo", version: .soap11, input: name, output: name
            ).route { _, context in
                let issuer = context.peer.issuer ?? ""
                return try XMLAny(text: "\(context.peer.user ?? "") by \(issuer) with \(context.peer.claims.count)")
            }
        ])

    /// Right messages that are not accepted, and why.
    private static let unsupported = [
        "c20-hok-keyvalue": "the key of a holder without its certificate",
        "c20-hok-plain": "the assertion is not signed by its holder, unless signed of the policy is changed",
    ]

    /// Messages that are accepted although they depart from what most programs make, because what is read of them is what the issuer signed.
    private static let harmless: Set<String> = [
        // Nothing but the header block is searched for the identifier.
        "duplicate-wsu-id", "duplicate-wsu-id-11",
        // Of Conditions and confirmation, one says when the assertion ends.
        "no-end", "no-confirmation-end",
        // Other canonical forms of the list.
        "with-comments", "inclusive", "inclusive-signedinfo", "enveloped-only",
    ]

    @Test func theServerAcceptsWhatItShouldAndNothingElse() async throws {
        let openssl = try OpenSSL()
        let folder = openssl.folder.path
        try Data("<Echo xmlns=\"\(Self.name.namespace.uri)\">hello</Echo>".utf8)
            .write(to: openssl.folder.appending(path: "body.xml"))
        for (script, arguments) in [
            ("saml_tokens.py", [folder]),
            (
                "saml_attacks.py",
                [
                    folder, "\(folder)/out", "--body", "\(folder)/body.xml", "--audience", Self.audience, "--recipient",
                    Self.recipient,
                ]
            ),
        ] {
            let path = PeerFile.url(script).path(percentEncoded: false)
            let made = try await PeerProcess.output(
                of: .init(program: "/usr/bin/python3", arguments: [path] + arguments))
            try #require(made.status == 0, "\(made.error)")
        }
        let cases = try JSONDecoder().decode([Case].self, from: Data(try openssl.bytes("out/cases.json")))
        try #require(cases.count > 150)

        let issuers = try ["sts", "sts-ec"].map {
            try Identity(pem: openssl.bytes("\($0).pem"), privateKey: openssl.bytes("\($0).key")).leaf
        }
        let partner = try Identity(pem: openssl.bytes("partner.pem"), privateKey: openssl.bytes("partner.key")).leaf
        var policy = SAMLPolicy(
            issuers: ["urn:example:token-service": issuers, "urn:example:partner": [partner]],
            audiences: [Self.audience])
        policy.recipients = [Self.recipient]
        policy.allowsReuse = false
        let bearer = SAMLVerifier(policy, replayCache: MemoryReplayCache())
        let holder = SignedMessageVerifier(SignaturePolicy(holdersOf: policy), replayCache: MemoryReplayCache())
        var settings = SOAPServer.Settings()
        settings.port = 0
        let server = try SOAPServer.withoutTLS(
            [
                HostedService(Self.dispatcher.verified(by: bearer), path: "/bearer"),
                HostedService(Self.dispatcher.verified(by: holder), path: "/holder"),
            ], settings: settings)
        let url = "http://127.0.0.1:\(try await server.start())"
        let transport = try NIOTransport(to: try Endpoint(url).origin, ConnectionConfiguration())
        func answer(_ file: String, _ path: String) async throws -> String {
            var request = ClientRequest(
                try Endpoint("\(url)/\(path)"), deadlines: .patient, maximumResponseBytes: 1 << 20)
            request.fields[.contentType] = "text/xml; charset=utf-8"
            request.body = .init(try openssl.bytes("out/\(file)"))
            let response = try await transport.send(request)
            let text = try XMLFragment(parsing: response.body).text
            return response.status == .ok ? text : "refused: \(text)"
        }
        do {
            var accepted = 0
            for item in cases {
                let comment = Comment(rawValue: "\(item.name): \(item.what)")
                let isHolder = (item.control ?? item.name).contains("hok")
                let paths = isHolder ? ["holder", "bearer"] : ["bearer", "holder"]
                for (place, path) in paths.enumerated() {
                    for (number, file) in item.files.enumerated() {
                        let answer = try await answer(file, path)
                        let isAccepted = !answer.hasPrefix("refused")
                        if isAccepted { accepted += 1 }
                        let isLast = number == item.files.count - 1
                        switch item.expect {
                        case "accepted" where place == 0 && Self.unsupported[item.name] == nil,
                            "refused" where place == 0 && !isLast:
                            #expect(isAccepted, "\(comment) \(answer)")
                        case "judged":
                            #expect(
                                !isAccepted || answer.hasPrefix("\(item.subject ?? "") by "), "\(comment) \(answer)")
                        default: #expect(!isAccepted || Self.harmless.contains(item.name), "\(comment) \(answer)")
                        }
                        if isAccepted, let subject = item.subject {
                            #expect(answer.hasPrefix("\(subject) by "), "\(comment) \(answer)")
                        }
                    }
                }
            }
            #expect(accepted >= 10 + Self.harmless.count)
        } catch {
            await server.shutdown()
            throw error
        }
        try await transport.shutdown()
        await server.shutdown()
    }
}
