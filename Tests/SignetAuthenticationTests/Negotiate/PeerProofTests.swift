import Synchronization
import Testing

@testable import SignetAuthentication

/// A server that accepts the client has to prove itself as well: with Kerberos (RFC 4559 §5), and by NTLM's code within
/// SPNEGO (RFC 4178 §5).
@Suite struct PeerProofTests {
    private struct WrongProof: Error {}

    private static let proof: [UInt8] = [0x6F, 1]
    private static let request = AuthenticationRequest(method: "GET", target: "/", content: [])
    private static let space = ProtectionSpace(scheme: "https", host: "h", port: 443, realm: "")

    /// Is complete with the one right proof, and not before.
    private final class Context: NegotiateContext {
        private let isProved = Mutex(false)
        var isComplete: Bool { isProved.withLock { $0 } }

        func step(_ token: [UInt8]?) async throws -> [UInt8]? {
            await Task.yield()
            guard let token else { return [0x6E, 1] }
            guard token == PeerProofTests.proof else { throw WrongProof() }
            isProved.withLock { $0 = true }
            return nil
        }
    }

    private final class Kerberos: NegotiateMechanism {
        /// The wish of the session for each peer.
        let wishes = Mutex<[Bool]>([])

        func context(
            host: String, credentials: Credentials, channelBinding: [UInt8]?, mutual: Bool
        ) async throws -> any NegotiateContext {
            await Task.yield()
            wishes.withLock { $0.append(mutual) }
            return Context()
        }
    }

    private func policy(_ kerberos: Kerberos) -> AuthenticationPolicy {
        var policy = AuthenticationPolicy(credentials: .fixed(.ticket))
        policy.schemes = [.negotiate]
        policy.kerberos = kerberos
        return policy
    }

    /// An exchange whose ticket was sent, and is about to be answered.
    private func enter(
        _ session: AuthenticationSession, path: String = "/", status: Int = 401
    ) async throws -> AuthenticationExchange {
        var exchange = try session.begin(scheme: "https", host: "h", port: 443, path: path)
        try await session.challenged(&exchange, status: status, fields: ["Negotiate"])
        let field = try await session.authorization(&exchange, for: Self.request, over: .any)
        #expect(field?.hasPrefix("Negotiate ") == true)
        #expect(exchange.isProofComplete)
        return exchange
    }

    private func word(_ message: [UInt8]) -> String { "Negotiate \(Base64.encode(message))" }

    private func bytes(_ digits: String) -> [UInt8] {
        var digits = digits[...]
        var result: [UInt8] = []
        while let byte = UInt8(digits.prefix(2), radix: 16) {
            result.append(byte)
            digits = digits.dropFirst(2)
        }
        return result
    }

