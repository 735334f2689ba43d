import Foundation
import Signet
import SignetDynamic
import SignetServer
import Testing

/// Header blocks of WS-Addressing that zeep sends, and those of Signet as gSOAP's plugin reads and answers them.
@Suite(.serialized) struct AddressingPeerTests {
    private static let wsdl = PeerFile.url("addressing.wsdl")
    private static let action = "urn:signet:example:addressed:echo"

    private static let dispatcher = ServiceDispatcher(
        name: "Addressed", versions: [.soap11, .soap12],
        routes: [
            ServiceOperation<XMLAny, XMLAny>(
                name: "Echo", soapAction: action, version: .soap11,
                input: XMLName("urn:signet:example:addressed", "Echo"),
                output: XMLName("urn:signet:example:addressed", "EchoResponse"),
                actions: .init(output: "\(action)ed")
            ).route { input, _ in
                if input.text == "fault" { throw SOAPFault.client("asked for") }
                return input
            }
        ])

    /// What zeep says of a call.
    private struct Report: Decodable {
        var text: String?
        var fault: String?
        var sent: [String: String]
        var received: [String: String]
    }

    @Test(arguments: ["11", "12"], ["hello", "fault"])
    func theServerAnswersRequestsFromZeep(version: String, text: String) async throws {
        var settings = SOAPServer.Settings()
        settings.port = 0
        let server = try SOAPServer.withoutTLS(
            Self.dispatcher.verified(by: AddressingVerifier(isRequired: true)), path: "/soap", settings: settings)
        let port = try await server.start()
        let result: (status: Int32, output: String, error: String)
        do {
            let output = try await PeerProcess.output(
                of: .init(
                    program: Tool.python,
                    arguments: [
                        PeerFile.url("addressing_client.py").path(percentEncoded: false),
                        Self.wsdl.path(percentEncoded: false), "http://127.0.0.1:\(port)/soap", version, text,
                    ]))
            result = (output.status, output.output, output.error)
        } catch {
            await server.shutdown()
            throw error
        }
        await server.shutdown()
        try #require(result.status == 0, "\(result.error)")
        let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
        #expect(report.sent["Action"] == Self.action)
        #expect(report.received["RelatesTo"] == report.sent["MessageID"])
        #expect(report.received["MessageID"]?.hasPrefix("urn:uuid:") == true)
        let isFault = text == "fault"
        #expect(
            report.received["Action"]
                == (isFault ? "http://www.w3.org/2005/08/addressing/soap/fault" : "\(Self.action)ed"))
        #expect(report.text == (isFault ? nil : text))
        #expect(report.fault == (isFault ? "asked for" : nil))
    }

    /// - Parameter server: that of 1.0, or that of 2004/08.
    @Test(arguments: [("addressing_server_wsa5", AddressingVersion.v10), ("addressing_server_wsa", .submission)])
    func gSOAPAnswers(server: String, addressing: AddressingVersion) async throws {
        let peer = try await GSOAPPeer(.addressing, wsdl: Self.wsdl)
        let path = Self.wsdl.path(percentEncoded: false)
        try await peer.run(server) { port in
            for version in [SOAPVersion.soap11, .soap12] {
                var configuration = try ServiceConfiguration("http://127.0.0.1:\(port)/")
                configuration.version = version
                var header = AddressingHeader(addressing)
                header.mustUnderstand = true
                header.requiresRelatesTo = true
                header.requiresAction = true
                configuration.headerProviders = [header]
                var client = DynamicClient(
                    try DynamicService(contentsOfFile: path, port: "Addressed11"), ServiceCaller(configuration))
                let answer = try await client.answer(to: "Echo", ["text": "grüße"])
                #expect(answer.output == ["text": "grüße"])
                // What the plugin says in a fault.
                let fault = await #expect(throws: SOAPFault.self) { try await client.call("Echo", ["text": "fault"]) }
                #expect(fault?.reason == "asked for")
                #expect(fault?.headerBlocks.contains { $0.localName == "RelatesTo" } == true)
                // The plugin looks for the blocks that the client sends.
                client.caller.headerProviders = []
                client.caller.understoodHeaderBlocks = header.understoodHeaderBlocks
                let refusal = await #expect(throws: SOAPFault.self) { try await client.call("Echo", ["text": "x"]) }
                #expect(refusal?.description.contains("HeaderRequired") == true, "\(String(describing: refusal))")
                try await client.caller.transport.shutdown()
            }
        }
    }
}
