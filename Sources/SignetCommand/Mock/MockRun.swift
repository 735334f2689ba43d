#if CommandLine
import Logging
import ServiceLifecycle
import SignetServer
import UnixSignals

/// Runs a server until Ctrl-C, and says where it listens.
struct MockRun: Service {
    let server: SOAPServer
    let whenListening: @Sendable (Int) -> Void

    func run() async throws { try await server.run(whenListening: whenListening) }

    /// Runs until a signal ends it; requests that were accepted are answered.
    func untilSignal(_ logger: Logger) async throws {
        try await ServiceGroup(services: [self], gracefulShutdownSignals: [.sigint, .sigterm], logger: logger).run()
    }
}
#endif
