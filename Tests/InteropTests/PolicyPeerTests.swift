import Foundation
import Signet
import SignetDynamic
import SignetTesting
import SignetWSSecurity
import Testing

/// Clients that know from the policies of a WSDL alone how to call, at a service that insists on it: nginx wants the
/// certificate, Python a Timestamp and a UsernameToken with a digest.
@Suite(.serialized) struct PolicyPeerTests {
    private static let wsdl = PeerFile.url("guarded.wsdl")

    private func run(_ body: (_ port: Int, CertificateAuthority) async throws -> Void) async throws {
        let authority = try CertificateAuthority()
        let port = try Port.free()
        let command = PeerProcess.Command(
            program: Tool.python,
            arguments: [
                PeerFile.url("username_token_server.py").path(percentEncoded: false), "\(port)", "0", "timed",
            ], port: port)
        try await PeerProcess.run(command) {
            try await MutualTLSProxy.run(before: port, authority: authority) { try await body($0, authority) }
        }
    }

    @Test func aClientConfiguresItself() async throws {
        let service = try DynamicService(contentsOfFile: Self.wsdl.path(percentEncoded: false))
        #expect(service.warnings.isEmpty, "\(service.warnings)")
        let port = service.servicePort
        #expect(port.requirements == [.tls, .clientCertificate, .timestamp, .usernameToken(.digest)])
        try await run { number, authority in
            var configuration = try ServiceConfiguration(port, address: "https://localhost:\(number)/service")
            configuration.trust = .anchors(authority.bundle)
            func message(_ change: (inout ServiceConfiguration) -> Void) async throws -> String {
                var changed = configuration
                change(&changed)
                let client = DynamicClient(service, ServiceCaller(changed))
                var text = ""
                do { text = try await client.call("Echo", ["text": ""]).json() } catch { text = "\(error)" }
                try await client.caller.transport.shutdown()
                return text
            }
            let header = SecurityHeader(for: port, user: "clerk", password: "wäy in")
            let identity = try authority.issueClient(commonName: "device-7")

            #expect(try await message { $0.headerProviders = [header] }.contains("give the configuration an identity"))
            #expect(try await message { $0.identity = .fixed(identity) }.contains("SecurityHeader(for:)"))
            #expect(
                try await message {
                    $0.identity = .fixed(identity)
                    $0.headerProviders = [SecurityHeader(for: port)]
                }.contains("give SecurityHeader(for:) a user"))
            #expect(
                try await message {
                    $0.identity = .fixed(identity)
                    $0.headerProviders = [SecurityHeader(for: port, user: "clerk", password: "way in")]
                }.contains("No."))
            #expect(
                try await message {
                    $0.identity = .fixed(identity)
                    $0.headerProviders = [header]
                }.contains("\"in\""))
            var plain = try ServiceConfiguration(port, address: "http://localhost:\(number)/service")
            plain.identity = .fixed(identity)
            plain.headerProviders = [header]
            let caller = ServiceCaller(plain)
            let error = await #expect(throws: ServiceError.self) {
                try await DynamicClient(service, caller).call("Echo", ["text": ""])
            }
            #expect(error?.code == .unmetRequirement)
            try await caller.transport.shutdown()
        }
    }

    @Test func theCommandConfiguresItself() async throws {
        try await run { number, authority in
            var signet = try SignetProgram(Self.wsdl)
            let bare = try await signet.call("Echo", ["--set", "text=", "--endpoint", "http://localhost:\(number)/"])
            #expect(bare.status == 1)
            #expect(bare.error.contains("The WSDL demands TLS"), "\(bare)")
            #expect(bare.error.contains("--identity"), "\(bare)")
            try await signet.connect(port: number, authority, as: "device-7")
            let nobody = try await signet.call("Echo", ["--set", "text="])
            #expect(nobody.status == 1)
            #expect(nobody.error.contains("UsernameToken") && nobody.error.contains("--wss-user"), "\(nobody)")
            try signet.files.write("wäy in\n", as: "user.password")
            let user = ["--wss-user", "clerk", "--wss-password-file", signet.files.path("user.password")]
            #expect(try await signet.answer("Echo", ["--set", "text="] + user)["text"].text == "in")
            let anyway = try await signet.call("Echo", ["--set", "text=", "--ignore-policies"])
            #expect(anyway.status == 1)
            #expect(anyway.error.contains("No."), "\(anyway)")
        }
    }
}
