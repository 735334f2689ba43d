import SignetAuthentication
import Testing

/// The parts of the runner for curl's cases, on cases made up here.
struct CurlRunnerTests {
    private static let made = """
        <testcase>
        <info>
        <keywords>
        made up
        </keywords>
        </info>
        # A remark
        <reply>
        <!-- and another,
        <data> in it -->
        <data crlf="headers">
        HTTP/1.1 401 Who swsbounce
        WWW-Authenticate: Digest realm="there", nonce="%repeat[3 x ab]%"
        Content-Length: 6

        hello
        </data>
        <data1 nonewline="yes">
        HTTP/1.1 200 Fine
        Content-Length: 2

        %hex[%41%42]hex%
        </data1>
        <data1000 base64="yes">
        T0s=
        </data1000>
        </reply>
        <client>
        <server>
        http
        </server>
        %if digest
        <name>
        with Digest
        </name>
        %else
        <name>
        without
        </name>
        %endif
        <features>
        digest
        !SSPI
        </features>
        <command>
        http://%HOSTIP:%HTTPPORT/%TESTNUMBER -u "me:it is" --digest
        </command>
        </client>
        <verify>
        <errorcode>
        22,56
        </errorcode>
        <protocol crlf="headers">
        POST /%TESTNUMBER HTTP/1.1
        Host: %HOSTIP:%HTTPPORT
        Authorization: NTLM %b64[NTLMSSP%00%01%00%00%00]b64%
        Content-Length: 0

        POST /%TESTNUMBER HTTP/1.1
        Content-Length: 4

        bodyGET /%TESTNUMBER0002 HTTP/1.1
        Authorization: Digest username="a\\"b", qop=auth, nc=00000001

        [DISCONNECT]
        </protocol>
        </verify>
        </testcase>
        """

    private func made(_ change: (String) -> String = { $0 }) -> CurlCase {
        CurlCase(
            number: 77, source: Array(change(Self.made).utf8), variables: ["HOSTIP": "127.0.0.1", "HTTPPORT": "81"],
            features: CurlPlan.features)
    }

    private func request(_ text: String) throws -> CurlRequest {
        try #require(CurlRequest.all(in: Array((text + "\r\n\r\n").utf8)).first)
    }

