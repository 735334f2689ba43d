import Crypto
import Foundation
import InMemoryTracing
import Signet
import SignetObservability

/// Puts a digest of the content (RFC 9530) and a signature over it into the fields of every request. With the same key,
/// the service can verify that the message was not changed on the way.
struct Signing: ClientHTTPMiddleware {
    let key: SymmetricKey

    func intercept(
        _ exchange: ClientExchange, next: @Sendable (ClientExchange) async throws -> ClientResponse
    ) async throws -> ClientResponse {
        // An envelope is in memory. Content that can be read only once is refused when it is sent.
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
        // This tracer stores spans; a program uses the tracer of its monitoring instead.
        let tracer = InMemoryTracer()
        // It writes its own fields instead of traceparent.
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
