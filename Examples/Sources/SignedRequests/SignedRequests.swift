import Crypto
import Foundation
import InMemoryTracing
import Signet
import SignetObservability

/// Puts a digest of the content (RFC 9530) and a signature over it into the fields of every request. A service that has
/// the key too sees by them that nothing on the way has changed the message.
struct Signing: ClientHTTPMiddleware {
    let key: SymmetricKey

    func intercept(
        _ exchange: ClientExchange, next: @Sendable (ClientExchange) async throws -> ClientResponse
    ) async throws -> ClientResponse {
        // An envelope is in memory. Content that can be read once is refused when it is to be sent.
        let content = try await exchange.body.collected(limit: 1 << 20)
        let signature = Data(HMAC<SHA256>.authenticationCode(for: content, using: key)).base64EncodedString()
        var exchange = exchange
        exchange.fields[.contentDigest] = "sha-256=:\(Data(SHA256.hash(data: content)).base64EncodedString()):"
        if let name = HTTPField.Name("X-Signature") { exchange.fields[name] = signature }
        return try await next(exchange)
    }
}

extension HTTPField.Name {
    static var contentDigest: Self { Self("Content-Digest") ?? .expect }
}

/// A call whose request is signed and carries the context of its trace, to a service in the same process.
@main enum SignedRequests {
    static func main() async throws {
        // It keeps spans; a program has the tracer of its monitoring in this place.
        let tracer = InMemoryTracer()
        // It writes fields of its own in place of traceparent.
        let tracing = try TracingMiddleware(
            service: "WebEase", tracer: tracer, alsoSending: [InMemoryTracer.traceIDKey, InMemoryTracer.spanIDKey])
        var dispatcher = ServiceDispatcher(
            name: "WebEase", versions: [.soap11],
            routes: [
                WebEase.Operations.logEntryDelete.route { _, context in
                    for field in context.request?.fields ?? [:] { print("arrived: \(field.name): \(field.value)") }
                    return .init(deleted: true)
                }
            ])
        dispatcher.observe(tracing: tracing, metrics: nil)

        let webEase = WebEase.Client(inProcess: dispatcher).with {
            $0.httpMiddlewares = [Signing(key: SymmetricKey(size: .bits256))]
            $0.settings.observe(tracing: tracing, metrics: nil)
        }
        _ = try await webEase.logEntryDelete(.init(id: 1))
        for span in tracer.finishedSpans {
            print("span: \(span.spanID), \(span.operationName), \(span.kind), below \(span.parentSpanID ?? "no other")")
        }
    }
}
