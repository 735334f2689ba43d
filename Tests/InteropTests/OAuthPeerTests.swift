import Foundation
import HTTPTypes
import Signet
import SignetTesting
import TestSupport
import Testing

@testable import SignetNIOTransport

/// Tokens of an authorization server by Authlib, for a service that wants them.
@Suite(.serialized) struct OAuthPeerTests {
    private struct Place: Sendable {
        let port: Int
        let trust: TrustPolicy
        let identity: Identity
        let other: Identity
        let files: IdentityFiles

        var service: String { "https://localhost:\(port)/service" }

        /// What the server wrote down.
        func seen(_ kind: String) throws -> [String] { try files.lines(of: "seen").filter { $0.hasPrefix(kind) } }

        /// Tokens of a client; over connections of its own with the identity, if it shows one.
        func tokens(
            _ client: OAuthClient, showing identity: Identity? = nil, logs: LogCollector = LogCollector()
        ) throws -> (OAuthTokens, NIOTransport) {
            let endpoint = try Endpoint("https://localhost:\(port)/token")
            var configuration = ConnectionConfiguration()
            configuration.trust = trust
            configuration.logger = logs.logger
            if let identity { configuration.identity = .fixed(identity) }
            let transport = try NIOTransport(to: endpoint.origin, configuration)
            var asked = OAuthTokens.Configuration(endpoint: endpoint, client: client)
            asked.leeway = .zero
            asked.scopes = ["read", "write"]
            return (OAuthTokens(asked, transport: transport), transport)
        }
    }

    private func run(_ body: (Place) async throws -> Void) async throws {
        let files = try IdentityFiles()
        let authority = try CertificateAuthority(commonName: "everybody")
        try await files.write(try authority.issueServer(dnsNames: ["localhost"]), as: "server")
        try files.write(authority.bundle.certificates, as: "clients.pem")
        let identity = try authority.issueClient(commonName: "device-7")
        try await files.write(identity, as: "client")
        let publicKey = try await PeerProcess.output(
            of: .init(program: "openssl", arguments: ["pkey", "-in", files.path("client.key"), "-pubout"]))
        try files.write(publicKey.output, as: "client.pub")
        let port = try Port.free()
        let command = PeerProcess.Command(
            program: Tool.python,
            arguments: [
                PeerFile.url("oauth_server.py").path, "\(port)", files.path("server.pem"), files.path("server.key"),
                files.path("clients.pem"), files.path("seen"), files.path("client.pub"),
                publicKey.output.utf8.count > 300 ? "RSA" : "EC",
            ], port: port)
        try await PeerProcess.run(command) {
            try await body(
                Place(
                    port: port, trust: .anchors(authority.bundle), identity: identity,
                    other: try authority.issueClient(commonName: "device-8"), files: files))
        }
    }

    /// Calls the service so many times, and returns the statuses of each.
    ///
    /// - Parameter expires: the number of the call before which all tokens expire.
    private func call(
        _ place: Place, _ tokens: OAuthTokens, times: Int = 1, expires: Int? = nil,
        showing identity: Identity? = nil
    ) async throws -> [[Int]] {
        let endpoint = try Endpoint(place.service)
        var configuration = ConnectionConfiguration()
        configuration.trust = place.trust
        configuration.authentication.credentials = .tokens(tokens)
        if let identity { configuration.identity = .fixed(identity) }
        let transport = try NIOTransport(to: endpoint.origin, configuration)
        var statuses: [[Int]] = []
        do {
            for number in 0..<times {
                if number == expires {
                    let expiry = ClientRequest(try Endpoint("https://localhost:\(place.port)/expire"))
                    #expect(try await transport.send(expiry).status == .ok)
                }
                statuses.append(try await transport.send(ClientRequest(endpoint)).statuses)
            }
        } catch {
            try await transport.shutdown()
            throw error
        }
        try await transport.shutdown()
        return statuses
    }

    @Test(arguments: ["basic", "post", "signs", "shows"]) func clientsProveThemselves(name: String) async throws {
        try await run { place async throws in
            let client: OAuthClient =
                switch name {
                case "basic": .secret(id: name, "kept & said")
                case "post": .secretInContent(id: name, "kept & said")
                case "signs": .privateKey(id: name, place.identity)
                default: .mutualTLS(id: name, place.identity)
                }
            let shown = name == "shows" ? place.identity : nil
            let (tokens, transport) = try place.tokens(client, showing: shown)
            let statuses = try await call(place, tokens, times: 4, expires: 2, showing: shown)
            #expect(statuses == [[401, 200], [200], [401, 200], [200]])
            #expect(try place.seen("token \(name) read write").count == 2)
            #expect(try place.seen("service token 200 \(shown == nil ? "free" : "bound")").count == 4)
            try await transport.shutdown()
        }
    }

