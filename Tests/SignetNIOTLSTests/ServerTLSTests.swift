import Foundation
import NIOCore
import NIOPosix
import NIOTLS
import SignetTLS
import SignetTesting
import Testing

@testable import SignetNIOTLS

/// Answers the handshake with the subject of the client, or `nobody`, and closes.
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

/// Our server, asked by openssl.
@Suite struct ServerTLSTests {
    let authority: CertificateAuthority
    let identity: Identity

    init() throws {
        authority = try CertificateAuthority(commonName: "Server tests")
        identity = try authority.issueServer(dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"])
    }

    /// What openssl prints about one connection after the other to one server, each with its own options.
    private func ask(
        _ clients: ClientCertificatePolicy, as client: Identity? = nil, _ connections: [[String]]
    ) async throws -> [String] {
        let tls = try ServerTLS(identity: identity, clients: clients, now: { Int64(Date().timeIntervalSince1970) })
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
        for options in connections { answers.append(try openssl(arguments + options, in: folder)) }
        try await server.close()
        return answers
    }

    private func openssl(_ arguments: [String], in folder: URL) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = folder
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
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

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func refusesClientsItDoesNotBelieve(version: String) async throws {
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

    @Test func speaksNothingOldOrWeak() async throws {
        #expect(!(try await ask(.notRequested, ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"]).contains("<nobody")))
        let weak = ["-tls1_2", "-cipher", "AES128-SHA:ECDHE-ECDSA-AES128-SHA:AES128-GCM-SHA256:@SECLEVEL=0"]
        #expect(!(try await ask(.notRequested, weak).contains("<nobody")))
        #expect(!(try await ask(.notRequested, ["-tls1_2", "-sigalgs", "ECDSA+SHA1"]).contains("<nobody")))
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func aClientIsJudgedAgainOnEveryConnection(version: String) async throws {
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

    private func ask(
        _ clients: ClientCertificatePolicy, as client: Identity? = nil, _ options: [String] = []
    ) async throws -> String {
        try #require(try await ask(clients, as: client, [options]).first)
    }
}
