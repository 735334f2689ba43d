import Foundation
import SignetAuthentication

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Fetches a page that wants to know who is asking, with the authentication of this package and an HTTP client of its own:
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
            // A secret among the arguments would stand in the list of processes.
            let password = String(decoding: try Data(contentsOf: URL(filePath: arguments[3])), as: UTF8.self)
                .trimmingCharacters(in: .newlines)
            let policy = AuthenticationPolicy(
                credentials: .fixed(.account(user: arguments[2], password: password)))
            let client = OwnClient(
                url: url, host: host, session: AuthenticationSession(policy, bindsConnections: false))
            // The second request goes without being asked again.
            for _ in 1...2 { print(try await client.get()) }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    let url: URL
    let host: String
    let session: AuthenticationSession

    /// How often was asked, and the status and the content in the end.
    func get() async throws -> String {
        let scheme = url.scheme?.lowercased() ?? "https"
        let target = url.path().isEmpty ? "/" : url.path()
        // Over plain HTTP a proof of the password goes to this machine only. A client with a proxy has to look at that, too.
        let isLocal = ["localhost", "127.0.0.1", "::1"].contains(host)
        var exchange = try session.begin(
            scheme: scheme, host: host, port: url.port ?? (scheme == "https" ? 443 : 80), path: target,
            isLocal: isLocal)
        var status: Int?
        defer { session.finish(&exchange, status: status) }
        if exchange.needsPreparation { try await session.prepare(&exchange) }
        for leg in 0..<8 {
            var request = URLRequest(url: url)
            let field = try await session.authorization(
                &exchange, for: .init(method: "GET", target: target, content: []), over: .init(number: 0))
            request.setValue(field, forHTTPHeaderField: "Authorization")
            let (content, response) = try await URLSession.shared.data(for: request)
            guard let answer = response as? HTTPURLResponse else { break }
            func lines(_ name: String) -> [String] { answer.value(forHTTPHeaderField: name).map { [$0] } ?? [] }
            guard answer.statusCode == 401 else {
                try await session.verify(
                    exchange, challenges: lines("WWW-Authenticate"), information: lines("Authentication-Info"),
                    content: Array(content))
                status = answer.statusCode
                return "\(leg) \(answer.statusCode) \(String(decoding: content, as: UTF8.self))"
            }
            try await session.challenged(&exchange, status: 401, fields: lines("WWW-Authenticate"))
        }
        throw AuthenticationError(.credentialsRefused, "\(url) went on asking.")
    }
}
