import ReferenceServices
import Signet
import Testing

// The code of the article TestingWithoutANetwork that is not in PublicFace.swift.

struct Outage: CallMiddleware {
    func intercept<Input: XMLStructure, Output: Sendable>(
        _ call: ServiceCall<Input>, next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
    ) async throws -> ServiceAnswer<Output> {
        throw TransportError(.readTimeout, "The test lets no answer come.", mayHaveBeenProcessed: true)
    }
}

@Test func aLostAnswerIsNotTakenForARefusal() async throws {
    let webEase = WebEase.Client(inProcess: [
        WebEase.Operations.logEntryDelete.route { _, _ in .init(deleted: true) }
    ])
    let error = await #expect(throws: TransportError.self) {
        try await webEase.with { $0.middlewares.append(Outage()) }.logEntryDelete(.init(id: 7))
    }
    #expect(error?.mayHaveBeenProcessed == true)
}
