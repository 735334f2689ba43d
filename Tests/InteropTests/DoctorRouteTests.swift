import Foundation
import Signet
import SignetDiagnosis
import SignetTesting
import TestSupport
import Testing

@testable import SignetDemo

/// Connections that fail because of what stands between, or because they lead to the wrong place: the likeliest cause
/// must come first.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DoctorRouteTests {
    private let files: IdentityFiles
    private let openssl: OpenSSL

    init() async throws {
        files = try IdentityFiles()
        openssl = try OpenSSL()
        try openssl.makeRoot("root", subject: "/O=Bank/CN=root authority")
        try openssl.issue("server", by: "root", "subjectAltName=DNS:localhost,DNS:service.example")
        try openssl.issue("device", by: "root", "extendedKeyUsage=clientAuth")
        for name in ["server.pem", "server.key"] {
            try Data(openssl.bytes(name)).write(to: files.folder.appending(path: name))
        }
        try Data(openssl.bytes("root.pem")).write(to: files.folder.appending(path: "clients.pem"))
        try files.join(["server.pem", "server.key"], as: "both.pem")
    }

    private func setup(
        _ expected: String?, _ port: Int?, _ path: String = "/soap", _ identity: String? = "device",
        change: @escaping (inout ConnectionConfiguration) throws -> Void = { _ in }
    ) throws -> ExaminedSetup {
        ExaminedSetup(
            expected: expected, url: "https://localhost:\(port ?? 0)\(path)", anchors: try openssl.bundle("root"),
            identity: try identity.map { try openssl.identity($0) }, change: change)
    }

    /// nginx with `nginx-balancer.conf`.
    private func withServices<Value: Sendable>(_ body: ([String: Int]) async throws -> Value) async throws -> Value {
        let names = ["PORT", "SILENT", "SERVICE", "INNER", "GUARDED"]
        let ports = Dictionary(uniqueKeysWithValues: try names.map { ($0, try Port.free()) })
        return try await Nginx.run(
            "nginx-balancer.conf", ports.mapValues(String.init), in: files, port: ports["PORT"] ?? 0
        ) { try await body(ports) }
    }

    // MARK: What stands between

    @Test func aLoadBalancerEndsTLS() async throws {
        try await withServices { ports async throws in
            try await setup(nil, ports["SERVICE"]).check()
            let code = "tls-ended-before-service"
            try await setup(code, ports["PORT"]).check()
            try await setup(code, ports["SILENT"]).check()
            try await setup(code, ports["SILENT"], "/plain").check()
            let port = try Port.free()
            try files.fill(
                "haproxy-balancer.cfg", ["PORT": "\(port)", "SERVICE": "\(ports["SERVICE"] ?? 0)"], as: "haproxy.cfg")
            let command = PeerProcess.Command(
                program: "haproxy", arguments: ["-db", "-f", "haproxy.cfg"], folder: files.folder, port: port)
            try await PeerProcess.run(command) { () async throws in _ = try await setup(code, port).check() }
        }
    }

    /// mitmproxy, in the server's place and as a proxy that the client knows of.
    @Test func aProgramIntercepts() async throws {
        let server = try openssl.serve("-Verify 3 -verify_return_error -CAfile root.pem")
        let code = "tls-intercepted"
        try await Interceptor.run(before: server.port, version: "TLS1_3") { interceptor async throws in
            try await setup(code, interceptor.port).check()
            // The client trusts it, but it has no certificate of ours to show to the server.
            _ = try await setup(code, interceptor.port) {
                $0.trust = $0.trust.addingAnchors(interceptor.authority)
            }.check()
        }
        try await Interceptor.run(before: nil, version: "TLS1_2") { interceptor async throws in
            _ = try await setup(code, server.port) {
                $0.proxy = .init(.init(try Proxy("http://127.0.0.1:\(interceptor.port)")))
            }.check()
        }
        // A server that needs no certificate is reached, by a client that trusts the program.
        let open = try openssl.serve("")
        try await Interceptor.run(before: open.port, version: "TLS1_3") { interceptor async throws in
            var trusted = try setup(code, interceptor.port, "/soap", nil) {
                $0.trust = $0.trust.addingAnchors(interceptor.authority)
            }
            trusted.isServed = true
            _ = try await trusted.check()
        }
    }

    /// What drops a ClientHello of more than 255 bytes, as load balancers of a well-known make did, and what closes the
    /// connection in place of that.
    @Test func aLargeHelloIsLost() async throws {
        let server = try openssl.serve("")
        let roles = ["narrow:\(server.port)", "strict:\(server.port)"]
        try await BrokenPeers.run(roles) { ports async throws in
            for role in roles {
                _ = try await setup("client-hello-dropped", ports[role], "/", nil).check()
            }
        }
    }

    /// The host has two addresses, and its server listens at one of them.
    @Test func theHostCannotBeReachedOverIPv6() async throws {
        let server = try openssl.serve("")
        try files.write("127.0.0.1 service.example\n::1 service.example\n", as: "hosts")
        let outcome = try await PeerProcess.output(
            of: .init(
                program: try SignetProgram.path(),
                arguments: ["doctor", "https://service.example:\(server.port)/", "--ca", files.path("clients.pem")],
                environment: ["LD_PRELOAD": "libnss_wrapper.so", "NSS_WRAPPER_HOSTS": files.path("hosts")]))
        // It is a warning: the client falls back to the other address.
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            outcome.output.split(separator: "Findings\n").last?.hasPrefix(
                "WARNING  The host cannot be reached over IPv6") == true)
        let lines = ["[ipv6-broken]", "[::1]:\(server.port): refused the connection"]
        for line in lines { #expect(outcome.output.contains(line), "\(outcome)") }
    }

    // MARK: The wrong place

    @Test func anotherPortIsForThisKindOfCertificate() async throws {
        try openssl.makeRoot("seals", subject: "/O=Seals/CN=authority of seals")
        let persons = try openssl.serve("-Verify 3 -verify_return_error -CAfile root.pem")
        let seals = try openssl.serve("-Verify 3 -verify_return_error -CAfile seals.pem")
        let person = PortFacts("Person", url: "https://localhost:\(persons.port)/soap")
        var seal = try setup("wrong-port-for-certificate", seals.port)
        seal.ports = [.init("Seal", url: seal.url, isTarget: true), person]
        try await seal.check()
        try await withServices { ports async throws in
            // It asks for no certificate, and refuses callers without one.
            var silent = try setup("wrong-port-for-certificate", ports["SILENT"], "/plain")
            silent.ports = [.init("Password", url: silent.url, isTarget: true), person]
            _ = try await silent.check()
        }
    }

    /// Programs that load the WSDL when they start often do so without the identity.
    @Test func theDocumentNeedsTheIdentity() async throws {
        try await withServices { ports async throws in
            var setup = try setup("document-without-identity", ports["GUARDED"])
            setup.document = "https://localhost:\(ports["GUARDED"] ?? 0)/wsdl"
            try await setup.check()
            setup.document = "https://localhost:\(ports["SERVICE"] ?? 0)/wsdl"
            try await setup.check()
            // The handshake fails without an identity.
            let strict = try openssl.serve("-Verify 3 -verify_return_error -CAfile root.pem")
            setup.document = "https://localhost:\(strict.port)/wsdl"
            try await setup.check()
            let open = try openssl.serve("")
            var healthy = try self.setup(nil, ports["GUARDED"])
            healthy.document = "https://localhost:\(open.port)/wsdl"
            _ = try await healthy.check()
        }
    }

    // MARK: Keys and clocks

    @Test func aTokenWithoutRSAPSS() async throws {
        let token = try await SoftToken()
        let key = try await token.makeKey("rsa", type: "rsa:2048", identifier: "01")
        let authority = try CertificateAuthority(commonName: "Plant authority")
        let old = SoftToken.OldKey(token: token, publicKeyInfo: key.publicKeyInfo)
        var profile = CertificateProfile.client
        profile.notAfter += 90 * 86_400
        let identity = try authority.issueClient(signingKey: old, commonName: "device 7", profile)
        try openssl.write(authority.bundle.pem, "clients.pem")
        for (options, expected) in [("", "key-without-rsa-pss"), ("-tls1_3", "key-without-rsa-pss"), ("-tls1_2", nil)] {
            let server = try openssl.serve("-Verify 3 -verify_return_error -CAfile clients.pem \(options)")
            var setup = try setup(expected, server.port, "/", nil)
            setup.identity = identity
            try await setup.check()
        }
    }

    /// Signed messages are too old for a server whose clock is two hours away.
    @Test func theClocksDiffer() async throws {
        let ports = Dictionary(
            uniqueKeysWithValues: try ["SILENT", "OPTIONAL", "NEW", "PLAIN", "EXPIRED", "NAMED", "PORT"].map {
                ($0, try Port.free())
            })
        for name in ["pem", "key"] { try files.join(["server.\(name)"], as: "old.\(name)") }
        try await Nginx.run(
            "nginx-doctor.conf", ports.mapValues(String.init), in: files, port: ports["PORT"] ?? 0
        ) { () async throws in
            for (path, isServed) in [("/fault", false), ("/soap", true)] {
                var setup = try setup("clock-wrong", ports["PORT"], path)
                setup.isServed = isServed
                setup.clockDifference = 7_200
                try await setup.check()
            }
        }
    }

    // MARK: Open connections

    /// The connection was opened with an identity that has expired since, and is kept open.
    @Test func anOpenConnectionHasTheOldIdentity() async throws {
        let authority = try CertificateAuthority(commonName: "Devices")
        try files.write(authority.bundle.certificates, as: "clients.pem")
        var short = CertificateProfile.client
        short.notAfter = Int64(Date().timeIntervalSince1970) + 15
        let old = try authority.issueClient(commonName: "device-7", short)
        let store = MemoryIdentityStore(["device": old])
        let renewed = try authority.issueClient(commonName: "device-7")
        try await withServices { ports async throws in
            var service = try ServiceConfiguration("https://localhost:\(ports["GUARDED"] ?? 0)/soap")
            service.trust = .anchors(try openssl.bundle("root"))
            service.identity = .stored("device", in: store)
            service.looksForIdentityOnDemand = true
            // The connection must outlive the certificate.
            service.idleTimeout = .seconds(300)
            let client = WebEase.Client(service)
            func call() async -> (any Error)? {
                do { _ = try await client.logEntryQuery(.init(patientId: "4711")) } catch { return error }
                return nil
            }
            // nginx answers with an element that is no envelope.
            let first = await call()
            #expect((first as? ServiceError)?.code == .notSOAP, "\(String(describing: first))")
            let end = try #require(old.leaf.notAfter)
            while Int64(Date().timeIntervalSince1970) <= end { try await Task.sleep(for: .milliseconds(200)) }
            await store.store(renewed, label: "device")
            try files.write("", as: "retired")
            let refused = await call()
            #expect((refused as? ServiceError)?.answer?.status == 403, "\(String(describing: refused))")
            let found = refused?.diagnosis?.mostLikely
            #expect(found?.code == .connectionWithOldIdentity, "\(String(describing: refused?.diagnosis))")
            // Over a connection of its own, the same answer is about the certificate.
            client.renewConnections()
            #expect(await call()?.diagnosis?.mostLikely?.code == .certificateNotRegistered)
            try await client.shutdown()
        }
    }
}
