import HTTPTypes
import SignetHTTP
import SignetTesting
import Testing

/// The suite finds fault with transports that have faults.
@Suite struct TransportConformanceTests {
    /// Answers every request at once, without a server.
    private struct Liar: ClientTransport {
        func send(_ request: ClientRequest) async throws -> ClientResponse {
            .init(status: .ok, body: Array("ok".utf8))
        }
        func shutdown() async throws {}
    }

    /// Never answers.
    private struct Mute: ClientTransport {
        func send(_ request: ClientRequest) async throws -> ClientResponse {
            throw TransportError(.connectionClosed, "")
        }
        func shutdown() async throws {}
    }

    private func failed(_ transport: any ClientTransport) async throws -> (passed: [String], failed: [String]) {
        var result = (passed: [String](), failed: [String]())
        for check in TransportConformance.checks() {
            do {
                try await check.run { _ in transport }
                result.passed.append(check.description)
            } catch is TransportConformance.Failure {
                result.failed.append(check.description)
            }
        }
        return result
    }

    @Test func aLiarIsFoundOut() async throws {
        let result = try await failed(Liar())
        #expect(
            result.passed == [
                "skips interim answers",
                "accepts an answer of the maximum size",
            ])
        #expect(result.failed.count > 30)
    }

    @Test func aMuteIsFoundOut() async throws {
        let result = try await failed(Mute())
        #expect(
            result.passed == [
                "refuses an answer that ends too early", "refuses chunks without a last chunk",
                "reports streamed content that ends too early",
            ])
        #expect(result.failed.count > 30)
    }

    @Test func aTransportThatCannotBeMadeIsTheMakersError() async throws {
        struct Broken: Error {}
        for check in TransportConformance.checks() {
            await #expect(throws: Broken.self) { try await check.run { _ in throw Broken() } }
        }
    }

    @Test func capabilitiesSelectTheChecks() {
        let all = TransportConformance.checks()
        #expect(TransportConformance.checks(for: []).allSatisfy { $0.needs.isEmpty })
        #expect(TransportConformance.checks(for: []).count < all.count)
        #expect(Set(all.map(\.description)).count == all.count)
        #expect(all.reduce(into: Set()) { $0.formUnion($1.needs) } == TransportConformance.Capability.all)
    }
}
