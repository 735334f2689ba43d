import Crypto
import Foundation
import HTTPTypes
import Signet
import SignetTesting
import TestSupport
import Testing

@testable import SignetNIOTransport

/// Servers that demand Digest, each with its own reading of RFC 7616.
@Suite(.serialized) struct DigestPeerTests {
    private static func digits(_ hash: some Sequence<UInt8>) -> String {
        hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func pages(_ folders: [String], in files: IdentityFiles) throws {
        for folder in [""] + folders {
            let place = files.folder.appending(path: "pages/\(folder)")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try Data("<html>in</html>".utf8).write(to: place.appending(path: "index.html"))
        }
    }

    /// Calls so many times over one transport, with so long between.
    private func call(
        _ url: String, _ credentials: Credentials, times: Int = 1, pause: Duration = .zero, plain: Bool = false,
        logs: LogCollector = LogCollector()
    ) async throws -> [ClientResponse] {
        let endpoint = try Endpoint(url)
        var configuration = ConnectionConfiguration()
        configuration.authentication = .init(credentials: .fixed(credentials), allowsPlaintext: plain)
        configuration.logger = logs.logger
        let transport = try NIOTransport(to: endpoint.origin, configuration)
        var answers: [ClientResponse] = []
        do {
            for number in 0..<times {
                if number > 0 { try await Task.sleep(for: pause) }
                answers.append(try await transport.send(ClientRequest(endpoint, method: .get)))
            }
        } catch {
            try await transport.shutdown()
            throw error
        }
        try await transport.shutdown()
        return answers
    }

    @Test func apache() async throws {
        let files = try IdentityFiles()
        try pages(["digest", "short", "basic"], in: files)
        let key = Self.digits(Insecure.MD5.hash(data: Data("guest:Digest here:inside".utf8)))
        try files.write("guest:Digest here:\(key)\n", as: "digest.pw")
        try await files.writePassword("inside", of: "guest", as: "basic.pw")
        let port = try Port.free()
        let command = try Apache.command("apache-auth.conf", [:], files, port: port)
        try await PeerProcess.run(command) {
            let url = "http://localhost:\(port)/digest/"
            let right = Credentials.account(user: "guest", password: "inside")
            let logs = LogCollector()
            let answers = try await call(url, right, times: 3, logs: logs)
            #expect(answers.map(\.status.code) == [200, 200, 200])
            #expect(answers.map { $0.report.legs.map(\.status) } == [[401, 200], [200], [200]])
            #expect(answers.first?.report.legs.last?.authorization == "Digest")
            // Here a nonce is soon too old, and an old one is no wrong password.
            let slow = try await call(
                "http://localhost:\(port)/short/", right, times: 2, pause: .milliseconds(6_500))
            #expect(slow.allSatisfy { $0.status == .ok })
            #expect(slow.last?.report.legs.first?.status == 401)
            let wrong = await #expect(throws: AuthenticationError.self) {
                try await call(url, .account(user: "guest", password: "outside"), logs: logs)
            }
            #expect(wrong?.code == .credentialsRefused)
            // Neither passwords, nor what stands for them: the key and the proofs.
            logs.check(
                hides: ["inside", "outside", key, "cnonce=", "response="], answers.map(\.report), [wrong])
            // Another HTTP client with the engine alone.
            for (name, password) in [("right", "inside"), ("wrong", "outside")] {
                try files.write(password + "\n", as: name)
                let own = try await PeerProcess.output(
                    of: .init(
                        program: try SignetProgram.path(of: "OwnClient"), arguments: [url, "guest", files.path(name)]))
                if name == "right" {
                    #expect(own.output == "1 200 <html>in</html>\n0 200 <html>in</html>\n", "\(own)")
                } else {
                    #expect(own.status == 1 && own.error.contains("refused"), "\(own)")
                }
            }
            let open = "http://localhost:\(port)/basic/"
            let plain = await #expect(throws: AuthenticationError.self) { try await call(open, right) }
            #expect(plain?.code == .insecureChannel)
            let openLogs = LogCollector()
            let allowed = try await call(open, right, times: 2, plain: true, logs: openLogs)
            #expect(allowed.map(\.statuses) == [[401, 200], [200]])
            #expect(allowed.first?.report.legs.last?.authorization == "Basic")
            let refused = await #expect(throws: AuthenticationError.self) {
                try await call(open, .account(user: "guest", password: "outside"), plain: true, logs: openLogs)
            }
            #expect(refused?.code == .credentialsRefused)
            openLogs.check(
                hides: ["inside", "guest:inside", "outside", "guest:outside"], allowed.map(\.report), [refused])
        }
    }

    @Test(arguments: ["SHA-256", "MD5"]) func lighttpd(algorithm: String) async throws {
        let files = try IdentityFiles()
        try pages([], in: files)
        let (user, realm) = ("Jäger", "Digest here")
        func hash(_ text: String) -> String {
            algorithm == "MD5"
                ? Self.digits(Insecure.MD5.hash(data: Data(text.utf8)))
                : Self.digits(SHA256.hash(data: Data(text.utf8)))
        }
        try files.write(
            "\(user):\(realm):\(hash("\(user):\(realm):inside")):\(hash("\(user):\(realm)"))\n", as: "htdigest")
        let port = try Port.free()
        try files.fill("lighttpd.conf", ["PORT": "\(port)", "ALGORITHM": algorithm], as: "lighttpd.conf")
        let command = PeerProcess.Command(
            program: "lighttpd", arguments: ["-D", "-f", files.path("lighttpd.conf")], folder: files.folder, port: port)
        try await PeerProcess.run(command) {
            let url = "http://localhost:\(port)/"
            let answers = try await call(url, .account(user: user, password: "inside"), times: 3)
            #expect(answers.map { $0.report.legs.map(\.status) } == [[401, 200], [200], [200]])
            let wrong = await #expect(throws: AuthenticationError.self) {
                try await call(url, .account(user: user, password: "outside"))
            }
            #expect(wrong?.code == .credentialsRefused)
        }
    }

    @Test(arguments: [false, true]) func theDigestCoversTheContent(isFalse: Bool) async throws {
        let port = try Port.free()
        let command = PeerProcess.Command(
            program: Tool.python,
            arguments: [PeerFile.url("digest_acceptor.py").path, "\(port)"] + (isFalse ? ["wrong"] : []), port: port)
        try await PeerProcess.run(command) {
            let endpoint = try Endpoint("http://localhost:\(port)/")
            var configuration = ConnectionConfiguration()
            configuration.authentication.credentials = .fixed(.account(user: "clerk", password: "way in"))
            let request = ClientRequest(endpoint, body: .init(Array(repeating: 0x61, count: 70_000)))
            if isFalse {
                let error = await #expect(throws: AuthenticationError.self) {
                    try await NIOTransport.answer(to: request, configuration)
                }
                #expect(error?.code == .peerNotProved)
            } else {
                let answer = try await NIOTransport.answer(to: request, configuration)
                #expect(answer.statuses == [401, 200])
                #expect(answer.body.count == 70_004)
            }
        }
    }
}
