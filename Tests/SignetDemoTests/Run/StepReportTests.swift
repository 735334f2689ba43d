import Signet
import Testing

@testable import SignetDemo

@Suite struct StepReportTests {
    @Test func reportNamesTheCertificatesOfBothSides() {
        var report = ExchangeReport()
        var tls = ExchangeReport.TLS()
        tls.version = "TLS 1.3"
        tls.cipherSuite = "TLS_AES_128_GCM_SHA256"
        tls.certificationPath = ["CN=server", "CN=authority"]
        tls.clientCertificate = "CN=device"
        report.connection.tls = tls
        report.connection.number = 2
        report.connection.establishment = .microseconds(12_340)
        report.legs = [.init(status: 401), .init(status: 200, authorization: "Basic")]
        report.duration = .milliseconds(20)
        var step = StepReport(title: "")
        step.say(report)
        #expect(
            step.lines == [
                "  TLS 1.3, TLS_AES_128_GCM_SHA256, connection 2, opened in 12.3 ms",
                "  the server proved: CN=server  ←  CN=authority",
                "  the client proved: CN=device",
                "  HTTP 401, then 200 after sending Basic credentials; 20.0 ms in all",
            ])
    }

    @Test func tablesAreAligned() throws {
        let entry = WebEase.LogEntry(
            id: 7, patientId: "p", entryDate: try #require(XSDDate.init("2026-01-01")),
            recordedAt: try #require(XSDDateTime.init("2026-01-01T00:00:00Z")), systolic: 120, diastolic: 80,
            weight: try #require(XSDDecimal.init("80.5")), flagged: true, note: .null, kind: .unrecognized("Dreamt"),
            tag: ["a", "b"],
            revision: 3)
        let lines = EntryTable.lines([entry])
        #expect(lines.count == 3)
        #expect(Set(lines.map(\.count)).count == 1)
        #expect(lines[2].contains("7   2026-01-01  120/80  –      80.5  Dreamt  yes   a, b  (taken back)  3"))
    }
}
