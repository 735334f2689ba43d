import Foundation
import Signet
import SignetDynamic
import SignetServer
import SignetWSSecurity
import Testing

/// UsernameTokens that zeep makes, and ours as Python reads them.
@Suite(.serialized) struct UsernameTokenPeerTests {
    private static let wsdl = PeerFile.url("username_token.wsdl").path(percentEncoded: false)
    private static let echo = XMLName("urn:signet:example:echo", "Echo")

    private static let dispatcher = ServiceDispatcher(
        name: "Echo", versions: [.soap11, .soap12],
        routes: [
            ServiceOperation<XMLAny, XMLAny>(
                name: "Echo", soapAction: "urn:echo", version: .soap11, input: echo, output: echo
            ).route { _, context in
                XMLAny(children: [
                    try XMLFragment(XMLName("urn:signet:example:echo", "text"), text: context.peer.user ?? "")
                ])
            }
        ])

    /// What zeep says of a call.
    private struct Report: Decodable {
        var text: String?
        var code: String?
        var subcode: String?
    }

    private func zeep(_ port: Int, _ version: String, _ form: String, password: String) async throws -> Report {
        let files = try IdentityFiles()
        try files.write(password, as: "password")
        let result = try await PeerProcess.output(
            of: .init(
                program: Tool.python,
                arguments: [
                    PeerFile.url("username_token_client.py").path(percentEncoded: false), Self.wsdl,
                    "http://127.0.0.1:\(port)/soap", version, form, "clerk", files.path("password"),
                ]))
        guard result.status == 0 else { throw PeerProcess.Failure(description: "zeep: \(result.error)") }
        return try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
    }

    @Test(arguments: ["11", "12"], ["digest", "text", "timed"])
    func whatZeepSendsIsJudged(version: String, form: String) async throws {
        var settings = SOAPServer.Settings()
        settings.port = 0
        let verifier = UsernameTokenVerifier { $0 == "clerk" ? "wäy in" : nil }
        let server = try SOAPServer.withoutTLS(
            Self.dispatcher.verified(by: verifier), path: "/soap", settings: settings)
        let port = try await server.start()
        do {
            let right = try await zeep(port, version, form, password: "wäy in")
            #expect(right.text == "clerk", "\(right)")
            let wrong = try await zeep(port, version, form, password: "way in")
            let code = version == "11" ? wrong.code : wrong.subcode
            #expect(code?.hasSuffix("FailedAuthentication") == true, "\(wrong)")
        } catch {
            await server.shutdown()
            throw error
        }
        await server.shutdown()
    }

    @Test(arguments: [PasswordForm.digest, .text]) func whatWeSendIsRight(form: PasswordForm) async throws {
        let port = try Port.free()
        let command = PeerProcess.Command(
            program: Tool.python,
            arguments: [PeerFile.url("username_token_server.py").path(percentEncoded: false), "\(port)", "3600"],
            port: port)
        try await PeerProcess.run(command) {
            // A clock that is an hour ahead is only a matter for a digest.
            let clock = ServerClock(learningFrom: form == .digest ? .dateField : [])
            var header = SecurityHeader(
                .init(form, user: "clerk", password: "wäy in"), lifetime: .seconds(60), clock: clock)
            header.allowsPlaintext = true
            var configuration = try ServiceConfiguration("http://127.0.0.1:\(port)/")
            configuration.version = .soap11
            configuration.headerProviders = [header]
            var client = DynamicClient(try DynamicService(contentsOfFile: Self.wsdl), ServiceCaller(configuration))
            if form == .digest {
                let fault = await #expect(throws: SOAPFault.self) { try await client.call("Echo", ["text": ""]) }
                #expect(fault?.code == .invalidSecurityToken)
            }
            for _ in 0..<2 { #expect(try await client.call("Echo", ["text": ""]) == ["text": "in"]) }
            header.usernameToken = UsernameToken(form, user: "clerk", password: "way in")
            client.caller.headerProviders = [header]
            let fault = await #expect(throws: SOAPFault.self) { try await client.call("Echo", ["text": ""]) }
            #expect(fault?.code == .failedAuthentication)
            try await client.caller.transport.shutdown()
        }
    }
}
