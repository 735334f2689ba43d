import HTTPTypes
public import SignetHTTP

/// The behaviour that every ``/SignetHTTP/ClientTransport`` must have, as checks against scripted servers on the
/// loopback address.
///
/// ```swift
/// @Test(arguments: TransportConformance.checks())
/// func conforms(_ check: TransportConformance.Check) async throws {
///     try await check.run { endpoint in MyTransport(endpoint.origin) }
/// }
/// ```
///
/// All checks use HTTP without TLS: checks of identities and of trust need servers with certificates, and belong in the
/// transport's own tests.
public enum TransportConformance {
    /// An ability that not every transport has.
    public struct Capability: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// Ends a call when one of ``/SignetHTTP/Deadlines/connect``, ``/SignetHTTP/Deadlines/read`` and
        /// ``/SignetHTTP/Deadlines/total`` has passed.
        public static let deadlines = Capability("deadlines")
        /// Keeps connections and uses them again.
        public static let reuse = Capability("reuse")
        /// Ends a call as soon as the answer exceeds ``/SignetHTTP/ClientRequest/maximumResponseBytes``.
        public static let limits = Capability("limits")
        /// Refuses messages that RFC 9112 does not allow a recipient to accept: two lengths, a length beside chunks,
        /// fields with control characters.
        public static let strictFraming = Capability("strictFraming")
        /// Fills in ``/SignetHTTP/ExchangeReport``: the connection, and the legs of an exchange.
        public static let reports = Capability("reports")

        /// Passes the content of an answer to the receiver while it arrives, and slows the peer down to the receiver's
        /// speed.
        public static let streaming = Capability("streaming")

        /// Every capability.
        public static let all: Set<Capability> = [.deadlines, .reuse, .limits, .strictFraming, .reports, .streaming]
    }

    /// A violation: the transport does something that it must not do, or fails to do something that it must.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// Makes a transport for one origin, without identity or credentials.
    public typealias MakeTransport = @Sendable (Endpoint) async throws -> any ClientTransport

    /// One required behaviour of a transport.
    public struct Check: Sendable, CustomStringConvertible {
        /// The required behaviour, in words.
        public let description: String
        /// The capabilities that the check needs.
        public let needs: Set<Capability>
        private let scripts: [[ServerStep]]
        private let body: @Sendable (Trial) async throws -> Void

        init(
            _ description: String, needs: Set<Capability> = [], _ scripts: [[ServerStep]],
            _ body: @escaping @Sendable (Trial) async throws -> Void
        ) {
            self.description = description
            self.needs = needs
            self.scripts = scripts
            self.body = body
        }

        /// - Parameter make: makes the transport, which is shut down at the end.
        /// - Throws: ``Failure``, or an error of making or shutting down the transport.
        public func run(_ make: MakeTransport) async throws {
            let server = try ScriptedServer([scripts])
            guard let port = server.ports.first else { throw Failure(description: "there is no server") }
            let endpoint = try Endpoint("http://127.0.0.1:\(port)/service")
            let transport = try await make(endpoint)
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(Trial(transport: transport, endpoint: endpoint, server: server)))
            } catch { result = .failure(error) }
            try await transport.shutdown()
            try result.get()
        }
    }

    /// The checks that a transport with these capabilities must pass.
    public static func checks(for capabilities: Set<Capability> = Capability.all) -> [Check] {
        all.filter { $0.needs.isSubset(of: capabilities) }
    }
}

/// A transport and a server while a check runs.
struct Trial: Sendable {
    let transport: any ClientTransport
    let endpoint: Endpoint
    let server: ScriptedServer

    func request(
        _ method: HTTPRequest.Method = .post, _ content: String = "<message/>",
        _ change: (inout ClientRequest) -> Void = { _ in }
    ) -> ClientRequest {
        var request = ClientRequest(endpoint, method: method, body: HTTPBody(Array(content.utf8)))
        request.deadlines.total = .seconds(20)
        change(&request)
        return request
    }

    /// Sends a request that the server must answer.
    func answer(to request: ClientRequest) async throws -> ClientResponse {
        do { return try await transport.send(request) } catch {
            throw TransportConformance.Failure(description: "instead of an answer came \(error)")
        }
    }

    /// Sends a request that must fail with one of the codes.
    @discardableResult
    func failure(of request: ClientRequest, _ codes: TransportError.Code...) async throws -> TransportError {
        let response: ClientResponse
        do { response = try await transport.send(request) } catch let error as TransportError {
            try expect(codes.contains(error.code), "the code is \(error.code) and must be of \(codes): \(error)")
            return error
        } catch {
            throw TransportConformance.Failure(description: "\(error) is no TransportError")
        }
        throw TransportConformance.Failure(description: "there is an answer: \(response)")
    }

    /// The requests that the server has read.
    var requests: [ScriptedRequest] { server.ports.first.map { server.requests(at: $0) } ?? [] }

    func expect(_ condition: Bool, _ description: @autoclosure () -> String) throws {
        guard condition else { throw TransportConformance.Failure(description: description()) }
    }
}
