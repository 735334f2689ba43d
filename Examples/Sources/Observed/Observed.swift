import InMemoryTracing
import MetricsTestKit
import Signet
import SignetObservability
import SignetServer
import SignetTesting

/// A service and its client in one process, observed at both ends: the log as it is written, then what else an operator
/// would see. A program sends metrics and spans to its monitoring; here they are kept in memory and printed.
@main enum Observed {
    static func main() async throws {
        let (metrics, tracer) = (TestMetrics(), InMemoryTracer())
        print("Log:")
        let events = try await run(metrics, tracer)
        print("\nEvents:")
        // The sequence ends because all clients that report to it are gone.
        for await event in events { print("\(event.name): \(event)") }
        print("\nMetrics:")
        for line in lines(of: metrics) { print(line) }
        print("\nSpans:")
        for span in tracer.finishedSpans {
            print("\(span.operationName) (\(span.kind), \(span.spanID), below \(span.parentSpanID ?? "no other"))")
            var attributes: [String] = []
            span.attributes.forEach { name, value in attributes.append("\(name)=\(value)") }
            print("   ", attributes.sorted().joined(separator: " "))
        }
    }

    private static func lines(of metrics: TestMetrics) -> [String] {
        func line(_ label: String, _ dimensions: [(String, String)], _ value: String) -> String {
            "\(label) {\(dimensions.map { "\($0)=\($1)" }.joined(separator: ", "))} \(value)"
        }
        let lines =
            metrics.counters.map { line($0.label, $0.dimensions, "\($0.totalValue)") }
            + metrics.timers.map { timer in
                line(timer.label, timer.dimensions, "\(timer.values.map { Duration.nanoseconds($0) })")
            } + metrics.meters.map { line($0.label, $0.dimensions, "\(Int64($0.lastValue ?? 0))") }
        return lines.sorted()
    }

    /// Calls the service, first with a certificate and then without one.
    private static func run(
        _ metrics: TestMetrics, _ tracer: InMemoryTracer
    ) async throws -> AsyncStream<ServiceEvent> {
        let counting = MetricsMiddleware(service: "WebEase", factory: metrics)
        // InMemoryTracer writes its own fields instead of traceparent.
        let tracing = try TracingMiddleware(
            service: "WebEase", tracer: tracer, alsoSending: [InMemoryTracer.traceIDKey, InMemoryTracer.spanIDKey])
        func logger(_ label: String) -> Logger {
            Logger(label: label) { StreamLogHandler.standardOutput(label: $0) }
        }

        // In production, the authority is your organisation's and the identities come from files.
        let authority = try CertificateAuthority(commonName: "Example authority")
        var dispatcher = ServiceDispatcher(
            name: "WebEase", versions: [.soap11],
            routes: [
                WebEase.Operations.logEntryDelete.route { input, _ in
                    guard input.id < 99 else { throw SOAPFault.client("No such entry.") }
                    return .init(deleted: true)
                }
            ])
        dispatcher.observe(tracing: tracing, metrics: counting, logging: LoggingMiddleware(logger("service")))
        var settings = SOAPServer.Settings()
        settings.port = 0
        settings.logger = logger("server")
        let server = try SOAPServer(
            dispatcher, path: "/soap",
            tls: .init(
                identity: .fixed(try authority.issueServer(dnsNames: ["localhost"])),
                clients: .certificateRequired(.anchors(authority.bundle))),
            settings: settings)
        let port = try await server.start()

        let watch = ServiceWatch()
        let events = watch.events()
        var service = try ServiceConfiguration("https://localhost:\(port)/soap")
        service.trust = .anchors(authority.bundle)
        service.calls.observe(tracing: tracing, metrics: counting, logging: LoggingMiddleware(logger("client")))
        service.calls.report(to: watch, trust: service.trust)
        for identity in [try authority.issueClient(commonName: "Example device"), nil] {
            service.identity = identity.map { .fixed($0) }
            let webEase = WebEase.Client(service)
            for id in [1, 99] as [Int64] {
                do { _ = try await webEase.logEntryDelete(.init(id: id)) } catch { print("Caught:", error) }
            }
            counting.recordConnections(of: webEase.caller)
            try await webEase.shutdown()
        }
        await server.shutdown()
        return events
    }
}
