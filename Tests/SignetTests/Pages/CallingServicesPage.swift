import ReferenceServices
import Signet

// The code of the article CallingServices that is not in PublicFace.swift.

private func share(_ webEase: WebEase.Client) async throws {
    let patient = webEase.with { $0.deadlines.total = .seconds(300) }  // over the same connections
    let report = try await patient.logEntryQuery(.init(patientId: "4711"))
    try await webEase.shutdown()  // closes the connections of both
    _ = report
}
