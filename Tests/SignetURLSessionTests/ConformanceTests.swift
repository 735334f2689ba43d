import SignetHTTP
import SignetTesting
import Testing

@testable import SignetURLSession

/// What of the transport can be run on any system: plain HTTP.
@Suite(.timeLimit(.minutes(5)), .serialized) struct ConformanceTests {
    #if canImport(Security)
    private static let capabilities: Set<TransportConformance.Capability> = [.deadlines, .limits, .reuse]
    private static let excluded: Set<String> = []
    #else
    // The open `URLSession` is another than Apple's: it sends a message again that may have been processed, takes what
    // breaks the rules of HTTP, ends the process at a trailer, and cannot tell a lost connection from nonsense.
    private static let capabilities: Set<TransportConformance.Capability> = [.deadlines]
    private static let excluded: Set<String> = [
        "reads chunks and trailers", "reports that the server closed before the answer",
        "reports that the answer is not HTTP",
    ]
    #endif

    @Test(arguments: TransportConformance.checks(for: capabilities).filter { !excluded.contains($0.description) })
    func conforms(_ check: TransportConformance.Check) async throws {
        try await check.run { try URLSessionTransport(to: $0.origin) }
    }

    @Test func excludedChecksExist() {
        #expect(Self.excluded.isSubset(of: TransportConformance.checks().map(\.description)))
    }
}
