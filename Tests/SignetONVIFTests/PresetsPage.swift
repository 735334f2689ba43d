import Signet
import SignetAEAT
import SignetONVIF
import SignetWSSecurity

/// The code of the article Presets, which is compiled and not run. A test of Signet compares the articles with such
/// files.
private struct PresetsPage {
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
}
