import Foundation
import GreetingService
import Logging
import SignetSOAP
import SignetServer
import SignetTLS
import SignetTesting
import TestSupport
import Testing

/// What the log shows to the operator: one line for each event, at the level it deserves, in the server's words.
@Suite(.timeLimit(.minutes(5))) struct LogTests {
    private struct Failure: Error {}

    /// The lines that the server wrote, or those of them that the usual level shows.
    private static func lines(_ logs: LogCollector, isUsual: Bool = true) -> [String] {
        logs.text.split(separator: "\n").map(String.init).filter { line in
            !line.contains("Server started") && !line.hasPrefix("notice our certificate")
                && !(isUsual && (line.hasPrefix("debug") || line.hasPrefix("trace")))
        }
    }

    /// The value of a key in a line.
    private static func value(_ key: String, _ line: String?) -> String? {
        line?.firstRange(of: "\"\(key)\": ").map { range in
            String((line ?? "")[range.upperBound...].prefix { $0 != "," && $0 != "]" })
        }
    }

    @Test(arguments: [true, false], ["Greet", "Wave"])
    func aFailingHandlerIsOneLogLine(isServers: Bool, operation: String) async throws {
        let logs = LogCollector()
        var dispatcher = ServiceDispatcher(
            name: "Greeting", versions: [.soap11],
            routes: [
                Greeting.greet.route { _, context in
                    #expect(!context.requestID.isEmpty)
                    throw Failure()
                }, Greeting.wave.route { _, _ in throw Failure() },
            ])
        if !isServers { dispatcher.logger = logs.logger }
        try await withPlainServer(dispatcher, { if isServers { $0.logger = logs.logger } }) { url async throws in
            _ = try await Curl()(url, Greeting.posting(Greeting.envelope("Ada", operation: operation)))
        }
        let lines = Self.lines(logs)
        #expect(lines.count == 1, "\(lines)")
        #expect(lines.first?.hasPrefix("error a handler failed") == true)
        #expect(lines.first?.contains("Failure") == true)
        #expect(Self.value("operation", lines.first) == operation)
        #expect(Self.value("peer", lines.first)?.hasPrefix("127.0.0.1:") == true)
        let answered = Self.lines(logs, isUsual: false).first { $0.contains("answered") }
        #expect(Self.value("request", lines.first) != nil)
        #expect(Self.value("request", lines.first) == Self.value("request", answered))
    }

    @Test func routineRefusalsAreLoggedAtDebugOnly() async throws {
        let logs = LogCollector()
        try await withPlainServer(Greeting.dispatcher, { $0.logger = logs.logger }) { url async throws in
            let curl = try Curl()
            let post = Greeting.posting(Greeting.envelope("Ada"))
            #expect(try await curl(url + "/admin.php", post).status == 404)
            #expect(try await curl(url, ["--request", "PUT"]).status == 405)
            #expect(try await curl(url, Greeting.posting("a=b", contentType: "text/plain")).status == 415)
        }
        #expect(Self.lines(logs).isEmpty, "\(Self.lines(logs))")
        #expect(Self.lines(logs, isUsual: false).count { $0.hasPrefix("debug refused") } == 3)
    }

    /// Does something to a server that demands certificates; gives what it logs.
    private func log(
        _ clients: ((TrustPolicy) -> ClientAdmission)? = nil, _ body: (TestServer, Curl) async throws -> Void
    ) async throws -> LogCollector {
        let logs = LogCollector()
        var settings = SOAPServer.Settings()
        settings.logger = logs.logger
        let curl = try Curl()
        try await TestServer.run(clients: clients, settings: settings) { test async throws in
            try await body(test, curl)
            // What a client has sent before it left is dealt with before the server ends.
            let start = ContinuousClock.now
            while !Self.lines(logs, isUsual: false).contains(where: { !$0.hasPrefix("trace") }),
                .now - start < .seconds(60)
            { try await Task.sleep(for: .milliseconds(20)) }
        }
        // Nothing of another library: no files, no numbers of errors.
        for word in ["boringssl", "openssl", "nioerror", "niossl", ".cc", "error:", "sslerror"] {
            #expect(!logs.text.lowercased().contains(word), "\(logs.text)")
        }
        return logs
    }

    @Test(arguments: ["1.2", "1.3"]) func aClientWithoutACertificateIsALine(version: String) async throws {
        let logs = try await log { test, curl async throws in
            let arguments = try curl.trusting(test.authority) + ["--tls-max", version]
            #expect(try await curl(test.url, arguments + Greeting.posting(Greeting.envelope("Ada"))).status == 0)
        }
        let lines = Self.lines(logs)
        #expect(lines.count == 1, "\(lines)")
        #expect(lines.first?.hasPrefix("notice client without a certificate refused") == true, "\(lines)")
    }

    /// With TLS 1.3, OpenSSL sends its alert in a form that BoringSSL cannot read.
    @Test(arguments: ["1.2", "1.3"]) func aClientThatRefusesTheServerIsOneLogLine(version: String) async throws {
        let logs = try await log { test, curl async throws in
            #expect(try await curl(test.url, ["--tls-max", version]).exit == 60)
        }
        let lines = Self.lines(logs)
        #expect(lines.count == 1, "\(lines)")
        #expect(lines.first?.hasPrefix("info TLS handshake failed") == true, "\(lines)")
        if version == "1.2" { #expect(lines.first?.contains("unknown_ca") == true, "\(lines)") }
    }

    @Test func anUntrustedClientCertificateIsOneLogLine() async throws {
        let logs = try await log { test, curl async throws in
            let stranger = try CertificateAuthority().issueClient()
            _ = try await curl(test.url, curl.trusting(test.authority) + curl.showing(stranger))
        }
        let lines = Self.lines(logs)
        #expect(lines.count == 1, "\(lines)")
        #expect(lines.first?.hasPrefix("notice client certificate refused") == true)
    }

    @Test func noTLSAndNoGoodbyeAreNoNews() async throws {
        let logs = try await log({ _ in .noCertificateRequested }) { test, curl async throws in
            // curl 56 or 52: it gets no answer.
            #expect(try await curl("http://localhost:\(test.port)/soap", []).status == 0)
            for bytes in [[0x16], [0x16, 3, 1, 0, 5, 1, 2, 3, 4, 5], Array("hello\r\n\r\n".utf8)] as [[UInt8]] {
                let client = try FileHandle.connected(to: test.port)
                client.offer(bytes)
                try client.close()
            }
            for _ in 0..<2 { _ = try await IdleClient(test.port, Wire.request("Ada")) }
            // Connections are dealt with in any order: one more that is answered comes behind some of them.
            try await Task.sleep(for: .milliseconds(200))
        }
        #expect(Self.lines(logs).isEmpty, "\(Self.lines(logs))")
        let ended = Self.lines(logs, isUsual: false).filter { $0.hasPrefix("debug connection ended") }
        #expect(ended.count { $0.contains("without close_notify") } <= 2, "\(ended)")
        #expect(ended.count <= 6, "\(ended)")
    }
}
