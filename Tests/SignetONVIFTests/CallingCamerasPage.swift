import Signet
import SignetONVIF
import SignetWSSecurity

/// The code of the article CallingCameras, which is compiled and not run. A test of Signet compares the articles with
/// such files.
private struct CallingCamerasPage {
    // Stand for generated code.
    private struct Empty {}
    private enum Device {
        struct Information {
            let manufacturer = ""
            let model = ""
        }
        struct Client: ServiceClient {
            let caller: ServiceCaller
            init(_ caller: ServiceCaller) { self.caller = caller }
            func getDeviceInformation(_ input: Empty) async throws -> Information { .init() }
        }
    }
    private enum Media {
        enum StreamType { case rtpUnicast }
        enum TransportProtocol { case rtsp }
        struct Transport { let `protocol`: TransportProtocol }
        struct StreamSetup {
            let stream: StreamType
            let transport: Transport
        }
        struct GetStreamUri {
            let streamSetup: StreamSetup
            let profileToken: String
        }
        struct Profile {
            let name = ""
            let token = ""
        }
        struct Profiles { let profiles: [Profile] = [] }
        struct MediaUri { let uri = "" }
        struct Stream { let mediaUri = MediaUri() }
        struct Client: ServiceClient {
            let caller: ServiceCaller
            init(_ caller: ServiceCaller) { self.caller = caller }
            func getProfiles(_ input: Empty) async throws -> Profiles { .init() }
            func getStreamUri(_ input: GetStreamUri) async throws -> Stream { .init() }
        }
    }

    private func streams(_ password: String) async throws {
        let caller = ServiceCaller(try ServiceConfiguration("http://192.168.0.10" + ONVIFDevice.servicePath))
        let camera = try await ONVIFDevice.connect(
            caller, SecurityHeader(.init(.digest, user: "admin", password: password)), allowsPlaintext: true)
        let information = try await Device.Client(camera.caller).getDeviceInformation(.init())
        print(information.manufacturer, information.model)

        let media = Media.Client(try camera.caller(for: "http://www.onvif.org/ver10/media/wsdl"))
        for profile in try await media.getProfiles(.init()).profiles {
            let stream = try await media.getStreamUri(
                .init(
                    streamSetup: .init(stream: .rtpUnicast, transport: .init(protocol: .rtsp)),
                    profileToken: profile.token))
            print(profile.name, stream.mediaUri.uri)
        }
    }
}
