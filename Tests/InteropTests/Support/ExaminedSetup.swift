import Foundation
import Signet
import SignetDiagnosis
import SignetDoctor
import TestSupport
import Testing

/// A connection that is examined, and what must be found first.
struct ExaminedSetup: CustomTestStringConvertible {
    /// The code of the most likely cause; nil for a connection in which no finding stands above a notice.
    let expected: String?
    let url: String
    /// The authorities of the server.
    var anchors = CertificateBundle([])
    /// What the client shows.
    var identity: Identity?
    /// Whether calls work all the same, so that the finding is a warning.
    var isServed = false
    var ports: [PortFacts] = []
    /// The address of a WSDL.
    var document: String?
    /// How far our clock is ahead, in seconds.
    var clockDifference: Int64 = 0
    /// How long each connection may take.
    var stepLimit = Duration.seconds(12)
    var change: (inout ConnectionConfiguration) throws -> Void = { _ in }

    var testDescription: String { "\(expected ?? "healthy") \(url) \(identity?.leaf.subject ?? "no identity")" }

    func examine() async throws -> DoctorReport {
        let endpoint = try Endpoint(url)
        var connection = ConnectionConfiguration()
        if endpoint.origin.scheme == .https { connection.trust = .anchors(anchors) }
        try change(&connection)
        let isLate = connection.allowsIdentityInRenegotiation
        var examination = Examination(of: endpoint, connection) { [clockDifference] in
            Int64(Date().timeIntervalSince1970) + clockDifference
        }
        examination.ports = ports
        examination.document = try document.map { try Endpoint($0) }
        examination.stepLimit = stepLimit
        if let identity { examination.use(identity, isShownLate: isLate) }
        return DoctorReport(of: endpoint, try await examination.run().facts)
    }

    /// - Returns: the report, for more expectations.
    @discardableResult
    func check() async throws -> DoctorReport {
        let report = try await examine()
        let found = report.diagnosis.findings.map { "\($0.severity) \($0.code)" }
        if isServed {
            #expect(found.first == expected.map { "warning \($0)" }, "\(testDescription): \(found)")
            return report
        }
        #expect(report.diagnosis.mostLikely.map { "\($0.code)" } == expected, "\(testDescription): \(found)")
        if expected == nil {
            #expect(report.diagnosis.findings.allSatisfy { $0.severity == .notice }, "\(testDescription): \(found)")
        }
        return report
    }
}

extension OpenSSL {
    /// `openssl s_server` in this folder, which answers with a page about the connection.
    ///
    /// - Parameters:
    ///   - options: more options, separated by blanks.
    ///   - certificate: shows `certificate.pem`, whose key is in `certificate.key`.
    func serve(_ options: String = "", certificate: String = "server") throws -> OpenSSLServer {
        try OpenSSLServer(
            [
                "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", "\(certificate).pem", "-key",
                "\(certificate).key",
            ] + options.split(separator: " ").map(String.init), in: folder)
    }

    func bundle(_ name: String) throws -> CertificateBundle { try CertificateBundle(pem: bytes("\(name).pem")) }

    /// The identity in `name.pem` and `name.key`.
    func identity(_ name: String) throws -> Identity {
        try Identity(pem: bytes("\(name).pem"), privateKey: bytes("\(name).key"))
    }

    /// A certificate `name.pem` for a key `name.key` of any kind.
    ///
    /// - Parameters:
    ///   - extensions: in OpenSSL's notation.
    ///   - key: what `openssl req` takes for `-newkey`.
    ///   - digest: of the signature.
    func issue(
        _ name: String, by issuer: String, _ extensions: String, key: String, digest: String = "sha256"
    ) throws {
        try write(extensions, "\(name).cnf")
        try self("req -new -nodes -newkey \(key) -subj /CN=\(name) -keyout \(name).key -out \(name).csr")
        try self(
            "x509 -req -in \(name).csr -CA \(issuer).pem -CAkey \(issuer).key -CAserial serials.txt -CAcreateserial -days 90 -\(digest) -extfile \(name).cnf -out \(name).pem"
        )
    }
}