    @Test func aBoundTokenGoesWithItsCertificateOnly() async throws {
        try await run { place async throws in
            let client = OAuthClient.mutualTLS(id: "shows", place.identity)
            let (tokens, transport) = try place.tokens(client, showing: place.identity)
            for identity in [nil, place.other] {
                let error = await #expect(throws: AuthenticationError.self) {
                    try await call(place, tokens, showing: identity)
                }
                #expect(error?.code == .invalidCredentials)
            }
            // The client never sent it.
            #expect(try place.seen("service token").isEmpty)
            try await transport.shutdown()
        }
    }

    @Test func unknownClientsGetCredentialsRefused() async throws {
        try await run { place async throws in
            for client in [
                OAuthClient.secret(id: "basic", "canary"), .secret(id: "nobody", "canary"),
                .secretInContent(id: "post", "canary"), .privateKey(id: "signs", place.other),
                .mutualTLS(id: "shows", place.identity),
            ] {
                let (tokens, transport) = try place.tokens(client)
                let error = await #expect(throws: AuthenticationError.self) { try await call(place, tokens) }
                #expect(error?.code == .credentialsRefused, "\(client): \(String(describing: error))")
                #expect(error.map { "\($0)" }?.contains("canary") == false)
                try await transport.shutdown()
            }
            #expect(try place.seen("token").isEmpty)
        }
    }

    /// Another token would be good for no more.
    @Test func anInsufficientTokenIsNotRequestedAgain() async throws {
        try await run { place async throws in
            let (tokens, transport) = try place.tokens(.secret(id: "basic", "kept & said"))
            let (admin, usual) = (try Endpoint("https://localhost:\(place.port)/admin"), try Endpoint(place.service))
            var configuration = ConnectionConfiguration()
            configuration.trust = place.trust
            configuration.authentication.credentials = .tokens(tokens)
            let service = try NIOTransport(to: admin.origin, configuration)
            var answers: [ClientResponse] = []
            for endpoint in [admin, usual, admin, usual] {
                answers.append(try await service.send(ClientRequest(endpoint)))
            }
            // That the token was too little does not show that it was good: the server is left to ask once more.
            #expect(answers.map(\.statuses) == [[401, 403], [401, 200], [403], [200]])
            for answer in [answers[0], answers[2]] {
                #expect(answer.fields[.wwwAuthenticate]?.contains("insufficient_scope") == true)
            }
            #expect(try place.seen("token").count == 1)
            try await service.shutdown()
            try await transport.shutdown()
        }
    }

    @Test(arguments: [false, true]) func secretsAreNeitherLoggedNorReported(inContent: Bool) async throws {
        try await run { place async throws in
            let logs = LogCollector()
            func client(_ secret: String) -> OAuthClient {
                inContent ? .secretInContent(id: "post", secret) : .secret(id: "basic", secret)
            }
            let (tokens, transport) = try place.tokens(client("kept & said"), logs: logs)
            let answers = try await AuthenticatedCalls.get(
                place.service, times: 2, .init(credentials: .tokens(tokens)), trust: place.trust
            ) { $0.logger = logs.logger }
            #expect(answers.map(\.statuses) == [[401, 200], [200]])
            let question = CredentialQuestion(
                space: .init(scheme: "https", host: "localhost", port: place.port, realm: "service"), scheme: .bearer)
            let token = try await tokens.token(for: question).value
            // The one that was used, or there would be another.
            #expect(try place.seen("token").count == 1)
            try await transport.shutdown()
            let (others, other) = try place.tokens(client("canary-secret"), logs: logs)
            let unknown = try await AuthenticatedCalls.error(
                place.service, .init(credentials: .tokens(others)), trust: place.trust
            ) { $0.logger = logs.logger }
            try await other.shutdown()
            let refused = try await AuthenticatedCalls.error(
                place.service, .init(credentials: .fixed(.bearer("canary-token"))), trust: place.trust
            ) { $0.logger = logs.logger }
            #expect(unknown?.code == .credentialsRefused)
            #expect(refused?.code == .credentialsRefused)
            logs.check(
                hides: [
                    token, "canary-token", "canary-secret", "basic:canary-secret", "kept & said", "kept%20%26%20said",
                    "basic:kept%20%26%20said",
                ], answers.map(\.report), [unknown, refused])
        }
    }

    @Test func manyCallsWantOneToken() async throws {
        try await run { place async throws in
            let (tokens, transport) = try place.tokens(.secret(id: "basic", "kept & said"))
            let endpoint = try Endpoint(place.service)
            var configuration = ConnectionConfiguration()
            configuration.trust = place.trust
            configuration.authentication = .init(credentials: .tokens(tokens), sendsWithoutChallenge: true)
            let service = try NIOTransport(to: endpoint.origin, configuration)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask { () async throws in
                        #expect(try await service.send(ClientRequest(endpoint)).status == .ok)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try place.seen("token").count == 1)
            try await service.shutdown()
            try await transport.shutdown()
        }
    }
}
