import HTTPTypes
import SignetHTTP
import Testing

@testable import SignetDiagnosis

@Suite(.timeLimit(.minutes(5))) struct AnswerFactsTests {
    private let origin = Origin(scheme: .https, host: "service.example", port: 443)

    private func answer(
        _ status: Int, _ fields: [(String, String)] = [], _ body: String = ""
    ) throws -> AnswerFacts {
        var list = HTTPFields()
        for (name, value) in fields { list.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        let response = ClientResponse(status: .init(code: status), fields: list, body: Array(body.utf8))
        return AnswerFacts(response, method: "POST", origin: origin, at: 1_795_700_000)
    }

    @Test func theKindOfContent() throws {
        let soap = "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body/></e:Envelope>"
        let fault = """
            <e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><e:Fault><faultcode>e:Client\
            </faultcode><faultstring>no</faultstring></e:Fault></e:Body></e:Envelope>
            """
        #expect(try answer(200, [("Content-Type", "text/xml")], soap).content == .soap)
        let read = try answer(500, [("Content-Type", "text/xml")], fault)
        #expect(read.content == .fault && read.says?.contains("no") == true && read.isFromService)
        let page = try answer(
            200, [("Content-Type", "text/html")],
            "<HTML><Title lang=\"en\">Sign\n in</title><input type=\"password\"></html>")
        #expect(page.content == .html && page.says == "Sign in" && page.isLogin && !page.isFromService)
        #expect(try answer(200, [("Content-Type", "application/json")], "{}").content == .json)
        #expect(try answer(200).content == .none)
        // A title without an end, and a page cut inside of it.
        #expect(try answer(200, [], "<html><title>a").says == nil)
        #expect(try answer(200, [], "<html><title></title>").says == nil)
    }

    @Test func whatServersSayAboutCertificatesAndTLS() throws {
        let nginx = try answer(400, [], "<html><title>400</title>No required SSL certificate was sent</html>")
        #expect(nginx.certificateRemark == .missing && nginx.isRefusal && !nginx.isFromService)
        #expect(try answer(400, [], "<html>The SSL certificate error</html>").certificateRemark == .refused)
        let late = try answer(403, [], "<html>Reason: Cannot perform Post-Handshake Authentication.</html>")
        #expect(late.certificateRemark == .askedLate)
        #expect(try answer(400, [], "<html>The plain HTTP request was sent to HTTPS port</html>").wantsTLS)
    }

    @Test func challengesDatesRedirectsAndIntermediaries() throws {
        let read = try answer(
            401,
            [
                ("WWW-Authenticate", "Digest realm=\"office\", nonce=\"n\", qop=\"auth\", Basic realm=\"o\""),
                ("Date", "Thu, 26 Nov 2026 20:33:20 GMT"), ("Via", "1.1 proxy"), ("Server", "awselb/2.0"),
            ])
        #expect(read.challenges == [.init("Digest", realm: "office"), .init("Basic", realm: "o")])
        #expect(read.date == 1_795_725_200 && read.receivedAt == 1_795_700_000)
        #expect(read.intermediaries == ["server: awselb", "via"])
        #expect(try answer(302, [("Location", "https://login.example/a?b")]).redirectOrigin == "https://login.example")
        #expect(try answer(302, [("Location", "https://service.example/a")]).redirectOrigin == nil)
        #expect(try answer(302, [("Location", "/login")]).redirectOrigin == nil)
        #expect(ChallengeFacts.all(["\""]).isEmpty)
        #expect(!ChallengeFacts("Hawk").isSupported && ChallengeFacts("ntlm").isSupported)
    }

    @Test func noSecretGetsIn() throws {
        let canary = "s3cret-c4nary"
        let read = try answer(
            401,
            [
                (
                    "WWW-Authenticate",
                    "Digest realm=\"office\", nonce=\"\(canary)\", opaque=\"\(canary)\", Negotiate \(canary)"
                ),
                ("Set-Cookie", "AWSALB=\(canary); Secure"), ("Authentication-Info", "nextnonce=\"\(canary)\""),
                ("Location", "https://login.example/?token=\(canary)"), ("Via", "1.1 \(canary)"),
            ], "<html><title>page</title>\(canary)</html>")
        #expect(!"\(read)".contains(canary))
        var facts = Scene.facts()
        facts.change(.usual) { $0.answers = [read] }
        #expect(!Diagnosis(facts).text.contains(canary) && !Diagnosis(facts).json.contains(canary))
        #expect(read.intermediaries.contains("cookie awsalb"))
    }
}
