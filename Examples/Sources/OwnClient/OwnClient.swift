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
        var exchange = try session.begin(
            scheme: scheme, host: host, port: url.port ?? (scheme == "https" ? 443 : 80), path: target,
            isLocal: isLocal)
        var status: Int?
        defer { session.finish(&exchange, status: status) }
        if exchange.needsPreparation { try await session.prepare(&exchange) }
        for challenges in 0..<8 {
            let request = AuthenticationRequest(method: "GET", target: target, content: [])
            // URLSession manages its own connections, so NTLM and Negotiate, which authenticate a connection, cannot be
            // used, and the number of the connection does not matter.
            let field = try await session.authorization(&exchange, for: request, over: .init(number: 0))
            let answer = try await OwnAnswer(to: field, at: url)
            guard answer.status == 401 else {
                try await session.verify(
                    exchange, challenges: answer.lines("WWW-Authenticate"),
                    information: answer.lines("Authentication-Info"), content: answer.content)
                await session.keep(&exchange, status: answer.status)
                status = answer.status
                return "\(challenges) \(answer.status) \(String(decoding: answer.content, as: UTF8.self))"
            }
            try await session.challenged(&exchange, status: 401, fields: answer.lines("WWW-Authenticate"))
        }
        throw AuthenticationError(.undecided, "\(url) asks for credentials again and again.")
    }
}

/// What the server answers to one request.
struct OwnAnswer {
    let status: Int
    let content: [UInt8]
    private let fields: [AnyHashable: Any]

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - authorization: the value of `Authorization`; nil for a request without it.
    ///   - url: the address.
    init(to authorization: String?, at url: URL) async throws {
        var request = URLRequest(url: url)
        request.setValue(authorization, forHTTPHeaderField: "Authorization")
        let (data, response) = try await URLSession.shared.data(for: request)
        guard let answer = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        (status, content, fields) = (answer.statusCode, Array(data), answer.allHeaderFields)
    }

    /// The lines of a field; Foundation joins them into one.
    func lines(_ name: String) -> [String] {
        fields.compactMap { ($0 as? String)?.lowercased() == name.lowercased() ? $1 as? String : nil }
    }
}
