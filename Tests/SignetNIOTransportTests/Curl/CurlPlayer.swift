import HTTPTypes
import NIOCore
import NIOPosix
import SignetAuthentication
import SignetHTTP

@testable import SignetNIOTransport

/// Makes the calls of a case.
struct CurlPlayer: Sendable {
    /// How the last call ended.
    enum End: Sendable {
        case answered(Int)
        case failed(any Error)
    }

    let port: Int

    /// Every name is one of the server's.
    private struct Names: Resolver, Sendable {
        let loop: any EventLoop
        let port: Int

        func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
            let mine = self.port
            return loop.makeCompletedFuture { [try SocketAddress(ipAddress: "127.0.0.1", port: mine)] }
        }
        func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
            loop.makeSucceededFuture([])
        }
        func cancelQueries() {}
    }

    func play(_ plan: CurlPlan) async throws -> End {
        var end = End.answered(0)
        for step in plan.steps { end = try await play(step) }
        return end
    }

    private func play(_ step: CurlPlan.Step) async throws -> End {
        guard let first = step.endpoints.first else { return .answered(0) }
        var configuration = TransportSetup(origin: first.origin)
        configuration.authentication = step.operation.login.policy(at: first.origin)
        configuration.proxy = .init(step.rules)
        let proxy = step.rules.proxy(for: first.origin)
        if let proxy { configuration.proxy.authentication = step.operation.proxyLogin.policy(at: proxy.origin) }
        configuration.resolver = Names(loop: MultiThreadedEventLoopGroup.singleton.any(), port: port)
        configuration.acceptsCompression = false
        let transport = try configuration.make()
        let client: any ClientTransport =
            step.operation.follows
            ? RedirectingTransport(transport, .anyOrigin(maximum: step.operation.maximumRedirects)) : transport
        var end = End.answered(0)
        for endpoint in step.endpoints {
            do {
                let response = try await client.send(request(endpoint, step))
                end = .answered(response.status.code)
            } catch { end = .failed(error) }
        }
        try await transport.shutdown()
        return end
    }

    private func request(_ endpoint: Endpoint, _ step: CurlPlan.Step) -> ClientRequest {
        let operation = step.operation
        let body = operation.putsBodyIntoQuery ? [] : operation.body ?? []
        var request = ClientRequest(
            endpoint, method: HTTPRequest.Method(rawValue: operation.effectiveMethod) ?? .get, fields: step.fields,
            body: HTTPBody(body))
        // Nothing here takes long; what waits for something that does not come shall not hold up the others.
        request.deadlines.read = .seconds(10)
        request.deadlines.total = .seconds(15)
        return request
    }
}

extension CurlOperation.Login {
    /// What curl does with these options.
    func policy(at origin: Origin) -> AuthenticationPolicy {
        let credentials: Credentials
        if let token {
            credentials = .bearer(token)
        } else if let user {
            credentials = .account(user: user, password: password)
        } else {
            return .init()
        }
        let allowed: Set<AuthenticationScheme> =
            isAny ? [.bearer, .digest, .ntlm, .basic] : schemes.isEmpty ? [.basic] : schemes
        var policy = AuthenticationPolicy(
            credentials: .fixed(credentials),
            // Of a choice, curl waits for what the server offers.
            sendsWithoutChallenge: allowed == [.basic] || allowed == [.bearer], allowsPlaintext: true)
        // In the order that curl has.
        policy.schemes = [.bearer, .digest, .ntlm, .basic].filter { allowed.contains($0) }
        policy.ntlmHosts = [origin.host]
        policy.allowsDigestWithoutQop = true
        return policy
    }
}
