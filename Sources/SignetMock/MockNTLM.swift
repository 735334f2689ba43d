#if Server
import Foundation
import HTTPTypes
package import SignetAuthentication
package import SignetServer
package import SignetSOAP
import Synchronization

/// Demands NTLM of clients, which prove themselves once for each connection (MS-NTHT).
package final class MockNTLM: ServerHTTPMiddleware {
    private enum Progress: Sendable {
        case challenged(NTLMServer)
        case proved
    }

    /// Of so many connections the latest are known.
    private static let maximumConnections = 10_000

    private struct Connections: Sendable {
        /// By the address of the client with its port.
        var progress: [String: Progress] = [:]
        var order: [String] = []
    }

    private let account: NTLMClient.Account
    private let connections = Mutex(Connections())

    /// - Parameter account: the only one that is accepted; with an empty domain, in whichever domain.
    package init(_ account: NTLMClient.Account) { self.account = account }

    package func intercept(
        _ request: ServerRequest, next: @Sendable (ServerRequest) async throws -> ServerResponse
    ) async throws -> ServerResponse {
        let client = request.remoteAddress ?? ""
        let progress = connections.withLock { $0.progress[client] }
        let words = (request.fields[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard words.first?.lowercased() == "ntlm" else {
            if case .proved? = progress { return try await next(request) }
            return refusal("NTLM", "no credentials of NTLM")
        }
        guard let message = words.dropFirst().first.flatMap({ Data(base64Encoded: String($0)) }) else {
            return refusal("NTLM", "credentials of NTLM that are not base64")
        }
        if let server = NTLMServer(answering: Array(message), domain: "MOCK") {
            note(.challenged(server), of: client)
            return refusal("NTLM \(Data(server.challenge).base64EncodedString())", nil)
        }
        guard case .challenged(let server)? = progress else {
            return refusal("NTLM", "a last message of NTLM on a connection without a challenge")
        }
        do throws(NTLMServer.Refusal) { try server.check(Array(message), for: account) } catch {
            note(nil, of: client)
            return refusal("NTLM", "credentials of NTLM: \(error)")
        }
        note(.proved, of: client)
        return try await next(request)
    }

    private func note(_ progress: Progress?, of client: String) {
        connections.withLock { connections in
            if connections.progress.updateValue(progress ?? .proved, forKey: client) == nil {
                connections.order.append(client)
            }
            if progress == nil {
                connections.progress[client] = nil
                connections.order.removeAll { $0 == client }
            }
            if connections.order.count > Self.maximumConnections {
                connections.progress[connections.order.removeFirst()] = nil
            }
        }
    }

    private func refusal(_ challenge: String, _ reason: String?) -> ServerResponse {
        if let reason { MockExchange.current?.note { $0.remarks.append("refused: \(reason)") } }
        return ServerResponse(
            status: .unauthorized, fields: [.wwwAuthenticate: challenge, .contentType: "text/plain; charset=utf-8"],
            body: Array("Unauthorized.\n".utf8))
    }
}
#endif
