import SignetHTTP
import SignetTesting
import Synchronization
import Testing

@testable import SignetNIOTransport

@Suite(.timeLimit(.minutes(10))) struct FailureReportTests {
    /// Sends a message that the server does not answer, and gives what is reported of it.
    private func reports(_ steps: [ServerStep]) async throws -> [ExchangeReport] {
        let server = try ScriptedServer([[steps]])
        let url = "http://127.0.0.1:\(try #require(server.ports.first))/"
        let reports = Mutex<[ExchangeReport]>([])
        try await withTransport(url) { transport async throws in
            var request = ClientRequest(try Endpoint(url), body: [1])
            request.failureReport = { report in reports.withLock { $0.append(report) } }
            let sent = request
            await #expect(throws: TransportError.self) { try await transport.send(sent) }
        }
        return reports.withLock { $0 }
    }

    @Test func theConnectionOfALostExchangeIsKnown() async throws {
        let reports = try await reports([.read, .close])
        #expect(reports.map(\.connection.number) == [1])
        #expect(reports.map(\.connection.remoteAddress.isEmpty) == [false])
        #expect(reports.map(\.legs.isEmpty) == [true])
    }
}
