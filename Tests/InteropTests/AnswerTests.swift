import Foundation
import Signet
import SignetTesting
import Testing

@testable import SignetDemo

/// What nginx answers in the place of a service, reported as what it is.
@Suite struct AnswerTests {
    @Test func answersThatAreNotSOAPAreReportedAsSuch() async throws {
        let authority = try CertificateAuthority()
        let files = try IdentityFiles()
        try await files.write(try authority.issueServer(dnsNames: ["localhost"]), as: "server")
        let port = try Port.free()
        try await Nginx.run("answers.conf", in: files, port: port) {
            var service = try ServiceConfiguration("https://localhost:\(port)/")
            service.trust = .anchors(authority.bundle)
            let client = WebEase.Client(service)
            let cases: [(path: String, code: ServiceError.Code, status: Int)] = [
                ("login", .notSOAP, 200), ("empty", .emptyAnswer, 200), ("moved", .redirected, 302),
                ("down", .refused, 503),
            ]
            for (path, code, status) in cases {
                let endpoint = try Endpoint("https://localhost:\(port)/\(path)")
                let error = await #expect(throws: ServiceError.self) {
                    try await client.with { $0.endpoint = endpoint }.logEntryQuery(.init(patientId: "1"))
                }
                #expect(error?.code == code, "\(path): \(String(describing: error))")
                #expect(error?.answer?.status == status)
                if path == "login" { #expect(error?.answer?.firstBytes.contains("Please log in") == true) }
                if path == "moved" { #expect(error?.answer?.location == "https://login.example/") }
            }
            try await client.shutdown()
        }
    }
}
