import Signet
import Testing

@testable import SignetCommand

@Suite struct ReportLinesTests {
    @Test func aReportIsReadable() {
        var report = ExchangeReport()
        report.connection.number = 1
        report.connection.remoteAddress = "127.0.0.1:8443"
        report.connection.httpVersion = "2"
        report.connection.establishment = .microseconds(12_340)
        report.duration = .milliseconds(1500)
        report.connection.nameResolution = .microseconds(1_230)
        report.legs = [
            .init(status: 401, challenges: ["Digest", "Basic"]), .init(status: 200, authorization: "Basic"),
        ]
        #expect(
            report.lines == [
                "connection 1 to 127.0.0.1:8443, opened in 12.3 ms (name 1.2 ms), HTTP/2",
                "plain HTTP: an attacker on the network could read and change the messages",
                "HTTP 401 (asks for Digest, Basic), then 200 after sending Basic credentials; 1500.0 ms in all",
            ])
        var tls = ExchangeReport.TLS()
        tls.version = "TLS 1.3"
        tls.cipherSuite = "TLS_AES_128_GCM_SHA256"
        tls.certificationPath = ["CN=a", "CN=b"]
        report.connection.tls = tls
        report.connection.handshake = .milliseconds(8)
        #expect(report.lines.first?.contains("(name 1.2 ms, TLS 8.0 ms)") == true)
        report.connection.reused = true
        #expect(report.lines.contains("the server proved: CN=a ← CN=b"))
        #expect(report.lines.contains("the client proved: nothing, because the server did not ask"))
        #expect(report.lines.first?.hasSuffix("used before, HTTP/2") == true)
        report.connection.tls?.clientCertificateRequested = true
        #expect(report.lines.contains("the client proved: nothing, although the server asked"))
        report.connection.tls?.clientCertificate = "CN=device"
        #expect(report.lines.contains("the client proved: CN=device"))
    }

    @Test func failuresShowTheKnownPartsOfTheReport() throws {
        let endpoint = try Endpoint("http://127.0.0.1:8443/")
        var report = ExchangeReport()
        func lines() -> [String] {
            ExchangeOutcome(
                operation: "Ask", endpoint: endpoint, result: .failure(TransportError(.readTimeout, "")),
                report: report
            ).lines
        }
        #expect(lines().isEmpty)
        report.connection.number = 1
        report.duration = .milliseconds(20)
        #expect(lines().count == 3)
        #expect(lines().last == "no answer; 20.0 ms in all")
    }

    @Test func causesAreNamedWhenAskedFor() {
        let cause = TransportError(.tlsHandshakeFailed, "inner \u{1B}[2J")
        let error = AuthenticationError(.sourceFailed, "outer", cause: cause)
        #expect(FailureLines.lines(error, isVerbose: false) == ["outer"])
        #expect(
            FailureLines.lines(error, isVerbose: true) == [
                "outer", "code: AuthenticationError.sourceFailed", #"caused by: inner \u{1B}[2J"#,
            ])
    }

    @Test func logsAreLines() {
        let lines = TraceLog.lines(
            .trace, "request", ["message": "<a>\n\u{1B}</a>", "bytes": "12", "operation": "Ask"])
        #expect(lines == ["trace: request bytes=12 operation=Ask", "<a>\n\\u{1B}</a>"])
    }
}
