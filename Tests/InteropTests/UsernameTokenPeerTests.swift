import Foundation
import Signet
import SignetCredentials
import SignetDynamic
import SignetServer
import SignetWSSecurity
import Testing

/// UsernameTokens and Timestamps that other programs make, and those of Signet as the other programs verify them.
@Suite(.serialized) struct UsernameTokenPeerTests {
    private static let wsdl = UsernameTokenPeer.wsdl.path(percentEncoded: false)
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

    @Test(arguments: UsernameTokenPeer.Name.allCases)
    func theServerVerifiesTokensOfPeers(name: UsernameTokenPeer.Name) async throws {
        typealias Report = UsernameTokenPeer.Report
        let peer = try await UsernameTokenPeer(name)
        defer { peer.remove() }
        var settings = SOAPServer.Settings()
        settings.port = 0
        let verifier = UsernameTokenVerifier(replayCache: MemoryReplayCache()) { $0 == "clerk" ? "wäy in" : nil }
        let server = try SOAPServer.withoutTLS(
            Self.dispatcher.verified(by: verifier), path: "/soap", settings: settings)
        let url = "http://127.0.0.1:\(try await server.start())/soap"
        do {
            let (right, wrong) = (Report(text: "clerk"), Report(.failedAuthentication))
            for version in [SOAPVersion.soap11, .soap12] {
                let accepted = try await peer.call(url, version, [.digest, .text, .timed])
                #expect(accepted == [right, right, right])
                let repeated = try await peer.call(url, version, [.twice])
                #expect(repeated == [right, Report(.invalidSecurityToken)])
                let untimely = try await peer.call(url, version, [.stale, .future, .expired])
                #expect(untimely == Array(repeating: Report(.messageExpired), count: 3))
                let guessed = try await peer.call(url, version, password: "way in", [.digest, .text, .timed])
                #expect(guessed == [wrong, wrong, wrong])
                let unknown = try await peer.call(url, version, user: "clark", [.digest, .text])
                #expect(unknown == [wrong, wrong])
            }
        } catch {
            await server.shutdown()
            throw error
        }
        await server.shutdown()
    }

    /// A client that sends one header block with a call, a caller of its own for each.
    private func client(_ url: String, _ version: SOAPVersion) throws -> DynamicClient {
        var configuration = try ServiceConfiguration(url)
        configuration.version = version
        return DynamicClient(try DynamicService(contentsOfFile: Self.wsdl), ServiceCaller(configuration))
    }

    private func clock(behind seconds: Int64) -> ServerClock {
        let clock = ServerClock()
        if let time = XSDDateTime(secondsSinceEpoch: Int64(Date().timeIntervalSince1970) - seconds) {
            clock.learn(time)
        }
        return clock
    }