    @Test func aCaseIsRead() throws {
        let test = made()
        #expect(test.name == "with Digest")
        #expect(test.command == #"http://127.0.0.1:81/77 -u "me:it is" --digest"#)
        #expect(test.errorCodes == [22, 56])
        #expect(test.features == ["digest", "!SSPI"])
        #expect(Set(test.replies.map(\.name)) == ["data", "data1", "data1000"])
        let first = String(latin1: try #require(test.sections["reply/data"]).bytes)
        #expect(first.hasPrefix("HTTP/1.1 401 Who swsbounce\r\nWWW-Authenticate: "))
        #expect(first.contains(#"nonce="ababab""#))
        #expect(first.hasSuffix("Content-Length: 6\r\n\r\nhello\n"))
        let second = String(latin1: try #require(test.sections["reply/data1"]).bytes)
        #expect(second.hasSuffix("\n\nAB"))
        #expect(test.sections["reply/data1000"]?.bytes == Array("OK".utf8))
    }

    @Test func requestsAreRead() throws {
        let requests = CurlRequest.all(in: try #require(made().protocolText))
        #expect(requests.map(\.method) == ["POST", "POST", "GET"])
        #expect(requests.map(\.target) == ["/77", "/77", "/770002"])
        #expect(requests.first?.authorization?.messageType == 1)
        #expect(requests.last?.authorization?.parameters == ["username": "a\"b", "qop": "auth", "nc": "00000001"])
        // The second one brings what the first held back.
        #expect(CurlComparison.expected(made())?.requests.map(\.method) == ["POST", "GET"])
    }

    @Test func repliesFollowTheCredentials() throws {
        var replies = CurlReplies(made())
        let first = replies.answer(to: try request("GET /77 HTTP/1.1"))
        #expect(first.bytes.starts(with: Array("HTTP/1.1 401".utf8)) && !first.closes)
        // It says that the next part follows; its head gets the ends of lines that it should have.
        let second = replies.answer(to: try request("GET /77 HTTP/1.1\r\nauthorization: Digest a=b"))
        #expect(second.bytes == Array("HTTP/1.1 200 Fine\r\nContent-Length: 2\r\n\r\nAB".utf8))
        let third = replies.answer(to: try request("GET http://a/77 HTTP/1.1\r\nproxy-authorization: Digest a=b"))
        #expect(third.bytes == Array("OK".utf8))
        // What is closed is said to be closed, but not in the head of an interim answer.
        let interim = Array("HTTP/1.1 100 On\n\nHTTP/1.1 401 Who\nA: b\n\nc\n".utf8)
        #expect(
            String(latin1: CurlReplies.terminated(interim, closes: true))
                == "HTTP/1.1 100 On\r\n\r\nHTTP/1.1 401 Who\r\nConnection: close\r\nA: b\r\n\r\nc\n")
        let fourth = replies.answer(to: try request("GET /770003 HTTP/1.1"))
        #expect(fourth.missing == "data3" && fourth.closes)
        let tunnel = replies.answer(to: try request("CONNECT host.77:443 HTTP/1.1"))
        #expect(tunnel.missing == "connect")
    }

    @Test func challengesOfVersion1AreReplaced() {
        var old = Array("NTLMSSP\0".utf8) + [2, 0, 0, 0]
        old += [UInt8](repeating: 0, count: 8)
        // Flags without Unicode and without target information, and the server's nonce.
        old += [6, 0x82, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8]
        let line = "NTLM \(Self.base64(old))"
        let new = String(latin1: CurlReplies.modern(Array(line.utf8)))
        #expect(new != line)
        #expect(CurlReplies.modern(Array(new.utf8)) == Array(new.utf8))
        #expect(CurlAuthorization(new).messageType == 2)
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let hexadecimal = bytes.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let source = CurlSource(variables: [:], features: [])
        return source.lines(Array("%b64[\(hexadecimal)]b64%".utf8)).joined()
    }

    @Test func aCommandIsSplitAsByAShell() throws {
        #expect(try CurlCommand.words(#"a 'b  c' "d\"e\f" g\ h"" ''"#) == ["a", "b  c", #"d"e\f"#, "g h", ""])
        #expect(throws: NotApplicable.self) { try CurlCommand.words("a 'b") }
    }

    @Test func optionsAreRead() throws {
        let command = try CurlCommand(
            "-sSu me:a:b http://a/1 --proxy=http://p:1 -Lfd one -d two --next -T log/x http://a/2/ --anyauth",
            file: { $0 == "log/x" ? [1] : nil })
        let (first, second) = (try #require(command.operations.first), try #require(command.operations.last))
        #expect(first.login.user == "me" && first.login.password == "a:b")
        #expect(first.proxy == "http://p:1" && first.follows && first.failsOnError)
        #expect(first.effectiveMethod == "POST" && first.body == Array("one&two".utf8))
        #expect(second.effectiveMethod == "PUT" && second.login.isAny && second.login.user == nil)
        #expect(throws: NotApplicable.self) { try CurlCommand("--netrc http://a/", file: { _ in nil }) }
        #expect(throws: NotApplicable.self) { try CurlCommand("--no-such-thing http://a/", file: { _ in nil }) }
    }

    @Test func aPlanRefusesUnsupportedCases() throws {
        #expect(try CurlPlan(made()).passwords == ["me": "it is"])
        for (old, new) in [
            ("\nhttp\n", "\nftp\n"), ("!SSPI", "SSPI"), ("http://%", "https://%"), ("/%TESTNUMBER -u", "/a^b -u"),
            ("--digest", "--http2"), ("--digest", "-x socks5://%HOSTIP:1"), ("--digest", "--negotiate"),
            ("--digest", "-p -x %HOSTIP:1"), ("%HTTPPORT/", "%OTHERPORT/"),
        ] {
            #expect(throws: NotApplicable.self, "\(new)") { try CurlPlan(made { $0.replacing(old, with: new) }) }
        }
        let other = try CurlPlan(
            made {
                $0.replacing("http://%HOSTIP", with: "http://m%65:s@%HOSTIP").replacing("-u \"me:it is\"", with: "")
            })
        #expect(other.passwords == ["me": "s"])
    }

    @Test func differencesAreReported() throws {
        func digest(_ response: String) throws -> CurlRequest {
            try request(
                "GET /1 HTTP/1.1\r\nauthorization: Digest "
                    + #"username="u", realm="r", nonce="n", uri="/1", response="\#(response)""#)
        }
        let (expected, actual) = (try digest("1f"), try digest("2e"))
        let comparison = CurlComparison(expected: [expected], actual: [actual], passwords: ["u": "p"])
        #expect(comparison.differences == ["request 1: Digest's response differs"])
        let none = try request("GET /1 HTTP/1.1")
        #expect(CurlComparison(expected: [none], actual: [none], passwords: [:]).differences.isEmpty)
        #expect(CurlComparison(expected: [none, none], actual: [none], passwords: [:]).differences.count == 1)
        #expect(
            CurlComparison(expected: [none], actual: [actual], passwords: [:]).differences
                == ["request 1: digest is sent, and nothing by curl"])
    }

    @Test func rememberedChallengesMaySkipARequest() throws {
        let asked = ["1", "2"].flatMap { ["GET /\($0) HTTP/1.1", "GET /\($0) HTTP/1.1\r\nAuthorization: Basic eDp5"] }
        let expected = try asked.map(request)
        let actual = Array(expected[..<2] + expected[3...])
        let remembered = CurlComparison(expected: expected, actual: actual, passwords: [:])
        #expect(remembered.differences.isEmpty && remembered.remembering.leavesOut)
        let same = CurlComparison(expected: expected, actual: expected, passwords: [:])
        #expect(same.differences.isEmpty && !same.remembering.leavesOut)
        // Unasked the first time, it is another matter.
        let unasked = CurlComparison(expected: expected, actual: Array(expected[1...]), passwords: [:])
        #expect(!unasked.differences.isEmpty)
    }
}
