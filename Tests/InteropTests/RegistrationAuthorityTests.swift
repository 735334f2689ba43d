import Foundation
import HTTPTypes
import Logging
import Signet
import SignetCredentials
import SignetEnrollment
import SignetNIOTransport
import SignetServer
import SignetTesting
import Synchronization
import TestSupport
import Testing

@testable import SignetDemo
@testable import SignetTLS

/// Our authority, with clients of others: curl with OpenSSL, and strongSwan's pki.
@Suite(.serialized, .timeLimit(.minutes(15))) struct RegistrationAuthorityTests {
    private let openssl: OpenSSL
    private let issued = MemoryIssuedCertificates()

    init() throws {
        openssl = try OpenSSL()
        try openssl.makeRoot("ca", subject: "/O=Bank/CN=devices")
        try openssl.issue("server", by: "ca", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        try openssl.issue("distribution", by: "ca", "extendedKeyUsage=clientAuth")
    }

    private func path(_ name: String) -> String { openssl.folder.appending(path: name).path }

    private func authority(
        statusPort: Int? = nil, approving approval: @escaping RegistrationAuthority.Approval = { _ in .issue }
    ) throws -> RegistrationAuthority {
        var authority = try RegistrationAuthority(
            try openssl.identity("ca"), keepingIn: issued, approving: approval)
        authority.authentication = .basic(realm: "est") { $0.user == "device" && $0.password == "enroll me" }
        authority.retryAfter = .seconds(1)
        authority.statusAddress = try statusPort.map { try Endpoint("http://127.0.0.1:\($0)/ca") }
        return authority
    }

    /// Runs a server with the authority over TLS, which takes clients with and without a certificate.
    private func serve<Value: Sendable>(
        _ authority: RegistrationAuthority, during body: (_ port: Int) async throws -> Value
    ) async throws -> Value {
        var settings = SOAPServer.Settings()
        settings.port = 0
        settings.registration = authority
        let server = try SOAPServer(
            WebEase.dispatcher(MemoryDiary()), path: "/soap",
            tls: .init(
                identity: .fixed(try openssl.identity("server")),
                clients: .certificateOptional(.anchors(try openssl.bundle("ca")))), settings: settings)
        return try await server.running(body)
    }

    private func curl(_ port: Int, _ operation: String, _ more: String...) async throws -> String {
        let result = try await openssl.run(
            "curl",
            [
                "-sS", "--max-time", "300", "--cacert", "ca.pem", "-w", "\n%{http_code}",
                "https://localhost:\(port)/.well-known/est/\(operation)",
            ] + more)
        #expect(result.status == 0, "\(result)")
        return result.output
    }

    @Test func curlAndOpenSSLEnroll() async throws {
        let authority = try authority()
        try await serve(authority) { port in
            let authorities = try await curl(port, "cacerts", "-o", "authorities.b64")
            #expect(authorities.hasSuffix("200"))
            try openssl("base64 -d -A -in authorities.b64 -out authorities.p7")
            #expect(try openssl("pkcs7 -in authorities.p7 -inform DER -print_certs").contains("CN = devices"))
            try openssl(
                "req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout device.key -outform DER -out device.der",
                ["-subj", "/O=Bank/CN=device 7"])
            try openssl("base64 -in device.der -out device.b64")
            let post = ["--data-binary", "@device.b64", "-H", "Content-Type: application/pkcs10"]
            func enroll(_ more: [String] = []) async throws -> String {
                let result = try await openssl.run(
                    "curl",
                    [
                        "-sS", "--max-time", "300", "--cacert", "ca.pem", "-w", "%{http_code}", "-o", "answer.b64",
                        "https://localhost:\(port)/.well-known/est/simpleenroll",
                    ] + post + more)
                return result.output
            }
            #expect(try await enroll() == "401")
            #expect(try await enroll(["-u", "device:wrong"]) == "401")
            #expect(await issued.certificates().isEmpty)
            let shown = ["--cert", "distribution.pem", "--key", "distribution.key"]
            #expect(try await enroll(shown + ["-u", "device:wrong"]) == "401")
            for way in [["-u", "device:enroll me"], shown, shown + ["-u", "device:enroll me"]] {
                #expect(try await enroll(way) == "200")
                try openssl("base64 -d -A -in answer.b64 -out answer.p7")
                let text = try openssl("pkcs7 -in answer.p7 -inform DER -print_certs")
                try openssl.write(text, "device.pem")
                #expect(try openssl("verify -purpose sslclient -CAfile ca.pem device.pem").contains("OK"))
            }
            // The second request is the first one again.
            let all = await issued.certificates()
            #expect(all.count == 1)
            #expect(try await curl(port, "csrattrs").hasSuffix("204"))
            #expect(try await curl(port, "simpleenroll").hasSuffix("405"))
            #expect(try await curl(port, "fullcmc").hasSuffix("404"))
            // A key that is no longer secret gets no other certificate.
            let leaf = try #require(all.first?.certificate)
            #expect(try await authority.revoke(leaf, for: .keyCompromise))
            #expect(try await enroll(["-u", "device:enroll me"]) == "403")
            #expect(String(decoding: try openssl.bytes("answer.b64"), as: UTF8.self).contains("no longer secret"))
        }
    }

    /// A certificate that was revoked opens nothing, although TLS does not look at revocation.
    @Test func aRevokedCertificateGetsNoOther() async throws {
        let authority = try authority()
        try await serve(authority) { port in
            for name in ["device", "next"] {
                try openssl(
                    "req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \(name).key -outform DER -out \(name).der",
                    ["-subj", "/O=Bank/CN=device 7"])
            }
            func enroll(_ operation: String, _ name: String, _ more: [String]) async throws -> String {
                let result = try await openssl.run(
                    "curl",
                    [
                        "-sS", "--max-time", "300", "--cacert", "ca.pem", "-w", "%{http_code}", "-o", "answer.b64",
                        "--data-binary", "@\(name).der", "-H", "Content-Type: application/pkcs10",
                        "https://localhost:\(port)/.well-known/est/\(operation)",
                    ] + more)
                return result.output
            }
            #expect(try await enroll("simpleenroll", "device", ["-u", "device:enroll me"]) == "200")
            try openssl("base64 -d -A -in answer.b64 -out answer.p7")
            let bundle = try CertificateBundle(pkcs7: try openssl.bytes("answer.p7"))
            try openssl.write(bundle.pem, "device.pem")
            let shown = ["--cert", "device.pem", "--key", "device.key"]
            // Another name is no renewal.
            try openssl("req -new -key next.key -outform DER -out other.der", ["-subj", "/O=Bank/CN=device 8"])
            #expect(try await enroll("simplereenroll", "other", shown) == "400")
            // The service is for clients with a certificate.
            let soap = [
                "-sS", "--cacert", "ca.pem", "-o", "nothing", "-w", "%{http_code}", "https://localhost:\(port)/soap",
            ]
            let without = try await openssl.run("curl", soap + ["-d", "x", "-H", "Content-Type: text/xml"])
            let with = try await openssl.run("curl", soap + ["-d", "x", "-H", "Content-Type: text/xml"] + shown)
            #expect(without.output == "403" && with.output != "403", "\(without) \(with)")
            let leaf = try #require(bundle.certificates.first)
            for reason in [RevocationReason.certificateHold, .removeFromList] {
                await #expect(throws: IdentityError.self) { try await authority.revoke(leaf, for: reason) }
            }
            // A renewal that is repeated is one renewal, also with the same key.
            for name in ["next", "next", "device", "device"] {
                #expect(try await enroll("simplereenroll", name, shown) == "200")
            }
            let all = await issued.certificates().map(\.certificate)
            #expect(all.count == 3)
            #expect(try await authority.revoke(leaf, for: .superseded))
            for operation in ["simplereenroll", "simpleenroll"] {
                #expect(try await enroll(operation, "next", shown) == "403", "\(operation)")
            }
            // The key is out: no certificate of it opens anything.
            #expect(try await authority.revoke(leaf, for: .keyCompromise))
            let other = try #require(all.first { $0 != leaf && $0.publicKeySHA256 == leaf.publicKeySHA256 })
            try openssl.write(CertificateBundle([other]).pem, "device.pem")
            #expect(try await enroll("simplereenroll", "next", shown) == "403")
            #expect(try await enroll("simpleenroll", "device", ["-u", "device:enroll me"]) == "403")
            #expect(await issued.certificates().count == 3)
        }
    }

    /// A subject of the authority's choice has no names of the client's.
    @Test func theAuthorityChoosesTheSubject() async throws {
        let subject = try SubjectName("CN=device 7, O=Bank")
        try await serve(try authority { _ in .issue(as: subject) }) { port in
            try openssl(
                "req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout device.key -outform DER -out device.der",
                ["-subj", "/CN=thief", "-addext", "subjectAltName=DNS:api.bank.example"])
            let result = try await openssl.run(
                "curl",
                [
                    "-sS", "--cacert", "ca.pem", "-u", "device:enroll me", "--data-binary", "@device.der", "-H",
                    "Content-Type: application/pkcs10", "https://localhost:\(port)/.well-known/est/simpleenroll",
                ])
            #expect(result.status == 0, "\(result)")
            let leaf = try #require(await issued.certificates().first?.certificate)
            #expect(leaf.subject == "CN=device 7, O=Bank" && leaf.details?.names.isEmpty == true)
        }
    }

    @Test func strongSwanEnrollsAndRenews() async throws {
        try await serve(try authority()) { port in
            let url = "https://localhost:\(port)"
            let authorities = try await openssl.run(
                "pki", ["--estca", "--url", url, "--cacert", "ca.pem", "--caout", "found.pem", "--outform", "pem"])
            #expect(authorities.status == 0, "\(authorities)")
            try openssl(
                "req -new -newkey rsa:2048 -nodes -keyout device.key -outform DER -out device.der",
                ["-subj", "/O=Bank/CN=device 7"])
            func enroll(_ more: String...) async throws -> (status: Int32, output: String, error: String) {
                try await openssl.run(
                    "sh",
                    [
                        "-c",
                        "exec pki --est --url \(url) --in device.der --cacert ca.pem --outform pem \"$@\" >device.pem",
                        "pki",
                    ] + more)
            }
            let first = try await enroll("--userpass", "device:enroll me")
            #expect(first.status == 0, "\(first)")
            #expect(try openssl("verify -purpose sslclient -CAfile ca.pem device.pem").contains("OK"))
            try FileManager.default.copyItem(atPath: path("device.pem"), toPath: path("old.pem"))
            let renewed = try await enroll("--cert", "old.pem", "--key", "device.key")
            #expect(renewed.status == 0, "\(renewed)")
            #expect(try openssl.bytes("device.pem") != openssl.bytes("old.pem"))
            #expect(await issued.certificates().count == 2)
        }
    }

    @Test func ourClientEnrollsWaitsAndIsRefused() async throws {
        let asked = Mutex<[RegistrationRequest]>([])
        let authority = try authority { request in
            let number = asked.withLock { all in
                all.append(request)
                return all.count
            }
            if request.subject.contains("thief") { return .refuse("This device is not known here.") }
            return number < 3 ? .wait : .issue
        }
        try await serve(authority) { port in
            let endpoint = try Endpoint("https://localhost:\(port)")
            let trust = TrustPolicy.anchors(try openssl.bundle("ca"))
            var enroller = try ESTEnroller(at: endpoint, trust: trust) { identity, trust in
                var connection = ConnectionConfiguration()
                connection.trust = trust
                connection.identity = identity.map { .fixed($0) }
                return try NIOTransport(to: endpoint.origin, connection)
            }
            enroller.deadlines = .patient
            let store = MemoryIdentityStore(["distribution": try openssl.identity("distribution")])
            func enrollment(_ subject: String, _ label: String) throws -> Enrollment {
                var replacement = IdentityReplacement(
                    of: label, in: store, retiring: "distribution", provedBy: .none)
                replacement.requirements.authorities = trust
                var enrollment = Enrollment(with: enroller, as: try SubjectName(subject), into: replacement)
                enrollment.alternativeNames = [.dns("device-7.example")]
                return enrollment
            }
            let identity = try await enrollment("CN=device 7, O=Bank", "device").run()
            let all = asked.withLock { $0 }
            #expect(all.count == 3 && Set(all.map(\.publicKeySHA256)).count == 1)
            #expect(all.allSatisfy { $0.client?.subject == "CN=distribution" && !$0.isRenewal })
            #expect(all.first?.alternativeNames == ["dns:device-7.example"])
            let renewed = try await enrollment("CN=device 7, O=Bank", "device").run()
            #expect(renewed.leaf.publicKeySHA256 != identity.leaf.publicKeySHA256)
            #expect(asked.withLock { $0.last?.isRenewal == true && $0.last?.client == identity.leaf })
            let refused = await #expect(throws: EnrollmentError.self) {
                var other = try enrollment("CN=thief, O=Bank", "other")
                other.firstIdentity = renewed
                _ = try await other.run()
            }
            #expect(refused?.code == .refused && refused?.message.contains("This device is not known here.") == true)
        }
    }

    /// Lists and answers go over plain HTTP, where no client can enroll.
    @Test func revocationIsSeenByOthers() async throws {
        var settings = SOAPServer.Settings()
        settings.port = try Port.free()
        let authority = try authority(statusPort: settings.port)
        settings.registration = authority
        let plain = try SOAPServer.withoutTLS(WebEase.dispatcher(MemoryDiary()), path: "/soap", settings: settings)
        let statusPort = try await plain.start()
        try await serve(authority) { port in
            try openssl(
                "req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout device.key -outform DER -out device.der",
                ["-subj", "/O=Bank/CN=device 7"])
            let enrolled = try await openssl.run(
                "curl",
                [
                    "-sS", "--cacert", "ca.pem", "-u", "device:enroll me", "-o", "answer.b64", "--data-binary",
                    "@device.der", "-H", "Content-Type: application/pkcs10",
                    "https://localhost:\(port)/.well-known/est/simpleenroll",
                ])
            #expect(enrolled.status == 0, "\(enrolled)")
            try openssl("base64 -d -A -in answer.b64 -out answer.p7")
            let bundle = try CertificateBundle(pkcs7: try openssl.bytes("answer.p7"))
            let leaf = try #require(bundle.certificates.first)
            try openssl.write(bundle.pem, "device.pem")
            for isRevoked in [false, true] {
                if isRevoked {
                    #expect(try await authority.revoke(serialNumber: leaf.serialNumber ?? [], for: .superseded))
                }
                let list = try await openssl.run(
                    "curl", ["-sS", "-o", "list.der", "-w", "%{http_code}", "http://127.0.0.1:\(statusPort)/ca/crl"])
                #expect(list.output == "200", "\(list)")
                let text = try openssl("crl -in list.der -inform DER -CAfile ca.pem -noout -text")
                #expect(text.contains("Superseded") == isRevoked, "\(text)")
                let status = try await openssl.run(
                    "openssl",
                    [
                        "ocsp", "-issuer", "ca.pem", "-cert", "device.pem", "-CAfile", "ca.pem", "-url",
                        "http://127.0.0.1:\(statusPort)/ca/ocsp",
                    ])
                #expect(status.output.contains(isRevoked ? "device.pem: revoked" : "device.pem: good"), "\(status)")
                // Our own lookup finds the addresses in the certificate.
                let source = try RevocationSource(through: ProxyConfiguration(.direct), logger: Logger(label: "test"))
                let trust = TrustPolicy.anchors(try openssl.bundle("ca"))
                let path = try trust.evaluate([leaf], as: .client, at: Int64(Date().timeIntervalSince1970)).get()
                var hard = RevocationPolicy.hard
                hard.timeLimit = .seconds(120)
                let report = await source.lookUp(path, hard)
                #expect(report.findings.contains { if case .revoked = $0.status { true } else { false } } == isRevoked)
                try await source.shutDown()
            }
            let refused = try await openssl.run(
                "curl",
                [
                    "-sS", "-u", "device:enroll me", "-o", "nothing", "-w", "%{http_code}", "--data-binary",
                    "@device.der",
                    "-H", "Content-Type: application/pkcs10",
                    "http://127.0.0.1:\(statusPort)/.well-known/est/simpleenroll",
                ])
            #expect(refused.output == "403", "\(refused)")
            #expect(try await !authority.revoke(serialNumber: [7]))
        }
        await plain.shutdown()
    }
}

