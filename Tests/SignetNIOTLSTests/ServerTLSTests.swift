import Foundation
import NIOCore
import NIOPosix
import NIOTLS
import SignetTLS
import SignetTesting
import Testing

@testable import SignetNIOTLS

/// Writes the subject of the client's certificate after the handshake, or `nobody` without one, and closes.
private final class Greeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted = event as? TLSUserEvent else { return }
        let path = ServerTLS.certificationPath(of: context.channel)
        let text = "<\(path?.certificates.first?.subject ?? "nobody") in \(path?.certificates.count ?? 0)>\n"
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.value.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)))
            .whenComplete { _ in context.value.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// The server of this package, called by openssl.
@Suite(.timeLimit(.minutes(5))) struct ServerTLSTests {
    let authority: CertificateAuthority
    let identity: Identity

    init() throws {
        authority = try CertificateAuthority(commonName: "Server tests")
        identity = try authority.issueServer(dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"])
    }

    /// What openssl prints about one connection after the other to one server, each with its own options.
    private func ask(
        of server: Identity? = nil, _ clients: ClientCertificatePolicy, as client: Identity? = nil,
        versions: TLSVersionRange = .all, _ connections: [[String]]
    ) async throws -> [String] {
        let tls = try ServerTLS(
            identity: server ?? identity, clients: clients, versions: versions,
            now: { Int64(Date().timeIntervalSince1970) })
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try tls.addHandlers(to: channel)
                    try channel.pipeline.syncOperations.addHandler(Greeter())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var arguments = ["s_client", "-connect", "127.0.0.1:\(port)", "-ign_eof"]
        if let client {
            let text =
                client.chain.map { pem("CERTIFICATE", $0.der) }.joined()
                + pem("PRIVATE KEY", client.privateKey?.pkcs8 ?? [])
            try Data(text.utf8).write(to: folder.appending(path: "client.pem"))
            let file = folder.appending(path: "client.pem").path
            arguments += ["-cert", file, "-key", file, "-cert_chain", file]
        }
        var answers: [String] = []
        for options in connections { answers.append(try await openssl(arguments + options, in: folder)) }
        try await server.close()
        return answers
    }

    /// Waits without holding a thread.
    private func openssl(_ arguments: [String], in folder: URL) async throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = folder
        let output = folder.appending(path: "output")
        try Data().write(to: output)
        let file = try FileHandle(forWritingTo: output)
        process.standardOutput = file
        process.standardError = file
        process.standardInput = FileHandle.nullDevice
        let ended = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in ended.continuation.finish() }
        try process.run()
        for await _ in ended.stream {}
        // The time limit of the tests ends the wait as well.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        return String(decoding: try Data(contentsOf: output), as: UTF8.self)
    }

    private func pem(_ type: String, _ der: [UInt8]) -> String {
        let text = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(type)-----\n\(text)\n-----END \(type)-----\n"
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func knowsItsClient(version: String) async throws {
        let client = try authority.issueClient(commonName: "device 1")
        let required = ClientCertificatePolicy.required(.anchors(authority.bundle))
        let answer = try await ask(required, as: client, [version])
        #expect(answer.contains("device 1"), "\(answer)")
        #expect(answer.contains(" in 2>"))
        #expect(try await ask(.requested(.anchors(authority.bundle)), as: client, [version]).contains("device 1"))
        #expect(try await ask(.requested(.anchors(authority.bundle)), [version]).contains("<nobody in 0>"))
        #expect(try await ask(.notRequested, as: client, [version]).contains("<nobody in 0>"))
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func untrustedClientsAreRefused(version: String) async throws {
        let trust = TrustPolicy.anchors(authority.bundle)
        let stranger = try CertificateAuthority(commonName: "Another").issueClient(commonName: "device 2")
        for policy in [ClientCertificatePolicy.requested(trust), .required(trust)] {
            let answer = try await ask(policy, as: stranger, [version])
            #expect(!answer.contains("<"), "\(answer)")
            #expect(answer.contains("alert"))
        }
        #expect(try await ask(.required(trust), [version]).contains("alert"))
        // A server's certificate does not make a client.
        #expect(try await ask(.required(trust), as: identity, [version]).contains("alert"))
    }

    @Test func oldVersionsAndWeakSuitesAreRefused() async throws {
        #expect(!(try await ask(.notRequested, ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"]).contains("<nobody")))
        let weak = ["-tls1_2", "-cipher", "AES128-SHA:ECDHE-ECDSA-AES128-SHA:AES128-GCM-SHA256:@SECLEVEL=0"]
        #expect(!(try await ask(.notRequested, weak).contains("<nobody")))
        #expect(!(try await ask(.notRequested, ["-tls1_2", "-sigalgs", "ECDSA+SHA1"]).contains("<nobody")))
    }

    @Test func theServerSpeaksTheConfiguredVersions() async throws {
        let both = [["-tls1_2"], ["-tls1_3"]]
        for (versions, isSpoken) in [
            (TLSVersionRange.all, [true, true]), (.init(minimum: .tls13), [false, true]),
            (.init(maximum: .tls12), [true, false]),
        ] {
            // A server that asks for certificates makes a context for each connection.
            for clients in [ClientCertificatePolicy.notRequested, .requested(.anchors(authority.bundle))] {
                let answers = try await ask(clients, versions: versions, both)
                #expect(answers.map { $0.contains("<nobody in 0>") } == isSpoken, "\(versions): \(answers)")
            }
        }
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func everyConnectionVerifiesTheClient(version: String) async throws {
        let client = try authority.issueClient(commonName: "device 1")
        let trust = TrustPolicy.anchors(authority.bundle)
        let twice = [[version, "-sess_out", "session"], [version, "-sess_in", "session"]]
        for policy in [ClientCertificatePolicy.requested(trust), .required(trust)] {
            for answer in try await ask(policy, as: client, twice) {
                #expect(answer.contains("New, TLSv"), "\(answer)")
                #expect(answer.contains("device 1"))
                #expect(answer.contains(" in 2>"))
            }
        }
        // Without certificates nothing is lost by a session that is taken up again; it also shows that openssl does so.
        let anonymous = try await ask(.notRequested, twice)
        #expect(anonymous.first?.contains("New, TLSv") == true)
        #expect(anonymous.last?.contains("Reused, TLSv") == true)
    }

    /// What each version and algorithm that a key offers is called by openssl.
    private static let offers: [SoftwareSigningKey.Kind: [(version: String, algorithms: [String])]] = {
        let rsa = ["rsa_pss_rsae_sha256", "rsa_pss_rsae_sha384", "rsa_pss_rsae_sha512"]
        return [
            .rsa2048: [
                ("-tls1_2", rsa + ["rsa_pkcs1_sha256", "rsa_pkcs1_sha384", "rsa_pkcs1_sha512"]), ("-tls1_3", rsa),
            ],
            .p256: [("-tls1_2", ["ecdsa_secp256r1_sha256"]), ("-tls1_3", ["ecdsa_secp256r1_sha256"])],
            .p384: [("-tls1_2", ["ecdsa_secp384r1_sha384"]), ("-tls1_3", ["ecdsa_secp384r1_sha384"])],
            .p521: [("-tls1_2", ["ecdsa_secp521r1_sha512"]), ("-tls1_3", ["ecdsa_secp521r1_sha512"])],
            .ed25519: [("-tls1_2", ["ed25519"]), ("-tls1_3", ["ed25519"])],
        ]
    }()

    /// One server's key signs for connections with and without client certificates, several at a time.
    @Test(arguments: SoftwareSigningKey.Kind.allCases)
    func aKeyThatOnlySignsServes(kind: SoftwareSigningKey.Kind) async throws {
        let server = try authority.issueServer(signingKey: SoftwareSigningKey(kind), dnsNames: ["localhost"])
        let offers = try #require(Self.offers[kind])
        let connections = offers.flatMap { version, algorithms in
            // openssl signs with what it accepts: the client's own key is for P-256.
            algorithms.map {
                [version, "-sigalgs", $0 == "ecdsa_secp256r1_sha256" ? $0 : "\($0):ecdsa_secp256r1_sha256"]
            }
        }
        let client = try authority.issueClient(commonName: "device 1")
        let trust = ClientCertificatePolicy.required(.anchors(authority.bundle))
        for answer in try await ask(of: server, trust, as: client, connections) {
            #expect(answer.contains("device 1"), "\(answer)")
        }
        for answer in try await ask(of: server, .notRequested, connections) {
            #expect(answer.contains("<nobody in 0>"), "\(answer)")
        }
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func aFailingKeyEndsTheHandshake(version: String) async throws {
        struct Broken: Error {}
        let answers: [@Sendable () throws -> [UInt8]] = [
            { throw Broken() }, { [] }, { Array(repeating: 0x30, count: 1 << 20) },
        ]
        for answer in answers {
            let key = try SoftwareSigningKey(.p256) { _, _ in try answer() }
            let server = try authority.issueServer(signingKey: key, dnsNames: ["localhost"])
            let text = try await ask(of: server, .notRequested, [[version]])[0]
            #expect(!text.contains("<"), "\(text)")
        }
    }

    private func ask(
        _ clients: ClientCertificatePolicy, as client: Identity? = nil, _ options: [String] = []
    ) async throws -> String {
        try #require(try await ask(clients, as: client, [options]).first)
    }
}
