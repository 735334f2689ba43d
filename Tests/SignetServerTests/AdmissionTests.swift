import Foundation
import SignetAuthentication
import SignetServer
import SignetTLS
import SignetTesting
import Testing

@Suite struct AdmissionTests {
    let curl: Curl

    init() throws { curl = try Curl() }

    @Test func clientWithCertificateIsServedAndNamed() async throws {
        try await TestServer.run { test async throws in
            let device = try test.authority.issueClient(commonName: "device-7")
            let answer = try await curl(
                test.url,
                curl.trusting(test.authority) + curl.showing(device) + Greeting.posting(Greeting.envelope("Ada")))
            #expect(answer.status == 200, "\(answer.problem)")
            #expect(answer.fields.lowercased().contains("content-type: text/xml; charset=utf-8"))
            #expect(answer.body.contains("Hello Ada, CN=device-7, none"))
        }
    }

    @Test(arguments: ["--tlsv1.3", "--tls-max 1.2"])
    func clientWithoutCertificateGetsNothing(version: String) async throws {
        try await TestServer.run(handler: { _, _ in
            Issue.record("the handler ran")
            return .init(text: "")
        }) { test async throws in
            let answer = try await curl(
                test.url,
                curl.trusting(test.authority) + version.split(separator: " ").map(String.init)
                    + Greeting.posting(Greeting.envelope("Ada")))
            #expect(answer.status == 0)
            #expect(answer.exit != 0)
            #expect(answer.body.isEmpty)
        }
    }

    @Test func certificateOfAnotherAuthorityOrExpiredOrForServersGetsNothing() async throws {
        try await TestServer.run { test async throws in
            let stranger = try CertificateAuthority().issueClient(commonName: "device-7")
            let expired = try test.authority.issueClient(commonName: "device-7", CertificateProfile.client.expired)
            let server = try test.authority.issueClient(commonName: "device-7", .server)
            for identity in [stranger, expired, server] {
                let answer = try await curl(
                    test.url,
                    curl.trusting(test.authority) + curl.showing(identity) + Greeting.posting(Greeting.envelope("Ada")))
                #expect(answer.status == 0)
                #expect(answer.exit != 0)
            }
        }
    }

    @Test func requestedCertificateMayBeAbsent() async throws {
        try await TestServer.run(clients: { .certificateRequested($0) }) { test async throws in
            let trusting = try curl.trusting(test.authority)
            let without = try await curl(test.url, trusting + Greeting.posting(Greeting.envelope("Ada")))
            #expect(without.body.contains("Hello Ada, nobody, none"))
            let device = try test.authority.issueClient(commonName: "device-7")
            let with = try await curl(
                test.url, trusting + curl.showing(device) + Greeting.posting(Greeting.envelope("Ada")))
            #expect(with.body.contains("Hello Ada, CN=device-7, none"))
        }
    }

    @Test func registryDecidesAfterTLS() async throws {
        struct RegistryIsDown: Error {}
        let admit: ClientAdmission.Decision = { path in
            switch path.leaf?.subject {
            case "CN=device-7": true
            case "CN=broken": throw RegistryIsDown()
            default: false
            }
        }
        try await TestServer.run(clients: { .certificateRequired($0, admitting: admit) }) { test async throws in
            let statuses = ["device-7": 200, "device-8": 403, "broken": 500]
            for (name, status) in statuses {
                let answer = try await curl(
                    test.url,
                    curl.trusting(test.authority) + curl.showing(test.authority.issueClient(commonName: name))
                        + Greeting.posting(Greeting.envelope("Ada")))
                #expect(answer.status == status, "\(name)")
                #expect(!answer.body.contains("RegistryIsDown"))
            }
        }
    }

    @Test func basicCredentialsAreAskedForAfterTheCertificate() async throws {
        let authentication = ServerAuthentication.basic(realm: "Greet \"ings\"") { user, password in
            ConstantTime.equal(user, "service") && ConstantTime.equal(password, "pä:ss")
        }
        try await TestServer.run(authentication: authentication) { test async throws in
            let base =
                try curl.trusting(test.authority) + curl.showing(test.authority.issueClient(commonName: "device-7"))
                + Greeting.posting(Greeting.envelope("Ada"))
            let none = try await curl(test.url, base)
            #expect(none.status == 401)
            #expect(none.fields.lowercased().contains(#"www-authenticate: basic realm="greet \"ings\"""#))
            let right = try await curl(test.url, base + ["--user", "service:pä:ss"])
            #expect(right.status == 200)
            #expect(right.body.contains("Hello Ada, CN=device-7, service"))
            #expect(try await curl(test.url, base + ["--user", "service:wrong"]).status == 401)
            #expect(try await curl(test.url, base + ["--header", "Authorization: Basic !!!"]).status == 401)
            #expect(try await curl(test.url, base + ["--header", "Authorization: Bearer c2VydmljZQ=="]).status == 401)
            let nobody = try await curl(
                test.url,
                curl.trusting(test.authority) + ["--user", "service:pä:ss"] + Greeting.posting(Greeting.envelope("Ada"))
            )
            #expect(nobody.status == 0)
        }
    }

    @Test func challengeIsAnsweredOnTheSameConnection() async throws {
        let authentication = ServerAuthentication.basic(realm: "Greetings") { $0 == "service" && $1 == "right" }
        try await TestServer.run(authentication: authentication) { test async throws in
            // With --anyauth curl asks without credentials first and repeats the request after the 401.
            let answer = try await curl(
                test.url,
                curl.trusting(test.authority) + curl.showing(test.authority.issueClient())
                    + ["--anyauth", "--user", "service:right", "--write-out", "%{num_connects} %{http_code}"]
                    + Greeting.posting(Greeting.envelope("Ada")))
            #expect(answer.fields.components(separatedBy: "HTTP/1.1 ").count == 3)
            #expect(answer.body.contains("Hello Ada"))
        }
    }

    @Test func failureOfTheCheckIsNotToldToThePeer() async throws {
        struct DatabasePasswordIsSecret: Error {}
        let authentication = ServerAuthentication.basic(realm: "Greetings") { _, _ in throw DatabasePasswordIsSecret() }
        try await TestServer.run(authentication: authentication) { test async throws in
            let answer = try await curl(
                test.url,
                curl.trusting(test.authority) + curl.showing(test.authority.issueClient()) + ["--user", "a:b"]
                    + Greeting.posting(Greeting.envelope("Ada")))
            #expect(answer.status == 500)
            #expect(!(answer.body + answer.fields).contains("Secret"))
        }
    }
}
