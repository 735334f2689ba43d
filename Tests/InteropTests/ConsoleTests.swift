import Foundation
import Signet
import SignetTesting
import Testing

@testable import SignetDemo

/// `signet console` in a browser, before the demo's service.
@Suite(.serialized) struct ConsoleTests {
    private struct Report: Decodable {
        var problems: [String]
        var certificates: [String]?
        var wire: String?
        var command: String?
        var swift: String?
        var refused: String?
        var without: String?
        var fault: String?
        var history: Int?
        var export: String?
        var page: String?
    }

    private struct Scene: Encodable {
        var project: String
        var stranger: String
        var folder: String?
    }

    /// A project of SoapUI with one request.
    private static func project(_ endpoint: String) -> String {
        """
        <con:soapui-project name="WebEase tests" xmlns:con="http://eviware.com/soapui/config">
          <con:interface name="WebEaseBinding" type="wsdl" bindingName="{urn:signet:example:webease}WebEaseBinding" soapVersion="1_1"
              xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="con:WsdlInterface">
            <con:operation name="LogEntryQuery" bindingOperationName="LogEntryQuery" action="">
              <con:call name="Query"><con:endpoint>\(endpoint)</con:endpoint><con:request><![CDATA[<soapenv:Envelope
                  xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:w="urn:signet:example:webease:types">
                <soapenv:Header/><soapenv:Body><w:LogEntryQuery><w:patientId>${#Project#patient}</w:patientId></w:LogEntryQuery>
                </soapenv:Body></soapenv:Envelope>]]></con:request></con:call>
            </con:operation>
          </con:interface>
          <con:properties><con:property><con:name>patient</con:name><con:value>P-from-SoapUI</con:value></con:property></con:properties>
        </con:soapui-project>
        """
    }

    @Test func aPersonCallsAndIsRefused() async throws {
        let world = try await World()
        let report: Report
        let printed: String
        do {
            let device = try world.deviceAuthority.issueClient(commonName: "console")
            #expect(try await world.database.register(serialNumber: "console", subject: device.leaf.subject))
            let files = try IdentityFiles()
            try await files.write(device, as: "device")
            try files.join(["device.pem", "device.key"], as: "both.pem")
            try await files.write(try CertificateAuthority().issueClient(commonName: "stranger"), as: "stranger")
            try files.join(["stranger.pem", "stranger.key"], as: "foreign.pem")
            try files.write(world.serverAuthority.bundle.certificates, as: "authority.pem")
            try files.write(world.servicePassword, as: "password")
            try files.write(Self.project(world.address), as: "project.xml")
            let scene = Scene(
                project: files.path("project.xml"), stranger: files.path("foreign.pem"),
                folder: ProcessInfo.processInfo.environment["SIGNET_SCREENSHOTS"])
            let result = try await PeerProcess.output(
                of: .init(
                    program: Tool.python,
                    arguments: [
                        PeerFile.url("console_browser.py").path(percentEncoded: false),
                        String(decoding: try JSONEncoder().encode(scene), as: UTF8.self), try SignetProgram.path(),
                        "console", WebEasePeer.wsdl.path(percentEncoded: false), "--endpoint", world.address,
                        "--identity", files.path("both.pem"), "--ca", files.path("authority.pem"), "--user",
                        World.serviceUser, "--password-file", files.path("password"),
                    ]))
            await world.close()
            guard result.status == 0 else { throw PeerProcess.Failure(description: result.error) }
            report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
            printed = result.output + result.error
        } catch {
            await world.close()
            throw error
        }
        #expect(report.problems.isEmpty, "\(report.problems.joined(separator: "\n"))")
        #expect(report.certificates?.last?.contains("console") == true, "\(report.certificates ?? [])")
        #expect(report.wire?.contains("TLS 1.3") == true && report.wire?.contains("401") == true)
        #expect(report.command?.contains("signet call") == true && report.command?.contains("P-4711") == true)
        #expect(report.refused?.contains("Next: ") == true, "\(report.refused ?? "")")
        #expect(report.without?.contains("certificate") == true, "\(report.without ?? "")")
        #expect(report.fault?.contains("99") == true)
        #expect(report.history == 5)
        #expect(report.export?.contains("P-from-SoapUI") == true)
        for secret in [world.servicePassword, "PRIVATE KEY"] { #expect(!printed.contains(secret)) }
    }
}
