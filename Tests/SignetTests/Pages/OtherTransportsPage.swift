import ReferenceServices
import Signet
import SignetTesting
import Testing

// The code of the article OtherTransports.

private func client(_ service: ServiceConfiguration, over transport: any ClientTransport) -> WebEase.Client {
    let webEase = WebEase.Client(
        ServiceCaller(endpoint: service.endpoint, transport: transport, settings: service.calls))
    return webEase
}

/// Stands for a transport of the reader's own.
private struct MyTransport: ClientTransport {
    private let transport: any ClientTransport

    init(_ endpoint: Endpoint) throws { transport = try ServiceConfiguration(endpoint.url).makeTransport() }

    func send(_ request: ClientRequest) async throws -> ClientResponse { try await transport.send(request) }
    func shutdown() async throws { try await transport.shutdown() }
}

@Suite(.timeLimit(.minutes(5))) struct OtherTransportsPage {
    @Test(arguments: TransportConformance.checks(for: [.deadlines, .limits]))
    func conforms(_ check: TransportConformance.Check) async throws {
        try await check.run { endpoint in try MyTransport(endpoint) }
    }
}
