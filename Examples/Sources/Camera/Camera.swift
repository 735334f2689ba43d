import Signet
import SignetONVIF
import SignetServer
import SignetWSSecurity

/// Asks a camera what it is, and where its streams are. The camera is simulated in the same process.
@main enum Example {
    static func main() async throws {
        let password = "\(UInt64.random(in: .min ... .max))"
        let server = try SimulatedCamera.server(password: password)
        var service = try ServiceConfiguration("http://127.0.0.1:\(try await server.start())\(ONVIFDevice.servicePath)")
        service.deadlines.total = .seconds(10)
        let caller = ServiceCaller(service)

        // Cameras rarely speak https; see the article on what plain HTTP does not protect from.
        let camera = try await ONVIFDevice.connect(
            caller, SecurityHeader(.init(.digest, user: "admin", password: password)), allowsPlaintext: true)
        if let offset = camera.clock?.offset { print("Clock:", offset.components.seconds, "s from ours") }
        for service in camera.services { print("Service:", service.namespace, "at", service.address) }

        let information = try await Device.Client(camera.caller).getDeviceInformation(.init())
        print("Device:", information.manufacturer, information.model, "firmware", information.firmwareVersion)

        let media = Media.Client(try camera.caller(for: SimulatedCamera.media))
        print("Called at:", media.caller.endpoint)
        for profile in try await media.getProfiles(.init()).profiles {
            let size = profile.videoEncoderConfiguration.map { "\($0.resolution.width)×\($0.resolution.height)" }
            let stream = try await media.getStreamUri(
                .init(
                    streamSetup: .init(stream: .rtpUnicast, transport: .init(protocol: .rtsp)),
                    profileToken: profile.token))
            print("   ", profile.name, size ?? "without video", stream.mediaUri.uri)
        }

        do {
            _ = try await ONVIFDevice.connect(
                caller, SecurityHeader(.init(.digest, user: "admin", password: "wrong")), allowsPlaintext: true)
        } catch let fault as SOAPFault {
            print("With a wrong password:", fault.reason, fault.subcodes.map(\.localName))
        }
        try await caller.transport.shutdown()
        await server.shutdown()
    }
}
