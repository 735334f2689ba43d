#if Server
import Foundation
import HTTPTypes
package import SignetAuthentication
package import SignetServer
package import SignetSOAP
import Synchronization

/// Demands NTLM of clients, which prove themselves once for each connection (MS-NTHT). Of a client's last message, it checks neither the
/// code over all messages nor channel bindings.
package final class MockNTLM: ServerHTTPMiddleware {
    private enum Progress: Sendable {
        case challenged(NTLMServer)
        case proved
    }

    /// When more connections are known, the one that began first is forgotten.
    private static let maximumConnections = 10_000

    private struct Connections: Sendable {
        var progress: [UInt64: Progress] = [:]
        /// Their numbers rise.
        var oldest: [UInt64] = []
    }

    private let account: NTLMClient.Account
    private let connections = Mutex(Connections())

    /// - Parameter account: the only one that is accepted; with an empty domain, in whichever domain.
    package init(_ account: NTLMClient.Account) { self.account = account }

    package func intercept(
        _ request: ServerRequest, next: @Sendable (ServerRequest) async throws -> ServerResponse
    ) async throws -> ServerResponse {
        guard let connection = request.connection else { return refusal("NTLM", "a connection without a number") }
        let progress = connections.withLock { $0.progress[connection] }
        let words = (request.fields[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard words.first?.lowercased() == "ntlm" else {
            if case .proved? = progress { return try await next(request) }
            return refusal("NTLM", "no credentials of NTLM")
        }
        guard let text = words.dropFirst().first, let message = Data(base64Encoded: String(text)) else {
            return refusal("NTLM", "credentials of NTLM without a message in base64")
        }
        if let server = NTLMServer(answering: Array(message), domain: "MOCK") {
            note(.challenged(server), of: connection)
            return refusal("NTLM \(Data(server.challenge).base64EncodedString())", nil)
        }
        guard case .challenged(let server)? = progress else {
            return refusal("NTLM", "a last message of NTLM that answers no challenge of its connection")
        }
        do throws(NTLMServer.Refusal) { try server.check(Array(message), for: account) } catch {
            connections.withLock { $0.progress[connection] = nil }
            return refusal("NTLM", "the credentials of NTLM: \(error)")
        }
        note(.proved, of: connection)
        return try await next(request)
    }

    private func note(_ progress: Progress, of connection: UInt64) {
        connections.withLock { connections in
            if connections.progress.updateValue(progress, forKey: connection) == nil {
                connections.oldest.append(connection)
            }
            if connections.oldest.count > Self.maximumConnections {
                connections.progress[connections.oldest.removeFirst()] = nil
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
