import Foundation
import HTTPTypes
import SignetAuthentication
import SignetHTTP
import SignetTesting
import Testing

@testable import SignetNIOTransport

/// Credentials and identities go only to the parties for which they are configured, even when others ask.
@Suite(.timeLimit(.minutes(5))) struct LeakTests {
    private static let guest = AuthenticationPolicy(
        credentials: .fixed(.account(user: "guest", password: "inside")), allowsPlaintext: true)
    private static let clerk = AuthenticationPolicy(
        credentials: .fixed(.account(user: "clerk", password: "way out")), allowsPlaintext: true)
    private static let toOrigin = "Basic \(Data("guest:inside".utf8).base64EncodedString())"
    private static let toProxy = "Basic \(Data("clerk:way out".utf8).base64EncodedString())"

    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private static func demand(_ status: Int, in field: String, realm: String = "Inside") -> String {
        "HTTP/1.1 \(status) No\r\n\(field): Basic realm=\"\(realm)\"\r\nContent-Length: 0\r\n\r\n"
    }

    private static let asked = demand(401, in: "WWW-Authenticate")

    /// What stood in a field, whose name is given in lower case, of each request.
    private static func values(of name: String, in requests: [ScriptedRequest]) -> [String?] {
        requests.map { request -> String? in
            let line = request.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name): ") }
            return line.map { String($0.dropFirst(name.count + 2)) }
        }
    }

    private static func isWithoutCredentials(_ request: ScriptedRequest) -> Bool {
        !request.head.lowercased().contains("authorization")
    }

    // MARK: Other origins

    /// What one origin has accepted is for no other host and for no other port.
    @Test(arguments: ["host", "port"], [false, true])
    func anotherOriginGetsNothing(other: String, early: Bool) async throws {
        let before: [ServerStep] = early ? [] : [.read, .send(Self.asked)]
        let accepting: [ServerStep] = before + [.read, .send(Self.ok), .stall]
        let asking: [ServerStep] = [.read, .send(Self.asked), .stall]
        let server = try ScriptedServer([[accepting, asking], [asking]])
        let (port, otherPort) = (try #require(server.ports.first), try #require(server.ports.last))
        let url = "http://127.0.0.1:\(port)/x"
        let stranger = other == "host" ? "http://localhost:\(port)/x" : "http://127.0.0.1:\(otherPort)/x"
        try await withTransport(
            url,
            {
                $0.authentication = Self.guest
                $0.authentication.sendsWithoutChallenge = early
            }
        ) { transport async throws in
            #expect(try await transport.call(url).status == .ok)
            let error = await #expect(throws: AuthenticationError.self) { try await transport.call(stranger) }
            #expect(error?.code == .credentialsRequired)
        }
        let own = server.requests(at: port).filter { $0.connection == 1 }
        let sent: [String?] = early ? [Self.toOrigin] : [nil, Self.toOrigin]
        #expect(Self.values(of: "authorization", in: own) == sent)
        let others = server.requests(at: port).filter { $0.connection > 1 } + server.requests(at: otherPort)
        #expect(others.count == 1)
        #expect(others.allSatisfy { Self.isWithoutCredentials($0) })
    }

    @Test(arguments: [false, true]) func aRedirectCarriesNoCredentials(byCaller: Bool) async throws {
        let asking = try ScriptedServer([[[.read, .send(Self.asked), .stall]]])
        let there = try #require(asking.ports.first)
        let move = "HTTP/1.1 307 There\r\nLocation: http://127.0.0.1:\(there)/y\r\nContent-Length: 0\r\n\r\n"
        let before: [ServerStep] = byCaller ? [] : [.read, .send(Self.asked)]
        let moved = try ScriptedServer([[before + [.read, .send(move), .stall]]])
        let here = try #require(moved.ports.first)
        let url = "http://127.0.0.1:\(here)/x"
        let fields: HTTPFields = byCaller ? [.authorization: "Bearer own"] : [:]
        try await withTransport(url, { $0.authentication = Self.guest }) { transport async throws in
            let following = RedirectingTransport(transport, .anyOrigin(maximum: 3))
            let request = ClientRequest(try Endpoint(url), fields: fields, body: .init(Array("<a/>".utf8)))
            let error = await #expect(throws: AuthenticationError.self) { try await following.send(request) }
            #expect(error?.code == .credentialsRequired)
        }
        let sent: [String?] = byCaller ? ["Bearer own"] : [nil, Self.toOrigin]
        #expect(Self.values(of: "authorization", in: moved.requests(at: here)) == sent)
        let arrived = asking.requests(at: there)
        #expect(arrived.map(\.content) == ["<a/>"])
        #expect(arrived.allSatisfy { Self.isWithoutCredentials($0) })
    }

    // MARK: Proxies

    /// Calls through a proxy that follows a script, with a password for it, and one for the origin unless said
    /// otherwise.
    private func call(
        _ url: String, _ script: [ServerStep], origin: AuthenticationPolicy = Self.guest, early: Bool = false
    ) async throws -> (answer: Result<ClientResponse, any Error>, requests: [ScriptedRequest]) {
        let server = try ScriptedServer([[script]])
        let port = try #require(server.ports.first)
        let endpoint = try Endpoint(url)
        var configuration = TransportSetup(origin: endpoint.origin)
        configuration.authentication = origin
        configuration.authentication.sendsWithoutChallenge = early
        configuration.proxy = .init(.init(try Proxy("http://127.0.0.1:\(port)")))
        configuration.proxy.authentication = Self.clerk
        let transport = try configuration.make()
        let answer: Result<ClientResponse, any Error>
        do { answer = .success(try await transport.send(ClientRequest(endpoint))) } catch { answer = .failure(error) }
        try await transport.shutdown()
        return (answer, server.requests(at: port))
    }

    /// Before the tunnel is open, only the proxy can ask, and a proxy asks with 407.
    @Test(arguments: ["WWW-Authenticate", "Proxy-Authenticate"], [false, true])
    func aProxyThatAsksAsAnOriginGetsNothing(field: String, early: Bool) async throws {
        let (answer, requests) = try await call(
            "https://origin.example/", [.read, .send(Self.demand(401, in: field)), .stall], early: early)
        let error = #expect(throws: TransportError.self) { try answer.get() }
        #expect(error?.code == .proxyRefused)
        #expect(requests.count == 1)
        #expect(requests.allSatisfy { Self.isWithoutCredentials($0) })
    }

    @Test(arguments: [false, true]) func aProxyWithTheOriginsRealmGetsOnlyItsCredentials(early: Bool) async throws {
        let asked = Self.demand(407, in: "Proxy-Authenticate")
        let (answer, requests) = try await call(
            "https://origin.example/", [.read, .send(asked), .read, .send(asked), .stall], early: early)
        let error = #expect(throws: AuthenticationError.self) { try answer.get() }
        #expect(error?.code == .credentialsRefused)
        #expect(error?.space?.isProxy == true)
        #expect(Self.values(of: "proxy-authorization", in: requests) == [nil, Self.toProxy])
        #expect(Self.values(of: "authorization", in: requests) == [nil, nil])
    }

    /// A proxy may have forged what it relays, and can read it: a caller that allows plain HTTP has allowed that.
    @Test(arguments: [false, true]) func aPlainProxysOwnPasswordIsNoOrigins(asksFirst: Bool) async throws {
        let first: [ServerStep] =
            asksFirst ? [.read, .send(Self.demand(407, in: "Proxy-Authenticate", realm: "Way out"))] : []
        // As if it were the proxy's own realm.
        let asked = Self.demand(401, in: "WWW-Authenticate", realm: "Way out")
        let (answer, requests) = try await call(
            "http://origin.example/x", first + [.read, .send(asked), .read, .send(Self.ok), .stall])
        #expect(try answer.get().status == .ok)
        let toOrigin: [String?] = asksFirst ? [nil, nil, Self.toOrigin] : [nil, Self.toOrigin]
        let toProxy: [String?] = asksFirst ? [nil, Self.toProxy, Self.toProxy] : [nil, nil]
        #expect(Self.values(of: "authorization", in: requests) == toOrigin)
        #expect(Self.values(of: "proxy-authorization", in: requests) == toProxy)
    }

    @Test func aProxysPasswordDoesNotStandInForAnOrigins() async throws {
        let (answer, requests) = try await call(
            "http://origin.example/x",
            [
                .read, .send(Self.demand(407, in: "Proxy-Authenticate")), .read, .send(Self.asked), .read,
                .send(Self.ok), .stall,
            ], origin: .init())
        let error = #expect(throws: AuthenticationError.self) { try answer.get() }
        #expect(error?.code == .credentialsRequired)
        #expect(Self.values(of: "authorization", in: requests) == [nil, nil])
        #expect(Self.values(of: "proxy-authorization", in: requests) == [nil, Self.toProxy])
    }
}
