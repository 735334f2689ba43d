import Foundation
import Signet
import SignetONVIF
import SignetWSSecurity
import Testing

/// A device that Python plays, which checks by its own code what it is sent. Its clock is an hour ahead, and the
/// addresses that it reports lead nowhere.
@Suite(.serialized) struct ONVIFPeerTests {
    private static let ptz = "http://www.onvif.org/ver20/ptz/wsdl"
    private static let nodes = ServiceOperation<XMLAny, XMLAny>(
        name: "GetNodes", soapAction: "\(ptz)/GetNodes", version: .soap12,
        input: XMLName(XMLNamespace(ptz), "GetNodes"),
        output: XMLName(XMLNamespace(ptz), "GetNodesResponse"))

    private func with(
        _ body: (_ address: String, _ files: IdentityFiles, _ calls: () throws -> [String]) async throws -> Void
    ) async throws {
        let port = try Port.free()
        let files = try IdentityFiles()
        try files.write("3600", as: "clock")
        try files.write("", as: "calls")
        let command = PeerProcess.Command(
            program: Tool.python,
            arguments: [
                PeerFile.url("onvif_device.py").path(percentEncoded: false), "\(port)",
                files.folder.path(percentEncoded: false),
            ], port: port)
        try await PeerProcess.run(command) {
            try await body("http://127.0.0.1:\(port)", files) {
                try String(contentsOfFile: files.path("calls"), encoding: .utf8).split(separator: "\n").map(String.init)
            }
        }
    }

    private func security(_ password: String = "kamerä") -> SecurityHeader {
        SecurityHeader(.init(.digest, user: "admin", password: password))
    }

    @Test func firstCallLearnsAndSecondSucceeds() async throws {
        try await with { address, _, calls in
            let service = ServiceCaller(try ServiceConfiguration(address + ONVIFDevice.servicePath))
            let device = try await ONVIFDevice.connect(service, security())
            #expect(
                try calls() == [
                    "/onvif/device_service GetSystemDateAndTime nothing right",
                    "/onvif/device_service GetServices token right",
                ])
            let offset = try #require(device.clock?.offset)
            #expect(offset > .seconds(3_590) && offset < .seconds(3_601))
            _ = try await device.caller(for: Self.ptz).call(Self.nodes, XMLAny())
            #expect(try calls().last == "/onvif/ptz?channel=1 GetNodes token right")
            try await service.transport.shutdown()
        }
    }

    @Test func deviceRefusesAClientThatHasNotLearnedItsTime() async throws {
        try await with { address, _, calls in
            var service = ServiceCaller(try ServiceConfiguration(address + "/onvif/ptz"))
            service.headerProviders = [security()]
            let fault = await #expect(throws: SOAPFault.self) { try await service.call(Self.nodes, XMLAny()) }
            #expect(fault?.subcodes.first?.localName == "NotAuthorized")
            #expect(try calls() == ["/onvif/ptz GetNodes token refused"])
            try await service.transport.shutdown()
        }
    }

    @Test(arguments: [400, 401]) func aClockThatWasSetIsLearnedAgain(status: Int) async throws {
        try await with { address, files, calls in
            try files.write("\(status)", as: "status")
            let service = ServiceCaller(try ServiceConfiguration(address + ONVIFDevice.servicePath))
            let device = try await ONVIFDevice.connect(service, security())
            try files.write("-1800", as: "clock")
            let ptz = try device.caller(for: Self.ptz)
            for _ in 0..<2 { _ = try await ptz.call(Self.nodes, XMLAny()) }
            #expect(
                try calls().dropFirst(2) == [
                    "/onvif/ptz?channel=1 GetNodes token refused",
                    "/onvif/device_service GetSystemDateAndTime nothing right",
                    "/onvif/ptz?channel=1 GetNodes token right", "/onvif/ptz?channel=1 GetNodes token right",
                ])
            try await service.transport.shutdown()
        }
    }

    @Test func aWrongPasswordIsSentOnce() async throws {
        try await with { address, _, calls in
            let service = ServiceCaller(try ServiceConfiguration(address + ONVIFDevice.servicePath))
            await #expect(throws: SOAPFault.self) { try await ONVIFDevice.connect(service, security("camera")) }
            #expect(try calls().filter { $0.contains("token") } == ["/onvif/device_service GetServices token refused"])
            try await service.transport.shutdown()
        }
    }

    @Test func devicesThatAskForHTTPDigestGetIt() async throws {
        try await with { address, _, calls in
            var configuration = try ServiceConfiguration(address + "/http" + ONVIFDevice.servicePath)
            configuration.authentication = AuthenticationPolicy(
                credentials: .fixed(.account(user: "admin", password: "kamerä")))
            configuration.authentication.schemes = [.digest]
            let service = ServiceCaller(configuration)
            let device = try await ONVIFDevice.connect(service, nil)
            #expect(device.services.count == 2)
            #expect(
                try calls() == [
                    "/http/onvif/device_service ? nothing challenged",
                    "/http/onvif/device_service GetServices nothing right",
                ])
            try await service.transport.shutdown()
        }
    }
}
