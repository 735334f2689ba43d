import HTTPTypes
import SignetHTTP
import SignetTLS
import Testing

@testable import SignetNIOTransport

/// What a transport is made of in a test: the configuration of its connections, and what surrounds it.
@dynamicMemberLookup
struct TransportSetup {
    var origin: Origin
    var connection = ConnectionConfiguration()
    var surroundings = NIOTransport.Surroundings()

    init(origin: Origin) { self.origin = origin }

    subscript<Value>(dynamicMember path: WritableKeyPath<ConnectionConfiguration, Value>) -> Value {
        get { connection[keyPath: path] }
        set { connection[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<NIOTransport.Surroundings, Value>) -> Value {
        get { surroundings[keyPath: path] }
        set { surroundings[keyPath: path] = newValue }
    }

    func make() throws -> NIOTransport { try NIOTransport(to: origin, connection, in: surroundings) }
}

/// A transport that is shut down when the test is over.
func withTransport<Value>(
    _ url: String, _ change: (inout TransportSetup) throws -> Void = { _ in },
    _ body: (NIOTransport) async throws -> Value
) async throws -> Value {
    var configuration = TransportSetup(origin: try Endpoint(url).origin)
    try change(&configuration)
    let transport = try configuration.make()
    let result: Result<Value, any Error>
    do { result = .success(try await body(transport)) } catch { result = .failure(error) }
    try await transport.shutdown()
    return try result.get()
}

extension NIOTransport {
    @discardableResult
    func call(
        _ url: String, _ method: HTTPRequest.Method = .post, body: String = "", fields: HTTPFields = [:],
        _ change: (inout ClientRequest) -> Void = { _ in }
    ) async throws -> ClientResponse {
        var request = ClientRequest(
            try Endpoint(url), method: method, fields: fields, body: HTTPBody(Array(body.utf8)))
        change(&request)
        return try await send(request)
    }

    func failure(
        _ url: String, _ method: HTTPRequest.Method = .post, _ change: (inout ClientRequest) -> Void = { _ in }
    ) async throws -> TransportError? {
        do {
            let response = try await call(url, method, change)
            Issue.record("\(url) was answered with \(response.status)")
            return nil
        } catch let error as TransportError { return error }
    }
}

/// Waits for something that must happen.
func until(_ condition: () throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(30)
    while try !condition() {
        try #require(ContinuousClock.now < end, "what was waited for never came")
        try await Task.sleep(for: .milliseconds(5))
    }
}

extension ClientResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}
