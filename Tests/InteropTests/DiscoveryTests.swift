import Foundation
import TestSupport
import Testing

/// `signet discover` in a network of its own, with a camera of the Python package WSDiscovery, a printer in the other
/// version, and a host that attacks the search.
@Suite(.serialized, .enabled(if: isAbleToMakeNetworks, "Network namespaces need root and the program unshare."))
struct DiscoveryTests {
    private static let camera = "urn:uuid:5f5a69c2-e0ae-504f-829b-00aaaaaaaa01"
    private static let printer = "urn:uuid:5f5a69c2-e0ae-504f-829b-00aaaaaaaa02"

    private func discover(
        _ mode: String, _ arguments: String...
    ) async throws -> (status: Int32, output: String, error: String) {
        try await PeerProcess.output(
            of: .init(
                program: "unshare",
                arguments: [
                    "--net", Tool.python, PeerFile.url("discovery_devices.py").path(percentEncoded: false),
                    try SignetProgram.path(), mode,
                ] + arguments))
    }

    private func device(_ name: String, in report: JSON) -> JSON? {
        (0..<(report["devices"].count ?? 0)).map { report["devices"][$0] }.first { $0["endpointAddress"].text == name }
    }

    @Test func devicesOfBothVersionsAreFound() async throws {
        let outcome = try await discover("devices", "--seconds", "5", "--json")
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try JSONSchema.departures(of: outcome.output, from: "discover") == "")
        let report = try JSON(outcome.output)
        #expect(report["devices"].count == 2)
        let camera = try #require(device(Self.camera, in: report))["answers"][0]
        #expect(camera["host"].text == "10.9.0.2")
        #expect(camera["types"][0].text == "{http://www.onvif.org/ver10/network/wsdl}NetworkVideoTransmitter")
        #expect(camera["scopes"].count == 2)
        #expect(camera["addresses"][0]["address"].text == "http://10.9.0.2/onvif/device_service")
        #expect(camera["addresses"][0]["isAtAnsweringHost"].number == 1)
        let printer = try #require(device(Self.printer, in: report))["answers"][0]
        #expect(printer["versions"][0].text == "WS-Discovery 1.1")
        #expect(printer["metadataVersion"].number == 3)
    }

    @Test func typesAndInterfacesNarrowTheSearch() async throws {
        let outcome = try await discover("devices", "--onvif", "--interface", "net0", "--seconds", "5", "--json")
        let report = try JSON(outcome.output)
        #expect(report["devices"].count == 1 && device(Self.camera, in: report) != nil)
    }

    @Test func aHostileHostHidesNoDevice() async throws {
        let outcome = try await discover("hostile", "--onvif", "--seconds", "5", "--json")
        #expect(outcome.status == 0)
        let report = try JSON(outcome.output)
        let camera = try #require(device(Self.camera, in: report))
        let answers = (0..<(camera["answers"].count ?? 0)).map { camera["answers"][$0] }
        let own = try #require(answers.first { $0["host"].text == "10.9.0.2" })
        #expect(own["addresses"].count == 1)
        #expect(own["addresses"][0]["address"].text == "http://10.9.0.2/onvif/device_service")
        #expect((report["devices"].count ?? 0) <= 65)
        #expect((report["datagrams"]["malformed"].number ?? 0) >= 5)
        #expect((report["datagrams"]["beyondLimits"].number ?? 0) > 100)
        #expect(!outcome.output.contains("secret") && !outcome.output.contains("\u{202E}"))
    }

    @Test func noDeviceIsStatusOne() async throws {
        let outcome = try await discover("silent", "--seconds", "1")
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        #expect(outcome.error.contains("No device has answered"))
    }
}

private let isAbleToMakeNetworks: Bool = {
    guard geteuid() == 0, let unshare = Tool.path(of: "unshare") else { return false }
    let process = Process()
    process.executableURL = URL(filePath: unshare)
    process.arguments = ["--net", "ip", "link", "add", "name", "probe0", "type", "veth"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
}()
