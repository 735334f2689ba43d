import Foundation
import Signet
import SignetCredentialsPostgreSQL
import SignetDynamic
import SignetServer
import SignetWSSecurity
import Testing

/// Two servers behind nginx, whose state is in one database: of two equal messages, one is accepted.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SharedStateTests {
    private static let key = FixedMasterKey(.random())
    private static let token = UsernameToken(.digest, user: "clerk", password: "wäy in")

    private func server(_ cluster: PostgreSQLCluster) async throws -> (server: SOAPServer, port: Int) {
        var database = PostgreSQLDatabase(
            "postgres", at: .tls(host: "localhost", port: cluster.port, anchors: cluster.files.path("anchors.pem")),
            user: "signet", password: SecretBytes(cluster.password))
        database.timeout = .seconds(20)
        let accounts = Accounts(
            try await PostgreSQLServerState(database, key: Self.key), verifiers: [.password])
        _ = try? await accounts.add("clerk", password: SecretBytes("wäy in"))
        let verifier = try UsernameTokenVerifier(accounts: accounts)
        var settings = SOAPServer.Settings()
        settings.port = 0
        let server = try SOAPServer.withoutTLS(
            [HostedService(AccountPeerTests.dispatcher.verified(by: verifier), path: "/soap")], settings: settings)
        return (server, try await server.start())
    }

    /// A message, sent to each of the servers at the same time.
    ///
    /// - Returns: what each has answered; nil when it has accepted the message.
    private func send(
        _ header: [HeaderBlock], _ clients: [DynamicClient]
    ) async -> [(any Error)?] {
        await withTaskGroup { group in
            for var client in clients {
                client.caller.headerBlocks = header
                client.caller.understoodHeaderBlocks = SecurityHeader().understoodHeaderBlocks
                group.addTask { [client] () -> (any Error)? in
                    do {
                        _ = try await client.call("Echo", ["text": ""])
                        return nil
                    } catch { return error }
                }
            }
            return await group.reduce(into: [(any Error)?]()) { $0.append($1) }
        }
    }

    private func header(_ client: DynamicClient) async throws -> [HeaderBlock] {
        var attempt = CallAttempt(operation: "Echo", endpoint: client.caller.endpoint, version: .soap11)
        attempt.isLocal = true
        return try await SecurityHeader(Self.token).headerBlocks(for: attempt)
    }

    /// - Returns: the messages, and for how many of them one server, and more than one, has accepted them.
    private func sendPairs(
        _ count: Int, _ clients: [DynamicClient]
    ) async throws -> (messages: [[HeaderBlock]], once: Int, twice: Int) {
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    var outcomes: [([HeaderBlock], Int)] = []
                    for _ in 0..<count / 8 {
                        let header = try await header(clients[0])
                        outcomes.append((header, await send(header, clients).count { $0 == nil }))
                    }
                    return outcomes
                }
            }
            return try await group.reduce(into: ([], 0, 0)) { sum, outcomes in
                sum.0 += outcomes.map(\.0)
                sum.1 += outcomes.count { $0.1 == 1 }
                sum.2 += outcomes.count { $0.1 > 1 }
            }
        }
    }

    @Test func ofTwoEqualMessagesOneIsAccepted() async throws {
        let cluster = try await PostgreSQLCluster()
        let (one, two) = try await cluster.run {
            () async throws -> ((server: SOAPServer, port: Int), (server: SOAPServer, port: Int)) in
            (try await server(cluster), try await server(cluster))
        }
        let port = try Port.free()
        let service = try DynamicService(contentsOfFile: UsernameTokenPeer.wsdl.path(percentEncoded: false))
        let clients = try ["one", "two"].map { name in
            var configuration = try ServiceConfiguration("http://127.0.0.1:\(port)/\(name)/soap")
            configuration.version = .soap11
            return DynamicClient(service, ServiceCaller(configuration))
        }
        let outcome: Result<Void, any Error>
        do {
            try await Nginx.run(
                "nginx-two-servers.conf", ["ONE": "\(one.port)", "TWO": "\(two.port)"], in: cluster.files, port: port
            ) { () async throws in
                let before = try await cluster.run { () async throws -> [[HeaderBlock]] in
                    let (messages, once, twice) = try await sendPairs(160, clients)
                    #expect(once == 160)
                    #expect(twice == 0)
                    return messages
                }
                // Without the database no message is accepted, and each client sees an error.
                for _ in 0..<4 {
                    let answers = await send(try await header(clients[0]), clients)
                    #expect(answers.allSatisfy { $0 is SOAPFault || $0 is ServiceError }, "\(answers)")
                }
                try await cluster.run { () async throws in
                    for message in before.prefix(40) {
                        #expect(await send(message, clients).allSatisfy { $0 != nil })
                    }
                    let (_, once, twice) = try await sendPairs(40, clients)
                    #expect(once == 40)
                    #expect(twice == 0)
                }
            }
            outcome = .success(())
        } catch { outcome = .failure(error) }
        for client in clients { try? await client.caller.transport.shutdown() }
        await one.server.shutdown()
        await two.server.shutdown()
        try outcome.get()
    }
}
