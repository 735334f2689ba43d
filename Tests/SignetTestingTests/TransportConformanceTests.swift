import HTTPTypes
import SignetHTTP
import SignetTesting
import Testing

/// The suite finds fault with transports that have faults.
@Suite struct TransportConformanceTests {
    /// Answers everything at once, and asks nobody.
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
                "passes over interim answers",
                "takes an answer as large as is allowed",
            ])
        #expect(result.failed.count > 30)
    }

    @Test func aMuteIsFoundOut() async throws {
        let result = try await failed(Mute())
        #expect(
            result.passed == [
                "does not take half an answer for a whole one", "does not take chunks without an end for all",
                "does not take half of it for all",
            ])
        #expect(result.failed.count > 30)
    }

    @Test func aTransportThatCannotBeMadeIsTheMakersError() async throws {
        struct Broken: Error {}
        for check in TransportConformance.checks() {
            await #expect(throws: Broken.self) { try await check.run { _ in throw Broken() } }
        }
    }

    @Test func capabilitiesChoose() {
        let all = TransportConformance.checks()
        #expect(TransportConformance.checks(for: []).allSatisfy { $0.needs.isEmpty })
        #expect(TransportConformance.checks(for: []).count < all.count)
        #expect(Set(all.map(\.description)).count == all.count)
        #expect(all.reduce(into: Set()) { $0.formUnion($1.needs) } == TransportConformance.Capability.all)
    }
}