    @Test(arguments: [UsernameTokenPeer.Name.wss4J, .gSOAP])
    func peersVerifyTokensOfTheClient(name: UsernameTokenPeer.Name) async throws {
        let expired: SOAPFault.Code
        let untimely: SOAPFault.Code
        let replayed: SOAPFault.Code
        switch name {
        case .wss4J:
            // It has the name right and the namespace wrong (SOAP Message Security 1.1 §12).
            expired = SOAPFault.Code(
                namespaceURI: SOAPFault.Code.failedAuthentication.namespaceURI, localName: "MessageExpired")
            (untimely, replayed) = (expired, .invalidSecurity)
        default:
            // gSOAP calls whatever is wrong with a digest a failure.
            (expired, untimely, replayed) = (.messageExpired, .failedAuthentication, .failedAuthentication)
        }
        let peer = try await UsernameTokenPeer(name)
        defer { peer.remove() }
        try await peer.serve { url in
            for version in [SOAPVersion.soap11, .soap12] {
                var client = try client(url, version)
                for form in [UsernameTokenForm.digest, .text] {
                    func call(_ header: SecurityHeader) async throws -> DynamicValue {
                        var header = header
                        header.allowsPlaintext = true
                        client.caller.headerProviders = [header]
                        return try await client.call("Echo", ["text": "from Signet"])
                    }
                    func refusal(of header: SecurityHeader) async -> SOAPFault.Code? {
                        await #expect(throws: SOAPFault.self) { try await call(header) }.flatMap(Self.code(of:))
                    }
                    let right = UsernameToken(form, user: "clerk", password: "wäy in")
                    var header = SecurityHeader(right, lifetime: .seconds(60))
                    for _ in 0..<2 { #expect(try await call(header) == ["text": "clerk"]) }
                    header.writesMilliseconds = false
                    #expect(try await call(header) == ["text": "clerk"])
                    #expect(try await call(SecurityHeader(right)) == ["text": "clerk"])

                    header.usernameToken = UsernameToken(form, user: "clerk", password: "way in")
                    #expect(await refusal(of: header) == .failedAuthentication)
                    header.usernameToken = UsernameToken(form, user: "clark", password: "wäy in")
                    #expect(await refusal(of: header) == .failedAuthentication)
                    // Both look at the Timestamp first.
                    let old = SecurityHeader(right, lifetime: .seconds(60), clock: clock(behind: 3600))
                    #expect(await refusal(of: old) == expired)
                    if form == .digest {
                        #expect(await refusal(of: SecurityHeader(right, clock: clock(behind: 3600))) == untimely)
                        #expect(await refusal(of: SecurityHeader(right, clock: clock(behind: -3600))) == untimely)
                        try await sendTwice(right, client, version, expecting: replayed)
                    }
                }
                try await client.caller.transport.shutdown()
            }
        }
    }

    /// Sends one header block with two messages.
    private func sendTwice(
        _ token: UsernameToken, _ client: DynamicClient, _ version: SOAPVersion, expecting code: SOAPFault.Code
    ) async throws {
        var client = client
        var attempt = CallAttempt(operation: "Echo", endpoint: client.caller.endpoint, version: version)
        attempt.isLocal = true
        // What it makes of the answer is not asked.
        client.caller.headerBlocks = try await SecurityHeader(token).headerBlocks(for: attempt)
        client.caller.headerProviders = []
        client.caller.understoodHeaderBlocks = SecurityHeader().understoodHeaderBlocks
        #expect(try await client.call("Echo", ["text": ""]) == ["text": "clerk"])
        let fault = await #expect(throws: SOAPFault.self) { try await client.call("Echo", ["text": ""]) }
        #expect(fault.flatMap(Self.code(of:)) == code)
    }

    /// The code of WS-Security: in SOAP 1.2 it is below that of SOAP.
    private static func code(of fault: SOAPFault) -> SOAPFault.Code? { fault.subcodes.first ?? fault.code }

    @Test(arguments: [UsernameTokenPeer.Name.wss4J, .gSOAP])
    func aClockIsSetRightByTheTimestampOfAnAnswer(name: UsernameTokenPeer.Name) async throws {
        let peer = try await UsernameTokenPeer(name)
        defer { peer.remove() }
        try await peer.serve { url in
            var client = try client(url, .soap11)
            let clock = ServerClock(learningFrom: .timestamp)
            clock.learn(try #require(XSDDateTime.init("2026-01-01T00:00:00Z")))
            var header = SecurityHeader(.init(.text, user: "clerk", password: "wäy in"), clock: clock)
            header.allowsPlaintext = true
            client.caller.headerProviders = [header]
            // The server's clock differs: the client refuses the first answer, and learns the time from it.
            await #expect(throws: WSSecurityError.self) { try await client.call("Echo", ["text": ""]) }
            header.usernameToken = UsernameToken(.digest, user: "clerk", password: "wäy in")
            client.caller.headerProviders = [header]
            #expect(try await client.call("Echo", ["text": ""]) == ["text": "clerk"])
            try await client.caller.transport.shutdown()
        }
    }

    @Test(arguments: [UsernameTokenForm.digest, .text]) func aPythonServerAcceptsTokensOfTheClient(
        form: UsernameTokenForm
    )
        async throws
    {
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
            var client = try client("http://127.0.0.1:\(port)/", .soap11)
            client.caller.headerProviders = [header]
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