/// Our authority's SCEP, with clients of others: Debian's scepclient, and strongSwan's pki.
@Suite(.serialized, .timeLimit(.minutes(15))) struct RegistrationBySCEPTests {
    private let openssl: OpenSSL
    private let issued = MemoryIssuedCertificates()

    init() throws {
        openssl = try OpenSSL()
        try openssl.makeRoot("ca", subject: "/O=Bank/CN=devices", rsa: true)
    }

    private func path(_ name: String) -> String { openssl.folder.appending(path: name).path }

    private func serve<Value: Sendable>(
        weak: Bool = false, approving approval: @escaping RegistrationAuthority.Approval = { _ in .issue },
        during body: (_ url: String) async throws -> Value
    ) async throws -> Value {
        var authority = try RegistrationAuthority(
            try openssl.identity("ca"), keepingIn: issued, approving: approval)
        var scep = RegistrationAuthority.SCEP { $0 == SecretBytes("enroll me") ? "device 7" : nil }
        scep.acceptsWeakRequests = weak
        authority.scep = scep
        authority.validity = .seconds(30 * 86_400)
        var settings = SOAPServer.Settings()
        settings.port = 0
        settings.registration = authority
        let server = try SOAPServer.withoutTLS(WebEase.dispatcher(MemoryDiary()), path: "/soap", settings: settings)
        return try await server.running { port in try await body("http://127.0.0.1:\(port)/scep") }
    }

    @Test func theClientOfDebian() async throws {
        func enroll(_ url: String, _ password: String) async throws -> (status: Int32, output: String, error: String) {
            try await openssl.run(
                "scepclient",
                [
                    "-private-key", "device.key", "-certificate", "device.pem", "-server-url", url, "-challenge",
                    password,
                    "-cn", "device 7", "-organization", "Bank", "-debug",
                ])
        }
        // It signs over SHA-1.
        try await serve { url in
            let result = try await enroll(url, "enroll me")
            #expect(result.status != 0)
        }
        // It would send the same request again.
        for name in ["csr.pem", "self.pem"] { try? FileManager.default.removeItem(atPath: path(name)) }
        try await serve(weak: true) { url in
            let wrong = try await enroll(url, "wrong")
            #expect(wrong.status != 0, "\(wrong)")
            #expect(await issued.certificates().isEmpty)
            try FileManager.default.removeItem(atPath: path("csr.pem"))
            let right = try await enroll(url, "enroll me")
            #expect(right.status == 0, "\(right)")
            #expect(try openssl("verify -purpose sslclient -CAfile ca.pem device.pem").contains("OK"))
        }
    }

    /// What clients should not send.
    @Test func oddRequestsAreRefused() async throws {
        try openssl.write([UInt8](repeating: 0x30, count: 70_000), "long")
        try await serve { (url) async throws in
            let root = url.dropLast("/scep".count)
            func curl(_ path: String, arguments more: [String]) async throws -> String {
                let result = try await openssl.run(
                    "curl", ["-sS", "--path-as-is", "-o", "answer", "-w", "%{http_code}", "\(root)\(path)"] + more)
                return result.output
            }
            let message = ["-H", "Content-Type: application/x-pki-message", "--data-binary"]
            let question = ["-H", "Content-Type: application/ocsp-request", "--data-binary"]
            for (path, more, status) in [
                ("/scep", [], "400"), ("/scep?operation=GetNextCACert", [], "400"),
                ("/scep?operation=PKIOperation&message=%FF!!", [], "400"),
                ("/scep?operation=PKIOperation&message=", [], "400"),
                ("/scep?operation=PKIOperation", message + ["nothing"], "400"),
                ("/scep?operation=PKIOperation", message + ["@long"], "413"),
                ("/scep?operation=GetCACaps", message + ["x"], "405"),
                ("/ca/ocsp", question + ["x"], "200"), ("/ca/ocsp", question + ["@long"], "413"),
                ("/ca/ocsp", ["-d", "x"], "415"), ("/ca/ocsp/%00%FF", [], "200"), ("/ca/ocsp", [], "405"),
                ("/ca/crl", ["-d", "x"], "405"), ("/ca", [], "404"), ("/ca/", [], "404"), ("/ca/../ca/crl", [], "404"),
                ("/.well-known/est/simpleenroll", [], "405"), ("/.well-known/est/", [], "404"),
                ("/.well-known/est/simpleenroll", ["-H", "Content-Type: application/pkcs10", "-d", "x"], "403"),
            ] {
                #expect(try await curl(path, arguments: more) == status, "\(path) \(more)")
                if status == "200" { #expect(try openssl.bytes("answer") == [0x30, 0x03, 0x0A, 0x01, 0x01]) }
            }
            #expect(await issued.certificates().isEmpty)
        }
    }

    @Test func strongSwanEnrollsAndRenews() async throws {
        let asked = Mutex(0)
        try await serve(approving: { _ in
            let number = asked.withLock { count in
                count += 1
                return count
            }
            return number == 1 ? .wait : .issue
        }) { url in
            let certificates = try await openssl.run(
                "pki", ["--scepca", "--url", url, "--caout", "found.pem", "--outform", "pem"])
            #expect(certificates.status == 0, "\(certificates)")
            for name in ["device", "next"] {
                try openssl("genrsa -out \(name).key 2048")
            }
            func enroll(_ key: String, _ more: [String]) async throws -> (status: Int32, output: String, error: String)
            {
                try await openssl.run(
                    "sh",
                    [
                        "-c",
                        "exec pki --scep --url \(url) --in \(key).key --dn 'O=Bank, CN=device 7' --cacert-enc ca.pem --cacert-sig ca.pem --interval 1 --outform pem \"$@\" >\(key).pem",
                        "pki",
                    ] + more)
            }
            let first = try await enroll("device", ["--password", "enroll me"])
            #expect(first.status == 0, "\(first)")
            #expect(try openssl("verify -purpose sslclient -CAfile ca.pem device.pem").contains("OK"))
            #expect(asked.withLock { $0 } == 2)
            let renewed = try await enroll("next", ["--cert", "device.pem", "--key", "device.key"])
            #expect(renewed.status == 0, "\(renewed)")
            #expect(try openssl("verify -purpose sslclient -CAfile ca.pem next.pem").contains("OK"))
        }
    }

    @Test func ourClientEnrollsWaitsAndRenews() async throws {
        let asked = Mutex<[RegistrationRequest]>([])
        try await serve(approving: { request in
            let number = asked.withLock { all in
                all.append(request)
                return all.count
            }
            return number < 3 ? .wait : .issue
        }) { url in
            let endpoint = try Endpoint(url)
            let bundle = try openssl.bundle("ca")
            var enroller = try SCEPEnroller(at: endpoint, fingerprints: Set(bundle.certificates.map(\.sha256))) {
                _, _ in
                try NIOTransport(to: endpoint.origin, ConnectionConfiguration())
            }
            enroller.challengePassword = SecretBytes("enroll me")
            enroller.interval = .seconds(1)
            enroller.deadlines = .patient
            let store = MemoryIdentityStore()
            var replacement = IdentityReplacement(of: "device", in: store, provedBy: .none)
            replacement.requirements.authorities = .anchors(bundle)
            let enrollment = Enrollment(
                with: enroller, as: try SubjectName("CN=device 7, O=Bank"), into: replacement)
            let identity = try await enrollment.run()
            #expect(asked.withLock { $0.count == 3 && $0.allSatisfy { !$0.isRenewal && $0.user == "device 7" } })
            let renewed = try await enrollment.run()
            #expect(asked.withLock { $0.last?.isRenewal == true && $0.last?.client == identity.leaf })
            #expect(await store.identity(label: "device") == renewed)
            // A revoked certificate renews nothing.
            #expect(
                await issued.revoke(
                    serialNumber: renewed.leaf.serialNumber ?? [], .init(at: 1_800_000_000, for: .keyCompromise)))
            let refused = await #expect(throws: EnrollmentError.self) { try await enrollment.run() }
            #expect(refused?.code == .refused && refused?.message.contains("is valid") == true)
            let count = await issued.certificates().count
            enroller.challengePassword = nil
            let without = Enrollment(
                with: enroller, as: try SubjectName("CN=device 8"),
                into: IdentityReplacement(of: "without", in: store, provedBy: .none))
            let missing = await #expect(throws: EnrollmentError.self) { try await without.run() }
            #expect(missing?.message.contains("wrong or missing") == true)
            enroller.challengePassword = SecretBytes("wrong")
            let other = Enrollment(
                with: enroller, as: try SubjectName("CN=device 8"),
                into: IdentityReplacement(of: "other", in: store, provedBy: .none))
            let wrong = await #expect(throws: EnrollmentError.self) { try await other.run() }
            #expect(wrong?.message.contains("challenge password is wrong") == true)
            #expect(await issued.certificates().count == count)
        }
    }
}

extension OpenSSL {
    /// Runs another program in the folder.
    fileprivate func run(
        _ program: String, _ arguments: [String]
    ) async throws -> (status: Int32, output: String, error: String) {
        try await PeerProcess.output(of: .init(program: program, arguments: arguments, folder: folder))
    }
}

extension SOAPServer {
    /// Runs the server during `body`, which gets its port.
    fileprivate func running<Value: Sendable>(_ body: (_ port: Int) async throws -> Value) async throws -> Value {
        let port = try await start()
        let result: Result<Value, any Error>
        do { result = .success(try await body(port)) } catch { result = .failure(error) }
        await shutdown()
        return try result.get()
    }
}
