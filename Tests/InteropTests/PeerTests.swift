import CorpusFiles
import Foundation
import SignetTLS
import SignetTesting
import Testing

/// The peers themselves: the tests show that a refusal comes from the peer, and not from Signet.
@Suite struct PeerTests {
    @Test func outputAndStatusOfAProgram() async throws {
        let result = try await PeerProcess.output(
            of: .init(
                program: "sh", arguments: ["-c", "echo $GREETING; echo no >&2; exit 3"],
                environment: ["GREETING": "yes"]))
        #expect(result.status == 3)
        #expect(result.output == "yes\n")
        #expect(result.error == "no\n")
    }

    @Test func programThatEndsBeforeItAnswersIsReportedWithItsWords() async throws {
        let command = PeerProcess.Command(
            program: "sh", arguments: ["-c", "echo broken >&2; exit 1"], port: try Port.free())
        let error = await #expect(throws: PeerProcess.Failure.self) { try await PeerProcess.run(command) {} }
        #expect(error?.description.contains("broken") == true)
    }

    @Test func programIsEndedWhenTheTestFails() async throws {
        struct TestFailed: Error {}
        let port = try Port.free()
        let command = PeerProcess.Command(
            program: "php", arguments: ["-S", "127.0.0.1:\(port)"], port: port)
        await #expect(throws: TestFailed.self) {
            try await PeerProcess.run(command) {
                #expect(Port.answers(port))
                throw TestFailed()
            }
        }
        #expect(!Port.answers(port))
    }

    @Test func aMissingProgramIsAnError() async throws {
        await #expect(throws: PeerProcess.Failure.self) {
            try await PeerProcess.output(of: .init(program: "no-such-program"))
        }
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func nginxDemandsACertificateOfTheAuthority() async throws {
        let wsdl = try Corpus.file("wsdl/vies/checkVatService.wsdl")
        let authority = try CertificateAuthority()
        let files = try IdentityFiles()
        try files.write(authority.bundle.certificates, as: "authority.pem")
        try await files.write(try authority.issueClient(commonName: "device-7"), as: "device")
        try await files.write(try CertificateAuthority().issueClient(commonName: "device-7"), as: "stranger")
        let request = """
            <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>\
            <checkVat xmlns="urn:ec.europa.eu:taxud:vies:services:checkVat:types"><countryCode>DE</countryCode>\
            <vatNumber>123456789</vatNumber></checkVat></s:Body></s:Envelope>
            """
        try await VIESPeer.run(wsdl: wsdl, authority: authority) { port async throws in
            let base = [
                "--disable", "--silent", "--show-error", "--noproxy", "*", "--max-time", "30", "--cacert",
                files.path("authority.pem"),
                "--header", "Content-Type: text/xml", "--data-binary", request, "https://localhost:\(port)/",
            ]
            func answer(_ certificate: String?) async throws -> String {
                let shown =
                    certificate.map { ["--cert", files.path("\($0).pem"), "--key", files.path("\($0).key")] } ?? []
                return try await PeerProcess.output(of: .init(program: "curl", arguments: shown + base)).output
            }
            #expect(try await answer("device").contains("<ns1:address>CN=device-7</ns1:address>"))
            #expect(try await answer("stranger").contains("400 The SSL certificate error"))
            #expect(try await answer(nil).contains("400 No required SSL certificate was sent"))
        }
    }
}
