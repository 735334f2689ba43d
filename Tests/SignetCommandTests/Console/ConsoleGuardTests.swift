#if CommandLine
import HTTPTypes
import Testing

@testable import SignetCommand

@Suite struct ConsoleGuardTests {
    private let guardian = ConsoleGuard(port: 8600, token: "0123456789abcdef")

    private func path(
        _ path: String, _ method: HTTPRequest.Method = .get, host: String? = "127.0.0.1:8600",
        _ fields: [String: String] = [:]
    ) throws(ConsoleGuard.Refusal) -> Substring {
        var request = HTTPRequest(method: method, scheme: "http", authority: host, path: path)
        for (name, value) in fields { if let name = HTTPField.Name(name) { request.headerFields[name] = value } }
        return try guardian.path(of: request)
    }

    @Test func thePageIsServed() throws {
        #expect(try path("/0123456789abcdef/") == "")
        #expect(try path("/0123456789abcdef/console.js", host: "LOCALHOST:8600") == "console.js")
        #expect(try path("/0123456789abcdef/api/operation?port=0", host: "[::1]:8600") == "api/operation")
        #expect(try path("/0123456789abcdef/", .get, ["Sec-Fetch-Site": "none"]) == "")
        let fields = [
            "Content-Type": "application/json; charset=utf-8", "Origin": "http://127.0.0.1:8600",
            "Sec-Fetch-Site": "same-origin",
        ]
        #expect(try path("/0123456789abcdef/api/call", .post, fields) == "api/call")
    }

    @Test(arguments: [
        nil, "", "evil.example", "evil.example:8600", "127.0.0.1", "127.0.0.1:8601", "127.0.0.1:8600.evil.example",
    ])
    func namesOfOthersAreRefused(host: String?) {
        #expect(throws: ConsoleGuard.Refusal.misdirected) { try path("/0123456789abcdef/", host: host) }
    }

    @Test(arguments: [
        "/", "", "/api/service", "/0123456789abcdef", "/0123456789abcdeX/", "/0123456789ABCDEF/", "//0123456789abcdef/",
        "/?/0123456789abcdef/", "/0123456789abcde/", "/0123456789abcdef%2F",
    ])
    func withoutTheTokenNothingIsServed(wrong: String) {
        #expect(throws: ConsoleGuard.Refusal.unknownPath) { try path(wrong) }
    }

    @Test(arguments: [
        ("Origin", "http://evil.example"), ("Origin", "null"), ("Origin", "https://127.0.0.1:8600"),
        ("Origin", "http://localhost:8600"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"),
    ])
    func otherPagesAreRefused(name: String, value: String) {
        #expect(throws: ConsoleGuard.Refusal.otherSite) {
            try path("/0123456789abcdef/api/service", .get, [name: value])
        }
    }

    @Test func formsOfOtherPagesAreRefused() {
        for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""] {
            #expect(throws: ConsoleGuard.Refusal.mediaType) {
                try path("/0123456789abcdef/api/call", .post, ["Content-Type": type])
            }
        }
        #expect(throws: ConsoleGuard.Refusal.method) { try path("/0123456789abcdef/", .put) }
    }

    @Test func tokensAreLongAndDifferent() {
        let tokens = (0..<20).map { _ in ConsoleGuard.newToken() }
        #expect(Set(tokens).count == 20)
        #expect(tokens.filter { $0.wholeMatch(of: #/[0-9a-f]{32}/#) == nil } == [])
    }
}
#endif
