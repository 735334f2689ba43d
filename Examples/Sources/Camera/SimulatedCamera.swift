import Foundation
import Signet
import SignetONVIF
import SignetServer
import SignetWSSecurity

/// A camera whose clock is an hour slow, and which reports an address that only its own network knows.
struct SimulatedCamera: Device.Service, Media.Service {
    static let media = "http://www.onvif.org/ver10/media/wsdl"
    private static let slowness = Duration.seconds(3_600)

    /// A server for both services of the camera, which is not started yet.
    static func server(password: String) throws -> SOAPServer {
        let camera = SimulatedCamera()
        let guardian = TokenGuard(password: password, slowness: slowness)
        var settings = SOAPServer.Settings()
        settings.port = 0
        return try SOAPServer.withoutTLS(
            [
                .init(Device.dispatcher(camera).verified(by: guardian), path: ONVIFDevice.servicePath),
                .init(Media.dispatcher(camera).verified(by: guardian), path: "/onvif/media"),
            ], settings: settings)
    }

    func getSystemDateAndTime(
        _ input: Device.GetSystemDateAndTime, _ context: OperationContext
    ) async throws -> Device.GetSystemDateAndTimeResponse {
        guard let now = XSDDateTime(Date.now - TimeInterval(Self.slowness.components.seconds)) else {
            throw SOAPFault(.receiver, "The clock is wrong.")
        }
        let time = Device.Time(hour: Int32(now.hour), minute: Int32(now.minute), second: Int32(now.second))
        let date = Device.Date(year: Int32(now.date.year), month: Int32(now.date.month), day: Int32(now.date.day))
        return .init(
            systemDateAndTime: .init(
                dateTimeType: .manual, daylightSavings: false, utcDateTime: .init(time: time, date: date)))
    }

    func getServices(
        _ input: Device.GetServices, _ context: OperationContext
    ) async throws -> Device.GetServicesResponse {
        .init(service: [
            .init(
                namespace: ONVIFDevice.namespace, xAddr: "http://10.0.0.7\(ONVIFDevice.servicePath)",
                version: .init(major: 24, minor: 12)),
            .init(namespace: Self.media, xAddr: "http://10.0.0.7/onvif/media", version: .init(major: 24, minor: 12)),
        ])
    }

    func getDeviceInformation(
        _ input: Device.GetDeviceInformation, _ context: OperationContext
    ) async throws -> Device.GetDeviceInformationResponse {
        .init(manufacturer: "Example", model: "Dome 4", firmwareVersion: "1.7", serialNumber: "4711", hardwareId: "2")
    }

    func getProfiles(_ input: Media.GetProfiles, _ context: OperationContext) async throws -> Media.GetProfilesResponse
    {
        func profile(_ name: String, _ width: Int32, _ height: Int32) -> Media.Profile {
            .init(
                name: name,
                videoEncoderConfiguration: .init(
                    name: name, useCount: 1, encoding: "H264", resolution: .init(width: width, height: height),
                    token: "encoder-\(name)"),
                token: "profile-\(name)")
        }
        return .init(profiles: [profile("main", 2_560, 1_440), profile("preview", 640, 360)])
    }

    func getStreamUri(_ input: Media.GetStreamUri, _ context: OperationContext) async throws
        -> Media.GetStreamUriResponse
    {
        guard ["profile-main", "profile-preview"].contains(input.profileToken) else {
            throw SOAPFault(.sender, "There is no such profile.", subcodes: [.onvif("InvalidArgVal")])
        }
        return .init(
            mediaUri: .init(
                uri: "rtsp://10.0.0.7:554/\(input.profileToken)", invalidAfterConnect: false,
                invalidAfterReboot: true, timeout: "PT0S"))
    }
}

/// Wants a token for all but the time, and refuses as ONVIF has it.
private struct TokenGuard: RequestVerifier {
    private let tokens: UsernameTokenVerifier
    var understoodHeaderBlocks: Set<XMLName> { tokens.understoodHeaderBlocks }

    /// - Parameter slowness: the verifier goes by the clock of this machine, which is ahead of the camera's by so much.
    init(password: String, slowness: Duration) {
        var tokens = UsernameTokenVerifier(replayCache: MemoryReplayCache()) { $0 == "admin" ? password : nil }
        tokens.forms = [.digest]
        tokens.freshness.maximumAge = slowness + .seconds(60)
        self.tokens = tokens
    }

    func verify(_ context: inout OperationContext) async throws {
        guard context.operation != "GetSystemDateAndTime" else { return }
        do { try await tokens.verify(&context) } catch let refusal as RequestRefusal {
            throw RequestRefusal(
                SOAPFault(.sender, "Sender not authorized", subcodes: [.onvif("NotAuthorized")]),
                reason: refusal.reason)
        }
    }
}

extension SOAPFault.Code {
    fileprivate static func onvif(_ name: String) -> Self {
        .init(namespaceURI: "http://www.onvif.org/ver10/error", localName: name)
    }
}
