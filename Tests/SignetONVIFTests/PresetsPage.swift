import Foundation
import Signet
import SignetAEAT
import SignetONVIF
import SignetWSSecurity
import Testing

/// The code of Documentation/Presets.md, compiled and compared with the page. Nothing of it is run.
@Suite struct PresetsPage {
    /// Stand for generated code.
    private struct PTZ {
        struct Client: ServiceClient {
            let caller: ServiceCaller
            init(_ caller: ServiceCaller) { self.caller = caller }
        }
    }
    private enum Verifactu { enum Ports { static let all: [ServicePort] = [] } }

    private func devices(_ password: String) async throws {
        var service = try ServiceConfiguration("http://192.168.0.10" + ONVIFDevice.servicePath)
        service.deadlines.total = .seconds(10)
        let device = try await ONVIFDevice.connect(
            ServiceCaller(service), SecurityHeader(.init(.digest, user: "admin", password: password)),
            allowsPlaintext: true)
        let ptz = PTZ.Client(try device.caller(for: "http://www.onvif.org/ver20/ptz/wsdl"))

        service.authentication = AuthenticationPolicy(credentials: .fixed(.account(user: "admin", password: password)))
        service.authentication.schemes = [.digest]
        service.authentication.allowsPlaintext = true
        let newer = try await ONVIFDevice.connect(ServiceCaller(service), nil)
        print(ptz, newer)
    }

    private func agency(_ identity: Identity) throws {
        let port = try AEATEnvironment.test.port(among: Verifactu.Ports.all, for: identity)
        var verifactu = try ServiceConfiguration(port)
        verifactu.identity = .fixed(identity)
    }

    @Test func thePageShowsThisCode() throws {
        let here = URL(fileURLWithPath: #filePath).standardizedFileURL
        let page = here.deletingLastPathComponent().appendingPathComponent("../../Documentation/Presets.md")
        let compiled = try words(of: String(contentsOf: here, encoding: .utf8))
        let blocks = try String(contentsOf: page, encoding: .utf8).split(separator: "```").filter {
            $0.hasPrefix("swift\n")
        }
        #expect(blocks.count == 3)
        for block in blocks { #expect(compiled.contains(words(of: String(block.dropFirst(6)))), "\(block)") }
    }

    /// Neither lines nor spaces count: the formatter breaks lines where it likes.
    private func words(of text: String) -> String { String(text.filter { !$0.isWhitespace }) }
}
