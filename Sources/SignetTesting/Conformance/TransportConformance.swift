import HTTPTypes
public import SignetHTTP

/// What every ``ClientTransport`` must do, as checks against servers on the loopback address that do exactly what each check needs.
///
/// ```swift
/// @Test(arguments: TransportConformance.checks())
/// func conforms(_ check: TransportConformance.Check) async throws {
///     try await check.run { endpoint in MyTransport(endpoint.origin) }
/// }
/// ```
///
/// All of it is HTTP without TLS: what a transport proves and believes takes servers with certificates, and stands in its own tests.
public enum TransportConformance {
    /// Something that not every transport can do.
    public struct Capability: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// Ends a call when ``Deadlines/connect``, ``Deadlines/read`` or ``Deadlines/total`` has passed, each for itself.
        public static let deadlines = Capability("deadlines")
        /// Keeps connections and uses them again.
        public static let reuse = Capability("reuse")
        /// Ends a call as soon as more comes than ``ClientRequest/maximumResponseBytes``.
        public static let limits = Capability("limits")
        /// Refuses what RFC 9112 lets nobody accept: two lengths, a length beside chunks, fields with control characters.
        public static let strictFraming = Capability("strictFraming")
        /// Fills in ``ExchangeReport``: the connection, and the legs of an exchange.
        public static let reports = Capability("reports")

        /// Hands the content of an answer on while it arrives, and slows the peer down while it is taken.
        public static let streaming = Capability("streaming")

        /// Every capability, for a transport that can do all of it.
        public static let all: Set<Capability> = [.deadlines, .reuse, .limits, .strictFraming, .reports, .streaming]
    }

    /// What a transport does and should not, or the other way about.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// Makes a transport for one origin, without identity or credentials.
    public typealias Maker = @Sendable (Endpoint) async throws -> any ClientTransport

    /// One thing that a transport must do.
    public struct Check: Sendable, CustomStringConvertible {
        /// What must happen, in words.
        public let description: String
        /// What a transport must be capable of for it.
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
        /// - Throws: ``Failure``, or what making or ending the transport throws.
        public func run(_ make: Maker) async throws {
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

    /// What must be answered.
    func answer(to request: ClientRequest) async throws -> ClientResponse {
        do { return try await transport.send(request) } catch {
            throw TransportConformance.Failure(description: "instead of an answer came \(error)")
        }
    }

    /// What must fail, with one of the codes.
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
