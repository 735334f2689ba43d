import SignetHTTP
import SignetTesting
import Testing

@testable import SignetNIOTransport

@Suite(.timeLimit(.minutes(5))) struct ConformanceTests {
    @Test(arguments: TransportConformance.checks()) func conforms(_ check: TransportConformance.Check) async throws {
        try await check.run { try NIOTransport(to: $0.origin) }
    }
}