    @Test(
        arguments: [
            [], ["Negotiate"], ["Negotiate !!!"], ["Basic realm=\"r\""],
            // No message at all.
            ["Negotiate AAAA"],
            // It has accepted, and it has rejected: both without a token.
            ["Negotiate oQcwBaADCgEA"], ["Negotiate oQcwBaADCgEC"],
        ] as [[String]])
    func aServerWithoutProofIsRefused(challenges: [String]) async throws {
        let kerberos = Kerberos()
        let session = AuthenticationSession(policy(kerberos))
        var exchange = try await enter(session)
        #expect(kerberos.wishes.withLock { $0 } == [true])
        let error = await #expect(throws: AuthenticationError.self) {
            try await session.verify(exchange, challenges: challenges, information: [], content: [])
        }
        #expect(error?.code == .peerNotProved)
        #expect(error?.space == Self.space)
        session.finish(&exchange, status: nil)
    }

    @Test func aWrongProofIsFoundOut() async throws {
        let session = AuthenticationSession(policy(Kerberos()))
        var exchange = try await enter(session)
        let answer = try word(SPNEGO.response(token: [0x6F, 2]))
        let error = await #expect(throws: AuthenticationError.self) {
            try await session.verify(exchange, challenges: [answer], information: [], content: [])
        }
        #expect(error?.code == .peerNotProved)
        #expect(error?.cause is WrongProof)
        session.finish(&exchange, status: nil)
    }

    @Test func aServerWithTheRightProofIsTrusted() async throws {
        let session = AuthenticationSession(policy(Kerberos()))
        var exchange = try await enter(session)
        let answer = try word(SPNEGO.response(token: Self.proof))
        try await session.verify(exchange, challenges: [answer], information: [], content: [])
        let user = exchange.user
        #expect(user != nil)
        session.finish(&exchange, status: 200)
        var next = try session.begin(scheme: "https", host: "h", port: 443)
        #expect(next.user == user)
        session.finish(&next, status: nil)
    }

    /// Its answer to CONNECT has no place for a proof. An invalid proof is still a sign of an attacker in between.
    @Test func aProxyNeedsNoProof() async throws {
        let kerberos = Kerberos()
        let session = AuthenticationSession(policy(kerberos), isProxy: true)
        var exchange = try await enter(session, path: "", status: 407)
        #expect(kerberos.wishes.withLock { $0 } == [false])
        try await session.verify(exchange, challenges: [], information: [], content: [])
        let wrong = try word(SPNEGO.response(token: [0x6F, 2]))
        let error = await #expect(throws: AuthenticationError.self) {
            try await session.verify(exchange, challenges: [wrong], information: [], content: [])
        }
        #expect(error?.code == .peerNotProved)
        let user = exchange.user
        session.finish(&exchange, status: 200)
        var next = try session.begin(scheme: "https", host: "h", port: 443, path: "")
        #expect(user != nil && next.user == user)
        session.finish(&next, status: nil)
    }

    // MARK: NTLM within SPNEGO

    /// MS-NLMP §3.4.4.2, calculated once more.
    private func code(_ key: [UInt8], over list: [UInt8], _ direction: String) -> [UInt8] {
        let magic = Array("session key to \(direction) signing key magic constant\0".utf8)
        let signingKey = bytes(DigestAlgorithm.md5.hash(key + magic))
        let sequence = UInt32(0).littleEndianBytes
        let sum = Array(NTLMClient.code(signingKey, sequence + list).prefix(8))
        return UInt32(1).littleEndianBytes + sum + sequence
    }

    /// That it has accepted, with a code of 16 bytes (RFC 4178 §4.2.2).
    private func success(_ code: [UInt8]) -> String { word(bytes("a11b3019a0030a0100a3120410") + code) }

    @Test func theCodeOverTheMechanismsHasToBeRight() async throws {
        var policy = AuthenticationPolicy(credentials: .fixed(.account(user: "u", password: "p", domain: "D")))
        policy.schemes = [.negotiate]
        policy.ntlmHosts = ["h"]
        let session = AuthenticationSession(policy)
        var exchange = try session.begin(scheme: "https", host: "h", port: 443)
        try await session.challenged(&exchange, status: 401, fields: ["Negotiate"])
        _ = try await session.authorization(&exchange, for: Self.request, over: .any)
        #expect(!exchange.isProofComplete)
        let question = try word(SPNEGO.response(token: NTLMMessages.challengeBytes))
        try await session.challenged(&exchange, status: 401, fields: [question])
        let field = try await session.authorization(&exchange, for: Self.request, over: .any)
        #expect(exchange.isProofComplete)

        let written = try #require(field)
        let read = try Challenge.read([written])
        let text = try #require(read.first?.token68)
        let message = try #require(Base64.decode(text))
        let sent = try SPNEGO.ServerToken(message, space: Self.space)
        let token = try #require(sent.token)
        let ours = try #require(sent.code)
        // Where the response stands in the message; its first 16 bytes prove the password.
        let place = Int(token[24]) | Int(token[25]) << 8
        let responseKey = NTLMClient.responseKey(.init(user: "u", domain: "D", password: "p"))
        let key = NTLMClient.code(responseKey, Array(token[place..<place + 16]))
        let list = try SPNEGO.list(SPNEGO.ntlm)
        #expect(ours == code(key, over: list, "client-to-server"))
        let right = code(key, over: list, "server-to-client")
        try await session.verify(exchange, challenges: [success(right)], information: [], content: [])

        var changed = right
        changed[4] ^= 1
        let stranger = code([UInt8](repeating: 1, count: 16), over: list, "server-to-client")
        let otherList = code(key, over: try SPNEGO.list(SPNEGO.kerberos), "server-to-client")
        // Ours sent back proves nothing.
        for wrong in [changed, ours, stranger, otherList, [UInt8](repeating: 0, count: 16)] {
            let error = await #expect(throws: AuthenticationError.self) {
                try await session.verify(exchange, challenges: [success(wrong)], information: [], content: [])
            }
            #expect(error?.code == .peerNotProved)
        }
        session.finish(&exchange, status: nil)
    }
}
