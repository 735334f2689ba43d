import Foundation
import HTTPTypes
import Signet
import SignetTesting
import TestSupport
import Testing

@testable import SignetAuthentication
@testable import SignetNIOTransport

extension ClientResponse {
    /// The user that the server has authenticated.
    fileprivate var user: String? { HTTPField.Name("X-User").flatMap { fields[$0] } }
}

/// Servers that let in a connection, not a request: NTLM and Negotiate by pyspnego, Kerberos by MIT's server with
/// Apache.
@Suite(.serialized) struct NegotiatedPeerTests {
    private static let clerk = Credentials.account(user: "clerk", password: "way in", domain: "EXAMPLE")

    private static func policy(
        _ schemes: [AuthenticationScheme], _ credentials: Credentials = clerk, plain: Bool = false
    ) -> AuthenticationPolicy {
        var policy = AuthenticationPolicy(credentials: .fixed(credentials), allowsPlaintext: plain)
        policy.schemes = schemes
        policy.ntlmHosts = ["localhost"]
        return policy
    }

    private struct Acceptor: Sendable {
        let port: Int
        let trust: TrustPolicy
        let files: IdentityFiles

        /// What came: connection, scheme, status, user.
        var seen: [String] { get throws { try files.lines(of: "seen") } }
    }

    private func accept(
        tls: Bool, intercepted: Bool = false, _ body: (Acceptor) async throws -> Void
    ) async throws {
        let files = try IdentityFiles()
        let authority = try CertificateAuthority(commonName: "acceptors")
        try await files.write(try authority.issueServer(dnsNames: ["localhost"]), as: "server")
        try files.write("EXAMPLE:clerk:way in\nEXAMPLE:guest:inside\n", as: "users")
        let port = try Port.free()
        var arguments = [PeerFile.url("acceptor.py").path, "\(port)", files.path("seen")]
        if tls { arguments += [files.path("server.pem"), files.path("server.key")] }
        if intercepted { arguments.append("intercepted") }
        let command = PeerProcess.Command(
            program: Tool.python, arguments: arguments, environment: ["NTLM_USER_FILE": files.path("users")],
            port: port)
        try await PeerProcess.run(command) {
            try await body(Acceptor(port: port, trust: .anchors(authority.bundle), files: files))
        }
    }

