import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import SignetAuthentication
import SignetHTTP
import SignetSOAP
import SignetTLS
import SignetTesting
import SignetWSSecurity
import Testing

@testable import SignetNIOTransport

/// What can be read, or guessed, of a password leaves this process in exactly the combinations that are allowed: seen
/// from the wire.
///
/// A few hundred cases; `SIGNET_SECRECY=all` plays all of them:
/// `SIGNET_SECRECY=all swift test --filter SecrecyMatrixTests`.
@Suite(.timeLimit(.minutes(30)), .serialized) struct SecrecyMatrixTests {
    private static let isLong = ProcessInfo.processInfo.environment["SIGNET_SECRECY"] == "all"
    private static let account = Credentials.account(user: "u", password: "p", domain: "D")

    /// Every name is the server's.
    private struct Names: Resolver, Sendable {
        let loop: any EventLoop

        func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
            loop.makeCompletedFuture { [try SocketAddress(ipAddress: "127.0.0.1", port: port)] }
        }
        func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
            loop.makeSucceededFuture([])
        }
        func cancelQueries() {}
    }

    @Test func onlyAllowedSecretsAreSent() async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issueServer(
            dnsNames: ["*.test.example", "localhost", "proxy.example"], ipAddresses: ["127.0.0.1"])
        let cases = SecrecyCase.all(isLong: Self.isLong)
        let challenges = Dictionary(cases.map { ($0.demand.word, $0.demand.challenge) }) { first, _ in first }
        let peer = try SecrecyPeer(identity, challenges: challenges)
        let trust = TrustPolicy.anchors(authority.bundle)
        let errors = try await withThrowingTaskGroup(of: (Int, String?).self) { group in
            var errors: [Int: String] = [:]
            for (number, one) in cases.enumerated() {
                if number >= 8, let (done, error) = try await group.next() { errors[done] = error }
                group.addTask { (one.number, try await Self.play(one, peer, trust)) }
            }
            for try await (done, error) in group { errors[done] = error }
            return errors
        }
        let findings = try peer.findings
        for one in cases {
            let seen = findings[one.number] ?? []
            #expect(seen == Self.expected(one), "\(one): \(errors[one.number] ?? "answered")")
            let error = errors[one.number] ?? ""
            guard !one.mayComeOut else {
                #expect(error.isEmpty, "\(one): \(error)")
                continue
            }
            for name in Self.leaves(one) { #expect(error.contains(name), "\(one) says “\(error)”") }
        }
        #expect(Set(findings.keys).isSubset(of: Set(cases.map(\.number))))
        let allowed = cases.count(where: \.mayComeOut)
        print("secrecy matrix: \(cases.count) cases, \(allowed) let something out, \(cases.count - allowed) nothing")
    }

    private static func expected(_ one: SecrecyCase) -> Set<String> {
        guard one.mayComeOut else { return [] }
        let who = one.isOfProxy ? "proxy" : "origin"
        switch one.demand.kind {
        case .http(let scheme): return ["\(who) \(scheme.description.lowercased())"]
        case .message: return ["origin wss"]
        }
    }

    /// What the error must name so that a user can do something about it.
    private static func leaves(_ one: SecrecyCase) -> [String] {
        guard one.demand.isUsable else { return ["auth-conf"] }
        if case .message = one.demand.kind { return ["allowsPlaintext", "--wss-allow-plaintext"] }
        let who = one.isOfProxy ? "proxy.authentication" : "authentication"
        let option = one.isOfProxy ? "--proxy-allow" : "--allow"
        if one.demand.isWithoutQop, !one.allowsWithoutQop {
            return ["\(who).allowsDigestWithoutQop", "\(option)-digest-without-qop"]
        }
        return ["\(who).allowsPlaintext", "\(option)-plaintext"]
    }

    /// - Returns: what the call ended with; nil for an answer.
    private static func play(_ one: SecrecyCase, _ peer: SecrecyPeer, _ trust: TrustPolicy) async throws -> String? {
        let host = one.loopback ?? "\(one.tag).test.example"
        let port = one.isSecure ? peer.securePort : peer.plainPort
        let endpoint = try Endpoint("\(one.isSecure ? "https" : "http")://\(host):\(port)/\(one.tag)")
        var configuration = TransportSetup(origin: endpoint.origin)
        configuration.trust = trust
        configuration.resolver = Names(loop: MultiThreadedEventLoopGroup.singleton.any())
        switch one.way {
        case .direct:
            // There is a proxy, whose credentials must not come out on another way.
            let exceptions = ProxyExceptions("127.0.0.1, ::1, localhost, .example")
            configuration.proxy = .init(
                .init(try Proxy("http://proxy.example:\(peer.plainPort)"), exceptions: exceptions))
        case .proxy: configuration.proxy = .init(.init(try Proxy("http://proxy.example:\(peer.plainPort)")))
        case .secureProxy: configuration.proxy = .init(.init(try Proxy("https://proxy.example:\(peer.securePort)")))
        }
        configuration.proxy.trust = trust
        let (asked, other) = policies(one)
        configuration.authentication = one.isOfProxy ? other : asked
        configuration.proxy.authentication = one.isOfProxy ? asked : other
        let transport = try configuration.make()
        var failure: String?
        do {
            // The second call begins with what the first was let in with.
            for _ in 0..<2 { try await call(one, endpoint, transport) }
        } catch { failure = "\(error)" }
        try await transport.shutdown()
        return failure
    }

    private static func call(_ one: SecrecyCase, _ endpoint: Endpoint, _ transport: NIOTransport) async throws {
        guard case .message(let form) = one.demand.kind else {
            let response = try await transport.send(ClientRequest(endpoint, body: HTTPBody(Array("<a/>".utf8))))
            #expect(response.status == .ok, "\(one)")
            return
        }
        var header = SecurityHeader(UsernameToken(form, user: "u", password: "p"))
        header.allowsPlaintext = one.allowsPlaintext
        var caller = ServiceCaller(endpoint: endpoint, transport: transport)
        caller.headerProviders = [header]
        let operation = ServiceOperation<XMLAny, XMLAny>(
            name: "Echo", soapAction: "", version: .soap11, input: XMLName("urn:echo", "Echo"),
            output: XMLName("urn:echo", "Echo"))
        _ = try await caller.call(operation, XMLAny())
    }

    private static func policies(_ one: SecrecyCase) -> (asked: AuthenticationPolicy, other: AuthenticationPolicy) {
        var asked = AuthenticationPolicy()
        if case .http(let scheme) = one.demand.kind {
            asked.credentials = .fixed(scheme == .bearer ? .bearer("token") : account)
            asked.schemes = [scheme]
        }
        asked.allowsPlaintext = one.allowsPlaintext
        asked.allowsDigestWithoutQop = one.allowsWithoutQop
        asked.ntlmHosts = [".test.example", ".example", "proxy.example", "127.0.0.1", "localhost"]
        asked.sendsWithoutChallenge = one.isEarly
        // The other one has a password too, and must not give it to a host that was not named.
        var other = asked
        other.sendsWithoutChallenge = false
        other.allowsPlaintext = one.isOtherOpen
        other.allowsDigestWithoutQop = one.isOtherOpen
        return (asked, other)
    }
}
