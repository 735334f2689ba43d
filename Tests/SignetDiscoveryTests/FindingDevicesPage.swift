import Signet
import SignetDiscovery
import SignetONVIF
import SignetWSSecurity

/// The code of the article FindingDevices, which is compiled and not run. A test of Signet compares the articles with
/// such files.
private struct FindingDevicesPage {
    private func find() async throws {
        var discovery = DeviceDiscovery()
        discovery.types = [DeviceDiscovery.onvifCamera]
        let probe = discovery.probe()
        for try await device in probe {
            print(device.endpointAddress, device.hosts, device.addresses)
        }
        print(probe.tally.malformed, "answers could not be read")
    }

    private func connect(_ device: DiscoveredDevice, _ password: String) async throws {
        let confirmed = try device.endpoint(confirming: .address("http://192.168.0.10/onvif/device_service"))
        var service = try ServiceConfiguration(confirmed.endpoint.url)
        service.trust = confirmed.narrowing(service.trust)
        let camera = try await ONVIFDevice.connect(
            ServiceCaller(service), SecurityHeader(.init(.digest, user: "admin", password: password)),
            allowsPlaintext: true)
        print(camera.services)
    }

    private func known(_ device: DiscoveredDevice, _ pin: String) throws {
        let keys = try device.endpoints(confirming: .pins([.publicKey(sha256: pin)]))
        let host = try device.endpoint(confirming: .host("192.168.0.10"))
        print(keys, host)
    }

    private func resolve() async throws {
        let discovery = DeviceDiscovery()
        if let device = try await discovery.resolve("urn:uuid:5f5a69c2-e0ae-504f-829b-00aaaaaaaa01") {
            print(device.addresses)
        }
    }

    private func ask() async throws {
        var discovery = DeviceDiscovery()
        discovery.target = .host("192.168.0.10")
        discovery.versions = [.v2005]
        discovery.listening = .seconds(2)
        for try await device in discovery.probe() { print(device.types, device.scopes) }
    }
}