    @Test(arguments: [("/ntlm", AuthenticationScheme.ntlm), ("/negotiate", .negotiate), ("/both", .negotiate)])
    func aConnectionIsLetInOnce(path: String, scheme: AuthenticationScheme) async throws {
        try await accept(tls: true) { acceptor async throws in
            let url = "https://localhost:\(acceptor.port)\(path)"
            let answers = try await AuthenticatedCalls.get(
                url, times: 4, Self.policy([.negotiate, .ntlm]), trust: acceptor.trust)
            #expect(answers.map(\.statuses) == [[401, 401, 200], [200], [200], [200]])
            #expect(
                answers.map { String(decoding: $0.body, as: UTF8.self) } == Array(repeating: "EXAMPLE\\clerk", count: 4)
            )
            #expect(answers.first?.report.legs.map(\.authorization) == [nil, "\(scheme)", "\(scheme)"])
            // All calls from the account's first one on go over one new connection.
            let connections = try acceptor.seen.map { String($0.prefix { $0 != " " }) }
            #expect(connections.count == 6 && Set(connections.dropFirst()).count == 1)
        }
    }

    @Test func anotherDomainMayStandInTheName() async throws {
        try await accept(tls: true) { acceptor async throws in
            let answers = try await AuthenticatedCalls.get(
                "https://localhost:\(acceptor.port)/ntlm",
                Self.policy([.ntlm], .account(user: "EXAMPLE\\guest", password: "inside")), trust: acceptor.trust)
            #expect(answers.first?.body == Array("EXAMPLE\\guest".utf8))
        }
    }

    @Test(arguments: ["/ntlm", "/negotiate"]) func aWrongPasswordIsSentOnce(path: String) async throws {
        try await accept(tls: true) { acceptor async throws in
            let endpoint = try Endpoint("https://localhost:\(acceptor.port)\(path)")
            var configuration = ConnectionConfiguration()
            configuration.trust = acceptor.trust
            configuration.authentication = Self.policy(
                [.negotiate, .ntlm], .account(user: "clerk", password: "wrong", domain: "EXAMPLE"))
            let transport = try NIOTransport(to: endpoint.origin, configuration)
            for _ in 0..<3 {
                let error = await #expect(throws: AuthenticationError.self) {
                    try await transport.send(ClientRequest(endpoint, method: .get))
                }
                #expect(error?.code == .credentialsRefused)
            }
            try await transport.shutdown()
            // Messages with an answer to the server's challenge: one.
            #expect(
                try acceptor.seen.count { $0.contains("Error") || $0.contains("Exception") || $0.contains("Invalid") }
                    == 1)
        }
    }

    @Test func usersNeverShareAConnection() async throws {
        try await accept(tls: true) { acceptor async throws in
            let endpoint = try Endpoint("https://localhost:\(acceptor.port)/ntlm")
            var configuration = ConnectionConfiguration()
            configuration.trust = acceptor.trust
            configuration.maximumConnections = 2
            configuration.authentication = Self.policy([.ntlm])
            let clerk = try NIOTransport(to: endpoint.origin, configuration)
            configuration.authentication.credentials = .fixed(
                .account(user: "guest", password: "inside", domain: "EXAMPLE"))
            let guest = try NIOTransport(to: endpoint.origin, configuration)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    let (transport, name) = number.isMultiple(of: 2) ? (clerk, "clerk") : (guest, "guest")
                    group.addTask {
                        let answer = try await transport.send(ClientRequest(endpoint, method: .get))
                        #expect(answer.body == Array("EXAMPLE\\\(name)".utf8))
                    }
                }
                try await group.waitForAll()
            }
            try await clerk.shutdown()
            try await guest.shutdown()
        }
    }

    /// This server treats every request on an authenticated connection as its user's.
    @Test func aCallersOwnFieldNeverGoesOverAUsersConnection() async throws {
        try await accept(tls: true) { acceptor async throws in
            let (transport, endpoint) = try Self.transport(to: acceptor)
            let first = try await transport.send(ClientRequest(endpoint, method: .get))
            #expect(first.statuses == [401, 401, 200])
            let (ours, own) = try await withThrowingTaskGroup(of: (Bool, Int).self) {
                group async throws -> (Set<Int>, Set<Int>) in
                for number in 0..<40 {
                    group.addTask {
                        let isOwn = !number.isMultiple(of: 2)
                        var request = ClientRequest(endpoint, method: .get)
                        if isOwn { request.fields[.authorization] = "Bearer x" }
                        let answer = try await transport.send(request)
                        #expect(answer.status.code == (isOwn ? 401 : 200))
                        return (isOwn, answer.report.connection.number)
                    }
                }
                var (ours, own) = (Set<Int>(), Set<Int>())
                for try await (isOwn, number) in group {
                    if isOwn { own.insert(number) } else { ours.insert(number) }
                }
                return (ours, own)
            }
            try await transport.shutdown()
            #expect(ours.union([first.report.connection.number]).isDisjoint(with: own))
            let came = try acceptor.seen.filter { $0.contains(" Bearer ") }
            #expect(came.count == 20)
            #expect(came.allSatisfy { $0.hasSuffix(" 401 -") }, "\(came)")
        }
    }

    /// The client then does not know to which user the connection belongs.
    @Test func aConnectionOfTheCallersOwnHandshakeIsNotUsedAgain() async throws {
        // The first message of a handshake, as Windows writes it.
        let words = "NTLM TlRMTVNTUAABAAAAB4IIogAAAAAAAAAAAAAAAAAAAAAGAbEdAAAADw=="
        try await accept(tls: true) { acceptor async throws in
            // Such a call never gets a connection for which HTTP/2 was offered.
            let (transport, endpoint) = try Self.transport(to: acceptor, allowsHTTP2: false)
            var answers: [ClientResponse] = []
            for field: String? in ["Bearer x", words, "Bearer x", nil, "Bearer x"] {
                var request = ClientRequest(endpoint, method: .get)
                request.fields[.authorization] = field
                answers.append(try await transport.send(request))
            }
            try await transport.shutdown()
            #expect(answers.map(\.status.code) == [401, 401, 401, 200, 401])
            // The server took it for one, and answered with its challenge.
            #expect(answers[1].fields[.wwwAuthenticate]?.hasPrefix("NTLM TlRM") == true)
            let numbers = answers.map(\.report.connection.number)
            // Were it kept, it would be lent again: the one before was.
            #expect(numbers[1] == numbers[0])
            #expect(!numbers.dropFirst(2).contains(numbers[1]))
            let lines = try acceptor.seen.map { $0.split(separator: " ") }
            try #require(lines.count == 7, "\(lines)")
            #expect(lines.dropFirst(2).allSatisfy { $0.first != lines[1].first }, "\(lines)")
        }
    }

    private static func transport(
        to acceptor: Acceptor, allowsHTTP2: Bool = true
    ) throws -> (NIOTransport, Endpoint) {
        let endpoint = try Endpoint("https://localhost:\(acceptor.port)/ntlm")
        var configuration = ConnectionConfiguration()
        configuration.trust = acceptor.trust
        configuration.authentication = policy([.ntlm])
        configuration.allowsHTTP2 = allowsHTTP2
        return (try NIOTransport(to: endpoint.origin, configuration), endpoint)
    }

    @Test(arguments: ["/ntlm", "/negotiate"]) func secretsAreNeitherLoggedNorReported(path: String) async throws {
        try await accept(tls: true) { acceptor async throws in
            let url = "https://localhost:\(acceptor.port)\(path)"
            let logs = LogCollector()
            let answers = try await AuthenticatedCalls.get(
                url, times: 2, Self.policy([.negotiate, .ntlm]), trust: acceptor.trust
            ) { $0.logger = logs.logger }
            let error = try await AuthenticatedCalls.error(
                url,
                Self.policy(
                    [.negotiate, .ntlm], .account(user: "clerk", password: "canary-wrong", domain: "EXAMPLE")),
                trust: acceptor.trust
            ) { $0.logger = logs.logger }
            #expect(error?.code == .credentialsRefused)
            // NTLM's messages neither, from which passwords can be guessed.
            logs.check(
                hides: ["way in", "canary-wrong", "NTLMSSP", "TlRMTVNTUA"], answers.map(\.report), [error])
        }
    }

    @Test func aForgetfulServerIsAuthenticatedToAgain() async throws {
        try await accept(tls: true) { acceptor async throws in
            let answers = try await AuthenticatedCalls.get(
                "https://localhost:\(acceptor.port)/forgetful", times: 3, Self.policy([.negotiate]),
                trust: acceptor.trust)
            #expect(answers.map(\.statuses) == [[401, 401, 200], [401, 401, 200], [401, 200]])
        }
    }

    @Test func anInterceptingServerGetsNoUsableCredentials() async throws {
        try await accept(tls: true, intercepted: true) { acceptor async throws in
            let error = try await AuthenticatedCalls.error(
                "https://localhost:\(acceptor.port)/ntlm", Self.policy([.ntlm]), trust: acceptor.trust)
            #expect(error?.code == .credentialsRefused)
            #expect(try acceptor.seen.contains { $0.contains("Binding") })
        }
    }

    @Test func hostsThatAreNotListedGetNoNTLM() async throws {
        try await accept(tls: true) { acceptor async throws in
            var policy = Self.policy([.negotiate, .ntlm])
            policy.ntlmHosts = ["elsewhere.example", ".host", "ocalhost"]
            for path in ["/ntlm", "/negotiate"] {
                let error = try await AuthenticatedCalls.error(
                    "https://localhost:\(acceptor.port)\(path)", policy, trust: acceptor.trust)
                #expect(error?.code == .noUsableScheme)
            }
            #expect(try acceptor.seen.allSatisfy { $0.contains(" - ") })
        }
        try await accept(tls: false) { acceptor async throws in
            // This address leads to this machine, and does not say so.
            let url = "http://0.0.0.0:\(acceptor.port)/ntlm"
            var policy = Self.policy([.ntlm])
            policy.ntlmHosts.append("0.0.0.0")
            #expect(try await AuthenticatedCalls.error(url, policy)?.code == .insecureChannel)
            #expect(try acceptor.seen.allSatisfy { $0.contains(" - ") })
            policy.allowsPlaintext = true
            let answers = try await AuthenticatedCalls.get(url, policy)
            #expect(answers.first?.body == Array("EXAMPLE\\clerk".utf8))
            // A request that stays on this machine needs no permission.
            let local = try await AuthenticatedCalls.get(
                "http://localhost:\(acceptor.port)/ntlm", Self.policy([.ntlm]))
            #expect(local.first?.body == Array("EXAMPLE\\clerk".utf8))
        }
    }

    // MARK: Kerberos

    private static func kerberos(_ credentials: Credentials = .ticket) -> AuthenticationPolicy {
        var policy = AuthenticationPolicy(credentials: .fixed(credentials))
        policy.schemes = [.negotiate]
        policy.kerberos = Kerberos()
        return policy
    }

    @Test func kerberosByApache() async throws {
        try await KerberosRealm.run { realm async throws in
            let authority = try CertificateAuthority(commonName: "apache")
            try await realm.files.write(try authority.issueServer(dnsNames: ["localhost"]), as: "server")
            for folder in ["each", "bound"] {
                let place = realm.files.folder.appending(path: "pages/\(folder)")
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
                try Data("<html>in</html>".utf8).write(to: place.appending(path: "index.html"))
            }
            try realm.share(with: "www-data")
            let port = try Port.free()
            let command = try Apache.command(
                "apache-gssapi.conf", [:], realm.files, port: port, environment: realm.environment)
            try await PeerProcess.run(command) {
                let trust = TrustPolicy.anchors(authority.bundle)
                let (each, bound) = ("https://localhost:\(port)/each/", "https://localhost:\(port)/bound/")
                let none = try await AuthenticatedCalls.error(each, Self.kerberos(), trust: trust)
                #expect(none?.code == .noTicket)
                try await realm.log(in: "clerk", password: "way in")
                // It wants a proof with each request, which is given unasked from the second time on that it is asked
                // for.
                let answers = try await AuthenticatedCalls.get(each, times: 4, Self.kerberos(), trust: trust)
                #expect(answers.map(\.statuses) == [[401, 200], [401, 200], [200], [200]])
                #expect(answers.allSatisfy { $0.user == "clerk@EXAMPLE.TEST" })
                let kept = try await AuthenticatedCalls.get(bound, times: 3, Self.kerberos(), trust: trust)
                #expect(kept.map(\.statuses) == [[401, 200], [200], [200]])
                try await realm.logOut()
                // By name and password, without any ticket.
                let account = Credentials.account(user: "clerk", password: "way in", domain: KerberosRealm.name)
                let named = try await AuthenticatedCalls.get(each, times: 2, Self.kerberos(account), trust: trust)
                #expect(named.map(\.statuses) == [[401, 200], [401, 200]])
                for (credentials, fault) in [
                    (Credentials.account(user: "clerk", password: "wrong"), AuthenticationError.Fault.password),
                    (.account(user: "nobody", password: "way in"), .user),
                    (.account(user: "clerk", password: "way in", domain: "ELSEWHERE.TEST"), .domain),
                ] {
                    let error = try await AuthenticatedCalls.error(each, Self.kerberos(credentials), trust: trust)
                    // For an unknown realm no authority has checked the password.
                    let code = fault == .domain ? AuthenticationError.Code.noTicket : .credentialsRefused
                    #expect(error?.code == code, "\(String(describing: error))")
                    #expect(error?.fault == fault, "\(String(describing: error))")
                }
            }
        }
    }
}
