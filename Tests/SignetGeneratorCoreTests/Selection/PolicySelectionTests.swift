import Foundation
import SignetGeneratorCore
import Testing

/// What policies demand, in the code.
@Suite struct PolicySelectionTests {
    private static let sp = "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702"

    private func wsdl(_ port: String, _ operation: String = "") -> String {
        makeService(
            operations: ["do", "ask"], schema: message("") + message("", name: "ask"),
            soapOperation: "<soap:operation soapAction=\"\"/>"
        )
        .replacing(
            "<definitions ", with: "<definitions xmlns:p=\"http://www.w3.org/ns/ws-policy\" xmlns:sp=\"\(Self.sp)\" "
        )
        .replacing("type=\"w:P\">", with: "type=\"w:P\">\(port)")
        .replacing(
            "<operation name=\"ask\"><soap:", with: "<operation name=\"ask\">\(operation)<soap:"
        )
        .replacing("http://localhost/", with: "https://localhost/")
    }

    private static let transport = """
        <p:Policy><sp:TransportBinding><p:Policy><sp:TransportToken><p:Policy><sp:HttpsToken><p:Policy>
        <sp:RequireClientCertificate/></p:Policy></sp:HttpsToken></p:Policy></sp:TransportToken><sp:IncludeTimestamp/>
        </p:Policy></sp:TransportBinding></p:Policy>
        """
    private static let token = """
        <p:Policy><sp:SignedSupportingTokens><p:Policy><sp:UsernameToken><p:Policy><sp:HashPassword/></p:Policy></sp:UsernameToken>
        </p:Policy></sp:SignedSupportingTokens></p:Policy>
        """

    @Test func portsSayWhatTheyDemand() throws {
        let result = try generateDemo(wsdl(Self.transport + Self.token))
        #expect(result.diagnostics.isEmpty, "\(result.diagnostics)")
        let text = result.text
        #expect(text.contains("requires: [.tls, .clientCertificate, .timestamp, .usernameToken(.digest)]"))
        #expect(text.components(separatedBy: "requires:").count == 2)
    }

    @Test func operationsSayWhatTheyDemandBeyond() throws {
        let text = try generateDemo(wsdl("", Self.transport + Self.token)).text
        // The way to the service is one for all.
        #expect(text.contains("requires: [.tls, .clientCertificate])"))
        #expect(text.contains("requires: [.timestamp, .usernameToken(.digest)]"))
    }

    @Test func withoutPoliciesNothingIsSaid() throws {
        #expect(try !generateDemo(wsdl("")).text.contains("requires"))
    }

    @Test func whatIsNotDoneIsAWarning() throws {
        let result = try generateDemo(wsdl("<p:Policy><sp:AsymmetricBinding/></p:Policy>"))
        #expect(!result.hasErrors)
        #expect(result.warnings.contains { $0.message.contains("AsymmetricBinding") && $0.location.line > 0 })
    }
}
