import HTTPTypes
import SignetEnrollment
import SignetHTTP
import SignetTLS
import Synchronization

/// A transport that answers at once, and reports the certificate that it was made with.
struct TestTransport: ClientTransport {
    var identity: Identity?
    var status = 200
    var body = ""
    var error: TransportError?

    func send(_ request: ClientRequest) async throws -> ClientResponse {
        if let error { throw error }
        var report = ExchangeReport()
        var tls = ExchangeReport.TLS()
        tls.clientCertificate = identity?.leaf.subject
        tls.clientCertificateNotAfter = identity?.leaf.notAfter
        report.connection.tls = tls
        return ClientResponse(status: .init(code: status), body: Array(body.utf8), report: report)
    }

    func shutdown() async throws {}
}

extension IdentityProof {
    /// One call whose answer has this status, or that fails.
    static func call(
        status: Int = 200, body: String = "", error: TransportError? = nil, shows: Bool = true
    ) -> IdentityProof {
        IdentityProof(trust: .system) { identity, _ in
            TestTransport(identity: shows ? identity : nil, status: status, body: body, error: error)
        } _: { transport in
            _ = try await transport.send(ClientRequest(try Endpoint("https://service.example/")))
        }
    }
}
