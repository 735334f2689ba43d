import Foundation
import SignetAuthentication

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Fetches a page that requires authentication, with this package's authentication and the program's own HTTP client:
///
///     OwnClient URL USER PASSWORD-FILE
@main struct OwnClient {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 3, let url = URL(string: arguments[1]), let host = url.host() else {
            print("Usage: OwnClient URL USER PASSWORD-FILE")
            exit(2)
        }
        do {
            // A secret among the arguments would be visible in the list of processes.
            let password = String(decoding: try Data(contentsOf: URL(filePath: arguments[3])), as: UTF8.self)
                .trimmingCharacters(in: .newlines)
            let policy = AuthenticationPolicy(
                credentials: .fixed(.account(user: arguments[2], password: password)))
            let client = OwnClient(
                url: url, host: host, session: AuthenticationSession(policy, bindsConnections: false))
            // The second request succeeds without another challenge.
            for _ in 1...2 { print(try await client.get()) }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    let url: URL
    let host: String
    let session: AuthenticationSession

    /// The number of challenges, and the final status and content.
    func get() async throws -> String {
        let scheme = url.scheme?.lowercased() ?? "https"
        let target = url.path().isEmpty ? "/" : url.path()
        // Over plain HTTP, credentials go to this machine only. A client with a proxy must check the proxy too.
        let isLocal = ["localhost", "127.0.0.1", "::1"].contains(host)
        let exchange = try session.begin(
            scheme: scheme, host: host, port: url.port ?? (scheme == "https" ? 443 : 80), path: target,
            isLocal: isLocal)
        var get = OwnGet(url: url, target: target, origin: .init(.origin, session, exchange))
        try await AuthenticationLegs(.init(over: .clientHandlesProxies)).run(&get)
        return "\(get.asked) \(get.status) \(String(decoding: get.content, as: UTF8.self))"
    }
}

/// Carries out the legs of one request.
struct OwnGet: AuthenticationDriver {
    let url: URL
    let target: String
    var peers: AuthenticatingPeers
    /// The number of the server's requests for credentials.
    private(set) var asked = 0
    private(set) var status = 0
    private(set) var content: [UInt8] = []
    private var fields: [AnyHashable: Any] = [:]
    private var authorization: String?

    init(url: URL, target: String, origin: AuthenticatingPeer) {
        self.url = url
        self.target = target
        peers = .init(origin: origin)
    }

    mutating func carryOut(_ action: AuthenticationLegs.Action) async throws -> AuthenticationLegs.Event? {
        switch action {
        case .prepare(let role):
            try await peers.update(role) { try await $0.prepare() }
            return .prepared(peers.state(of: role))
        // URLSession manages its own connections, so NTLM and Negotiate, which authenticate a connection, cannot be
        // used.
        case .lease: return .leased(.init(number: 0, isReused: false))
        case .authorize(let roles):
            for role in roles {
                let request = AuthenticationRequest(method: "GET", target: target, content: [])
                let value = try await peers.update(role) {
                    try await $0.authorization(for: request, over: .init(number: 0))
                }
                authorization = value ?? nil
            }
            return .authorized(peers.states)
        case .send: return try await send()
        case .handleChallenge(let role):
            asked += 1
            let challenges = peers[role].map { lines($0.challengeField) } ?? []
            let continuesHandshake = try await peers.update(role) { [status] in
                try await $0.handleChallenge(status: status, fields: challenges)
            }
            return .challengeHandled(continuesHandshake: continuesHandshake ?? false, peers.state(of: role))
        case .choose(let role):
            try await peers.update(role) { try await $0.choose() }
            return .chosen(peers.state(of: role))
        case .verify:
            for role in peers.addressed {
                guard let peer = peers[role] else { continue }
                try await peer.verify(
                    challenges: lines(peer.challengeField), information: lines(peer.informationField),
                    content: content)
            }
            return .verified
        case .keepCredentials(let role): await peers.update(role) { [status] in await $0.keep(status: status) }
        default: break
        }
        return nil
    }

    private mutating func send() async throws -> AuthenticationLegs.Event? {
        var request = URLRequest(url: url)
        request.setValue(authorization, forHTTPHeaderField: "Authorization")
        let (data, response) = try await URLSession.shared.data(for: request)
        guard let answer = response as? HTTPURLResponse else { return nil }
        (status, content, fields) = (answer.statusCode, Array(data), answer.allHeaderFields)
        return .answered(.init(status: status, isReusable: true))
    }

    /// The lines of a field; Foundation joins them into one.
    private func lines(_ name: String) -> [String] {
        fields.compactMap { ($0 as? String)?.lowercased() == name ? $1 as? String : nil }
    }

    func error(for failure: AuthenticationLegs.Failure, after error: (any Error)?) -> any Error {
        if case .reported = failure, let error { return error }
        return AuthenticationLegs.undecided(failure, by: "\(url)")
    }
}
