import Foundation
import GreetingService
import InMemoryTracing
import MetricsTestKit
import Signet
import SignetServer
import SignetTesting
import TestSupport
import Testing
import Tracing

@testable import SignetObservability

@Suite(.timeLimit(.minutes(10))) struct EndToEndTests {
    /// Two calls over TLS, with a certificate at both ends.
    @Test func aTraceAndMetricsGoOverTheWire() async throws {
        let (tracer, metrics, log) = (InMemoryTracer(), TestMetrics(), LogCollector())
        let tracing = try TracingMiddleware(inMemory: tracer)
        let counting = MetricsMiddleware(factory: metrics)
        let authority = try CertificateAuthority()
        let trust = TrustPolicy.anchors(authority.bundle)
        var dispatcher = Greeting.dispatcher()
        dispatcher.observe(tracing: tracing, metrics: counting, logging: LoggingMiddleware(log.logger))
        var settings = SOAPServer.Settings()
        settings.port = 0
        let server = try SOAPServer(
            dispatcher, path: "/soap",
            tls: ServerTLSConfiguration(
                identity: .fixed(try authority.issueServer(dnsNames: ["localhost"])),
                clients: .certificateRequired(trust)), settings: settings)
        let port = try await server.start()
        var service = try ServiceConfiguration("https://localhost:\(port)/soap")
        service.trust = trust
        service.identity = .fixed(try authority.issueClient(commonName: "device"))
        service.calls.observe(tracing: tracing, metrics: counting, logging: LoggingMiddleware(log.logger))
        let client = Greeting.Client(service)
        do {
            for _ in 0..<2 { _ = try await client.greet(.init(name: "x")) }
            counting.recordConnections(of: client.caller)
        } catch {
            try await client.shutdown()
            await server.shutdown()
            throw error
        }
        try await client.shutdown()
        await server.shutdown()

        let clients = tracer.finishedSpans.filter { $0.kind == .client }
        let servers = tracer.finishedSpans.filter { $0.kind == .server }
        #expect(clients.count == 2)
        #expect(servers.map(\.parentSpanID) == clients.map(\.spanID))
        #expect(servers.map(\.traceID) == clients.map(\.traceID))
        #expect(servers.allSatisfy { $0.attributes.get("signet.request.id") != nil })
        let dimensions = [("service", ""), ("server", "https://localhost:\(port)")]
        #expect(
            try metrics.expectCounter("signet.client.connections", dimensions + [("tls", "TLS 1.3")]).totalValue == 1)
        for owner in ["server", "client"] {
            let meter = try metrics.expectMeter("signet.client.certificate.remaining", dimensions + [("owner", owner)])
            #expect(meter.values.count == 2)
            #expect(meter.values.allSatisfy { $0 > 0 })
        }
        #expect(
            try metrics.expectMeter("signet.client.pool.connections", [("service", ""), ("state", "idle")]).lastValue
                == 1)
        let names = tracer.finishedSpans.flatMap { span in
            var names: [String] = []
            span.attributes.forEach { name, _ in names.append(name) }
            return names
        }
        let labels =
            metrics.counters.map(\.label) + metrics.meters.map(\.label) + metrics.timers.map(\.label)
        let page = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("Sources/Signet/Signet.docc/Observability.md"),
            encoding: .utf8)
        for name in names + labels { #expect(page.contains("`\(name)`"), "The page does not name it: \(name)") }
        #expect(log.text.split(separator: "\n").count == 4)
    }
}
