import CorpusFiles
import Foundation
import Signet
import SignetTesting
import Testing

#if CORPUS
import CorpusServices
#endif

/// The client that the plugin generates from the real WSDL of VIES, against a service written in PHP, behind an nginx
/// that demands a client certificate.
@Suite struct VIESTests {
    private static let wsdl = "wsdl/vies/checkVatService.wsdl"

    #if CORPUS
    private func configuration(_ port: Int, _ authority: CertificateAuthority) throws -> ServiceConfiguration {
        var service = try ServiceConfiguration("https://localhost:\(port)/checkVat")
        service.trust = .anchors(authority.bundle)
        return service
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func answersAndFaults() async throws {
        let wsdl = try Corpus.file(Self.wsdl)
        let authority = try CertificateAuthority()
        try await VIESPeer.run(wsdl: wsdl, authority: authority) { port in
            var service = try configuration(port, authority)
            service.identity = .fixed(try authority.issueClient(commonName: "Tax adviser"))
            let vies = CheckVatService.Client(service)

            let known = try await vies.checkVat(.init(countryCode: "DE", vatNumber: "123456789"))
            #expect(known.valid)
            #expect(known.countryCode == "DE")
            #expect(known.requestDate == XSDDate.init("2026-11-21+01:00"))
            #expect(known.name == "Muster & Söhne <GmbH>")
            #expect(known.address == "CN=Tax adviser")

            let unknown = try await vies.checkVat(.init(countryCode: "FR", vatNumber: "1234"))
            #expect(!unknown.valid)
            #expect(unknown.name?.value == nil)

            let fault = await #expect(throws: SOAPFault.self) {
                try await vies.checkVat(.init(countryCode: "xx", vatNumber: "1"))
            }
            #expect(fault?.code == .server)
            #expect(fault?.reason == "INVALID_INPUT")
            try await vies.shutdown()
        }
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func anHTMLPageForAMissingCertificateIsReportedAsSuch() async throws {
        let wsdl = try Corpus.file(Self.wsdl)
        let authority = try CertificateAuthority()
        try await VIESPeer.run(wsdl: wsdl, authority: authority) { port in
            // nginx lets the handshake pass and answers 400 with an HTML page.
            let vies = CheckVatService.Client(try configuration(port, authority))
            let error = await #expect(throws: ServiceError.self) {
                try await vies.checkVat(.init(countryCode: "DE", vatNumber: "123456789"))
            }
            #expect(error?.code == .refused)
            #expect(error?.answer?.status == 400)
            #expect(error?.answer?.contentType == "text/html")
            #expect(error?.answer?.firstBytes.contains("No required SSL certificate was sent") == true)
            let message = error?.message ?? ""
            #expect(message.contains("did not get a client certificate: give"), "\(message)")
            try await vies.shutdown()
            var service = try configuration(port, authority)
            let strange = try CertificateAuthority(commonName: "Strange")
            service.identity = .fixed(try strange.issueClient(commonName: "ann"))
            let stranger = CheckVatService.Client(service)
            let refused = await #expect(throws: ServiceError.self) {
                try await stranger.checkVat(.init(countryCode: "DE", vatNumber: "123456789"))
            }
            #expect(
                refused?.code == .refused && refused?.message.contains("did not accept “CN=ann”") == true,
                "\(refused?.message ?? "")")
            try await stranger.shutdown()
        }
    }
    #else
    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func testsAreBuiltWithTheCorpus() {
        Issue.record("The tests were built without SIGNET_CORPUS; build them anew with it.")
    }
    #endif
}
