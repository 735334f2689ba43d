import CorpusFiles
import Foundation
import Signet
import SignetDynamic
import SignetWSSecurity
import Synchronization
import Testing

#if CORPUS
import CorpusServices
#endif

/// Reports as jobs, as the old Omniture service makes them: messages in SOAP's encoding, a UsernameToken with a digest
/// in their header. PHP serves them from the service's own WSDL, and checks digests and types by itself.
@Suite(.serialized, .enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
struct OmniturePeerTests {
    #if CORPUS
    private static let user = "ada:Example & Co"
    private static let password = "shäred sëcret"

    /// What a job was given up for, by the service.
    private struct ReportFailure: Error {
        var code: String
        var message: String
    }

    private static var polling: Polling {
        var polling = Polling(every: .milliseconds(5), upTo: .milliseconds(50), deadline: .seconds(600))
        // The service tells the client to wait a second.
        polling.longestRetryAfter = .milliseconds(20)
        return polling
    }

    private static func description(_ suite: String) -> Omniture.ReportDescription {
        .init(
            reportSuiteID: suite, dateFrom: "2026-11-01", dateTo: "2026-11-03", dateGranularity: .day,
            metrics: .init([.init(id: "pageviews"), .init(id: "visits & <more>")]),
            elements: .init([.init(id: "page", top: 2, selected: .init(["Grüße", "a < b"]))]), locale: .deDE)
    }

    private static func json(_ suite: String) -> String {
        """
        {"reportDescription": {"reportSuiteID": "\(suite)", "date": null, "dateFrom": "2026-11-01", "dateTo": "2026-11-03", \
        "dateGranularity": "day", "metrics": [{"id": "pageviews", "segment": null, "segmentID": null}], "sortBy": null, \
        "elements": null, "locale": "de_DE", "segment_id": null}}
        """
    }

    private func serve(_ body: (_ url: String, _ wsdl: URL) async throws -> Void) async throws {
        let wsdl = try Corpus.file("wsdl/omniture-admin/OmnitureAdminServices.wsdl")
        try await PHPService(script: "omniture_server.php", wsdl: wsdl).run { port in
            try await body("http://127.0.0.1:\(port)/admin/1.3/", wsdl)
        }
    }

    private func configuration(
        _ url: String, _ token: UsernameToken? = .init(.digest, user: Self.user, password: Self.password)
    ) throws -> ServiceConfiguration {
        var configuration = try ServiceConfiguration(Omniture.Ports.omnitureWebServicePort, address: url)
        configuration.headerProviders = token.map { [SecurityHeader($0)] } ?? []
        return configuration
    }

    private func typed(_ url: String, _ body: (Omniture.Client) async throws -> Void) async throws {
        let client = Omniture.Client(try configuration(url))
        try await body(client)
        try await client.shutdown()
    }

    private func dynamic(_ url: String, _ wsdl: URL, _ body: (DynamicClient) async throws -> Void) async throws {
        let service = try DynamicService(contentsOfFile: wsdl.path(percentEncoded: false))
        let client = DynamicClient(service, ServiceCaller(try configuration(url)))
        try await body(client)
        try await client.caller.transport.shutdown()
    }

    /// Queues a report, and waits for it.
    private func report(
        _ omniture: Omniture.Client, _ suite: String, _ polling: Polling = Self.polling,
        onProgress: @escaping @Sendable (Omniture.ReportStatus) async -> Void = { _ in }
    ) async throws -> Omniture.ReportResponse {
        let queued = try #require(
            try await omniture.reportQueueOvertime(.init(reportDescription: Self.description(suite))).return)
        #expect(queued.status == "queued")
        #expect(queued.statusMsg == "Your report has been queued")
        let status = try await polling.run {
            try #require(try await omniture.reportGetStatus(.init(reportID: queued.reportID)).return)
        } state: { status in
            switch status.status {
            case "done": .done
            case "failed": .failed(ReportFailure(code: status.errorCode, message: status.errorMsg))
            default: .pending()
            }
        } onProgress: {
            await onProgress($0)
        }
        #expect(status.resultSize == 3)
        return try #require(try await omniture.reportGetReport(.init(reportID: queued.reportID)).return)
    }

    // MARK: From the queue to the result

    @Test func typedJob() async throws {
        try await serve { url, _ in
            try await typed(url) { omniture in
                let seen = Mutex<[String]>([])
                let answer = try await report(omniture, "example") { status in
                    seen.withLock { $0.append(status.status) }
                }
                #expect(seen.withLock { $0 } == ["queued", "running"])
                #expect(answer.status == "done")
                let report = try #require(answer.report)
                #expect(report.reportSuite == .init(id: "example", name: "Beispiel & Söhne"))
                #expect(report.period == "2026-11-01 – 2026-11-03")
                #expect(report.type == .overtime)
                #expect(report.metrics?.items.map(\.?.id) == ["pageviews", "visits & <more>"])
                #expect(report.metrics?.items.map(\.?.type) == [.number, .number])
                #expect(report.elements?.items.map(\.?.name) == ["Page"])
                let rows = try #require(report.data?.items.compactMap { $0 })
                #expect(rows.map(\.name) == ["Sun 1.11.2026", "Mon 2.11.2026", "Tue 3.11.2026"])
                #expect(rows.map(\.day) == [1, 2, 3])
                #expect(rows[1].counts?.items == [200, 200.25])
                #expect(rows[1].breakdown?.items.map(\.?.name) == ["Grüße", "a < b"])
                #expect(rows[1].breakdown?.items.first??.breakdown == nil)
                #expect(report.totals?.items == [600, 600.75])
            }
        }
    }

    @Test func dynamicJob() async throws {
        try await serve { url, wsdl in
            try await dynamic(url, wsdl) { omniture in
                let queued = try await omniture.call(
                    "Report.QueueOvertime", try DynamicValue(json: Self.json("example")))["return"]
                #expect(queued?["status"] == "queued")
                let id = try #require(queued?["reportID"])
                let seen = Mutex<[DynamicValue?]>([])
                let answer = try await Self.polling.run {
                    try await omniture.call("Report.GetReport", ["reportID": id])["return"] ?? .null
                } state: { answer in
                    answer["status"] == "done" ? .done : .pending()
                } onProgress: { answer in
                    seen.withLock { $0.append(answer["report"]) }
                }
                #expect(seen.withLock { $0 } == [.null, .null])
                let object = try JSONSerialization.jsonObject(with: Data(answer.json().utf8))
                let dictionary = try #require(object as? [String: Any])
                let report = try #require(dictionary["report"] as? [String: Any])
                #expect((report["reportSuite"] as? [String: String])?["name"] == "Beispiel & Söhne")
                let rows = try #require(report["data"] as? [[String: Any]])
                #expect(rows.map { $0["name"] as? String } == ["Sun 1.11.2026", "Mon 2.11.2026", "Tue 3.11.2026"])
                #expect(rows.map { $0["counts"] as? [Double] } == [[100], [200], [300]])
                #expect(rows.map { $0["breakdown"] is NSNull } == [true, true, true])
                #expect(report["totals"] as? [Double] == [600])
            }
        }
    }

    @Test func jobOfTheCommand() async throws {
        try await serve { url, wsdl in
            var signet = try SignetProgram(wsdl)
            try signet.files.write(Self.password, as: "password")
            signet.options = [
                "--endpoint", url, "--wss-user", Self.user, "--wss-password-file", signet.files.path("password"),
            ]
            let queued = try await signet.answer("Report.QueueOvertime", json: Self.json("example"))["return"]
            #expect(queued["status"].text == "queued")
            let id = try #require(queued["reportID"].number)
            var answer = try await signet.answer("Report.GetReport", ["--set", "reportID=\(id)"])["return"]
            for _ in 0..<2 {
                #expect(answer["status"].text != "done")
                answer = try await signet.answer("Report.GetReport", ["--set", "reportID=\(id)"])["return"]
            }
            #expect(answer["status"].text == "done")
            #expect(answer["report"]["data"][2]["counts"][0].number == 300, "\(answer)")

            try signet.files.write("wrong", as: "password")
            let refused = try await signet.call("Report.GetReport", ["--set", "reportID=\(id)"])
            #expect(refused.status == 1)
            #expect(refused.error.contains("FailedAuthentication"), "\(refused)")
            #expect(!refused.error.contains("wrong"))
        }
    }

    @Test func theClientListsTheCompanysReportSuites() async throws {
        try await serve { url, wsdl in
            try await typed(url) { omniture in
                let types = Omniture.StringArray(["standard", "roll<up>"])
                let found = try await omniture.companyGetReportSuites(.init(rsTypes: types, sp: "B"))
                #expect(
                    found.return?.reportSuites?.items.map(\.?.siteTitle) == ["Beispiel & Söhne", "Busy", "Brief"])
                // An array of nothing is not nothing.
                let fault = await #expect(throws: SOAPFault.self) {
                    try await omniture.companyGetReportSuites(.init(rsTypes: .init([]), sp: "B"))
                }
                #expect(fault?.detailText == "no_such_type")
                let all = try await omniture.companyGetReportSuites(.init(rsTypes: nil, sp: nil))
                #expect(all.return?.reportSuites?.items.count == 5)
                let none = try await omniture.companyGetReportSuites(.init(rsTypes: nil, sp: "nothing"))
                #expect(none.return?.reportSuites?.items == [])
            }
            try await dynamic(url, wsdl) { omniture in
                let found = try await omniture.call(
                    "Company.GetReportSuites", ["rs_types": ["standard", "roll<up>"], "sp": "Söhne"])
                #expect(
                    found["return"]?["report_suites"] == [["rsid": "example", "site_title": "Beispiel & Söhne"]])
            }
        }
    }

    // MARK: Refusals

    @Test func failedAndBusyJobsAreErrors() async throws {
        try await serve { url, _ in
            try await typed(url) { omniture in
                let failure = await #expect(throws: ReportFailure.self) {
                    try await report(omniture, "failing")
                }
                #expect(failure?.code == "2017")
                #expect(failure?.message == "Zu viele Daten < 31 Tage")

                // The service forgets a report between two polls.
                let forgotten = await #expect(throws: SOAPFault.self) { try await report(omniture, "brief") }
                #expect(forgotten?.code == .client)
                #expect(forgotten?.detailText == "report_expired")

                // One that never comes.
                var impatient = Self.polling
                impatient.deadline = .seconds(2)
                let late = await #expect(throws: PollingError.self) {
                    try await report(omniture, "slow", impatient)
                }
                #expect(late?.code == .expired)
                let status = (late?.lastAnswer as? Omniture.ReportStatus)?.status
                // Where the machine is busy, not even the first poll comes back in that time.
                #expect(status.map { ["queued", "running"].contains($0) } ?? true)

                // A service that is busy for a moment is asked again.
                let patient = try await report(omniture, "busy")
                #expect(patient.status == "done")
                var hasty = Self.polling
                hasty.toleratedFailures = 0
                let busy = await #expect(throws: ServiceError.self) { try await report(omniture, "busy", hasty) }
                #expect(busy?.answer?.status == 503)
                #expect(busy?.answer?.retryAfter == .seconds(1))
            }
        }
    }

    @Test func unknownSuitesAndReportsAreFaults() async throws {
        try await serve { url, wsdl in
            try await typed(url) { omniture in
                let suite = await #expect(throws: SOAPFault.self) { try await report(omniture, "nowhere") }
                #expect(suite?.code == .client)
                #expect(suite?.reason == "There is no report suite “nowhere”.")
                #expect(suite?.detailText == "report_suite_not_found")
                let number = await #expect(throws: SOAPFault.self) {
                    try await omniture.reportGetStatus(.init(reportID: 1))
                }
                #expect(number?.detailText == "report_not_found")
            }
            try await dynamic(url, wsdl) { omniture in
                let input = try DynamicValue(json: Self.json("nowhere"))
                let suite = await #expect(throws: SOAPFault.self) {
                    try await omniture.call("Report.QueueOvertime", input)
                }
                #expect(suite?.detailText == "report_suite_not_found")
            }
        }
    }

    /// What the service says of a header, by the code of its fault.
    private func code(
        _ url: String, _ providers: [any HeaderBlockProvider], _ blocks: [HeaderBlock] = []
    ) async throws -> SOAPFault.Code? {
        var configuration = try configuration(url, nil)
        configuration.headerProviders = providers
        let omniture = Omniture.Client(configuration).with { $0.headerBlocks = blocks }
        let result: SOAPFault.Code?
        do {
            _ = try await omniture.companyGetReportSuites(.init())
            result = nil
        } catch let fault as SOAPFault { result = fault.code }
        try await omniture.shutdown()
        return result
    }

    @Test func strangersAreRefused() async throws {
        try await serve { url, _ in
            let right = SecurityHeader(.init(.digest, user: Self.user, password: Self.password))
            #expect(try await code(url, [right]) == nil)
            #expect(try await code(url, []) == .invalidSecurity)
            for (user, password) in [(Self.user, "shared secret"), ("bob:Example & Co", Self.password)] {
                let wrong = SecurityHeader(.init(.digest, user: user, password: password))
                #expect(try await code(url, [wrong]) == .failedAuthentication)
            }
            var text = SecurityHeader(.init(.text, user: Self.user, password: Self.password))
            text.allowsPlaintext = true
            #expect(try await code(url, [text]) == .unsupportedSecurityToken)

            // Yesterday's, and the same one twice.
            let clock = ServerClock()
            let newYear = try #require(XSDDateTime.init("2026-01-01T00:00:00Z"))
            #expect(clock.learn(newYear))
            let old = SecurityHeader(.init(.digest, user: Self.user, password: Self.password), clock: clock)
            #expect(try await code(url, [old]) == .messageExpired)
            var attempt = CallAttempt(operation: "", endpoint: try Endpoint(url), version: .soap11)
            attempt.isLocal = true
            let kept = try await right.headerBlocks(for: attempt)
            #expect(try await code(url, [], kept) == nil)
            #expect(try await code(url, [], kept) == .invalidSecurityToken)
        }
    }

    /// Credentials that are refused while a job is polled end the polling: they are not tried again.
    @Test func aRefusalOfCredentialsEndsThePolling() async throws {
        try await serve { url, _ in
            let polls = Mutex(0)
            var configuration = try configuration(
                url, .init(.digest) { _ in (Self.user, polls.withLock { $0 } > 1 ? "changed" : Self.password) })
            configuration.deadlines.total = .seconds(60)
            let omniture = Omniture.Client(configuration)
            let queued = try await omniture.reportQueueOvertime(.init(reportDescription: Self.description("slow")))
            let id = try #require(queued.return?.reportID)
            let fault = await #expect(throws: SOAPFault.self) {
                try await Self.polling.run {
                    polls.withLock { $0 += 1 }
                    return try await omniture.reportGetStatus(.init(reportID: id))
                } state: { _ in
                    .pending()
                }
            }
            #expect(fault?.code == .failedAuthentication)
            #expect(polls.withLock { $0 } == 2)
            try await omniture.shutdown()
        }
    }

    /// Takes something out of each message on its way.
    private struct Stripping: ClientTransport {
        let transport: any ClientTransport
        let pattern: String

        func send(_ request: ClientRequest) async throws -> ClientResponse {
            var request = request
            let text = String(decoding: request.body.bytes ?? [], as: UTF8.self)
            request.body = HTTPBody(Array(text.replacing(try Regex(pattern), with: "").utf8))
            return try await transport.send(request)
        }

        func shutdown() async throws { try await transport.shutdown() }
        func isLocal(_ origin: Origin) -> Bool { transport.isLocal(origin) }
    }

    /// The service takes no type that the message does not state: it reports each type that the client leaves out.
    @Test(arguments: [
        #" xsi:type="[^":]*:reportDescription""#, #" [^ =]*:arrayType="[^"]*""#, #"\[2\]"#,
        #" xsi:type="[^":]*:int""#,
        #" [^ =]*:encodingStyle="[^"]*""#,
    ])
    func theServiceRefusesValuesWithoutTheirTypes(pattern: String) async throws {
        try await serve { url, _ in
            try await typed(url) { omniture in
                let stripping = omniture.with {
                    $0.transport = Stripping(transport: $0.transport, pattern: pattern)
                }
                let fault = await #expect(throws: SOAPFault.self) {
                    try await stripping.reportQueueOvertime(.init(reportDescription: Self.description("example")))
                }
                #expect(fault?.reason.hasPrefix("Bad encoding: ") == true, "\(fault?.reason ?? "")")
            }
        }
    }
    #else
    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func testsAreBuiltWithTheCorpus() {
        Issue.record("The tests were built without SIGNET_CORPUS; build them anew with it.")
    }
    #endif
}
